/* The debug drawing: what comes out is the world's own geometry; and the measures of a body, and the host's
 * pointers. */
#include "visviva/contact.h"
#include "visviva/draw.h"
#include "visviva/query.h"
#include "visviva/settings.h"

#include "live_support.h"

#include "joint_support.h"
#include "positional.h"

/* All that was drawn. */
typedef struct sheet {
    int points, segments, triangles, texts;
    double area, volume; /* of the triangles; signed, of what they enclose */
    double low[3], high[3], longest;
    double worst_normal, ball;
    char words[256];
    vvWorld *world;
    vvStatus inside; /* of a call from within */
} sheet;

static void take(sheet *s, const double x[3])
{
    for (int k = 0; k < 3; k++)
        s->low[k] = fmin(s->low[k], x[k]), s->high[k] = fmax(s->high[k], x[k]);
}

static void point(void *user, const double at[3], double size, uint32_t colour)
{
    sheet *s = user;
    (void)colour;
    s->points++;
    s->ball = size;
    take(s, at);
}

static void segment(void *user, const double from[3], const double to[3], uint32_t colour)
{
    sheet *s = user;
    (void)colour;
    s->segments++;
    s->longest = fmax(s->longest, distance3(from, to));
    take(s, from), take(s, to);
}

static void triangle(void *user, const double t[9], const double n[3], uint32_t colour)
{
    sheet *s = user;
    (void)colour;
    double a[3], b[3], c[3];
    for (int k = 0; k < 3; k++)
        a[k] = t[3 + k] - t[k], b[k] = t[6 + k] - t[k];
    c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
    double area = 0.5 * norm3(c), off = 0;
    for (int k = 0; k < 3; k++) {
        s->volume += t[k] * c[k] / 6;
        off = fmax(off, fabs(c[k] / (2 * area) - n[k]));
    }
    s->worst_normal = fmax(s->worst_normal, off);
    s->triangles++;
    s->area += area;
    for (int k = 0; k < 3; k++)
        take(s, t + 3 * k);
}

static void text(void *user, const double at[3], const char *words, uint32_t colour)
{
    sheet *s = user;
    vvError error = { 0 };
    (void)at;
    (void)colour;
    s->texts++;
    strcat(s->words, words);
    strcat(s->words, ";");
    s->inside = vvWorldStep(s->world, NULL, &error); /* refused, as in any callback */
    assert_int_equal(vvWorldBodyCount(s->world) > 0, 1);
}

static sheet draw_with(vvWorld *w, vvDraw d)
{
    vvError error = { 0 };
    sheet s = { .low = { INFINITY, INFINITY, INFINITY }, .high = { -INFINITY, -INFINITY, -INFINITY }, .world = w };
    d.point = point, d.segment = segment, d.triangle = triangle, d.text = text, d.user = &s;
    assert_ok(vvWorldDraw(w, &d, &error));
    return s;
}

static sheet draw(vvWorld *w, unsigned what)
{
    vvDraw d = vvDefaultDraw();
    d.what = what;
    return draw_with(w, d);
}

static vvWorld *empty(void)
{
    vvWorldDef d = live_def("backward-euler", "none");
    return new_world(&d);
}

/* A box's triangles enclose its volume, from outside; its edges come once each; its bounds are a box of twelve. */
static void a_body_is_its_surface(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = empty();
    add_block(w, 0.3, 1, 0);
    steps(w, 3);
    sheet s = draw(w, VV_DRAW_SURFACES);
    vvBodyElements e;
    vvBodyGetElements(w, vvWorldBody(w, 0), &e);
    assert_int_equal(s.triangles, e.triangleCount);
    assert_near(s.volume, 1e-3, 1e-6);
    assert_near(s.area, 6e-2, 1e-5);
    assert_less(s.worst_normal, 1e-12);
    assert_int_equal(s.segments + s.points + s.texts, 0);
    sheet wire = draw(w, VV_DRAW_EDGES);
    assert_int_equal(wire.segments, 3 * e.triangleCount / 2);
    assert_int_equal(wire.triangles, 0);
    sheet box = draw(w, VV_DRAW_BOUNDS);
    vvBodyMeasures m;
    assert_ok(vvBodyMeasure(w, vvWorldBody(w, 0), &m, &error));
    assert_int_equal(box.segments, 12);
    for (int k = 0; k < 3; k++) {
        assert_near(box.low[k], m.low[k], 0);
        assert_near(box.high[k], m.high[k], 0);
        assert_near(s.low[k], m.low[k], 0);
    }
    /* where a host wants it, such as between two steps */
    int n = 3 * vvWorldNodeCount(w);
    double *between = copy_of(vvWorldPositions(w), n);
    for (int i = 0; i < n; i++)
        between[i] += 5;
    vvDraw d = vvDefaultDraw();
    d.what = VV_DRAW_SURFACES, d.positions = between;
    sheet moved = draw_with(w, d);
    assert_near(moved.low[0], s.low[0] + 5, 1e-12);
    free(between);
    vvWorldDestroy(w);
}

