/* What holds of trials whatever a policy does with them: kept gradients are of the step that was taken, also where
 * trials were exchanged; a policy that touches what its row does not say fails the step, which changes nothing. */
#include "base/error.h"
#include "solve/vectors.h"
#include "step/inside.h"

static enum { COPIES, EXCHANGES, MOVES, SPEEDS, AGAIN, LOOKS } deed;
/* further trials that, made like the step's own, ended elsewhere; looks that are not as they should be */
static int unlike;

/* Looks from the trial: at other velocities, at positions turned inside out, at others. */
static int look_around(vv_stepper *s, vv_trial *t, vv_trial *b)
{
    const size_t n = vv_node_space(s->system), bytes = n * sizeof *t->q;
    int wrong = 0;
    uint64_t made = t->made;
    vv_trial_copy(s, b, t);
    vv_scale(n, 2, b->v);
    wrong += !vv_trial_look(s, t, t->q, b->v) || t->made == made || memcmp(t->q, b->q, bytes) != 0;
    wrong += !(fabs(t->energies.kinetic - 4 * b->energies.kinetic) <= 1e-12 * t->energies.kinetic) ||
             t->potential != b->potential;
    vv_trial_copy(s, b, t);
    for (size_t i = 0; i < n; i += 3)
        b->q[i] = -b->q[i];
    vv_scale(n, 2, b->v);
    made = t->made;
    const double before[] = { t->potential, t->energies.kinetic, t->q[0], t->v[0], t->gradient[0] };
    wrong += vv_trial_look(s, t, b->q, b->v); /* inside out: E is infinite */
    const double after[] = { t->potential, t->energies.kinetic, t->q[0], t->v[0], t->gradient[0] };
    wrong += memcmp(before, after, sizeof before) != 0;
    for (size_t i = 0; i < n; i++)
        b->q[i] = t->q[i] * (1 + 1e-3 * (double)(i % 3));
    wrong += !vv_trial_look(s, t, b->q, b->v) || memcmp(t->q, b->q, bytes) != 0 || memcmp(t->v, b->v, bytes) != 0;
    vv_trial_copy(s, b, t);
    vv_trial_measure(s, b); /* anew */
    wrong += b->potential != t->potential || b->energies.total != t->energies.total ||
             memcmp(t->gradient, b->gradient, bytes) != 0;
    return wrong;
}

static vvStatus apply(vv_policy_call *call, vvError *error)
{
    vv_stepper *s = call->stepper;
    vv_trial *t = call->trial, *b = vv_trial_take(s), kept;
    if (!b)
        return vv_fail_memory(error, "a second trial");
    vvStatus status = vv_trial_solve(
        s, &(vv_trial_def){ .row = deed == AGAIN ? NULL : vv_scheme_find("implicit-midpoint") }, b, error);
    size_t bytes = vv_node_space(s->system) * sizeof *t->q;
    switch (deed) {
    case COPIES: vv_trial_copy(s, t, b); break;
    case EXCHANGES: kept = *t, *t = *b, *b = kept; break;
    case MOVES: vv_trial_move(s, t, b->q, t->v); break;
    case SPEEDS: vv_scale(vv_node_space(s->system), 0.5, t->v); break;
    case LOOKS: unlike += look_around(s, t, b); break;
    case AGAIN: unlike += memcmp(t->q, b->q, bytes) != 0 || memcmp(t->v, b->v, bytes) != 0; break;
    }
    return status;
}

static const vv_policy_ops vv_policy_rude = { .info = { "rude", "tries things" },
                                              .touches = VV_TOUCHES_POSITIONS | VV_TOUCHES_VELOCITIES,
                                              .trials = 1,
                                              .wants_gradients = true,
                                              .apply = apply };
#define VV_MORE_POLICIES vv_policy_rude
#include "step/policies/policy.c"

#include "live_support.h"
#include "world/world.h"

static vvWorld *make(void)
{
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "rude");
    vvWorld *w = new_world(&d);
    set_state(w, add_block(w, 0, 1, 3), "stretch", (double[]){ 1.2, 0.9, 1, NAN, NAN, NAN });
    assert_ok(vvWorldBake(w, &error));
    return w;
}

static void what_is_kept_is_of_the_step_that_was_taken(void **state)
{
    (void)state;
    vvWorld *w[2];
    for (int k = 0; k < 2; k++) {
        deed = k ? EXCHANGES : COPIES;
        w[k] = make();
        steps(w[k], 20);
        double *g = calloc(3 * (size_t)w[k]->nodes, sizeof *g);
        const double *kept = vv_stepper_start_gradient(w[k]->stepper);
        vv_system_gradient(&w[k]->system, w[k]->state.q, g);
        assert_memory_equal(g, kept, 3 * (size_t)w[k]->nodes * sizeof *g);
        free(g);
    }
    assert_true(same_world(w[0], w[1]));
    vvWorldDestroy(w[0]);
    vvWorldDestroy(w[1]);
}

