/* Setters: each does in a running world what making the world so would have done; before the first step it is the
 * same world. What a change does to H is booked; snapshots and saved states hold what was set; wrong values leave no
 * trace. */
#include "visviva/contact.h"
#include "visviva/settings.h"

#include "live_support.h"
#include "positional.h"

enum { BEFORE = 9 }; /* steps, until both blocks touch what is below them */

/* Two blocks, one on the other, on a plane; the upper one slides. */
typedef struct recipe {
    vvWorldDef world;
    vvBodyDef body[2];
    vvObstacleDef plane;
    double pair; /* friction of the two; NaN: none of their own */
} recipe;

static recipe usual(void)
{
    recipe r = { .world = live_def("backward-euler", "search"),
                 .body = { vvDefaultBodyDef(), vvDefaultBodyDef() },
                 .plane = vvDefaultObstacleDef(),
                 .pair = NAN };
    r.world.contact.distance = 4e-3;
    r.world.contact.friction = 0.1;
    for (int i = 0; i < 2; i++) {
        r.body[i].material = material(i ? "neo-hookean" : "fixed-corotated", 5e4);
        r.body[i].material.damping.rayleigh = 1e-3;
        r.body[i].translate[0] = 0.01 * i;
        r.body[i].translate[1] = 0.0535 + 0.1028 * i;
        r.body[i].rotate[1] = 17 * i;
    }
    return r;
}

static vvWorld *make(const recipe *r)
{
    vvError error = { 0 };
    vvWorld *w = new_world(&r->world);
    vvBodyId id[2];
    for (int i = 0; i < 2; i++)
        id[i] = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 5, r->body + i);
    set_state(w, id[1], "linear", (double[]){ 0.4, -0.2, 0 });
    assert_ok(vvWorldAddObstacle(w, &r->plane, NULL, &error));
    if (!isnan(r->pair))
        assert_ok(vvWorldSetFriction(w, id[0], id[1], r->pair, &error));
    return w;
}

static vvBodyId body(vvWorld *w, int i) { return vvWorldBody(w, i); }

/* ---- the changes: in a recipe, or by a setter ---- */

static void define_gravity(recipe *r) { r->world.gravity[0] = 2, r->world.gravity[1] = -4; }
static vvStatus set_gravity(vvWorld *w, vvError *e) { return vvWorldSetGravity(w, (double[]){ 2, -4, 0 }, e); }

static void define_no_gravity(recipe *r) { r->world.gravity[1] = 0; }
static vvStatus set_no_gravity(vvWorld *w, vvError *e) { return vvWorldSetGravity(w, (double[]){ 0, 0, 0 }, e); }

static void define_step(recipe *r) { r->world.timeStep = 6e-3; }
static vvStatus set_step(vvWorld *w, vvError *e) { return vvWorldSetTimeStep(w, 6e-3, e); }

static vvStatus set_integrator(vvWorld *w, const char *scheme, const char *policy, vvError *e)
{
    vvIntegratorDef d = vvWorldGetDef(w)->integrator;
    d.scheme = scheme, d.policy = policy;
    return vvWorldSetIntegrator(w, &d, e);
}
static void define_policy(recipe *r) { r->world.integrator.policy = "filtered-search"; }
static vvStatus set_policy(vvWorld *w, vvError *e) { return set_integrator(w, "backward-euler", "filtered-search", e); }
static void define_scheme(recipe *r) { r->world.integrator.scheme = "bdf2", r->world.integrator.policy = "none"; }
static vvStatus set_scheme(vvWorld *w, vvError *e) { return set_integrator(w, "bdf2", "none", e); }

static void define_solver(recipe *r) { r->world.solver.tolerance = 1e-3, r->world.solver.hessian = "shifted"; }
static vvStatus set_solver(vvWorld *w, vvError *e)
{
    vvSolverDef d = vvWorldGetDef(w)->solver;
    d.tolerance = 1e-3, d.hessian = "shifted";
    return vvWorldSetSolver(w, &d, e);
}

static void define_linear(recipe *r) { r->world.solver.linear = "pcg"; }
static vvStatus set_linear(vvWorld *w, vvError *e)
{
    vvSolverDef d = vvWorldGetDef(w)->solver;
    d.linear = "pcg";
    return vvWorldSetSolver(w, &d, e);
}

static void define_contact(recipe *r) { r->world.contact.stiffness = 3e5, r->world.contact.frictionIterations = 2; }
static vvStatus set_contact(vvWorld *w, vvError *e)
{
    vvContactDef d = vvWorldGetDef(w)->contact;
    d.stiffness = 3e5, d.frictionIterations = 2;
    return vvWorldSetContact(w, &d, e);
}

