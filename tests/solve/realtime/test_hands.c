/* Hands and small spring attachments that come and go under solvers with a constant factor: no other factor is made,
 * steps end where Newton's do and converge as with a factor that has them in it, whatever their stiffness; the same
 * bits however it came to be so; no memory is taken once warm, and where there is none a step fails and works again. */
#include "visviva/interact.h"
#include "visviva/settings.h"

#include "budget_support.h"
#include "live_support.h"
#include "short_memory.h"
#include "size.h"

/* The solvers that make a constant factor; NULL past the end. */
static const char *with_factor(int index)
{
    for (int m = 0; solver_at(m); m++) {
        vvError error = { 0 };
        vvStepReport report;
        vvWorldDef d = def_of(solver_at(m), "backward-euler");
        vvWorld *w = new_world(&d);
        add_bar(w, material_for(solver_at(m), 0), 1e4, 1);
        assert_ok(vvWorldStep(w, &report, &error));
        vvWorldDestroy(w);
        if (report.factors > 0 && index-- == 0)
            return solver_at(m);
    }
    return NULL;
}

/* A bar held at one end by prescribed nodes; of so many cells. */
static vvWorld *bar_of(const vvWorldDef *d, const char *model, int cells, vvBodyId *bar)
{
    vvWorld *w = new_world(d);
    vvAttachDef wall = vvDefaultAttachDef();
    wall.where = (vvRegion){ .kind = VV_REGION_PERCENT, .b = { 1, 100, 100 } };
    *bar = add_bar(w, model, 2e4, cells);
    attach(w, *bar, &wall);
    return w;
}

/* Takes hold of the last vertex and what is near it, and pulls. */
static vvDragId grip(vvWorld *w, vvBodyId bar, double radius, double stiffness)
{
    vvError error = { 0 };
    vvDragDef def = vvDefaultDragDef();
    vvDragId drag;
    def.body = bar, def.vertex = vvWorldNodeCount(w) - 1, def.radius = radius, def.stiffness = stiffness;
    def.here = false;
    memcpy(def.target, vvWorldPositions(w) + 3 * def.vertex, sizeof def.target);
    def.target[1] += 0.02;
    assert_ok(vvWorldStartDrag(w, &def, &drag, &error));
    return drag;
}

static vvAttachId pin(vvWorld *w, vvBodyId bar)
{
    vvError error = { 0 };
    vvAttachDef def = vvDefaultAttachDef();
    vvAttachId id;
    def.kind = VV_ATTACH_SPRING, def.stiffness = 300;
    def.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 45, 0, 0 }, .b = { 55, 100, 100 } };
    assert_ok(vvBodyAttach(w, bar, &def, &id, &error));
    assert_in_range(vvAttachNodes(w, id, NULL, 0), 3, 4);
    return id;
}

/* A drag begins, a pin is added, the drag ends, the pin goes; each phase lasts some steps. */
static void they_come_and_go_without_a_factor(void **state)
{
    (void)state;
    static const double stiffness[] = { 5, 1e4, 1e7 };
    static const char *const scheme[] = { "backward-euler", "implicit-midpoint", "tr-bdf2" };
    for (int m = 0; with_factor(m); m++)
        for (int k = 0; k < 3; k++)
            for (int radius = 0; radius < 2; radius++) {
                vvError error = { 0 };
                vvBodyId bar;
                vvDragId drag[2];
                vvAttachId pinned[2];
                vvWorld *w[2];
                const char *model = material_for(with_factor(m), k);
                for (int i = 0; i < 2; i++) {
                    vvWorldDef d = def_of(i ? "newton" : with_factor(m), scheme[(m + k) % 3]);
                    d.solver.budget = i ? 0 : 100000;
                    w[i] = bar_of(&d, model, 6, &bar);
                }
                int factors = 0, first = 0;
                for (int n = 0; n < 15; n++) {
                    vvStepReport report;
                    for (int i = 0; i < 2; i++) {
                        if (n == 3)
                            drag[i] = grip(w[i], bar, radius ? 0.12 : 0, stiffness[k]);
                        if (n == 6)
                            pinned[i] = pin(w[i], bar);
                        if (n == 9)
                            assert_ok(vvWorldEndDrag(w[i], drag[i], &error));
                        if (n == 12)
                            assert_ok(vvWorldDetach(w[i], pinned[i], &error));
                    }
                    assert_ok(vvWorldStep(w[0], &report, &error));
                    step(w[1]);
                    factors += report.factors;
                    first = n == 0 ? factors : first;
                    for (int c = 0; c < 3 * vvWorldNodeCount(w[0]); c++)
                        if (!(fabs(vvWorldPositions(w[0])[c] - vvWorldPositions(w[1])[c]) < 2e-7))
                            fail_msg("%s, %g N/m, step %d: %g m off", with_factor(m), stiffness[k], n,
                                     fabs(vvWorldPositions(w[0])[c] - vvWorldPositions(w[1])[c]));
                }
                assert_true(first > 0);
                assert_int_equal(factors, first);
                vvWorldDestroy(w[0]);
                vvWorldDestroy(w[1]);
            }
}

