/* What the public API computes, as text: scripted worlds, and after every step the ledger's numbers to the last bit,
 * with hashes of all that is too long to print. Libraries that compute the same give the same text: nothing in it
 * depends on time or place.
 *
 *   scripts/compare-bits trace --library build --out FILE      compiles and runs this
 *
 * A call that fails is part of the text: what matters is that it goes on failing, in the same place. */
#include "api-trace-print.h"

/* ---- worlds and what is in them ---- */

typedef struct setting {
    const char *scheme, *policy, *linear;
    double step;
} setting;

static vvWorldDef definition(const setting *s)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.threads = 1;
    def.timeStep = s->step;
    def.integrator.scheme = s->scheme;
    def.integrator.policy = s->policy;
    def.solver.linear = s->linear;
    def.contact.friction = 0.3;
    return def;
}

static vvWorld *create(const char *what, const vvWorldDef *def)
{
    vvWorld *world = NULL;
    vvError error;
    printf("== %s: %s, %s\n", what, def->integrator.scheme, def->integrator.policy);
    if (vvWorldCreate(def, &world, &error)) {
        fprintf(stderr, "api-trace: %s\n", error.message);
        exit(2);
    }
    return world;
}

static vvBodyId add(vvWorld *world, const char *generator, const vvSetting *settings, int count, vvBodyDef def)
{
    vvBodyId body = { 0 };
    vvMesh mesh = { 0 };
    if (say(generator, vvMeshGenerate(generator, settings, count, &mesh, NULL))) {
        def.mesh = &mesh;
        say("add body", vvWorldAddBody(world, &def, &body, NULL));
    }
    vvMeshDestroy(&mesh);
    return body;
}

static vvBodyDef body_at(const char *name, double x, double y, double z)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.name = name;
    def.translate[0] = x, def.translate[1] = y, def.translate[2] = z;
    def.material.young = 5e4;
    return def;
}

static vvObstacleId add_obstacle(vvWorld *world, const char *type, const vvSetting *settings, int count,
                                 double friction)
{
    vvObstacleId id = { 0 };
    vvObstacleDef def = vvDefaultObstacleDef();
    def.type = type;
    def.settings = settings, def.settingCount = count;
    def.friction = friction;
    say(type, vvWorldAddObstacle(world, &def, &id, NULL));
    return id;
}

/* As vvDefaultMotionDef, also with a library of before that function. */
static vvMotionDef stands_still(void) { return vvDefaultAttachDef().motion; }

static vvFilter filter_of(uint64_t category, uint64_t mask, int32_t group)
{
    vvFilter f = vvDefaultFilter();
    f.category = category;
    f.mask = mask;
    f.group = group;
    return f;
}

/* The nodes from so many per cent of the body's length along x to so many. Without stiffness they are prescribed. */
static vvAttachId attach(vvWorld *world, vvBodyId body, double from, double to, double stiffness,
                         const vvMotionDef *motion)
{
    vvAttachId id = { 0 };
    vvAttachDef def = vvDefaultAttachDef();
    def.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { from, 0, 0 }, .b = { to, 100, 100 } };
    def.kind = stiffness > 0 ? VV_ATTACH_SPRING : VV_ATTACH_FIXED;
    def.stiffness = stiffness;
    if (motion)
        def.motion = *motion;
    say("attach", vvBodyAttach(world, body, &def, &id, NULL));
    return id;
}

/* At so many m/s during the next step. */
static void move_attachment(vvWorld *world, vvAttachId id, double vx, double vy)
{
    double h = vvWorldGetDef(world)->timeStep;
    int count = vvAttachNodes(world, id, NULL, 0), *nodes = calloc((size_t)count + 1, sizeof *nodes);
    double *x = vectors(NULL, count);
    vvAttachNodes(world, id, nodes, count);
    for (int i = 0; nodes && i < count; i++) {
        memcpy(x + 3 * i, vvWorldPositions(world) + 3 * nodes[i], 3 * sizeof *x);
        x[3 * i] += vx * h, x[3 * i + 1] += vy * h;
    }
    say("move attachment", vvAttachMoveTo(world, id, x, NULL));
    free(x);
    free(nodes);
}

