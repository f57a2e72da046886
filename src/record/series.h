/* series.h: the datasets of a record that have one entry for each recorded state. */
#ifndef SS_RECORD_SERIES_H
#define SS_RECORD_SERIES_H

#include "record/layout.h"

#include <hdf5.h>

typedef enum ss_series_id {
    SS_SERIES_TIME,
    SS_SERIES_DT,
    SS_SERIES_Q,
    SS_SERIES_U,
    SS_SERIES_GAP,
    SS_SERIES_GAMMA,
    SS_SERIES_IMPULSE,
    SS_SERIES_FORCE,
    SS_SERIES_MODE,
    SS_SERIES_KINETIC,
    SS_SERIES_POTENTIAL,
    SS_SERIES_DISSIPATED,
    SS_SERIES_LOAD,
    SS_SERIES_BALANCE,
    SS_SERIES_ITERATIONS,
    SS_SERIES_RESIDUAL,
    SS_SERIES_OUTCOME,
    SS_SERIES_ORDER,
    SS_SERIES_COUNT
} ss_series_id;

typedef enum ss_number {
    SS_NUMBER_REAL,
    SS_NUMBER_INT8,
    SS_NUMBER_INT32,
    SS_NUMBER_UINT32,
    SS_NUMBER_INT64
} ss_number;

/* Which sizes of the layout a series has. */
typedef enum ss_width {
    SS_WIDTH_NONE,
    SS_WIDTH_Q,
    SS_WIDTH_U,
    SS_WIDTH_ROWS,
    SS_WIDTH_LAWS
} ss_width;

typedef struct ss_series {
    const char *path; /* in the file */
    ss_number number;
    ss_width width; /* SS_WIDTH_NONE: one number a state, dataset of rank 1 */
    const char *unit;
    const char *names; /* dataset with the names of its columns; NULL: none */
    const char *doc;
} ss_series;

const ss_series *ss_series_at(ss_series_id id);
/* Numbers in one entry. */
int ss_series_width(const ss_layout *layout, ss_series_id id);
size_t ss_number_bytes(ss_number number);
/* What HDF5 calls it in memory. */
hid_t ss_number_native(ss_number number);

#endif
