/* Level sets: sampled distances of meshes against exact ones, their signs in thin parts; the interpolant's
 * derivatives within cells, in frames and outside of the grid, its continuity; rays and the drawn surface; the
 * penalty's energy; meshes and fields that are refused. */
#include "energy_fixture.h"
#include "obstacle_fixture.h"

#include "base/geometry/intersect.h"
#include "contact/obstacles/level_set.h"
#include "contact/springs/repulsion.h"
#include "visviva/mesh.h"
#include "positional.h"

#include <string.h>

#define assert_less(a, b)                                                             \
    do {                                                                              \
        const double less_a = (a), less_b = (b);                                      \
        if (!(less_a < less_b))                                                       \
            fail_msg("%s = %.9g is not less than %s = %.9g", #a, less_a, #b, less_b); \
    } while (0)

static vvMesh generate(const char *type, const double *values)
{
    vvMesh m;
    vvError error = { 0 };
    if (generate_mesh(type, values, &m, &error) != VV_OK)
        fail_msg("%s", error.message);
    return m;
}

static vv_obstacle sample(const vvMesh *m, double spacing, double margin, const double *place)
{
    vvDistanceGrid g;
    vvError error = { 0 };
    vv_obstacle o = { .ops = &vv_obstacle_level_set, .friction = -1 };
    if (vvMeshSampleDistance(m, spacing, margin, &g, &error) != VV_OK)
        fail_msg("%s", error.message);
    if (place)
        memcpy(o.values, place, 6 * sizeof *place);
    memcpy(o.values + 6, g.origin, sizeof g.origin);
    o.values[9] = g.spacing;
    assert_int_equal(o.ops->prepare(o.values, o.shape, NULL), VV_OK);
    assert_int_equal(vv_field_create(o.ops->field, g.counts, g.samples, &o.field, NULL), VV_OK);
    vvDistanceGridDestroy(&g);
    return o;
}

static void give_back(vv_obstacle *o)
{
    vv_field_release(o->field);
    o->field = NULL;
}

static double at(const vv_obstacle *o, const double x[3]) { return vv_obstacle_distance(o, x, NULL, NULL); }

/* By all triangles, and the angle that they fill. */
static double exact(const vvMesh *m, const double x[3])
{
    double square = INFINITY, sum = 0;
    for (int t = 0; t < m->triangleCount; t++) {
        const double *p[3];
        double r[3][3], n[3], l[3];
        for (int k = 0; k < 3; k++) {
            p[k] = m->positions + 3 * (size_t)m->triangles[3 * (size_t)t + (size_t)k];
            vv_sub(p[k], x, r[k]);
            l[k] = vv_norm(r[k]);
        }
        square = fmin(square, vv_point_triangle(x, p[0], p[1], p[2]));
        vv_cross(r[1], r[2], n);
        sum += 2 * atan2(vv_dot(r[0], n), l[0] * l[1] * l[2] + vv_dot(r[0], r[1]) * l[2] + vv_dot(r[1], r[2]) * l[0] +
                                              vv_dot(r[2], r[0]) * l[1]);
    }
    return sum > 2 * M_PI ? -sqrt(square) : sqrt(square);
}

/* At the samples the distance is exact; between them the error falls with the square of the spacing, where the
 * distance is smooth. */
static void distances_converge(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        double values[4], smooth;
    } solids[] = { { "ball", { 0.5, 3 }, 0.15 }, { "torus", { 0.5, 0.2, 2, 16 }, 0.1 } };
    for (int s = 0; s < 2; s++) {
        vvMesh m = generate(solids[s].type, solids[s].values);
        double error[2] = { 0, 0 }, worst = 0;
        for (int fine = 0; fine < 2; fine++) {
            vv_obstacle o = sample(&m, fine ? 0.04 : 0.08, 0.1, NULL);
            rng r = { 3 };
            int points = 0;
            for (int k = 0; k < 900; k++) {
                const double x[3] = { 0.8 * rng_next(&r), 0.6 * rng_next(&r), 0.8 * rng_next(&r) };
                const double rho = hypot(x[0], x[2]), smooth = s ? hypot(rho - 0.5, x[1]) - 0.2 : vv_norm(x) - 0.5;
                if (fabs(smooth) > solids[s].smooth)
                    continue;
                error[fine] += fabs(at(&o, x) - exact(&m, x));
                points++;
            }
            error[fine] /= points;
            for (int k = 0; k < 60; k++) {
                double x[3];
                for (int c = 0; c < 3; c++)
                    x[c] = o.values[6 + c] + o.values[9] * floor((0.5 + 0.5 * rng_next(&r)) * o.field->counts[c]);
                for (int c = 0; c < 3; c++)
                    x[c] = fmin(x[c], o.values[6 + c] + o.values[9] * (o.field->counts[c] - 1));
                worst = fmax(worst, fabs(at(&o, x) - exact(&m, x)));
            }
            give_back(&o);
        }
        print_message("%s: mean error %.3g m, with half the spacing %.3g m; at samples at most %.2g m\n",
                      solids[s].type, error[0], error[1], worst);
        assert_less(error[1], error[0] / 2.8);
        assert_less(worst, 1e-9);
        vvMeshDestroy(&m);
    }
}

