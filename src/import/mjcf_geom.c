/* mjcf_geom.c: geoms of MJCF: shapes, what they weigh, and what they say about contacts. */
#include "import/mjcf.h"
#include "model/body.h"

#include <stickslip/options.h>
#include <stickslip/shape.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Shapes ---- */

static const xmlNode *mesh_named(const ss_mjcf *m, const char *name)
{
    for (xmlNode *a = ss_xml_child(m->root, "asset"); a; a = ss_xml_next(a, "asset"))
        for (xmlNode *n = ss_xml_child(a, "mesh"); n; n = ss_xml_next(n, "mesh")) {
            const char *given = ss_xml_get(n, "name"), *file = ss_xml_get(n, "file");
            const char *slash = file ? strrchr(file, '/') : NULL;
            const char *base = slash ? slash + 1 : file, *dot = base ? strrchr(base, '.') : NULL;
            size_t length = dot ? (size_t)(dot - base) : 0;
            if (given ? strcmp(given, name) == 0
                      : length > 0 && strlen(name) == length && strncmp(base, name, length) == 0)
                return n;
        }
    return NULL;
}

static ss_status read_mesh(const ss_mjcf *m, const xmlNode *geom, const char *inherited,
                           ss_robot_shape *shape, bool *there)
{
    const char *name = ss_mjcf_get(m, geom, inherited, "mesh"), *file;
    int line = ss_xml_where(m->xml, geom).line;
    *there = false;
    if (!name)
        return ss_xml_fail(m->xml, geom, "a geom of type mesh needs 'mesh'");
    const xmlNode *mesh = mesh_named(m, name);
    if (!mesh)
        return ss_xml_fail(m->xml, geom, "there is no mesh '%s' in <asset>", name);
    SS_TRY(ss_mjcf_numbers(m, mesh, NULL, "scale", 3, shape->scale, NULL));
    SS_TRY(ss_mjcf_omit(m, mesh, NULL, "refpos refquat"));
    if (!ss_xml_get(mesh, "file"))
        return ss_robot_omit(m->robot, line, "meshes that are not files");
    SS_TRY(ss_xml_need(m->xml, mesh, "file", &file));
    if (shape->scale[0] == 0 || shape->scale[1] == 0 || shape->scale[2] == 0)
        return ss_xml_fail(m->xml, mesh, "'scale' must not be 0");
    if (!ss_robot_is_mesh(file))
        return ss_robot_omit(m->robot, line, "meshes that are neither .stl nor .obj");
    SS_TRY(ss_robot_text(m->robot, &shape->file, "%s%s", file[0] == '/' ? "" : m->meshes, file));
    shape->type = "mesh";
    return ss_robot_file(m->robot, line, shape->file, there);
}

/* Place and half length from two points on its axis. */
static void from_to(const double ends[6], ss_robot_shape *shape, double *half)
{
    double z[3], length = 0;
    for (int i = 0; i < 3; i++) {
        shape->at[i] = (ends[i] + ends[3 + i]) / 2;
        z[i] = ends[i] - ends[3 + i];
        length += z[i] * z[i];
    }
    length = sqrt(length);
    *half = length / 2;
    for (int i = 0; i < 3; i++)
        z[i] /= length > 0 ? length : 1;
    double c = sqrt((1 + z[2]) / 2);
    if (c < 1e-12 || length == 0) {
        memcpy(shape->e, length == 0 ? (double[4]){1} : (double[4]){0, 1}, sizeof shape->e);
        return;
    }
    shape->e[0] = c;
    shape->e[1] = -z[1] / (2 * c);
    shape->e[2] = z[0] / (2 * c);
    shape->e[3] = 0;
}

/* From half sizes, as the file has them. */
static ss_status set_size(const ss_mjcf *m, const xmlNode *geom, const char *type,
                          const double half[3], ss_robot_shape *shape)
{
    bool box = strcmp(type, "box") == 0, sphere = strcmp(type, "sphere") == 0;
    bool ellipsoid = strcmp(type, "ellipsoid") == 0;
    int count = box || ellipsoid ? 3 : sphere ? 1 : 2;
    for (int i = 0; i < count; i++) {
        if (!(half[i] > 0))
            return ss_xml_fail(m->xml, geom, "a %s needs %d size%s > 0", type, count,
                               count == 1 ? "" : "s");
        shape->size[i] = box || (count == 2 && i == 1) ? 2 * half[i] : half[i];
    }
    return SS_OK;
}

