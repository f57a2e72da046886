/* contact.c: the time that the contacts of a pair of shapes take, in positions at random that overlap a little or are a
 * little apart. */
#include <stickslip/shape.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POSES = 1000, KINDS = 7 };

typedef struct spot {
    ss_pose a, b;
} spot;

static void must(ss_context *context, ss_status status)
{
    if (status == SS_OK)
        return;
    fprintf(stderr, "contact: %s\n", context ? ss_context_message(context) : "no context");
    exit(1);
}

static double random_unit(void)
{
    static unsigned long state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

/* A rotation by a unit quaternion. */
static ss_pose random_pose(void)
{
    double q[4], length = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = random_unit() + random_unit() + random_unit() + random_unit() - 2;
        length += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(length);
    double w = q[0], x = q[1], y = q[2], z = q[3];
    return (ss_pose){{0, 0, 0},
                     {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                      2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                      2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
}

static ss_shape *make(ss_context *context, const char *type, const char *key, int rows, int columns,
                      const double *values, double length)
{
    ss_args *args;
    ss_shape *shape;
    must(context, ss_args_create(context, &args));
    if (rows == 0 && key)
        must(context, ss_args_set_real(args, key, values[0]));
    else if (key)
        must(context, ss_args_set_matrix(args, key, rows, columns, values));
    if (length > 0)
        must(context, ss_args_set_real(args, "length", length));
    must(context, ss_shape_create(context, type, args, NULL, NULL, &shape));
    ss_args_destroy(args);
    return shape;
}

static void keep_deepest(void *user, const ss_contact_point *contact)
{
    ss_contact_point *best = user;
    if (contact->gap < best->gap)
        *best = *contact;
}

static void count(void *user, const ss_contact_point *contact)
{
    (void)contact;
    (*(long *)user)++;
}

/* Moves the second along the normal until the gap is as wanted. */
static void place(const ss_shape *a, const ss_shape *b, double gap, spot *at)
{
    at->a = random_pose();
    at->b = random_pose();
    ss_pose direction = random_pose();
    for (int i = 0; i < 3; i++)
        at->b.x[i] = 1.5 * direction.A[i];
    ss_contact_point best = {.gap = INFINITY};
    ss_shapes_collide(a, &at->a, b, &at->b, 10, keep_deepest, &best);
    for (int i = 0; i < 3; i++)
        at->b.x[i] += (gap - best.gap) * best.n[i];
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double measure(const ss_shape *a, const ss_shape *b, const spot *spots, long *contacts)
{
    double least = INFINITY;
    for (int round = 0; round < 5; round++) {
        *contacts = 0;
        double start = seconds();
        for (int i = 0; i < POSES; i++)
            ss_shapes_collide(a, &spots[i].a, b, &spots[i].b, 0.03, count, contacts);
        least = fmin(least, seconds() - start);
    }
    return least / POSES;
}

int main(void)
{
    ss_context_options options = ss_default_context();
    ss_context *context = NULL;
    static spot spots[POSES];
    double points[60];
    must(context, ss_context_create(&options, &context));
    for (int i = 0; i < 20; i++) {
        ss_pose turned = random_pose();
        memcpy(points + 3 * i, turned.A, 3 * sizeof *points);
    }
    ss_shape *shapes[KINDS] = {
        make(context, "plane", NULL, 0, 0, NULL, 0),
        make(context, "sphere", "radius", 0, 0, (double[]){0.5}, 0),
        make(context, "box", "size", 3, 1, (double[]){1, 1.2, 0.8}, 0),
        make(context, "capsule", "radius", 0, 0, (double[]){0.4}, 0.8),
        make(context, "cylinder", "radius", 0, 0, (double[]){0.5}, 0.9),
        make(context, "ellipsoid", "axes", 3, 1, (double[]){0.5, 0.7, 0.4}, 0),
        make(context, "hull", "points", 20, 3, points, 0),
    };
    printf("time of the contacts of a pair, and how many there are\n");
    printf("%-9s %-9s %12s %12s %10s\n", "first", "second", "overlap (ns)", "apart (ns)", "points");
    for (int i = 0; i < KINDS; i++)
        for (int k = i > 1 ? i : 1; k < KINDS; k++) {
            double time[2];
            long contacts = 0;
            for (int apart = 0; apart < 2; apart++) {
                for (int m = 0; m < POSES; m++)
                    place(shapes[i], shapes[k], (apart ? 0.025 : -0.025) * random_unit(),
                          &spots[m]);
                time[apart] = measure(shapes[i], shapes[k], spots, &contacts);
            }
            printf("%-9s %-9s %12.0f %12.0f %10.2f\n", shapes[i]->ops->type.name,
                   shapes[k]->ops->type.name, 1e9 * time[0], 1e9 * time[1],
                   (double)contacts / POSES);
        }
    for (int i = 0; i < KINDS; i++)
        ss_shape_destroy(shapes[i]);
    ss_context_destroy(context);
    return 0;
}
