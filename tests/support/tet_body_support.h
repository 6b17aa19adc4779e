/* What bodies of any kind of tets are put to: a cantilever, a bar on rollers, free motion under a scheme, falls,
 * threads and solvers. */
#ifndef VV_TESTS_TET_BODY_SUPPORT_H
#define VV_TESTS_TET_BODY_SUPPORT_H

#include "policy_support.h"

/* A block of 0.1 m, of that material model, at (x, y, 0). */
typedef vvBodyId (*add_solid)(vvWorld *w, const char *model, double x, double y);

/* How far the end of a cantilever of 1 x 0.1 x 0.1 m goes down under 1 N at it, in small strains; of Young's modulus
 * 1e6 Pa 4.03e-2 m by beam theory with shear. */
static inline double end_of_cantilever(vvWorld *w, vvBodyId id)
{
    vvError error = { 0 };
    vvAttachDef hold = vvDefaultAttachDef(), load = vvDefaultAttachDef();
    hold.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 0, 0 }, .b = { 0, 100, 100 } };
    load.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 100, 0, 0 }, .b = { 100, 100, 100 } };
    load.kind = VV_ATTACH_TRACTION;
    load.load[1] = -1e-3 / 0.01; /* so small that strains are */
    attach(w, id, &hold);
    attach(w, id, &load);
    double energy, down = 0;
    int count = 0;
    assert_ok(vvWorldSettle(w, true, &energy, &error));
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        if (vvWorldRestPositions(w)[3 * i] > 0.5 - 1e-9) {
            down -= vvWorldPositions(w)[3 * i + 1] - vvWorldRestPositions(w)[3 * i + 1];
            count++;
        }
    return 1e3 * down / count;
}

/* A bar of 0.3 x 0.1 x 0.2 m rests on rollers, and 1e5 Pa draw at one end of it: it is strained alike everywhere. */
static inline void draw_on_rollers(vvWorld *w, vvBodyId id, double stretch[3])
{
    static const double low[3] = { -0.15, -0.05, -0.1 }, size[3] = { 0.3, 0.1, 0.2 };
    vvError error = { 0 };
    for (int k = 0; k < 3; k++) {
        vvAttachDef roll = vvDefaultAttachDef();
        roll.kind = VV_ATTACH_ROLLER;
        roll.where = (vvRegion){ .kind = VV_REGION_PERCENT, .b = { 100, 100, 100 } };
        roll.where.b[k] = 0;
        roll.normal[0] = k == 0, roll.normal[1] = k == 1, roll.normal[2] = k == 2;
        attach(w, id, &roll);
    }
    vvAttachDef load = vvDefaultAttachDef();
    load.kind = VV_ATTACH_TRACTION;
    load.load[0] = 1e5;
    load.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 100, 0, 0 }, .b = { 100, 100, 100 } };
    attach(w, id, &load);
    double energy;
    assert_ok(vvWorldSettle(w, true, &energy, &error));
    const double *rest = vvWorldRestPositions(w), *x = vvWorldPositions(w);
    stretch[0] = stretch[1] = stretch[2] = 0; /* the farthest corner's */
    for (int i = 0; i < 3 * vvWorldNodeCount(w); i++)
        stretch[i % 3] = fmax(stretch[i % 3], (x[i] - low[i % 3]) / size[i % 3]);
    for (int i = 0; i < 3 * vvWorldNodeCount(w); i++)
        assert_near(x[i] - low[i % 3], stretch[i % 3] * (rest[i] - low[i % 3]), 2e-7);
    assert_true(stretch[0] > 1.05 && stretch[0] < 1.2);
}

static inline void spin_twisted(vvWorld *w, vvBodyId id, double degrees)
{
    set_state(w, id, "twist", (double[]){ degrees, 1, 0, 0 });
    set_state(w, id, "angular", (double[]){ 3, 2, 10, NAN, NAN, NAN });
}

/* Steps, each booked to the last digits. */
static inline vvLedgerRow booked_steps(vvWorld *w, int count)
{
    vvLedgerRow before = ledger(w), row = before;
    for (int i = 0; i < count; i++, before = row) {
        row = step(w);
        assert_near(row.total - before.total, row.work - row.friction - row.damping - row.decay + row.error,
                    1e-12 * row.scale);
    }
    return row;
}

/* A body that spins and is twisted: the ledger is closed, and momenta stay. */
static inline void expect_free_motion(vvWorld *w, vvBodyId id, double tolerance)
{
    spin_twisted(w, id, 20);
    const vvLedgerRow start = ledger(w), row = booked_steps(w, 10);
    assert_true(row.scale > 0);
    for (int k = 0; k < 3; k++)
        assert_near(row.momentum[k], start.momentum[k], tolerance);
    assert_less(row.total, 1.05 * start.total);
}

