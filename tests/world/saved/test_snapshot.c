/* Snapshots: worlds go on to the same bits from them, for every scheme, policy and linear solver, over changes of
 * structure, in another world; ids; what is shared; what is refused. */
#include "live_support.h"
#include "visviva/contact.h"
#include "visviva/interact.h"

static vvWorldDef rich_def(const char *scheme, const char *policy, const char *linear)
{
    vvWorldDef d = live_def(scheme, policy);
    bool slow = strcmp(scheme, "forward-euler") == 0 || strcmp(scheme, "symplectic-euler") == 0 ||
                strcmp(scheme, "verlet") == 0;
    d.timeStep = slow ? 1e-4 : 2e-3;
    static const vvSetting sparse = { "sparse", { 1 } };
    d.integrator.settings = &sparse;
    d.integrator.settingCount = 1;
    d.solver.linear = linear;
    return d;
}

/* Damping of all kinds, springs and fixed nodes that move by script, friction where `depth` lets the ground be
 * touched. */
static vvBodyId fill(vvWorld *w, double depth)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.filter = filter_of(2, 1, 0); /* bodies come down anywhere: they meet obstacles, not each other */
    def.material = material("stvk", 2e4);
    def.material.damping = (vvDampingDef){ .drag = 0.1, .rayleigh = 1e-3, .momentumRate = 0.5 };
    vvBodyId body = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 6, &def);
    set_state(w, body, "twist", (double[]){ 20, 0, 1, 0 });
    set_state(w, body, "linear", (double[]){ 0.5, -0.3, 0 });
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 100, 0 }, .b = { 0, 100, 0 } };
    a.kind = VV_ATTACH_SPRING;
    a.stiffness = 10;
    a.motion.angularVelocity = 50;
    attach(w, body, &a);
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 100, 100, 100 }, .b = { 100, 100, 100 } };
    a.kind = VV_ATTACH_FIXED;
    attach(w, body, &a);
    obstacle(w, "plane", (double[]){ 0, -depth, 0, 0, 1, 0 }, 0.3);
    return body;
}

enum { STEPS = 8 };
typedef struct film { /* what happened in some steps */
    double *x[STEPS], rows[STEPS][14];
    int n;
} film;

static void take_film(vvWorld *w, film *f)
{
    f->n = 3 * vvWorldNodeCount(w);
    for (int i = 0; i < STEPS; i++) {
        vvLedgerRow row = step(w);
        row_numbers(&row, f->rows[i]);
        f->x[i] = copy_of(vvWorldPositions(w), f->n);
    }
}

static bool same_film(vvWorld *w, const film *f)
{
    bool same = 3 * vvWorldNodeCount(w) == f->n;
    for (int i = 0; i < STEPS && same; i++) {
        vvLedgerRow row = step(w);
        double numbers[14];
        row_numbers(&row, numbers);
        same = memcmp(numbers, f->rows[i], sizeof numbers) == 0 &&
               memcmp(vvWorldPositions(w), f->x[i], (size_t)f->n * sizeof(double)) == 0;
    }
    return same;
}

static void free_film(film *f)
{
    for (int i = 0; i < STEPS; i++)
        free(f->x[i]);
}

static void check(const vvWorldDef *d, double depth)
{
    vvError error = { 0 };
    const vvIntegratorDef *in = &d->integrator;
    vvWorld *w = new_world(d), *other = new_world(d);
    vvBodyId body = fill(w, depth);
    steps(w, 7);
    vvSnapshot *s;
    assert_ok(vvWorldSnapshot(w, &s, &error));
    film f;
    take_film(w, &f);
    vvBodyId late = add_block(w, 3, 1, 0.3);
    step(w);
    assert_ok(vvWorldRestore(w, s, &error));
    assert_false(vvBodyIsValid(w, late));
    if (!same_film(w, &f))
        fail_msg("%s, %s, %s: goes on differently after a body was added", in->scheme, in->policy, d->solver.linear);
    assert_ok(vvWorldRestore(w, s, &error)); /* the same structure: state alone */
    if (!same_film(w, &f))
        fail_msg("%s, %s, %s: goes on differently", in->scheme, in->policy, d->solver.linear);
    assert_ok(vvWorldRemoveBody(w, body, &error));
    step(w);
    assert_ok(vvWorldRestore(w, s, &error));
    assert_true(vvBodyIsValid(w, body));
    if (!same_film(w, &f))
        fail_msg("%s, %s, %s: goes on differently after its body was removed", in->scheme, in->policy,
                 d->solver.linear);
    vvWorldDestroy(w);
    assert_ok(vvWorldRestore(other, s, &error)); /* a snapshot outlives its world */
    vvSnapshotDestroy(s);
    if (!same_film(other, &f))
        fail_msg("%s, %s, %s: goes on differently in another world", in->scheme, in->policy, d->solver.linear);
    vvWorldDestroy(other);
    free_film(&f);
}