/* A plate of two cells, and a bowl with a wall of two: inside and outside are told apart everywhere but half a cell
 * from the surface. */
static void thin_parts_are_solid(void **state)
{
    (void)state;
    static const double plate[] = { 1, 0.1, 1, 4, 1, 4, 5 }, bowl[] = { 0.4, 0.1, 80, 8, 1 };
    for (int s = 0; s < 2; s++) {
        vvMesh m = generate(s ? "bowl" : "box", s ? bowl : plate);
        vv_obstacle o = sample(&m, 0.05, 0, NULL);
        rng r = { 8 };
        int in = 0, out = 0;
        for (int k = 0; k < 3000; k++) {
            const double x[3] = { 0.6 * rng_next(&r), s ? 0.2 + 0.3 * rng_next(&r) : 0.1 * rng_next(&r),
                                  0.6 * rng_next(&r) },
                         d = exact(&m, x);
            if (fabs(d) < 0.025)
                continue;
            assert_true((at(&o, x) < 0) == (d < 0));
            in += d<0, out += d> 0;
        }
        assert_true(in > 50 && out > 500);
        give_back(&o);
        vvMeshDestroy(&m);
    }
}

/* Gradient and second derivatives are those of the function itself, on a turned grid, within cells and beyond the
 * border; it is continuous across. */
static void derivatives_are_those_of_the_interpolant(void **state)
{
    (void)state;
    static const double place[6] = { 0.3, -0.2, 0.1, 20, -35, 70 }, ball[] = { 0.5, 4 };
    vvMesh m = generate("ball", ball);
    vv_obstacle o = sample(&m, 0.11, 0, place);
    rng r = { 4 };
    int kept = 0, beyond = 0;
    double first = 0, second = 0, jump = 0, bend = 0;
    for (int k = 0; k < 3000; k++) {
        const double step = 1e-5, reach = k % 2 ? 1.3 : 0.55; /* half of them in the grid */
        double x[3], u[3], n[3], c[9];
        bool near_wall = false;
        for (int i = 0; i < 3; i++)
            x[i] = place[i] + reach * rng_next(&r);
        const vv_level_set l = vv_level_set_of(o.field, o.shape);
        vv_level_set_to_grid(&l, o.shape, x, u);
        bool out = false;
        for (int i = 0; i < 3; i++) {
            near_wall = near_wall || fabs(u[i] - round(u[i])) < 1e-3;
            out = out || u[i] < 0 || u[i] > l.cells[i];
        }
        if (near_wall)
            continue;
        kept++, beyond += out;
        vv_obstacle_distance(&o, x, n, c);
        assert_less(vv_norm(n), VV_LEVEL_SET_STEEPEST);
        for (int i = 0; i < 3; i++) {
            double up[3] = { x[0], x[1], x[2] }, down[3] = { x[0], x[1], x[2] }, a[3], b[3];
            up[i] += step, down[i] -= step;
            const double change =
                (vv_obstacle_distance(&o, up, a, NULL) - vv_obstacle_distance(&o, down, b, NULL)) / (2 * step);
            first = fmax(first, fabs(change - n[i]));
            for (int j = 0; j < 3; j++)
                second = fmax(second, fabs((a[j] - b[j]) / (2 * step) - c[3 * i + j]));
        }
        for (int i = 0; i < 3; i++) /* onto the nearest wall between two cells, or the border, and across */
            u[i] = i == k % 3 ? round(u[i]) : u[i];
        double sides[2], slopes[2][3];
        bool within = true;
        for (int i = 0; i < 3; i++)
            within = within && u[i] > 0.5 && u[i] < l.cells[i] - 0.5;
        for (int side = 0; side < 2; side++) {
            double v[3] = { u[0], u[1], u[2] }, local[3], y[3];
            v[k % 3] += side ? 1e-9 : -1e-9;
            for (int i = 0; i < 3; i++)
                local[i] = o.shape[12 + i] + l.spacing * v[i];
            vv_matvec(o.shape + 3, local, y);
            for (int i = 0; i < 3; i++)
                y[i] += o.shape[i];
            sides[side] = vv_obstacle_distance(&o, y, slopes[side], NULL);
        }
        for (int i = 0; i < 3 && within; i++)
            bend = fmax(bend, fabs(slopes[1][i] - slopes[0][i]));
        jump = fmax(jump, fabs(sides[1] - sides[0]));
    }
    print_message("%d points, %d beyond the grid: gradient within %.2g, second derivatives within %.2g /m; jumps of "
                  "%.2g m, in the gradient %.2g\n",
                  kept, beyond, first, second, jump, bend);
    assert_true(kept > 2000 && beyond > 300);
    assert_less(first, 1e-6);
    assert_less(second, 1e-4);
    assert_less(jump, 1e-9);
    assert_less(bend, 1e-6);
    give_back(&o);
    vvMeshDestroy(&m);
}

