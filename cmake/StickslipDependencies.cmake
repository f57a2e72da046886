# Libraries, all packaged by Debian (packages.txt). LAPACKE calls the LAPACK that the system has chosen; packages.txt
# brings OpenBLAS's.
find_package(PkgConfig REQUIRED)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET lapacke)
pkg_check_modules(LIBFYAML REQUIRED IMPORTED_TARGET libfyaml)
# Debian calls the serial HDF5 hdf5-serial; plain hdf5 may be the MPI build there.
pkg_search_module(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial hdf5)
# zlib: records and problems are read by a reader of our own (src/base/hdf5.h).
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
# libfclib (problem files). Its pkg-config file asks for plain hdf5, so that it is found without.
find_library(STICKSLIP_FCLIB_LIBRARY fclib REQUIRED)
find_path(STICKSLIP_FCLIB_INCLUDE fclib.h REQUIRED)
# SuiteSparse (sparse factors) has no pkg-config file in Debian 12.
set(STICKSLIP_SUITESPARSE)
foreach(part IN ITEMS klu ldl amd)
  find_library(STICKSLIP_${part}_LIBRARY ${part} REQUIRED)
  list(APPEND STICKSLIP_SUITESPARSE ${STICKSLIP_${part}_LIBRARY})
endforeach()
find_path(STICKSLIP_SUITESPARSE_INCLUDE suitesparse/klu.h REQUIRED)
# Contacts: libccd (convex pairs), qhull (hulls of points).
pkg_check_modules(CCD REQUIRED IMPORTED_TARGET ccd)
find_library(STICKSLIP_QHULL qhull_r REQUIRED)
# SUNDIALS (event-driven integration): ARKODE, CVODE and IDA with the parts they are made of.
set(STICKSLIP_SUNDIALS)
foreach(part IN ITEMS arkode cvode ida nvecserial sunmatrixdense sunlinsoldense)
  find_library(STICKSLIP_sundials_${part}_LIBRARY sundials_${part} REQUIRED)
  list(APPEND STICKSLIP_SUNDIALS ${STICKSLIP_sundials_${part}_LIBRARY})
endforeach()
find_path(STICKSLIP_SUNDIALS_INCLUDE cvode/cvode.h REQUIRED)