/* A hand on more than 16 nodes, and the same springs as an attachment, which is in the factor: with few iterations
 * both go the same way. With more than 128 it is solved by iterations, and nearly so. */
static void they_converge_as_with_a_factor_of_their_own(void **state)
{
    (void)state;
    for (int m = 0; with_factor(m); m++)
        for (int many = 0; many < 2; many++)
            for (int k = 0; k < 3; k++) {
                const double stiffness = (double[]){ 5, 1e4, 1e7 }[k];
                vvError error = { 0 };
                vvBodyId bar;
                vvWorld *w[2];
                vvStepReport report[2];
                int held = 0;
                double *before = NULL;
                for (int i = 0; i < 2; i++) {
                    vvWorldDef d = def_of(with_factor(m), "backward-euler");
                    d.solver.budget = 4;
                    d.timeStep = 1.0 / 30;
                    w[i] = bar_of(&d, material_for(with_factor(m), 0), 40, &bar);
                    step(w[i]);
                    if (i == 0) {
                        before = copy_of(vvWorldPositions(w[i]), 3 * vvWorldNodeCount(w[i]));
                        grip(w[i], bar, many ? 3.5 : 0.6, stiffness);
                    } else {
                        vvAttachDef def = vvDefaultAttachDef();
                        int list[200];
                        const int last = vvWorldNodeCount(w[i]) - 1;
                        for (int n = 0; n <= last; n++)
                            if (distance3(vvWorldPositions(w[i]) + 3 * n, vvWorldPositions(w[i]) + 3 * last) <=
                                (many ? 3.5 : 0.6))
                                list[held++] = n;
                        def.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = list, .listCount = held };
                        def.kind = VV_ATTACH_SPRING, def.stiffness = stiffness / held;
                        def.motion.waypointCount = 2;
                        def.motion.waypoints = (vvWaypoint[]){ { .time = d.timeStep },
                                                               { .time = 2 * d.timeStep, .offset = { 0, 0.02, 0 } } };
                        attach(w[i], bar, &def);
                    }
                    assert_ok(vvWorldStep(w[i], &report[i], &error));
                    assert_true((report[i].factors == 0) == (i == 0));
                    assert_true((report[i].pcgIterations > 0) == (i == 0 && many));
                }
                assert_true(many ? held > 128 : held > 16 && held < 128);
                double way = mass_distance(w[0], vvWorldPositions(w[1]), before);
                double apart = mass_distance(w[0], vvWorldPositions(w[0]), vvWorldPositions(w[1]));
                print_message("%s, %d nodes, %g N/m: %g of the way apart, %d iterations\n", with_factor(m), held,
                              stiffness, apart / way, report[0].pcgIterations);
                free(before);
                assert_less(apart, (many ? 0.02 : 1e-7) * way);
                vvWorldDestroy(w[0]);
                vvWorldDestroy(w[1]);
            }
}

/* An attachment of many nodes is in the factor, and stays there whatever hands do; it costs one where it comes and
 * where it goes. With another step there is another factor, and what hands add is made of that. */
static void large_attachments_and_steps_make_one(void **state)
{
    (void)state;
    for (int m = 0; with_factor(m); m++) {
        vvError error = { 0 };
        vvBodyId bar;
        vvAttachId large;
        vvStepReport report;
        vvWorld *w[2];
        vvAttachDef def = vvDefaultAttachDef();
        def.kind = VV_ATTACH_SPRING, def.stiffness = 20;
        def.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 50, 0, 0 }, .b = { 100, 100, 100 } };
        for (int i = 0; i < 2; i++) {
            vvWorldDef d = def_of(i ? "newton" : with_factor(m), "backward-euler");
            d.solver.budget = i ? 0 : 100000;
            w[i] = bar_of(&d, "arap", 12, &bar);
            assert_ok(vvBodyAttach(w[i], bar, &def, &large, &error));
        }
        assert_true(vvAttachNodes(w[0], large, NULL, 0) > 16);
        for (int n = 0; n < 12; n++) {
            for (int i = 0; i < 2; i++) {
                if (n == 2)
                    grip(w[i], bar, 0.12, 200);
                if (n == 4)
                    assert_ok(vvWorldDetach(w[i], large, &error));
                if (n > 5)
                    assert_ok(vvWorldSetTimeStep(w[i], 0.002 * (n % 2 ? n : 1.0 / n), &error));
            }
            assert_ok(vvWorldStep(w[0], &report, &error));
            step(w[1]);
            assert_int_equal(report.factors, n == 0 || n == 4 || n > 5);
            for (int c = 0; c < 3 * vvWorldNodeCount(w[0]); c++)
                if (!(fabs(vvWorldPositions(w[0])[c] - vvWorldPositions(w[1])[c]) < 2e-7))
                    fail_msg("%s, step %d: %g m off", with_factor(m), n,
                             fabs(vvWorldPositions(w[0])[c] - vvWorldPositions(w[1])[c]));
            if (n > 5 && report.newtonIterations > 100)
                fail_msg("%s, step %d: %d iterations", with_factor(m), n, report.newtonIterations);
        }
        vvWorldDestroy(w[0]);
        vvWorldDestroy(w[1]);
    }
}

