/* The gaps of a run are those of the places where it begins, however bodies came there: by initial states, by a host
 * that sets their state or edits it, by motions that have advanced. They continue with the run: through saved states,
 * snapshots and whatever makes contact anew. */
#include "size.h"
#include "live_support.h"
#include "visviva/settings.h"
#include "world/world.h"

static const double GAP = 1e-4, AWAY = 0.5; /* of 0.1 m */

typedef enum way { BY_INITIAL_STATE, BY_BODY, BY_WORLD, BY_EDIT, BY_MOTION, WAYS } way;
static const char *const words[] = { "initial state", "vvBodySetState", "vvWorldSetState", "edit", "waypoint" };

typedef struct plan {
    way way;
    bool mesh;      /* walls: kinematic bodies, not obstacles */
    double s;       /* all lengths */
    double far;     /* m: how far away another body stands; 0: there is none */
    bool elsewhere; /* the cube stays where it was made */
} plan;

static vvBodyId add_plain_box(vvWorld *w, const plan *p, const double size[3], double x, double y, double z,
                              bool kinematic)
{
    vvBodyDef def = vvDefaultBodyDef();
    vvWaypoint in = { .time = 0 };
    def.kinematic = kinematic;
    if (!kinematic)
        def.material = material("affine", 1e8 * p->s);
    def.translate[0] = p->s * x, def.translate[1] = p->s * y, def.translate[2] = p->s * z;
    if (kinematic && p->way == BY_MOTION) {
        def.translate[1] -= p->s * AWAY;
        in.offset[1] = p->s * AWAY;
        def.motion.waypoints = &in, def.motion.waypointCount = 1;
    }
    return add_box_def(w, (double[]){ p->s * size[0], p->s * size[1], p->s * size[2] }, (int[]){ 1, 1, 1 }, 5, &def);
}

static void add_wall(vvWorld *w, const plan *p, const double size[3], double x, double y, double z)
{
    const double s = p->s;
    if (p->mesh)
        add_plain_box(w, p, size, x, y, z, true);
    else
        obstacle(w, "box", (double[]){ s * x, s * y, s * z, s * size[0], s * size[1], s * size[2], 0, 0, 0 }, -1);
}

/* Brings the cube, which was made away from the tunnel, into it. */
static void bring(vvWorld *w, const plan *p, vvBodyId cube)
{
    vvError error = { 0 };
    int first, count;
    double *x, *placed;
    if (p->way == BY_INITIAL_STATE)
        set_state(w, cube, "translate", (double[]){ 0, -p->s * AWAY, 0 });
    if (p->way == BY_INITIAL_STATE || p->way == BY_MOTION)
        return;
    if (p->way != BY_BODY) /* before it was ever baked, or after */
        assert_ok(vvWorldBake(w, &error));
    vvBodyNodes(w, cube, &first, &count);
    placed = copy_of(vvWorldPositions(w), 3 * (size_t)vvWorldNodeCount(w));
    for (int i = first; i < first + count; i++)
        placed[3 * i + 1] -= p->s * AWAY;
    if (p->way == BY_BODY) {
        assert_ok(vvBodySetState(w, cube, placed + 3 * (size_t)first, NULL, &error));
    } else if (p->way == BY_WORLD) {
        assert_ok(vvWorldSetState(w, placed, NULL, &error));
    } else {
        assert_ok(vvWorldBeginEdit(w, &x, NULL, &error));
        memcpy(x, placed, 3 * (size_t)vvWorldNodeCount(w) * sizeof *x);
        assert_ok(vvWorldEndEdit(w, &error));
    }
    free(placed);
}

/* A cube that flies at its own ten lengths a second through a tunnel that is wider by the gap on each side. */
static vvWorld *tunnel(const plan *p, vvBodyId *cube)
{
    vvWorldDef d = free_def("backward-euler", 1.0 / 60, 1e-3 * p->s);
    vvBodyId id;
    d.contact.model = "barrier";
    d.contact.friction = 0.1;
    d.threads = 1;
    vvWorld *w = new_world(&d);
    id = add_plain_box(w, p, (double[]){ 0.1, 0.1, 0.1 }, 0, p->way == BY_MOTION && !p->elsewhere ? 0 : AWAY, 0, false);
    set_state(w, id, "linear", (double[]){ p->s, 0, 0 });
    for (int side = -1; side < 2; side += 2) {
        add_wall(w, p, (double[]){ 30, 0.02, 0.3 }, 14, side * (0.06 + GAP), 0);
        add_wall(w, p, (double[]){ 30, 0.1 + 2 * GAP, 0.02 }, 14, 0, side * (0.06 + GAP));
    }
    if (p->far > 0)
        add_plain_box(w, &(plan){ .s = 1 }, (double[]){ 3, 3, 3 }, p->far, 0, 0, false);
    if (!p->elsewhere)
        bring(w, p, id);
    if (cube)
        *cube = id;
    return w;
}