static void a_row_says_what_its_policy_touches(void **state)
{
    (void)state;
    static const struct {
        int deed;
        unsigned touches;
        const char *word; /* NULL: as the row says */
    } rows[] = { { MOVES, VV_TOUCHES_POSITIONS, NULL },
                 { COPIES, VV_TOUCHES_POSITIONS | VV_TOUCHES_VELOCITIES, NULL },
                 { SPEEDS, VV_TOUCHES_VELOCITIES, NULL },
                 { MOVES, VV_TOUCHES_VELOCITIES, "positions" },
                 { EXCHANGES, VV_TOUCHES_VELOCITIES, "positions" },
                 { COPIES, 0, "positions" },
                 { SPEEDS, VV_TOUCHES_POSITIONS, "velocities" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vvError error = { 0 };
        vvWorld *w = make();
        vv_policy_ops row = vv_policy_rude;
        row.touches = rows[i].touches;
        w->stepper->policy = &row;
        deed = rows[i].deed;
        vvLedgerRow before = ledger(w);
        double x = vvWorldPositions(w)[4];
        vvStatus status = vvWorldStep(w, NULL, &error);
        if (rows[i].word) {
            expect(status, VV_ERROR_SOLVER, &error, rows[i].word);
            assert_true(vvWorldPositions(w)[4] == x && ledger(w).total == before.total);
        } else {
            vvLedgerRow after = ledger(w);
            assert_ok(status);
            assert_true(vvWorldPositions(w)[4] != x);
            assert_near(after.total - before.total,
                        after.work - after.friction - after.damping - after.decay + after.error, 1e-12);
        }
        vvWorldDestroy(w);
    }
}

/* What a world's own solver had learned does not stay where a state of another one comes in: equal worlds go on
 * equally. */
static void a_state_of_another_solver_leaves_nothing_of_this_one(void **state)
{
    (void)state;
    vvError error = { 0 };
    deed = SPEEDS;
    vvWorldDef d = live_def("verlet", "none");
    d.timeStep = 1e-4;
    vvWorld *from = new_world(&d), *fresh = make(), *stepped = make();
    add_block(from, 0, 1, 3);
    steps(from, 3);
    steps(stepped, 40);
    size_t size = vvWorldStateSize(from), learned = vv_stepper_learned_size(fresh->stepper);
    void *saved = malloc(size), *a = calloc(learned, 1), *b = calloc(learned, 1);
    assert_true(learned > 0);
    vv_stepper_save_learned(fresh->stepper, a);
    vv_stepper_save_learned(stepped->stepper, b);
    assert_memory_not_equal(a, b, learned);
    assert_ok(vvWorldSaveState(from, saved, size, &error));
    assert_ok(vvWorldLoadState(fresh, saved, size, &error));
    assert_ok(vvWorldLoadState(stepped, saved, size, &error));
    vv_stepper_save_learned(fresh->stepper, a);
    vv_stepper_save_learned(stepped->stepper, b);
    assert_memory_equal(a, b, learned);
    expect_same(fresh, stepped, 10, "after a state of another solver");
    free(saved), free(a), free(b);
    vvWorldDestroy(from);
    vvWorldDestroy(fresh);
    vvWorldDestroy(stepped);
}

static void what_is_seen_elsewhere_is_what_is_there(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "rude");
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("neo-hookean", 1e5);
    set_state(w, add_cube(w, 0.1, 2, &m), "angular", (double[]){ 3, 2, 30, NAN, NAN, NAN });
    assert_ok(vvWorldBake(w, &error));
    deed = LOOKS;
    unlike = 0;
    steps(w, 3);
    assert_int_equal(unlike, 0);
    vvWorldDestroy(w);
}

/* Whatever was solved before it in the step: also where friction has kept something of that. */
static void a_trial_made_again_ends_alike(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "rude");
    d.contact.distance = 2e-3;
    d.contact.friction = 0.4;
    d.contact.frictionIterations = 1;
    d.gravity[1] = -9.8;
    d.timeStep = 0.01;
    d.solver.tolerance = 1e-3;
    d.solver.linear = "cholesky";
    deed = AGAIN, unlike = 0;
    vvWorld *w = new_world(&d);
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.4);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", 1e5);
    for (int i = 0; i < 2; i++) {
        def.translate[1] = 0.051 + 0.1015 * i;
        vvBodyId id = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 5, &def);
        set_state(w, id, i ? "linear" : "angular",
                  i ? (double[]){ 1, 0, 0.3, NAN, NAN, NAN } : (double[]){ 0, 9, 0, NAN, NAN, NAN });
    }
    assert_ok(vvWorldBake(w, &error));
    steps(w, 30);
    assert_int_equal(unlike, 0);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(what_is_kept_is_of_the_step_that_was_taken),
                                        cmocka_unit_test(a_row_says_what_its_policy_touches),
                                        cmocka_unit_test(a_state_of_another_solver_leaves_nothing_of_this_one),
                                        cmocka_unit_test(a_trial_made_again_ends_alike),
                                        cmocka_unit_test(what_is_seen_elsewhere_is_what_is_there) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
