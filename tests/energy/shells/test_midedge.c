/* Bending of shells by mid-edge normals: derivatives against differences, what does not change it, plates against
 * Kirchhoff's theory, degenerate triangles. */
#include "energy_fixture.h"
#include "live_support.h"

#include "world/world.h"

static const double THICK = 0.02, YOUNG = 1e6, NU = 0.3;
static double rigidity(void) { return YOUNG * THICK * THICK * THICK / (12 * (1 - NU * NU)); }

static vvMaterialDef bending(bool flat)
{
    vvMaterialDef m = material("midedge", YOUNG);
    m.poisson = NU, m.thickness = THICK, m.flat = flat;
    return m;
}

/* A body with nothing but its bending; its energy is taken out of the world's list. */
static vvWorld *shell_world(vvMesh *mesh, bool flat)
{
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 1e-2, 1e-9);
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = bending(flat);
    add_mesh(w, mesh, &def);
    assert_ok(vvWorldBake(w, &error));
    return w;
}

static vv_energy *energy_of(const vvWorld *w)
{
    for (int i = 0; i < w->system.energies; i++)
        if (strcmp(w->system.energy[i]->ops->info.name, "midedge") == 0)
            return w->system.energy[i];
    fail_msg("there is no bending energy");
    return NULL;
}

/* Borrowed: free with unbind. */
static bound bind_shell(const vvWorld *w) { return bind_energy(energy_of(w), vvWorldNodeCount(w), 0); }
static void unbind(bound *b)
{
    vv_bsr_free(&b->a);
    vv_free(b->slots);
    free(b->unknown);
}

/* Four vertices, two triangles, not flat: 9 nodes. */
static vvMesh fold(void)
{
    static const double x[12] = { 0, 0, 0, 0.1, 0.01, 0, 0.04, 0.02, 0.09, 0.05, -0.03, -0.07 };
    static const int t[6] = { 0, 2, 1, 0, 1, 3 };
    vvMesh mesh = { 0 };
    vvError error = { 0 };
    mesh.vertexCount = 4, mesh.triangleCount = 2;
    mesh.positions = malloc(sizeof x), mesh.triangles = malloc(sizeof t);
    memcpy(mesh.positions, x, sizeof x);
    memcpy(mesh.triangles, t, sizeof t);
    vvMesh copy = { 0 };
    double *positions = mesh.positions;
    int *triangles = mesh.triangles;
    assert_ok(vvMeshCopy(&mesh, &copy, &error));
    free(positions), free(triangles);
    return copy;
}

static void displace(rng *r, const double *rest, int n, double by, double *x)
{
    for (int i = 0; i < 3 * n; i++)
        x[i] = rest[i] + by * rng_next(r);
}

/* At rest, near it, far from it; folded onto itself by turning a vertex and directors over. */
static void derivatives_agree_with_differences(void **state)
{
    (void)state;
    rng r = { 5 };
    for (int flat = 0; flat < 2; flat++) {
        vvMesh mesh = fold();
        vvWorld *w = shell_world(&mesh, flat);
        bound b = bind_shell(w);
        double x[27], rest[27];
        assert_int_equal(b.n, 9);
        memcpy(rest, w->rest, sizeof rest);
        assert_true(flat || energy_at(&b, rest) < 1e-25);
        for (int i = 0; i < 40; i++) {
            displace(&r, rest, 9, i == 0 ? 0 : i < 15 ? 0.002 : i < 30 ? 0.03 : 0.1, x);
            double error = difference_error(&b, x, 1e-8, 1e-9);
            if (!(error < 2e-4))
                fail_msg("state %d, flat %d: relative error %g", i, flat, error);
        }
        unbind(&b);
        vvWorldDestroy(w);
    }
}