/* Type, place and size; *there: whether there is such a shape here. */
static ss_status read_shape(const ss_mjcf *m, const xmlNode *geom, const char *inherited,
                            ss_robot_shape *shape, bool *there)
{
    static const char *const known[] = {"sphere", "capsule", "cylinder", "box", "ellipsoid"};
    const char *type = ss_mjcf_get(m, geom, inherited, "type");
    double size[3] = {0}, ends[6];
    int n;
    *shape = (ss_robot_shape){.e = {1}, .scale = {1, 1, 1}, .type = type ? type : "sphere"};
    *there = true;
    SS_TRY(ss_mjcf_pose(m, geom, inherited, shape->at, shape->e));
    if (strcmp(shape->type, "mesh") == 0)
        return read_mesh(m, geom, inherited, shape, there);
    if (strcmp(shape->type, "plane") == 0)
        return SS_OK;
    bool found = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        found = found || strcmp(shape->type, known[i]) == 0;
    if (!found) {
        *there = false;
        return ss_robot_omit(m->robot, ss_xml_where(m->xml, geom).line, "geoms of type %.40s",
                             shape->type);
    }
    SS_TRY(ss_mjcf_numbers(m, geom, inherited, "size", 3, size, NULL));
    SS_TRY(ss_mjcf_numbers(m, geom, inherited, "fromto", 6, ends, &n));
    if (n == 6) {
        bool round = strcmp(shape->type, "capsule") == 0 || strcmp(shape->type, "cylinder") == 0;
        size[1] = size[0];
        from_to(ends, shape, &size[round ? 1 : 2]);
    }
    return set_size(m, geom, shape->type, size, shape);
}

/* ---- Mass ---- */

static ss_status fill_args(const ss_robot_shape *shape, ss_args *args)
{
    const char *type = shape->type;
    if (shape->file) {
        SS_TRY(ss_args_set_text(args, "file", shape->file));
        return ss_args_set_reals(args, "scale", 3, shape->scale);
    }
    if (strcmp(type, "box") == 0 || strcmp(type, "ellipsoid") == 0)
        return ss_args_set_reals(args, type[0] == 'b' ? "size" : "axes", 3, shape->size);
    SS_TRY(ss_args_set_real(args, "radius", shape->size[0]));
    return strcmp(type, "sphere") == 0 ? SS_OK : ss_args_set_real(args, "length", shape->size[1]);
}

static ss_status solid_of(const ss_mjcf *m, const ss_robot_shape *shape, ss_solid *solid)
{
    ss_args *args;
    ss_shape *made = NULL;
    *solid = (ss_solid){0};
    SS_TRY(ss_args_create(m->robot->context, &args));
    ss_status status = fill_args(shape, args);
    if (status == SS_OK)
        status =
            ss_shape_create(m->robot->context, shape->type, args, NULL, m->robot->folder, &made);
    if (status == SS_OK && made->ops->solid)
        made->ops->solid(made->self, solid);
    ss_shape_destroy(made);
    ss_args_destroy(args);
    return status;
}

/* What one geom adds: mass, mass times centre, inertia about the origin of the body. */
typedef struct weight {
    double mass, first[3], J[9];
} weight;

static void add_point(double mass, const double c[3], double J[9])
{
    double cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            J[3 * i + j] += mass * ((i == j ? cc : 0.0) - c[i] * c[j]);
}

static void add_solid(const ss_robot_shape *shape, const ss_solid *solid, double density, weight *w)
{
    double A[9], c[3], AI[9];
    double mass = density * solid->volume;
    ss_body_rotation(shape->e, A);
    ss_turn(A, solid->centre, c);
    for (int i = 0; i < 3; i++)
        c[i] += shape->at[i];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            AI[3 * i + j] = A[3 * i] * solid->inertia[j] + A[3 * i + 1] * solid->inertia[3 + j] +
                            A[3 * i + 2] * solid->inertia[6 + j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double value = density * (AI[3 * i] * A[3 * j] + AI[3 * i + 1] * A[3 * j + 1] +
                                      AI[3 * i + 2] * A[3 * j + 2]);
            w->J[3 * i + j] += value;
            if (i != j)
                w->J[3 * j + i] += value;
        }
    add_point(mass, c, w->J);
    w->mass += mass;
    for (int i = 0; i < 3; i++)
        w->first[i] += mass * c[i];
}

static ss_status weigh_geom(const ss_mjcf *m, const xmlNode *geom, const char *inherited, weight *w)
{
    ss_robot_shape shape;
    ss_solid solid;
    bool there;
    double density = 1000, mass = -1;
    SS_TRY(ss_mjcf_numbers(m, geom, inherited, "mass", 1, &mass, NULL));
    SS_TRY(ss_mjcf_numbers(m, geom, inherited, "density", 1, &density, NULL));
    if (mass == 0 || (mass < 0 && density == 0))
        return SS_OK;
    SS_TRY(read_shape(m, geom, inherited, &shape, &there));
    if (!there || strcmp(shape.type, "plane") == 0)
        return SS_OK;
    SS_TRY(solid_of(m, &shape, &solid));
    if (!(solid.volume > 0))
        return ss_robot_omit(m->robot, ss_xml_where(m->xml, geom).line,
                             "the mass of meshes that enclose no volume");
    SS_TRY(ss_mjcf_omit(m, geom, inherited, "shellinertia"));
    add_solid(&shape, &solid, mass > 0 ? mass / solid.volume : density, w);
    return SS_OK;
}

