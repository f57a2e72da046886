/* impact_region.c: for which restitution coefficients of two coupled contacts Newton's impact law is
 * monotone (Leine & Baumann 2014, Fig. 2). Prints ε1, ε2, the least eigenvalue of sym(ΔG), and how
 * much farther apart an impact can bring two motions; a pair of states that does so for the worst
 * coefficients follows as a comment. */
#include <stickslip/stickslip.h>

#include <stdio.h>

static const double G[4] = {1, 0.9, 0.9, 1};

static ss_status print_region(ss_context *context, int parts, double *worst)
{
    double largest = 0;
    for (int i = 0; i <= parts; i++) {
        for (int j = 0; j <= parts; j++) {
            double epsilon[2] = {(double)i / parts, (double)j / parts}, least;
            ss_expansion expansion;
            SS_TRY(ss_impact_monotonicity(context, 2, G, epsilon, &least));
            SS_TRY(ss_impact_expansion(context, 2, G, epsilon, &expansion));
            printf("%g %g %.6g %.6g\n", epsilon[0], epsilon[1], least, expansion.ratio);
            if (expansion.ratio > largest) {
                largest = expansion.ratio;
                worst[0] = epsilon[0];
                worst[1] = epsilon[1];
            }
        }
        putchar('\n');
    }
    return SS_OK;
}

static ss_status print_pair(ss_context *context, const double *epsilon)
{
    ss_expansion e;
    double after[2];
    SS_TRY(ss_impact_expansion(context, 2, G, epsilon, &e));
    printf("# epsilon = (%g, %g): apart by %g after the impact for every 1 before\n", epsilon[0],
           epsilon[1], e.ratio);
    const double *states[] = {e.gamma_1, e.gamma_2};
    for (int k = 0; k < 2; k++) {
        SS_TRY(ss_impact_S(context, 2, G, epsilon, states[k], after, NULL));
        printf("# (%g, %g) -> (%g, %g)\n", states[k][0], states[k][1], after[0], after[1]);
    }
    return SS_OK;
}

int main(void)
{
    ss_context *context;
    double worst[2] = {0};
    if (ss_context_create(NULL, &context) != SS_OK)
        return 1;
    ss_status status = print_region(context, 40, worst);
    if (status == SS_OK)
        status = print_pair(context, worst);
    if (status != SS_OK)
        fprintf(stderr, "%s\n", ss_context_message(context));
    ss_context_destroy(context);
    return status == SS_OK ? 0 : 1;
}
