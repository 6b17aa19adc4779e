/* Loads (VV_ATTACH_FORCE, _TRACTION, _PRESSURE, and pushes with keys): closed forms, reactions, work, and what goes on
 * from a saved state. */
#include "visviva/field.h"
#include "world_support.h"

static const double ANYWHERE = 1e6;

static vvRegion slab(int axis, double from, double to)
{
    vvRegion r = { .kind = VV_REGION_BOX,
                   .a = { -ANYWHERE, -ANYWHERE, -ANYWHERE },
                   .b = { ANYWHERE, ANYWHERE, ANYWHERE } };
    r.a[axis] = from, r.b[axis] = to;
    return r;
}

static vvAttachDef load_of(vvAttachKind kind, vvRegion where, double x, double y, double z)
{
    vvAttachDef def = vvDefaultAttachDef();
    def.kind = kind;
    def.where = where;
    def.load[0] = x, def.load[1] = y, def.load[2] = z;
    return def;
}

static vvAttachDef pressure_of(vvRegion where, double pressure, bool follows)
{
    vvAttachDef def = load_of(VV_ATTACH_PRESSURE, where, 0, 0, 0);
    def.pressure = pressure, def.follows = follows;
    return def;
}

static vvAttachId loaded(vvWorld *w, vvBodyId body, const vvAttachDef *def)
{
    vvError error = { 0 };
    vvAttachId id = { 0, 0 };
    assert_ok(vvBodyAttach(w, body, def, &id, &error));
    return id;
}

static vvWorld *new_free(const char *scheme, double h)
{
    vvWorldDef d = free_def(scheme, h, 1e-11);
    return new_world(&d);
}

static vvBodyId bar(vvWorld *w, const char *model, double young)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material(model, young);
    return add_box_def(w, (double[]){ 0.4, 0.2, 0.2 }, (int[]){ 4, 2, 2 }, 6, &def);
}

/* Held by planes, so that nothing but what loads it makes stress. */
static void on_rollers(vvWorld *w, vvBodyId body)
{
    const double lowest[3] = { -0.2, -0.1, -0.1 };
    for (int k = 0; k < 3; k++) {
        vvAttachDef def = vvDefaultAttachDef();
        def.kind = VV_ATTACH_ROLLER;
        def.axes = 1u << k;
        def.where = slab(k, lowest[k] - 1e-3, lowest[k] + 1e-3);
        attach(w, body, &def);
    }
}

/* ---- closed forms ---- */

/* A bar under traction at its end, St. Venant-Kirchhoff: with stretch s, E = (s^2 - 1) / 2, the first Piola-Kirchhoff
 * stress is s Y E; settled, it is so at every node. A force of the same size at the end's nodes by mass has the same
 * sum. */
static void a_bar_drawn_by_its_end(void **state)
{
    (void)state;
    vvError error = { 0 };
    const double stretch = 1.08, strain = 0.5 * (stretch * stretch - 1), stress = 2e5 * stretch * strain,
                 across = sqrt(1 - 0.6 * strain);
    vvWorld *w = new_free("backward-euler", 0.02);
    vvBodyId body = bar(w, "stvk", 2e5);
    on_rollers(w, body);
    vvAttachDef def = load_of(VV_ATTACH_TRACTION, slab(0, 0.199, 1), stress, 0, 0);
    vvAttachId id = loaded(w, body, &def);
    double *rest = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w)), force[27], sum[3] = { 0 };
    assert_ok(vvWorldSettle(w, true, NULL, &error));
    for (int i = 0; i < vvWorldNodeCount(w); i++) {
        const double *x = vvWorldPositions(w) + 3 * i, *x0 = rest + 3 * i;
        assert_near(x[0], -0.2 + stretch * (x0[0] + 0.2), 1e-7);
        assert_near(x[1], -0.1 + across * (x0[1] + 0.1), 1e-7);
        assert_near(x[2], -0.1 + across * (x0[2] + 0.1), 1e-7);
    }
    assert_int_equal(vvAttachForces(w, id, force, 9), 9);
    for (int i = 0; i < 27; i++)
        sum[i % 3] += force[i];
    assert_near(sum[0], stress * 0.04, 1e-9 * stress);
    assert_near(sum[1], 0, 1e-12);
    free(rest);
    vvWorldDestroy(w);
}