static void every_scheme_goes_on_to_the_same_bits(void **state)
{
    (void)state;
    for (int i = 0; vvSchemeInfo(i); i++) {
        vvWorldDef d = rich_def(vvSchemeInfo(i)->name, "none", "auto");
        d.solver.tolerance = 1e-3;
        check(&d, 1);
    }
    vvWorldDef d = rich_def("bdf2", "none", "auto");
    d.integrator.settings = &(vvSetting){ "ballistic", { 1 } };
    d.integrator.settingCount = 1;
    check(&d, 1);
}

static void every_policy_and_solver_goes_on_to_the_same_bits(void **state)
{
    (void)state;
    static const vvKey decay = { 0, 0.5 };
    for (int p = 0; vvPolicyInfo(p); p++)
        for (int l = 0; vvLinearSolverInfo(l) && meets_things(vvPolicyInfo(p)->name); l++) {
            vvWorldDef d =
                rich_def(scheme_for(vvPolicyInfo(p)->name), vvPolicyInfo(p)->name, vvLinearSolverInfo(l)->name);
            check(&d, 0.0505);
        }
    vvWorldDef d = rich_def("backward-euler", "search", "auto");
    d.integrator.groundMode = VV_GROUND_AUTO; /* the decay solves for the ground again after each change */
    d.integrator.decayKeys = &decay;
    d.integrator.decayKeyCount = 1;
    check(&d, 0.0505);
}

/* ---- moments at which a snapshot may be taken
 * ---------------------------------------------------------------------- */

/* Whatever waits to be built, booked or used is part of it. */
static void pending_changes_are_part_of_it(void **state)
{
    (void)state;
    for (int what = 0; what < 9; what++) {
        vvError error = { 0 };
        vvWorldDef d = rich_def("backward-euler", "search", "auto");
        vvWorld *w = new_world(&d);
        vvBodyId body = fill(w, 0.0505);
        vvAttachId spring = { 0, 0 };
        if (what >= 2) {
            spring = tie(w, body, VV_ATTACH_SPRING, 30);
            steps(w, 5);
        }
        int node = 3;
        double *x = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w)), ends[256];
        assert_true(vvAttachNodes(w, spring, NULL, 0) <= 256 / 3);
        if (what == 1)
            set_state(w, body, "mode", (double[]){ 2, 0.001, 0.3 });
        if (what == 2 || what == 8)
            add_block(w, 1, 0.2, 0.3);
        if (what == 3)
            assert_ok(vvWorldDetach(w, spring, &error));
        if (what == 4)
            tie(w, body, VV_ATTACH_SPRING, 20);
        if (what == 5)
            assert_ok(vvWorldApplyForces(w, 1, &node, (double[]){ 0.1, 0.2, 0.3 }, &error));
        if (what == 6) {
            for (int i = 0; i < 3 * vvAttachNodes(w, spring, NULL, 0); i++)
                ends[i] = 0.01 * i;
            assert_ok(vvAttachMoveTo(w, spring, ends, &error));
        }
        if (what == 7)
            assert_ok(vvWorldSetState(w, NULL, x, &error));
        vvSnapshot *s;
        assert_ok(vvWorldSnapshot(w, &s, &error));
        if (what == 8) /* baked only now: the snapshot is of before */
            assert_ok(vvWorldBake(w, &error));
        film f;
        take_film(w, &f);
        for (int again = 0; again < 2; again++) {
            assert_ok(vvWorldRestore(w, s, &error));
            if (!same_film(w, &f))
                fail_msg("case %d, restore %d: goes on differently", what, again);
        }
        vvWorldDestroy(w);
        w = new_world(&d);
        assert_ok(vvWorldRestore(w, s, &error));
        if (!same_film(w, &f))
            fail_msg("case %d: goes on differently in a new world", what);
        vvWorldDestroy(w);
        vvSnapshotDestroy(s);
        free_film(&f);
        free(x);
    }
}