static void define_stiffer(recipe *r) { r->body[0].material.young = 2e5; }
static vvStatus set_stiffer(vvWorld *w, vvError *e)
{
    vvMaterialDef m;
    assert_true(vvBodyGetMaterial(w, body(w, 0), 0, &m));
    m.young = 2e5;
    return vvBodySetMaterial(w, body(w, 0), 0, &m, e);
}

static void define_model(recipe *r) { r->body[0].material.model = "stvk"; }
static vvStatus set_model(vvWorld *w, vvError *e)
{
    vvMaterialDef m;
    assert_true(vvBodyGetMaterial(w, body(w, 0), 0, &m));
    m.model = "stvk";
    return vvBodySetMaterial(w, body(w, 0), 0, &m, e);
}

static void define_mass(recipe *r) { r->body[1].material.totalMass = 3; }
static vvStatus set_mass(vvWorld *w, vvError *e)
{
    vvMaterialDef m;
    assert_true(vvBodyGetMaterial(w, body(w, 1), 0, &m));
    m.totalMass = 3;
    return vvBodySetMaterial(w, body(w, 1), 0, &m, e);
}

static void define_damping(recipe *r)
{
    r->body[1].material.damping = (vvDampingDef){ .drag = 2, .rayleigh = 4e-3, .momentumRate = 5 };
}
static vvStatus set_damping(vvWorld *w, vvError *e)
{
    return vvBodySetDamping(w, body(w, 1), &(vvDampingDef){ .drag = 2, .rayleigh = 4e-3, .momentumRate = 5 }, e);
}

static void define_friction(recipe *r) { r->body[0].friction = 0.5, r->body[1].friction = 0.3; }
static vvStatus set_friction(vvWorld *w, vvError *e)
{
    vvStatus s = vvBodySetFriction(w, body(w, 0), 0.5, e);
    return s == VV_OK ? vvBodySetFriction(w, body(w, 1), 0.3, e) : s;
}

static void define_pair(recipe *r) { r->pair = 0.7; }
static vvStatus set_pair(vvWorld *w, vvError *e) { return vvWorldSetFriction(w, body(w, 0), body(w, 1), 0.7, e); }

static void define_ground(recipe *r) { r->plane.friction = 0.6; }
static vvStatus set_ground(vvWorld *w, vvError *e) { return vvObstacleSetFriction(w, vvWorldObstacleAt(w, 0), 0.6, e); }

/* passes through the other body, and falls on the plane */
static void define_filter(recipe *r) { r->body[1].filter = filter_of(4, 1, 0); }
static vvStatus set_filter(vvWorld *w, vvError *e)
{
    vvFilter f = filter_of(4, 1, 0), other = filter_of(1, 1, 0);
    vvStatus s = vvBodySetFilter(w, body(w, 1), &f, e);
    return s == VV_OK ? vvBodySetFilter(w, body(w, 0), &other, e) : s;
}
static void define_filters(recipe *r)
{
    define_filter(r);
    r->body[0].filter = filter_of(1, 1, 0);
}

static void define_open(recipe *r) { r->plane.filter = filter_of(8, 8, 0); }
static vvStatus set_open(vvWorld *w, vvError *e)
{
    vvFilter f = filter_of(8, 8, 0);
    return vvObstacleSetFilter(w, vvWorldObstacleAt(w, 0), &f, e);
}

typedef struct change {
    const char *name;
    void (*define)(recipe *);
    vvStatus (*set)(vvWorld *, vvError *);
    bool costs; /* changes H at the same positions */
} change;

static const change changes[] = { { "gravity", define_gravity, set_gravity, true },
                                  { "no gravity", define_no_gravity, set_no_gravity, true },
                                  { "time step", define_step, set_step, false },
                                  { "policy", define_policy, set_policy, false },
                                  { "scheme", define_scheme, set_scheme, false },
                                  { "solver", define_solver, set_solver, false },
                                  { "linear solver", define_linear, set_linear, false },
                                  { "contact", define_contact, set_contact, true },
                                  { "stiffer", define_stiffer, set_stiffer, true },
                                  { "another model", define_model, set_model, true },
                                  { "mass", define_mass, set_mass, true },
                                  { "damping", define_damping, set_damping, false },
                                  { "friction", define_friction, set_friction, false },
                                  { "a pair's friction", define_pair, set_pair, false },
                                  { "the obstacle's friction", define_ground, set_ground, false },
                                  { "filter", define_filters, set_filter, true },
                                  { "the obstacle's filter", define_open, set_open, true } };
