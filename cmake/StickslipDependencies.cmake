# Libraries, all packaged by Debian (packages.txt). LAPACKE calls the LAPACK that the system has chosen; packages.txt
# brings OpenBLAS's.
find_package(PkgConfig REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C)
pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET lapacke)
pkg_check_modules(LIBFYAML REQUIRED IMPORTED_TARGET libfyaml)
# Debian calls the serial HDF5 hdf5-serial; plain hdf5 may be the MPI build there.
pkg_search_module(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial hdf5)