/* Squeezed on all sides by a pressure, dead or following: with stretch s of a Neo-Hookean that is the same everywhere
 * the dead pressure p balances the first Piola-Kirchhoff stress, the following one Cauchy's. */
static double stretch_under(double pressure, bool follows)
{
    vvError error = { 0 };
    vvWorld *w = new_free("backward-euler", 0.02);
    vvBodyId body = bar(w, "stvk", 2e5);
    on_rollers(w, body);
    vvAttachDef def = pressure_of((vvRegion){ .kind = VV_REGION_ALL }, pressure, follows);
    loaded(w, body, &def);
    double *rest = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
    assert_ok(vvWorldSettle(w, true, NULL, &error));
    int far = 0;
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        far = rest[3 * i] > rest[3 * far] + 1e-9 ? i : far;
    const double s = (vvWorldPositions(w)[3 * far] + 0.2) / 0.4;
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        for (int k = 0; k < 3; k++)
            assert_near(vvWorldPositions(w)[3 * i + k] + (k ? 0.1 : 0.2), s * (rest[3 * i + k] + (k ? 0.1 : 0.2)),
                        1e-7);
    free(rest);
    vvWorldDestroy(w);
    return s;
}

static void squeezed(void **state)
{
    (void)state;
    const double bulk = 2e5 / 3 / (1 - 0.6), p = 8e3; /* poisson 0.3 */
    const double dead = stretch_under(p, false), following = stretch_under(p, true);
    /* StVK: second Piola-Kirchhoff 3 K E, E = (s^2 - 1) / 2; first s times that; Cauchy's divided by s */
    assert_near(dead * 3 * bulk * 0.5 * (dead * dead - 1), -p, 1e-3);
    assert_near(3 * bulk * 0.5 * (following * following - 1) / following, -p, 1e-3);
    assert_less(dead, following - 1e-3 * (1 - dead)); /* what follows presses on less area */
}

/* ---- reactions ---- */

/* A clamped bar under all kinds of loads, settled: what its elastic energy pulls with at the free nodes is the loads.
 */
static void in_balance(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 0.02, 1e-11);
    d.gravity[1] = -9.8;
    vvWorld *w = new_world(&d);
    vvBodyId body = bar(w, "stable-neo-hookean", 3e5);
    vvAttachDef clamp = vvDefaultAttachDef();
    clamp.where = slab(0, -1, -0.199);
    attach(w, body, &clamp);
    vvAttachDef defs[4] = { load_of(VV_ATTACH_FORCE, slab(0, 0.199, 1), 30, -40, 20),
                            load_of(VV_ATTACH_TRACTION, slab(1, 0.099, 1), 100, 0, -50),
                            pressure_of(slab(2, 0.099, 1), 300, true),
                            load_of(VV_ATTACH_TRACTION, slab(1, -1, -0.099), 0, 0, 200) };
    defs[3].follows = true;
    vvAttachId ids[4];
    for (int i = 0; i < 4; i++)
        ids[i] = loaded(w, body, defs + i);
    assert_ok(vvWorldSettle(w, true, NULL, &error));
    /* the next step, from rest, moves nothing: all forces are in balance */
    double *before = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
    step(w);
    double most = 0;
    for (int i = 0; i < 3 * vvWorldNodeCount(w); i++)
        most = fmax(most, fabs(vvWorldPositions(w)[i] - before[i]));
    assert_less(most, 2e-7);
    for (int i = 0; i < 4; i++)
        assert_near(vvAttachWork(w, ids[i]), 0, 1e-4);
    free(before);
    vvWorldDestroy(w);
}

/* Under schemes whose forces are those of the step's end a ramp is at each end what it is then, in long steps too. */
static void a_slow_ramp(void **state)
{
    (void)state;
    static const char *const schemes[] = { "backward-euler", "bdf2" };
    const vvKey keys[2] = { { 0, 0 }, { 400, 1 } };
    for (int i = 0; i < 2; i++) {
        vvError error = { 0 };
        vvWorld *w = new_free(schemes[i], 100);
        vvBodyId body = bar(w, "stvk", 1e6);
        vvAttachDef clamp = vvDefaultAttachDef(), def = load_of(VV_ATTACH_FORCE, slab(0, 0.199, 1), 0, -8, 0);
        clamp.where = slab(0, -1, -0.199);
        def.keys = keys, def.keyCount = 2;
        vvAttachId held = loaded(w, body, &clamp);
        loaded(w, body, &def);
        for (int s = 1; s <= 6; s++) {
            double force[3];
            step(w);
            assert_ok(vvAttachReaction(w, held, force, NULL, &error));
            assert_near(force[1], s < 4 ? 2 * s : 8, 1e-5);
        }
        vvWorldDestroy(w);
    }
}