/* Symmetric; projected: semidefinite, and not below the exact one. The constant one is not below that at rest. */
static void projections(void **state)
{
    (void)state;
    rng r = { 6 };
    enum { N = 27 };
    static double h[N * N], p[N * N], d[N * N], c[N * N];
    vvMesh mesh = fold();
    vvWorld *w = shell_world(&mesh, false);
    bound b = bind_shell(w);
    double x[N];
    for (int i = 0; i < 60; i++) {
        displace(&r, w->rest, 9, i == 0 ? 0 : i < 20 ? 0.005 : i < 40 ? 0.05 : 0.3, x);
        hessian_at(&b, x, VV_HESSIAN_EXACT, h);
        hessian_at(&b, x, VV_HESSIAN_PROJECTED, p);
        double size = largest(p, N * N);
        for (int k = 0; k < N * N; k++) {
            assert_near(h[k], h[k % N * N + k / N], 1e-11 * size);
            assert_near(p[k], p[k % N * N + k / N], 1e-11 * size);
            d[k] = p[k] - h[k];
        }
        assert_true(least_eigenvalue(N, p) > -1e-11 * size);
        assert_true(least_eigenvalue(N, d) > -1e-11 * size);
        if (i == 0) {
            hessian_at(&b, NULL, VV_HESSIAN_REST, c);
            for (int k = 0; k < N * N; k++) {
                d[k] = c[k] - h[k];
                assert_near(p[k], h[k], 1e-11 * size);
            }
            assert_true(least_eigenvalue(N, d) > -1e-10 * largest(c, N * N));
        }
    }
    unbind(&b);
    vvWorldDestroy(w);
}

static void moving_it_costs_nothing(void **state)
{
    (void)state;
    rng r = { 7 };
    vvMesh mesh = fold();
    vvWorld *w = shell_world(&mesh, false);
    bound b = bind_shell(w);
    for (int i = 0; i < 10; i++) {
        double x[27], y[27], q[9], g[27], force[3] = { 0 }, torque[3] = { 0 };
        displace(&r, w->rest, 9, 0.05, x);
        random_rotation(&r, q);
        for (int n = 0; n < 9; n++) {
            vv_matvec(q, x + 3 * n, y + 3 * n);
            y[3 * n] += 0.7, y[3 * n + 2] -= 0.4;
        }
        assert_near(energy_at(&b, y), energy_at(&b, x), 1e-10 * energy_at(&b, x));
        gradient_at(&b, x, g);
        for (int n = 0; n < 9; n++) {
            double t[3];
            vv_cross(x + 3 * n, g + 3 * n, t);
            for (int k = 0; k < 3; k++)
                force[k] += g[3 * n + k], torque[k] += t[k];
        }
        assert_near(norm3(force), 0, 1e-11 * largest(g, 27));
        assert_near(norm3(torque), 0, 1e-11 * largest(g, 27));
    }
    unbind(&b);
    vvWorldDestroy(w);
}

/* A square of n x n cells with side 1, in y = 0. pattern: diagonals all one way, by turns, four triangles a cell; or
 * moved at random. */
static vvMesh square(int n, int pattern)
{
    vvError error = { 0 };
    int v = 0, t = 0, m = n + 1, cross = pattern == 2;
    size_t vertices = (size_t)(m * m + (cross ? n * n : 0)), triangles = (size_t)((cross ? 4 : 2) * n * n);
    double *x = calloc(3 * vertices, sizeof *x);
    int *list = calloc(3 * triangles, sizeof *list);
    rng r = { 11 };
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++, v++) {
            bool inner = i > 0 && j > 0 && i < n && j < n && (2 * i != n || 2 * j != n);
            x[3 * v] = (i + (pattern == 3 && inner ? 0.28 * rng_next(&r) : 0)) / n;
            x[3 * v + 2] = (j + (pattern == 3 && inner ? 0.28 * rng_next(&r) : 0)) / n;
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int a = i * m + j, b = a + m, c = b + 1, d = a + 1; /* round the cell */
            bool turn = pattern == 1 ? (i + j) % 2 : pattern == 3 ? rng_next(&r) > 0 : false;
            if (cross) {
                const int four[12] = { a, v, b, b, v, c, c, v, d, d, v, a };
                x[3 * v] = (i + 0.5) / n, x[3 * v + 2] = (j + 0.5) / n;
                memcpy(list + 3 * t, four, sizeof four);
                t += 4, v++;
            } else {
                const int one[6] = { a, c, b, a, d, c }, other[6] = { a, d, b, b, d, c };
                memcpy(list + 3 * t, turn ? other : one, sizeof one);
                t += 2;
            }
        }
    vvMesh mesh = { .vertexCount = v, .triangleCount = t, .positions = x, .triangles = list }, copy = { 0 };
    assert_ok(vvMeshCopy(&mesh, &copy, &error));
    free(x), free(list);
    return copy;
}

