/* Directors, the extra nodes of edges, with a kind of elements that this test adds (spoke_kind.h): where they stand,
 * their mass, what does not see them, how they are held, and that they come and go with their bodies. */
#include "live_support.h"
#include "spoke_kind.h"
#include "visviva/query.h"
#include "visviva/settings.h"
#include "world/world.h"
#include "positional.h"

enum { NX = 5, NZ = 4, LINKS = 9 };
static const double THICK = 0.01;

static vvMaterialDef spokes(void)
{
    vvMaterialDef m = material("spoke", 1e5);
    m.springStiffness = 40;
    m.thickness = THICK;
    return m;
}

static vvBodyDef sheet_def(const vvMaterialDef *more)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material.model = "hooke";
    def.material.density = 2;
    def.material.springStiffness = 60;
    def.moreMaterials = more, def.moreMaterialCount = more != NULL;
    return def;
}

static vvBodyId add_sheet(vvWorld *w, bool directors, double y)
{
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    vvMaterialDef more = spokes();
    vvBodyDef def = sheet_def(directors ? &more : NULL);
    assert_ok(generate_mesh("cloth", (double[]){ 0.5, 0.4, NX, NZ }, &mesh, &error));
    def.translate[1] = y;
    return add_mesh(w, &mesh, &def);
}

/* A helix, or a ring, of edges. */
static vvBodyId add_chain(vvWorld *w, bool ring, const vvMaterialDef *m)
{
    double x[3 * (LINKS + 1)];
    int edges[2 * LINKS];
    for (int i = 0; i <= LINKS; i++) {
        double turn = 2 * PI * i / LINKS;
        x[3 * i] = 0.3 * cos(turn), x[3 * i + 1] = ring ? 0 : 0.02 * i, x[3 * i + 2] = 0.3 * sin(turn);
    }
    for (int i = 0; i < LINKS; i++)
        edges[2 * i] = i, edges[2 * i + 1] = ring && i == LINKS - 1 ? 0 : i + 1;
    return add_edges(w, LINKS + !ring, x, LINKS, edges, m);
}

static vvWorld *still_world(void)
{
    vvWorldDef d = free_def("implicit-midpoint", 5e-3, 1e-11);
    return new_world(&d);
}

static const vv_body *body_of(const vvWorld *w, vvBodyId id) { return w->bodies + vv_body_index(w, id); }

/* Offset of director e from the middle of its edge, its length; the cosine with the edge. */
static double offset(const vvWorld *w, const vv_body *b, int e, const double *x, double w_[3], double *along)
{
    double t[3];
    const double *p = x + 3 * b->edges[2 * e], *q = x + 3 * b->edges[2 * e + 1],
                 *g = x + 3 * (b->first + b->vertex_count + e);
    (void)w;
    for (int k = 0; k < 3; k++)
        w_[k] = g[k] - 0.5 * (p[k] + q[k]), t[k] = q[k] - p[k];
    *along = vv_dot(w_, t) / (norm3(w_) * norm3(t));
    return norm3(w_);
}

static void check_places(const vvWorld *w, vvBodyId id, const double *x)
{
    const vv_body *b = body_of(w, id);
    for (int e = 0; e < b->edge_count; e++) {
        double to[3], along, d = vv_edge_length(w->rest, b->edges[2 * e], b->edges[2 * e + 1]);
        assert_near(offset(w, b, e, x, to, &along), d, 1e-12);
        assert_near(along, 0, 1e-9);
    }
}

