// siconos_grains.cpp: Siconos' Moreau–Jean time-stepping with Gauss-Seidel on contacts that Bullet
// finds.
//
// Version 4.4 (op3x3.h, orthoBaseFromVector) gives a contact whose normal n is longest along z the
// tangent (0, -n_z, n_x), which is perpendicular to n only where n_x = n_y: friction acts in a skewed
// frame. The residual of its solutions therefore stays near 0.1, whatever its tolerance.
#undef NDEBUG // Siconos' graphs show their checks, which are replaced below

#include "peers/grains.h"

#include <MechanicsFwd.hpp> // first: it tells the visitors of the others which classes there are

#include <FrictionContact.hpp>
#include <Interaction.hpp>
#include <MoreauJeanOSI.hpp>
#include <NewtonEuler3DR.hpp>
#include <NewtonImpactFrictionNSL.hpp>
#include <NonSmoothDynamicalSystem.hpp>
#include <RigidBodyDS.hpp>
#include <SiconosBulletCollisionManager.hpp>
#include <SimpleMatrix.hpp>
#include <SolverOptions.h>
#include <TimeDiscretisation.hpp>
#include <TimeStepping.hpp>
#include <Topology.hpp>

#include <memory>
#include <tuple>
#include <vector>

// Debian builds Siconos with its assertions: three of them walk through the whole graph of contacts
// whenever one comes or goes, so that 1000 spheres had not made their first step after a
// minute and a half. Those here take their place when the program is linked.
using BodyGraph = SiconosGraph<SP::DynamicalSystem, SP::Interaction, DynamicalSystemProperties,
                               InteractionProperties, GraphProperties>;
using ContactGraph = SiconosGraph<SP::Interaction, SP::DynamicalSystem, InteractionProperties,
                                  DynamicalSystemProperties, GraphProperties>;

template <> bool BodyGraph::state_assert() const
{
    return true;
}

template <> bool ContactGraph::state_assert() const
{
    return true;
}

template <> bool BodyGraph::adjacent_vertices_ok() const
{
    return true;
}

template <> bool ContactGraph::adjacent_vertices_ok() const
{
    return true;
}

template <> bool BodyGraph::adjacent_vertex_exists(const VDescriptor &vertex) const
{
    return boost::out_degree(vertex, g) > 0;
}

template <> bool ContactGraph::adjacent_vertex_exists(const VDescriptor &vertex) const
{
    return boost::out_degree(vertex, g) > 0;
}

