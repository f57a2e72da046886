/* robot.c: collects links, shapes, names and what is left out. */
#include "import/robot.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static ss_status folder_of(ss_robot *robot)
{
    const char *slash = strrchr(robot->path, '/');
    size_t length = slash ? (size_t)(slash - robot->path) + 1 : 0;
    return ss_arena_copy_text(&robot->arena, robot->path, length, &robot->folder);
}

ss_status ss_robot_begin(ss_context *context, const char *path, const ss_import_options *options,
                         ss_robot *robot)
{
    *robot =
        (ss_robot){.context = context, .options = options, .gravity = {0, 0, -9.81}, .step = 1e-3};
    ss_arena_init(&robot->arena, context);
    for (int i = 0; i < SS_ROBOT_SECTIONS; i++)
        robot->lines[i] = (ss_writer){.context = context};
    for (int i = 0; i < SS_ROBOT_NAMES; i++)
        ss_map_init(&robot->names[i], context);
    SS_TRY(ss_arena_copy_string(&robot->arena, path, &robot->path));
    return folder_of(robot);
}

void ss_robot_release(ss_robot *robot)
{
    for (int i = 0; i < SS_ROBOT_SECTIONS; i++)
        ss_release(robot->context, robot->lines[i].text);
    for (int i = 0; i < SS_ROBOT_NAMES; i++)
        ss_map_release(&robot->names[i]);
    ss_release(robot->context, robot->links);
    ss_release(robot->context, robot->shapes);
    ss_release(robot->context, robot->omissions);
    ss_arena_release(&robot->arena);
}

ss_status ss_robot_text(ss_robot *robot, const char **text, const char *format, ...)
{
    char buffer[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    return ss_arena_copy_string(&robot->arena, buffer, text);
}

/* Letters, digits and _, not a digit first, and not the name of the time. */
static void make_identifier(const char *given, size_t capacity, char *name)
{
    size_t n = 0;
    bool digit = given[0] >= '0' && given[0] <= '9';
    if (digit || !given[0])
        name[n++] = '_';
    for (const char *c = given; *c && n + 1 < capacity; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_';
        name[n++] = (char)(letter || (*c >= '0' && *c <= '9') ? *c : '_');
    }
    name[n] = '\0';
    if (strcmp(name, "t") == 0)
        snprintf(name, capacity, "t_");
}

ss_status ss_robot_name(ss_robot *robot, ss_robot_names kind, const char *given,
                        const char *otherwise, const char **name)
{
    enum { LONGEST = 40 };
    char base[LONGEST + 1], unique[LONGEST + 12];
    int found;
    make_identifier(given && given[0] ? given : otherwise, sizeof base, base);
    snprintf(unique, sizeof unique, "%s%s", base, given && given[0] ? "" : "_1");
    for (int k = 2; ss_map_find(&robot->names[kind], unique, &found); k++)
        snprintf(unique, sizeof unique, "%s_%d", base, k);
    SS_TRY(ss_arena_copy_string(&robot->arena, unique, name));
    return ss_map_set(&robot->names[kind], *name, 1);
}

/* Memory for one more of a list. */
static ss_status grow(ss_robot *robot, int count, int *capacity, size_t size, void **list)
{
    if (count < *capacity)
        return SS_OK;
    int more = *capacity ? 2 * *capacity : 32;
    SS_TRY(ss_reallocate(robot->context, (size_t)more, size, list));
    *capacity = more;
    return SS_OK;
}

ss_status ss_robot_add_link(ss_robot *robot, ss_robot_link **link)
{
    SS_TRY(
        grow(robot, robot->n_links, &robot->link_capacity, sizeof **link, (void **)&robot->links));
    *link = &robot->links[robot->n_links++];
    **link = (ss_robot_link){.joint = "fixed", .e = {1}, .ball = {1}};
    return SS_OK;
}

ss_status ss_robot_add_shape(ss_robot *robot, ss_robot_shape **shape)
{
    SS_TRY(grow(robot, robot->n_shapes, &robot->shape_capacity, sizeof **shape,
                (void **)&robot->shapes));
    *shape = &robot->shapes[robot->n_shapes++];
    **shape = (ss_robot_shape){.e = {1}, .scale = {1, 1, 1}};
    return SS_OK;
}

void ss_robot_add_line(ss_robot *robot, ss_robot_section section, const char *format, ...)
{
    char line[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    ss_write(&robot->lines[section], "%s\n", line);
}

ss_status ss_robot_omit(ss_robot *robot, int line, const char *format, ...)
{
    char what[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    for (int i = 0; i < robot->n_omissions; i++)
        if (strcmp(robot->omissions[i].what, what) == 0) {
            robot->omissions[i].count++;
            return SS_OK;
        }
    SS_TRY(grow(robot, robot->n_omissions, &robot->omission_capacity, sizeof *robot->omissions,
                (void **)&robot->omissions));
    ss_robot_omission *one = &robot->omissions[robot->n_omissions++];
    *one = (ss_robot_omission){.count = 1, .line = line};
    return ss_arena_copy_string(&robot->arena, what, &one->what);
}

bool ss_robot_is_mesh(const char *path)
{
    static const char *const ends[] = {".obj", ".stl"};
    size_t length = strlen(path);
    for (int k = 0; k < 2; k++) {
        bool same = length > 4;
        for (size_t i = 0; same && i < 4; i++)
            same = (path[length - 4 + i] | 32) == (ends[k][i] | 32);
        if (same)
            return true;
    }
    return false;
}

ss_status ss_robot_file(ss_robot *robot, int line, const char *path, bool *there)
{
    char full[4096];
    struct stat info;
    *there = false;
    int length = snprintf(full, sizeof full, "%s%s", path[0] == '/' ? "" : robot->folder, path);
    if (length < 0 || length >= (int)sizeof full)
        return ss_robot_omit(robot, line, "a mesh with a path that is too long");
    if (!robot->options->allow_outside && !ss_file_is_below(full, robot->folder))
        return ss_robot_omit(robot, line,
                             "meshes that are not below the folder of the file (--allow-outside "
                             "allows that)");
    if (stat(full, &info) != 0 || !S_ISREG(info.st_mode))
        return ss_robot_omit(robot, line, "mesh '%.180s', which cannot be read", path);
    *there = true;
    return SS_OK;
}
