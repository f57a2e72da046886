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
set(pc_private ${LAPACKE_LDFLAGS} ${LIBFYAML_LDFLAGS} ${HDF5_LDFLAGS} ${OpenMP_C_FLAGS} -ldl -lm)
list(JOIN pc_private " " pc_private)
configure_file(${CMAKE_CURRENT_LIST_DIR}/stickslip.pc.in ${PROJECT_BINARY_DIR}/package/stickslip.pc
               @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/stickslip.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The command itself knows its completions and the schema of scene files.
set(generated ${PROJECT_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${generated})
function(stickslip_generate file destination)
  add_custom_command(OUTPUT ${generated}/${file} COMMAND stickslip ${ARGN} > ${generated}/${file}
                     DEPENDS stickslip VERBATIM)
  set_property(GLOBAL APPEND PROPERTY STICKSLIP_GENERATED ${generated}/${file})
  install(FILES ${generated}/${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${destination})
endfunction()
stickslip_generate(stickslip bash-completion/completions completion bash)
stickslip_generate(_stickslip zsh/site-functions completion zsh)
stickslip_generate(stickslip.fish fish/vendor_completions.d completion fish)
stickslip_generate(scene.schema.json stickslip schema)
get_property(files GLOBAL PROPERTY STICKSLIP_GENERATED)
add_custom_target(generated ALL DEPENDS ${files})

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
              ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md TYPE DOC)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples TYPE DOC
        PATTERN CMakeLists.txt EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/stickslip)