/* A rope is segments, grains are points of their diameter, a carried surface is drawn in place of the tets. */
static void other_bodies(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = empty();
    double x[9] = { 0, 0, 0, 0.1, 0, 0, 0.2, 0, 0 };
    int edges[4] = { 0, 1, 1, 2 }, grain = 0;
    vvMaterialDef hooke = material("hooke", 1e5);
    add_edges(w, 3, x, 2, edges, &hooke);
    sheet rope = draw(w, VV_DRAW_SURFACES);
    assert_int_equal(rope.segments, 2);
    assert_near(rope.longest, 0.1, 1e-12);
    vvMesh points = { .vertexCount = 1, .pointCount = 1, .positions = x, .points = &grain };
    vvBodyDef def = vvDefaultBodyDef();
    def.mesh = &points, def.material = material("free", 0), def.thickness = 0.02, def.translate[1] = 1;
    assert_ok(vvWorldAddBody(w, &def, NULL, &error));
    sheet grains = draw(w, VV_DRAW_SURFACES);
    assert_int_equal(grains.points, 1);
    assert_near(grains.ball, 0.02, 0);
    vvMesh ball = { 0 }, fine = { 0 };
    assert_ok(generate_mesh("ball", (double[]){ 0.1, 1 }, &ball, &error));
    assert_ok(generate_mesh("ball", (double[]){ 0.1, 3 }, &fine, &error));
    def = vvDefaultBodyDef();
    def.mesh = &ball, def.surface = &fine, def.translate[1] = 2;
    def.name = "carrier";
    vvBodyId id;
    assert_ok(vvWorldAddBody(w, &def, &id, &error));
    sheet all = draw(w, VV_DRAW_SURFACES | VV_DRAW_NAMES);
    assert_int_equal(all.triangles, fine.triangleCount);
    assert_int_equal(all.texts, 3);
    assert_non_null(strstr(all.words, "carrier;"));
    assert_int_equal(all.inside, VV_ERROR_INPUT);
    vvBodyMeasures m;
    assert_ok(vvBodyMeasure(w, id, &m, &error)); /* with the surface, which is rounder than the tets */
    double top = -1;
    for (int i = 0; i < fine.vertexCount; i++)
        top = fmax(top, fine.positions[3 * i + 1]);
    assert_near(m.high[1], 2 + top, 1e-9);
    vvMeshDestroy(&ball);
    vvMeshDestroy(&fine);
    vvWorldDestroy(w);
}

