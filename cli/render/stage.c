/* What is drawn of a run: its bodies in one frame, the obstacles, the ground, and which way is up. */
#include "cli.h"
#include "render/limits.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double crease_angle = 55;   /* degrees */
static const double large_obstacle = 4;  /* so many times the bodies' size, and the camera need not see all of it */
static const double ground_tilt = 0.7;   /* least cosine between up and the normal of what is called ground */
static const double smallest_dot = 0.01; /* radius of points without thickness, in diagonals of all bodies */
static const double lone_dot = 1e-3;     /* m: of a single one */
enum { FIELD_FRAMES = 40 };

/* ---- which way is up ---- */

static double number_of(const json_t *value)
{
    const char *text = json_string_value(value); /* scenes may write "1/30" */
    char *rest = NULL;
    if (!text)
        return json_is_number(value) ? json_number_value(value) : 0;
    double number = strtod(text, &rest), below = *rest == '/' ? strtod(rest + 1, NULL) : 1;
    return below != 0 ? number / below : 0;
}

/* Against the scene's gravity; without gravity along the first plane's normal; else y. */
static void find_up(vv_render_stage *stage)
{
    static const double y[3] = { 0, 1, 0 };
    double g[3] = { 0, 0, 0 };
    json_t *scene = json_loads(vvRunSceneText(stage->run), 0, NULL);
    const json_t *gravity = json_object_get(scene, "gravity");
    bool given = json_array_size(gravity) == 3;
    for (size_t k = 0; given && k < 3; k++)
        g[k] = -number_of(json_array_get(gravity, k));
    json_decref(scene);
    if (given && vv_dot3(g, g) > 0) {
        memcpy(stage->up, g, sizeof g);
        vv_unit3(stage->up);
        return;
    }
    memcpy(stage->up, y, sizeof y);
    for (int i = 0; given && i < vvRunObstacleCount(stage->run); i++) {
        const double *values;
        int count;
        if (strcmp(vvRunObstacle(stage->run, i, &values, &count), "plane") == 0 && count >= 6) {
            memcpy(stage->up, values + 3, 3 * sizeof *values);
            vv_unit3(stage->up);
            return;
        }
    }
}

static bool find_planes(vv_render_stage *stage)
{
    int count = vvRunObstacleCount(stage->run), best = -1;
    double most = ground_tilt;
    stage->walls = calloc((size_t)count + 1, sizeof *stage->walls);
    if (!stage->walls)
        return false;
    for (int i = 0; i < count; i++) {
        const double *values;
        int valueCount;
        if (strcmp(vvRunObstacle(stage->run, i, &values, &valueCount), "plane") != 0 || valueCount < 6)
            continue;
        vv_plane *plane = &stage->walls[stage->wallCount];
        memcpy(plane->point, values, sizeof plane->point);
        memcpy(plane->normal, values + 3, sizeof plane->normal);
        vv_unit3(plane->normal);
        double facing = vv_dot3(plane->normal, stage->up);
        if (facing > most) {
            most = facing;
            best = stage->wallCount;
        }
        stage->wallCount++;
    }
    if (best >= 0) {
        stage->hasGround = true;
        stage->ground = stage->walls[best];
        stage->walls[best] = stage->walls[--stage->wallCount];
    }
    return true;
}

/* ---- opening ---- */

bool vv_stage_read(const vv_render_stage *stage, int frame, double *positions, double *velocities)
{
    vvError error;
    if (vvRunReadFrame(stage->run, frame, positions, velocities, &error) != VV_OK) {
        vv_cli_error(&error);
        return false;
    }
    vvRunCarry(stage->run, 3, positions);
    if (velocities)
        vvRunCarry(stage->run, 3, velocities);
    return true;
}

/* Marks the nodes that are exactly where they were: what is held. */
static void find_held(vv_render_stage *stage, const double *before)
{
    for (int i = 0; i < vvRunNodeCount(stage->run); i++)
        if (memcmp(before + 3 * i, stage->positions + 3 * i, 3 * sizeof *before) != 0)
            stage->held[i] = 0;
}