/* The surface to draw it by is closed, outward, and where the function is 0, about. */
static void the_drawn_surface_is_where_it_is_zero(void **state)
{
    (void)state;
    static const double place[6] = { 0.3, -0.2, 0.1, 20, -35, 70 }, torus[] = { 0.5, 0.2, 4, 32 };
    vvMesh m = generate("torus", torus), drawn;
    vv_obstacle o = sample(&m, 0.05, 0, place);
    vvSurfaceCheck check;
    vvError error = { 0 };
    if (vv_obstacle_mesh(&o, 1, &drawn, &error) != VV_OK)
        fail_msg("%s", error.message);
    assert_int_equal(vvMeshCheckSurface(&drawn, &check, &error), VV_OK);
    assert_true(check.closed && check.turnedEdges == 0 && check.partCount == 1 && check.reversedCount == 0);
    vvSurfaceCheckDestroy(&check);
    double worst = 0, volume = 0;
    for (int v = 0; v < drawn.vertexCount; v++)
        worst = fmax(worst, fabs(at(&o, drawn.positions + 3 * (size_t)v)));
    for (int t = 0; t < drawn.triangleCount; t++) {
        const int *c = drawn.triangles + 3 * (size_t)t;
        double n[3];
        vv_cross(drawn.positions + 3 * c[1], drawn.positions + 3 * c[2], n);
        volume += vv_dot(drawn.positions + 3 * c[0], n) / 6;
    }
    assert_less(worst, 0.2 * 0.05);
    assert_less(fabs(volume - 2 * M_PI * M_PI * 0.5 * 0.04), 0.05 * 2 * M_PI * M_PI * 0.5 * 0.04);
    vvMeshDestroy(&drawn);
    vvMeshDestroy(&m);
    give_back(&o);
}

/* ---- the penalty ---- */

/* k a (-phi)^3 of a vertex and its derivatives, still and in a frame that is stretched and turned, where the second
 * derivatives of phi count. */
