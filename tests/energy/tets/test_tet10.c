/* layer: energy
 * Tets of order 2, with each tet material: in affine states what linear tets are (patch test), derivatives against
 * differences on curved elements, projection, momenta, determinant, step to inversion, damping, the model at rest. */
#include "energy_fixture.h"

#include "base/error.h"
#include "energy/batch/rayleigh.h"
#include "energy/quadratic.h"
#include "energy/tets/materials.h"
#include "energy/tets/tet10.h"
#include "energy/tets/tets.h"
#include "visviva/mesh.h"

static const double mu = 3, la = 5;

/* A mesh of order 2 of distorted tets; middles moved by `curved` times an edge. */
static vvMesh make_mesh(int cells, double jitter, double curved)
{
    grid g = make_grid(cells, jitter);
    rng r = { 11 };
    vvMesh given = { .vertexCount = g.nodes, .tetCount = g.tets, .positions = g.x, .tets = g.tet }, mesh;
    assert_int_equal(vvMeshCopy(&given, &mesh, NULL), VV_OK);
    assert_int_equal(vvMeshRaise(&mesh, NULL), VV_OK);
    for (int i = 3 * g.nodes; i < 3 * mesh.vertexCount; i++)
        mesh.positions[i] += curved / cells * rng_next(&r);
    free_grid(&g);
    return mesh;
}

/* The energy of one part, as a world makes it. */
static vv_energy *make_energy(int rule, int model, const vvMesh *mesh)
{
    const vv_element_kind *kind = vv_tet10_kinds + rule * VV_MATERIAL_COUNT + model;
    const vv_material material = { .kind = kind, .mu = mu, .lambda = la };
    const vv_element_part part = { .material = &material,
                                   .tet_count = mesh->tetCount,
                                   .tets = mesh->tets,
                                   .tet10_count = mesh->tet10Count,
                                   .tets10 = mesh->tets10 };
    const vv_element_input in = { mesh->vertexCount, mesh->positions, 1, &part };
    vv_energy *e = NULL;
    vvError error = { 0 };
    if (kind->create(kind, &in, &e, &error))
        fail_msg("%s", error.message);
    assert_non_null(e);
    return e;
}

/* x = F X + c at all nodes. */
static void affine(const vvMesh *mesh, const double f[9], double *x)
{
    for (int i = 0; i < mesh->vertexCount; i++) {
        vv_matvec(f, mesh->positions + 3 * i, x + 3 * i);
        for (int k = 0; k < 3; k++)
            x[3 * i + k] += 0.3 * k - 0.1;
    }
}

static bool inverts(int model) { return !vv_tet_kinds[model].inversion_free; }

/* ---- the table ---- */

static void rows(void **unused)
{
    (void)unused;
    int count = 0;
    while (vvMaterialInfo(count))
        count++;
    for (int i = 0; i < VV_TET10_KINDS; i++) {
        const int m = i % VV_MATERIAL_COUNT, rule = i / VV_MATERIAL_COUNT;
        assert_ptr_equal(vv_element_kind_order2(vv_tet_kinds + m, rule), vv_tet10_kinds + i);
        assert_ptr_equal(vv_element_kind_at(count + i), vv_tet10_kinds + i);
        assert_string_equal(vv_tet10_kinds[i].info.name, vv_tet_kinds[m].info.name);
        assert_int_equal(vv_tet10_kinds[i].inversion_free, vv_tet_kinds[m].inversion_free);
        assert_int_equal(vv_tet10_kinds[i].rule, rule);
    }
    assert_null(vv_element_kind_order2(vv_element_kind_find("hooke"), 0));
}

/* ---- patch test ---- */

/* In an affine state the energy is that of linear tets, at any distortion, and inner nodes are in equilibrium; on
 * curved elements too by the rule of degree 5, and nearly by that of degree 2. */
