/* Around a carried surface that collides: rays and overlaps meet it, the derivatives of contact's energy go to the
 * nodes through its weights, snapshots keep it, and bad ones are refused. */
#include "carrier_support.h"

#include "visviva/query.h"
#include "world/world.h"
#include "positional.h"

/* Rays and shapes meet the surface that collides, in place of the tets' boundary; one that is only drawn they do
 * not. */
static void test_queries(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = contact_def("backward-euler", 1e-3, 1e-6);
    vvWorld *w = new_world(&d);
    vvBodyId seen = add_carrier(w, 0, 0, true);
    add_carrier(w, 1, 0, false);
    vvRay ray = vvDefaultRay();
    vvRayHit hit;
    bool found;
    for (int b = 0; b < 2; b++) {
        ray.origin[0] = b + 0.003, ray.origin[1] = 1, ray.origin[2] = 0.004, ray.direction[1] = -1;
        assert_ok(vvWorldCastRay(w, &ray, &hit, &found, &error));
        assert_true(found && hit.normal[1] > 0.9);
        assert_near(hit.point[1], b ? 0.0433 : 0.0497, 5e-4);
    }
    ray.origin[0] = 0.003;
    assert_ok(vvWorldCastRay(w, &ray, &hit, &found, &error));
    vvBodySurface s;
    vvBodyGetSurface(w, seen, &s);
    assert_in_range(hit.triangle, 0, s.triangleCount - 1);
    vvContactSide side = { seen, 3, { 0 }, { hit.weights[0], hit.weights[1], hit.weights[2] } };
    memcpy(side.vertices, s.triangles + 3 * hit.triangle, sizeof side.vertices);
    double x[3];
    place_of(w, &side, x);
    assert_near(distance3(x, hit.point), 0, 1e-12);
    assert_true(hit.vertex == side.vertices[0] || hit.vertex == side.vertices[1] || hit.vertex == side.vertices[2]);
    int first;
    vvBodyNodes(w, seen, &first, &(int){ 0 });
    /* near at hand, for a drag */
    assert_less(distance3(vvWorldPositions(w) + 3 * (first + hit.node), hit.point), 0.03);
    const double offset[] = { 0, 0.048, 0.06 };
    for (int i = 0; i < 3; i++) { /* inside of all, between tets and surface, outside */
        vvOverlap ball = vvDefaultOverlap();
        int count;
        ball.kind = VV_SHAPE_SPHERE, ball.radius = 1e-4, ball.center[1] = offset[i];
        assert_ok(vvWorldOverlapBodies(w, &ball, NULL, 0, &count, &error));
        assert_int_equal(count, i < 2);
        ball.center[0] = 1;
        assert_ok(vvWorldOverlapBodies(w, &ball, NULL, 0, &count, &error));
        assert_int_equal(count, i < 1);
    }
    vvWorldDestroy(w);
}

/* Gradient and Hessian of an energy of contact, against differences; some of its nodes are prescribed. */
static void check_derivatives(vvWorld *w, vv_energy *e, const double *q)
{
    vv_system *s = &w->system;
    size_t n = 3 * (size_t)w->nodes;
    double *p = calloc(7 * n, sizeof *p), *g = p + n, *x = p + 2 * n, *up = p + 3 * n, *down = p + 4 * n,
           *pu = p + 5 * n, *hp = p + 6 * n;
    double h = 1e-8, slope = 0, size = 0, value[2], most = 0;
    for (size_t i = 0; i < n; i++)
        p[i] = s->unknown[i / 3] >= 0 ? sin(17.0 * (double)i) : 0;
    vv_pattern pattern = { .n = s->unknowns }; /* none of its own */
    vv_bsr a;
    vv_block_target to = { &a, s->unknown, NULL };
    assert_int_equal(vv_bsr_build(&a, &pattern, NULL), VV_OK);
    vv_bsr_clear(&a, &w->par);
    vv_energy_update(e, &w->par, q);
    e->ops->derivatives(e, &w->par, q, 1, VV_HESSIAN_EXACT, g, &to);
    vv_bsr_finish(&a);
    vv_pack(s, p, pu);
    vv_bsr_multiply(&a, &w->par, pu, hp);
    vv_bsr_free(&a);
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < n; i++)
            x[i] = q[i] + (k ? -h : h) * p[i];
        vv_energy_update(e, &w->par, x);
        value[k] = e->ops->value(e, &w->par, x, NULL);
        e->ops->derivatives(e, &w->par, x, 1, VV_HESSIAN_EXACT, k ? down : up, NULL);
    }
    for (size_t i = 0; i < n; i++) {
        slope += g[i] * p[i], size += fabs(g[i] * p[i]);
        up[i] = (up[i] - down[i]) / (2 * h);
    }
    assert_true(size > 0);
    assert_near((value[0] - value[1]) / (2 * h), slope, 1e-5 * size);
    vv_pack(s, up, pu);
    for (int i = 0; i < 3 * s->unknowns; i++)
        most = fmax(most, fabs(pu[i]));
    for (int i = 0; i < 3 * s->unknowns; i++)
        assert_near(hp[i], pu[i], 2e-4 * most);
    free(p);
}