static double middle(const vvWorld *w)
{
    const double *x = vvWorldPositions(w);
    return (x[0] + x[3] + x[6] + x[9]) / 4; /* the cube's four nodes come first */
}

/* ---- however it came there ---- */

static void a_cube_flies_however_it_came_into_the_tunnel(void **state)
{
    (void)state;
    static const double sizes[] = { 0.01, 1, 1000 }; /* a cube of 1 mm, 0.1 m, 100 m */
    for (way by = 0; by < WAYS; by++)
        for (int mesh = by == BY_MOTION; mesh < 2; mesh++)
            for (int k = 0; k < 4; k++) {
                const plan p = { by, mesh, sizes[k % 3], k == 3 ? 1e4 : 0, false };
                vvWorld *w = tunnel(&p, NULL);
                const double begin = p.way == BY_MOTION ? 0 : middle(w);
                const vvLedgerRow first = ledger(w);
                assert_near(first.contact, 0, 0);
                steps(w, 60);
                const double length = (middle(w) - begin) / p.s;
                vvStartGap g;
                assert_true(vvWorldGetStartGap(w, &g));
                print_message("%s, %s, %g m%s: %.4f of 1\n", words[by], mesh ? "meshes" : "boxes", 0.1 * p.s,
                              p.far > 0 ? ", with a far body" : "", length);
                assert_near(length, 1, 0.01);
                assert_int_equal(g.count, 4);
                assert_near(g.gap, p.s * GAP, 1e-6 * p.s * GAP + (p.s >= 1000 ? 1e-12 : 0));
                vvWorldDestroy(w);
            }
}

/* What it was made near to is far from where it begins: there nothing is followed. */
static void where_it_was_made_does_not_count(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int mesh = 0; mesh < 2; mesh++) {
        vvBodyId cube;
        const plan p = { BY_MOTION, mesh, 1, 0, false }; /* made within the tunnel */
        vvWorld *w = tunnel(&p, &cube);
        vvStartGap g;
        assert_ok(vvWorldBake(w, &error));
        assert_true(vvWorldGetStartGap(w, &g));
        set_state(w, cube, "translate", (double[]){ 0, AWAY, 0 });
        assert_ok(vvWorldBake(w, &error));
        assert_false(vvWorldGetStartGap(w, &g));
        vvWorldDestroy(w);
    }
}

/* A mode that is added at the start moves nodes, and is found only when the world is baked. */
static void a_mode_moves_what_begins(void **state)
{
    (void)state;
    vvError error = { 0 };
    int seen = 0;
    static const double amplitude = 6.5e-3, high = 7e-3;
    vvWorldDef d = free_def("backward-euler", 1.0 / 60, 1e-3);
    d.contact.model = "barrier";
    for (int sign = -1; sign < 2; sign += 2) {
        vvWorld *w = new_world(&d);
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("stvk", 1e6);
        def.translate[1] = high + 0.01;
        vvBodyId bar = add_box_def(w, (double[]){ 0.4, 0.02, 0.05 }, (int[]){ 8, 1, 2 }, 5, &def);
        set_state(w, bar, "mode", (double[]){ 1, sign * amplitude, 0 });
        obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0);
        assert_ok(vvWorldBake(w, &error));
        const int n = vvWorldNodeCount(w);
        double lowest = INFINITY;
        for (int i = 0; i < n; i++)
            lowest = fmin(lowest, vvWorldPositions(w)[3 * i + 1]);
        vvStartGap g;
        const bool near = vvWorldGetStartGap(w, &g);
        print_message("amplitude %g m: %g m above the ground\n", sign * amplitude, lowest);
        assert_true(lowest < 0.6 * high);
        assert_memory_equal(w->placed, vvWorldPositions(w), 3 * (size_t)n * sizeof(double));
        assert_int_equal(near, lowest < 0.99e-3);
        assert_near(g.gap, near ? lowest : 0, 1e-12);
        seen += near;
        vvWorldDestroy(w);
    }
    assert_int_equal(seen, 1);
}

