/* Contact by repulsion springs at the edges: memory that runs out under every solver that takes them, bodies that the
 * host puts elsewhere, friction of a carried surface that hangs on moving nodes. */
#include "visviva/interact.h"
#include "visviva/settings.h"

#include "repulsion_support.h"
#include "short_memory.h"
#include "size.h"
#include "positional.h"

/* ---- memory ---- */

enum { PLENTY = 1 << 30 };

/* A block that falls onto the plane: steps, and a hand that takes hold of it and lets go. */
static vvStatus fall(vvWorld *w, int i, vvDragId *hand, vvError *error)
{
    vvDragDef def = vvDefaultDragDef();
    def.body = vvWorldBody(w, 0), def.vertex = 3, def.radius = 0.15, def.stiffness = 1e4;
    return i == 4   ? vvWorldStartDrag(w, &def, hand, error)
           : i == 6 ? vvWorldEndDrag(w, *hand, error)
                    : vvWorldStep(w, NULL, error);
}
enum { CALLS = 9 };

/* Each allocation in turn is refused: the call fails and says so, works when it is tried again, and the world ends as
 * it would have. */
static void memory_runs_out_anywhere(void **state)
{
    (void)state;
    const int stride = sized(7, 3, 1);
    static const char *const solvers[] = { "newton", "local-global", "lbfgs", "block-descent", "xpbd" };
    for (int f = 0; f < FORMS + 4; f++) { /* all forms under newton, the first under all others */
        vvError error = { 0 };
        vvWorldDef d = springs_def(forms[f < FORMS ? f : 0], "backward-euler", "none");
        d.solver.method = solvers[f < FORMS ? 0 : f - FORMS + 1];
        d.contact.self = false;
        vvWorld *calm = drop_of(&d, 2e-3, "arap");
        vvDragId hand;
        for (int i = 0; i < CALLS; i++)
            assert_ok(fall(calm, i, &hand, &error));
        bool refused = true;
        for (int k = sized_begin(stride); refused; k += stride) {
            budget p = { .left = PLENTY };
            d.host.allocator = budget_allocator(&p);
            vvWorld *w = drop_of(&d, 2e-3, "arap");
            p.left = k;
            refused = false;
            for (int i = 0; i < CALLS; i++) {
                vvStatus status = fall(w, i, &hand, &error);
                if (status != VV_OK) {
                    expect(status, VV_ERROR_MEMORY, &error, "out of memory");
                    p.left = PLENTY;
                    refused = true;
                    assert_ok(fall(w, i, &hand, &error));
                }
            }
            p.left = PLENTY;
            assert_true(same_world(w, calm));
            vvWorldDestroy(w);
            assert_int_equal(p.live, 0);
        }
        vvWorldDestroy(calm);
    }
}

/* The step in which springs first appear: what the world keeps of contact events is taken then, and with xpbd no more
 * than with block descent, which has no memory of springs. */
static void solvers_take_none_for_springs(void **state)
{
    (void)state;
    static const char *const solvers[] = { "block-descent", "xpbd", "xpbd-exact" };
    for (int f = 0; f < FORMS; f++) {
        int taken[3];
        for (size_t s = 0; s < 3; s++) {
            budget p = { .left = PLENTY };
            vvWorldDef d = springs_def(forms[f], "implicit-midpoint", "blend");
            d.solver.method = solvers[s];
            d.contact.self = false;
            d.host.allocator = budget_allocator(&p);
            vvWorld *w = drop_of(&d, 0.05, "arap");
            vvLedgerRow row = steps(w, 3);
            assert_true(row.minGap > 0);
            p.taken = 0;
            for (int i = 0; i < 40 && !(row.contact > 0); i++)
                row = step(w);
            assert_true(row.contact > 0);
            taken[s] = p.taken;
            vvWorldDestroy(w);
        }
        print_message("%s: %d blocks, %d, %d\n", forms[f], taken[0], taken[1], taken[2]);
        assert_true(taken[1] <= taken[0] && taken[2] <= taken[0]);
    }
}

/* A body that is put elsewhere leaves its springs behind: it is not pulled back, and the work of putting it is that
 * of lifting it. */
static void bodies_put_elsewhere_have_no_springs(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++)
        for (int way = 0; way < 2; way++) {
            vvError error = { 0 };
            vvWorldDef d = springs_def(forms[f], "backward-euler", "none");
            vvWorld *w = drop(&d, -1e-3);
            vvLedgerRow row = steps(w, 3);
            const int n = 3 * vvWorldNodeCount(w);
            double *x = copy_of(vvWorldPositions(w), n), *v = calloc((size_t)n, sizeof *v);
            double mass = 0;
            for (int i = 1; i < n; i += 3)
                x[i] += 1, mass += vvWorldMasses(w)[i / 3];
            const double lifted = 9.8 * mass;
            if (way)
                assert_ok(vvWorldSetState(w, x, v, &error));
            else
                assert_ok(vvBodySetState(w, vvWorldBody(w, 0), x, v, &error));
            row = step(w);
            assert_true(fabs(row.work - lifted) < 0.1 * lifted);
            assert_true(row.contact == 0);
            free(x), free(v);
            vvWorldDestroy(w);
        }
}

/* One cell with a finer surface, one side of it driven along a plane: what friction does to that side goes to who
 * drives it. */
static void friction_at_driven_nodes_is_work(void **state)
{
    (void)state;
    for (int rough = 0; rough < 2; rough++) {
        vvError error = { 0 };
        vvWorldDef d = springs_def("bilateral", "discrete-gradient", "none");
        d.timeStep = 5e-3, d.solver.tolerance = 1e-7;
        d.contact.self = false, d.contact.friction = rough ? 0.5 : 0;
        vvWorld *w = new_world(&d);
        vvMesh cell = { 0 }, surface = { 0 };
        assert_ok(generate_mesh("box", (double[]){ 0.2, 0.2, 0.2, 1, 1, 1, 5 }, &cell, &error));
        assert_ok(generate_mesh("box", (double[]){ 0.2, 0.2, 0.2, 4, 4, 4, 5 }, &surface, &error));
        vvBodyDef body = vvDefaultBodyDef();
        body.mesh = &cell, body.surface = &surface, body.surfaceCollides = true;
        body.material = material("stvk", 1e5);
        body.translate[1] = 0.095;
        vvBodyId id;
        assert_ok(vvWorldAddBody(w, &body, &id, &error));
        vvMeshDestroy(&cell);
        vvMeshDestroy(&surface);
        vvAttachDef side = vvDefaultAttachDef();
        side.where = (vvRegion){ .kind = VV_REGION_BOX, .a = { -0.11, -0.02, -1 }, .b = { -0.09, 1, 1 } };
        side.motion.linearVelocity[0] = 1;
        attach(w, id, &side);
        obstacle(w, "plane", NULL, -1);
        vvLedgerRow row = steps(w, sized(20, 60, 100));
        vvLedgerTotals t;
        vvWorldTotals(w, &t);
        print_message("rough %d: friction %.3g J, error %.3g J of S = %.3g J\n", rough, t.friction, t.absError,
                      row.scale);
        assert_true(rough == (t.friction > 1));
        assert_true(t.absError < 0.1 * row.scale);
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(memory_runs_out_anywhere),
                                        cmocka_unit_test(solvers_take_none_for_springs),
                                        cmocka_unit_test(bodies_put_elsewhere_have_no_springs),
                                        cmocka_unit_test(friction_at_driven_nodes_is_work) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
