# Libraries, all packaged by Debian (packages.txt). STICKSLIP_REQUIRES lists their pkg-config modules, for the
# installed package files.
find_package(PkgConfig REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C)
pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET lapacke)
pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
pkg_check_modules(LIBFYAML REQUIRED IMPORTED_TARGET libfyaml)
# Debian calls the serial HDF5 hdf5-serial; plain hdf5 may be the MPI build there.
pkg_search_module(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial hdf5)
set(STICKSLIP_REQUIRES lapacke openblas libfyaml ${HDF5_MODULE_NAME})