/* Every kind of obstacle: the distance of each corner is 0, the surface is closed (a plane lies in itself), outward. */
static void obstacles_are_their_surfaces(void **state)
{
    (void)state;
    const double pi = PI;
    const double sphere[4] = { 1, 2, 3, 0.5 }, box[9] = { 1, 2, 3, 0.4, 0.6, 0.8, 20, 30, 40 },
                 cylinder[8] = { 1, 2, 3, 1, 1, 0, 0.2, 0.7 }, torus[8] = { 1, 2, 3, 1, 1, 0, 0.4, 0.15 },
                 block[10] = { 1, 2, 3, 0.4, 0.6, 20, 30, 40, 1, 0.3 }, hole[9] = { 1, 2, 3, 1, 1, 0, 0.35, 0.1, 0.65 },
                 bowl[9] = { 1, 2, 3, 1, 1, 0, 0.45, 0.1, 110 };
    const double plane[6] = { 0, 0.2, 0, 0, 2, 0 };
    /* of the rounded edges, after Pappus */
    const double open = 110 * pi / 180, half_disc = pi * 0.05 * 0.05 / 2, centroid = 4 * 0.05 / (3 * pi);
    const struct {
        const char *type;
        const double *values;
        double volume, slack;
    } all[] = { { "sphere", sphere, 4 * pi / 3 * 0.125, 0.03 },
                { "box", box, 0.192, 1e-12 },
                { "cylinder", cylinder, pi * 0.04 * 0.7, 0.02 },
                { "capsule", cylinder, pi * 0.04 * (0.7 + 4 / 3.0 * 0.2), 0.02 },
                { "torus", torus, 2 * pi * pi * 0.4 * 0.0225, 0.02 },
                { "hole", hole, pi * (0.36 - 0.16) * 0.1 + 2 * pi * (0.4 - centroid + 0.6 + centroid) * half_disc,
                  0.02 },
                { "bowl", bowl,
                  2 * pi / 3 * (1 - cos(open)) * (pow(0.55, 3) - pow(0.45, 3)) +
                      2 * pi * (0.5 * sin(open) + centroid * cos(open)) * half_disc,
                  0.03 },
                { "heightfield", block, 0.072, 1e-12 },
                { "level-set", NULL, 8 / 3375.0, 1e-12 } }; /* of 3 x 3 x 3 samples: a cube */
    int seen = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++, seen++) {
        vvWorld *w = empty();
        obstacle(w, all[i].type, all[i].values, -1);
        sheet s = draw(w, VV_DRAW_OBSTACLES);
        assert_true(s.triangles >= 12);
        assert_near(s.volume, all[i].volume, all[i].slack * all[i].volume + 1e-12);
        assert_less(s.worst_normal, 1e-9);
        vvWorldDestroy(w);
    }
    vvWorld *w = empty();
    obstacle(w, "plane", plane, -1);
    vvDraw d = vvDefaultDraw();
    d.what = VV_DRAW_OBSTACLES, d.extent = 3;
    sheet s = draw_with(w, d);
    assert_near(s.area, 36, 1e-9);
    assert_near(s.low[1], 0.2, 1e-12);
    assert_near(s.high[1], 0.2, 1e-12);
    vvWorldDestroy(w);
    while (vvObstacleInfo(seen))
        seen++;
    assert_int_equal(seen, 10); /* a new kind is to be tried here, too */
}

/* One that moves is drawn as an obstacle, where it is; its filter and its pointer are its own. */
static void a_moving_obstacle_is_where_it_is(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = empty();
    add_block(w, 3, 0, 0);
    vvObstacleDef def = vvDefaultObstacleDef();
    vvObstacleId id;
    int mine;
    def.type = "box", shape_obstacle(&def, (double[]){ 0, 0, 0, 0.2, 0.2, 0.2, 0, 0, 0 });
    def.moves = true, def.motion.linearVelocity[1] = 10, def.userData = &mine;
    assert_ok(vvWorldAddObstacle(w, &def, &id, &error));
    steps(w, 5);
    double y = 10 * vvWorldTime(w);
    sheet s = draw(w, VV_DRAW_OBSTACLES);
    assert_near(s.volume, 8e-3, 1e-9);
    assert_near(s.low[1], y - 0.1, 1e-9);
    assert_near(s.high[1], y + 0.1, 1e-9);
    assert_int_equal(draw(w, VV_DRAW_BOUNDS).segments, 12); /* of the block */
    vvBodyElements e;
    vvBodyGetElements(w, vvWorldBody(w, 0), &e);
    assert_int_equal(draw(w, VV_DRAW_SURFACES).triangles, e.triangleCount);
    assert_ptr_equal(vvObstacleUserData(w, id), &mine);
    assert_ptr_equal(vvBodyUserData(w, vvObstacleBody(w, id)), &mine);
    vvFilter f = filter_of(8, 8, 0);
    assert_ok(vvObstacleSetFilter(w, id, &f, &error));
    assert_int_equal(vvBodyFilter(w, vvObstacleBody(w, id)).category, 8);
    vvDraw d = vvDefaultDraw();
    d.what = VV_DRAW_OBSTACLES, d.filter = filter_of(1, 1, 0);
    assert_int_equal(draw_with(w, d).triangles, 0);
    step(w);
    vvWorldDestroy(w);
}