namespace
{

using std::make_shared;
using vector = SP::SiconosVector;

struct World {
    pouring p;
    SP::NonSmoothDynamicalSystem system;
    SP::SiconosBulletCollisionManager collisions;
    SP::FrictionContact problem;
    SP::TimeStepping simulation;
    std::vector<SP::RigidBodyDS> bodies;
    bool begun;
};

vector place(double x, double y, double z)
{
    vector q = make_shared<SiconosVector>(7);
    q->zero();
    (*q)(0) = x;
    (*q)(1) = y;
    (*q)(2) = z;
    (*q)(3) = 1;
    return q;
}

void add_grain(World *w, const grain &g, const SP::SiconosContactorSet &sphere)
{
    const double m = w->p.mass, J = 0.4 * m * w->p.radius * w->p.radius;
    vector velocity = make_shared<SiconosVector>(6), weight = make_shared<SiconosVector>(3);
    SP::SimpleMatrix inertia = make_shared<SimpleMatrix>(3, 3);
    inertia->eye();
    *inertia *= J;
    // Unrotated at first: the axes of space are the body's.
    for (unsigned k = 0; k < 3; k++) {
        (*velocity)(k) = g.v[k];
        (*velocity)(k + 3) = g.w[k];
    }
    weight->zero();
    (*weight)(2) = -m * w->p.gravity;
    auto body = make_shared<RigidBodyDS>(place(g.x[0], g.x[1], g.x[2]), velocity, m, inertia);
    body->setUseContactorInertia(false);
    body->setNullifyMGyr(true); // of a sphere it is zero
    body->setContactors(sphere);
    body->setFExtPtr(weight);
    w->system->insertDynamicalSystem(body);
    w->bodies.push_back(body);
}

void add_box(World *w, const double size[3], const double at[3])
{
    auto box = make_shared<SiconosBox>(size[0], size[1], size[2]);
    auto set = make_shared<SiconosContactorSet>();
    box->setInsideMargin(0.01);
    box->setOutsideMargin(0);
    set->push_back(make_shared<SiconosContactor>(box, place(at[0], at[1], at[2])));
    w->collisions->insertStaticContactorSet(set);
}

// Boxes no wider than needed: Siconos' collisions are Bullet's, in single precision.
void add_walls(World *w)
{
    const double side = w->p.side, thick = 1, high = 2 * side;
    const double wide = side + 2 * thick, middle = side / 2;
    const double sizes[5][3] = {{wide, wide, thick},
                                {thick, wide, high},
                                {thick, wide, high},
                                {wide, thick, high},
                                {wide, thick, high}};
    const double places[5][3] = {{middle, middle, -thick / 2},
                                 {-thick / 2, middle, middle},
                                 {side + thick / 2, middle, middle},
                                 {middle, -thick / 2, middle},
                                 {middle, side + thick / 2, middle}};
    for (int i = 0; i < 5; i++)
        add_box(w, sizes[i], places[i]);
}

void *create(const pouring *p, int iterations)
{
    World *w = new World{*p, {}, {}, {}, {}, {}, false};
    auto sphere = make_shared<SiconosSphere>(float(p->radius));
    auto set = make_shared<SiconosContactorSet>();
    set->push_back(make_shared<SiconosContactor>(sphere));
    w->system = make_shared<NonSmoothDynamicalSystem>(0, 1e6);
    for (int i = 0; i < p->n; i++)
        add_grain(w, p->grains[i], set);
    SiconosBulletOptions options;
    options.perturbationIterations = 0; // a sphere contacts a wall at one point
    options.minimumPointsPerturbationThreshold = 0;
    w->collisions = make_shared<SiconosBulletCollisionManager>(options);
    w->collisions->useEqualityConstraints(false);
    w->collisions->insertNonSmoothLaw(make_shared<NewtonImpactFrictionNSL>(0, 0, p->mu, 3), 0, 0);
    add_walls(w);
    w->problem = make_shared<FrictionContact>(3, SICONOS_FRICTION_3D_NSGS);
    w->problem->setMStorageType(NM_SPARSE_BLOCK);
    w->problem->setMaxSize(0);
    w->problem->setKeepLambdaAndYState(true);
    w->problem->numericsSolverOptions()->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
    w->problem->numericsSolverOptions()->dparam[SICONOS_DPARAM_TOL] = 1e-3;
    w->simulation = make_shared<TimeStepping>(w->system, make_shared<TimeDiscretisation>(0, p->dt));
    w->simulation->insertIntegrator(make_shared<MoreauJeanOSI>(0.50001));
    w->simulation->insertNonSmoothProblem(w->problem);
    w->simulation->insertInteractionManager(w->collisions);
    w->simulation->setNewtonOptions(SICONOS_TS_LINEAR);
    w->simulation->setResetAllLambda(false);
    return w;
}

// The contacts of a step live until the next one begins.
void step(void *self)
{
    World *w = static_cast<World *>(self);
    if (w->begun) {
        w->simulation->nextStep();
        w->simulation->clearNSDSChangeLog();
    }
    w->simulation->computeOneStep();
    w->begun = true;
}

void read(void *self, grain *grains)
{
    World *w = static_cast<World *>(self);
    for (int i = 0; i < w->p.n; i++) {
        const RigidBodyDS &body = *w->bodies[size_t(i)];
        vector turn = body.angularVelocity(true);
        for (unsigned k = 0; k < 3; k++) {
            grains[i].x[k] = (*body.q())(k);
            grains[i].v[k] = (*body.twist())(k);
            grains[i].w[k] = (*turn)(k);
        }
    }
}

// The impulse λ in the frame of the relation, which pushes its first body, is turned into space by
// the Jacobian of the step.
grain_contact contact_of(const World *w, const Interaction &contact, const InteractionProperties &pair)
{
    const SimpleMatrix &H = *std::static_pointer_cast<NewtonEuler3DR>(contact.relation())->jachqT();
    const SiconosVector &lambda = *contact.lambda(1);
    const size_t first = w->bodies[0]->number();
    grain_contact contact = {};
    contact.a = pair.source == pair.target ? -1 : int(pair.target->number() - first);
    contact.b = int(pair.source->number() - first);
    contact.gap = (*contact.y(0))(0);
    contact.arm = w->p.radius;
    contact.rate = 0; // γ_N >= 0 without regard to the gap
    for (unsigned k = 0; k < 3; k++) {
        contact.n[k] = H(0, k);
        contact.P[k] = H(0, k) * lambda(0) + H(1, k) * lambda(1) + H(2, k) * lambda(2);
    }
    return contact;
}

int contacts(void *self, int room, grain_contact *out)
{
    World *w = static_cast<World *>(self);
    InteractionsGraph &active = *w->system->topology()->indexSet(1);
    InteractionsGraph::VIterator at, end;
    int n = 0;
    for (std::tie(at, end) = active.vertices(); at != end; ++at, n++)
        if (n < room)
            out[n] = contact_of(w, *active.bundle(*at), active.properties(*at));
    return n;
}

void destroy(void *self)
{
    delete static_cast<World *>(self);
}

} // namespace

const grain_peer siconos_peer = {create, step, read, contacts, destroy};
