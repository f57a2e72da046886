/* layout_file.c: names and sizes as a file has them. */
#include "record/record.h"

static ss_status read_law_texts(ss_arena *arena, const ss_store *store, const char *path,
                                int n_laws, const char ***texts)
{
    int count = 0;
    SS_TRY(ss_store_read_texts(store, path, arena, &count, texts));
    return count == n_laws ? SS_OK : ss_store_damaged(store, path, "has a wrong length");
}

static ss_status read_law_numbers(ss_arena *arena, const ss_store *store, const char *path,
                                  int n_laws, int **numbers)
{
    int count = 0;
    SS_TRY(ss_store_read_ints(store, path, arena, &count, numbers));
    return count == n_laws ? SS_OK : ss_store_damaged(store, path, "has a wrong length");
}

static ss_status read_laws(ss_arena *arena, const ss_store *store, ss_layout *layout)
{
    const char **names, **elements, **types, **words[2];
    int *first, *rows, *geometric, n, count;
    double *friction;
    SS_TRY(ss_store_read_texts(store, "/names/laws", arena, &n, &names));
    SS_TRY(read_law_texts(arena, store, "/laws/element", n, &elements));
    SS_TRY(read_law_texts(arena, store, "/laws/type", n, &types));
    SS_TRY(read_law_texts(arena, store, "/laws/constraint_word", n, &words[0]));
    SS_TRY(read_law_texts(arena, store, "/laws/impressed_word", n, &words[1]));
    SS_TRY(read_law_numbers(arena, store, "/laws/first_row", n, &first));
    SS_TRY(read_law_numbers(arena, store, "/laws/rows", n, &rows));
    SS_TRY(read_law_numbers(arena, store, "/laws/geometric", n, &geometric));
    SS_TRY(ss_store_read_reals(store, "/laws/friction", arena, &count, &friction));
    if (count != n)
        return ss_store_damaged(store, "/laws/friction", "has a wrong length");
    layout->n_laws = n;
    SS_TRY(SS_ARENA_NEW(arena, n, &layout->laws));
    for (int i = 0; i < n; i++)
        layout->laws[i] = (ss_law_info){
            .name = names[i],
            .element = elements[i],
            .type = types[i],
            .offset = first[i],
            .dim = rows[i],
            .kind = geometric[i] ? SS_GEOMETRIC : SS_KINEMATIC,
            .words = {words[0][i], words[1][i]},
            .friction = friction[i],
        };
    return SS_OK;
}

/* Laws own their rows one after the other. */
static ss_status check_rows(const ss_store *store, const ss_layout *layout)
{
    int next = 0;
    for (int i = 0; i < layout->n_laws; i++) {
        const ss_law_info *law = &layout->laws[i];
        if (law->offset != next || law->dim < 1 || law->dim > layout->n_rows - next)
            return ss_store_damaged(store, "/laws/first_row", "does not fit /laws/rows");
        next += law->dim;
    }
    return next == layout->n_rows ? SS_OK
                                  : ss_store_damaged(store, "/names/rows", "has a wrong length");
}

static ss_status read_parameters(ss_arena *arena, const ss_store *store, ss_layout *layout)
{
    int count = 0;
    SS_TRY(ss_store_read_texts(store, "/scene/parameters/name", arena, &layout->n_parameters,
                               &layout->parameters));
    SS_TRY(ss_store_read_reals(store, "/scene/parameters/value", arena, &count,
                               &layout->parameter_values));
    return count == layout->n_parameters
               ? SS_OK
               : ss_store_damaged(store, "/scene/parameters/value", "has a wrong length");
}

ss_status ss_layout_of_file(ss_arena *arena, const ss_store *store, ss_layout *layout)
{
    *layout = (ss_layout){0};
    SS_TRY(ss_store_read_texts(store, "/names/q", arena, &layout->n_q, &layout->q));
    SS_TRY(ss_store_read_texts(store, "/names/u", arena, &layout->n_u, &layout->u));
    SS_TRY(ss_store_read_texts(store, "/names/rows", arena, &layout->n_rows, &layout->rows));
    SS_TRY(read_laws(arena, store, layout));
    SS_TRY(check_rows(store, layout));
    return read_parameters(arena, store, layout);
}