static void patch(void **unused)
{
    (void)unused;
    static const double states[][3] = { { 1, 1, 1 }, { 1.2, 0.9, 1.05 }, { 0.5, 1.4, 0.8 }, { 1.1, 0.7, -0.6 } };
    for (int kind = 0; kind < 4; kind++) {
        const int rule = kind / 2;
        const bool curved = kind % 2, exact = rule == 1 || !curved;
        vvMesh mesh = make_mesh(2, 0.15, curved ? 0.08 : 0);
        const int n = mesh.vertexCount;
        double *x = malloc(3 * (size_t)n * sizeof *x), *g = malloc(3 * (size_t)n * sizeof *g), *rest = mesh.positions;
        bool *outer = calloc((size_t)n, sizeof *outer);
        for (int i = 0; i < 3 * mesh.triangleCount; i++)
            outer[mesh.triangles[i]] = true;
        double volume = 0;
        for (int t = 0; t < mesh.tet10Count; t++) {
            double share[10];
            volume += vv_tet10_lump(rest, mesh.tets10 + 10 * t, share);
        }
        rng r = { 3 };
        for (int m = 0; m < VV_MATERIAL_COUNT; m++)
            for (int s = 0; s < 4; s++) {
                if (states[s][2] < 0 && !inverts(m))
                    continue;
                double f[9], one[12], unit[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
                random_with_values(&r, states[s], f);
                bound b = bind_energy(make_energy(rule, m, &mesh), n, 0);
                affine(&mesh, f, x);
                vv_tets_body body = { 0, 1, (int[]){ 0, 1, 2, 3 }, mu, la };
                vv_energy *linear;
                assert_int_equal(vv_tets_create(m, 4, unit, 1, &body, &linear, NULL), VV_OK);
                for (int a = 0; a < 4; a++)
                    vv_matvec(f, unit + 3 * a, one + 3 * a);
                const double density = 6 * linear->ops->value(linear, &one_thread, one, NULL);
                linear->ops->destroy(linear);
                const double whole = exact ? 1e-12 : 2e-3;
                assert_true(fabs(energy_at(&b, x) - density * volume) <= whole * density * volume + 1e-13);
                gradient_at(&b, x, g);
                double inner = 0, all = 0;
                for (int v = 0; v < n; v++)
                    for (int k = 0; k < 3; k++) {
                        all = fmax(all, fabs(g[3 * v + k]));
                        inner = outer[v] ? inner : fmax(inner, fabs(g[3 * v + k]));
                    }
                assert_true(inner <= (exact ? 1e-12 : 0.05) * (all + 1));
                assert_true(exact || s == 0 || inner > 1e-6 * all);
                assert_true(s > 0 ? all > 0.01 : all < 1e-12);
                free_bound(&b);
            }
        free(x), free(g), free(outer);
        vvMeshDestroy(&mesh);
    }
}

/* ---- derivatives ---- */

/* Of a curved element: at rest, at random, flattened, far inverted. */
static void differences(void **unused)
{
    (void)unused;
    static const double states[][3] = { { 1, 1, 1 },        { 1.3, 1.1, 0.8 },  { 0.5, 0.6, 0.4 },
                                        { 1.4, 1.2, 0.05 }, { 1.2, 0.9, -0.5 }, { 2, 1.5, -1 } };
    vvMesh mesh = make_mesh(1, 0.1, 0.1);
    const int n = mesh.vertexCount;
    double *x = malloc(3 * (size_t)n * sizeof *x), worst = 0;
    rng r = { 5 };
    for (int i = 0; i < VV_TET10_KINDS; i++)
        for (size_t s = 0; s < sizeof states / sizeof *states; s++) {
            const int m = i % VV_MATERIAL_COUNT, rule = i / VV_MATERIAL_COUNT;
            double f[9];
            if (states[s][2] < 0.3 && !inverts(m))
                continue;
            random_with_values(&r, states[s], f);
            affine(&mesh, f, x);
            for (int k = 0; s > 0 && k < 3 * n; k++)
                x[k] += 0.02 * rng_next(&r);
            bound b = bind_energy(make_energy(rule, m, &mesh), n, 0);
            const double error = difference_error(&b, x, 1e-6, 1);
            if (error > 2e-6)
                fail_msg("%s, rule %d, state %zu: %g", vv_tet_kinds[m].info.name, rule, s, error);
            worst = fmax(worst, error);
            free_bound(&b);
        }
    assert_true(worst > 1e-12); /* they were compared */
    free(x);
    vvMeshDestroy(&mesh);
}

/* The projected Hessian is semidefinite, is the exact one where that is, and both act on translations as nothing. */
static void projection(void **unused)
{
    (void)unused;
    vvMesh mesh = make_mesh(1, 0.1, 0.05);
    for (int t = 1; t < mesh.tet10Count; t++) /* one element is enough: its nodes alone */
        memcpy(mesh.tets10 + 10 * t, mesh.tets10, 10 * sizeof(int));
    mesh.tet10Count = 1;
    const int n = mesh.vertexCount, size = 9 * n * n;
    double *x = malloc(3 * (size_t)n * sizeof *x), *exact = malloc((size_t)size * sizeof *exact),
           *projected = malloc((size_t)size * sizeof *projected);
    int differ = 0;
    rng r = { 9 };
    for (int kind = 0; kind < VV_TET10_KINDS; kind++)
        for (int s = 0; s < 2; s++) {
            const int m = kind % VV_MATERIAL_COUNT, rule = kind / VV_MATERIAL_COUNT;
            const double values[2][3] = { { 1, 1, 1 }, { 0.6, 0.5, 0.4 } };
            double f[9];
            random_with_values(&r, values[s], f);
            affine(&mesh, f, x);
            for (int i = 0; s > 0 && i < 3 * n; i++)
                x[i] += 0.01 * rng_next(&r);
            bound b = bind_energy(make_energy(rule, m, &mesh), n, 0);
            hessian_at(&b, x, VV_HESSIAN_EXACT, exact);
            hessian_at(&b, x, VV_HESSIAN_PROJECTED, projected);
            const double scale = largest(exact, size);
            assert_true(least_eigenvalue(3 * n, projected) > -1e-10 * scale);
            if (s == 0)
                assert_true(largest_difference(exact, projected, size) < 1e-8 * scale);
            differ += least_eigenvalue(3 * n, exact) < -1e-4 * scale;
            for (int row = 0; row < 3 * n; row++)
                for (int k = 0; k < 3; k++) {
                    double sum = 0;
                    for (int i = 0; i < n; i++)
                        sum += exact[row * 3 * n + 3 * i + k];
                    assert_true(fabs(sum) < 1e-11 * scale);
                }
            free_bound(&b);
        }
    assert_true(differ >= 3);
    free(x), free(exact), free(projected);
    vvMeshDestroy(&mesh);
}

/* Neither forces nor torques are left over; eight lanes and their padding alike. */
static void momenta(void **unused)
{
    (void)unused;
    for (int cells = 1; cells < 4; cells++) {
        vvMesh mesh = make_mesh(cells, 0.15, 0.05);
        const int n = mesh.vertexCount;
        double *x = malloc(3 * (size_t)n * sizeof *x), *g = malloc(3 * (size_t)n * sizeof *g);
        rng r = { 21 };
        for (int i = 0; i < 3 * n; i++)
            x[i] = mesh.positions[i] + 0.02 / cells * rng_next(&r);
        for (int kind = 0; kind < VV_TET10_KINDS; kind++) {
            const int m = kind % VV_MATERIAL_COUNT, rule = kind / VV_MATERIAL_COUNT;
            bound b = bind_energy(make_energy(rule, m, &mesh), n, 0);
            double force[3] = { 0 }, torque[3] = { 0 };
            gradient_at(&b, x, g);
            for (int i = 0; i < n; i++) {
                double t[3];
                vv_cross(x + 3 * i, g + 3 * i, t);
                for (int k = 0; k < 3; k++)
                    force[k] += g[3 * i + k], torque[k] += t[k];
            }
            assert_true(largest(g, 3 * n) > 0.01);
            assert_true(vv_norm(force) < 1e-12 && vv_norm(torque) < 1e-12);
            free_bound(&b);
        }
        free(x), free(g);
        vvMeshDestroy(&mesh);
    }
}

/* ---- determinant ---- */

/* The smallest det F is that at the points, and a step to a state beyond inversion ends before it, where det is a
 * tenth. */
static void inversion_of(int rule)
{
    vvMesh mesh = make_mesh(1, 0.1, 0.05);
    const int n = mesh.vertexCount, model = vv_tets_model("neo-hookean");
    double *x = malloc(3 * (size_t)n * sizeof *x), *p = malloc(3 * (size_t)n * sizeof *p);
    vv_energy *e = make_energy(rule, model, &mesh);
    rng r = { 4 };
    for (int i = 0; i < 20; i++) {
        for (int k = 0; k < 3 * n; k++) {
            x[k] = mesh.positions[k] + 0.01 * rng_next(&r);
            p[k] = (k % 3 == 1 ? -1.5 * x[k] : 0) + 0.3 * rng_next(&r);
        }
        const double t = e->ops->max_step(e, &one_thread, x, p), start = e->ops->least_j(e, &one_thread, x, NULL);
        assert_true(t > 0.05 && t < 1 && start > 0.5);
        double least = INFINITY; /* as the points have it */
        for (int q = 0; q < mesh.tet10Count; q++) {
            const int *nodes = mesh.tets10 + 10 * q;
            for (int at = 0; at < vv_tet10_rules[rule].points; at++) {
                const double *l = vv_tet10_rules[rule].l[at];
                double a[9], b[9];
                vv_tet10_edges(mesh.positions, nodes, l, a);
                vv_tet10_edges(x, nodes, l, b);
                least = fmin(least, vv_det(b) / vv_det(a));
            }
        }
        assert_true(fabs(least / start - 1) < 1e-12);
        for (int k = 0; k < 3 * n; k++)
            p[k] = x[k] + t * p[k];
        const double end = e->ops->least_j(e, &one_thread, p, NULL);
        assert_true(end > 0 && end < 0.2 * start + 0.1);
        assert_true(isfinite(e->ops->value(e, &one_thread, p, NULL)));
    }
    for (int k = 0; k < n; k++) {
        memcpy(x + 3 * k, mesh.positions + 3 * k, 3 * sizeof *x);
        x[3 * k] *= -1;
    }
    assert_true(e->ops->value(e, &one_thread, x, NULL) == INFINITY);
    assert_true(e->ops->least_j(e, &one_thread, x, NULL) < -0.99);
    e->ops->destroy(e);
    free(x), free(p);
    vvMeshDestroy(&mesh);
}

static void inversion(void **unused)
{
    (void)unused;
    for (int rule = 0; rule < VV_TET10_RULES; rule++)
        inversion_of(rule);
}

/* ---- the model at rest, damping ---- */

/* L of the model at rest: (2 mu + la) grad : grad, exact for quadratic fields on straight elements, so that of x^2 it
 * is w times the integral of 4 x^2. */
static void model_at_rest(void **unused)
{
    (void)unused;
    vvMesh mesh = make_mesh(2, 0, 0);
    const int n = mesh.vertexCount;
    int *unknown = malloc((size_t)n * sizeof *unknown);
    for (int i = 0; i < n; i++)
        unknown[i] = i;
    for (int kind = 0; kind < VV_TET10_KINDS; kind++) {
        const int m = kind % VV_MATERIAL_COUNT, rule = kind / VV_MATERIAL_COUNT;
        vv_energy *e = make_energy(rule, m, &mesh);
        vv_quadratic q;
        assert_true(vv_quadratic_init(&q, n, unknown));
        assert_false(e->ops->quadratic(e, VV_QUADRATIC_BOUND, &q));
        assert_true(e->ops->quadratic(e, VV_QUADRATIC_REST, &q));
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += q.diagonal[i] * pow(mesh.positions[3 * i], 4);
        for (size_t k = 0; k < q.count; k++)
            sum +=
                2 * q.entry[k].value * pow(mesh.positions[3 * q.entry[k].row] * mesh.positions[3 * q.entry[k].col], 2);
        const double w = vv_tets_weight(m, VV_QUADRATIC_REST, mu, la);
        assert_true(w > 0 && fabs(sum / (w * 4 / 3) - 1) < 1e-12);
        vv_quadratic_free(&q);
        e->ops->destroy(e);
    }
    free(unknown);
    vvMeshDestroy(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rows),         cmocka_unit_test(patch),
                                        cmocka_unit_test(differences),  cmocka_unit_test(projection),
                                        cmocka_unit_test(momenta),      cmocka_unit_test(inversion),
                                        cmocka_unit_test(model_at_rest) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