enum { CHANGES = sizeof changes / sizeof *changes };

static bool same_motion(const vvWorld *a, const vvWorld *b)
{
    size_t bytes = 3 * (size_t)vvWorldNodeCount(a) * sizeof(double);
    return memcmp(vvWorldPositions(a), vvWorldPositions(b), bytes) == 0 &&
           memcmp(vvWorldVelocities(a), vvWorldVelocities(b), bytes) == 0;
}

static void *save(vvWorld *w, size_t *size)
{
    vvError error = { 0 };
    assert_ok(vvWorldBake(w, &error));
    *size = vvWorldStateSize(w);
    void *state = malloc(*size);
    assert_non_null(state);
    assert_ok(vvWorldSaveState(w, state, *size, &error));
    return state;
}

static vvWorld *made_with(const change *c)
{
    recipe r = usual();
    c->define(&r);
    return make(&r);
}

static vvWorld *made_usual(void)
{
    recipe r = usual();
    return make(&r);
}

/* ---- before the first step ---- */

/* Baked or not, the world is the one that was made so. */
static void before_the_first_step_it_is_another_world(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int i = 0; i < CHANGES; i++)
        for (int baked = 0; baked < 2; baked++) {
            vvWorld *w = made_usual(), *made = made_with(changes + i);
            if (baked)
                assert_ok(vvWorldBake(w, &error));
            assert_ok(changes[i].set(w, &error));
            if (!same_world(w, made)) /* row 0, too */
                fail_msg("%s, %s: begins otherwise", changes[i].name, baked ? "baked" : "not baked");
            expect_same(w, made, 4, changes[i].name);
            vvWorldDestroy(w);
            vvWorldDestroy(made);
        }
}

/* ---- in a run ---- */

/* The run goes on like a world that was made so and got this one's state: what is rebuilt is all that there is to
 * be made. */
static void in_a_run_it_goes_on_like_a_world_made_so(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int i = 0; i < CHANGES; i++) {
        vvWorld *w = made_usual(), *made = made_with(changes + i);
        steps(w, BEFORE);
        size_t size;
        void *saved = save(w, &size);
        uint32_t revision = vvWorldSettingsRevision(w);
        assert_ok(changes[i].set(w, &error));
        assert_true(vvWorldSettingsRevision(w) > revision);
        assert_ok(vvWorldLoadState(made, saved, size, &error));
        for (int k = 0; k < 4; k++) {
            step(w), step(made);
            if (!same_motion(w, made))
                fail_msg("%s: differs %d steps after", changes[i].name, k + 1);
        }
        free(saved);
        vvWorldDestroy(w);
        vvWorldDestroy(made);
    }
}

/* The change of H is work of the next row; the ledger's identity and the target hold; S stays as it is. */
static void what_it_costs_is_booked(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int i = 0; i < CHANGES; i++) {
        vvWorld *w = made_usual();
        vvLedgerRow before = steps(w, BEFORE);
        assert_ok(changes[i].set(w, &error));
        assert_ok(vvWorldBake(w, &error));
        vvLedgerRow shown = ledger(w);
        assert_true(shown.total == before.total);
        double work = shown.kinetic + shown.elastic + shown.gravity + shown.contact + shown.attachment - before.total;
        if (changes[i].costs != (fabs(work) > 1e-9))
            fail_msg("%s: work %g J", changes[i].name, work);
        vvLedgerRow after = step(w);
        if (strcmp(vvWorldGetDef(w)->integrator.policy, "search") == 0)
            assert_near(after.target - before.target, after.work - after.friction - after.damping - after.decay, 1e-12);
        assert_near(after.total - before.total, after.work - after.friction - after.damping - after.decay + after.error,
                    1e-12);
        assert_near(after.work, work, 1e-12);   /* nobody else does any */
        if (strstr(changes[i].name, "gravity")) /* what the host does to gravity is no fall */
            assert_near(shown.scale, before.scale, 0);
        vvWorldDestroy(w);
    }
}

