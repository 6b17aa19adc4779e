/* Shells and rods, all materials of theirs, with schemes and threads: momenta, energies, the same bits for any number
 * of threads. */
#include "energy_fixture.h"
#include "live_support.h"
#include "size.h"

#include "world/world.h"
#include "positional.h"

/* `more`: what a body of it needs besides, or NULL. */
static const struct {
    const char *model, *more;
    bool rod;
} kinds[] = {
    { "stvk-membrane", NULL, false },    { "neo-hookean-membrane", NULL, false },
    { "hinge", "stvk-membrane", false }, { "midedge", "stvk-membrane", false },
    { "rod-stretch", NULL, true },       { "rod-bending", "rod-stretch", true },
    { "rod", "rod-stretch", true },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Thick, so that bending counts. */
static vvBodyId add_thin(vvWorld *w, int kind, bool large, double rayleigh)
{
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    vvMaterialDef more = material(kinds[kind].model, 1e6);
    vvBodyDef def = vvDefaultBodyDef();
    const double sheet[] = { 0.2, 0.2, large ? 0.012 : 0.05, 0, 1 }, helix[] = { 0.1, 0.05, 1.5, large ? 300 : 16 };
    more.poisson = 0.3, more.damping.rayleigh = rayleigh;
    def.thickness = large ? 0.002 : 0.01;
    def.material = more;
    if (kinds[kind].more) {
        def.material.model = kinds[kind].more;
        def.moreMaterials = &more, def.moreMaterialCount = 1;
    }
    assert_ok(generate_mesh(kinds[kind].rod ? "helix" : "sheet", kinds[kind].rod ? helix : sheet, &mesh, &error));
    vvBodyId id = add_mesh(w, &mesh, &def);
    set_state(w, id, "stretch", (double[]){ 1.1, 1.05, 0.9, NAN, NAN, NAN });
    if (kinds[kind].rod)
        set_state(w, id, "twist", (double[]){ 10, 0.3, 1, 0 });
    else
        set_state(w, id, "bend", (double[]){ 80, 1, 0, 0, 0, 1, 0 });
    set_state(w, id, "angular", (double[]){ 3, -2, 5, NAN, NAN, NAN });
    set_state(w, id, "linear", (double[]){ 0.5, -0.2, 0.1 });
    return id;
}

static vvWorld *thin_world(int kind, const char *scheme, double h, int threads, bool large, double rayleigh)
{
    vvWorldDef d = free_def(scheme, h, 1e-9);
    d.threads = threads;
    d.solver.hessian = "shifted";
    vvWorld *w = new_world(&d);
    add_thin(w, kind, large, rayleigh);
    return w;
}

/* Momentum by every scheme but the one that is not made for it; angular momentum by the midpoint rule, which keeps
 * what is quadratic, and by the symplectic ones of kicks. */
static void momenta(void **state)
{
    (void)state;
    static const char *const angular[] = { "implicit-midpoint", "verlet", "symplectic-euler" };
    for (int k = 0; k < KINDS; k++)
        for (int s = 0; vvSchemeInfo(s); s++) {
            const char *name = vvSchemeInfo(s)->name;
            vvSchemeCheck check;
            vvError error = { 0 };
            bool turns = false;
            assert_ok(vvSchemeSelfCheck(s, &check, &error));
            for (int i = 0; i < 3; i++)
                turns = turns || strcmp(name, angular[i]) == 0;
            if (strcmp(name, "discrete-gradient") == 0)
                continue;
            vvWorld *w = thin_world(k, name, check.explicitScheme ? 2e-6 : 5e-4, 1, false, 0);
            vvLedgerRow a = ledger(w), b = steps(w, 20);
            double p = distance3(a.momentum, b.momentum) / norm3(a.momentum);
            double l = distance3(a.angularMomentumCentre, b.angularMomentumCentre) / norm3(a.angularMomentumCentre);
            if (!(a.elastic > 0 && p < 1e-11 && (!turns || l < 1e-11)))
                fail_msg("%s, %s: P by %g, L by %g", kinds[k].model, name, p, l);
            vvWorldDestroy(w);
        }
}

/* The energy is that of which forces are the slope: what the exact solution keeps a symplectic scheme keeps to its
 * order. */
static void energies(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        double far[2] = { 0 };
        for (int fine = 0; fine < 2; fine++) {
            vvWorld *w = thin_world(k, "verlet", fine ? 5e-6 : 1e-5, 1, false, 0);
            vvLedgerRow a = ledger(w);
            for (int i = 0; i < 500 << fine; i++)
                far[fine] = fmax(far[fine], fabs(step(w).total - a.total) / a.elastic);
            vvWorldDestroy(w);
        }
        print_message("%s: H by %.2g and %.2g of the elastic energy\n", kinds[k].model, far[0], far[1]);
        assert_true(far[0] < 2e-3 && far[1] < 0.35 * far[0]);
        vvWorld *w = thin_world(k, "discrete-gradient", 1e-3, 1, false, 0);
        vvLedgerRow a = ledger(w), b = steps(w, 20);
        assert_near(b.total, a.total, 1e-8 * a.elastic);
        vvWorldDestroy(w);
    }
}

/* The StVK membrane is of fourth degree in the positions: Simpson's rule is exact. */
static void average_vector_field(void **state)
{
    (void)state;
    vvWorld *w = thin_world(0, "avf-simpson", 1e-3, 1, false, 0);
    vvLedgerRow a = ledger(w), b = steps(w, 50);
    assert_near(b.total, a.total, 1e-9 * a.elastic);
    vvWorldDestroy(w);
}

