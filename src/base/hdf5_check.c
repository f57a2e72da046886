/* hdf5_check.c: refuses what leads out of an HDF5 file, and sizes that what is stored cannot explain. */
#include "base/hdf5_check.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

ss_silence ss_silence_begin(void)
{
    ss_silence silence = {.plugins = H5PL_ALL_PLUGIN};
    H5Eget_auto2(H5E_DEFAULT, &silence.print, &silence.user);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5PLget_loading_state(&silence.plugins);
    H5PLset_loading_state(0);
    return silence;
}

void ss_silence_end(ss_silence silence)
{
    H5PLset_loading_state(silence.plugins);
    H5Eset_auto2(H5E_DEFAULT, silence.print, silence.user);
}

static const char *link_fault(const H5L_info_t *info)
{
    return info->type == H5L_TYPE_HARD ? NULL : "is a link to elsewhere";
}

const char *ss_hdf5_path_fault(hid_t file, const char *path)
{
    char part[256];
    if (strlen(path) >= sizeof part)
        return "has too long a name";
    for (size_t n = 1; path[n - 1]; n++) {
        H5L_info_t info;
        if ((path[n] && path[n] != '/') || n == 1)
            continue;
        snprintf(part, sizeof part, "%.*s", (int)n, path);
        if (H5Lexists(file, part, H5P_DEFAULT) <= 0)
            return NULL; /* what is missing leads nowhere */
        if (H5Lget_info(file, part, &info, H5P_DEFAULT) < 0)
            return "cannot be read";
        if (link_fault(&info))
            return link_fault(&info);
    }
    return NULL;
}

/* Bytes of all elements; false: too many to count. */
static bool count_bytes(hid_t type, hid_t space, uint64_t *bytes)
{
    hssize_t points = H5Sget_simple_extent_npoints(space);
    size_t size = H5Tget_size(type);
    if (points < 0 || size == 0 || (uint64_t)points > UINT64_MAX / 2 / size)
        return false;
    *bytes = (uint64_t)points * size;
    return true;
}

static const char *type_fault(hid_t type)
{
    H5T_class_t class = H5Tget_class(type);
    if (class == H5T_STRING && H5Tis_variable_str(type) == 0)
        return NULL;
    return class == H5T_INTEGER || class == H5T_FLOAT
               ? NULL
               : "is neither numbers nor texts of fixed length";
}

static const char *filter_fault(hid_t creation)
{
    int count = H5Pget_nfilters(creation);
    for (int i = 0; i < count; i++) {
        unsigned flags, config;
        size_t n = 0;
        H5Z_filter_t filter =
            H5Pget_filter2(creation, (unsigned)i, &flags, &n, NULL, 0, NULL, &config);
        if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
            filter != H5Z_FILTER_FLETCHER32)
            return "is compressed by an unknown filter";
    }
    return count < 0 || count > 3 ? "has too many filters" : NULL;
}

/* Deflate makes at most 1032 bytes of one; a chunk that is not full, and a small dataset, have some more. */
enum { MOST_EXPANSION = 1032, SLACK = 65536 };

static bool explains(uint64_t stored, uint64_t bytes)
{
    return bytes <= SLACK || (bytes - SLACK) / MOST_EXPANSION <= stored;
}

static const char *size_fault(hid_t set, hid_t creation, uint64_t bytes, size_t item)
{
    uint64_t stored = H5Dget_storage_size(set);
    if (H5Pget_layout(creation) == H5D_CHUNKED) {
        hsize_t chunk[H5S_MAX_RANK];
        int rank = H5Pget_chunk(creation, H5S_MAX_RANK, chunk);
        uint64_t size = item;
        for (int i = 0; i < rank; i++)
            size = chunk[i] > 0 && size <= UINT32_MAX ? size * chunk[i] : UINT64_MAX;
        if (rank < 1 || (stored > 0 && !explains(stored, size)))
            return "has chunks that are larger than what is stored";
        return explains(stored, bytes) ? NULL : "is larger than what is stored";
    }
    hsize_t file_size = 0;
    hid_t file = H5Iget_file_id(set);
    H5Fget_filesize(file, &file_size);
    H5Fclose(file);
    /* A dataset that was never written has nothing stored, and reads as zeros. */
    bool fits = stored <= file_size && (bytes <= stored || stored == 0) &&
                (bytes <= file_size || bytes <= SLACK);
    return fits ? NULL : "is larger than its file";
}

static const char *creation_fault(hid_t set, hid_t creation, uint64_t bytes, size_t item)
{
    H5D_layout_t layout = H5Pget_layout(creation);
    if (layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED && layout != H5D_COMPACT)
        return "is made of other datasets";
    if (H5Pget_external_count(creation) != 0)
        return "is stored in other files";
    const char *fault = filter_fault(creation);
    return fault ? fault : size_fault(set, creation, bytes, item);
}

const char *ss_hdf5_dataset_fault(hid_t set)
{
    hid_t type = H5Dget_type(set), space = H5Dget_space(set), creation = H5Dget_create_plist(set);
    uint64_t bytes = 0;
    const char *fault = NULL;
    if (type < 0 || space < 0 || creation < 0)
        fault = "cannot be read";
    fault = fault ? fault : type_fault(type);
    if (!fault && !count_bytes(type, space, &bytes))
        fault = "has an impossible size";
    fault = fault ? fault : creation_fault(set, creation, bytes, H5Tget_size(type));
    if (creation >= 0)
        H5Pclose(creation);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    return fault;
}

const char *ss_hdf5_attribute_fault(hid_t attribute)
{
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    uint64_t bytes = 0;
    const char *fault = type < 0 || space < 0 ? "cannot be read" : type_fault(type);
    if (!fault && (!count_bytes(type, space, &bytes) || bytes > H5Aget_storage_size(attribute)))
        fault = "has an impossible size";
    if (!fault && bytes > UINT32_MAX / 64)
        fault = "is too large";
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    return fault;
}

/* ---- Whole files ---- */

typedef struct walk {
    const char *fault;
    int depth, count;
} walk;

/* No problem or record has as many; links in a circle have more. */
enum { DEEPEST = 8, MOST_OBJECTS = 10000 };

static herr_t visit(hid_t group, const char *name, const H5L_info_t *info, void *user);

static const char *object_fault(hid_t object, walk *w)
{
    H5I_type_t kind = H5Iget_type(object);
    if (kind == H5I_DATASET)
        return ss_hdf5_dataset_fault(object);
    if (kind != H5I_GROUP)
        return "is neither a group nor a dataset";
    if (w->depth == DEEPEST)
        return "is nested too deeply";
    w->depth++;
    if (H5Literate(object, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, visit, w) < 0 && !w->fault)
        w->fault = "cannot be read";
    w->depth--;
    return w->fault;
}

static herr_t visit(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    walk *w = user;
    w->fault = w->count++ == MOST_OBJECTS ? "has too many parts" : link_fault(info);
    if (!w->fault) {
        hid_t object = H5Oopen(group, name, H5P_DEFAULT);
        w->fault = object < 0 ? "cannot be read" : object_fault(object, w);
        if (object >= 0)
            H5Oclose(object);
    }
    return w->fault ? -1 : 0;
}

const char *ss_hdf5_file_fault(hid_t file)
{
    walk w = {0};
    hid_t root = H5Gopen2(file, "/", H5P_DEFAULT);
    const char *fault = root < 0 ? "cannot be read" : object_fault(root, &w);
    if (root >= 0)
        H5Gclose(root);
    return fault;
}