/* ---- the long script: a box and a ball on a ground, and all that a host may do to them ---- */

static const vvSetting BALL[] = { { "radius", { 0.04 } }, { "cells", { 2 } } },
                       SMALL_BOX[] = { { "size", { 0.08, 0.06, 0.06 } }, { "cells", { 3, 2, 2 } } };

static void fill(vvWorld *world, vvBodyId *box, vvBodyId *ball)
{
    const vvSetting velocity = { "velocity", { 0.3, -1, 0.1 } };
    vvBodyDef def = body_at("box", 0, 0.0325, 0);
    def.material.model = "neo-hookean";
    def.rotate[1] = 10;
    *box = add(world, "box", SMALL_BOX, 2, def);
    def = body_at("ball", 0.01, 0.106, 0.005);
    def.material.model = "corotated";
    def.friction = 0.5;
    *ball = add(world, "ball", BALL, 2, def);
    say("linear", vvBodySetInitialState(world, *box, "linear", &velocity, 1, NULL));
    say("angular", vvBodySetInitialState(world, *ball, "angular", NULL, 0, NULL));
    say("linear", vvBodySetInitialState(world, *ball, "linear", &velocity, 1, NULL));
    add_obstacle(world, "plane", NULL, 0, 0.4);
    add_obstacle(world, "sphere", (vvSetting[]){ { "center", { 0.16, 0.03, 0 } }, { "radius", { 0.05 } } }, 2, -1);
}

static void push(vvWorld *world, vvBodyId box, vvBodyId ball)
{
    const int nodes[] = { 1, 5, 5, 9 };
    const double forces[] = { 0.2, 0.1, 0, 0, 0.3, 0, -0.1, 0, 0.05, 0, 0, 0.2 };
    double impulses[12];
    for (int i = 0; i < 12; i++)
        impulses[i] = 0.01 * forces[i];
    say("forces", vvWorldApplyForces(world, 4, nodes, forces, NULL));
    say("body force", vvBodyApplyForce(world, ball, (double[]){ 0.2, 0.5, -0.1 }, NULL));
    steps(world, 2);
    say("impulses", vvWorldApplyImpulses(world, 4, nodes, impulses, NULL));
    say("body impulse", vvBodyApplyImpulse(world, box, (double[]){ 0, 0.005, 0.02 }, NULL));
    say("wrong node", vvWorldApplyForces(world, 1, (int[]){ -1 }, forces, NULL));
    steps(world, 2);
}

static void drag(vvWorld *world, vvBodyId body, vvDragKind kind)
{
    vvDragId id = { 0 };
    vvDragDef def = vvDefaultDragDef();
    int first, count;
    vvBodyNodes(world, body, &first, &count);
    def.body = body;
    def.vertex = count - 1;
    def.radius = kind == VV_DRAG_SPRING ? 0.03 : 0.01;
    def.kind = kind;
    def.here = true;
    double target[3], h = vvWorldGetDef(world)->timeStep;
    memcpy(target, vvWorldPositions(world) + 3 * (first + def.vertex), sizeof target);
    say("start drag", vvWorldStartDrag(world, &def, &id, NULL));
    for (int i = 0; i < 3; i++) {
        target[0] += 0.24 * h, target[1] += 0.36 * h;
        say("move drag", vvWorldMoveDrag(world, id, target, NULL));
        step(world);
    }
    target[1] = -1; /* through the ground: springs give way, prescribed nodes cannot */
    say("move drag", vvWorldMoveDrag(world, id, target, NULL));
    step(world);
    say("end drag", vvWorldEndDrag(world, id, NULL));
    printf("  valid %d\n", vvDragIsValid(world, id));
    step(world);
}