/* Nearly equilateral triangles: every other row is shifted by half of a triangle, with halves at its ends. */
static vvMesh equilateral(int n)
{
    vvError error = { 0 };
    int rows = 4 * (int)round(n / (4 * 0.866)), v = 0, t = 0;
    double *x = calloc(3 * (size_t)((n + 2) * (rows + 1)), sizeof *x);
    int *list = calloc(3 * (size_t)(2 * (n + 2) * rows), sizeof *list),
        *start = calloc((size_t)rows + 2, sizeof *start);
    for (int j = 0; j <= rows; j++) {
        for (int i = 0; i <= n + j % 2; i++, v++) {
            x[3 * v] = j % 2 ? fmin(fmax((i - 0.5) / n, 0), 1) : (double)i / n;
            x[3 * v + 2] = (double)j / rows;
        }
        start[j + 1] = v;
    }
    for (int j = 0; j < rows; j++)
        for (int a = start[j], b = start[j + 1]; a + 1 < start[j + 1] || b + 1 < start[j + 2]; t++) {
            bool lower = b + 1 == start[j + 2] || (a + 1 < start[j + 1] && x[3 * (a + 1)] < x[3 * (b + 1)]);
            const int one[3] = { a, b, lower ? a + 1 : b + 1 };
            memcpy(list + 3 * t, one, sizeof one);
            *(lower ? &a : &b) += 1;
        }
    vvMesh mesh = { .vertexCount = v, .triangleCount = t, .positions = x, .triangles = list }, copy = { 0 };
    assert_ok(vvMeshCopy(&mesh, &copy, &error));
    free(x), free(list), free(start);
    return copy;
}

enum { PATTERNS = 5 };
static const char *const pattern_names[PATTERNS] = { "one diagonal", "diagonals by turns", "union jack", "random",
                                                     "equilateral" };

static vvMesh plate(int n, int pattern) { return pattern == 4 ? equilateral(n) : square(n, pattern); }

/* Vertices on y = w(x, z), a quadratic, directors along its normals: to second order the energy is the plate's, on
 * any mesh. */
static void quadratic_deflections_are_exact(void **state)
{
    (void)state;
    /* w_xx, w_zz, w_xz */
    static const double all[][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 1, 0 }, { 1, -1, 0.5 } };
    for (int pattern = 0; pattern < PATTERNS; pattern++)
        for (int q = 0; q < 5; q++) {
            vvMesh mesh = plate(4, pattern);
            vvWorld *w = shell_world(&mesh, q % 2);
            const vv_body *body = w->bodies;
            bound b = bind_shell(w);
            const double small = 1e-4, *c = all[q];
            double *x = copy_of(w->rest, 3 * b.n);
            for (int i = 0; i < body->count; i++) {
                double *p = x + 3 * i, e[3] = { 0 }, u[3], along;
                if (i < body->vertex_count) {
                    p[1] += small * (0.5 * c[0] * p[0] * p[0] + 0.5 * c[1] * p[2] * p[2] + c[2] * p[0] * p[2]);
                    continue;
                }
                const int *ends = body->edges + 2 * (i - body->vertex_count);
                double middle[3], side = w->rest[3 * i + 1] > 0 ? 1 : -1, d = vv_edge_length(w->rest, ends[0], ends[1]);
                for (int k = 0; k < 3; k++) {
                    e[k] = x[3 * ends[1] + k] - x[3 * ends[0] + k];
                    middle[k] = 0.5 * (x[3 * ends[0] + k] + x[3 * ends[1] + k]);
                }
                u[0] = -small * side * (c[0] * middle[0] + c[2] * middle[2]);
                u[1] = side;
                u[2] = -small * side * (c[1] * middle[2] + c[2] * middle[0]);
                along = vv_dot(u, e) / vv_dot(e, e);
                for (int k = 0; k < 3; k++)
                    u[k] -= along * e[k];
                for (int k = 0; k < 3; k++)
                    p[k] = middle[k] + d * u[k] / norm3(u);
            }
            double trace = c[0] + c[1], square_ = c[0] * c[0] + c[1] * c[1] + 2 * c[2] * c[2];
            double wanted = 0.5 * rigidity() * ((1 - NU) * square_ + NU * trace * trace) * small * small;
            if (fabs(energy_at(&b, x) - wanted) > 1e-6 * wanted)
                fail_msg("%s, quadratic %d: %.9g, wanted %.9g", pattern_names[pattern], q, energy_at(&b, x), wanted);
            free(x);
            unbind(&b);
            vvWorldDestroy(w);
        }
}

