/* elementary.h: elementary functions whose values do not depend on the machine.
 *
 * The C library has several variants of each and chooses by processor and version, which differ in the last bit. These use
 * additions, products, quotients and roots alone, which IEEE 754 rounds the same way everywhere. Errors are below 1 unit in the
 * last place for sin, cos, exp, log and pow, below 3 for the others. Zeros, infinities and NaN as in C's Annex F.
 */
#ifndef SS_LA_ELEMENTARY_H
#define SS_LA_ELEMENTARY_H

#define SS_PI     3.14159265358979323846
#define SS_LOG_10 2.302585092994045684 /* of base e */
/* The third root of DBL_EPSILON: with displacements of this part central differences have the smallest errors. */
#define SS_CENTRAL_STEP 0x1.965fea53d6e3dp-18

/* Arguments beyond 2^52 are reduced by the double nearest to 2π. */
double ss_sin(double x);
double ss_cos(double x);
void ss_sin_cos(double x, double *sine, double *cosine); /* the same values */
double ss_tan(double x);
double ss_asin(double x);
double ss_acos(double x);
double ss_atan(double x);
double ss_atan2(double y, double x);
double ss_sinh(double x);
double ss_cosh(double x);
double ss_tanh(double x);
double ss_exp(double x);
double ss_logarithm(double x);
double ss_pow(double x, double y);
double ss_hypot(double x, double y);

#endif