/* Set and set back before a step: nothing has happened. */
static void back_again_is_nothing(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = made_usual(), *calm = made_usual();
    steps(w, BEFORE), steps(calm, BEFORE);
    const vvWorldDef *d = vvWorldGetDef(w);
    vvFilter filter = vvBodyFilter(w, body(w, 0)), other = filter_of(64, 64, 0);
    assert_ok(vvBodySetFilter(w, body(w, 0), &other, &error));
    assert_ok(vvBodySetFilter(w, body(w, 0), &filter, &error));
    assert_ok(vvWorldSetGravity(w, (double[]){ 1, 2, 3 }, &error));
    assert_ok(vvWorldSetGravity(w, (double[]){ 0, -9.8, 0 }, &error));
    assert_ok(set_solver(w, &error));
    vvSolverDef solver = d->solver;
    solver.tolerance = 1e-5, solver.hessian = "projected";
    assert_ok(vvWorldSetSolver(w, &solver, &error));
    size_t a, b;
    void *x = save(w, &a), *y = save(calm, &b);
    assert_int_equal(a, b); /* a saved state says nothing of it either */
    free(x), free(y);
    expect_same(w, calm, 4, "back again");
    uint32_t revision = vvWorldSettingsRevision(w);
    assert_ok(vvWorldSetGravity(w, d->gravity, &error)); /* the same again is nothing either */
    assert_ok(vvWorldSetTimeStep(w, d->timeStep, &error));
    assert_ok(vvWorldSetIntegrator(w, &d->integrator, &error));
    assert_ok(vvWorldSetSolver(w, &d->solver, &error));
    assert_ok(vvWorldSetContact(w, &d->contact, &error));
    assert_ok(vvBodySetFilter(w, body(w, 0), &filter, &error));
    assert_int_equal(vvWorldSettingsRevision(w), revision);
    expect_same(w, calm, 2, "the same again");
    vvWorldDestroy(w);
    vvWorldDestroy(calm);
}

/* Each change is there in words, with the steps made before it; the last 32 of them. */
static void changes_are_kept_in_words(void **state)
{
    (void)state;
    vvError error = { 0 };
    static const char *const words[CHANGES] = {
        "gravity=[2, -4, 0]",
        "gravity=[0, 0, 0]",
        "time.step=0.006",
        "integrator.policy=filtered-search",
        "integrator.scheme=bdf2, integrator.policy=none",
        "solver.tolerance=0.001, solver.hessian=shifted",
        "solver.linear=pcg",
        "contact.stiffness=300000, contact.friction_iterations=2",
        "body-1: young=200000",
        "body-1: model=stvk",
        "body-2: mass=3",
        "body-2: damping.drag=2, damping.rayleigh=0.004, damping.momentum_rate=5",
        "body-2: friction=0.3",
        "body-1, body-2: friction=0.7",
        "obstacle 0 \"\": friction=0.6",
        "body-1: filter (category 1, mask 1, group 0)",
        "obstacle 0 \"\": filter"
    };
    vvSettingChange last;
    for (int i = 0; i < CHANGES; i++) {
        vvWorld *w = made_usual();
        steps(w, 2);
        assert_false(vvWorldSettingChange(w, 0, &last) || vvWorldSettingChange(w, 1, &last));
        assert_ok(changes[i].set(w, &error));
        assert_true(vvWorldSettingChange(w, vvWorldSettingsRevision(w), &last));
        assert_string_equal(last.text, words[i]);
        assert_int_equal(last.step, 2);
        vvWorldDestroy(w);
    }
    vvWorld *w = made_usual();
    for (int i = 1; i <= 40; i++)
        assert_ok(vvWorldSetGravity(w, (double[]){ 0, 0, i }, &error));
    assert_false(vvWorldSettingChange(w, 8, &last) || vvWorldSettingChange(w, 41, &last) ||
                 vvWorldSettingChange(w, 9, NULL));
    assert_true(vvWorldSettingChange(w, 9, &last));
    assert_string_equal(last.text, "gravity=[0, 0, 9]");
    vvWorldDestroy(w);
}

/* Steps of changing length: time goes on, and a body in free fall falls by h times its speed. */
static void the_time_step_may_change_every_step(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "search");
    vvWorld *w = new_world(&d);
    add_block(w, 0, 1, 0);
    double time = 0, v = 0, y = vvWorldPositions(w)[1];
    for (int i = 0; i < 12; i++) {
        double h = 1e-3 * (1 + (7 * i) % 5);
        assert_ok(vvWorldSetTimeStep(w, h, &error));
        step(w);
        time += h;
        assert_near(vvWorldTime(w), time, 1e-12);
        double seen[3 * 8];
        vvWorldVisibleVelocities(w, seen);
        assert_near(seen[1], (vvWorldPositions(w)[1] - y) / h, 1e-9);
        v -= 9.8 * h;
        assert_near(vvWorldPositions(w)[1], y + h * v, 1e-3 * h);
        y = vvWorldPositions(w)[1];
    }
    vvWorldDestroy(w);
}