/* ---- the same bits ---- */

/* With a hand that other hands came before, and restored to before it came; saved to, and loaded by, a world that
 * never had these. */
static void what_was_before_does_not_matter(void **state)
{
    (void)state;
    for (int m = 0; with_factor(m); m++)
        for (int many = 0; many < 2; many++) {
            vvError error = { 0 };
            vvBodyId bar;
            vvSnapshot *snapshot;
            vvWorldDef d = def_of(with_factor(m), "implicit-midpoint");
            d.solver.budget = 5;
            d.integrator.policy = "blend";
            vvWorld *a = bar_of(&d, material_for(with_factor(m), 0), 40, &bar),
                    *b = bar_of(&d, material_for(with_factor(m), 0), 40, &bar);
            steps(a, 3), steps(b, 3);
            assert_ok(vvWorldSnapshot(a, &snapshot, &error));
            for (int i = 0; i < 4; i++) { /* in a only: then undone */
                vvDragId drag = grip(a, bar, 0.3 * i, 10 * i);
                steps(a, 2);
                assert_ok(vvWorldEndDrag(a, drag, &error));
                steps(a, 1);
            }
            assert_ok(vvWorldRestore(a, snapshot, &error));
            grip(a, bar, many ? 3.5 : 0.2, 50);
            grip(b, bar, many ? 3.5 : 0.2, 50);
            expect_same(a, b, 3, "after other hands");
            vvWorldDestroy(b);
            vvSnapshotDestroy(snapshot);
            /* a world that has this hand from the first step on, and makes its factor with it there */
            b = bar_of(&d, material_for(with_factor(m), 0), 40, &bar);
            assert_ok(vvWorldSnapshot(a, &snapshot, &error));
            assert_ok(vvWorldRestore(b, snapshot, &error));
            expect_same(a, b, 3, "restored with the hand");
            vvSnapshotDestroy(snapshot);
            vvWorldDestroy(a);
            vvWorldDestroy(b);
        }
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    for (int m = 0; with_factor(m); m++)
        for (int many = 0; many < 2; many++) {
            vvWorld *w[3];
            for (int t = 0; t < 3; t++) {
                vvBodyId bar;
                vvWorldDef d = def_of(with_factor(m), "implicit-midpoint");
                d.threads = t + 1;
                w[t] = bar_of(&d, material_for(with_factor(m), 0), sized(40, 400, 1000), &bar);
                steps(w[t], 1);
                grip(w[t], bar, many ? 3.5 : 0.3, 100);
                steps(w[t], 3);
            }
            assert_true(same_world(w[0], w[1]) && same_world(w[0], w[2]));
            for (int t = 0; t < 3; t++)
                vvWorldDestroy(w[t]);
        }
}

/* ---- memory ---- */

static void memory_may_run_short(void **state)
{
    (void)state;
    const int stride = sized(5, 2, 1);
    for (int m = 0; with_factor(m); m++)
        for (int many = 0; many < 2; many++) {
            bool done = false;
            vvError error = { 0 };
            vvBodyId bar;
            vvWorldDef d = def_of(with_factor(m), "implicit-midpoint");
            vvWorld *calm = bar_of(&d, material_for(with_factor(m), 0), 40, &bar);
            steps(calm, 1);
            grip(calm, bar, many ? 3.5 : 0.3, 100);
            steps(calm, 3);
            for (int k = sized_begin(stride); !done; k += stride) {
                budget b = { .left = 1 << 30 };
                d.host.allocator = budget_allocator(&b);
                vvWorld *w = bar_of(&d, material_for(with_factor(m), 0), 40, &bar);
                steps(w, 1);
                grip(w, bar, many ? 3.5 : 0.3, 100);
                b.left = k;
                vvStatus status = vvWorldStep(w, NULL, &error);
                done = b.left >= 0;
                b.left = 1 << 30;
                if (!done)
                    assert_int_equal(status, VV_ERROR_MEMORY);
                if (status != VV_OK)
                    assert_ok(vvWorldStep(w, NULL, &error));
                b.left = 0; /* warm: none is asked for, whatever the hand does */
                b.taken = 0;
                step(w);
                assert_int_equal(b.taken, 0);
                b.left = 1 << 30;
                step(w);
                assert_true(same_world(w, calm));
                vvWorldDestroy(w);
                assert_int_equal(b.live, 0);
            }
            vvWorldDestroy(calm);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_come_and_go_without_a_factor),
        cmocka_unit_test(they_converge_as_with_a_factor_of_their_own),
        cmocka_unit_test(large_attachments_and_steps_make_one),
        cmocka_unit_test(what_was_before_does_not_matter),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(memory_may_run_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
