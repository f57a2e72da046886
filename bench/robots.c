/* robots.c: robots beside MuJoCo, where Debian's libmujoco-dev is installed: where links are, Jacobians, M, bias forces with
 * springs, damping and drives, and inverse dynamics, at random states. A line for each file, its worst differences relative
 * to the largest entry.
 *
 *   bench_robots FILE[=FILE for MuJoCo]…    URDF or MJCF
 */
#include <stickslip/stickslip.h>

#include <stdio.h>

#ifndef BENCH_MUJOCO
int main(void)
{
    puts("bench_robots: libmujoco-dev is not installed");
    return 0;
}
#else
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 100, MOST = 300 };

/* A robot in both programs. */
typedef struct robot {
    mjModel *m;
    mjData *d;
    const ss_model *model;
    ss_work *work;
    int nq, nu;
    int q[MOST],
        u[MOST]; /* per joint of MuJoCo: where its numbers begin here; -1: it is not there */
    double T[MOST][MOST]; /* u = T v */
} robot;

typedef struct worst {
    double pose, jacobian, mass, bias, inverse;
} worst;

static int find(const ss_model *model, const char *name, bool velocity)
{
    ss_model_size size = ss_model_sizes(model);
    for (int i = 0; i < (velocity ? size.n_u : size.n_q); i++) {
        ss_name own = velocity ? ss_model_u_name(model, i) : ss_model_q_name(model, i);
        const char *dot = strchr(own.text, '.');
        if (dot && strcmp(dot + 1, name) == 0)
            return i;
    }
    return -1;
}

static bool map_joints(robot *r)
{
    for (int j = 0; j < r->m->njnt; j++) {
        const char *name = mj_id2name(r->m, mjOBJ_JOINT, j);
        char q[128], u[128];
        snprintf(q, sizeof q, "%s", name ? name : "");
        snprintf(u, sizeof u, "%s'", name ? name : "");
        if (r->m->jnt_type[j] == mjJNT_FREE) {
            snprintf(q, sizeof q, "x");
            snprintf(u, sizeof u, "x'");
        } else if (r->m->jnt_type[j] == mjJNT_BALL) {
            snprintf(q, sizeof q, "%s_e0", name);
            snprintf(u, sizeof u, "%s_wx", name);
        }
        r->q[j] = find(r->model, q, false);
        r->u[j] = find(r->model, u, true);
        if (r->q[j] < 0 || r->u[j] < 0) {
            printf("joint '%s' is not there\n", q);
            return false;
        }
    }
    return r->m->nv == r->nu;
}

static double between(double low, double high)
{
    return low + (high - low) * rand() / RAND_MAX;
}

/* A random state of MuJoCo, and the same here. Angular velocities are in the body there and in space here, which is the
 * matrix T. */
static void draw(robot *r, double *q)
{
    memset(r->T, 0, sizeof r->T);
    for (int j = 0; j < r->m->njnt; j++) {
        double *own = r->d->qpos + r->m->jnt_qposadr[j], R[9];
        int type = r->m->jnt_type[j], v = r->m->jnt_dofadr[j], first = type == mjJNT_FREE ? 3 : 0;
        int n = type == mjJNT_FREE ? 7 : type == mjJNT_BALL ? 4 : 1;
        for (int i = 0; i < n; i++)
            own[i] = between(-1.5, 1.5);
        for (int i = 0; i < (n == 1 ? 1 : first); i++)
            r->T[r->u[j] + i][v + i] = 1;
        if (n > 1) {
            mju_normalize4(own + first);
            mju_quat2Mat(R, own + first);
            for (int i = 0; i < 9; i++)
                r->T[r->u[j] + first + i / 3][v + first + i % 3] = R[i];
        }
        for (int i = 0; i < n; i++)
            q[r->q[j] + i] = own[i] - (n == 1 ? r->m->qpos0[r->m->jnt_qposadr[j]] : 0);
    }
    for (int i = 0; i < r->m->nv; i++) {
        r->d->qvel[i] = between(-2, 2);
        r->d->qacc[i] = between(-5, 5);
    }
}

static void transform(const robot *r, const double *v, double *u)
{
    for (int i = 0; i < r->nu; i++) {
        u[i] = 0;
        for (int j = 0; j < r->nu; j++)
            u[i] += r->T[i][j] * v[j];
    }
}

/* Largest difference of Tᵀ f from g, relative to the largest of g. */
static void compare(const robot *r, const double *f, const double *g, double *largest)
{
    double size = 0, error = 0;
    for (int i = 0; i < r->nu; i++) {
        double sum = 0;
        for (int j = 0; j < r->nu; j++)
            sum += r->T[j][i] * f[j];
        error = fmax(error, fabs(sum - g[i]));
        size = fmax(size, fabs(g[i]));
    }
    *largest = fmax(*largest, error / size);
}

static void compare_mass(robot *r, worst *w)
{
    static double M[MOST * MOST], dense[MOST * MOST], column[MOST], wanted[MOST], v[MOST];
    mj_fullM(r->m, dense, r->d->qM);
    ss_work_mass_matrix(r->work, 0, M);
    double size = 0, error = 0;
    for (int k = 0; k < r->nu; k++) {
        memset(v, 0, sizeof v);
        v[k] = 1;
        transform(r, v, column);
        for (int i = 0; i < r->nu; i++) {
            wanted[i] = 0;
            for (int j = 0; j < r->nu; j++)
                wanted[i] += M[i * r->nu + j] * column[j];
        }
        for (int i = 0; i < r->nu; i++) {
            double sum = 0;
            for (int j = 0; j < r->nu; j++)
                sum += r->T[j][i] * wanted[j];
            error = fmax(error, fabs(sum - dense[i * r->nu + k]));
            size = fmax(size, fabs(dense[i * r->nu + k]));
        }
    }
    w->mass = fmax(w->mass, error / size);
}

