/* Dragging a point within a triangle or on an edge, of bodies of every kind: the point that the ray met is the one
 * that is held, where it is on the body stays; the ledger, momentum about the hand, snapshots, saved states, and
 * every solver as with a vertex. */
#include "visviva/interact.h"

#include "visviva/settings.h"

#include "world_support.h"

#include "solid_support.h"

enum { AFFINE, SOLID, SKIN, CLOTH, ROD, KINDS };

static vvBodyId add_kind(vvWorld *w, int kind)
{
    vvError error = { 0 };
    vvBodyId id = { 0, 0 };
    vvBodyDef def = vvDefaultBodyDef();
    vvMesh mesh = { 0 };
    if (kind == AFFINE) {
        surface s = { 0 };
        put_block(&s, (double[]){ -0.1, -0.1, -0.1 }, (double[]){ 0.2, 0.2, 0.2 }, false);
        def = affine_def();
        return add_solid(w, &s, &def);
    }
    if (kind == SOLID) {
        vvMaterialDef m = material("arap", 1e4);
        return add_cube(w, 0.2, 2, &m);
    }
    if (kind == SKIN) {
        vvMesh carried = { 0 };
        assert_ok(generate_mesh("box", (double[]){ 0.2, 0.2, 0.2, 2, 2, 2, 6 }, &mesh, &error));
        assert_ok(generate_mesh("box", (double[]){ 0.2, 0.2, 0.2, 4, 4, 4, 6 }, &carried, &error));
        carried.tetCount = 0;
        def.mesh = &mesh, def.surface = &carried, def.surfaceCollides = true;
        def.material = material("arap", 1e4);
        assert_ok(vvWorldAddBody(w, &def, &id, &error));
        vvMeshDestroy(&carried);
        vvMeshDestroy(&mesh);
        return id;
    }
    if (kind == CLOTH) {
        double x[] = { -0.1, 0, -0.1, 0.1, 0, -0.1, 0.1, 0, 0.1, -0.1, 0, 0.1 };
        int triangles[] = { 0, 2, 1, 0, 3, 2 };
        mesh = (vvMesh){ .vertexCount = 4, .triangleCount = 2, .positions = x, .triangles = triangles };
        def.mesh = &mesh, def.thickness = 0.001;
        def.material = material("stvk-membrane", 1e5);
        def.material.thickness = 0.001;
        assert_ok(vvWorldAddBody(w, &def, &id, &error));
        return id;
    }
    double x[] = { -0.1, 0, 0, 0, 0, 0, 0.1, 0, 0 };
    int edges[] = { 0, 1, 1, 2 };
    vvMaterialDef m = material("hooke-rod", 1e5);
    m.thickness = 0.01;
    return add_edges(w, 3, x, 2, edges, &m);
}

/* From above, beside the middle: within a triangle, or on an edge. */
static vvRayHit shoot(vvWorld *w)
{
    vvError error = { 0 };
    vvRay ray = vvDefaultRay();
    vvRayHit hit;
    bool found;
    ray.origin[0] = 0.053, ray.origin[1] = 1, ray.origin[2] = 0.004;
    ray.direction[1] = -1, ray.thickness = 0.01;
    assert_ok(vvWorldCastRay(w, &ray, &hit, &found, &error));
    assert_true(found);
    return hit;
}

/* Where the body has that point now, by its surface or elements. */
static void point_of(const vvWorld *w, const vvRayHit *hit, double x[3])
{
    vvError error = { 0 };
    vvBodyElements e;
    const double *q = vvWorldPositions(w);
    double own[3 * 128];
    vvBodyGetElements(w, hit->body, &e);
    const int *corner = hit->triangle >= 0 ? e.triangles + 3 * hit->triangle : e.edges + 2 * hit->edge;
    if (vvBodySurfaceCollides(w, hit->body)) {
        vvBodySurface s;
        vvBodyGetSurface(w, hit->body, &s);
        assert_true(s.vertexCount <= 128);
        assert_ok(vvBodySurfacePositions(w, hit->body, NULL, own, &error));
        q = own, corner = s.triangles + 3 * hit->triangle;
    }
    for (int k = 0; k < 3; k++) {
        x[k] = 0;
        for (int i = 0; i < (hit->triangle >= 0 ? 3 : 2); i++)
            x[k] += hit->weights[i] * q[3 * corner[i] + k];
    }
}

static vvDragId grab(vvWorld *w, const vvRayHit *hit, double stiffness)
{
    vvError error = { 0 };
    vvDragDef def = vvDragAtHit(hit);
    vvDragId drag;
    def.stiffness = stiffness;
    assert_ok(vvWorldStartDrag(w, &def, &drag, &error));
    return drag;
}