static void rewrite(vvWorld *world, vvBodyId ball)
{
    int n = vvWorldNodeCount(world), first, count;
    double *x = vectors(vvWorldPositions(world), n), *v = vectors(vvWorldVelocities(world), n), *px, *pv;
    vvBodyNodes(world, ball, &first, &count);
    for (int i = 0; i < n; i++)
        x[3 * i + 1] += i < first ? 1e-3 : 3e-3, v[3 * i] *= 0.5;
    say("set state", vvWorldSetState(world, x, v, NULL));
    steps(world, 2);
    memcpy(x, vvWorldPositions(world), 3 * (size_t)n * sizeof *x);
    for (int i = first; i < first + count; i++)
        x[3 * i] += 2e-3, v[3 * i + 1] += 0.3;
    say("set body state", vvBodySetState(world, ball, x + 3 * first, v + 3 * first, NULL));
    steps(world, 2);
    x[1] = -1;
    say("set state", vvWorldSetState(world, x, NULL, NULL)); /* below the ground: refused */
    if (say("begin edit", vvWorldBeginEdit(world, &px, &pv, NULL)))
        for (int i = 0; i < n; i++)
            px[3 * i + 2] += 1e-4, pv[3 * i + 2] -= 0.02;
    say("step", vvWorldStep(world, NULL, NULL)); /* refused in between */
    say("end edit", vvWorldEndEdit(world, NULL));
    steps(world, 2);
    free(x);
    free(v);
}

static void restructure(vvWorld *world, vvBodyId box)
{
    vvMotionDef lift = stands_still();
    lift.angularVelocity = 90;
    lift.linearVelocity[1] = 0.2;
    vvSnapshot *changed = NULL;
    vvBodyDef def = body_at("late", -0.12, 0.05, 0);
    vvBodyId late = add(world, "ball", BALL, 2, def);
    vvObstacleId bump = add_obstacle(world, "box", NULL, 0, 0.1);
    step(world); /* fails where the bump stands in something */
    say("remove obstacle", vvWorldRemoveObstacle(world, bump, NULL));
    bump = add_obstacle(world, "sphere", (vvSetting[]){ { "center", { -0.12, -0.06, 0 } }, { "radius", { 0.05 } } }, 2,
                        0.2);
    say("snapshot", vvWorldSnapshot(world, &changed, NULL)); /* of a world that is not baked */
    steps(world, 2);
    vvAttachId held = attach(world, box, 0, 10, 0, NULL);
    vvAttachId sprung = attach(world, late, 80, 100, 20, &lift);
    say("friction", vvWorldSetFriction(world, box, late, 0.7, NULL));
    steps(world, 3);
    move_attachment(world, held, -0.12, 0.12);
    step(world);
    move_attachment(world, sprung, 0.24, 0);
    steps(world, 2);
    say("detach", vvWorldDetach(world, held, NULL));
    step(world);
    say("detach", vvWorldDetach(world, sprung, NULL));
    say("remove body", vvWorldRemoveBody(world, late, NULL));
    printf("  valid %d %d", vvAttachIsValid(world, held), vvAttachIsValid(world, sprung));
    printf(" %d %d\n", vvBodyIsValid(world, late), vvObstacleIsValid(world, bump));
    steps(world, 2);
    say("restore", vvWorldRestore(world, changed, NULL));
    steps(world, 2);
    vvSnapshotDestroy(changed);
}

/* State as bytes goes to a world of the same bodies; `text`: the bytes, which are nobody's business. */
static void carry_over(vvWorld *from, vvWorld *to)
{
    size_t size = vvWorldStateSize(from);
    void *text = malloc(size + 1);
    say("bake", vvWorldBake(to, NULL));
    if (text && say("save state", vvWorldSaveState(from, text, size, NULL)))
        say("load state", vvWorldLoadState(to, text, size, NULL));
    steps(to, 2);
    free(text);
}