static void contacts_and_attachments(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef def = live_def("backward-euler", "none");
    def.contact.distance = 1e-3;
    vvWorld *w = new_world(&def);
    vvBodyId block = add_block(w, 0, 0.0505, 0);
    obstacle(w, "plane", NULL, -1);
    sheet s = draw(w, VV_DRAW_CONTACTS);
    const vvContactPoint *points;
    int count;
    assert_ok(vvWorldContactPoints(w, &points, &count, &error));
    assert_int_equal(count, 4);
    assert_int_equal(s.points, 4);
    assert_int_equal(s.segments, 4);
    assert_near(s.longest, 0.02, 1e-12); /* 20 d-hat */
    vvDraw d = vvDefaultDraw();
    d.what = VV_DRAW_CONTACTS, d.forceScale = 0.5;
    sheet forces = draw_with(w, d);
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, points[i].force);
    assert_near(forces.longest, 0.5 * most, 1e-12);
    d.filter = filter_of(2, 4, 0); /* of nothing in the world */
    assert_int_equal(draw_with(w, d).points, 0);
    d.filter = filter_of(32, 1, 0); /* of the plane, not of the block */
    assert_int_equal(draw_with(w, d).points, 4);
    d.filter = filter_of(2, 4, 0);
    d.what = VV_DRAW_ALL;
    sheet none = draw_with(w, d);
    assert_int_equal(none.points + none.segments + none.triangles + none.texts, 0);
    vvAttachId tied = tie(w, block, VV_ATTACH_SPRING, 100);
    steps(w, 3);
    double up[12];
    for (int i = 0; i < 12; i++)
        up[i] = vvWorldPositions(w)[i] + 1;
    assert_ok(vvAttachMoveTo(w, tied, up, &error));
    step(w);
    sheet held = draw(w, VV_DRAW_ATTACHMENTS);
    assert_int_equal(held.points, 4);
    assert_int_equal(held.segments, 4);
    assert_less(0.5, held.longest);
    vvWorldDestroy(w);
}

/* A rope and a hinge: their points, what is between them, the axis as long as it is held; nothing once a joint is
 * broken. */
static void joints_are_drawn(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef def = free_def("backward-euler", 0.01, 1e-9);
    vvWorld *w = new_world(&def);
    vvBodyId a = add_tet(w, "a", 0, 0, 0), b = add_tet(w, "b", 1, 0, 0);
    vvJointDef rope = joint_def("distance", a, b, 0.05, 0, 0), hinge = joint_def("hinge", NOBODY, a, 0, 0.1, 0);
    rope.to[0] = 0.9, rope.breakForce = 5;
    hinge.axis[0] = 0, hinge.axis[1] = 0, hinge.axis[2] = 2, hinge.reach = 0.07;
    add_joint(w, &rope);
    sheet s = draw(w, VV_DRAW_JOINTS);
    assert_int_equal(s.points, 2);
    assert_int_equal(s.segments, 1);
    assert_near(s.longest, 0.85, 1e-12);
    add_joint(w, &hinge);
    s = draw(w, VV_DRAW_JOINTS);
    assert_int_equal(s.points, 4);
    assert_int_equal(s.segments, 3);
    assert_near(s.low[2], -0.07, 1e-9);
    assert_near(s.high[2], 0.07, 1e-9);
    vvDraw d = vvDefaultDraw();
    d.what = VV_DRAW_JOINTS, d.filter = filter_of(2, 4, 0);
    assert_int_equal(draw_with(w, d).points, 0);
    set_state(w, b, "linear", (double[]){ 20, 0, 0 });
    for (int i = 0; i < 10 && vvWorldBrokenJoints(w, NULL, 0) == 0; i++)
        step(w);
    s = draw(w, VV_DRAW_JOINTS);
    assert_int_equal(s.points, 2);
    assert_int_equal(s.segments, 2);
    vvJointId first = vvWorldJoint(w, 0);
    int mine;
    assert_null(vvJointUserData(w, first));
    assert_ok(vvJointSetUserData(w, first, &mine, &error));
    assert_ptr_equal(vvJointUserData(w, first), &mine);
    rope.userData = &error;
    assert_ptr_equal(vvJointUserData(w, add_joint(w, &rope)), &error);
    vvSnapshot *before;
    assert_ok(vvWorldSnapshot(w, &before, &error));
    assert_ok(vvJointSetUserData(w, first, NULL, &error));
    assert_ok(vvWorldRestore(w, before, &error));
    assert_ptr_equal(vvJointUserData(w, first), &mine);
    vvSnapshotDestroy(before);
    expect(vvJointSetUserData(w, (vvJointId){ 9, 9 }, &mine, &error), VV_ERROR_INPUT, &error, "no such joint");
    vvWorldDestroy(w);
}

