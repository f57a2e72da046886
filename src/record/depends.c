/* depends.c: what a run depends on beside its scene: the files it read, which a record holds, and plugins, of which it
 * holds names, versions and sums. */
#include "base/context.h"
#include "record/record.h"
#include "record/recorder.h"

#include <string.h>

/* A file as the record has it: its bytes begin behind those of the files before it. */
typedef struct file_entry {
    const char *name, *sum;
    int64_t length;
} file_entry;

static const ss_item_type file_fields = {
    sizeof(file_entry),
    3,
    {{"/scene/files/name", SS_NUMBER_TEXT, 1, offsetof(file_entry, name)},
     {"/scene/files/sha256", SS_NUMBER_TEXT, 1, offsetof(file_entry, sum)},
     {"/scene/files/length", SS_NUMBER_INT64, 1, offsetof(file_entry, length)}}};

typedef struct plugin_entry {
    const char *name, *version, *sum;
} plugin_entry;

static const ss_item_type plugin_fields = {
    sizeof(plugin_entry),
    3,
    {{"/scene/plugins/name", SS_NUMBER_TEXT, 1, offsetof(plugin_entry, name)},
     {"/scene/plugins/version", SS_NUMBER_TEXT, 1, offsetof(plugin_entry, version)},
     {"/scene/plugins/sha256", SS_NUMBER_TEXT, 1, offsetof(plugin_entry, sum)}}};

static ss_status write_files(const ss_store *store, ss_arena *arena)
{
    size_t count = 0, total = 0;
    for (const ss_kept_file *f = store->context->files; f; f = f->next, count++)
        total += f->length;
    if (count == 0)
        return SS_OK;
    file_entry *entries;
    char *bytes;
    SS_TRY(SS_ARENA_NEW(arena, count, &entries));
    SS_TRY(SS_ARENA_NEW(arena, total, &bytes));
    file_entry *entry = entries;
    for (const ss_kept_file *f = store->context->files; f; f = f->next, entry++) {
        char *sum;
        SS_TRY(SS_ARENA_NEW(arena, SS_SHA256_TEXT, &sum));
        ss_sha256_text(f->bytes, f->length, sum);
        *entry = (file_entry){f->name, sum, (int64_t)f->length};
        memcpy(bytes, f->bytes, f->length);
        bytes += f->length;
    }
    SS_TRY(ss_store_group(store, "/scene/files"));
    SS_TRY(ss_items_write(store, &file_fields, count, entries));
    return ss_store_write(store, "/scene/files/bytes", SS_NUMBER_UINT8, total, bytes - total);
}

static ss_status write_plugins(const ss_store *store, ss_arena *arena)
{
    const ss_context *context = store->context;
    plugin_entry *entries;
    if (context->n_plugins == 0)
        return SS_OK;
    SS_TRY(SS_ARENA_NEW(arena, context->n_plugins, &entries));
    for (size_t i = 0; i < context->n_plugins; i++)
        entries[i] = (plugin_entry){context->plugins[i].name, context->plugins[i].version,
                                    context->plugins[i].sum};
    SS_TRY(ss_store_group(store, "/scene/plugins"));
    return ss_items_write(store, &plugin_fields, context->n_plugins, entries);
}

ss_status ss_depends_write(const ss_store *store, ss_arena *arena)
{
    SS_TRY(write_files(store, arena));
    return write_plugins(store, arena);
}

static ss_status give_files(ss_record *record)
{
    const ss_store *store = &record->store;
    size_t count = 0, total = 0;
    void *entries, *bytes;
    if (!ss_store_has(store, "/scene/files"))
        return SS_OK;
    SS_TRY(ss_items_read(store, &file_fields, &record->arena, &count, &entries));
    SS_TRY(ss_store_read(store, "/scene/files/bytes", SS_NUMBER_UINT8, &record->arena, &total,
                         &bytes));
    const char *next = bytes;
    for (size_t i = 0; i < count; i++) {
        const file_entry *e = (const file_entry *)entries + i;
        size_t left = total - (size_t)(next - (const char *)bytes);
        char sum[SS_SHA256_TEXT];
        if (e->length < 0 || (uint64_t)e->length > left)
            return ss_store_damaged(store, "/scene/files/length", "does not fit the bytes");
        ss_sha256_text(next, (size_t)e->length, sum);
        if (strcmp(sum, e->sum) != 0)
            return ss_store_damaged(store, "/scene/files/bytes", "does not have its SHA-256 sum");
        SS_TRY(ss_context_keep_file(record->context, &(ss_kept_file){.name = e->name,
                                                                     .bytes = next,
                                                                     .length = (size_t)e->length,
                                                                     .given = true}));
        next += e->length;
    }
    return SS_OK;
}

/* Says which plugins are not those of the run; one that is missing is missed where its types are. */
static ss_status compare_plugins(ss_record *record)
{
    ss_context *context = record->context;
    size_t count = 0;
    void *entries;
    if (!ss_store_has(&record->store, "/scene/plugins"))
        return SS_OK;
    SS_TRY(ss_items_read(&record->store, &plugin_fields, &record->arena, &count, &entries));
    for (size_t i = 0; i < count; i++) {
        const plugin_entry *e = (const plugin_entry *)entries + i;
        for (size_t k = 0; k < context->n_plugins; k++)
            if (strcmp(e->name, context->plugins[k].name) == 0 &&
                strcmp(e->sum, context->plugins[k].sum) != 0)
                ss_log(context, SS_LOG_WARNING,
                       "the plugin '%s' (version '%s') is not the one of the record (version "
                       "'%s'): results may differ",
                       e->name, context->plugins[k].version, e->version);
    }
    return SS_OK;
}

ss_status ss_record_provide(ss_record *record)
{
    ss_silence silence = ss_silence_begin();
    ss_status status = give_files(record);
    if (status == SS_OK)
        status = compare_plugins(record);
    ss_silence_end(silence);
    return status;
}