/* A body that does not move at all is not held. */
static void forget_resting(vv_render_stage *stage)
{
    for (int b = 0; b < vvRunBodyCount(stage->run); b++) {
        const vvRunBody *body = vvRunGetBody(stage->run, b);
        unsigned char *held = stage->held + body->firstNode;
        int count = 0;
        for (int i = 0; i < body->nodeCount; i++)
            count += held[i];
        if (body->kinematic || count == body->nodeCount)
            memset(held, 0, (size_t)body->nodeCount);
    }
}

/* The reference shape: of the first, middle and last frame the least crumpled: a run may start from chaos. From the
 * same frames: which nodes are held. */
static bool find_reference(vv_render_stage *stage)
{
    int last = vvRunFrameCount(stage->run) - 1, frames[3] = { 0, last / 2, last };
    size_t bytes = 3 * (size_t)vvRunVertexCount(stage->run) * sizeof(double);
    double least = INFINITY, *first = malloc(bytes + 1);
    if (!first) {
        vv_cli_wrong("no memory for drawing %d vertices", vvRunVertexCount(stage->run));
        return false;
    }
    memset(stage->held, 1, (size_t)vvRunNodeCount(stage->run));
    for (int i = 0; i < 3; i++) {
        if (!vv_stage_read(stage, frames[i], stage->positions, NULL)) {
            free(first);
            return false;
        }
        if (i == 0)
            memcpy(first, stage->positions, bytes);
        find_held(stage, first);
        /* the first frame is the natural choice unless another is clearly smoother */
        double rough = vv_surface_roughness(stage->run, stage->positions) * (i == 0 ? 0.7 : 1);
        if (i == 0 || rough < least) {
            least = rough;
            memcpy(stage->reference, stage->positions, bytes);
        }
    }
    forget_resting(stage);
    free(first);
    return true;
}

static double mean_edge(const vvRun *run, const double *x)
{
    double sum = 0;
    long count = 0;
    for (int b = 0; b < vvRunBodyCount(run); b++) {
        const vvRunBody *body = vvRunGetBody(run, b);
        for (int e = 0; body->triangleCount == 0 && e < body->edgeCount; e++, count++) {
            const double *p = x + 3 * body->edges[2 * e], *q = x + 3 * body->edges[2 * e + 1];
            double d[3] = { q[0] - p[0], q[1] - p[1], q[2] - p[2] };
            sum += sqrt(vv_dot3(d, d));
        }
    }
    return count ? sum / (double)count : 0;
}

typedef struct box {
    double low[3], high[3];
} box;

static void grow_box(box *b, const double *x, int first, int count)
{
    for (int i = 3 * first; i < 3 * (first + count); i++) {
        b->low[i % 3] = fmin(b->low[i % 3], x[i]);
        b->high[i % 3] = fmax(b->high[i % 3], x[i]);
    }
}

static double box_diagonal(const box *b)
{
    double square = 0;
    for (int k = 0; k < 3; k++)
        square += (b->high[k] - b->low[k]) * (b->high[k] - b->low[k]);
    return sqrt(square);
}

/* All bodies, and of the obstacles with a mesh those that are not much larger than all bodies together: a ground that
 * reaches far would make these small. */
static void choose_framed(vv_render_stage *stage)
{
    const vvRun *run = stage->run;
    const box none = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    box bodies = none;
    int count = 0;
    for (int b = 0; b < vvRunBodyCount(run); b++) {
        const vvRunBody *body = vvRunGetBody(run, b);
        if (body->kinematic)
            continue;
        grow_box(&bodies, stage->reference, body->firstNode, body->nodeCount);
        count++;
    }
    double most = count ? large_obstacle * box_diagonal(&bodies) : INFINITY;
    memset(stage->framed, 1, (size_t)vvRunVertexCount(run));
    for (int b = 0; b < vvRunBodyCount(run); b++) {
        const vvRunBody *body = vvRunGetBody(run, b);
        box own = none;
        if (!body->kinematic)
            continue;
        grow_box(&own, stage->reference, body->firstNode, body->nodeCount);
        if (box_diagonal(&own) <= most)
            continue;
        memset(stage->framed + body->firstNode, 0, (size_t)body->nodeCount);
        memset(stage->framed + body->firstVertex, 0, (size_t)body->vertexCount);
    }
}