static void what_is_wrong_is_refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = empty();
    add_block(w, 0, 1, 0);
    vvDraw d = vvDefaultDraw(), zero = { .what = 1 };
    assert_ok(vvWorldDraw(w, &d, &error)); /* no functions: nothing to do */
    expect(vvWorldDraw(w, &zero, &error), VV_ERROR_INPUT, &error, "vvDefaultDraw()");
    d.what = 4096;
    expect(vvWorldDraw(w, &d, &error), VV_ERROR_INPUT, &error, "vvDrawWhat");
    d = vvDefaultDraw();
    d.extent = NAN;
    expect(vvWorldDraw(w, &d, &error), VV_ERROR_INPUT, &error, "vvDraw.extent");
    vvBodyMeasures m;
    expect(vvBodyMeasure(w, (vvBodyId){ 5, 5 }, &m, &error), VV_ERROR_INPUT, &error, "no such body");
    expect(vvBodyMeasure(w, vvWorldBody(w, 0), NULL, &error), VV_ERROR_INPUT, &error, "NULL");
    vvWorldDestroy(w);
}

/* ---- measures ---- */

/* A body that turns and flies: momentum is mass times velocity, spin that of a rigid cube; those of all bodies are
 * the ledger's. */
static void a_body_as_a_whole(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 1e-3, 1e-8);
    vvWorld *w = new_world(&d);
    vvBodyId a = add_block(w, 3, 2, 4), b = add_block(w, -1, 0, 0);
    set_state(w, a, "linear", (double[]){ 1, -2, 0.5 });
    set_state(w, b, "linear", (double[]){ 0, 0, 2 });
    const double place[3] = { 3, 2, 0 }, speed[3] = { 1, -2, 0.5 };
    vvBodyMeasures m, n;
    vvLedgerRow row = ledger(w);
    assert_ok(vvBodyMeasure(w, a, &m, &error));
    assert_ok(vvBodyMeasure(w, b, &n, &error));
    assert_near(m.mass, 1, 1e-12);
    double kinetic = 0, spin[3] = { 0 };
    for (int i = 0; i < 8; i++) { /* by hand, about the centre */
        const double *x = vvWorldPositions(w) + 3 * i, *v = vvWorldVelocities(w) + 3 * i, mass = vvWorldMasses(w)[i];
        double r[3] = { x[0] - m.centre[0], x[1] - m.centre[1], x[2] - m.centre[2] };
        spin[1] += mass * (r[2] * v[0] - r[0] * v[2]);
        kinetic += mass;
    }
    assert_near(kinetic, m.mass, 1e-12);
    assert_less(1e-3, fabs(m.angularMomentum[1]));
    assert_near(m.angularMomentum[1], spin[1], 1e-9);
    for (int k = 0; k < 3; k++) {
        assert_near(m.centre[k], place[k], 5e-2);
        assert_near(m.velocity[k], speed[k], 1e-9);
        assert_near(m.momentum[k], m.mass * m.velocity[k], 1e-12);
        assert_near(m.momentum[k] + n.momentum[k], row.momentum[k], 1e-12);
        assert_near(m.high[k] - m.low[k], 0.1, 1e-12);
    }
    vvWorldDestroy(w);
}

