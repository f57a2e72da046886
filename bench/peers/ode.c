/* ode.c: the Open Dynamics Engine's quick step. */
#include "peers/grains.h"

#include <ode/ode.h>
#include <stdlib.h>
#include <string.h>

static const double erp = 0.2; /* its default */

typedef struct world {
    pouring p;
    dWorldID world;
    dSpaceID space;
    dJointGroupID joints;
    dBodyID *bodies;
    int n, capacity;
    grain_contact *contacts;
    dJointFeedback *feedback;
} world;

static int number_of(dGeomID geom)
{
    return dGeomGetBody(geom) ? (int)(size_t)dGeomGetData(geom) : -1;
}

static void note(world *w, const dContact *contact, dJointID joint)
{
    int first = number_of(contact->geom.g1), second = number_of(contact->geom.g2);
    grain_contact *contact = &w->contacts[w->n];
    /* ODE's normal points from the second to the first. */
    double sign = first < 0 ? -1 : 1;
    contact->a = first < 0 ? first : second;
    contact->b = first < 0 ? second : first;
    contact->gap = -contact->geom.depth;
    contact->arm =
        w->p.radius +
        (contact->a < 0 ? 0 : contact->gap / 2); /* planes: on the sphere; else in the middle */
    contact->rate = erp * contact->gap / w->p.dt;
    for (int k = 0; k < 3; k++)
        contact->n[k] = sign * contact->geom.normal[k];
    dJointSetFeedback(joint, &w->feedback[w->n]);
    w->n++;
}

static void meet(void *self, dGeomID a, dGeomID b)
{
    world *w = self;
    dContact contact = {0};
    if (dGeomIsSpace(a) || dGeomIsSpace(b)) {
        dSpaceCollide2(a, b, self, meet);
        return;
    }
    if (w->n == w->capacity || !dCollide(a, b, 1, &contact.geom, sizeof contact))
        return;
    contact.surface.mode = dContactApprox1;
    contact.surface.mu = w->p.mu;
    dJointID joint = dJointCreateContact(w->world, w->joints, &contact);
    dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
    note(w, &contact, joint);
}

static void add_grain(world *w, int i)
{
    const grain *g = &w->p.grains[i];
    dBodyID body = w->bodies[i] = dBodyCreate(w->world);
    dGeomID geom = dCreateSphere(w->space, w->p.radius);
    dMass mass;
    dMassSetSphereTotal(&mass, w->p.mass, w->p.radius);
    dBodySetMass(body, &mass);
    dGeomSetBody(geom, body);
    dGeomSetData(geom, (void *)(size_t)i);
    dBodySetPosition(body, g->x[0], g->x[1], g->x[2]);
    dBodySetLinearVel(body, g->v[0], g->v[1], g->v[2]);
    dBodySetAngularVel(body, g->w[0], g->w[1], g->w[2]);
}

static void *create(const pouring *p, int iterations)
{
    world *w = calloc(1, sizeof *w);
    dInitODE2(0);
    w->p = *p;
    w->capacity = 16 * p->n;
    w->bodies = calloc((size_t)p->n, sizeof *w->bodies);
    w->contacts = calloc((size_t)w->capacity, sizeof *w->contacts);
    w->feedback = calloc((size_t)w->capacity, sizeof *w->feedback);
    w->world = dWorldCreate();
    w->space = dHashSpaceCreate(NULL);
    dHashSpaceSetLevels(w->space, -3, -2);
    w->joints = dJointGroupCreate(0);
    dWorldSetGravity(w->world, 0, 0, -p->gravity);
    dWorldSetERP(w->world, erp);
    dWorldSetQuickStepNumIterations(w->world, iterations);
    for (int i = 0; i < p->n; i++)
        add_grain(w, i);
    dCreatePlane(w->space, 0, 0, 1, 0);
    dCreatePlane(w->space, 1, 0, 0, 0);
    dCreatePlane(w->space, -1, 0, 0, -p->side);
    dCreatePlane(w->space, 0, 1, 0, 0);
    dCreatePlane(w->space, 0, -1, 0, -p->side);
    return w;
}

static void step(void *self)
{
    world *w = self;
    w->n = 0;
    dJointGroupEmpty(w->joints);
    dSpaceCollide(w->space, w, meet);
    dWorldQuickStep(w->world, w->p.dt);
}

static void read_grains(void *self, grain *grains)
{
    world *w = self;
    for (int i = 0; i < w->p.n; i++)
        for (int k = 0; k < 3; k++) {
            grains[i].x[k] = dBodyGetPosition(w->bodies[i])[k];
            grains[i].v[k] = dBodyGetLinearVel(w->bodies[i])[k];
            grains[i].w[k] = dBodyGetAngularVel(w->bodies[i])[k];
        }
}

/* f1 acts on the first body, f2 on the second; the one of `b` is wanted. */
static int contacts(void *self, int capacity, grain_contact *out)
{
    world *w = self;
    for (int i = 0; i < w->n && i < capacity; i++) {
        const dJointFeedback *f = &w->feedback[i];
        out[i] = w->contacts[i];
        double along1 = 0;
        for (int k = 0; k < 3; k++)
            along1 += f->f1[k] * out[i].n[k];
        const dReal *force = along1 > 0 ? f->f1 : f->f2;
        for (int k = 0; k < 3; k++)
            out[i].P[k] = w->p.dt * force[k];
    }
    return w->n;
}

static void destroy(void *self)
{
    world *w = self;
    dJointGroupDestroy(w->joints);
    dSpaceDestroy(w->space);
    dWorldDestroy(w->world);
    dCloseODE();
    free(w->bodies);
    free(w->contacts);
    free(w->feedback);
    free(w);
}

const grain_peer ode_peer = {create, step, read_grains, contacts, destroy};
