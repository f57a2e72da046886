/* problems.h: the problems that a benchmark was given, or all of ../shared/problems. */
#ifndef STICKSLIP_BENCH_PROBLEMS_H
#define STICKSLIP_BENCH_PROBLEMS_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PROBLEMS = 400, MOST_NAME = 512 };

typedef struct problem_list {
    int count;
    char path[MOST_PROBLEMS][MOST_NAME];
} problem_list;

static inline void problem_list_add(problem_list *list, const char *path)
{
    if (list->count < MOST_PROBLEMS)
        snprintf(list->path[list->count++], MOST_NAME, "%s", path);
}

static inline int problem_by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Every problem of a folder, by name. */
static inline void problem_list_add_folder(problem_list *list, const char *folder)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        char path[MOST_NAME];
        if (!strstr(entry->d_name, ".fcp") && !strstr(entry->d_name, ".hdf5"))
            continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < MOST_NAME)
            problem_list_add(list, path);
    }
    if (directory)
        closedir(directory);
    qsort(list->path, (size_t)list->count, MOST_NAME, problem_by_name);
}

/* What a table calls a problem. */
static inline const char *problem_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

#endif