/* ---- at once ---- */

/* Contact stands anew when the call returns: what asks for it finds it, and the state can be saved. */
static void what_asks_after_it_was_set_is_answered(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int mesh = 0; mesh < 2; mesh++)
        for (way by = BY_WORLD; by <= BY_EDIT; by++) {
            plan p = { by, mesh, 1, 0, false };
            vvWorld *w = tunnel(&p, NULL);
            const vvContactPoint *points;
            vvContactEvents events;
            vvLedgerRow row;
            vvStartGap g;
            int count;
            assert_true(vvWorldStateSize(w) > 0);
            assert_true(vvWorldGetStartGap(w, &g));
            assert_near(g.gap, GAP, 1e-10);
            assert_ok(vvWorldLedger(w, &row, &error));
            assert_near(row.contact, 0, 0);
            assert_ok(vvWorldContactPoints(w, &points, &count, &error));
            assert_int_equal(count, 0);
            assert_ok(vvWorldContactEvents(w, &events, &error));
            vvWorldDestroy(w);
        }
}

/* ---- on with the run ---- */

static void save_into(const vvWorld *from, vvWorld *to)
{
    vvError error = { 0 };
    const size_t size = vvWorldStateSize(from);
    char *buffer = malloc(size);
    assert_ok(vvWorldSaveState(from, buffer, size, &error));
    assert_ok(vvWorldLoadState(to, buffer, size, &error));
    free(buffer);
}

/* A world whose definition has the cube elsewhere gets the state of a run that began in the tunnel. */
static void a_saved_state_brings_the_places(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int mesh = 0; mesh < 2; mesh++)
        for (int before = 0; before < 2; before++) { /* saved before the first step, or later */
            plan p = { BY_WORLD, mesh, 1, 0, false }, other = p;
            other.elsewhere = true;
            vvWorld *w[3] = { tunnel(&p, NULL), tunnel(&other, NULL), tunnel(&other, NULL) };
            for (int i = 0; i < 3; i++)
                assert_ok(vvWorldSetGravity(w[i], (double[]){ 0, -9.8, 1 }, &error));
            assert_ok(vvWorldBake(w[0], &error));
            if (!before)
                steps(w[0], 20);
            save_into(w[0], w[1]);
            steps(w[2], 2);
            save_into(w[0], w[2]); /* into a run that has begun elsewhere */
            vvStartGap g;
            assert_true(vvWorldGetStartGap(w[1], &g));
            assert_near(g.activation, GAP, 1e-10);
            for (int i = 0; i < 10; i++) {
                step(w[0]), step(w[1]), step(w[2]);
                assert_true(same_world(w[0], w[1]));
                assert_true(same_world(w[0], w[2]));
            }
            assert_true(ledger(w[0]).contact > 0 && ledger(w[0]).minGap < GAP);
            for (int i = 0; i < 3; i++)
                vvWorldDestroy(w[i]);
        }
}

/* A damaged copy is refused, and the world goes on as it would have. */
static void what_cannot_be_loaded_leaves_the_places(void **state)
{
    (void)state;
    vvError error = { 0 };
    plan p = { BY_WORLD, true, 1, 0, false }, other = p;
    other.elsewhere = true;
    vvWorld *w[2] = { tunnel(&p, NULL), tunnel(&p, NULL) }, *away = tunnel(&other, NULL);
    steps(w[0], 3), steps(w[1], 3), steps(away, 3);
    const size_t size = vvWorldStateSize(away);
    char *buffer = malloc(size);
    assert_ok(vvWorldSaveState(away, buffer, size, &error));
    for (int i = 0; i < 2; i++) { /* what stands where the saved cube is */
        obstacle(w[i], "box", (double[]){ 0.05, AWAY, 0, 0.2, 0.2, 0.2, 0, 0, 0 }, 0);
        assert_ok(vvWorldBake(w[i], &error));
    }
    assert_int_equal(vvWorldLoadState(w[0], buffer, size, &error), VV_ERROR_INPUT);
    assert_true(vvWorldStateSize(w[0]) > 0);
    free(buffer);
    expect_same(w[0], w[1], 10, "after a state that was refused");
    for (int i = 0; i < 2; i++)
        vvWorldDestroy(w[i]);
    vvWorldDestroy(away);
}

