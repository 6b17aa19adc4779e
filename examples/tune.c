/* A tuning session, as a game's editor has it: sliders change gravity, stiffness, damping and time step while a ball
 * and a crate move; pointers lead from contacts to the game's own objects; and what touches is drawn as lines. The
 * host is played by a script of its own.
 *
 *   cc tune.c $(pkg-config --cflags --libs visviva) -o tune      (in the tree: the CMake target example_tune) */
#include <stdio.h>
#include <visviva/visviva.h>

typedef struct thing { /* the game's own idea of an object */
    const char *label;
    int touches;
} thing;

/* ---- the debug view: here a host fills its line buffer ---- */

typedef struct view {
    int points, lines, triangles;
} view;

static void draw_point(void *user, const double at[3], double size, uint32_t colour)
{
    (void)at, (void)size, (void)colour;
    ((view *)user)->points++;
}

static void draw_line(void *user, const double from[3], const double to[3], uint32_t colour)
{
    (void)from, (void)to, (void)colour;
    ((view *)user)->lines++;
}

static void draw_triangle(void *user, const double corners[9], const double normal[3], uint32_t colour)
{
    (void)corners, (void)normal, (void)colour;
    ((view *)user)->triangles++;
}

static vvStatus look(vvWorld *world, view *out, vvError *error)
{
    vvDraw draw = vvDefaultDraw();
    *out = (view){ 0 };
    draw.point = draw_point, draw.segment = draw_line, draw.triangle = draw_triangle;
    draw.user = out;
    draw.what = VV_DRAW_SURFACES | VV_DRAW_CONTACTS | VV_DRAW_BOUNDS;
    return vvWorldDraw(world, &draw, error);
}

/* ---- the world ---- */

static vvStatus add(vvWorld *world, const char *shape, double height, thing *owner, vvError *error)
{
    vvMesh mesh = { 0 };
    const vvSetting cells = { .name = "cells", .value = { 2, 2, 2 } }; /* of boxes; balls have their default */
    vvStatus status = vvMeshGenerate(shape, &cells, shape[1] == 'o', &mesh, error);
    vvBodyDef def = vvDefaultBodyDef();
    def.mesh = &mesh;
    def.material.young = 3e4;
    def.translate[1] = height;
    def.userData = owner;
    if (status == VV_OK)
        status = vvWorldAddBody(world, &def, NULL, error);
    vvMeshDestroy(&mesh);
    return status;
}

/* What the sliders say in this frame. */
static vvStatus tune(vvWorld *world, int frame, vvError *error)
{
    vvBodyId crate = vvWorldBody(world, 0);
    vvMaterialDef material;
    vvDampingDef damping = { .momentumRate = 3 };
    switch (frame) {
    case 30: return vvWorldSetGravity(world, (double[]){ 0, -1.6, 0 }, error); /* to the moon */
    case 45:
        if (!vvBodyGetMaterial(world, crate, 0, &material))
            return VV_ERROR_INPUT;
        material.young = 2e5;
        return vvBodySetMaterial(world, crate, 0, &material, error);
    case 60: return vvWorldSetTimeStep(world, 1.0 / 240, error); /* slow motion */
    case 75: return vvBodySetDamping(world, crate, &damping, error);
    case 90: return vvWorldSetGravity(world, (double[]){ 3, -9.8, 0 }, error);
    default: return VV_OK;
    }
}

/* Every contact that begins counts for both things. */
static vvStatus count(vvWorld *world, vvError *error)
{
    vvContactEvents events;
    vvStatus status = vvWorldContactEvents(world, &events, error);
    for (int i = 0; status == VV_OK && i < events.beganCount; i++) {
        thing *one = vvBodyUserData(world, events.began[i].body);
        thing *other = events.began[i].other.index1 ? vvBodyUserData(world, events.began[i].other)
                                                    : vvObstacleUserData(world, events.began[i].obstacle);
        one->touches++;
        other->touches++;
    }
    return status;
}

static vvStatus play(vvWorld *world, vvError *error)
{
    thing crate = { "crate", 0 }, ball = { "ball", 0 }, ground = { "ground", 0 };
    vvObstacleDef plane = vvDefaultObstacleDef();
    plane.userData = &ground;
    vvStatus status = vvWorldAddObstacle(world, &plane, NULL, error);
    if (status == VV_OK)
        status = add(world, "box", 0.06, &crate, error);
    if (status == VV_OK)
        status = add(world, "ball", 0.25, &ball, error);
    for (int frame = 0; frame < 120 && status == VV_OK; frame++) {
        uint32_t revision = vvWorldSettingsRevision(world);
        vvSettingChange change;
        vvLedgerRow row;
        view seen;
        status = tune(world, frame, error);
        if (status == VV_OK)
            status = vvWorldStep(world, NULL, error);
        if (status == VV_OK)
            status = count(world, error);
        if (status == VV_OK)
            status = vvWorldLedger(world, &row, error);
        if (status != VV_OK)
            break;
        if (vvWorldSettingsRevision(world) == revision || !vvWorldSettingChange(world, revision + 1, &change))
            continue;
        vvBodyMeasures whole;
        status = vvBodyMeasure(world, vvWorldBody(world, 1), &whole, error);
        if (status == VV_OK)
            status = look(world, &seen, error);
        if (status == VV_OK)
            printf("%.3f s: %s (work %+.2g J); the ball at %.3f m; %d contacts drawn\n", row.time, change.text,
                   row.work, whole.centre[1], seen.points);
    }
    const thing *all[] = { &crate, &ball, &ground };
    for (int i = 0; i < 3 && status == VV_OK; i++)
        printf("%s: %d contacts\n", all[i]->label, all[i]->touches);
    return status;
}

int main(void)
{
    vvError error = { 0 };
    vvWorld *world = NULL;
    vvWorldDef def = vvDefaultWorldDef();
    def.timeStep = 1.0 / 120;
    def.integrator.policy = "filtered-search";
    if (vvWorldCreate(&def, &world, &error) != VV_OK || play(world, &error) != VV_OK)
        fprintf(stderr, "tune: %s\n", error.message);
    vvWorldDestroy(world);
    return error.status == VV_OK ? 0 : 1;
}
