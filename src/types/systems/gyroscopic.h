/* gyroscopic.h: the torque -ω × K ω of a body with the inertia K. */
#ifndef SS_TYPES_SYSTEMS_GYROSCOPIC_H
#define SS_TYPES_SYSTEMS_GYROSCOPIC_H

/* The mean ω of a step of size dt without other torques, by the implicit midpoint rule with K constant, which
 * keeps ωᵀKω and, in the body's axes, |Kω|: K (ω̄ - ω) = dt/2 (K ω̄) × ω̄. dt = 0: ω itself. */
void ss_gyroscopic_mean(const double K[9], const double omega[3], double dt, double mean[3]);

/* ∂((K ω) × ω)/∂ω, 3 × 3 by rows. */
void ss_gyroscopic_derivative(const double K[9], const double omega[3], double D[9]);
/* The same with respect to a small turn of the body in space, by which δ(K ω) = θ × K ω - K (θ × ω). */
void ss_gyroscopic_turned(const double K[9], const double omega[3], double D[9]);

#endif
