/* contacts.h: the contacts of shapes in a record: how many each recorded state has, and all of them one behind
 * the other, column by column. */
#ifndef SS_RECORD_CONTACTS_H
#define SS_RECORD_CONTACTS_H

#include "record/series.h"
#include "record/store.h"

#include <stickslip/record.h>

enum { SS_CONTACT_COLUMNS = 9, SS_CONTACT_CHUNK = 4096 };

/* One or more numbers of an ss_contact that stand side by side in it. */
typedef struct ss_contact_column {
    const char *path;
    ss_number number;
    int width; /* 1: dataset of rank 1 */
    size_t offset;
    const char *unit, *doc;
} ss_contact_column;

const ss_contact_column *ss_contact_column_at(int column);
size_t ss_contact_column_bytes(int column);

/* Open tables of a record with contacts. */
typedef struct ss_contact_tables {
    bool present;
    ss_table first, count; /* one entry for each recorded state */
    ss_table columns[SS_CONTACT_COLUMNS];
} ss_contact_tables;

ss_status ss_contact_tables_open(const ss_store *store, ss_contact_tables *tables);
void ss_contact_tables_close(ss_contact_tables *tables);

/* From contacts to a column and back; `memory` has space for `count` entries of the column. */
void ss_contact_pick(int column, size_t count, const ss_contact *contacts, void *memory);
void ss_contact_fill(int column, size_t count, const void *memory, ss_contact *contacts);

#endif