static void a_snapshot_brings_the_places(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int mesh = 0; mesh < 2; mesh++) {
        plan p = { BY_WORLD, mesh, 1, 0, true };
        vvBodyId cube;
        vvWorld *w = tunnel(&p, &cube), *same = tunnel(&p, &cube);
        vvSnapshot *away, *in;
        bring(w, &p, cube), bring(same, &p, cube);
        assert_ok(vvWorldSnapshot(w, &in, &error));
        double *x = copy_of(vvWorldPositions(w), 3 * (size_t)vvWorldNodeCount(w));
        for (int i = 0; i < 4; i++)
            x[3 * i + 1] += AWAY;
        assert_ok(vvWorldSetState(w, x, NULL, &error));
        assert_ok(vvWorldSnapshot(w, &away, &error));
        steps(w, 5);
        vvStartGap g;
        assert_false(vvWorldGetStartGap(w, &g));
        assert_ok(vvWorldRestore(w, in, &error));
        assert_true(vvWorldStateSize(w) > 0);
        assert_true(vvWorldGetStartGap(w, &g));
        expect_same(w, same, 10, "restored");
        assert_ok(vvWorldRestore(w, away, &error));
        assert_false(vvWorldGetStartGap(w, &g));
        free(x);
        vvSnapshotDestroy(away), vvSnapshotDestroy(in);
        vvWorldDestroy(w), vvWorldDestroy(same);
    }
}

/* Contact is rebuilt in mid-run, when all has left its places. */
static void places_stay_when_something_changes(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int mesh = 0; mesh < 2; mesh++) {
        plan p = { BY_INITIAL_STATE, mesh, 1, 0, false };
        vvBodyId cube, other;
        vvWorld *w = tunnel(&p, &cube);
        steps(w, 30);
        other = add_plain_box(w, &p, (double[]){ 0.1, 0.1, 0.1 }, 0, 3, 0, false);
        steps(w, 15);
        assert_ok(vvWorldRemoveBody(w, other, &error));
        steps(w, 15);
        assert_near(middle(w), 1, 0.01);
        vvStartGap g;
        assert_true(vvWorldGetStartGap(w, &g));
        assert_int_equal(g.count, 4);
        vvWorldDestroy(w);
    }
}

/* ---- what comes in later ---- */

/* A cube put into the tunnel after the first step begins there, and is followed; what has moved on is not. */
static void what_comes_in_later_begins_then(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int mesh = 0; mesh < 2; mesh++) {
        plan p = { BY_INITIAL_STATE, mesh, 1, 0, true };
        vvWorld *w[2];
        for (int i = 0; i < 2; i++) {
            w[i] = tunnel(&p, NULL);
            steps(w[i], 3);
            vvBodyId late = add_plain_box(w[i], &p, (double[]){ 0.1, 0.1, 0.1 }, 0, 0, 0, false);
            set_state(w[i], late, "linear", (double[]){ 1, 0, 0 });
            assert_ok(vvWorldBake(w[i], &error));
        }
        steps(w[0], 30);
        save_into(w[0], w[1]);
        assert_ok(vvWorldSetGravity(w[0], (double[]){ 0, -9.8, 1 }, &error));
        assert_ok(vvWorldSetGravity(w[1], (double[]){ 0, -9.8, 1 }, &error));
        expect_same(w[0], w[1], 5, mesh ? "meshes" : "boxes");
        int first, count;
        vvBodyNodes(w[0], vvWorldBody(w[0], vvWorldBodyCount(w[0]) - 1), &first, &count);
        const double *x = vvWorldPositions(w[0]) + 3 * (size_t)first;
        assert_near((x[0] + x[3] + x[6] + x[9]) / 4, 35.0 / 60, 0.02);
        vvStartGap g;
        assert_true(vvWorldGetStartGap(w[0], &g));
        assert_int_equal(g.count, 4);
        vvWorldDestroy(w[0]), vvWorldDestroy(w[1]);
    }
}

/* An obstacle that is put near what has moved is no neighbour of where that began; and so in a resumed run, in whose
 * definition it was there from the start. */
