/* What is drawn of a run: its bodies in one frame, the obstacles, the ground, and which way is up. */
#include "cli.h"
#include "render/render.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double crease_angle = 55;      /* degrees */
static const double large_obstacle = 4;     /* so many times the bodies' size, and the camera need not see all of it */
static const double ground_tilt = 0.7;      /* least cosine between up and the normal of what is called ground */
static const double smallest_dot = 0.01;    /* radius of points without thickness, in diagonals of all bodies */
static const double lone_dot = 1e-3;        /* m: of a single one */
enum { FIELD_FRAMES = 40, ROUND_TUBES = 3000, ROUND_BALLS = 1000 };

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

static bool read_frame(vv_render_stage *stage, int frame)
{
    vvError error;
    if (vvRunReadFrame(stage->run, frame, stage->positions, stage->velocities, &error) == VV_OK) {
        vvRunCarry(stage->run, 3, stage->positions);
        vvRunCarry(stage->run, 3, stage->velocities);
        return true;
    }
    vv_cli_error(&error);
    return false;
}

/* The reference shape: of the first, middle and last frame the least crumpled: a run may start from chaos. */
static bool find_reference(vv_render_stage *stage)
{
    int last = vvRunFrameCount(stage->run) - 1, frames[3] = { 0, last / 2, last };
    size_t bytes = 3 * (size_t)vvRunVertexCount(stage->run) * sizeof(double);
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        if (!read_frame(stage, frames[i]))
            return false;
        /* the first frame is the natural choice unless another is clearly smoother */
        double rough = vv_surface_roughness(stage->run, stage->positions) * (i == 0 ? 0.7 : 1);
        if (i == 0 || rough < least) {
            least = rough;
            memcpy(stage->reference, stage->positions, bytes);
        }
    }
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

typedef struct box { double low[3], high[3]; } box;

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

/* All bodies, and of the obstacles with a mesh those that are not much larger than all bodies together: a ground that reaches
 * far would make these small. */
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

