/* Friction between bodies has the primal-dual Hessian of contact/friction/slip.h, too: past a reversal of the sliding
 * it resists, and the next lagging forgets that. */
#include "live_support.h"
#include "random_support.h"
#include "world/world.h"

static const double SPEED = 1, EPS = 1e-3;

static vv_energy *friction_of(const vvWorld *w)
{
    const vv_system *s = &w->system;
    for (int i = 0; i < s->dissipations; i++)
        if (strcmp(s->dissipation[i]->ops->info.name, "surface-friction") == 0)
            return s->dissipation[i];
    fail_msg("there is no friction between surfaces");
    return NULL;
}

/* A block half of the contact distance over another. */
static vvWorld *two_blocks(bool convergent, vvBodyId *upper)
{
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    d.contact.distance = 2e-3;
    d.contact.convergent = convergent;
    d.contact.friction = 0.5;
    d.contact.frictionSpeed = EPS;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", 1e5);
    add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 5, &def);
    def.translate[0] = 0.013, def.translate[1] = 0.101, def.translate[2] = 0.007;
    *upper = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 3, 2, 3 }, 5, &def);
    assert_ok(vvWorldBake(w, &error));
    return w;
}

/* p^T H p at the velocities v */
static double along(vvWorld *w, const double *v, const double *p, vv_hessian_mode mode)
{
    vv_system *s = &w->system;
    vv_pattern pattern = { .n = s->unknowns };
    vv_bsr a;
    size_t n = 3 * (size_t)w->nodes;
    double *unknowns = malloc(n * sizeof *p), *product = malloc(n * sizeof *p);
    vv_energy *e = friction_of(w);
    assert_int_equal(vv_bsr_build(&a, &pattern, NULL), VV_OK);
    vv_bsr_clear(&a, &w->par);
    e->ops->derivatives(e, &w->par, v, 1, mode, NULL, &(vv_block_target){ &a, s->unknown, NULL });
    vv_bsr_finish(&a);
    assert_int_equal(vv_bsr_status(&a, NULL), VV_OK);
    vv_pack(s, p, unknowns);
    vv_bsr_multiply(&a, &w->par, unknowns, product);
    double sum = vv_sum_dot(s, unknowns, product, 3 * s->unknowns);
    vv_bsr_free(&a);
    free(unknowns), free(product);
    return sum;
}

static void reversed_sliding_stiffens(void **state)
{
    (void)state;
    for (int convergent = 0; convergent < 2; convergent++) {
        vvBodyId upper;
        vvWorld *w = two_blocks(convergent, &upper);
        vv_energy *e = friction_of(w);
        int n = 3 * w->nodes, first, count;
        double *v = calloc((size_t)n, sizeof *v), *back = calloc((size_t)n, sizeof *v),
               *p = calloc((size_t)n, sizeof *v);
        vvBodyNodes(w, upper, &first, &count);
        for (int i = first; i < first + count; i++)
            v[3 * i] = SPEED, back[3 * i] = -SPEED;
        for (int forgotten = 0; forgotten < 2; forgotten++) {
            e->ops->lag(e, &w->par, w->state.q, v, 0.01);
            double size = e->ops->value(e, &w->par, v, NULL);
            assert_true(size > 0);
            assert_near(along(w, v, v, VV_HESSIAN_PROJECTED), 0, 1e-9 * size); /* it slides: flat */
            assert_near(e->ops->value(e, &w->par, back, NULL), size, 1e-9 * size);
            if (forgotten)
                e->ops->lag(e, &w->par, w->state.q, v, 0.01);
            assert_near(along(w, back, v, VV_HESSIAN_EXACT), 0, 1e-9 * size);
            /* twice the pull over the speed, where the value is the pull times the speed, less its rounded corner */
            double stiff = forgotten ? 0 : 2 * (size / (1 - EPS / (3 * SPEED)));
            assert_near(along(w, back, v, VV_HESSIAN_PROJECTED), stiff, 1e-3 * size);
            for (int k = 0; k < 20; k++) {
                for (int i = 0; i < n; i++)
                    p[i] = within(-1, 1);
                assert_true(along(w, back, p, VV_HESSIAN_PROJECTED) >= -1e-9 * size / EPS);
            }
        }
        free(v), free(back), free(p);
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(reversed_sliding_stiffens) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
