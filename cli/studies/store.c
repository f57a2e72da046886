/* store.c: writes lists of texts and matrices of numbers into HDF5 files. */
#include "studies/store.h"

#include "command.h"

#include <string.h>

/* Without the time of the day, so that equal tables are equal files. */
static hid_t create_set(hid_t file, const char *name, hid_t type, hid_t space)
{
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(plist, false);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    H5Pclose(plist);
    return set;
}

bool ss_cli_store_texts(const ss_cli_store *store, const char *name, size_t count,
                        const char *const *texts)
{
    hsize_t size = count;
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &size, NULL);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    hid_t set = create_set(store->file, name, type, space);
    bool good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, (void *)texts) >= 0;
    if (set >= 0)
        H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

bool ss_cli_store_numbers(const ss_cli_store *store, const char *name, size_t rows, size_t columns,
                          const double *values)
{
    hsize_t sizes[2] = {rows, columns};
    hid_t space = H5Screate_simple(2, sizes, NULL);
    hid_t set = create_set(store->file, name, H5T_IEEE_F64LE, space);
    bool good =
        set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (set >= 0)
        H5Dclose(set);
    H5Sclose(space);
    return good;
}

bool ss_cli_store_open(const char *path, ss_cli_store *store)
{
    snprintf(store->path, sizeof store->path, "%s", path);
    snprintf(store->part, sizeof store->part, "%s.part", path);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    store->file = H5Fcreate(store->part, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    return store->file >= 0;
}

bool ss_cli_store_close(ss_cli_store *store, bool good)
{
    if (store->file >= 0)
        good = H5Fclose(store->file) >= 0 && good;
    good = good && rename(store->part, store->path) == 0;
    if (!good) {
        remove(store->part);
        ss_cli_error("cannot write '%s'", store->path);
    }
    return good;
}