/* And H stays. */
static inline void expect_energy_kept(vvWorld *w, vvBodyId id, double tolerance)
{
    spin_twisted(w, id, 30);
    const vvLedgerRow start = ledger(w), row = steps(w, 40);
    assert_near(row.total, start.total, tolerance * start.total);
    assert_near(angular(&row), angular(&start), 1e-2 * angular(&start));
}

/* Two blocks that fall on each other and the ground. */
static inline vvWorld *falling(const char *policy, add_solid block, const char *const models[2])
{
    vvError error = { 0 };
    vvWorldDef d = live_def(scheme_for(policy), policy);
    d.timeStep = 1.0 / 240;
    d.solver.tolerance = 1e-3;
    d.integrator.groundMode = VV_GROUND_GIVEN;
    d.integrator.groundEnergy = 0;
    d.contact.checkIntersections = true;
    const bool meets = meets_things(policy);
    if (!meets)
        d.contact.model = "none";
    vvWorld *w = new_world(&d);
    for (int k = 0; k < 2; k++) {
        vvBodyId id = block(w, models[k], 0.02 * k, 0.08 + 0.13 * k);
        set_state(w, id, "linear", (double[]){ 0, -1 - k, 0 });
        set_state(w, id, "angular", (double[]){ 1, 2, 10, NAN, NAN, NAN });
    }
    if (meets)
        obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.3);
    assert_ok(vvWorldBake(w, &error));
    return w;
}

/* Lagged damping takes energy, and no momentum; snapshots go on to the same bits. */
static inline void expect_damped(vvWorld *w, vvBodyId id, vvWorld *other)
{
    vvError error = { 0 };
    set_state(w, id, "twist", (double[]){ 40, 1, 0, 0 });
    const vvLedgerRow start = ledger(w), row = steps(w, 10);
    assert_less(row.total, 0.99 * start.total);
    assert_true(row.damping > 0);
    for (int k = 0; k < 3; k++)
        assert_near(row.momentum[k], start.momentum[k], 1e-10);
    vvSnapshot *s;
    assert_ok(vvWorldSnapshot(w, &s, &error));
    assert_ok(vvWorldRestore(other, s, &error));
    expect_same(w, other, 5, "restored elsewhere");
    vvSnapshotDestroy(s);
}

/* Any number of threads to the same bits; bar: one of 0.4 x 0.1 x 0.1 m at (x, y, 0). */
static inline void expect_same_on_threads(add_solid bar, int count)
{
    vvWorld *w[2];
    for (int k = 0; k < 2; k++) {
        vvWorldDef d = free_def("implicit-midpoint", 2e-3, 1e-8);
        d.threads = k ? 3 : 1;
        w[k] = new_world(&d);
        set_state(w[k], bar(w[k], "fixed-corotated", 0, 0), "twist", (double[]){ 60, 1, 0, 0 });
    }
    expect_same(w[0], w[1], count, "threads");
    vvWorldDestroy(w[0]);
    vvWorldDestroy(w[1]);
}

/* Solvers for all energies agree, and those of real time refuse the block, with `why` and their names. */
static inline void expect_solvers(add_solid block, int iterations, const char *refused, const char *why)
{
    static const char *const takes[] = { "newton", "optimizer", "lbfgs" };
    static const char *const refuses[] = { "local-global", "xpbd", "block-descent" };
    double end[3];
    for (int s = 0; s < 3; s++) {
        vvWorldDef d = free_def("backward-euler", 2e-3, 1e-8);
        d.solver.method = takes[s];
        d.solver.maxIterations = iterations;
        vvWorld *w = new_world(&d);
        set_state(w, block(w, "fixed-corotated", 0, 0), "twist", (double[]){ 30, 1, 0, 0 });
        end[s] = steps(w, 5).total;
        vvWorldDestroy(w);
    }
    assert_near(end[1], end[0], 1e-5 * end[0]);
    assert_near(end[2], end[0], 1e-4 * end[0]);
    for (int s = 0; s < 3; s++) {
        vvError error = { 0 };
        vvWorldDef d = free_def("backward-euler", 2e-3, 1e-8);
        d.solver.method = refuses[s];
        vvWorld *w = new_world(&d);
        block(w, refused, 0, 0);
        const vvStatus status = vvWorldBake(w, &error);
        if (status == VV_OK || !strstr(error.message, why) || !strstr(error.message, refuses[s]))
            fail_msg("%s: %s", refuses[s], error.message);
        vvWorldDestroy(w);
    }
}

#endif