static void where_they_stand(void **state)
{
    (void)state;
    vvWorld *w = still_world();
    vvMaterialDef m = spokes();
    vvBodyId plain = add_sheet(w, false, 1), sheet = add_sheet(w, true, 0), helix = add_chain(w, false, &m),
             ring = add_chain(w, true, &m);
    vvBodyElements e;
    vvBodyGetElements(w, plain, &e);
    assert_true(e.vertexCount == (NX + 1) * (NZ + 1) && e.directorCount == 0);
    vvBodyGetElements(w, sheet, &e);
    int first, count;
    vvBodyNodes(w, sheet, &first, &count);
    assert_true(e.vertexCount == (NX + 1) * (NZ + 1) && e.directorCount == e.edgeCount &&
                count == e.vertexCount + e.edgeCount);
    check_places(w, sheet, w->rest);
    check_places(w, helix, w->rest);
    check_places(w, ring, w->rest);
    const vv_body *b = body_of(w, sheet);
    for (int i = 0; i < e.directorCount; i++) { /* a flat sheet's stand along its normal */
        double to[3], along, length = offset(w, b, i, w->rest, to, &along);
        assert_near(fabs(to[1]), length, 1e-12);
        assert_true(to[1] * (w->rest[3 * (b->first + b->vertex_count) + 1]) > 0);
    }
    b = body_of(w, helix);
    /* carried without twist: u . (t x t') of both agree, and u . (t + t') change sign together */
    for (int i = 0; i + 1 < b->edge_count; i++) {
        double u[2][3], t[2][3], c[3], along;
        for (int k = 0; k < 2; k++) {
            double length = offset(w, b, i + k, w->rest, u[k], &along);
            for (int j = 0; j < 3; j++) {
                u[k][j] /= length;
                t[k][j] = w->rest[3 * b->edges[2 * (i + k) + 1] + j] - w->rest[3 * b->edges[2 * (i + k)] + j];
            }
        }
        vv_cross(t[0], t[1], c);
        assert_near(vv_dot(u[0], c), vv_dot(u[1], c), 1e-12);
        assert_near(vv_dot(u[0], t[1]) / norm3(t[1]), -vv_dot(u[1], t[0]) / norm3(t[0]), 1e-12);
    }
    vvWorldDestroy(w);
}

static double mass_of(const vvWorld *w, const vv_body *b)
{
    double sum = 0;
    for (int i = 0; i < b->count; i++)
        sum += w->mass[b->first + i];
    return sum;
}

/* The total is exact, and m d^2 is the rotary inertia; also with a total mass, and after changes of density and
 * thickness. */
static void their_mass(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = still_world();
    vvBodyId sheet = add_sheet(w, true, 0);
    vvMaterialDef m = spokes();
    m.density = 800;
    vvBodyId helix = add_chain(w, false, &m);
    m.totalMass = 3;
    vvBodyId ring = add_chain(w, true, &m);
    double length = 0;
    const vv_body *b = body_of(w, helix);
    for (int e = 0; e < b->edge_count; e++)
        length += vv_edge_length(w->rest, b->edges[2 * e], b->edges[2 * e + 1]);
    assert_near(mass_of(w, b), 800 * PI / 4 * THICK * THICK * length, 1e-14);
    assert_near(mass_of(w, body_of(w, ring)), 3, 1e-13);
    for (int e = 0; e < b->edge_count; e++) {
        double d = vv_edge_length(w->rest, b->edges[2 * e], b->edges[2 * e + 1]), r = THICK / 2;
        assert_near(w->mass[b->first + b->vertex_count + e] * d * d, 800 * PI * r * r * r * r / 2 * d,
                    1e-12 * 800 * PI * r * r * r * r);
    }
    for (int change = 0; change < 3; change++) {
        vvMaterialDef def;
        double density = change ? 5 : 2, t = change > 1 ? 0.02 : THICK, inertia = 0;
        assert_true(vvBodyGetMaterial(w, sheet, 0, &def));
        def.density = density;
        assert_ok(vvBodySetMaterial(w, sheet, 0, &def, &error));
        assert_true(vvBodyGetMaterial(w, sheet, 1, &def));
        def.thickness = t;
        assert_ok(vvBodySetMaterial(w, sheet, 1, &def, &error));
        b = body_of(w, sheet);
        assert_near(mass_of(w, b), density * 0.5 * 0.4, 1e-14);
        for (int e = 0; e < b->edge_count; e++) {
            double d = vv_edge_length(w->rest, b->edges[2 * e], b->edges[2 * e + 1]);
            inertia += w->mass[b->first + b->vertex_count + e] * d * d;
        }
        assert_near(inertia, density * t * t / 12 * 0.5 * 0.4, 1e-12); /* each triangle's thirds */
    }
    vvWorldDestroy(w);
}