/* ---- work ---- */

/* Force times way of each load, their sum in the ledger, and H - T = the scheme's own error alone: 0 for what is free.
 */
static void work_of_dead_loads(void **state)
{
    (void)state;
    vvWorld *w = new_free("implicit-midpoint", 0.005);
    vvBodyId body = bar(w, "fixed-corotated", 1e5);
    const vvKey keys[3] = { { 0.02, 0.5 }, { 0.051, 2 }, { 0.08, -1 } };
    vvAttachDef one = load_of(VV_ATTACH_FORCE, slab(0, 0.199, 1), 3, 1, -2),
                two = load_of(VV_ATTACH_TRACTION, slab(1, 0.099, 1), 0, 20, 0), three = one;
    two.keys = keys, two.keyCount = 3, two.smooth = true;
    three.kind = VV_ATTACH_PUSH, three.load[0] = three.load[1] = three.load[2] = 0, three.acceleration[2] = 4;
    three.keys = keys, three.keyCount = 3;
    three.motion.startTime = 0.03, three.motion.endTime = 0.06;
    vvAttachId ids[3] = { loaded(w, body, &one), loaded(w, body, &two), loaded(w, body, &three) };
    double sum = 0, work = 0, first = 0, forces[3 * 60];
    const int count = vvAttachForces(w, ids[0], forces, 60);
    int nodes[60];
    assert_int_equal(vvAttachNodes(w, ids[0], nodes, 60), count);
    for (int s = 0; s < 30; s++) {
        double *before = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
        vvLedgerRow row = step(w);
        for (int i = 0; i < count; i++)
            for (int k = 0; k < 3; k++)
                first += forces[3 * i + k] * (vvWorldPositions(w)[3 * nodes[i] + k] - before[3 * nodes[i] + k]);
        assert_near(row.loads, row.work, 1e-15 + 1e-14 * fabs(row.work));
        sum += row.loads, work += row.work;
        free(before);
    }
    assert_near(vvAttachWork(w, ids[0]), first, 1e-14 * fabs(first));
    assert_near(vvAttachWork(w, ids[0]) + vvAttachWork(w, ids[1]) + vvAttachWork(w, ids[2]), sum, 1e-13 * fabs(sum));
    vvLedgerTotals totals;
    vvWorldTotals(w, &totals);
    assert_near(totals.loads, sum, 1e-13 * fabs(sum));
    assert_true(vvAttachWork(w, ids[1]) != 0 && vvAttachWork(w, ids[2]) > 0);
    vvWorldDestroy(w);
}

/* The impulse is the integral of the load, keys that lie anywhere in a step: momentum is exact. */
static void impulse_of_keys(void **state)
{
    (void)state;
    const vvKey keys[4] = { { 0.013, 1 }, { 0.027, 5 }, { 0.029, -2 }, { 0.071, 3 } };
    for (int smooth = 0; smooth < 2; smooth++) {
        vvWorld *w = new_free("trapezoidal", 0.01);
        vvBodyId body = bar(w, "stvk", 1e5);
        vvAttachDef def = load_of(VV_ATTACH_FORCE, (vvRegion){ .kind = VV_REGION_ALL }, 1, 0, 2);
        def.keys = keys, def.keyCount = 4, def.smooth = smooth;
        attach(w, body, &def);
        /* a key to the next one has, linear or smooth, the mean of both */
        const double sum = 0.013 * 1 + 0.014 * 3 + 0.002 * 1.5 + 0.042 * 0.5 + (0.1 - 0.071) * 3;
        vvLedgerRow row = steps(w, 10);
        assert_near(row.momentum[0], sum, 1e-12);
        assert_near(row.momentum[2], 2 * sum, 1e-12);
        vvWorldDestroy(w);
    }
}