/* Under its weight, on all four sides: the deflection of the centre, in q a^4 / D. */
static double deflection(vvMesh *mesh, bool clamp)
{
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 1e-2, 1e-9);
    const double density = 0.02; /* kg/m^2 */
    d.gravity[1] = -1;
    vvWorld *w = new_world(&d);
    vvMaterialDef more = bending(false);
    vvBodyDef def = vvDefaultBodyDef();
    def.material.model = "hooke", def.material.density = density, def.material.springStiffness = 1000;
    def.moreMaterials = &more, def.moreMaterialCount = 1;
    vvBodyId id = add_mesh(w, mesh, &def);
    const vv_body *b = w->bodies + vv_body_index(w, id);
    int list[400], count = 0;
    for (int i = 0; i < b->vertex_count; i++)
        if (fabs(w->rest[3 * i] - 0.5) > 0.499 || fabs(w->rest[3 * i + 2] - 0.5) > 0.499)
            list[count++] = i;
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = list, .listCount = count };
    a.clamp = clamp;
    attach(w, id, &a);
    assert_ok(vvWorldSettle(w, true, NULL, &error));
    double least = 0;
    for (int i = 0; i < b->vertex_count; i++) {
        const double *p = w->state.q + 3 * (b->first + i), *at = w->rest + 3 * (b->first + i);
        if (hypot(at[0] - 0.5, at[2] - 0.5) < 1e-6)
            least = at[1] - p[1];
    }
    assert_true(least > 0);
    vvWorldDestroy(w);
    return least * rigidity() / density;
}

/* Square plates under their weight: w = 0.00406 q a^4/D (hinged) and 0.00126 (clamped) at the centre (Timoshenko,
 * tables 8 and 35). The error is of second order, so two sizes say where it goes; and it does shrink. */
static void square_plates(void **state)
{
    (void)state;
    for (int pattern = 0; pattern < PATTERNS; pattern++)
        for (int clamp = 0; clamp < 2; clamp++) {
            double got[2], wanted = clamp ? 0.00126 : 0.00406;
            for (int fine = 0; fine < 2; fine++) {
                vvMesh mesh = plate((pattern == 2 ? 6 : 8) << fine, pattern);
                got[fine] = deflection(&mesh, clamp);
            }
            double limit = (4 * got[1] - got[0]) / 3;
            print_message("%s, %s: %.5f, %.5f: %.5f\n", pattern_names[pattern], clamp ? "clamped" : "hinged", got[0],
                          got[1], limit);
            assert_near(limit, wanted, 0.03 * wanted);
            assert_less(fabs(got[1] - wanted), 0.4 * fabs(got[0] - wanted));
            if (!clamp)
                assert_near(got[1], wanted, 0.03 * wanted);
        }
}