/* Free points are balls of their body's thickness; without one they are dots that can be seen. */
static void choose_radii(vv_render_stage *stage)
{
    box all = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    grow_box(&all, stage->reference, 0, vvRunNodeCount(stage->run));
    double dot = smallest_dot * box_diagonal(&all);
    for (int b = 0; b < vvRunBodyCount(stage->run); b++) {
        const vvRunBody *body = vvRunGetBody(stage->run, b);
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
    stage->radius = calloc(values, sizeof(double));
    stage->solid = calloc((size_t)vvRunBodyCount(run) + 1, sizeof *stage->solid);
    find_up(stage);
    if (!stage->framed || !stage->radius || !stage->solid || !stage->positions || !stage->velocities || !stage->reference || !find_planes(stage)) {
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

void vv_stage_close(vv_render_stage *stage)
{
    vv_surface_destroy(&stage->surface);
    vv_geometry_destroy(&stage->bodies);
    vv_geometry_destroy(&stage->obstacles);
    free(stage->walls);
    free(stage->reference);
    free(stage->framed);
    free(stage->radius);
    free(stage->solid);
    free(stage->positions);
    free(stage->velocities);
    free(stage->field);
    *stage = (vv_render_stage){ 0 };
}

/* ---- fields ---- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Moves the values of all bodies' nodes but those of obstacles to the front, and returns how many these are (all, where there is
 * nothing else). */
static int leave_out_obstacles(vv_render_stage *stage)
{
    int kept = 0;
    for (int b = 0; b < vvRunBodyCount(stage->run); b++) {
        const vvRunBody *body = vvRunGetBody(stage->run, b);
        for (int i = 0; !body->kinematic && i < body->nodeCount; i++)
            stage->field[kept++] = stage->field[body->firstNode + i];
    }
    return kept > 0 ? kept : vvRunNodeCount(stage->run);
}

/* The largest of the frames' 98th percentiles: a single wild node does not set the scale, a short impact does. */
static double field_scale(vv_render_stage *stage)
{
    int frames = vvRunFrameCount(stage->run);
    int step = frames / FIELD_FRAMES + 1;
    double most = 0;
    for (int f = 0; f < frames; f += step) {
        if (!read_frame(stage, f))
            return -1;
        vv_field_compute(stage->run, stage->colouring, stage->reference, stage->positions, stage->velocities,
                         stage->field);
        int n = leave_out_obstacles(stage);
        qsort(stage->field, (size_t)n, sizeof *stage->field, compare_doubles);
        double high = stage->field[(int)(0.98 * (n - 1))];
        if (isfinite(high))
            most = fmax(most, high);
    }
    return most > 0 ? most : 1;
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
    stage->fieldMax = fieldMax > 0 ? fieldMax : field_scale(stage);
    return stage->fieldMax > 0;
}

/* ---- geometry ---- */

static void obstacle_colour(float colour[4])
{
    vv_linear_colour(0xa9b4bb, colour);
    colour[3] = 0.35f;
}

void vv_stage_set_origin(vv_render_stage *stage, const double origin[3])
{
    float colour[4];
    obstacle_colour(colour);
    memcpy(stage->origin, origin, sizeof stage->origin);
    vv_geometry_clear(&stage->obstacles);
    for (int i = 0; i < vvRunObstacleCount(stage->run); i++) {
        const double *values;
        int count;
        const char *type = vvRunObstacle(stage->run, i, &values, &count);
        if (strcmp(type, "plane") != 0)
            vv_geometry_obstacle(&stage->obstacles, type, values, stage->origin, colour);
    }
}

/* Nodes that are not numbers are drawn in the middle of the rest: a picture of a broken run is still a picture. */
static void measure_box(vv_render_stage *stage)
{
    for (int k = 0; k < 3; k++) {
        stage->low[k] = INFINITY;
        stage->high[k] = -INFINITY;
    }
    int n = vvRunVertexCount(stage->run);
    for (int i = 0; i < 3 * n; i++)
        if (isfinite(stage->positions[i])) {
            stage->low[i % 3] = fmin(stage->low[i % 3], stage->positions[i]);
            stage->high[i % 3] = fmax(stage->high[i % 3], stage->positions[i]);
        }
    for (int k = 0; k < 3; k++)
        if (!(stage->low[k] <= stage->high[k]))
            stage->low[k] = stage->high[k] = 0;
    for (int i = 0; i < 3 * n; i++)
        if (!isfinite(stage->positions[i]))
            stage->positions[i] = (stage->low[i % 3] + stage->high[i % 3]) / 2;
}

/* Obstacles with a mesh look like the others, whatever the bodies are coloured by. */
static void node_colour(const vv_render_stage *stage, int node, int body, float colour[4])
{
    if (vvRunGetBody(stage->run, body)->kinematic)
        obstacle_colour(colour);
    else if (stage->colouring == VV_COLOUR_BODY)
        vv_palette_body(body, colour);
    else
        vv_palette_field(stage->field[node] / stage->fieldMax, colour);
}

/* Triangles add their area vectors, which is smooth enough and never divides by zero. */
static void add_normals(const vv_drawn_surface *s, vv_vertex *v)
{
    for (int t = 0; t + 2 < s->indexCount; t += 3) {
        const unsigned *i = s->indices + t;
        double p[3], q[3], area[3];
        for (int k = 0; k < 3; k++) {
            p[k] = (double)v[i[1]].position[k] - v[i[0]].position[k];
            q[k] = (double)v[i[2]].position[k] - v[i[0]].position[k];
        }
        vv_cross3(p, q, area);
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                v[i[c]].normal[k] += (float)area[k];
    }
}

/* Scaled here and not in the shader, whose arithmetic would lose tiny areas. */
static void scale_normal(vv_vertex *v)
{
    double n[3] = { v->normal[0], v->normal[1], v->normal[2] };
    double big = fmax(fabs(n[0]), fmax(fabs(n[1]), fabs(n[2])));
    for (int k = 0; k < 3 && big > 0; k++)
        n[k] /= big;
    vv_unit3(n);
    for (int k = 0; k < 3; k++)
        v->normal[k] = (float)n[k];
}

/* The middle of an edge a-b on a curve that is at right angles to both normals: the mean of the middle's projections to
 * the two tangent planes lies twice too far out (exactly so on a sphere), so half of that way is gone. Returns its square. */
static double curve_middle(const vv_vertex *a, const vv_vertex *b, bool curved, vv_vertex *m)
{
    float out[2] = { 0, 0 };
    double square = 0;
    for (int k = 0; k < 3; k++) {
        m->position[k] = 0.5f * (a->position[k] + b->position[k]);
        m->normal[k] = a->normal[k] + b->normal[k];
    }
    for (int k = 0; k < 4; k++)
        m->colour[k] = 0.5f * (a->colour[k] + b->colour[k]);
    for (int k = 0; k < 3; k++) {
        out[0] += (m->position[k] - a->position[k]) * a->normal[k];
        out[1] += (m->position[k] - b->position[k]) * b->normal[k];
    }
    for (int k = 0; curved && k < 3; k++) {
        float step = 0.25f * (out[0] * a->normal[k] + out[1] * b->normal[k]);
        m->position[k] -= step;
        square += (double)step * step;
    }
    scale_normal(m);
    return square;
}

/* A closed body whose outside is outside everywhere hides its own far side, which need not be drawn: its volume is
 * positive, and no triangle faces away from its corners' normals. */
static bool is_solid(const vv_drawn_surface *s, const vv_vertex *v, int body)
{
    double volume = 0;
    if (!s->closed[body])
        return false;
    for (int t = s->first[body]; t + 2 < s->first[body + 1]; t += 3) {
        const vv_vertex *w[3] = { v + s->indices[t], v + s->indices[t + 1], v + s->indices[t + 2] };
        double p[3], q[3], area[3];
        for (int k = 0; k < 3; k++) {
            p[k] = (double)w[1]->position[k] - w[0]->position[k];
            q[k] = (double)w[2]->position[k] - w[0]->position[k];
        }
        vv_cross3(p, q, area);
        for (int c = 0; c < 3; c++)
            if (area[0] * w[c]->normal[0] + area[1] * w[c]->normal[1] + area[2] * w[c]->normal[2] < 0)
                return false;
        volume += area[0] * w[0]->position[0] + area[1] * w[0]->position[1] + area[2] * w[0]->position[2];
    }
    return volume > 0;
}

/* Copies the bodies' triangles, those of the solid ones first. */
static void copy_indices(vv_geometry *g, const vv_drawn_surface *s, const unsigned *from, int each, const bool *solid,
                         vv_indices *solids, vv_indices *thins)
{
    int at = solids->first;
    for (int round = 0; round < 2; round++) {
        vv_indices *part = round == 0 ? solids : thins;
        part->first = at;
        for (int b = 0; b < s->bodyCount; b++) {
            int count = each * (s->first[b + 1] - s->first[b]);
            if (solid[b] != (round == 0) || count == 0)
                continue;
            memcpy(g->indices + at, from + (size_t)each * (size_t)s->first[b], (size_t)count * sizeof *from);
            at += count;
        }
        part->count = at - part->first;
    }
}

static void place_vertices(vv_render_stage *stage, vv_vertex *v)
{
    const vv_drawn_surface *s = &stage->surface;
    for (int i = 0; i < s->vertexCount; i++) {
        for (int k = 0; k < 3; k++) {
            v[i].position[k] = (float)(stage->positions[3 * s->node[i] + k] - stage->origin[k]);
            v[i].normal[k] = 0;
        }
        node_colour(stage, s->node[i], s->body[i], v[i].colour);
    }
    add_normals(s, v);
    for (int i = 0; i < s->vertexCount; i++)
        scale_normal(&v[i]);
}

/* The first of the frame's geometry, so that its vertices have the surface's numbers. */
static bool build_surface(vv_render_stage *stage)
{
    const vv_drawn_surface *s = &stage->surface;
    vv_geometry *g = &stage->bodies;
    bool fine = s->fine && !stage->coarse;
    double bend = 0;
    if (s->indexCount == 0)
        return true;
    if (vv_geometry_append(g, s->vertexCount + (fine ? s->edgeCount : 0), fine ? 5 * s->indexCount : s->indexCount) < 0)
        return false;
    vv_vertex *v = g->vertices;
    place_vertices(stage, v);
    for (int b = 0; b < s->bodyCount; b++)
        stage->solid[b] = is_solid(s, v, b);
    copy_indices(g, s, s->indices, 1, stage->solid, &g->solid[1], &g->thin[1]);
    g->solid[0] = g->solid[1];
    g->thin[0] = g->thin[1];
    if (fine) {
        g->solid[0].first = s->indexCount;
        copy_indices(g, s, s->fine, 4, stage->solid, &g->solid[0], &g->thin[0]);
    }
    g->rest = g->indexCount;
    for (int e = 0; fine && e < s->edgeCount; e++)
        bend += curve_middle(&v[s->edges[2 * e]], &v[s->edges[2 * e + 1]], s->curved[e], &v[s->vertexCount + e]);
    stage->bend = fine && s->edgeCount > 0 ? sqrt(bend / s->edgeCount) : 0;
    return true;
}

/* Bodies without triangles are drawn as their springs. */
static bool build_tubes(vv_render_stage *stage)
{
    for (int b = 0; b < vvRunBodyCount(stage->run); b++) {
        const vvRunBody *body = vvRunGetBody(stage->run, b);
        bool fine = body->edgeCount <= ROUND_TUBES;
        for (int e = 0; body->drawnTriangleCount == 0 && e < body->edgeCount; e++) {
            double p[3], q[3];
            float colour[4];
            for (int k = 0; k < 3; k++) {
                p[k] = stage->positions[3 * body->edges[2 * e] + k] - stage->origin[k];
                q[k] = stage->positions[3 * body->edges[2 * e + 1] + k] - stage->origin[k];
            }
            node_colour(stage, body->edges[2 * e], b, colour);
            vv_geometry_tube(&stage->bodies, p, q, stage->tubeRadius, fine ? 12 : 6, fine, colour);
        }
    }
    return !stage->bodies.failed;
}

static bool build_points(vv_render_stage *stage)
{
    for (int b = 0; b < vvRunBodyCount(stage->run); b++) {
        const vvRunBody *body = vvRunGetBody(stage->run, b);
        int rings = body->pointCount <= ROUND_BALLS ? 12 : body->pointCount <= 10 * ROUND_BALLS ? 8 : 4;
        for (int i = 0; i < body->pointCount; i++) {
            int node = body->firstNode + i;
            double centre[3];
            float colour[4];
            for (int k = 0; k < 3; k++)
                centre[k] = stage->positions[3 * node + k] - stage->origin[k];
            node_colour(stage, node, b, colour);
            vv_geometry_ball(&stage->bodies, centre, stage->radius[node], rings, colour);
        }
    }
    return !stage->bodies.failed;
}

bool vv_stage_set_frame(vv_render_stage *stage, int frame)
{
    if (!read_frame(stage, frame))
        return false;
    measure_box(stage);
    if (stage->colouring != VV_COLOUR_BODY)
        vv_field_compute(stage->run, stage->colouring, stage->reference, stage->positions, stage->velocities,
                         stage->field);
    vv_geometry_clear(&stage->bodies);
    if (build_surface(stage) && build_tubes(stage) && build_points(stage))
        return true;
    vv_cli_wrong("no memory for drawing frame %d", frame);
    return false;
}