static double volume_of(const vvWorld *w, vvBodyId body)
{
    vvBodyElements e;
    vvBodyGetElements(w, body, &e);
    double sum = 0;
    for (int t = 0; t < e.triangleCount; t++) {
        const double *a = vvWorldPositions(w) + 3 * e.triangles[3 * t],
                     *b = vvWorldPositions(w) + 3 * e.triangles[3 * t + 1],
                     *c = vvWorldPositions(w) + 3 * e.triangles[3 * t + 2];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum / 6;
}

/* A closed surface: the work of a constant pressure that follows is p dV to rounding, whatever the body does; nothing
 * accelerates it. With the energy in the ledger, H - T is small. */
static void work_is_p_dv(void **state)
{
    (void)state;
    static const char *const schemes[] = { "implicit-midpoint", "backward-euler", "verlet", "bdf2" };
    for (int i = 0; i < 4; i++) {
        vvWorld *w = new_free(schemes[i], i == 2 ? 1e-4 : 0.004);
        vvBodyId body = bar(w, "stable-neo-hookean", 1e5);
        vvAttachDef def = pressure_of((vvRegion){ .kind = VV_REGION_ALL }, -3e3, true); /* blown up */
        vvAttachId id = loaded(w, body, &def);
        set_state(w, body, "angular", (double[]){ 5, 2, 7, 0, 0, 0 });
        const double begin = volume_of(w, body);
        double sum = 0;
        for (int s = 0; s < 25; s++) {
            vvLedgerRow row = step(w);
            sum += row.loads;
            assert_near(row.momentum[0], 0, 1e-7); /* what the solver leaves */
        }
        const double grown = 3e3 * (volume_of(w, body) - begin);
        assert_near(vvAttachWork(w, id), grown, 1e-10 * fabs(grown));
        assert_near(sum, grown, 1e-10 * fabs(grown));
        assert_true(grown > 1e-4);
        vvWorldDestroy(w);
    }
}

/* The work of a pressure with keys on an open patch of a held bar that has `count` steps, and what the ledger misses.
 */
static double work_of_keys(const char *scheme, bool follows, int count, double *off)
{
    const vvKey keys[3] = { { 0, 0 }, { 0.02, 1 }, { 0.05, 0.3 } };
    vvWorld *w = new_free(scheme, 0.05 / count);
    vvBodyId body = bar(w, "stable-neo-hookean", 1e5);
    vvAttachDef hold = vvDefaultAttachDef(), def = pressure_of(slab(1, 0.099, 1), 4e3, follows);
    hold.where = slab(0, -1, -0.199);
    attach(w, body, &hold);
    def.keys = keys, def.keyCount = 3;
    vvAttachId id = loaded(w, body, &def);
    const double begin = ledger(w).total;
    double loads = 0;
    vvLedgerRow row;
    for (int s = 0; s < count; s++) {
        row = step(w);
        loads += row.loads;
        assert_near(row.loads, row.work, 1e-15 + 1e-12 * fabs(row.work));
    }
    const double work = vvAttachWork(w, id);
    assert_near(loads, work, 1e-13);
    *off = row.total - begin - work;
    vvWorldDestroy(w);
    return work;
}

/* With keys the work is of second order in the step; and H follows it, as both do of the midpoint rule. */
static void keys_of_second_order(void **state)
{
    (void)state;
    for (int follows = 0; follows < 2; follows++) {
        double work[4], off[4], two_step[4], none;
        for (int i = 0; i < 4; i++) {
            work[i] = work_of_keys("implicit-midpoint", follows, 25 << i, off + i);
            two_step[i] = work_of_keys("bdf2", follows, 50 << i, &none);
        }
        /* each halving leaves a quarter of the change */
        assert_less(fabs(work[3] - work[2]), 0.35 * fabs(work[2] - work[1]));
        assert_less(fabs(off[3]), 0.35 * fabs(off[2]));
        assert_less(fabs(off[3]), 1e-3 * work[3]);
        assert_less(fabs(two_step[3] - two_step[2]), 0.35 * fabs(two_step[2] - two_step[1]));
        assert_near(two_step[3], work[3], 2e-3 * work[3]);
    }
}

/* ---- following ---- */

/* A turned bar: what follows has turned with it, what is dead has not. */
static void turned(void **state)
{
    (void)state;
    vvWorld *w = new_free("backward-euler", 0.01);
    vvBodyId body = bar(w, "stvk", 1e5);
    vvAttachDef defs[4] = { load_of(VV_ATTACH_TRACTION, slab(0, 0.199, 1), 3, 1, 2),
                            load_of(VV_ATTACH_TRACTION, slab(0, 0.199, 1), 3, 1, 2),
                            pressure_of(slab(0, 0.199, 1), 5, false), pressure_of(slab(0, 0.199, 1), 5, true) };
    defs[1].follows = true;
    vvAttachId ids[4];
    for (int i = 0; i < 4; i++)
        ids[i] = loaded(w, body, defs + i);
    vvError error = { 0 };
    const int n = vvWorldNodeCount(w);
    double *x = copy_of(vvWorldPositions(w), 3 * n), *v = calloc(3 * (size_t)n, sizeof *v);
    for (int i = 0; i < n; i++) { /* by 90 degrees about z, and twice as wide along z */
        const double a = x[3 * i], b = x[3 * i + 1];
        x[3 * i] = -b, x[3 * i + 1] = a, x[3 * i + 2] *= 2;
    }
    assert_ok(vvBodySetState(w, body, x, v, &error));
    const double wanted[4][3] = { { 3, 1, 2 }, { -2, 6, 4 }, { -5, 0, 0 }, { 0, -10, 0 } };
    for (int i = 0; i < 4; i++) {
        double force[27], sum[3] = { 0 };
        assert_int_equal(vvAttachForces(w, ids[i], force, 9), 9);
        for (int k = 0; k < 27; k++)
            sum[k % 3] += force[k];
        for (int k = 0; k < 3; k++)
            assert_near(sum[k], 0.04 * wanted[i][k], 1e-12);
    }
    free(x);
    free(v);
    vvWorldDestroy(w);
}

/* ---- with every method ---- */

static bool takes(const vvWorldDef *d, const char *name, bool follows)
{
    vvError error = { 0 };
    vvWorld *w = NULL;
    if (vvWorldCreate(d, &w, &error) != VV_OK)
        return false;
    vvBodyId body = bar(w, "arap", 1e5);
    vvAttachDef hold = vvDefaultAttachDef(), def = pressure_of(slab(1, 0.099, 1), 50, follows);
    hold.where = slab(0, -1, -0.199);
    attach(w, body, &hold);
    attach(w, body, &def);
    vvStatus status = vvWorldBake(w, &error);
    for (int s = 0; status == VV_OK && s < 3; s++)
        status = vvWorldStep(w, NULL, &error);
    if (status == VV_OK)
        assert_true(ledger(w).loads > 0);
    else if (status != VV_ERROR_UNSUPPORTED || !strstr(error.message, name))
        fail_msg("\"%s\": %s", name, error.message);
    vvWorldDestroy(w);
    return status == VV_OK;
}

static void with_every_method(void **state)
{
    (void)state;
    for (int follows = 0; follows < 2; follows++) {
        int taken = 0, known = 0;
        for (int i = 0; vvSchemeInfo(i); i++) {
            vvWorldDef d = free_def(vvSchemeInfo(i)->name, 1e-4, 1e-8);
            taken += takes(&d, d.integrator.scheme, follows), known++;
        }
        assert_int_equal(taken, known);
        taken = known = 0;
        for (int i = 0; vvSolverInfo(i); i++) {
            vvWorldDef d = free_def("backward-euler", 1e-3, 1e-8);
            d.solver.method = vvSolverInfo(i)->name;
            taken += takes(&d, d.solver.method, follows), known++;
        }
        assert_true(follows ? taken >= 6 : taken == known);
        for (int i = 0; vvPolicyInfo(i); i++) {
            vvWorldDef d = free_def(scheme_for(vvPolicyInfo(i)->name), 0.002, 1e-8);
            d.integrator.policy = vvPolicyInfo(i)->name;
            assert_true(takes(&d, d.integrator.policy, follows));
        }
    }
}

/* ---- saved, and ended ---- */

static vvWorld *many(vvAttachId ids[5])
{
    vvWorldDef d = free_def("bdf2", 0.004, 1e-10);
    d.gravity[1] = -9.8;
    vvWorld *w = new_world(&d);
    vvBodyId body = bar(w, "stable-neo-hookean", 1e5);
    const vvKey keys[2] = { { 0.01, 0 }, { 0.03, 1 } };
    vvAttachDef defs[5] = { load_of(VV_ATTACH_FORCE, slab(0, 0.199, 1), 3, 0, 0),
                            load_of(VV_ATTACH_TRACTION, slab(1, 0.099, 1), 10, 0, -50),
                            pressure_of((vvRegion){ .kind = VV_REGION_ALL }, 1e3, true),
                            pressure_of(slab(2, 0.099, 1), 300, true), pressure_of(slab(2, 0.099, 1), 300, false) };
    defs[1].follows = true, defs[1].keys = keys, defs[1].keyCount = 2;
    defs[2].release = 0.03;
    defs[3].keys = keys, defs[3].keyCount = 2, defs[3].smooth = true;
    for (int i = 0; i < 5; i++)
        ids[i] = loaded(w, body, defs + i);
    return w;
}

static void same(const vvWorld *a, const vvWorld *b, const vvAttachId *of_a, const vvAttachId *of_b)
{
    size_t bytes = 3 * (size_t)vvWorldNodeCount(a) * sizeof(double);
    assert_memory_equal(vvWorldPositions(a), vvWorldPositions(b), bytes);
    assert_memory_equal(vvWorldVelocities(a), vvWorldVelocities(b), bytes);
    for (int i = 0; i < 5; i++)
        assert_true(vvAttachWork(a, of_a[i]) == vvAttachWork(b, of_b[i]));
}

static void goes_on_from_a_saved_state(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int saved = 3; saved <= 10; saved += 7) { /* before and after one has been released */
        vvAttachId ids[5], others[5];
        vvWorld *w = many(ids), *later = many(others);
        steps(w, saved);
        size_t size = vvWorldStateSize(w);
        void *bytes = malloc(size);
        vvSnapshot *snapshot = NULL;
        assert_ok(vvWorldSaveState(w, bytes, size, &error));
        assert_ok(vvWorldSnapshot(w, &snapshot, &error));
        steps(w, 14 - saved);
        assert_ok(vvWorldLoadState(later, bytes, size, &error));
        steps(later, 14 - saved);
        same(w, later, ids, others);
        assert_ok(vvWorldRestore(w, snapshot, &error));
        steps(w, 14 - saved);
        same(w, later, ids, others);
        assert_ok(vvWorldDetach(w, ids[3], &error));
        steps(w, 2);
        assert_true(vvAttachWork(w, ids[3]) == 0 && vvAttachWork(w, ids[0]) != vvAttachWork(later, others[0]));
        vvSnapshotDestroy(snapshot);
        free(bytes);
        vvWorldDestroy(w);
        vvWorldDestroy(later);
    }
}