static void an_obstacle_that_comes_later_is_no_neighbour_of_the_start(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 1.0 / 60, 1e-3);
    d.contact.model = "barrier";
    d.threads = 1;
    vvWorld *w[2];
    for (int i = 0; i < 2; i++) {
        const plan p = { .s = 1 };
        w[i] = new_world(&d);
        set_state(w[i], add_plain_box(w[i], &p, (double[]){ 0.1, 0.1, 0.1 }, 0, 0, 0, false), "linear",
                  (double[]){ 0, 1, 0 });
        if (i == 0)
            steps(w[i], 10);
        obstacle(w[i], "plane", (double[]){ 0, -0.05 - GAP, 0, 0, 1, 0 }, 0); /* near where it began */
    }
    vvStartGap g;
    assert_ok(vvWorldBake(w[0], &error));
    assert_false(vvWorldGetStartGap(w[0], &g));
    assert_ok(vvWorldBake(w[1], &error));
    assert_true(vvWorldGetStartGap(w[1], &g));
    save_into(w[0], w[1]);
    assert_false(vvWorldGetStartGap(w[1], &g));
    assert_ok(vvWorldSetGravity(w[0], (double[]){ 0, -50, 0 }, &error));
    assert_ok(vvWorldSetGravity(w[1], (double[]){ 0, -50, 0 }, &error));
    expect_same(w[0], w[1], 30, "the obstacle");
    assert_true(ledger(w[0]).minGap < 1e-2);
    vvWorldDestroy(w[0]), vvWorldDestroy(w[1]);
}

/* A plate that stands still until 0.2 s, and then goes away. */
static void add_plate_that_goes(vvWorld *w)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.kinematic = true;
    def.motion.linearVelocity[1] = -1;
    def.motion.startTime = 0.2;
    add_box_def(w, (double[]){ 0.3, 0.02, 0.3 }, (int[]){ 1, 1, 1 }, 5, &def);
}

/* What comes in beside a plate that has stood still since the start begins near it; what comes in where the plate no
 * longer is does not. The first keeps its gap, and a resumed run knows all that, whose definition has them from the
 * start. */
static void what_has_gone_is_no_neighbour(void **state)
{
    (void)state;
    vvError error = { 0 };
    const plan p = { .s = 1 };
    static const double box[] = { 0.1, 0.1, 0.1 };
    vvWorldDef d = free_def("backward-euler", 1.0 / 60, 1e-3);
    d.contact.model = "barrier";
    d.threads = 1;
    vvWorld *w[2] = { new_world(&d), new_world(&d) };
    for (int i = 0; i < 2; i++) {
        add_plate_that_goes(w[i]);
        if (i == 0)
            steps(w[i], 5);
        add_plain_box(w[i], &p, box, 0, 0.06 + GAP, 0, false);
        if (i == 0)
            steps(w[i], 15);
        add_plain_box(w[i], &p, box, 0.15, 0.06 + GAP, 0, false);
        assert_ok(vvWorldBake(w[i], &error));
        const vv_surface *s = &w[i]->contact->surface;
        assert_near(vv_surface_activation(s, 0, 1, 1e-3), GAP, 1e-12);
        assert_near(vv_surface_activation(s, 0, 2, 1e-3), i == 0 ? 1e-3 : GAP, 1e-12);
    }
    save_into(w[0], w[1]);
    const vv_surface *s = &w[1]->contact->surface;
    assert_near(vv_surface_activation(s, 0, 1, 1e-3), GAP, 1e-12);
    assert_near(vv_surface_activation(s, 0, 2, 1e-3), 1e-3, 0);
    expect_same(w[0], w[1], 5, "resumed");
    vvWorldDestroy(w[0]), vvWorldDestroy(w[1]);
}

/* ---- at rest ---- */

/* What vvWorldSettle found is an equilibrium, of contact as it is: it stays one. What is set after that begins anew. */
static void what_has_settled_stays_at_rest(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    d.gravity[1] = -9.8;
    d.contact.friction = 0.2;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.translate[1] = 0.0505;
    add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 6, &def);
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, -1);
    vvStartGap before, after;
    assert_ok(vvWorldBake(w, &error));
    assert_true(vvWorldGetStartGap(w, &before));
    assert_ok(vvWorldSettle(w, true, NULL, &error));
    assert_true(vvWorldStateSize(w) > 0);
    assert_true(vvWorldGetStartGap(w, &after));
    assert_near(after.gap, before.gap, 0);
    const size_t n = 3 * (size_t)vvWorldNodeCount(w);
    double *x = copy_of(vvWorldPositions(w), n), most = 0;
    assert_ok(vvWorldSetGravity(w, (double[]){ 0, -9.8, 0 }, &error)); /* the start is computed again */
    steps(w, 50);
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(vvWorldPositions(w)[i] - x[i]));
    print_message("after 50 steps a node has moved by at most %.3g m\n", most);
    assert_true(most < 1e-8);
    vvWorldDestroy(w);
    free(x);
}