/* No bit depends on the number of threads, whenever it changes. */
static void threads_change_no_bit(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = made_usual(), *calm = made_usual();
    for (int i = 0; i < 6; i++) {
        assert_ok(vvWorldSetThreads(w, 1 + i % 3, &error));
        assert_int_equal(vvWorldGetDef(w)->threads, 1 + i % 3);
        expect_same(w, calm, 2, "threads");
    }
    vvWorldDestroy(w);
    vvWorldDestroy(calm);
}

/* ---- what is kept ---- */

/* A snapshot holds what was set: in the world that it was taken of, and in another. */
static void a_snapshot_holds_it(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int i = 0; i < CHANGES; i++) {
        vvWorld *w = made_usual(), *other = made_usual(), *calm = made_usual();
        vvSnapshot *before, *after;
        steps(w, BEFORE), steps(calm, BEFORE);
        assert_ok(vvWorldSnapshot(w, &before, &error));
        assert_ok(changes[i].set(w, &error));
        step(w);
        assert_ok(vvWorldSnapshot(w, &after, &error));
        assert_ok(vvWorldRestore(other, after, &error));
        expect_same(w, other, 3, changes[i].name);
        assert_ok(vvWorldRestore(w, before, &error)); /* as if nothing had been set */
        expect_same(w, calm, 3, changes[i].name);
        assert_ok(vvWorldRestore(w, after, &error));
        assert_ok(vvWorldRestore(other, after, &error));
        expect_same(w, other, 2, changes[i].name);
        vvSnapshotDestroy(before);
        vvSnapshotDestroy(after);
        vvWorldDestroy(w);
        vvWorldDestroy(other);
        vvWorldDestroy(calm);
    }
}

/* A saved state brings what was set to a world that was made as this one was. */
static void a_saved_state_holds_it(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int i = 0; i < CHANGES; i++) {
        vvWorld *w = made_usual(), *other = made_usual();
        steps(w, BEFORE);
        assert_ok(changes[i].set(w, &error));
        step(w);
        size_t size;
        void *saved = save(w, &size);
        assert_ok(vvWorldLoadState(other, saved, size, &error));
        expect_same(w, other, 3, changes[i].name);
        size_t again;
        void *second = save(other, &again), *first = save(w, &size); /* and what is set stays known as such */
        assert_int_equal(again, size);
        assert_memory_equal(first, second, size);
        free(first), free(second), free(saved);
        vvWorldDestroy(w);
        vvWorldDestroy(other);
    }
}

/* Other solvers begin with nothing learned, also from a snapshot taken before they are made. */
static void what_other_solvers_learned_is_no_part_of_a_snapshot(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    vvSnapshot *snapshot;
    size_t size[2];
    void *saved[2];
    d.solver.linear = "auto"; /* it learns what costs what */
    vvWorld *w = new_world(&d);
    add_block(w, 0, 1, 3);
    steps(w, 3);
    assert_ok(set_integrator(w, "discrete-gradient", "none", &error));
    assert_ok(vvWorldSnapshot(w, &snapshot, &error));
    saved[0] = save(w, &size[0]);
    assert_ok(vvWorldRestore(w, snapshot, &error));
    saved[1] = save(w, &size[1]);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(saved[0], saved[1], size[0]);
    free(saved[0]), free(saved[1]);
    vvSnapshotDestroy(snapshot);
    vvWorldDestroy(w);
}

/* Two energies of one mesh change their models: setters by way of a third, a saved state at once. */
static void a_saved_state_may_swap_materials(void **state)
{
    (void)state;
    vvError error = { 0 };
    static const char *const way[][2] = { { "neo-hookean", NULL }, { NULL, "fixed-corotated" }, { "stvk", NULL } };
    vvWorld *w[2];
    for (int k = 0; k < 2; k++) {
        vvWorldDef d = live_def("backward-euler", "search");
        vvBodyDef b = vvDefaultBodyDef();
        const vvMaterialDef more = material("stvk", 1e3);
        w[k] = new_world(&d);
        b.material = material("fixed-corotated", 5e4);
        b.moreMaterials = &more, b.moreMaterialCount = 1;
        vvBodyId id = add_box_def(w[k], (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 5, &b);
        set_state(w[k], id, "stretch", (double[]){ 1.1, 1, 1, NAN, NAN, NAN });
    }
    steps(w[0], 2);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            vvMaterialDef m;
            assert_true(vvBodyGetMaterial(w[0], body(w[0], 0), k, &m));
            m.model = way[i][k] ? way[i][k] : m.model;
            assert_ok(vvBodySetMaterial(w[0], body(w[0], 0), k, &m, &error));
        }
    size_t size;
    void *saved = save(w[0], &size);
    assert_ok(vvWorldLoadState(w[1], saved, size, &error));
    expect_same(w[0], w[1], 3, "swapped materials");
    free(saved);
    vvWorldDestroy(w[0]);
    vvWorldDestroy(w[1]);
}