/* Free points are balls of their body's thickness; without one they are dots that can be seen. Shells and rods reach
 * out by half of theirs. */
static void choose_radii(vv_render_stage *stage)
{
    box all = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (int b = 0; b < vvRunBodyCount(stage->run); b++)
        grow_box(&all, stage->reference, vvRunGetBody(stage->run, b)->firstNode,
                 vvRunGetBody(stage->run, b)->nodeCount);
    double dot = smallest_dot * box_diagonal(&all);
    for (int b = 0; b < vvRunBodyCount(stage->run); b++) {
        const vvRunBody *body = vvRunGetBody(stage->run, b);
        for (int i = 0; body->tetCount == 0 && !body->kinematic && i < body->nodeCount; i++)
            stage->radius[body->firstNode + i] = 0.5 * body->drawnThickness;
        for (int i = 0; i < body->pointCount; i++)
            stage->radius[body->firstNode + i] = body->thickness > 0 ? body->thickness / 2 : dot > 0 ? dot : lone_dot;
    }
}

bool vv_stage_open(vv_render_stage *stage, const vvRun *run)
{
    *stage = (vv_render_stage){ .run = run };
    size_t values = 3 * (size_t)vvRunVertexCount(run) + 1;
    if (vvRunFrameCount(run) < 1) {
        vv_cli_wrong("the run has no frame yet");
        return false;
    }
    stage->positions = calloc(values, sizeof(double));
    stage->velocities = calloc(values, sizeof(double));
    stage->reference = calloc(values, sizeof(double));
    stage->framed = calloc(values, 1);
    stage->held = calloc(values, 1);
    stage->radius = calloc(values, sizeof(double));
    size_t bodies = (size_t)vvRunBodyCount(run) + 1;
    stage->solid = calloc(bodies, sizeof *stage->solid);
    stage->boxes = calloc(bodies, sizeof *stage->boxes);
    stage->absent = calloc(bodies, sizeof *stage->absent);
    stage->hidden = calloc(bodies, sizeof *stage->hidden);
    stage->log = calloc(bodies, sizeof *stage->log);
    find_up(stage);
    if (!stage->framed || !stage->held || !stage->radius || !stage->solid || !stage->boxes || !stage->absent ||
        !stage->hidden || !stage->log || !stage->positions || !stage->velocities || !stage->reference ||
        !find_planes(stage)) {
        vv_cli_wrong("no memory for drawing %d vertices", vvRunVertexCount(run));
        vv_stage_close(stage);
        return false;
    }
    if (!find_reference(stage) || !vv_surface_build(&stage->surface, run, stage->reference, crease_angle)) {
        vv_stage_close(stage);
        return false;
    }
    choose_framed(stage);
    choose_radii(stage);
    stage->tubeRadius = 0.14 * mean_edge(run, stage->reference);
    return true;
}

void vv_stage_see(vv_render_stage *stage, const vv_camera *camera, int height)
{
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = camera->eye[k] - camera->focus[k];
    stage->pixel = 2 * camera->tanY * sqrt(vv_dot3(d, d)) / height;
}

void vv_stage_close(vv_render_stage *stage)
{
    vv_surface_destroy(&stage->surface);
    vv_geometry_destroy(&stage->bodies);
    vv_geometry_destroy(&stage->obstacles);
    free(stage->walls);
    free(stage->reference);
    free(stage->framed);
    free(stage->held);
    free(stage->radius);
    free(stage->solid);
    free(stage->boxes);
    free(stage->absent);
    free(stage->hidden);
    free(stage->log);
    free(stage->positions);
    free(stage->velocities);
    free(stage->field);
    vvWorldDestroy(stage->world);
    *stage = (vv_render_stage){ 0 };
}

/* ---- fields ---- */

/* The values of all bodies' nodes, or of the surfaces that they carry, but those of obstacles (all, where there is
 * nothing else), to `out`; returns how many these are. */