/* ---- ids and structure ------------------------------------------------------------------------------------------- */

static void ids_of_a_discarded_future_stay_dead(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    vvWorld *w = new_world(&d);
    vvBodyId a = add_block(w, 0, 1, 0), b = add_block(w, 1, 1, 0);
    vvAttachId tied = tie(w, a, VV_ATTACH_FIXED, 0);
    steps(w, 2);
    vvSnapshot *s;
    assert_ok(vvWorldSnapshot(w, &s, &error));
    uint32_t revision = vvWorldRevision(w);
    assert_ok(vvWorldRemoveBody(w, a, &error));
    vvBodyId c = add_block(w, 2, 1, 0), e = add_block(w, 3, 1, 0);
    vvAttachId lost = tie(w, c, VV_ATTACH_SPRING, 1);
    obstacle(w, "plane", (double[]){ 0, -1, 0, 0, 1, 0 }, 0);
    vvObstacleId plane = vvWorldObstacleAt(w, 0);
    assert_ok(vvWorldRestore(w, s, &error));
    assert_true(vvWorldRevision(w) > revision);
    assert_true(vvBodyIsValid(w, a) && vvBodyIsValid(w, b) && vvAttachIsValid(w, tied));
    assert_true(!vvBodyIsValid(w, c) && !vvBodyIsValid(w, e) && !vvAttachIsValid(w, lost) &&
                !vvObstacleIsValid(w, plane));
    vvBodyId fresh = add_block(w, 2, 1, 0);
    vvAttachId again = tie(w, fresh, VV_ATTACH_SPRING, 1);
    obstacle(w, "plane", (double[]){ 0, -1, 0, 0, 1, 0 }, 0);
    assert_true(vvBodyIsValid(w, fresh) && vvAttachIsValid(w, again));
    assert_true(!vvBodyIsValid(w, c) && !vvBodyIsValid(w, e) && !vvAttachIsValid(w, lost) &&
                !vvObstacleIsValid(w, plane));
    vvSnapshotDestroy(s);
    step(w);
    vvWorldDestroy(w);
}

static void the_description_is_shared(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("stvk", 2e4);
    add_cube(w, 0.1, 6, &m);
    steps(w, 2);
    enum { COUNT = 20 };
    vvSnapshot *s[COUNT];
    for (int i = 0; i < COUNT; i++) {
        assert_ok(vvWorldSnapshot(w, &s[i], &error));
        step(w);
    }
    for (int i = 0; i < COUNT; i += 2) /* destroyed in any order, the rest stays usable */
        vvSnapshotDestroy(s[i]);
    assert_true(vvSnapshotBytes(s[1]) > 6 * 343 * sizeof(double));
    assert_int_equal(vvSnapshotBytes(NULL), 0);
    for (int i = COUNT - 1; i > 0; i -= 2) {
        assert_ok(vvWorldRestore(w, s[i], &error));
        assert_int_equal(vvWorldStepIndex(w), 2 + i);
        vvSnapshotDestroy(s[i]);
    }
    vvSnapshotDestroy(NULL);
    vvWorldDestroy(w);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    vvWorld *w = new_world(&d);
    add_block(w, 0, 1, 0);
    step(w);
    vvSnapshot *s;
    assert_ok(vvWorldSnapshot(w, &s, &error));
    expect(vvWorldRestore(w, NULL, &error), VV_ERROR_INPUT, &error, "NULL");
    expect(vvWorldSnapshot(w, NULL, &error), VV_ERROR_INPUT, &error, "NULL");
    vvSnapshotDestroy(s);
    vvWorldDestroy(w);
}