static void play(const setting *s)
{
    vvWorldDef def = definition(s);
    vvWorld *world = create("play", &def), *twin, *other;
    vvBodyId box, ball, unused;
    vvSnapshot *early = NULL, *late = NULL;
    fill(world, &box, &ball);
    look(world);
    steps(world, 3);
    say("snapshot", vvWorldSnapshot(world, &early, NULL));
    push(world, box, ball);
    look(world);
    twin = create("twin", &def);
    say("restore elsewhere", vvWorldRestore(twin, early, NULL));
    steps(twin, 3);
    carry_over(world, twin);
    def.timeStep *= 0.5;
    def.gravity[0] = 0.5;
    other = create("other settings", &def);
    fill(other, &unused, &unused);
    say("restore elsewhere", vvWorldRestore(other, early, NULL)); /* it brings its settings */
    carry_over(world, other);
    finish(twin);
    finish(other);
    printf("== back to play\n");
    drag(world, ball, VV_DRAG_SPRING);
    drag(world, ball, VV_DRAG_PRESCRIBED);
    rewrite(world, ball);
    say("snapshot", vvWorldSnapshot(world, &late, NULL));
    restructure(world, box);
    look(world);
    say("restore", vvWorldRestore(world, late, NULL));
    steps(world, 3);
    say("restore", vvWorldRestore(world, early, NULL));
    steps(world, 3);
    vvSnapshotDestroy(early);
    finish(world);
    vvSnapshotDestroy(late);
}

/* ---- a cloth that meets itself, grains and a kinematic body that turns and rises under it ---- */

static void drape(const setting *s, bool convergent)
{
    const vvWaypoint rise[] = { { 0, { 0, 0, 0 }, { 0, 0, 0 } }, { 0.2, { 0, 0.06, 0 }, { 0, 40, 0 } } };
    vvWorldDef def = definition(s);
    def.contact.convergent = convergent;
    def.contact.frictionIterations = 2;
    def.contact.checkIntersections = true;
    def.solver.hessian = convergent ? "shifted" : "projected";
    vvWorld *world = create(convergent ? "drape, convergent, shifted" : "drape", &def);
    vvBodyDef b = body_at("cloth", 0, 0.1, 0);
    b.material.model = "hooke";
    b.material.springStiffness = 40, b.material.bendStiffness = 2, b.material.density = 0.3;
    b.material.damping.drag = 0.5;
    b.thickness = 0.002;
    b.rotate[0] = 60;
    vvBodyId cloth = add(world, "cloth", (vvSetting[]){ { "size", { 0.2, 0.2 } }, { "cells", { 6, 6 } } }, 2, b);
    b = body_at("grains", 0, 0.2, 0);
    b.material.model = "free";
    b.material.density = 1e-3;
    b.thickness = 0.008;
    vvBodyId grains = add(
        world, "grains",
        (vvSetting[]){ { "count", { 2, 2, 3 } }, { "spacing", { 0.012 } }, { "jitter", { 0.1 } }, { "seed", { 3 } } },
        4, b);
    b = body_at("riser", 0, 0, 0);
    b.kinematic = true;
    b.motion.waypoints = rise;
    b.motion.waypointCount = 2;
    vvBodyId riser = add(world, "ball", BALL, 2, b);
    add_obstacle(world, "plane", (vvSetting[]){ { "point", { 0, -0.05, 0 } }, { "normal", { 0, 1, 0 } } }, 2, -1);
    say("friction", vvWorldSetFriction(world, cloth, riser, 0.8, NULL));
    say("friction", vvWorldSetFriction(world, cloth, cloth, 0.1, NULL));
    vvAttachId edge = attach(world, cloth, 0, 5, 0, NULL);
    vvMotionDef pull = stands_still();
    pull.linearVelocity[0] = -0.5;
    pull.endTime = 0.1;
    attach(world, cloth, 95, 100, 10, &pull);
    steps(world, 12);
    look(world);
    say("detach", vvWorldDetach(world, edge, NULL));
    say("remove body", vvWorldRemoveBody(world, grains, NULL));
    steps(world, 8);
    say("self contact", vvBodySetSelfContact(world, cloth, false, NULL));
    move_attachment(world, vvBodyAttachment(world, riser), 0.2, 0.4);
    steps(world, 4);
    finish(world);
}

/* ---- energy that decays, every kind of damping, and rest ---- */