/* A world that was made otherwise keeps what it was made with, and takes the rest. */
static void what_a_user_gives_goes_first(void **state)
{
    (void)state;
    vvError error = { 0 };
    recipe r = usual();
    r.world.gravity[1] = -1.6;
    vvWorld *w = made_usual(), *moon = make(&r);
    steps(w, BEFORE);
    assert_ok(set_gravity(w, &error));
    assert_ok(set_friction(w, &error));
    assert_ok(set_stiffer(w, &error));
    step(w);
    size_t size;
    void *saved = save(w, &size);
    assert_ok(vvWorldLoadState(moon, saved, size, &error));
    assert_true(vvWorldGetDef(moon)->gravity[1] == -1.6 && vvWorldGetDef(moon)->gravity[0] == 0);
    assert_true(vvBodyFriction(moon, body(moon, 0)) == 0.5);
    vvMaterialDef m;
    assert_true(vvBodyGetMaterial(moon, body(moon, 0), 0, &m) && m.young == 2e5);
    steps(moon, 2);
    free(saved);
    vvWorldDestroy(w);
    vvWorldDestroy(moon);
}

/* A state whose settings the world cannot take leaves it as it was, also what setters had set in it. */
static void a_state_that_cannot_be_loaded_leaves_no_trace(void **state)
{
    (void)state;
    vvError error = { 0 };
    recipe high = usual();
    shape_obstacle(&high.plane,
                   (double[]){ 0, 0.1, 0, 0, 1, 0 }); /* through the lower block, which it must not touch */
    define_open(&high);
    vvWorld *w = made_usual(), *other = make(&high), *calm = make(&high);
    steps(w, 2);
    assert_ok(set_stiffer(w, &error));
    assert_ok(set_gravity(w, &error));
    for (int i = 0; i < 2; i++) {
        assert_ok(set_damping(i ? calm : other, &error));
        steps(i ? calm : other, 3);
    }
    size_t size;
    char *saved = save(w, &size);
    saved[size - 8] ^= 1; /* of the settings, which come last */
    expect(vvWorldLoadState(other, saved, size, &error), VV_ERROR_INPUT, &error, "damaged");
    expect_same(other, calm, 2, "after a damaged state");
    free(saved);
    /* one whose settings fit, and whose positions do not */
    double low[6] = { 0, -5, 0, 0, 1, 0 };
    recipe deep = usual();
    shape_obstacle(&deep.plane, low);
    vvWorld *fallen = make(&deep), *flat = made_usual(), *twin = made_usual();
    assert_ok(vvWorldSetGravity(fallen, (double[]){ 0, -4000, 0 }, &error));
    assert_ok(set_stiffer(fallen, &error));
    assert_ok(set_damping(flat, &error));
    assert_ok(set_damping(twin, &error));
    steps(fallen, 3), steps(flat, 3), steps(twin, 3);
    saved = save(fallen, &size);
    expect(vvWorldLoadState(flat, saved, size, &error), VV_ERROR_INPUT, &error, "are not allowed in this world");
    assert_true(vvWorldGetDef(flat)->gravity[1] == -9.8);
    expect_same(flat, twin, 3, "after a state that does not fit");
    free(saved);
    vvWorld *all[] = { w, other, calm, fallen, flat, twin };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        vvWorldDestroy(all[i]);
}

/* ---- what is refused ---- */

#define REFUSED(call, word) expect(call, VV_ERROR_INPUT, &error, word)