static vvStatus try_chain(vvWorld *w, double thickness, vvError *error)
{
    double x[9] = { 0, 0, 0, 0.1, 0, 0, 0.2, 0, 0 };
    int edges[4] = { 0, 1, 1, 2 };
    vvMesh mesh = { .vertexCount = 3, .edgeCount = 2, .positions = x, .edges = edges };
    vvBodyDef def = vvDefaultBodyDef();
    def.mesh = &mesh;
    def.material = spokes();
    def.material.thickness = thickness;
    return vvWorldAddBody(w, &def, NULL, error);
}

static void what_is_refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = still_world();
    assert_int_equal(try_chain(w, 0.19, &error), VV_OK);
    expect(try_chain(w, 0.21, &error), VV_ERROR_INPUT, &error, "too fine for the thickness");
    double x[12] = { 0, 0, 0, 0.1, 0, 0, 0, 0.1, 0, 0.1, 0.1, 0 };
    int triangles[6] = { 0, 1, 2, 1, 3, 2 }, edges[2] = { 0, 3 };
    vvMesh mesh = {
        .vertexCount = 4, .triangleCount = 2, .edgeCount = 1, .positions = x, .triangles = triangles, .edges = edges
    };
    vvBodyDef def = vvDefaultBodyDef();
    def.mesh = &mesh;
    def.material = spokes();
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "edge (0, 3) belongs to no triangle");
    vvBodyId plain = add_sheet(w, false, 0), sheet = add_sheet(w, true, 1);
    vvMaterialDef m = spokes(), hooke;
    expect(vvBodySetMaterial(w, plain, 0, &m, &error), VV_ERROR_INPUT, &error, "vertices only");
    vvAttachDef hold = vvDefaultAttachDef();
    hold.clamp = true;
    expect(vvBodyAttach(w, plain, &hold, NULL, &error), VV_ERROR_INPUT, &error, "two rows of attached vertices");
    assert_true(vvBodyGetMaterial(w, sheet, 0, &hooke));
    hooke.model = "stvk-spring";
    expect(vvBodySetMaterial(w, sheet, 1, &hooke, &error), VV_ERROR_INPUT, &error, "directors");
    m.thickness = 1; /* its masses stay as they were */
    double before = mass_of(w, body_of(w, sheet)), one = w->mass[body_of(w, sheet)->first];
    expect(vvBodySetMaterial(w, sheet, 1, &m, &error), VV_ERROR_INPUT, &error, "too fine");
    assert_true(mass_of(w, body_of(w, sheet)) == before && w->mass[body_of(w, sheet)->first] == one);
    vvWorldDestroy(w);
}

/* Regions, bounds, queries, pictures of contact: a body with directors is as one without. */
static void nothing_sees_them(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 5e-3, 1e-8);
    d.contact.model = "barrier";
    d.contact.distance = 1e-3;
    int selected[2][4], hits[2], vertices[2];
    double low[2][3], high[2][3], length[2];
    for (int with = 0; with < 2; with++) {
        vvWorld *w = new_world(&d);
        vvBodyId id = add_sheet(w, with, 0);
        const vvRegion regions[] = { { .kind = VV_REGION_ALL },
                                     { .kind = VV_REGION_ALL, .surfaceOnly = true },
                                     { .kind = VV_REGION_PERCENT, .a = { 0, 0, 0 }, .b = { 50, 100, 100 } },
                                     { .kind = VV_REGION_HALF_SPACE, .a = { 0, -1, 0 }, .b = { 0, 1, 0 } } };
        for (int r = 0; r < 4; r++)
            selected[with][r] = vvBodySelect(w, id, regions + r, NULL, 0);
        vvOverlap ball = vvDefaultOverlap();
        ball.kind = VV_SHAPE_SPHERE, ball.radius = 1;
        assert_ok(vvWorldOverlapNodes(w, &ball, NULL, 0, hits + with, &error));
        ball.radius = 0.02, ball.center[1] = 0.1; /* among the directors */
        int count = 0;
        assert_ok(vvWorldOverlapNodes(w, &ball, NULL, 0, &count, &error));
        assert_int_equal(count, 0);
        vvBodyMeasures m;
        assert_ok(vvBodyMeasure(w, id, &m, &error));
        memcpy(low[with], m.low, sizeof m.low), memcpy(high[with], m.high, sizeof m.high);
        assert_ok(vvWorldBake(w, &error));
        length[with] = vvWorldLength(w);
        vertices[with] = w->contact->vertices.count;
        /* the directors of half of all meshes would be below it */
        obstacle(w, "plane", (double[]){ 0, -0.05, 0, 0, 1, 0 }, 0);
        obstacle(w, "plane", (double[]){ 0, 0.05, 0, 0, -1, 0 }, 0);
        assert_true(isfinite(step(w).total) && ledger(w).contact == 0);
        vvWorldDestroy(w);
    }
    assert_memory_equal(selected[0], selected[1], sizeof selected[0]);
    assert_true(hits[0] == hits[1] && vertices[0] == vertices[1] && length[0] == length[1]);
    assert_memory_equal(low[0], low[1], sizeof low[0]);
    assert_memory_equal(high[0], high[1], sizeof high[0]);
}

