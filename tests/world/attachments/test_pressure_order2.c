/* Pressures on bodies of order 2: the stress next to the surface, work, and faces of which a part is pressed. */
#include "visviva/field.h"
#include "live_support.h"

#include "mesh/tet10.h"
#include "world/world.h"

/* Of order 2, with middles where `bend` has them (NULL: straight). */
static vvBodyId add_bar(vvWorld *w, const double *size, const int *cells, const vvMaterialDef *m,
                        void (*bend)(const double *from, double *to))
{
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    vvBodyDef def = vvDefaultBodyDef();
    const double values[7] = { size[0], size[1], size[2], cells[0], cells[1], cells[2], 6 };
    assert_ok(generate_mesh("box", values, &mesh, &error));
    assert_ok(vvMeshRaise(&mesh, &error));
    for (int i = 0; bend && i < mesh.vertexCount; i++) {
        const double from[3] = { mesh.positions[3 * i], mesh.positions[3 * i + 1], mesh.positions[3 * i + 2] };
        bend(from, mesh.positions + 3 * i);
    }
    def.material = *m;
    return add_mesh(w, &mesh, &def);
}

static void roll(vvWorld *w, vvBodyId body, int axis, vvRegion where)
{
    vvAttachDef def = vvDefaultAttachDef();
    def.kind = VV_ATTACH_ROLLER;
    def.axes = 1u << axis;
    def.where = where;
    attach(w, body, &def);
}

static vvRegion slab(int axis, double from, double to)
{
    vvRegion r = { .kind = VV_REGION_BOX, .a = { -1e6, -1e6, -1e6 }, .b = { 1e6, 1e6, 1e6 } };
    r.a[axis] = from, r.b[axis] = to;
    return r;
}

static vvAttachId press(vvWorld *w, vvBodyId body, vvRegion where, double pressure, bool follows)
{
    vvError error = { 0 };
    vvAttachId id = { 0, 0 };
    vvAttachDef def = vvDefaultAttachDef();
    def.kind = VV_ATTACH_PRESSURE, def.pressure = pressure, def.follows = follows;
    def.where = where;
    assert_ok(vvBodyAttach(w, body, &def, &id, &error));
    return id;
}

static vvWorld *new_free(const char *scheme, double h)
{
    vvWorldDef d = free_def(scheme, h, 1e-11);
    return new_world(&d);
}

/* ---- the stress next to the surface ---- */

/* Under p all round Cauchy's stress is -p in each part of each tet, dead or following. */
static void a_cube_under_pressure(void **state)
{
    (void)state;
    for (int follows = 0; follows < 2; follows++) {
        vvError error = { 0 };
        vvWorld *w = new_free("backward-euler", 0.02);
        const vvMaterialDef m = material("neo-hookean", 1e5);
        const vvBodyId body = add_bar(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 3, 3, 3 }, &m, NULL);
        for (int k = 0; k < 3; k++)
            roll(w, body, k, slab(k, -0.0501, -0.0499));
        press(w, body, (vvRegion){ .kind = VV_REGION_ALL }, 1000, follows);
        assert_ok(vvWorldSettle(w, true, NULL, &error));
        int count = 0;
        assert_ok(vvBodyField(w, body, "stress", false, NULL, 0, &count, &error));
        double *f = malloc((size_t)count * sizeof *f), first = 0;
        assert_ok(vvBodyField(w, body, "stress", false, f, count, &count, &error));
        assert_int_equal(count, 6 * 8 * 6 * 27);
        for (int i = 0; i < count; i++) {
            first = i % 6 ? first : f[i];
            assert_near(f[i], i % 6 >= 3 ? 0 : follows ? -1000 : f[0], 1e-3);
        }
        assert_near(first, -1000, follows ? 1e-3 : 30); /* a dead one presses on what was the area */
        free(f);
        vvWorldDestroy(w);
    }
}

/* A quarter of a ring of radii 1 and 2 m, of a box of 1 x 1 x 0.1 m about the origin. */
static void ring(const double *from, double *to)
{
    const double r = 1.5 + from[0], angle = (from[1] + 0.5) * 0.5 * acos(-1.0);
    to[0] = r * cos(angle), to[1] = r * sin(angle), to[2] = from[2];
}

/* The largest error of the radial stress at nodes of the inner surface, as a part of the pressure p on it, which is
 * Lame's -p there; *out: that of how far that surface goes out. */
static double ring_error(int cells, bool follows, double *out)
{
    vvError error = { 0 };
    vvWorld *w = new_free("backward-euler", 0.02);
    const double young = 1e6, poisson = 0.3, p = 1e-4 * young;
    vvMaterialDef m = material("stvk", young);
    m.poisson = poisson;
    const vvBodyId body = add_bar(w, (double[]){ 1, 1, 0.1 }, (int[]){ cells, 2 * cells, 1 }, &m, ring);
    roll(w, body, 0, slab(0, -1, 1e-6));
    roll(w, body, 1, slab(1, -1, 1e-6));
    roll(w, body, 2, (vvRegion){ .kind = VV_REGION_ALL });
    const vvRegion inside = { .kind = VV_REGION_SPHERE, .radius = 1.01 };
    press(w, body, inside, p, follows);
    assert_ok(vvWorldSettle(w, true, NULL, &error));
    const int n = vvWorldNodeCount(w);
    int count = 0;
    double *f = malloc(6 * (size_t)n * sizeof *f), worst = 0, moved = 0;
    const double *x = vvWorldRestPositions(w), *now = vvWorldPositions(w),
                 wanted = p / young * (1 + poisson) * ((1 - 2 * poisson) + 4) / 3;
    assert_ok(vvBodyField(w, body, "stress", true, f, 6 * n, &count, &error));
    for (int i = 0; i < n; i++) {
        const double r = hypot(x[3 * i], x[3 * i + 1]), c = x[3 * i] / r, s = x[3 * i + 1] / r, *t = f + 6 * i;
        if (r > 1 + 1e-6)
            continue;
        const double radial = c * c * t[0] + s * s * t[1] + 2 * c * s * t[3];
        worst = fmax(worst, fabs(radial / p + 1));
        moved = fmax(moved, fabs((hypot(now[3 * i], now[3 * i + 1]) - r) / wanted - 1));
    }
    *out = moved;
    free(f);
    vvWorldDestroy(w);
    return worst;
}

