/* A-search against its definition: the energy after a step is a parabola in alpha, measured with three alphas; the
 * alpha that was taken is its root nearest to 1, or its vertex where it has none; and the sparse variant takes it in
 * some steps only. */
#include "world_support.h"

typedef struct setting {
    double low, high, sparse;
    double decay;  /* s, 0: none */
    double weight; /* factor of density and stiffness */
} setting;

static vvWorld *world_of(const setting *s, bool moving)
{
    vvWorldDef d = free_def("backward-euler", 1.0 / 60, 1e-8);
    vvSetting settings[] = { { "alpha", { s->low, s->high } }, { "sparse", { s->sparse } } };
    vvKey decay = { 0, s->decay };
    d.integrator.policy = "search";
    d.integrator.settings = settings;
    d.integrator.settingCount = 2;
    d.integrator.groundMode = VV_GROUND_GIVEN;
    d.integrator.groundEnergy = 0;
    d.integrator.decayKeys = &decay;
    d.integrator.decayKeyCount = s->decay > 0;
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("fixed-corotated", 2e4 * s->weight);
    m.density *= s->weight;
    vvBodyId body = add_cube(w, 0.1, 2, &m);
    if (moving) {
        set_state(w, body, "linear", (double[]){ 0.1, 0, 0 });
        set_state(w, body, "angular", (double[]){ 3, 1, 5, NAN, NAN, NAN });
        set_state(w, body, "stretch", (double[]){ 1.2, 0.95, 1, NAN, NAN, NAN });
    }
    vvError error = { 0 };
    assert_ok(vvWorldBake(w, &error));
    return w;
}

typedef struct parabola {
    double a, b, c; /* H - T = c - b alpha + a alpha^2 / 2 */
} parabola;

/* Of the step that comes next in w. */
static parabola measure(const vvWorld *w, double decay, double weight)
{
    vvError error = { 0 };
    size_t size = vvWorldStateSize(w);
    void *state = malloc(size);
    double at[3];
    assert_ok(vvWorldSaveState(w, state, size, &error));
    for (int k = 0; k < 3; k++) {
        vvWorld *other = world_of(&(setting){ k - 1, k - 1, 0, decay, weight }, true);
        assert_ok(vvWorldLoadState(other, state, size, &error));
        vvLedgerRow row = step(other);
        assert_near(row.alpha, k - 1, 0);
        at[k] = row.total - row.target;
        vvWorldDestroy(other);
    }
    free(state);
    return (parabola){ at[0] + at[2] - 2 * at[1], 0.5 * (at[0] - at[2]), at[1] };
}

/* The definition, written down as it is found in books. */
static double root_of(const parabola *p)
{
    double discriminant = p->b * p->b - 2 * p->a * p->c;
    if (discriminant <= 0)
        return p->b / p->a;
    double r = sqrt(discriminant), first = (p->b + r) / p->a, second = (p->b - r) / p->a;
    return fabs(first - 1) < fabs(second - 1) ? first : second;
}

static void alpha_is_the_root_nearest_to_one_or_the_vertex(void **state)
{
    (void)state;
    int roots = 0, vertices = 0;
    for (int k = 0; k < 3; k++) {
        const double decay = k == 0 ? 0 : k == 1 ? 0.3 : 0.01;
        vvWorld *w = world_of(&(setting){ -10, 10, 0, decay, 1 }, true);
        for (int i = 0; i < 12; i++) {
            parabola p = measure(w, decay, 1);
            vvLedgerRow row = step(w);
            bool touches = p.b * p.b > 2 * p.a * p.c;
            assert_true(p.a > 0 && fabs(row.alpha) < 10);
            assert_near(row.alpha, root_of(&p), 1e-6 * (1 + fabs(row.alpha)));
            if (touches)
                assert_near(row.total, row.target, 1e-9 * row.scale);
            roots += touches, vertices += !touches;
        }
        vvWorldDestroy(w);
    }
    assert_true(roots > 15 && vertices > 5);
}

/* The range cuts it off; where nothing moves there is nothing to correct. */
static void alpha_stays_in_its_range(void **state)
{
    (void)state;
    vvWorld *w = world_of(&(setting){ 0.4, 0.6, 0, 0, 1 }, true);
    int low = 0, high = 0;
    for (int i = 0; i < 12; i++) {
        double wanted = fmin(fmax(root_of(&(parabola[]){ measure(w, 0, 1) }[0]), 0.4), 0.6);
        double alpha = step(w).alpha;
        assert_near(alpha, wanted, 1e-6);
        low += alpha == 0.4, high += alpha == 0.6;
    }
    assert_true(low > 0 && high > 0);
    vvWorldDestroy(w);
    w = world_of(&(setting){ -10, 10, 0, 0, 1 }, false);
    assert_near(steps(w, 3).alpha, 1, 0);
    vvWorldDestroy(w);
}

/* 1, but where the energies of this step at 1 and of the two before lie on one side of the target. */
static void sparse_searches(double weight)
{
    vvWorld *w = world_of(&(setting){ -10, 10, 1, 0, weight }, true);
    double side[2] = { 0, 0 };
    int searched = 0, left = 0;
    for (int i = 0; i < 24; i++) {
        parabola p = measure(w, 0, weight);
        double excess = p.c - p.b + 0.5 * p.a;
        bool search = i >= 2 && side[0] * excess > 0 && side[1] * excess > 0;
        vvLedgerRow row = step(w);
        assert_near(row.alpha, search ? root_of(&p) : 1, 1e-6 * (1 + fabs(row.alpha)));
        double now = row.total - row.target;
        side[1] = side[0];
        side[0] = fabs(now) > 1e-9 * row.scale ? now : 0;
        searched += search, left += !search;
    }
    assert_true(searched > 2 && left > 10);
    vvWorldDestroy(w);
}

/* Whether the energies are of milligrams or of mountains. */
static void sparse_searches_where_three_energies_lie_on_one_side(void **state)
{
    (void)state;
    for (int k = -1; k < 2; k++)
        sparse_searches(pow(1e6, k));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(alpha_is_the_root_nearest_to_one_or_the_vertex),
                                        cmocka_unit_test(alpha_stays_in_its_range),
                                        cmocka_unit_test(sparse_searches_where_three_energies_lie_on_one_side) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