static bool yes(void *user) { return *(bool *)user; }

/* A step that failed has done no work. */
static void a_step_that_failed(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvAttachId ids[5], others[5];
    vvWorld *w = many(ids), *other = many(others);
    bool cancel = false;
    vvWorldSetCancel(w, yes, &cancel);
    for (int s = 0; s < 6; s++) {
        cancel = true;
        assert_int_equal(vvWorldStep(w, NULL, &error), VV_CANCELLED);
        cancel = false;
        step(w);
        step(other);
    }
    same(w, other, ids, others);
    vvWorldDestroy(w);
    vvWorldDestroy(other);
}

/* ---- wrong ---- */

static void wrong(const vvAttachDef *def, const char *word)
{
    vvError error = { 0 };
    vvWorld *w = new_free("backward-euler", 0.01);
    vvBodyId body = bar(w, "stvk", 1e5);
    assert_int_equal(vvBodyAttach(w, body, def, NULL, &error), VV_ERROR_INPUT);
    if (!strstr(error.message, word))
        fail_msg("\"%s\" does not say \"%s\"", error.message, word);
    vvWorldDestroy(w);
}

static void wrong_definitions(void **state)
{
    (void)state;
    const vvRegion all = { .kind = VV_REGION_ALL };
    const vvKey back[2] = { { 1, 1 }, { 1, 2 } }, none[1] = { { NAN, 1 } }, huge[1] = { { 0, INFINITY } };
    vvAttachDef def = load_of(VV_ATTACH_FORCE, all, NAN, 0, 0);
    wrong(&def, "load is");
    def = load_of(VV_ATTACH_FIXED, all, 1, 0, 0);
    wrong(&def, "load belongs");
    def = pressure_of(all, INFINITY, false);
    wrong(&def, "pressure is");
    def = pressure_of(all, 1, false), def.kind = VV_ATTACH_SPRING;
    wrong(&def, "pressure belongs");
    def = load_of(VV_ATTACH_FORCE, all, 1, 0, 0), def.follows = true;
    wrong(&def, "follows belongs");
    def.follows = false, def.keys = back, def.keyCount = 2;
    wrong(&def, "key 1 is at 1 s");
    def.keys = none, def.keyCount = 1;
    wrong(&def, "key 0 is");
    def.keys = huge;
    wrong(&def, "key 0 is");
    def.keys = NULL;
    wrong(&def, "list is NULL");
    def.keyCount = -1;
    wrong(&def, "-1 keys");
    def = vvDefaultAttachDef(), def.keys = back, def.keyCount = 1;
    wrong(&def, "keys and smooth belong");
    def = load_of(VV_ATTACH_FORCE, all, 1, 0, 0), def.motion.linearVelocity[0] = 1;
    wrong(&def, "does not move nodes");
    def = pressure_of((vvRegion){ .kind = VV_REGION_SPHERE, .a = { 0.2, 0.1, 0.1 }, .radius = 0.01 }, 1, false);
    wrong(&def, "holds no triangle");
    def = pressure_of((vvRegion){ .kind = VV_REGION_SPHERE, .a = { 5, 5, 5 }, .radius = 0.01 }, 1, false);
    wrong(&def, "holds no node");
}