/* A state that a host sets after that is a start like any other. */
static void what_is_set_after_settling_begins_anew(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    d.gravity[1] = -9.8;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.translate[1] = 0.0505;
    add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 6, &def);
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, -1);
    vvStartGap g;
    assert_ok(vvWorldSettle(w, true, NULL, &error));
    double *x = copy_of(vvWorldPositions(w), 3 * (size_t)vvWorldNodeCount(w)), lowest = INFINITY;
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        x[3 * i + 1] += 1e-4, lowest = fmin(lowest, x[3 * i + 1]);
    assert_ok(vvWorldSetState(w, x, NULL, &error));
    assert_true(vvWorldGetStartGap(w, &g));
    assert_near(g.gap, lowest, 1e-12);
    vvWorldDestroy(w);
    free(x);
}

static vvWorld *stack(bool affine)
{
    vvWorldDef d = live_def("backward-euler", "none");
    d.gravity[1] = -9.8;
    d.contact.friction = 0.2;
    vvWorld *w = new_world(&d);
    for (int i = 0; i < 3; i++) {
        vvBodyDef def = vvDefaultBodyDef();
        def.material = affine ? material("affine", 1e8) : material("stvk", 1e6);
        def.translate[1] = 0.06 + 0.11 * i;
        add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 6, &def);
    }
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, -1);
    return w;
}

static void set_by(vvWorld *w, const double *x, bool each)
{
    vvError error = { 0 };
    for (int b = 0; each && b < vvWorldBodyCount(w); b++) {
        int first, count;
        vvBodyNodes(w, vvWorldBody(w, b), &first, &count);
        assert_ok(vvBodySetState(w, vvWorldBody(w, b), x + 3 * (size_t)first, NULL, &error));
    }
    if (!each)
        assert_ok(vvWorldSetState(w, x, NULL, &error));
}

static double farthest(const vvWorld *w, const double *x)
{
    double most = 0;
    for (int i = 0; i < 3 * vvWorldNodeCount(w); i++)
        most = fmax(most, fabs(vvWorldPositions(w)[i] - x[i]));
    return most;
}

/* Where three cubes have come to rest in one world they stay at rest in another, whatever makes contact anew; a fit
 * that is as near, but not carried, follows its gap. */
static void a_state_of_rest_that_a_host_sets_stays(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        vvError error = { 0 };
        vvWorld *found = stack(k % 2), *w = stack(k % 2), *again = stack(k % 2);
        vvStartGap g;
        assert_ok(vvWorldSettle(found, true, NULL, &error));
        double *x = copy_of(vvWorldPositions(found), 3 * (size_t)vvWorldNodeCount(found));
        set_by(w, x, k / 2);
        assert_ok(vvWorldBake(w, &error));
        assert_false(vvWorldGetStartGap(w, &g));
        steps(w, 50);
        const double most = farthest(w, x);
        obstacle(w, "sphere", (double[]){ 5, 5, 5, 1 }, -1); /* contact is rebuilt */
        steps(w, 50);
        assert_false(vvWorldGetStartGap(w, &g));
        print_message("%s: by %.3g m in 50 steps, %.3g m in 100\n", k % 2 ? "affine" : "soft", most, farthest(w, x));
        assert_true(most < 1e-7 && farthest(w, x) < 1e-7);
        set_by(again, x, k / 2);
        steps(again, 10);
        vvWorld *resumed = stack(k % 2);
        save_into(again, resumed);
        expect_same(again, resumed, 5, "resumed");
        vvWorldDestroy(resumed), vvWorldDestroy(again), vvWorldDestroy(w);
        for (int i = 0; i < vvWorldNodeCount(found); i++)
            x[3 * i + 1] -= 2e-4;
        w = stack(k % 2);
        set_by(w, x, k / 2);
        assert_ok(vvWorldBake(w, &error));
        assert_true(vvWorldGetStartGap(w, &g));
        vvWorldDestroy(w), vvWorldDestroy(found);
        free(x);
    }
}