static void wrong_values_leave_no_trace(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = made_usual(), *calm = made_usual();
    steps(w, 2), steps(calm, 2);
    uint32_t revision = vvWorldSettingsRevision(w);
    const vvBodyId gone = { 1, 77 }, block = body(w, 0);
    const vvObstacleId nowhere = { 9, 1 }, plane = vvWorldObstacleAt(w, 0);
    const vvWorldDef *d = vvWorldGetDef(w);
    vvFilter filter = vvDefaultFilter(), bare = { .category = 1 };
    vvDampingDef damping = { .drag = -1 }, none = { 0 };
    REFUSED(vvWorldSetGravity(w, (double[]){ 0, NAN, 0 }, &error), "gravity is nan");
    REFUSED(vvWorldSetGravity(w, (double[]){ 0, 0, 1e9 }, &error),
            "gravity is 1e+09; it must be a number from -1000000 to 1000000 m/s2");
    for (int i = 0; i < 4; i++)
        REFUSED(vvWorldSetTimeStep(w, (double[]){ 0, -0.01, NAN, INFINITY }[i], &error), "time.step is");
    REFUSED(vvWorldSetThreads(w, -1, &error), "threads is -1");
    REFUSED(vvWorldSetThreads(w, 100000, &error), "threads");
    REFUSED(set_integrator(w, "backward-oiler", "search", &error), "did you mean \"backward-euler\"");
    REFUSED(set_integrator(w, "bdf2", "a1", &error), "does not go with scheme \"bdf2\"");
    vvIntegratorDef integrator = d->integrator;
    integrator.settings = &(vvSetting){ "sharpness", { 1 } }, integrator.settingCount = 1;
    REFUSED(vvWorldSetIntegrator(w, &integrator, &error), "sharpness");
    integrator = d->integrator;
    integrator.decayKeys = &(vvKey){ 0, 1 }, integrator.decayKeyCount = 1; /* ground_energy is "none" */
    REFUSED(vvWorldSetIntegrator(w, &integrator, &error), "ground_energy");
    integrator = (vvIntegratorDef){ 0 };
    REFUSED(vvWorldSetIntegrator(w, &integrator, &error), "integrator.scheme");
    vvSolverDef solver = d->solver;
    solver.tolerance = -1;
    REFUSED(vvWorldSetSolver(w, &solver, &error), "solver.tolerance is -1");
    solver = d->solver;
    solver.linear = "choleski";
    REFUSED(vvWorldSetSolver(w, &solver, &error), "solver.linear");
    vvContactDef contact = d->contact;
    contact.stiffness = NAN;
    REFUSED(vvWorldSetContact(w, &contact, &error), "contact.stiffness is nan");
    vvMaterialDef m;
    assert_true(vvBodyGetMaterial(w, block, 0, &m));
    assert_false(vvBodyGetMaterial(w, block, 1, &m) || vvBodyGetMaterial(w, gone, 0, &m));
    REFUSED(vvBodySetMaterial(w, block, 1, &m, &error), "has no material 1");
    REFUSED(vvBodySetMaterial(w, gone, 0, &m, &error), "no such body");
    m.poisson = 0.5;
    REFUSED(vvBodySetMaterial(w, block, 0, &m, &error), "body-1");
    m = material("hooke", 1e5);
    REFUSED(vvBodySetMaterial(w, block, 0, &m, &error), "is for springs");
    m = (vvMaterialDef){ .model = "stvk", .young = 1e5, .density = 1 };
    REFUSED(vvBodySetMaterial(w, block, 0, &m, &error), "vvDefaultMaterialDef()");
    REFUSED(vvBodySetDamping(w, block, &damping, &error), "damping.drag");
    REFUSED(vvBodySetDamping(w, gone, &none, &error), "no such body");
    REFUSED(vvBodySetFriction(w, block, NAN, &error), "nan");
    REFUSED(vvBodySetFriction(w, block, 101, &error), "is 101; it must be a number from 0 to 100");
    REFUSED(vvBodySetFriction(w, gone, 0.5, &error), "no such body");
    REFUSED(vvObstacleSetFriction(w, plane, NAN, &error), "nan");
    REFUSED(vvObstacleSetFriction(w, nowhere, 0.1, &error), "no such obstacle");
    REFUSED(vvBodySetFilter(w, gone, &filter, &error), "no such body");
    REFUSED(vvBodySetFilter(w, block, &bare, &error), "vvDefaultFilter()");
    REFUSED(vvObstacleSetFilter(w, nowhere, &filter, &error), "no such obstacle");
    double *x;
    assert_ok(vvWorldBeginEdit(w, &x, NULL, &error));
    REFUSED(vvWorldSetGravity(w, (double[]){ 0, 0, 0 }, &error), "vvWorldEndEdit");
    REFUSED(vvBodySetFilter(w, block, &filter, &error), "vvWorldEndEdit");
    REFUSED(vvBodySetDamping(w, block, &none, &error), "vvWorldEndEdit");
    assert_ok(vvWorldEndEdit(w, &error));
    assert_int_equal(vvWorldSettingsRevision(w), revision);
    assert_true(isnan(vvBodyFriction(w, gone)) && vvBodyMaterialCount(w, gone) == 0 &&
                vvObstacleFilter(w, nowhere).mask == 0);
    assert_true(vvBodyFriction(w, block) == -1 && vvBodyMaterialCount(w, block) == 1 &&
                vvObstacleFilter(w, plane).category == 1);
    expect_same(w, calm, 3, "after what was refused");
    vvWorldDestroy(w);
    vvWorldDestroy(calm);
}