static void compare_frames(robot *r, worst *w)
{
    static double V[6 * MOST], jac[6 * MOST], v[MOST], u[MOST];
    char name[256];
    for (int b = 1; b < r->m->nbody; b++) {
        int system, frame;
        ss_pose pose;
        const char *given = mj_id2name(r->m, mjOBJ_BODY, b);
        snprintf(name, sizeof name, "%s.%s", ss_model_system(r->model, 0).name, given ? given : "");
        if (!given || ss_model_frame_of(r->model, name, &system, &frame) != SS_OK)
            continue;
        ss_work_frame(r->work, 0, frame, &pose, V);
        for (int i = 0; i < 3; i++)
            w->pose = fmax(w->pose, fabs(pose.x[i] - r->d->xpos[3 * b + i]));
        for (int i = 0; i < 9; i++)
            w->pose = fmax(w->pose, fabs(pose.A[i] - r->d->xmat[9 * b + i]));
        mj_jacBody(r->m, r->d, jac, jac + 3 * r->nu, b);
        for (int k = 0; k < r->nu; k++) {
            memset(v, 0, sizeof v);
            v[k] = 1;
            transform(r, v, u);
            for (int i = 0; i < 6; i++) {
                double sum = 0;
                for (int j = 0; j < r->nu; j++)
                    sum += V[i * r->nu + j] * u[j];
                w->jacobian = fmax(w->jacobian, fabs(sum - jac[i * r->nu + k]));
            }
        }
    }
}

static void compare_state(robot *r, worst *w)
{
    static double q[MOST], u[MOST], a[MOST], tau[MOST], wanted[MOST], acceleration[MOST];
    draw(r, q);
    memcpy(acceleration, r->d->qacc, (size_t)r->nu * sizeof *acceleration);
    transform(r, r->d->qvel, u);
    transform(r, r->d->qacc, a);
    ss_work_evaluate(r->work, 0, q);
    mj_forward(r->m, r->d); /* drives */
    compare_mass(r, w);
    compare_frames(r, w);
    for (int k = 0; k < 2; k++) { /* bias, then inverse dynamics */
        memset(r->d->qacc, 0, (size_t)r->nu * sizeof *acceleration);
        if (k)
            memcpy(r->d->qacc, acceleration, (size_t)r->nu * sizeof *acceleration);
        else
            memset(wanted, 0, sizeof wanted);
        mj_inverse(r->m, r->d);
        for (int i = 0; i < r->nu; i++)
            wanted[i] = r->d->qfrc_inverse[i] - r->d->qfrc_actuator[i];
        static const double zero[MOST];
        ss_work_inverse_dynamics(r->work, u, k ? a : zero, tau);
        compare(r, tau, wanted, k ? &w->inverse : &w->bias);
    }
}

static bool compare_file(ss_context *context, const char *argument)
{
    static robot r;
    char file[1024], other[1024], error[1000] = "";
    const char *split = strchr(argument, '=');
    snprintf(file, sizeof file, "%.*s", split ? (int)(split - argument) : 1000, argument);
    snprintf(other, sizeof other, "%s", split ? split + 1 : file);
    ss_scene_options options = {.allow_outside = true};
    ss_scene *scene;
    worst w = {0};
    if (ss_scene_load(context, file, &options, &scene) != SS_OK) {
        printf("%s: %s\n", file, ss_context_message(context));
        return false;
    }
    r.m = mj_loadXML(other, NULL, error, sizeof error);
    if (!r.m) {
        printf("%s: MuJoCo says: %s\n", other, error);
        return false;
    }
    r.m->opt.disableflags |= mjDSBL_CONSTRAINT;
    r.d = mj_makeData(r.m);
    if (r.m->nkey > 0)
        mj_resetDataKeyframe(r.m, r.d, 0); /* controls */
    r.model = ss_scene_model(scene);
    r.work = ss_simulation_work(ss_scene_simulation(scene));
    r.nq = ss_model_sizes(r.model).n_q;
    r.nu = ss_model_sizes(r.model).n_u;
    bool same = map_joints(&r);
    srand(1);
    for (int k = 0; same && k < STATES; k++)
        compare_state(&r, &w);
    const char *slash = strrchr(file, '/');
    printf("%-28s %3d %9.1e %9.1e %9.1e %9.1e %9.1e%s\n", slash ? slash + 1 : file, r.nu, w.pose,
           w.jacobian, w.mass, w.bias, w.inverse, same ? "" : "  not the same joints");
    mj_deleteData(r.d);
    mj_deleteModel(r.m);
    ss_scene_destroy(scene);
    return same;
}

int main(int argc, char **argv)
{
    ss_context *context;
    bool fine = true;
    if (ss_context_create(NULL, &context) != SS_OK)
        return 1;
    printf("MuJoCo %s, %d random states\n%-28s %3s %9s %9s %9s %9s %9s\n", mj_versionString(),
           STATES, "model", "nv", "pose", "Jacobian", "M", "bias", "inverse");
    for (int i = 1; i < argc; i++)
        fine = compare_file(context, argv[i]) && fine;
    ss_context_destroy(context);
    return fine ? 0 : 1;
}
#endif
