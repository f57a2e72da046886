/* hdf5_check.h: what a foreign HDF5 file may contain: nothing that leads out of the file or takes more memory than its
 * size can explain. */
#ifndef SS_BASE_HDF5_CHECK_H
#define SS_BASE_HDF5_CHECK_H

#include <hdf5.h>
#include <stdbool.h>

/* HDF5 prints its errors and loads filters from shared libraries unless told not to; every public function that uses it
 * does so between these two. */
typedef struct ss_silence {
    H5E_auto2_t print;
    void *user;
    unsigned plugins;
} ss_silence;
ss_silence ss_silence_begin(void);
void ss_silence_end(ss_silence silence);

/* NULL, or what is wrong with the way to an object: every part of the path must be a hard link, the last may be missing. */
const char *ss_hdf5_path_fault(hid_t file, const char *path);
/* NULL, or what is wrong with an open dataset: numbers or texts of fixed length, stored in this file, compressed by
 * deflate at most, and not larger than what is stored can be. */
const char *ss_hdf5_dataset_fault(hid_t set);
const char *ss_hdf5_attribute_fault(hid_t attribute);
/* The same for everything in a file. */
const char *ss_hdf5_file_fault(hid_t file);

#endif