static void a_kinematic_body_has_no_mass(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = empty();
    vvBodyDef def = vvDefaultBodyDef();
    def.kinematic = true, def.motion.linearVelocity[0] = 2;
    vvBodyId id = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 5, &def);
    step(w);
    vvBodyMeasures m;
    assert_ok(vvBodyMeasure(w, id, &m, &error));
    assert_true(m.mass == 0 && m.momentum[0] == 0);
    assert_near(m.velocity[0], 2, 1e-9);
    assert_near(m.centre[0], 2 * vvWorldTime(w), 1e-12);
    vvWorldDestroy(w);
}

/* ---- the host's pointers ---- */

static void pointers_come_and_go(void **state)
{
    (void)state;
    vvError error = { 0 };
    int one, two, three;
    vvWorld *w = empty();
    vvBodyDef def = vvDefaultBodyDef();
    def.userData = &one;
    vvBodyId a = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 5, &def);
    vvBodyId b = add_block(w, 1, 0, 0);
    vvObstacleDef ground = vvDefaultObstacleDef();
    vvObstacleId plane;
    ground.userData = &two;
    shape_obstacle(&ground, (double[]){ 0, -3, 0, 0, 1, 0 });
    assert_ok(vvWorldAddObstacle(w, &ground, &plane, &error));
    vvAttachId tied = tie(w, b, VV_ATTACH_SPRING, 100);
    assert_ptr_equal(vvBodyUserData(w, a), &one);
    assert_null(vvBodyUserData(w, b));
    assert_ptr_equal(vvObstacleUserData(w, plane), &two);
    assert_null(vvAttachUserData(w, tied));
    steps(w, 2);
    vvSnapshot *s;
    assert_ok(vvWorldSnapshot(w, &s, &error));
    vvLedgerRow before = ledger(w);
    assert_ok(vvBodySetUserData(w, a, &three, &error));
    assert_ok(vvBodySetUserData(w, b, &two, &error));
    assert_ok(vvObstacleSetUserData(w, plane, NULL, &error));
    assert_ok(vvAttachSetUserData(w, tied, &one, &error));
    assert_ptr_equal(vvBodyUserData(w, a), &three);
    assert_ptr_equal(vvAttachUserData(w, tied), &one);
    assert_null(vvObstacleUserData(w, plane));
    assert_true(ledger(w).total == before.total && step(w).work == 0); /* it is no change of the world */
    assert_ok(vvWorldRemoveBody(w, a, &error));
    assert_null(vvBodyUserData(w, a));
    assert_ptr_equal(vvBodyUserData(w, b), &two);
    expect(vvBodySetUserData(w, a, &one, &error), VV_ERROR_INPUT, &error, "no such body");
    expect(vvObstacleSetUserData(w, (vvObstacleId){ 7, 7 }, &one, &error), VV_ERROR_INPUT, &error, "no such obstacle");
    expect(vvAttachSetUserData(w, (vvAttachId){ 7, 7 }, &one, &error), VV_ERROR_INPUT, &error, "no such attachment");
    assert_ok(vvWorldRestore(w, s, &error)); /* the pointers of that time */
    assert_ptr_equal(vvBodyUserData(w, a), &one);
    assert_null(vvBodyUserData(w, b));
    assert_ptr_equal(vvObstacleUserData(w, plane), &two);
    assert_null(vvAttachUserData(w, tied));
    vvSnapshotDestroy(s);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_is_its_surface),
        cmocka_unit_test(other_bodies),
        cmocka_unit_test(obstacles_are_their_surfaces),
        cmocka_unit_test(contacts_and_attachments),
        cmocka_unit_test(a_moving_obstacle_is_where_it_is),
        cmocka_unit_test(joints_are_drawn),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(a_body_as_a_whole),
        cmocka_unit_test(a_kinematic_body_has_no_mass),
        cmocka_unit_test(pointers_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
