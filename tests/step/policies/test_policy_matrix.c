/* A policy with a matrix and a factor of its own: velocities are smoothed by (M + h^2 K)^-1 M with the Hessian K of
 * all energies but contact. Translations have no K: momentum stays to the tolerance, on the ground too, where a K of
 * contact would take some. */
#include "base/error.h"
#include "solve/newton/equation_solver.h"
#include "solve/vectors.h"
#include "step/inside.h"

static vvStatus create(const vv_solver_def *def, vv_solver **out, vvError *error)
{
    return vv_equation_solver_create_of(def, sizeof(vv_equation_solver), VV_SELECT_NO_CONTACT, out, error);
}
static const vv_solver_ops smoother = {
    .info = { "smoother", "M + h^2 K" },
    .create = create,
    .destroy = vv_equation_solver_destroy,
    .state_size = vv_equation_solver_state_size,
    .save = vv_equation_solver_save,
    .load = vv_equation_solver_load,
};

typedef struct memory {
    double change;    /* of momentum by the policy so far, kg m/s, as the sum of its amounts */
    double residual;  /* largest one of K x, against differences of gradients */
    int64_t touching; /* steps */
} memory;

/* |M x + h^2 K x - b| / |b|, K x from gradients: free of contact only. */
static double residual(vv_stepper *s, const double *q, const double *x, const double *b)
{
    vv_system *y = s->system;
    size_t mark = vv_arena_mark(&y->arena), n = vv_node_space(y), u = vv_unknown_space(y);
    double *at = vv_arena_push(&y->arena, n, sizeof *at), *g[2], *p = vv_arena_push(&y->arena, n, sizeof *p), worst = 0,
           e = 1e-6;
    vv_unpack(y, x, p);
    for (int k = 0; k < 2; k++) {
        g[k] = vv_arena_push(&y->arena, n, sizeof *at);
        vv_along(n, q, k ? -e : e, p, at);
        vv_system_gradient(y, at, g[k]);
    }
    for (size_t i = 0; i < u; i++) {
        size_t node = (size_t)y->node[i / 3], j = 3 * node + i % 3;
        worst = fmax(worst, fabs(y->mass[node] * x[i] + s->h * s->h * (g[0][j] - g[1][j]) / (2 * e) - b[i]));
    }
    worst /= vv_longest(u, b);
    vv_arena_release(&y->arena, mark);
    return worst;
}

static vvStatus apply(vv_policy_call *call, vvError *error)
{
    vv_stepper *s = call->stepper;
    vv_system *y = s->system;
    vv_trial *t = call->trial;
    memory *m = call->memory;
    vv_equations *k = vv_equations_of(call->solver);
    size_t mark = vv_arena_mark(&y->arena), n = vv_node_space(y), u = vv_unknown_space(y);
    double *b = vv_arena_push(&y->arena, u, sizeof *b), *x = vv_arena_push(&y->arena, u, sizeof *x);
    double *mv = vv_arena_push(&y->arena, n, sizeof *mv), before[3] = { 0 }, after[3] = { 0 };
    for (size_t i = 0; i < n; i++) {
        mv[i] = y->mass[i / 3] * t->v[i];
        before[i % 3] += mv[i];
    }
    vv_pack(y, mv, b);
    vvStatus status = vv_assembly_ready(&k->assembly, error);
    vv_assembly_begin(&k->assembly);
    vv_assembly_add_mass(&k->assembly, 1);
    vv_assembly_add_energies(y, t->q, s->h * s->h, VV_HESSIAN_EXACT, NULL, &k->assembly);
    vv_assembly_end(&k->assembly);
    vv_linear_stats linear = { 0 };
    vv_zero(u, x);
    if (status == VV_OK)
        status = vv_equations_solve(k, b, x, 1e-11, &linear, error);
    if (t->energies.contact > 0)
        m->touching++;
    else
        m->residual = fmax(m->residual, residual(s, t->q, x, b));
    vv_unpack(y, x, t->v);
    for (size_t i = 0; i < n; i++)
        after[i % 3] += y->mass[i / 3] * t->v[i];
    for (int c = 0; c < 3; c++)
        m->change += fabs(after[c] - before[c]);
    call->alpha = 1;
    vv_arena_release(&y->arena, mark);
    return status;
}

static const vv_policy_ops vv_policy_smooth = {
    .info = { "smooth", "velocities without their fast parts" },
    .touches = VV_TOUCHES_VELOCITIES,
    .vectors = 8,
    .solver = &smoother,
    .memory = sizeof(memory),
    .apply = apply,
};
#define VV_MORE_POLICIES vv_policy_smooth
#include "step/policies/policy.c"

#include "live_support.h"
#include "world/world.h"

/* Two blocks that come down; the matrix over unknowns that are all free. */
static vvWorld *falling(const char *policy)
{
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", policy);
    vvObstacleDef plane = vvDefaultObstacleDef();
    d.timeStep = 1e-2;
    vvWorld *w = new_world(&d);
    assert_ok(vvWorldAddObstacle(w, &plane, NULL, &error));
    for (int k = 0; k < 2; k++)
        set_state(w, add_block(w, 0.3 * k, 0.1 + 0.03 * k, 3), "stretch", (double[]){ 1.2, 0.9, 1, NAN, NAN, NAN });
    assert_ok(vvWorldBake(w, &error));
    return w;
}

static void solves_with_a_matrix_of_its_own(void **state)
{
    (void)state;
    vvWorld *w = falling("smooth");
    memory *m = (void *)w->state.policy.data;
    double fastest = 0;
    for (int k = 0; k < 60; k++) {
        vvLedgerRow before = ledger(w), row;
        step(w);
        row = ledger(w);
        assert_true(row.policyChange <= 1e-12); /* K is semidefinite but for what is pressed together hard */
        fastest = fmin(fastest, row.policyChange);
        assert_near(row.total - before.total, row.work - row.friction - row.damping - row.decay + row.error, 1e-12);
    }
    assert_true(m->touching > 5 && m->touching < 60);
    assert_true(fastest < -1e-4); /* it does something */
    assert_less(m->residual, 1e-6);
    assert_less(m->change, 1e-9);
    vvWorldDestroy(w);
}

static void what_it_learned_goes_along(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = falling("smooth"), *plain = falling("none"), *other = falling("smooth");
    vvSnapshot *snapshot;
    steps(w, 7);
    assert_ok(vvWorldSnapshot(w, &snapshot, &error));
    assert_ok(vvWorldRestore(other, snapshot, &error));
    size_t learned = vv_linear_find(w->def.solver.linear)->state_size;
    assert_true(learned > 0 && w->memory.valid && w->memory.size == 2 * learned); /* Newton's, and its own */
    expect_same(w, other, 20, "restored");
    assert_true(vvWorldStateSize(plain) < vvWorldStateSize(w));
    assert_ok(vvWorldRestore(plain, snapshot, &error)); /* with the policy, and what it had learned */
    assert_ok(vvWorldRestore(w, snapshot, &error));
    expect_same(w, plain, 20, "restored under another policy");
    vvSnapshotDestroy(snapshot);
    vvWorldDestroy(w);
    vvWorldDestroy(plain);
    vvWorldDestroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(solves_with_a_matrix_of_its_own),
                                        cmocka_unit_test(what_it_learned_goes_along) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
