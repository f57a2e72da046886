# A layer is a folder of src/ built as an object library. Each may use only the layers before it.
set(STICKSLIP_LAYERS base la expression options set certify geometry rows solver model types assembly scheme simulation
    record import scene)

# What a layer uses from outside.
set(STICKSLIP_base_USES PkgConfig::ZLIB)
set(STICKSLIP_la_USES PkgConfig::LAPACKE ${STICKSLIP_SUITESPARSE})
set(STICKSLIP_geometry_USES PkgConfig::CCD ${STICKSLIP_QHULL})
set(STICKSLIP_rows_USES ${STICKSLIP_FCLIB_LIBRARY} PkgConfig::HDF5 ${STICKSLIP_SUITESPARSE})
set(STICKSLIP_simulation_USES PkgConfig::LAPACKE ${STICKSLIP_SUNDIALS})
set(STICKSLIP_record_USES PkgConfig::HDF5)
set(STICKSLIP_import_USES PkgConfig::LIBXML2)
set(STICKSLIP_scene_USES PkgConfig::LIBFYAML PkgConfig::HDF5)
set(STICKSLIP_LINK m ${CMAKE_DL_LIBS} Threads::Threads)
foreach(layer IN LISTS STICKSLIP_LAYERS)
  list(APPEND STICKSLIP_LINK ${STICKSLIP_${layer}_USES})
endforeach()

function(stickslip_add_layer name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.c)
  if(NOT sources)
    return()
  endif()
  add_library(layer_${name} OBJECT ${sources})
  target_include_directories(layer_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include
                                                  ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(layer_${name} PRIVATE ${STICKSLIP_${name}_USES})
endfunction()

# Objects of the layers up to and including `last`, for the tests of one layer.
function(stickslip_layers_through last result)
  set(objects)
  foreach(layer IN LISTS STICKSLIP_LAYERS)
    if(TARGET layer_${layer})
      list(APPEND objects $<TARGET_OBJECTS:layer_${layer}>)
    endif()
    if(layer STREQUAL last)
      break()
    endif()
  endforeach()
  set(${result} ${objects} PARENT_SCOPE)
endfunction()