static void decay(const setting *s)
{
    const vvKey keys[] = { { 0, 0 }, { 0.1, 0.3 } };
    vvWorldDef def = definition(s);
    def.integrator.groundMode = VV_GROUND_GIVEN;
    def.integrator.groundEnergy = 0.02;
    def.integrator.startFraction = 0.9;
    if (strstr(s->policy, "search"))
        def.integrator.decayKeys = keys, def.integrator.decayKeyCount = 2;
    vvWorld *world = create("decay", &def);
    vvBodyDef b = body_at("damped", 0, 0.05, 0);
    b.material.model = "fixed-corotated";
    b.material.damping = (vvDampingDef){ .drag = 0.4, .rayleigh = 1e-3, .momentumRate = 2 };
    vvBodyId body = add(world, "box", SMALL_BOX, 2, b);
    say("twist", vvBodySetInitialState(world, body, "twist", NULL, 0, NULL));
    b = body_at("per step", 0.15, 0.06, 0);
    b.material.model = "stvk";
    b.material.damping = (vvDampingDef){ .momentumPerStep = 0.05 };
    add(world, "ball", BALL, 2, b);
    add_obstacle(world, "plane", NULL, 0, -1);
    steps(world, 30);
    for (int apply = 0; apply < 2; apply++) {
        double energy = NAN;
        say("settle", vvWorldSettle(world, apply, &energy, NULL));
        printf("  at rest: %a\n", energy);
        steps(world, 3);
    }
    finish(world);
}

/* ---- steps that do not come to their end ---- */

static bool after_some(void *user) { return ++*(int *)user > 2; }

static void fail(const setting *s)
{
    vvWorldDef def = definition(s);
    def.integrator.groundMode = VV_GROUND_NONE;
    vvWorld *world = create("fail", &def);
    vvBodyId wall = add(world, "box", SMALL_BOX, 2, body_at("wall", 0, 0.1, 0));
    attach(world, wall, 0, 100, 0, NULL);
    vvBodyDef b = body_at("ram", -0.1, 0.1, 0);
    b.kinematic = true;
    b.motion = stands_still();
    b.motion.linearVelocity[0] = 2;
    vvBodyId ram = add(world, "box", SMALL_BOX, 2, b);
    vvBodyId ball = add(world, "ball", BALL, 2, body_at("ball", 0, 0.18, 0));
    steps(world, 4); /* the last of them drive the ram into the wall */
    say("body force", vvBodyApplyForce(world, ball, (double[]){ 1, 0, 0 }, NULL));
    say("remove body", vvWorldRemoveBody(world, ram, NULL));
    vvWorldCancel(world);
    step(world);
    int asked = 0;
    vvWorldSetCancel(world, after_some, &asked);
    step(world);
    vvWorldSetCancel(world, NULL, NULL);
    steps(world, 8);
    finish(world);
}

/* ---- who touches whom, a carried surface, and a world without contact ---- */

static void filters(const setting *s, const char *model)
{
    vvWorldDef def = definition(s);
    def.contact.model = model;
    vvWorld *world = create(model, &def);
    vvMesh skin = { 0 };
    vvBodyDef b = body_at("a", 0, 0.05, 0);
    if (say("skin",
            vvMeshGenerate("ball", (vvSetting[]){ { "radius", { 0.036 } }, { "cells", { 4 } } }, 2, &skin, NULL)))
        b.surface = &skin;
    b.filter = filter_of(1, 2, 0);
    vvBodyId a = add(world, "ball", BALL, 2, b);
    vvMeshDestroy(&skin);
    b = body_at("b", 0.02, 0.14, 0);
    b.filter = filter_of(2, 4, 0); /* not a */
    add(world, "box", SMALL_BOX, 2, b);
    b = body_at("c", 0, 0.24, 0);
    b.filter = filter_of(4, ~0ull, 5);
    add(world, "box", SMALL_BOX, 2, b);
    vvObstacleDef ground = vvDefaultObstacleDef();
    ground.filter = filter_of(2, 1, 5); /* a, and by the group c; not b */
    say("ground", vvWorldAddObstacle(world, &ground, NULL, NULL));
    vvBodySurface surface;
    for (int i = 0; i < 24; i++) {
        step(world);
        vvBodyGetSurface(world, a, &surface);
        double *x = vectors(NULL, surface.vertexCount);
        say("carried", vvBodySurfacePositions(world, a, NULL, x, NULL));
        print_hash("  skin", x, 3 * (size_t)surface.vertexCount * sizeof *x);
        printf("\n");
        free(x);
    }
    look(world);
    finish(world);
}