static void test_derivatives(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = contact_def("backward-euler", 1e-3, 1e-6);
    d.contact.distance = 5e-3;
    vvWorld *w = new_world(&d);
    add_carrier(w, 0, 0.052, true);
    vvBodyId high = add_carrier(w, 0.02, 0.152, true);
    vvAttachDef hold = vvDefaultAttachDef();
    hold.where = (vvRegion){ .kind = VV_REGION_HALF_SPACE, .a = { 0.02, 0.15, 0 }, .b = { 1, 0, 0 } };
    attach(w, high, &hold);
    obstacle(w, "plane", NULL, 0);
    obstacle(w, "sphere", (double[]){ 0.055, 0.09, 0, 0.012 }, 0);
    assert_ok(vvWorldBake(w, &error));
    assert_true(w->system.unknowns < w->nodes);
    int checked = 0;
    for (int i = 0; i < w->system.energies; i++)
        if (w->system.energy[i]->ops->row == VV_ROW_CONTACT) {
            check_derivatives(w, w->system.energy[i], w->state.q);
            checked++;
        }
    assert_int_equal(checked, 2);
    vvWorldDestroy(w);
}

/* A snapshot goes on to the same bits, also where its body was gone. */
static void test_snapshot(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = contact_def("backward-euler", 1.0 / 200, 1e-3);
    d.gravity[1] = -9.8;
    vvWorld *w = new_world(&d);
    add_carrier(w, 0, 0.06, true);
    obstacle(w, "plane", NULL, -1);
    steps(w, 12);
    vvSnapshot *s = NULL;
    assert_ok(vvWorldSnapshot(w, &s, &error));
    steps(w, 10);
    double *x = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
    for (int round = 0; round < 2; round++) {
        if (round) /* another structure, so that the surface comes back with the snapshot */
            assert_ok(vvWorldRemoveBody(w, vvWorldBody(w, 0), &error));
        assert_ok(vvWorldRestore(w, s, &error));
        assert_true(vvBodySurfaceCollides(w, vvWorldBody(w, 0)));
        steps(w, 10);
        assert_memory_equal(x, vvWorldPositions(w), 3 * (size_t)vvWorldNodeCount(w) * sizeof *x);
    }
    free(x);
    vvSnapshotDestroy(s);
    vvWorldDestroy(w);
}

static void test_refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = contact_def("backward-euler", 1e-3, 1e-6);
    vvWorld *w = new_world(&d);
    vvMesh fine = boundary("ball", (double[]){ 0.05, 3 }), ball = { 0 };
    assert_ok(generate_mesh("ball", (double[]){ 0.05, 2 }, &ball, &error));
    vvBodyDef def = vvDefaultBodyDef();
    def.name = "ball", def.mesh = &ball, def.surfaceCollides = true;
    assert_int_equal(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "carries no surface"));
    def.surface = &fine;
    memcpy(fine.positions + 3 * fine.triangles[12], fine.positions + 3 * fine.triangles[13], 3 * sizeof(double));
    assert_int_equal(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "body \"ball\": triangle"));
    assert_false(vvBodySurfaceCollides(w, (vvBodyId){ 0 }));
    /* one inside of another: elements are those of the surfaces */
    fine.triangleCount = 0;
    vvMeshDestroy(&fine);
    add_carrier(w, 0, 0, true);
    add_carrier(w, 0.05, 0, true);
    assert_int_equal(vvWorldBake(w, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "of the surface of \"body-1\" and triangle ("));
    vvIntersection list[4];
    int count;
    assert_ok(vvWorldFindIntersections(w, list, 4, &count, &error));
    assert_true(count > 4);
    vvMeshDestroy(&ball);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_queries), cmocka_unit_test(test_derivatives),
                                        cmocka_unit_test(test_snapshot), cmocka_unit_test(test_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