/* A world made otherwise goes on as the one that the snapshot was taken of: with its settings, too. */
static void a_snapshot_brings_its_settings(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "search");
    vvWorld *w = new_world(&d);
    add_block(w, 0, 1, 0);
    steps(w, 3);
    vvSnapshot *s;
    assert_ok(vvWorldSnapshot(w, &s, &error));
    d = live_def("tr-bdf2", "none");
    d.timeStep *= 2;
    d.gravity[1] = 3;
    d.contact.model = "none";
    vvWorld *other = new_world(&d);
    add_block(other, 0, 1, 0);
    step(other);
    assert_ok(vvWorldRestore(other, s, &error));
    assert_string_equal(vvWorldGetDef(other)->integrator.policy, "search");
    for (int i = 0; i < 5; i++) {
        step(w), step(other);
        assert_true(same_world(w, other));
    }
    vvSnapshotDestroy(s);
    vvWorldDestroy(other);
    vvWorldDestroy(w);
}

/* ---- at random --------------------------------------------------------------------------------------------------- */

/* One move of a game, decided by the numbers alone. */
static void play(vvWorld *w, uint32_t *random)
{
    vvError error = { 0 };
    *random = *random * 1664525u + 1013904223u;
    int what = (int)(*random >> 28), at = (int)(*random >> 20) % 16, count = vvWorldBodyCount(w);
    vvBodyId body = vvWorldBody(w, count ? at % count : 0);
    if (what < 4 && count < 6) {
        add_block(w, 0.3 * at, 0.06 + 0.02 * what, 0.1 * what); /* may stand where another does: bodies do not touch */
    } else if (what < 6 && count > 1) {
        assert_ok(vvWorldRemoveBody(w, body, &error));
    } else if (what < 8 && count) {
        tie(w, body, VV_ATTACH_SPRING, 20);
    } else if (what < 10 && count) {
        assert_ok(vvBodyApplyImpulse(w, body, (double[]){ 0.01 * what, 0.02, -0.01 * at }, &error));
    } else if (what == 10 && count) {
        assert_ok(vvBodyApplyForce(w, body, (double[]){ 0.1, 0, 0.1 }, &error));
    } else if (what == 11) {
        obstacle(w, "sphere", (double[]){ 0.2 * at, -2, 0, 1 }, 0.1);
    } else if (what == 12 && vvWorldObstacleCount(w) > 1) {
        assert_ok(vvWorldRemoveObstacle(w, vvWorldObstacleAt(w, 1), &error));
    }
    step(w);
}

static void games_can_be_played_again(void **state)
{
    (void)state;
    static const char *const runs[][2] = { { "backward-euler", "search" },
                                           { "bdf2", "none" },
                                           { "trapezoidal", "none" } };
    enum { MOVES = 60, EVERY = 12 };
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
        vvError error = { 0 };
        vvWorldDef d = live_def(runs[r][0], runs[r][1]);
        vvWorld *w = new_world(&d), *end = new_world(&d);
        vvSnapshot *s[MOVES / EVERY], *last;
        uint32_t seeds[MOVES / EVERY], random = 5 + (uint32_t)r;
        obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.3);
        add_block(w, 0, 0.06, 0.2);
        for (int i = 0; i < MOVES; i++) {
            if (i % EVERY == 0) {
                seeds[i / EVERY] = random;
                assert_ok(vvWorldSnapshot(w, &s[i / EVERY], &error));
            }
            play(w, &random);
        }
        assert_ok(vvWorldSnapshot(w, &last, &error));
        assert_ok(vvWorldRestore(end, last, &error));
        for (int k = MOVES / EVERY - 1; k >= 0; k--) {
            assert_ok(vvWorldRestore(w, s[k], &error));
            random = seeds[k];
            for (int i = k * EVERY; i < MOVES; i++)
                play(w, &random);
            if (!same_world(w, end))
                fail_msg("%s, %s: from snapshot %d the game ends differently", runs[r][0], runs[r][1], k);
            vvSnapshotDestroy(s[k]);
        }
        vvSnapshotDestroy(last);
        vvWorldDestroy(w);
        vvWorldDestroy(end);
    }
}