/* Bodies of several blocks, damped too. */
static void threads(void **state)
{
    (void)state;
    static const char *const schemes[] = { "implicit-midpoint", "avf-simpson" };
    for (int k = 0; k < KINDS; k++)
        for (int s = 0; s < 2; s++) {
            vvWorld *one = thin_world(k, schemes[s], 1e-3, 1, true, 1e-3);
            steps(one, 2);
            for (int n = 2; n <= 3; n++) { /* the last with the lanes of an older machine too */
                char *given = getenv("VISVIVA_ISA"), *keep = given ? strdup(given) : NULL;
                if (n == 3)
                    setenv("VISVIVA_ISA", "base", 1);
                vvWorld *w = thin_world(k, schemes[s], 1e-3, n, true, 1e-3);
                steps(w, 2);
                if (!same_world(one, w))
                    fail_msg("%s, %s: %d threads make other bits than one", kinds[k].model, schemes[s], n);
                if (keep)
                    setenv("VISVIVA_ISA", keep, 1);
                else
                    unsetenv("VISVIVA_ISA");
                free(keep);
                vvWorldDestroy(w);
            }
            vvWorldDestroy(one);
        }
}

/* Over several samples in one pass, as one after the other. */
static void sums_over_samples(void **state)
{
    (void)state;
    static const vv_hessian_mode modes[] = { VV_HESSIAN_EXACT, VV_HESSIAN_PROJECTED, VV_HESSIAN_REST };
    for (int k = 0; k < KINDS; k++) {
        vvWorld *w = thin_world(k, "backward-euler", 1e-3, 1, false, 0);
        vvError error = { 0 };
        assert_ok(vvWorldBake(w, &error));
        int n = 3 * w->nodes, seen = 0;
        double *x[2] = { copy_of(w->state.q, n), copy_of(w->rest, n) };
        rng r = { 7 };
        for (int i = 0; i < n; i++)
            x[0][i] += 1e-3 * rng_next(&r), x[1][i] += 5e-3 * rng_next(&r);
        for (int e = 0; e < w->system.energies; e++) {
            if (strcmp(w->system.energy[e]->ops->info.name, kinds[k].model) != 0)
                continue;
            bound b = bind_energy(w->system.energy[e], w->nodes, 5);
            vv_block_target to = target_of(&b);
            size_t values = 9 * (size_t)b.a.nnz;
            for (int m = 0; m < 3; m++) {
                const bool constant = modes[m] == VV_HESSIAN_REST;
                const vv_sample both[2] = { { constant ? NULL : x[0], 0.3, 2 }, { constant ? NULL : x[1], -1.5, 0.7 } };
                double *g[2] = { calloc((size_t)n, sizeof(double)), calloc((size_t)n, sizeof(double)) }, *sum;
                vv_bsr_clear(&b.a, &one_thread);
                b.e->ops->sum_derivatives(b.e, &one_thread, both, 2, modes[m], constant ? NULL : g[0], &to);
                sum = copy_of(b.a.val, (int)values);
                vv_bsr_clear(&b.a, &one_thread);
                for (int i = 0; i < 2; i++) {
                    if (!constant)
                        b.e->ops->derivatives(b.e, &one_thread, x[i], both[i].force, modes[m], g[1], NULL);
                    b.e->ops->derivatives(b.e, &one_thread, both[i].x, both[i].stiffness, modes[m], NULL, &to);
                }
                assert_true(largest(sum, (int)values) > 0);
                assert_true(largest_difference(sum, b.a.val, (int)values) <= 1e-13 * largest(sum, (int)values));
                assert_true(largest_difference(g[0], g[1], n) <= 1e-13 * largest(g[1], n));
                free(g[0]), free(g[1]), free(sum);
            }
            vv_bsr_free(&b.a);
            vv_free(b.slots);
            free(b.unknown);
            seen++;
        }
        assert_int_equal(seen, 1);
        free(x[0]), free(x[1]);
        vvWorldDestroy(w);
    }
}

/* Waves of twist as strong as a rod's edges bear: directors keep away from their edges, so steps have solutions,
 * which keep momenta. */
static void strong_twist(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("implicit-midpoint", 5e-4, 1e-10);
    d.solver.hessian = "shifted";
    vvWorld *w = new_world(&d);
    vvMesh mesh = { 0 };
    vvBodyDef def = vvDefaultBodyDef();
    vvMaterialDef more = material("rod", 1e6);
    more.poisson = 0.3;
    def.material = more, def.material.model = "rod-stretch", def.thickness = 0.01;
    def.moreMaterials = &more, def.moreMaterialCount = 1;
    assert_ok(generate_mesh("helix", (double[]){ 0.1, 0.05, 1.5, 16 }, &mesh, &error));
    vvBodyId id = add_mesh(w, &mesh, &def);
    set_state(w, id, "stretch", (double[]){ 1.3, 0.8, 1.2, NAN, NAN, NAN });
    set_state(w, id, "twist", (double[]){ 10, 0.3, 1, 0 });
    set_state(w, id, "angular", (double[]){ 3, -2, 5, NAN, NAN, NAN });
    vvLedgerRow a = ledger(w), b = steps(w, 240);
    double l = distance3(a.angularMomentumCentre, b.angularMomentumCentre) / norm3(a.angularMomentumCentre);
    print_message("strong twist: L by %.2g, H from %.4g to %.4g J\n", l, a.total, b.total);
    assert_true(l < 1e-10 && fabs(b.total - a.total) < 0.05 * a.total);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momenta), cmocka_unit_test(energies),          cmocka_unit_test(average_vector_field),
        cmocka_unit_test(threads), cmocka_unit_test(sums_over_samples), cmocka_unit_test(strong_twist)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