/* The body of an obstacle that moves touches nothing: its own setters would do nothing, and say so. */
static void an_obstacle_that_moves_has_setters_of_its_own(void **state)
{
    (void)state;
    vvError error = { 0 };
    recipe r = usual();
    r.plane.moves = true;
    vvWorld *w = make(&r);
    vvBodyId carrier = vvObstacleBody(w, vvWorldObstacleAt(w, 0));
    vvFilter filter = filter_of(8, 8, 0);
    steps(w, 2);
    uint32_t revision = vvWorldSettingsRevision(w);
    REFUSED(vvBodySetFriction(w, carrier, 0.5, &error), "vvObstacleSetFriction");
    REFUSED(vvBodySetFilter(w, carrier, &filter, &error), "vvObstacleSetFilter");
    REFUSED(vvWorldSetFriction(w, body(w, 0), carrier, 0.5, &error), "vvObstacleSetFriction");
    REFUSED(vvWorldSetFriction(w, carrier, body(w, 1), 0.5, &error), "vvObstacleSetFriction");
    assert_true(vvBodyFilter(w, carrier).category == 1 && vvBodyFriction(w, carrier) == -1);
    assert_int_equal(vvWorldSettingsRevision(w), revision);
    assert_ok(vvObstacleSetFriction(w, vvWorldObstacleAt(w, 0), 0.5, &error));
    assert_true(vvObstacleFriction(w, vvWorldObstacleAt(w, 0), body(w, 0)) == 0.5);
    step(w);
    vvWorldDestroy(w);
}

/* Bodies that pass through each other and are to touch: no step is made, the message names them, and the world goes
 * on once they need not. */
static void a_filter_that_cannot_hold_is_named(void **state)
{
    (void)state;
    vvError error = { 0 };
    recipe r = usual();
    define_filters(&r);
    r.body[1].translate[1] = 0.1; /* in the other */
    vvWorld *w = make(&r), *calm = make(&r);
    vvFilter all = vvDefaultFilter();
    steps(w, 2), steps(calm, 2);
    for (int i = 0; i < 2; i++)
        assert_ok(vvBodySetFilter(w, body(w, i), &all, &error));
    expect(vvWorldStep(w, NULL, &error), VV_ERROR_INPUT, &error, "bodies intersect");
    assert_non_null(strstr(error.message, "body-2"));
    assert_int_equal(vvWorldStepIndex(w), 2);
    for (int i = 0; i < 2; i++)
        assert_ok(vvBodySetFilter(w, body(w, i), &r.body[i].filter, &error));
    expect_same(w, calm, 3, "apart again");
    vvWorldDestroy(w);
    vvWorldDestroy(calm);
}

static void run_tasks(void *user, int count, void (*task)(void *context, int index), void *context)
{
    (void)user;
    for (int i = 0; i < count; i++)
        task(context, i);
}

static void a_host_with_threads_of_its_own_keeps_them(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    d.host.tasks = (vvTaskSystem){ .workers = 2, .run = run_tasks };
    vvWorld *w = new_world(&d);
    add_block(w, 0, 1, 0);
    expect(vvWorldSetThreads(w, 2, &error), VV_ERROR_INPUT, &error, "task system");
    step(w);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_the_first_step_it_is_another_world),
        cmocka_unit_test(in_a_run_it_goes_on_like_a_world_made_so),
        cmocka_unit_test(what_it_costs_is_booked),
        cmocka_unit_test(back_again_is_nothing),
        cmocka_unit_test(changes_are_kept_in_words),
        cmocka_unit_test(the_time_step_may_change_every_step),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(a_snapshot_holds_it),
        cmocka_unit_test(a_saved_state_holds_it),
        cmocka_unit_test(what_other_solvers_learned_is_no_part_of_a_snapshot),
        cmocka_unit_test(a_saved_state_may_swap_materials),
        cmocka_unit_test(what_a_user_gives_goes_first),
        cmocka_unit_test(a_state_that_cannot_be_loaded_leaves_no_trace),
        cmocka_unit_test(wrong_values_leave_no_trace),
        cmocka_unit_test(an_obstacle_that_moves_has_setters_of_its_own),
        cmocka_unit_test(a_filter_that_cannot_hold_is_named),
        cmocka_unit_test(a_host_with_threads_of_its_own_keeps_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