/* Wherever nodes are: the energy, its derivatives and the projection are numbers. */
static void degenerate_states(void **state)
{
    (void)state;
    rng r = { 8 };
    vvMesh mesh = fold();
    vvWorld *w = shell_world(&mesh, false);
    bound b = bind_shell(w);
    static double h[27 * 27];
    for (int i = 0; i < 200; i++) {
        double x[27], g[27];
        displace(&r, w->rest, 9, i % 2 ? 0.05 : 0, x);
        int moved = i / 2 % 9, to = i / 18 % 9;
        for (int k = 0; k < 3; k++) /* one on another, on an axis, all in a point, all on a line */
            if (i < 100)
                x[3 * moved + k] = x[3 * to + k];
            else if (i < 130)
                x[12 + 3 * (i % 5) + k] = 0.5 * (x[k] + x[3 + k]) + (i % 3) * (x[3 + k] - x[k]);
            else if (i == 130)
                for (int n = 0; n < 9; n++)
                    x[3 * n + k] = 0.25;
            else if (i < 150)
                for (int n = 0; n < 9; n++)
                    x[3 * n + k] = k == 1 ? n * 0.01 * i : 0.3;
            else if (i < 170)
                x[6 + k] = x[k] + 0.5 * (x[3 + k] - x[k]) * (1 + pow(10, -i % 20) * rng_next(&r));
            else
                x[3 * moved + k] *= pow(10, i - 160);
        assert_true(isfinite(energy_at(&b, x)));
        gradient_at(&b, x, g);
        assert_true(isfinite(largest(g, 27)));
        for (int mode = VV_HESSIAN_EXACT; mode <= VV_HESSIAN_PROJECTED; mode++) {
            hessian_at(&b, x, (vv_hessian_mode)mode, h);
            assert_true(isfinite(largest(h, 27 * 27)));
        }
    }
    unbind(&b);
    vvWorldDestroy(w);
}

/* Two triangles and more at the edge (0, 1): their third corners, turned about it; odd ones run along it as those
 * before them do, if `turned`. */
static vvWorld *pages(const double *turns, int count, bool turned, bool flat)
{
    double x[3 * 6] = { 0, 0, 0, 0.1, 0, 0 };
    int t[3 * 4];
    vvError error = { 0 };
    vvMesh mesh = { .vertexCount = 2 + count, .triangleCount = count, .positions = x, .triangles = t }, copy = { 0 };
    for (int i = 0; i < count; i++) {
        bool back = i % 2 && !turned;
        x[6 + 3 * i] = 0.05, x[7 + 3 * i] = 0.1 * sin(turns[i]), x[8 + 3 * i] = 0.1 * cos(turns[i]);
        t[3 * i] = back, t[3 * i + 1] = !back, t[3 * i + 2] = 2 + i;
    }
    assert_ok(vvMeshCopy(&mesh, &copy, &error));
    return shell_world(&copy, flat);
}

static double energy_at_rest(vvWorld *w)
{
    bound b = bind_shell(w);
    double e = energy_at(&b, w->rest);
    unbind(&b);
    vvWorldDestroy(w);
    return e;
}

/* A band that closes after half a turn has an edge where the orientation turns over: flat at rest, it bends nowhere;
 * folded, with the energy that the fold has where the orientation is one. */
static void turned_triangles(void **state)
{
    (void)state;
    for (int i = -12; i <= 12; i++) {
        double turns[2] = { 0, M_PI - 0.24 * i };
        double plain = energy_at_rest(pages(turns, 2, false, true)),
               turned = energy_at_rest(pages(turns, 2, true, true));
        assert_near(turned, plain, 1e-12 * plain + 1e-20);
        assert_true(i == 0 ? plain < 1e-20 : plain > 1e-6 * rigidity());
        assert_true(energy_at_rest(pages(turns, 2, true, false)) < 1e-20);
    }
}

/* They cannot be flat to each other. */
static void three_at_an_edge(void **state)
{
    (void)state;
    const double turns[3] = { 0.1, 2.2, 4.4 };
    for (int flat = 0; flat < 2; flat++)
        assert_true(energy_at_rest(pages(turns, 3, false, flat)) < 1e-20);
}

