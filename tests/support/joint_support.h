/* What the tests of joints share: stiff bodies of one tet, joints between them. */
#ifndef VV_TESTS_JOINT_SUPPORT_H
#define VV_TESTS_JOINT_SUPPORT_H

#include "world_support.h"

#include "visviva/joint.h"

static const double TET_SIZE = 0.1;

/* A regular tet with edges of 2 sqrt(2) TET_SIZE about (x, y, z), 1 kg, hardly deformable. */
static inline vvBodyId add_tet(vvWorld *w, const char *name, double x, double y, double z)
{
    vvError error = { 0 };
    const double e = TET_SIZE;
    double at[12] = { e, e, e, -e, e, -e, e, -e, -e, -e, -e, e };
    int tet[4] = { 0, 1, 2, 3 }, faces[12] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
    vvMesh mesh = {
        .vertexCount = 4, .tetCount = 1, .triangleCount = 4, .positions = at, .tets = tet, .triangles = faces
    };
    vvBodyDef def = vvDefaultBodyDef();
    def.name = name;
    def.translate[0] = x, def.translate[1] = y, def.translate[2] = z;
    def.material.model = "arap";
    def.material.young = 1e7;
    def.material.totalMass = 1;
    def.mesh = &mesh;
    vvBodyId id;
    assert_ok(vvWorldAddBody(w, &def, &id, &error));
    return id;
}

static const vvBodyId NOBODY = { 0, 0 };

static inline vvJointDef joint_def(const char *kind, vvBodyId a, vvBodyId b, double x, double y, double z)
{
    vvJointDef def = vvDefaultJointDef();
    def.kind = kind;
    def.bodies[0] = a, def.bodies[1] = b;
    def.at[0] = x, def.at[1] = y, def.at[2] = z;
    memcpy(def.to, def.at, sizeof def.to);
    return def;
}

static inline vvJointId add_joint(vvWorld *w, const vvJointDef *def)
{
    vvError error = { 0 };
    vvJointId id;
    assert_ok(vvWorldAddJoint(w, def, &id, &error));
    return id;
}

static inline vvJointState joint_state(vvWorld *w, vvJointId id)
{
    vvError error = { 0 };
    vvJointState state;
    assert_ok(vvJointGetState(w, id, &state, &error));
    return state;
}

/* H(n+1) - H(n) = work - friction - damping - decay + springs + error, to rounding; returns |error|. */
static inline double check_balance(const vvLedgerRow *before, const vvLedgerRow *row)
{
    const double parts = row->kinetic + row->elastic + row->gravity + row->contact + row->attachment + row->joint;
    const double size = fabs(row->kinetic) + fabs(row->elastic) + fabs(row->gravity) + fabs(row->joint) + 1e-3;
    assert_near(row->total, parts, 1e-12 * size);
    assert_near(row->total - before->total,
                row->work - row->friction - row->damping - row->decay + row->springs + row->error, 1e-12 * size);
    return fabs(row->error);
}

#endif