/* ---- a few steps with every scheme, tet material, linear solver, line search, initial state ---- */

static void sample(void)
{
    static const char *const schemes[] = {
        "forward-euler",
        "symplectic-euler",
        "verlet",
        "backward-euler",
        "bdf2",
        "implicit-midpoint",
        "trapezoidal",
        "theta",
        "sdirk2",
        "tr-bdf2",
        "bathe",
        "avf-simpson",
        "avf-gauss-2",
        "avf-gauss-3",
        "discrete-gradient",
    };
    static const char *const materials[] = { "arap", "corotated",   "fixed-corotated",
                                             "stvk", "neo-hookean", "stable-neo-hookean" };
    static const char *const linear[] = { "pcg", "pcg-jacobi", "cholesky", "auto" };
    static const char *const states[] = { "stretch", "twist",     "bend",   "mode",
                                          "profile", "translate", "random", "collapsed" };
    enum { COUNT = sizeof schemes / sizeof *schemes };
    for (int i = 0; i < COUNT; i++) {
        /* "auto" used to learn from the modes' own solves, too */
        const char *solver = strcmp(states[i % 8], "mode") == 0 ? "pcg" : linear[i % 4];
        vvWorldDef def = definition(&(setting){ schemes[i], "none", solver, 1e-3 });
        def.solver.lineSearch = i % 2 ? "strong-wolfe" : "backtracking";
        def.solver.tolerance = 1e-4;
        def.seed = 7;
        vvWorld *world = create(states[i % 8], &def);
        vvBodyDef b = body_at("box", 0, 0.05, 0);
        b.material.model = materials[i % 6];
        vvBodyId body = add(world, "box", SMALL_BOX, 2, b);
        say("state", vvBodySetInitialState(world, body, states[i % 8], NULL, 0, NULL));
        const vvSetting box[] = { { "center", { 0, -0.05, 0 } },
                                  { "size", { 0.3, 0.1, 0.3 } },
                                  { "rotate", { 0, 10, 0 } } };
        const vvSetting drum[] = { { "center", { 0, -0.05, 0 } }, { "radius", { 0.3 } }, { "height", { 0.1 } } };
        add_obstacle(world, i % 2 ? "box" : "cylinder", i % 2 ? box : drum, 3, -1);
        steps(world, 8);
        finish(world);
    }
    vvSchemeCheck c;
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; vvSchemeInfo(k); k++) /* by name: the table may grow */
            if (strcmp(vvSchemeInfo(k)->name, schemes[i]) == 0 && say(schemes[i], vvSchemeSelfCheck(k, &c, NULL)))
                printf("   measured %a %d %d %d\n", c.measuredOrder, c.measuredAStable, c.measuredLStable,
                       c.measuredSymplectic);
}

int main(void)
{
    const setting settings[] = {
        { "backward-euler", "none", "auto", 1.0 / 120 },
        { "backward-euler", "search", "cholesky", 1.0 / 120 },
        { "backward-euler", "a1", "pcg", 1.0 / 120 },
        { "bdf2", "none", "auto", 1.0 / 120 },
        { "tr-bdf2", "none", "cholesky", 1.0 / 120 },
        { "avf-simpson", "none", "auto", 1.0 / 240 },
        { "discrete-gradient", "none", "auto", 2.5e-4 },
        { "verlet", "none", "auto", 1.0 / 8000 },
        { "backward-euler", "filtered-search", "auto", 1.0 / 120 },
    };
    enum { COUNT = sizeof settings / sizeof *settings };
    for (int i = 0; i < COUNT; i++) {
        play(&settings[i]);
        drape(&settings[i], i == 1 || i == 3);
        decay(&settings[i]);
        fail(&settings[i]);
        filters(&settings[i], i % 2 ? "none" : "barrier");
    }
    filters(&settings[1], "barrier");
    sample();
    return 0;
}
