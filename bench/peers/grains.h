/* grains.h: other programs that pour grains, behind one face. */
#ifndef BENCH_PEERS_GRAINS_H
#define BENCH_PEERS_GRAINS_H

#ifdef __cplusplus
extern "C" {
#endif

/* A sphere; all have the same radius and mass. */
typedef struct grain {
    double x[3], v[3], w[3]; /* m, m/s, rad/s in space */
} grain;

/* A contact of two grains, or of grain a = -1, a wall, and b. */
typedef struct grain_contact {
    int a, b;
    double n[3]; /* from a to b */
    double gap;  /* m */
    double arm;  /* of P about the centres, m */
    double rate; /* what the program adds to the normal velocity: γ_N + rate >= 0, m/s */
    double P[3]; /* impulse on b, N s */
} grain_contact;

/* An open box of five planes, with grains at given places. */
typedef struct pouring {
    int n;
    grain *grains;
    double radius, mass, mu, gravity, dt;
    double side; /* the box is 0 … side in x and y, and above z = 0 */
} pouring;

typedef struct grain_peer {
    void *(*create)(const pouring *p, int iterations);
    void (*step)(void *self);
    void (*read)(void *self, grain *grains);
    /* Contacts of the last step; at most `capacity`; returns how many there were. */
    int (*contacts)(void *self, int capacity, grain_contact *contacts);
    void (*destroy)(void *self);
} grain_peer;

extern const grain_peer bullet_peer, ode_peer, siconos_peer;

#ifdef __cplusplus
}
#endif
#endif