static void the_penalty_matches_its_derivatives(void **state)
{
    (void)state;
    int index = 0;
    while (vv_obstacle_table(index) != &vv_obstacle_level_set)
        index++;
    for (int moves = 0; moves < 2; moves++) {
        vv_obstacle o = make_obstacle(index);
        int start[2] = { 0, 1 }, node = 4, body = 1, label = 0;
        double weight = 1, area = 0.02, radius = 0.01, friction = -1, rest[15], step = 1e-6;
        uint64_t bits = 0, *held[2] = { &bits, &bits };
        vv_vertices v = { .count = 1,
                          .start = start,
                          .node = &node,
                          .weight = &weight,
                          .area = &area,
                          .radius = &radius,
                          .body = &body,
                          .label = &label,
                          .friction = &friction };
        for (int i = 0; i < 12; i++)
            rest[i] = o.values[i % 3] + (i / 3 == i % 3 + 1 ? 0.5 : 0);
        o.body1 = moves;
        vv_frame frame = vv_frame_make(0, rest);
        vv_barrier_def contact = { &v, &o, 1, 0.02, 1e4, 0.4, 0.1, 2, NULL, moves ? &frame : NULL };
        vv_energy *e;
        vv_repulsion_def def = { &contact, vv_repulsion_form_find("penalty"), 1e5, false, held };
        assert_int_equal(vv_repulsion_create(&def, &e, NULL), VV_OK);
        bound b = bind_energy(e, 5, 4);
        rng r = { 6 };
        int inside = 0;
        double worst = 0, bend = 0;
        for (int k = 0; k < 200; k++) {
            double q[15], g[15], up[15], down[15], h[9], f[3];
            for (int i = 0; i < 12; i++)
                q[i] = rest[i] + (moves ? 0.03 * rng_next(&r) : 0);
            for (int i = 0; i < 3; i++)
                q[12 + i] = o.values[i] + 0.25 * rng_next(&r);
            assert_true(vv_repulsion_place(e, q));
            assert_int_equal(vv_repulsion_presses(e)->count, 1); /* wherever it is */
            vv_contact_place(&contact, q);
            const double d = vv_contact_gap(&contact, 0, 0, q + 12, NULL, NULL);
            assert_less(fabs(e->ops->value(e, NULL, q, NULL) - 1e5 * area * (d < 0 ? -d * d * d : 0)), 1e-12);
            double kinks = INFINITY, y[3], u[3];
            memcpy(y, q + 12, sizeof y);
            if (moves)
                vv_frame_to_rest(&frame, q + 12, y);
            const vv_level_set l = vv_level_set_of(o.field, o.shape);
            vv_level_set_to_grid(&l, o.shape, y, u);
            for (int i = 0; i < 3; i++)
                kinks = fmin(kinks, fabs(u[i] - round(u[i])));
            if (kinks < 1e-4)
                continue;
            inside += d < 0;
            gradient_at(&b, q, g);
            hessian_at(&b, q, VV_HESSIAN_EXACT, h);
            for (int i = 0; i < 3; i++) {
                double a[15], c[15];
                memcpy(a, q, sizeof a), memcpy(c, q, sizeof c);
                a[12 + i] += step, c[12 + i] -= step;
                f[i] = (e->ops->value(e, NULL, a, NULL) - e->ops->value(e, NULL, c, NULL)) / (2 * step);
                gradient_at(&b, a, up);
                gradient_at(&b, c, down);
                worst = fmax(worst, fabs(f[i] - g[12 + i]));
                for (int j = 0; j < 3; j++)
                    bend = fmax(bend, fabs((up[12 + j] - down[12 + j]) / (2 * step) - h[3 * i + j]));
            }
        }
        assert_true(inside > 30);
        assert_less(worst, 1e-6);
        assert_less(bend, 1e-4);
        free_bound(&b);
    }
}

/* ---- what is refused ---- */

static void refused(const vvMesh *m, double spacing, double margin, const char *words)
{
    vvDistanceGrid g;
    vvError error = { 0 };
    assert_int_equal(vvMeshSampleDistance(m, spacing, margin, &g, &error), VV_ERROR_INPUT);
    assert_null(g.samples);
    if (!strstr(error.message, words))
        fail_msg("'%s' is not in: %s", words, error.message);
}

/* Faces on the walls between cells, where rounding may put the surface in neither: a ray meets the near face all the
 * same. */