/* With directors in the air, all momenta are kept; a snapshot goes on to the same bits, also once an earlier body is
 * gone. */
static void steps_and_snapshots(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = still_world(), *other = still_world();
    vvMaterialDef m = spokes();
    vvBodyId first = add_sheet(w, false, 3), sheet = add_sheet(w, true, 0), helix = add_chain(w, false, &m);
    set_state(w, sheet, "twist", (double[]){ 40, 1, 0, 0 });
    set_state(w, sheet, "angular", (double[]){ 3, 20, -10, NAN, NAN, NAN });
    set_state(w, helix, "angular", (double[]){ 1, -5, 10, NAN, NAN, NAN });
    vvLedgerRow start = ledger(w), end = steps(w, 20);
    for (int k = 0; k < 3; k++) {
        assert_near(end.momentum[k], start.momentum[k], 1e-12);
        assert_near(end.angularMomentumCentre[k], start.angularMomentumCentre[k], 1e-11);
    }
    vvSnapshot *s;
    assert_ok(vvWorldSnapshot(w, &s, &error));
    assert_ok(vvWorldRestore(other, s, &error));
    expect_same(w, other, 5, "restored elsewhere");
    assert_ok(vvWorldRemoveBody(w, first, &error));
    assert_ok(vvWorldRemoveBody(other, first, &error));
    expect_same(w, other, 3, "after a removal");
    const vv_body *b = body_of(w, sheet);
    assert_true(b->first == 0 && b->count == b->vertex_count + b->edge_count);
    assert_int_equal(vv_body_part(w, 0, 1).director, b->vertex_count);
    assert_int_equal(vv_body_part(w, 1, 0).director, b->count + body_of(w, helix)->vertex_count);
    assert_ok(vvWorldRestore(w, s, &error));
    assert_ok(vvWorldRestore(other, s, &error));
    expect_same(w, other, 3, "restored after a removal");
    vvSnapshotDestroy(s);
    vvWorldDestroy(w);
    vvWorldDestroy(other);
}

static int attached(vvWorld *w, vvBodyId id, vvAttachDef *a)
{
    vvError error = { 0 };
    vvAttachId made;
    assert_ok(vvBodyAttach(w, id, a, &made, &error));
    int count = vvAttachNodes(w, made, NULL, 0), list[200];
    assert_true(vvAttachNodes(w, made, list, 200) == count);
    for (int i = 1; i < count; i++)
        assert_true(list[i] > list[i - 1]);
    assert_ok(vvWorldDetach(w, made, &error));
    return count;
}