static void the_point_that_was_met_is_held(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        vvError error = { 0 };
        vvWorldDef d = free_def("backward-euler", 0.02, 1e-6);
        vvWorld *w = new_world(&d);
        add_kind(w, kind);
        vvRayHit hit = shoot(w);
        vvDragId drag = grab(w, &hit, 0);
        double at[3], own[3], target[3] = { 0.3, 0.4, -0.2 };
        assert_true(vvDragGetPoint(w, drag, at));
        assert_less(distance3(at, hit.point), 1e-12);
        assert_near(steps(w, 2).attachment, 0, 1e-18); /* a hand that keeps still does nothing */
        assert_ok(vvWorldMoveDrag(w, drag, target, &error));
        for (int s = 0; s < 150; s++) {
            step(w);
            assert_true(vvDragGetPoint(w, drag, at));
            point_of(w, &hit, own);
            assert_less(distance3(at, own), kind == SKIN ? 0.03 : 1e-12); /* its triangle may lie in several tets */
        }
        assert_less(distance3(own, target), 4e-3);
        assert_ok(vvWorldEndDrag(w, drag, &error));
        assert_false(vvDragGetPoint(w, drag, at));
        assert_true(at[0] == 0);
        vvWorldDestroy(w);
    }
}

/* The force points at the hand, so that it has no moment about it: midpoint keeps the moment of momentum about a hand
 * that keeps still. */
static void moment_about_the_hand_is_kept(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        vvError error = { 0 };
        vvWorldDef d = free_def("implicit-midpoint", 0.01, 1e-10);
        vvWorld *w = new_world(&d);
        add_kind(w, kind);
        vvRayHit hit = shoot(w);
        vvDragId drag = grab(w, &hit, 0);
        double target[3] = { hit.point[0] + 0.1, hit.point[1] + 0.05, hit.point[2] + 0.07 }, first[3] = { 0 },
               fastest = 0;
        assert_ok(vvWorldMoveDrag(w, drag, target, &error));
        for (int s = 0; s < 40; s++) {
            double moment[3] = { 0 }, scale = 0;
            step(w);
            for (int i = 0; i < vvWorldNodeCount(w); i++) {
                const double *x = vvWorldPositions(w) + 3 * i, *v = vvWorldVelocities(w) + 3 * i,
                             m = vvWorldMasses(w)[i];
                for (int k = 0; k < 3; k++) {
                    const int a = (k + 1) % 3, b = (k + 2) % 3;
                    moment[k] += m * ((x[a] - target[a]) * v[b] - (x[b] - target[b]) * v[a]);
                }
                scale += m * norm3(v) * 0.2;
                fastest = fmax(fastest, norm3(v));
            }
            for (int k = 0; k < 3; k++) {
                assert_near(moment[k], s ? first[k] : 0, 1e-7 * scale);
                first[k] = moment[k];
            }
        }
        assert_less(0.1, fastest);
        vvWorldDestroy(w);
    }
}

static void the_ledger_holds(void **state)
{
    (void)state;
    for (int i = 0; vvSchemeInfo(i); i++)
        for (int kind = 0; kind < KINDS; kind++) {
            vvError error = { 0 };
            const char *name = vvSchemeInfo(i)->name;
            /* unstable at a larger step */
            bool small = strstr("forward-euler symplectic-euler verlet sdirk2-coupled", name) != NULL;
            vvWorldDef d = free_def(name, small ? 2e-5 : 0.01, 1e-9);
            vvWorld *w = new_world(&d);
            add_kind(w, kind);
            step(w);
            vvRayHit hit = shoot(w);
            double target[3], total = ledger(w).total, booked = total, highest = 0;
            memcpy(target, hit.point, sizeof target);
            vvDragId drag = grab(w, &hit, 30);
            for (int s = 0; s < 12; s++) {
                target[0] += 1e-3, target[1] -= 5e-4;
                if (s < 8)
                    assert_ok(vvWorldMoveDrag(w, drag, target, &error));
                else if (s == 8)
                    assert_ok(vvWorldEndDrag(w, drag, &error));
                vvLedgerRow row = step(w);
                booked += row.work - row.friction - row.damping - row.decay + row.error;
                highest = fmax(highest, row.attachment);
                assert_near(row.total, booked, 1e-9);
                assert_true(s < 8 || row.attachment == 0);
            }
            assert_less(0, highest);
            vvWorldDestroy(w);
        }
}

/* From a snapshot the same bits, also when the drag had ended meanwhile; a saved state goes on where the same point
 * is held. */
