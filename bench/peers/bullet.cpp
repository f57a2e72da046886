// bullet.cpp: Bullet's sequential impulses.
#include "peers/grains.h"

#include <btBulletDynamicsCommon.h>

#include <memory>
#include <vector>

namespace {

struct World {
    pouring p;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btDefaultMotionState>> places;
    std::vector<std::unique_ptr<btRigidBody>> bodies;

    ~World()
    {
        for (auto &body : bodies)
            world.removeRigidBody(body.get());
    }

    btRigidBody *add(btCollisionShape *shape, double mass, const btVector3 &x)
    {
        btVector3 inertia(0, 0, 0);
        if (mass > 0)
            shape->calculateLocalInertia(btScalar(mass), inertia);
        places.emplace_back(new btDefaultMotionState(btTransform(btQuaternion::getIdentity(), x)));
        btRigidBody::btRigidBodyConstructionInfo info(btScalar(mass), places.back().get(), shape,
                                                      inertia);
        info.m_friction = btScalar(std::sqrt(p.mu)); // Bullet multiplies the two
        info.m_restitution = 0;
        bodies.emplace_back(new btRigidBody(info));
        bodies.back()->setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(bodies.back().get());
        return bodies.back().get();
    }
};

btVector3 vector(const double *x)
{
    return btVector3(btScalar(x[0]), btScalar(x[1]), btScalar(x[2]));
}

void *create(const pouring *p, int iterations)
{
    World *w = new World{*p};
    w->world.setGravity(btVector3(0, 0, btScalar(-p->gravity)));
    w->world.getSolverInfo().m_numIterations = iterations;
    w->shapes.emplace_back(new btSphereShape(btScalar(p->radius)));
    for (int i = 0; i < p->n; i++) {
        btRigidBody *body = w->add(w->shapes[0].get(), p->mass, vector(p->grains[i].x));
        body->setUserIndex(i);
        body->setLinearVelocity(vector(p->grains[i].v));
        body->setAngularVelocity(vector(p->grains[i].w));
    }
    const double side = p->side, planes[5][4] = {
        {0, 0, 1, 0}, {1, 0, 0, 0}, {-1, 0, 0, -side}, {0, 1, 0, 0}, {0, -1, 0, -side}};
    for (const auto &plane : planes) {
        w->shapes.emplace_back(new btStaticPlaneShape(vector(plane), btScalar(plane[3])));
        w->add(w->shapes.back().get(), 0, btVector3(0, 0, 0))->setUserIndex(-1);
    }
    return w;
}

void step(void *self)
{
    World *w = static_cast<World *>(self);
    w->world.stepSimulation(btScalar(w->p.dt), 0);
}

void read(void *self, grain *grains)
{
    World *w = static_cast<World *>(self);
    for (int i = 0; i < w->p.n; i++) {
        const btRigidBody &body = *w->bodies[size_t(i)];
        btVector3 x = body.getCenterOfMassPosition(), v = body.getLinearVelocity(),
                  o = body.getAngularVelocity();
        for (int k = 0; k < 3; k++) {
            grains[i].x[k] = x[k];
            grains[i].v[k] = v[k];
            grains[i].w[k] = o[k];
        }
    }
}

// n of Bullet points from its second body to its first.
void copy(const World *w, const btManifoldPoint &point, int first, int second, grain_contact *contact)
{
    btVector3 P = point.m_appliedImpulse * point.m_normalWorldOnB +
                  point.m_appliedImpulseLateral1 * point.m_lateralFrictionDir1 +
                  point.m_appliedImpulseLateral2 * point.m_lateralFrictionDir2;
    double sign = first < 0 ? -1 : 1;
    contact->a = first < 0 ? first : second;
    contact->b = first < 0 ? second : first;
    contact->gap = point.getDistance();
    contact->arm = w->p.radius; // each body has a point of its own
    contact->rate = (contact->gap > 0 ? 1.0 : 0.2) * contact->gap / w->p.dt; // erp2
    for (int k = 0; k < 3; k++) {
        contact->n[k] = sign * point.m_normalWorldOnB[k];
        contact->P[k] = sign * P[k];
    }
}

int contacts(void *self, int room, grain_contact *out)
{
    World *w = static_cast<World *>(self);
    int n = 0;
    for (int i = 0; i < w->dispatcher.getNumManifolds(); i++) {
        const btPersistentManifold *m = w->dispatcher.getManifoldByIndexInternal(i);
        for (int k = 0; k < m->getNumContacts(); k++, n++)
            if (n < room)
                copy(w, m->getContactPoint(k), m->getBody0()->getUserIndex(),
                     m->getBody1()->getUserIndex(), &out[n]);
    }
    return n;
}

void destroy(void *self)
{
    delete static_cast<World *>(self);
}

} // namespace

const grain_peer bullet_peer = {create, step, read, contacts, destroy};