/* Two faces of a tet hold all of its vertices; a traction acts on these two, and a region of its vertices on all four.
 */
static void on_the_triangles_of_a_group(void **state)
{
    (void)state;
    const double wanted[2] = { 0.5 + 0.5, 3 * 0.5 + sqrt(3) / 2 };
    for (int whole = 0; whole < 2; whole++) {
        vvError error = { 0 };
        double positions[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
        int tet[] = { 0, 1, 2, 3 }, vertices[] = { 0, 1, 2, 3 }, faces[] = { 2, 1, 0, 0, 3, 1 };
        vvMeshGroup group = { "skin", 2, 4, 2, vertices, faces };
        vvMesh mine = {
            .vertexCount = 4, .tetCount = 1, .positions = positions, .tets = tet, .groupCount = 1, .groups = &group
        };
        vvMesh mesh;
        vvRegion where;
        assert_ok(vvMeshCopy(&mine, &mesh, &error));
        assert_ok(vvMeshFinish(&mesh, NULL, &error));
        assert_ok(vvRegionOfGroup(&mesh, "skin", &where, &error));
        assert_int_equal(where.triangleCount, 2);
        if (whole)
            where.triangles = NULL, where.triangleCount = 0;
        vvWorld *w = new_free("backward-euler", 0.01);
        vvBodyDef def = vvDefaultBodyDef();
        vvBodyId body;
        def.mesh = &mesh;
        assert_ok(vvWorldAddBody(w, &def, &body, &error));
        vvAttachDef load = load_of(VV_ATTACH_TRACTION, where, 7, 0, 0);
        vvAttachId id = loaded(w, body, &load);
        steps(w, 1);
        double force[3], moment[3];
        assert_ok(vvAttachReaction(w, id, force, moment, &error));
        assert_near(fabs(force[0]), 7 * wanted[whole], 1e-9);
        where.list = vertices, where.triangles = (int[]){ 0, 1, 4 }, where.triangleCount = 1;
        load.where = where;
        assert_int_equal(vvBodyAttach(w, body, &load, NULL, &error), VV_ERROR_INPUT);
        assert_non_null(strstr(error.message, "triangle 0 of the region has vertex 4"));
        load.where.triangles = NULL;
        assert_int_equal(vvBodyAttach(w, body, &load, NULL, &error), VV_ERROR_INPUT);
        load.where.triangleCount = -1;
        assert_int_equal(vvBodyAttach(w, body, &load, NULL, &error), VV_ERROR_INPUT);
        assert_int_equal(vvRegionOfGroup(&mesh, "clamp", &where, &error), VV_ERROR_INPUT);
        assert_non_null(strstr(error.message, "it has \"skin\""));
        vvWorldDestroy(w);
        vvMeshDestroy(&mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bar_drawn_by_its_end),
        cmocka_unit_test(squeezed),
        cmocka_unit_test(in_balance),
        cmocka_unit_test(a_slow_ramp),
        cmocka_unit_test(work_of_dead_loads),
        cmocka_unit_test(impulse_of_keys),
        cmocka_unit_test(work_is_p_dv),
        cmocka_unit_test(keys_of_second_order),
        cmocka_unit_test(turned),
        cmocka_unit_test(with_every_method),
        cmocka_unit_test(goes_on_from_a_saved_state),
        cmocka_unit_test(a_step_that_failed),
        cmocka_unit_test(on_the_triangles_of_a_group),
        cmocka_unit_test(wrong_definitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