static void snapshots_and_saved_states(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        vvError error = { 0 };
        vvSnapshot *snapshot = NULL;
        vvWorldDef d = free_def("bdf2", 0.01, 1e-9);
        vvWorld *w = new_world(&d), *other = new_world(&d);
        add_kind(w, kind);
        add_kind(other, kind);
        vvRayHit hit = shoot(w), there = shoot(other);
        vvDragId drag = grab(w, &hit, 0), same = grab(other, &there, 0);
        const double up[3] = { 0.02, 0.3, 0 };
        assert_ok(vvWorldMoveDrag(w, drag, up, &error));
        steps(w, 3);
        assert_ok(vvWorldSnapshot(w, &snapshot, &error));
        const size_t size = vvWorldStateSize(w);
        void *saved = malloc(size);
        assert_ok(vvWorldSaveState(w, saved, size, &error));
        steps(w, 5);
        const int n = 3 * vvWorldNodeCount(w);
        double *expected = copy_of(vvWorldPositions(w), n), at[3];
        assert_ok(vvWorldEndDrag(w, drag, &error));
        steps(w, 2);
        assert_ok(vvWorldRestore(w, snapshot, &error));
        assert_true(vvDragGetPoint(w, drag, at));
        steps(w, 5);
        assert_memory_equal(expected, vvWorldPositions(w), (size_t)n * sizeof *expected);
        assert_true(vvWorldAttachmentsHash(w) == vvWorldAttachmentsHash(other));
        assert_ok(vvWorldLoadState(other, saved, size, &error));
        steps(other, 5);
        assert_memory_equal(expected, vvWorldPositions(other), (size_t)n * sizeof *expected);
        assert_ok(vvWorldEndDrag(other, same, &error));
        there.weights[0] += 0.01, there.weights[1] -= 0.01; /* another point of the same element */
        grab(other, &there, 0);
        assert_true(vvWorldAttachmentsHash(w) != vvWorldAttachmentsHash(other));
        vvSnapshotDestroy(snapshot);
        free(expected);
        free(saved);
        vvWorldDestroy(w);
        vvWorldDestroy(other);
    }
}

/* Each solver ends each step where Newton does; xpbd nearby, as its scalar sweeps do. */
static void every_solver_takes_it(void **state)
{
    (void)state;
    for (int m = 0; vvSolverInfo(m); m++) {
        const char *solver = vvSolverInfo(m)->name;
        double end[2][3];
        for (int reference = 0; reference < 2; reference++) {
            vvError error = { 0 };
            vvWorldDef d = free_def("backward-euler", 0.02, 1e-8);
            d.solver.method = reference ? "newton" : solver, d.solver.maxIterations = 3000;
            vvWorld *w = new_world(&d);
            vvMaterialDef material_of_it = material("arap", 5e3);
            add_cube(w, 0.2, 2, &material_of_it);
            vvRayHit hit = shoot(w);
            vvDragId drag = grab(w, &hit, 20);
            assert_ok(vvWorldMoveDrag(w, drag, (double[]){ 0.2, 0.3, 0.1 }, &error));
            steps(w, 8);
            assert_true(vvDragGetPoint(w, drag, end[reference]));
            vvWorldDestroy(w);
        }
        if (distance3(end[0], end[1]) > (strcmp(solver, "xpbd") == 0 ? 1e-3 : 2e-5))
            fail_msg("%s: %g m off", solver, distance3(end[0], end[1]));
        assert_less(0.01, fabs(end[1][1] - 0.1));
    }
}

static void refuse(vvWorld *w, const vvDragDef *def, const char *word)
{
    vvError error = { 0 };
    vvDragId drag;
    assert_int_equal(vvWorldStartDrag(w, def, &drag, &error), VV_ERROR_INPUT);
    if (!strstr(error.message, word))
        fail_msg("\"%s\" does not say \"%s\"", error.message, word);
    assert_int_equal(drag.index1, 0);
}

static void what_is_refused(void **state)
{
    (void)state;
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-9);
    vvWorld *w = new_world(&d);
    add_kind(w, SOLID);
    vvRayHit hit = shoot(w);
    vvDragDef good = vvDragAtHit(&hit), def = good;
    def.triangle = 48;
    refuse(w, &def, "has 48 of them");
    def = good, def.edge = 0;
    refuse(w, &def, "set the other to -1");
    def = good, def.weights[0] = 1.2;
    refuse(w, &def, "weights are 1.2");
    def = good, def.weights[1] = NAN;
    refuse(w, &def, "be 0 to 1");
    def = good, def.kind = VV_DRAG_PRESCRIBED;
    refuse(w, &def, "only by a spring");
    def = good, def.radius = 0.1;
    refuse(w, &def, "radius is 0.1 m");
    def = good, def.triangle = -1, def.edge = 1000000;
    refuse(w, &def, "of them");
    def = vvDragAtHit(NULL);
    refuse(w, &def, "no such body");
    vvWorldDestroy(w);
    w = new_world(&d);
    def.body = add_kind(w, SKIN), def.edge = 0, def.weights[0] = 1;
    refuse(w, &def, "surface that collides");
    /* a corner is a vertex: by force, too */
    vvError error = { 0 };
    vvDragId drag;
    vvWorldDestroy(w);
    w = new_world(&d);
    add_kind(w, SOLID);
    def = good, def.weights[0] = def.weights[1] = 0, def.weights[2] = 1, def.kind = VV_DRAG_PRESCRIBED,
    def.radius = 0.01;
    def.body = vvWorldBody(w, 0);
    assert_ok(vvWorldStartDrag(w, &def, &drag, &error));
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_point_that_was_met_is_held),
        cmocka_unit_test(moment_about_the_hand_is_kept),
        cmocka_unit_test(the_ledger_holds),
        cmocka_unit_test(snapshots_and_saved_states),
        cmocka_unit_test(every_solver_takes_it),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