static int leave_out_obstacles(const vv_render_stage *stage, double *out)
{
    const vvField *f = vvFieldInfo((int)stage->colouring - VV_COLOUR_FIELD);
    const bool surface = f && f->place == VV_FIELD_SURFACE;
    int kept = 0;
    for (int b = 0; b < vvRunBodyCount(stage->run); b++) {
        const vvRunBody *body = vvRunGetBody(stage->run, b);
        const int first = surface ? body->firstVertex : body->firstNode, count = !surface        ? body->nodeCount
                                                                                 : body->carries ? body->vertexCount
                                                                                                 : 0;
        for (int i = 0; !body->kinematic && i < count; i++)
            out[kept++] = stage->field[first + i];
    }
    if (kept > 0)
        return kept;
    memcpy(out, stage->field, (size_t)vvRunNodeCount(stage->run) * sizeof *out);
    return vvRunNodeCount(stage->run);
}

/* A single wild node does not set the scale. */
double vv_stage_measure(const vv_render_stage *stage)
{
    double *values = malloc(((size_t)vvRunVertexCount(stage->run) + 1) * sizeof *values), high = 0;
    const int n = values ? leave_out_obstacles(stage, values) : 0;
    if (n > 0) {
        qsort(values, (size_t)n, sizeof *values, vv_by_number);
        high = values[(int)(0.98 * (n - 1))];
    }
    free(values);
    return isfinite(high) ? high : 0;
}

/* A field is found in the world of the run's scene, at the frame that is shown. */
static bool find_field(vv_render_stage *stage)
{
    vvError error = { 0 };
    const vvField *field = vvFieldInfo((int)stage->colouring - VV_COLOUR_FIELD);
    if (vvRunLoadFrame(stage->run, stage->frame, stage->world, &error) ||
        vv_cli_run_field(stage->run, stage->world, field, stage->field, &error)) {
        vv_cli_error(&error);
        return false;
    }
    for (int i = 0; i < vvRunVertexCount(stage->run); i++)
        stage->field[i] = fabs(stage->field[i]);
    return true;
}

bool vv_stage_field(vv_render_stage *stage)
{
    if (stage->given)
        return true;
    return stage->world ? find_field(stage)
                        : vv_field_compute(stage->run, stage->colouring, stage->reference, stage->positions,
                                           stage->velocities, stage->field);
}

/* The largest of the frames': a short impact sets the scale. */
static double field_scale(vv_render_stage *stage)
{
    int frames = vvRunFrameCount(stage->run);
    int step = frames / FIELD_FRAMES + 1;
    double most = 0;
    for (int f = 0; f < frames; f += step) {
        if (vv_cli_interrupted() || !vv_stage_read(stage, f, stage->positions, stage->velocities))
            return -1;
        stage->frame = f;
        if (!vv_stage_field(stage))
            return -1;
        most = fmax(most, vv_stage_measure(stage));
    }
    return most > 0 ? most : 1;
}

/* Makes the world of the run's scene, in which some body has the field. */
static bool open_fields(vv_render_stage *stage)
{
    const char *name = vv_colouring_words(stage->colouring).name;
    if (!stage->world && vv_cli_world_of_run("the run", stage->run, &stage->world) != VV_CLI_GO)
        return false;
    const bool some = vv_cli_has_field(stage->world, vvFieldInfo((int)stage->colouring - VV_COLOUR_FIELD));
    if (!some)
        vv_cli_wrong("--color %s: no body of the run has that field: %s", name, vv_cli_field_owners);
    return some;
}

bool vv_stage_give(vv_render_stage *stage, vv_colouring colouring)
{
    stage->colouring = colouring;
    stage->given = true;
    stage->field = calloc((size_t)vvRunVertexCount(stage->run) + 1, sizeof *stage->field);
    return stage->field != NULL;
}

bool vv_stage_colour(vv_render_stage *stage, vv_colouring colouring, double fieldMax)
{
    stage->colouring = colouring;
    if (colouring == VV_COLOUR_BODY)
        return true;
    if (!stage->field)
        stage->field = calloc((size_t)vvRunVertexCount(stage->run) + 1, sizeof *stage->field);
    if (!stage->field) {
        vv_cli_wrong("no memory for colours");
        return false;
    }
    if (colouring >= VV_COLOUR_FIELD && !open_fields(stage))
        return false;
    stage->fieldMax = fieldMax > 0 ? fieldMax : field_scale(stage);
    return stage->fieldMax > 0;
}