static void a_thick_ring(void **state)
{
    (void)state;
    for (int follows = 0; follows < 2; follows++) {
        double coarse_way, way;
        const double coarse = ring_error(3, follows, &coarse_way), fine = ring_error(6, follows, &way);
        printf("%s: radial stress off by %.4g, %.4g of p, displacement by %.3g, %.3g\n", follows ? "following" : "dead",
               coarse, fine, coarse_way, way);
        assert_less(fine, 0.5 * coarse);
        assert_less(fine, 0.06);
        assert_less(way, 2e-3);
    }
}

/* ---- work ---- */

static double volume_of(const vvWorld *w)
{
    double sum = 0, share[10];
    for (int t = 0; t < w->bodies[0].tet10_count; t++)
        sum += vv_tet10_lump(vvWorldPositions(w), w->bodies[0].tets10 + 10 * (size_t)t, share);
    return sum;
}

/* Of a closed surface p dV of the curved tets, to rounding. */
static void work_is_p_dv(void **state)
{
    (void)state;
    static const char *const schemes[] = { "implicit-midpoint", "backward-euler", "verlet", "bdf2" };
    for (int i = 0; i < 4; i++) {
        vvWorld *w = new_free(schemes[i], i == 2 ? 5e-5 : 0.004);
        const vvMaterialDef m = material("stable-neo-hookean", 1e5);
        const vvBodyId body = add_bar(w, (double[]){ 0.4, 0.2, 0.2 }, (int[]){ 2, 1, 1 }, &m, NULL);
        const vvAttachId id = press(w, body, (vvRegion){ .kind = VV_REGION_ALL }, -3e3, true);
        set_state(w, body, "angular", (double[]){ 5, 2, 7, 0, 0, 0 });
        const double begin = volume_of(w);
        double sum = 0;
        for (int s = 0; s < 25; s++) {
            const vvLedgerRow row = step(w);
            sum += row.loads;
            for (int k = 0; k < 3; k++)
                assert_near(row.momentum[k], 0, 1e-7);
        }
        const double grown = 3e3 * (volume_of(w) - begin);
        assert_near(vvAttachWork(w, id), grown, 1e-10 * fabs(grown));
        assert_near(sum, grown, 1e-10 * fabs(grown));
        assert_true(grown > 1e-4);
        vvWorldDestroy(w);
    }
}

/* ---- parts of faces ---- */

/* A region that takes two of a face's four triangles presses on these, with what they bear; it goes on from a state. */
static void parts_of_faces(void **state)
{
    (void)state;
    for (int follows = 0; follows < 2; follows++) {
        vvError error = { 0 };
        vvWorld *w = new_free("implicit-midpoint", 0.002);
        const vvMaterialDef m = material("stvk", 1e5);
        const vvBodyId body = add_bar(w, (double[]){ 0.3, 0.1, 0.1 }, (int[]){ 3, 1, 1 }, &m, NULL);
        vvRegion where = slab(0, -0.001, 1); /* from the middle of a cell on, */
        where.a[1] = 0.049;                  /* at the top */
        const vvAttachId id = press(w, body, where, 500, follows);
        const vv_load *load = &w->attaches[0].load;
        assert_int_equal(load->face_count, 2);
        assert_int_equal(load->triangle_count, 12);
        double force[3 * 64], sum[3] = { 0 };
        const int nodes = vvAttachForces(w, id, force, 64);
        assert_true(nodes > 0 && nodes < 64);
        for (int i = 0; i < 3 * nodes; i++)
            sum[i % 3] += force[i];
        assert_near(sum[0], 0, 1e-12);
        assert_near(sum[1], -500 * 0.15 * 0.1, 1e-12);
        assert_near(sum[2], 0, 1e-12);
        const vvLedgerRow row = steps(w, 3);
        assert_near(row.momentum[1], -500 * 0.15 * 0.1 * 0.006, 1e-2 * 500 * 0.15 * 0.1 * 0.006);
        vvSnapshot *s;
        assert_ok(vvWorldSnapshot(w, &s, &error));
        vvWorld *other = new_free("implicit-midpoint", 0.002);
        assert_ok(vvWorldRestore(other, s, &error));
        expect_same(w, other, 3, "restored");
        vvSnapshotDestroy(s);
        vvWorldDestroy(other);
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_under_pressure),
        cmocka_unit_test(a_thick_ring),
        cmocka_unit_test(work_is_p_dv),
        cmocka_unit_test(parts_of_faces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