static vvWorld *flying(int threads, const char *scheme, double rayleigh)
{
    vvWorldDef d = free_def(scheme, 2e-3, 1e-11);
    d.threads = threads;
    vvWorld *w = new_world(&d);
    vvMaterialDef more = bending(false);
    more.damping.rayleigh = rayleigh;
    vvBodyDef def = vvDefaultBodyDef();
    def.material.model = "hooke", def.material.density = 2, def.material.springStiffness = 1000;
    def.moreMaterials = &more, def.moreMaterialCount = 1;
    vvMesh mesh = equilateral(4);
    vvBodyId id = add_mesh(w, &mesh, &def);
    set_state(w, id, "bend", (double[]){ 120, 1, 0, 0, 0, 1, 0 });
    set_state(w, id, "angular", (double[]){ 3, -2, 5, NAN, NAN, NAN });
    return w;
}

/* Momenta are kept, the energy nearly so; Rayleigh damping takes some; threads change nothing. */
static void shells_in_flight(void **state)
{
    (void)state;
    vvWorld *w = flying(1, "implicit-midpoint", 0), *two = flying(2, "implicit-midpoint", 0),
            *damped = flying(1, "backward-euler", 1e-3);
    vvLedgerRow start = ledger(w), end = steps(w, 25);
    for (int k = 0; k < 3; k++) {
        assert_near(end.momentum[k], start.momentum[k], 1e-10);
        assert_near(end.angularMomentumCentre[k], start.angularMomentumCentre[k], 1e-9);
    }
    assert_true(start.elastic > 0 && fabs(end.total - start.total) < 0.02 * start.total);
    steps(two, 25);
    assert_true(same_world(w, two));
    assert_true(steps(damped, 5).damping > 0);
    vvWorldDestroy(w);
    vvWorldDestroy(two);
    vvWorldDestroy(damped);
}

/* Over several samples in one pass, as one after the other. */
static void sums_over_samples(void **state)
{
    (void)state;
    enum { N = 27 };
    rng r = { 9 };
    static double sum[N * N], one[N * N];
    vvMesh mesh = fold();
    vvWorld *w = shell_world(&mesh, false);
    bound b = bind_shell(w);
    double x[2][N], g[2][N] = { { 0 } };
    vv_block_target to = target_of(&b);
    const vv_sample both[2] = { { x[0], 0.3, 2 }, { x[1], -1.5, 0.7 } };
    for (int i = 0; i < 2; i++)
        displace(&r, w->rest, 9, 0.03, x[i]);
    for (int pass = 0; pass < 2; pass++) {
        vv_bsr_clear(&b.a, &one_thread);
        if (pass)
            b.e->ops->sum_derivatives(b.e, &one_thread, both, 2, VV_HESSIAN_PROJECTED, g[1], &to);
        for (int i = 0; i < 2 && !pass; i++) {
            b.e->ops->derivatives(b.e, &one_thread, x[i], both[i].force, VV_HESSIAN_PROJECTED, g[0], NULL);
            b.e->ops->derivatives(b.e, &one_thread, x[i], both[i].stiffness, VV_HESSIAN_PROJECTED, NULL, &to);
        }
        memcpy(pass ? sum : one, b.a.val, 9 * (size_t)b.a.nnz * sizeof *sum);
    }
    assert_near(largest_difference(g[0], g[1], N), 0, 1e-13 * largest(g[0], N));
    assert_near(largest_difference(one, sum, 9 * b.a.nnz), 0, 1e-13 * largest(one, 9 * b.a.nnz));
    unbind(&b);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(derivatives_agree_with_differences),
                                        cmocka_unit_test(projections),
                                        cmocka_unit_test(moving_it_costs_nothing),
                                        cmocka_unit_test(quadratic_deflections_are_exact),
                                        cmocka_unit_test(square_plates),
                                        cmocka_unit_test(degenerate_states),
                                        cmocka_unit_test(turned_triangles),
                                        cmocka_unit_test(three_at_an_edge),
                                        cmocka_unit_test(shells_in_flight),
                                        cmocka_unit_test(sums_over_samples) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
