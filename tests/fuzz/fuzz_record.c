/* fuzz_record.c: any bytes as a record. What is opened is read whole: names, states, events, contacts, shapes, a
 * formula, and the table that is exported; and copied as resuming does. */
#include "fuzz/input_file.h"
#include "record/record.h"

#include <stickslip/stickslip.h>

#include <stdio.h>
#include <string.h>

enum { LARGEST = 1 << 20, MOST_NUMBERS = 1 << 20 };

static void must(bool truth)
{
    if (!truth)
        abort();
}

static double touched; /* so that nothing is optimized away */

static void touch(const char *text)
{
    touched += (double)strlen(text);
}

static void read_names(ss_record *record)
{
    for (size_t i = 0; i < ss_record_column_count(record); i++) {
        touch(ss_record_column_name(record, i));
        touch(ss_record_column_unit(record, i));
    }
    for (size_t i = 0; i < ss_record_event_count(record); i++) {
        ss_record_event e = ss_record_event_at(record, i);
        touch(e.law);
        touch(e.from);
        touch(e.to);
    }
    for (int i = 0; i < ss_record_parameter_count(record); i++)
        touch(ss_record_parameter_name(record, i));
    for (int i = 0; i < ss_record_shape_count(record); i++) {
        touch(ss_record_shape(record, i).name);
        touch(ss_record_shape(record, i).system);
    }
    for (int i = 0; i < ss_record_mesh_count(record); i++) {
        ss_triangles t = ss_record_mesh(record, i);
        for (int k = 0; k < 3 * t.n_triangles; k++)
            touched += t.points[3 * t.corners[k]];
    }
    touch(ss_record_scene_text(record));
    touch(ss_record_note(record));
}

static void read_states(ss_record *record)
{
    size_t length = ss_record_length(record), columns = ss_record_column_count(record);
    double *values = calloc(columns, sizeof *values);
    must(values != NULL);
    for (size_t row = 0; row < length; row += 1 + length / 3)
        if (ss_record_row(record, row, values) == SS_OK)
            touched += values[columns - 1];
    free(values);
    for (size_t row = 0; row < length && row < 100; row++) {
        int count = ss_record_contact_count(record, row);
        if (count <= 0 || count > 10000)
            continue;
        ss_contact *contacts = calloc((size_t)count, sizeof *contacts);
        must(contacts != NULL);
        if (ss_record_read_contacts(record, row, contacts) == SS_OK)
            touch(ss_record_element_name(record, contacts[0].element));
        free(contacts);
    }
}

static void read_all(ss_context *context, ss_record *record)
{
    size_t length = ss_record_length(record);
    read_names(record);
    if (length > MOST_NUMBERS)
        return;
    read_states(record);
    double *values = calloc(length + 1, sizeof *values);
    must(values != NULL);
    ss_text formula = {.text = "t + energy.kinetic"};
    if (ss_record_evaluate(record, &formula, values) != SS_OK)
        must(ss_context_message(context)[0] != '\0');
    free(values);
    FILE *null = fopen("/dev/null", "w");
    if (null && length * ss_record_column_count(record) < MOST_NUMBERS / 8)
        ss_record_write_csv(record, 0, NULL, null);
    if (null)
        fclose(null);
}

/* libhdf5 takes long: one input in eight is copied. */
static void copy(ss_context *context, const char *path, size_t size)
{
    ss_arena arena;
    ss_part_file file;
    ss_store from = {.context = context, .path = path, .file = H5I_INVALID_HID};
    if (size % 8 != 0)
        return;
    ss_arena_init(&arena, context);
    must(ss_part_file_create(&file, &arena, "/tmp/stickslip-fuzz") == SS_OK);
    ss_store to = {.context = context, .path = file.path, .file = H5I_INVALID_HID};
    ss_silence silence = ss_silence_begin();
    if (ss_store_open(&from, path) == SS_OK && ss_store_create(&to, &file.pages) == SS_OK &&
        ss_store_copy(&to, &file, &from) != SS_OK)
        must(ss_context_message(context)[0] != '\0');
    ss_store_close(&from);
    ss_store_close(&to);
    ss_silence_end(silence);
    ss_part_file_discard(&file);
    ss_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ss_context *context;
    ss_record *record;
    if (size > LARGEST || ss_context_create(NULL, &context) != SS_OK)
        return 0;
    input_file file = open_input(data, size);
    if (ss_record_open(context, file.path, &record) == SS_OK) {
        read_all(context, record);
        ss_record_close(record);
    } else {
        must(ss_context_message(context)[0] != '\0');
    }
    copy(context, file.path, size);
    close_input(&file);
    ss_context_destroy(context);
    return 0;
}

#ifdef SS_FUZZING
#include "fuzz/hdf5_mutator.h"
#endif
