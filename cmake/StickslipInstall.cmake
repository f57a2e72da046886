# The command, the libraries, their headers, the CMake package, the pkg-config file and the documents.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/stickslip)

install(TARGETS stickslip)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/stickslip TYPE INCLUDE FILES_MATCHING PATTERN "*.h")

# Two export sets, so that a program linked to the shared library needs none of its dependencies' headers.
foreach(suffix IN ITEMS shared static)
  install(TARGETS stickslip_${suffix} EXPORT stickslip-${suffix})
  install(EXPORT stickslip-${suffix} NAMESPACE stickslip:: DESTINATION ${package_dir})
endforeach()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/stickslip-config.cmake.in
                              ${PROJECT_BINARY_DIR}/package/stickslip-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/stickslip-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/stickslip-config.cmake
              ${PROJECT_BINARY_DIR}/package/stickslip-config-version.cmake DESTINATION ${package_dir})

# Relative paths keep the installed tree movable (pkg-config sets pcfiledir).
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
# Listed as libraries, not as required modules: who links the shared library needs none of their packages.
set(pc_private ${LAPACKE_LDFLAGS} ${LIBFYAML_LDFLAGS} -lfclib ${HDF5_LDFLAGS} ${CCD_LDFLAGS} -lqhull_r -lklu -lldl -lamd
    -lsundials_arkode -lsundials_cvode -lsundials_ida -lsundials_nvecserial -lsundials_sunmatrixdense -lsundials_sunlinsoldense
    -pthread -ldl -lm)
list(JOIN pc_private " " pc_private)
configure_file(${CMAKE_CURRENT_LIST_DIR}/stickslip.pc.in ${PROJECT_BINARY_DIR}/package/stickslip.pc
               @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/stickslip.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The command itself knows its completions.
set(completions ${PROJECT_BINARY_DIR}/completions)
file(MAKE_DIRECTORY ${completions})
add_custom_target(completions ALL)
function(stickslip_completion shell file destination)
  add_custom_command(OUTPUT ${completions}/${file} DEPENDS stickslip VERBATIM
                     COMMAND stickslip completion ${shell} > ${completions}/${file})
  add_custom_target(completion_${shell} DEPENDS ${completions}/${file})
  add_dependencies(completions completion_${shell})
  install(FILES ${completions}/${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${destination})
endfunction()
stickslip_completion(bash stickslip bash-completion/completions)
stickslip_completion(zsh _stickslip zsh/site-functions)
stickslip_completion(fish stickslip.fish fish/vendor_completions.d)

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
              ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md ${PROJECT_SOURCE_DIR}/SECURITY.md TYPE DOC)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples TYPE DOC
        PATTERN CMakeLists.txt EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes ${PROJECT_SOURCE_DIR}/schema
        DESTINATION ${CMAKE_INSTALL_DATADIR}/stickslip)