/* A clamped edge holds the directors between its vertices; a hinged one none. */
static void clamped_or_not(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = still_world();
    vvBodyId sheet = add_sheet(w, true, 0), plain = add_sheet(w, false, 1);
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 0, 0 }, .b = { 1, 100, 100 } };
    for (int clamp = 0; clamp < 2; clamp++) {
        a.clamp = clamp;
        for (int kind = VV_ATTACH_FIXED; kind <= VV_ATTACH_SPRING; kind++) {
            a.kind = kind;
            assert_int_equal(attached(w, sheet, &a), NZ + 1 + (clamp ? NZ : 0));
            if (!clamp) /* refused, in what_is_refused */
                assert_int_equal(attached(w, plain, &a), NZ + 1);
        }
    }
    a.clamp = false;
    a.kind = VV_ATTACH_PUSH, a.acceleration[0] = 1;
    assert_int_equal(attached(w, sheet, &a), 2 * NZ + 1);
    a.kind = VV_ATTACH_FIXED;
    a.where = (vvRegion){ .kind = VV_REGION_ALL };
    const vv_body *b = body_of(w, sheet);
    assert_int_equal(attached(w, sheet, &a), b->count);
    a.kind = VV_ATTACH_SPRING;
    assert_int_equal(attached(w, sheet, &a), b->vertex_count);
    a.kind = VV_ATTACH_FIXED, a.clamp = true;
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 0, 0 }, .b = { 1, 100, 100 } };
    a.motion.linearVelocity[1] = 1;
    assert_ok(vvBodyAttach(w, sheet, &a, NULL, &error));
    steps(w, 3);
    for (int i = 0; i < b->count; i++) /* the clamped ones go with the motion */
        if (w->fixed[b->first + i])
            assert_near(vvWorldPositions(w)[3 * (b->first + i) + 1], w->rest[3 * (b->first + i) + 1] + vvWorldTime(w),
                        1e-12);
    vvWorldDestroy(w);
}

/* Whatever shape a body starts in, its directors stand perpendicular to its edges. */
static void initial_states(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double values[8];
    } all[] = { { "linear", { 1, 2, 3 } },
                { "angular", { 1, 2, 3, NAN, NAN, NAN } },
                { "profile", { 0, -1, 0, 1, 0, 0 } },
                { "translate", { 1, 2, 3 } },
                { "stretch", { 1.5, 0.7, 2, NAN, NAN, NAN } },
                { "twist", { 200, 1, 0, 0 } },
                { "bend", { 300, 1, 0, 0, 0, 1, 0 } },
                { "random", { 1 } },
                { "collapsed", { 0, 0, 0, 0 } } };
    vvMaterialDef m = spokes();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int chain = 0; chain < 2; chain++) {
            vvWorld *w = still_world();
            vvBodyId id = chain ? add_chain(w, false, &m) : add_sheet(w, true, 0);
            set_state(w, id, all[i].name, all[i].values);
            if (strcmp(all[i].name, "collapsed") != 0)
                check_places(w, id, vvWorldPositions(w));
            for (int k = 0; k < 3 * vvWorldNodeCount(w); k++)
                assert_true(isfinite(vvWorldPositions(w)[k]) && isfinite(vvWorldVelocities(w)[k]));
            vvWorldDestroy(w);
        }
    vvWorld *w = still_world(); /* a straight rod that starts twisted */
    double x[15];
    int edges[8] = { 0, 1, 1, 2, 2, 3, 3, 4 };
    for (int i = 0; i < 5; i++)
        x[3 * i] = 0.1 * i, x[3 * i + 1] = x[3 * i + 2] = 0;
    vvBodyId rod = add_edges(w, 5, x, 4, edges, &m);
    set_state(w, rod, "twist", (double[]){ 80, 1, 0, 0 });
    double from[3], to[3], along;
    offset(w, body_of(w, rod), 0, vvWorldPositions(w), from, &along);
    offset(w, body_of(w, rod), 3, vvWorldPositions(w), to, &along);
    /* from middle to middle of the first and last edge */
    assert_near(acos(vv_dot(from, to) / (norm3(from) * norm3(to))), 60 * PI / 180, 1e-9);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(where_they_stand),    cmocka_unit_test(their_mass),
                                        cmocka_unit_test(what_is_refused),     cmocka_unit_test(nothing_sees_them),
                                        cmocka_unit_test(steps_and_snapshots), cmocka_unit_test(clamped_or_not),
                                        cmocka_unit_test(initial_states) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