/* Before the first step, in another world: where a body is put is judged and booked at once there, too. */
static void a_body_is_put_elsewhere_in_another_world(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    d.integrator.groundMode = VV_GROUND_NONE; /* S goes by the work of gravity since the start */
    vvWorld *w = new_world(&d), *other = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    vvBodyId body = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 6, &def);
    obstacle(w, "plane", (double[]){ 0, -0.2, 0, 0, 1, 0 }, -1);
    ledger(w); /* baked */
    vvSnapshot *s;
    assert_ok(vvWorldSnapshot(w, &s, &error));
    assert_ok(vvWorldRestore(other, s, &error));
    int first, n;
    vvBodyNodes(w, body, &first, &n);
    double *x = copy_of(vvWorldPositions(w), 3 * n);
    for (int i = 0; i < n; i++)
        x[3 * i + 1] -= 0.3;
    expect(vvBodySetState(w, body, x, NULL, &error), VV_ERROR_INPUT, &error, "penetrate");
    expect(vvBodySetState(other, body, x, NULL, &error), VV_ERROR_INPUT, &error, "penetrate");
    for (int i = 0; i < n; i++)
        x[3 * i + 1] += 0.5;
    assert_ok(vvBodySetState(w, body, x, NULL, &error));
    assert_ok(vvBodySetState(other, body, x, NULL, &error));
    for (int i = 0; i < 3; i++) {
        vvLedgerRow a = step(w), b = step(other);
        assert_true(a.scale == b.scale && a.target == b.target && a.work == b.work);
    }
    free(x);
    vvSnapshotDestroy(s);
    vvWorldDestroy(w);
    vvWorldDestroy(other);
}

static vvContactEvents stepped_events(vvWorld *w)
{
    vvError error = { 0 };
    vvContactEvents e;
    step(w);
    assert_ok(vvWorldContactEvents(w, &e, &error));
    return e;
}

/* What touched in a snapshot is known, whatever is done before the next step. */
static void contacts_end_that_were_there(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    d.contact.distance = 1e-3;
    vvWorld *w = new_world(&d), *other = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material.damping.drag = 1;
    vvBodyId box[2];
    for (int b = 0; b < 2; b++) {
        def.translate[1] = 0.05 + 5e-4 + b * (0.1 + 5e-4);
        box[b] = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 6, &def);
    }
    obstacle(w, "plane", NULL, -1);
    assert_int_equal(stepped_events(w).touchingCount, 2);
    vvSnapshot *s;
    assert_ok(vvWorldSnapshot(w, &s, &error));
    for (int i = 0; i < 3; i++) {
        vvWorld *at = i == 1 ? other : w;
        assert_ok(vvWorldRestore(at, s, &error));
        if (i < 2)
            assert_ok(vvWorldRemoveBody(at, box[1], &error));
        else
            assert_ok(vvWorldRemoveObstacle(at, vvWorldObstacleAt(at, 0), &error));
        vvContactEvents e = stepped_events(at);
        assert_true(e.beganCount == 0 && e.endedCount == 1 && e.touchingCount == 1);
        assert_true(i < 2 ? e.ended[0].other.index1 > 0 : e.ended[0].obstacle.index1 > 0);
    }
    vvSnapshotDestroy(s);
    vvWorldDestroy(w);
    vvWorldDestroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scheme_goes_on_to_the_same_bits),
        cmocka_unit_test(every_policy_and_solver_goes_on_to_the_same_bits),
        cmocka_unit_test(pending_changes_are_part_of_it),
        cmocka_unit_test(ids_of_a_discarded_future_stay_dead),
        cmocka_unit_test(the_description_is_shared),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(a_snapshot_brings_its_settings),
        cmocka_unit_test(a_body_is_put_elsewhere_in_another_world),
        cmocka_unit_test(contacts_end_that_were_there),
        cmocka_unit_test(games_can_be_played_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