/* A cube that rests on the ground, put between two planes that are nearer to it than contact's distance: as a whole the
 * presses balance each other, and yet it does not rest. */
static void a_fit_from_both_sides_is_no_rest(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *found = NULL, *w = NULL;
    for (int walls = 0; walls < 2; walls++) {
        vvWorldDef d = vvDefaultWorldDef();
        d.solver.tolerance = 1e-5;
        d.threads = 1;
        vvWorld *now = new_world(&d);
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("fixed-corotated", 1e5);
        def.translate[1] = 0.054;
        add_box_def(now, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 3, 3, 3 }, 5, &def);
        obstacle(now, "plane", NULL, -1);
        for (int side = -1; walls && side <= 1; side += 2)
            obstacle(now, "plane", (double[]){ 0.0508 * side, 0, 0, -side, 0, 0 }, -1);
        *(walls ? &w : &found) = now;
    }
    steps(found, 30);
    assert_ok(vvWorldSettle(found, true, NULL, &error));
    double *x = copy_of(vvWorldPositions(found), 3 * (size_t)vvWorldNodeCount(found));
    set_by(w, x, false);
    vvStartGap g;
    assert_ok(vvWorldBake(w, &error));
    assert_true(vvWorldGetStartGap(w, &g));
    assert_less(ledger(w).contact, 1e-3); /* with the planes' full distance 0.05 J and more */
    vvWorldDestroy(w), vvWorldDestroy(found);
    free(x);
}

/* The ground level is that of the contact in use: a start nearer to the ground has another one, as a world that is made
 * there has. */
static void the_ground_level_goes_with_it(void **state)
{
    (void)state;
    vvError error = { 0 };
    double ground[3];
    for (int i = 0; i < 3; i++) { /* made high; made high and set low; made low */
        vvWorldDef d = live_def("backward-euler", "none");
        d.gravity[1] = -9.8;
        d.integrator.policy = "search";
        d.integrator.groundMode = VV_GROUND_AUTO;
        d.integrator.startFraction = 0.9;
        vvWorld *w = new_world(&d);
        vvBodyDef def = vvDefaultBodyDef();
        def.translate[1] = 0.0508;
        vvBodyId body = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 6, &def);
        obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, -1);
        if (i < 2)
            assert_ok(vvWorldBake(w, &error));
        double *x = copy_of(vvWorldPositions(w), 3 * (size_t)vvWorldNodeCount(w));
        for (int k = 0; k < vvWorldNodeCount(w); k++)
            x[3 * k + 1] -= 6e-4;
        if (i > 0)
            assert_ok(vvBodySetState(w, body, x, NULL, &error));
        ground[i] = ledger(w).groundEnergy;
        free(x);
        vvWorldDestroy(w);
    }
    assert_near(ground[1], ground[2], 0);
    assert_true(fabs(ground[1] - ground[0]) > 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_cube_flies_however_it_came_into_the_tunnel),
                                        cmocka_unit_test(where_it_was_made_does_not_count),
                                        cmocka_unit_test(a_mode_moves_what_begins),
                                        cmocka_unit_test(what_asks_after_it_was_set_is_answered),
                                        cmocka_unit_test(a_saved_state_brings_the_places),
                                        cmocka_unit_test(what_cannot_be_loaded_leaves_the_places),
                                        cmocka_unit_test(a_snapshot_brings_the_places),
                                        cmocka_unit_test(places_stay_when_something_changes),
                                        cmocka_unit_test(what_comes_in_later_begins_then),
                                        cmocka_unit_test(an_obstacle_that_comes_later_is_no_neighbour_of_the_start),
                                        cmocka_unit_test(what_has_gone_is_no_neighbour),
                                        cmocka_unit_test(what_has_settled_stays_at_rest),
                                        cmocka_unit_test(what_is_set_after_settling_begins_anew),
                                        cmocka_unit_test(a_state_of_rest_that_a_host_sets_stays),
                                        cmocka_unit_test(a_fit_from_both_sides_is_no_rest),
                                        cmocka_unit_test(the_ground_level_goes_with_it) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