static void rays_meet_faces_on_walls(void **state)
{
    (void)state;
    static const double cube[] = { 1, 1, 1, 2, 2, 2, 5 }, spacing[] = { 0.1, 0.25, 0.125 };
    vvMesh m = generate("box", cube);
    for (int k = 0; k < 3; k++) {
        vv_obstacle o = sample(&m, spacing[k], 0.2, NULL);
        for (int i = 0; i < 4000; i++) {
            const double a = 0.0117 * (i % 60) - 0.35, b = 0.0113 * (i / 60) - 0.37, slope = i % 2 ? 0.04 * a : 0;
            const int axis = i % 3;
            const double length = sqrt(1 + slope * slope);
            double from[3], d[3], n[3], t = -1;
            from[axis] = -2, from[(axis + 1) % 3] = a, from[(axis + 2) % 3] = b;
            d[axis] = 1 / length, d[(axis + 1) % 3] = slope / length, d[(axis + 2) % 3] = 0;
            assert_true(vv_obstacle_ray(&o, from, d, &t, n));
            /* within a cell of the box's edges the spline goes through samples beyond them */
            assert_less(fabs(t - 1.5 * length), fmax(fabs(a), fabs(b)) < 0.47 - spacing[k] ? 1e-6 : 0.15 * spacing[k]);
        }
        give_back(&o);
    }
    vvMeshDestroy(&m);
}

static void bad_surfaces_are_refused(void **state)
{
    (void)state;
    static const double cube[] = { 1, 1, 1, 2, 2, 2, 5 };
    vvMesh m = generate("box", cube);
    vvDistanceGrid g;
    refused(NULL, 0, 0, "NULL");
    refused(&m, NAN, 0, "spacing");
    refused(&m, 0, -1, "margin");
    refused(&m, 1e-5, 0, "larger spacing");
    refused(&m, 0.0011, 0, "in all; give a larger spacing");
    m.triangleCount--; /* a hole */
    refused(&m, 0, 0, "open edge");
    refused(&m, 0, 0, "at (");
    m.triangleCount++;
    for (int t = 0; t < m.triangleCount; t++) {
        int *v = m.triangles + 3 * (size_t)t, w = v[0];
        v[0] = v[1], v[1] = w;
    }
    refused(&m, 0, 0, "inwards");
    m.triangleCount = 0;
    refused(&m, 0, 0, "no triangles");
    vvMeshDestroy(&m);
    m = generate("box", cube);
    m.positions[3] = NAN;
    refused(&m, 0, 0, "");
    vvMeshDestroy(&m);
    m = generate("box", cube);
    assert_int_equal(vvMeshSampleDistance(&m, 0, 0, &g, NULL), VV_OK); /* proposals */
    assert_true(fabs(g.spacing - 1.0 / 40) < 1e-12 && g.counts[0] == 45);
    vvDistanceGridDestroy(&g);
    vvDistanceGridDestroy(&g);
    vvDistanceGridDestroy(NULL);
    vvMeshDestroy(&m);
}

static void bad_samples_are_refused(void **state)
{
    (void)state;
    const vv_field_ops *ops = vv_obstacle_level_set.field;
    double samples[27];
    vv_field *f;
    vvError error = { 0 };
    for (int i = 0; i < 27; i++)
        samples[i] = i == 13 ? -1 : 1;
    assert_int_equal(vv_field_create(ops, (const int[]){ 3, 3, 3 }, samples, &f, &error), VV_OK);
    vv_field_release(f);
    assert_int_equal(vv_field_create(ops, (const int[]){ 3, 3, 2 }, samples, &f, &error), VV_ERROR_INPUT);
    assert_string_equal(error.message, "distances: 3 x 3 x 2 of them; allowed: 3 to 4097 along each direction");
    assert_int_equal(vv_field_create(ops, (const int[]){ 4000, 4000, 4000 }, samples, &f, &error), VV_ERROR_INPUT);
    samples[5] = 0;
    assert_int_equal(vv_field_create(ops, (const int[]){ 3, 3, 3 }, samples, &f, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "distances: that at (2, 1, 0), at the grid's border, is 0 m"));
    samples[5] = NAN;
    assert_int_equal(vv_field_create(ops, (const int[]){ 3, 3, 3 }, samples, &f, &error), VV_ERROR_INPUT);
    samples[5] = samples[13] = 1;
    assert_int_equal(vv_field_create(ops, (const int[]){ 3, 3, 3 }, samples, &f, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "nothing is solid"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_converge),
        cmocka_unit_test(thin_parts_are_solid),
        cmocka_unit_test(derivatives_are_those_of_the_interpolant),
        cmocka_unit_test(the_drawn_surface_is_where_it_is_zero),
        cmocka_unit_test(the_penalty_matches_its_derivatives),
        cmocka_unit_test(rays_meet_faces_on_walls),
        cmocka_unit_test(bad_surfaces_are_refused),
        cmocka_unit_test(bad_samples_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