ss_status ss_mjcf_weigh(ss_mjcf *m, const xmlNode *body, const char *inherited, ss_robot_link *link)
{
    weight w = {0};
    for (xmlNode *n = ss_xml_child(body, "geom"); n; n = ss_xml_next(n, "geom"))
        SS_TRY(weigh_geom(m, n, inherited, &w));
    if (!(w.mass > 0))
        return SS_OK;
    link->mass = w.mass;
    for (int i = 0; i < 3; i++)
        link->centre[i] = w.first[i] / w.mass;
    add_point(-w.mass, link->centre, w.J);
    memcpy(link->J, w.J, sizeof w.J);
    return SS_OK;
}

/* ---- Contacts ---- */

static ss_status read_material(const ss_mjcf *m, const xmlNode *geom, const char *inherited,
                               ss_mjcf_material *material)
{
    *material =
        (ss_mjcf_material){.type = 1, .affinity = 1, .condim = 3, .friction = {1, 0.005, 0.0001}};
    SS_TRY(ss_mjcf_int(m, geom, inherited, "contype", &material->type));
    SS_TRY(ss_mjcf_int(m, geom, inherited, "conaffinity", &material->affinity));
    SS_TRY(ss_mjcf_int(m, geom, inherited, "condim", &material->condim));
    SS_TRY(ss_mjcf_int(m, geom, inherited, "priority", &material->priority));
    SS_TRY(ss_mjcf_numbers(m, geom, inherited, "friction", 3, material->friction, NULL));
    int dim = material->condim;
    if (dim != 1 && dim != 3 && dim != 4 && dim != 6)
        return ss_xml_fail(m->xml, geom, "'condim' must be 1, 3, 4 or 6, not %d", dim);
    for (int i = 0; i < 3; i++)
        if (material->friction[i] < 0)
            return ss_xml_fail(m->xml, geom, "'friction' must be >= 0, not %g",
                               material->friction[i]);
    return SS_OK;
}

static bool same(const ss_mjcf_material *a, const ss_mjcf_material *b)
{
    return a->type == b->type && a->affinity == b->affinity && a->condim == b->condim &&
           a->priority == b->priority && memcmp(a->friction, b->friction, sizeof a->friction) == 0;
}

/* The material that says the same, or a new one, called after the class of the geom. */
static ss_status find_material(ss_mjcf *m, const xmlNode *geom, const char *inherited,
                               const ss_mjcf_material *given, ss_mjcf_material **material)
{
    for (int i = 0; i < m->n_materials; i++)
        if (same(&m->materials[i], given)) {
            *material = &m->materials[i];
            return SS_OK;
        }
    if (m->n_materials == m->material_capacity) {
        int capacity = m->material_capacity ? 2 * m->material_capacity : 16;
        SS_TRY(SS_RESIZE(m->robot->context, capacity, &m->materials));
        m->material_capacity = capacity;
    }
    const char *class = ss_xml_get(geom, "class"), *name = ss_xml_get(geom, "name");
    class = class ? class : inherited;
    *material = &m->materials[m->n_materials];
    **material = *given;
    SS_TRY(ss_robot_name(m->robot, SS_ROBOT_MATERIAL_NAMES, class ? class : name, "material",
                         &(*material)->name));
    m->n_materials++;
    return SS_OK;
}

/* Whether a body has geoms that take part in contacts. */
static ss_status collides(const ss_mjcf *m, const xmlNode *body, const char *inherited, bool *any)
{
    *any = false;
    for (xmlNode *n = ss_xml_child(body, "geom"); n; n = ss_xml_next(n, "geom")) {
        ss_mjcf_material material;
        SS_TRY(read_material(m, n, inherited, &material));
        *any = *any || material.type || material.affinity;
    }
    return SS_OK;
}

ss_status ss_mjcf_geom(ss_mjcf *m, const xmlNode *geom, const char *inherited, int link)
{
    ss_mjcf_material given, *material;
    ss_robot_shape shape, *kept;
    bool there, others;
    const char *name = ss_xml_get(geom, "name");
    SS_TRY(read_material(m, geom, inherited, &given));
    SS_TRY(collides(m, geom->parent, inherited, &others));
    bool seen = !given.type && !given.affinity; /* and nothing else */
    if (seen && others)
        return SS_OK;
    SS_TRY(read_shape(m, geom, inherited, &shape, &there));
    if (!there)
        return SS_OK;
    SS_TRY(ss_mjcf_omit(m, geom, inherited, "solref solimp solmix margin gap fluidshape"));
    shape.link = link < 0 ? NULL : m->robot->links[link].name;
    shape.material = "visual";
    if (!seen) {
        SS_TRY(find_material(m, geom, inherited, &given, &material));
        material->moves = material->moves || link >= 0;
        shape.material = material->name;
        if (strcmp(shape.type, "mesh") == 0)
            shape.type = "hull";
    }
    SS_TRY(ss_robot_name(m->robot, SS_ROBOT_SHAPE_NAMES, name ? name : shape.link, "geom",
                         &shape.name));
    SS_TRY(ss_robot_add_shape(m->robot, &kept));
    *kept = shape;
    return SS_OK;
}
