/* One frame of a run as geometry: surfaces with smooth normals and rounded outlines, springs as tubes, free points as
 * balls; and which bodies are left out of it. */
#include "cli.h"
#include "render/limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND_TUBES = 3000, ROUND_BALLS = 1000, MANY_PINS = 200 };
static const double farthest = 1e12; /* m */
static const double pin_size = 0.1;  /* radius of pins, in sides of the body's triangles */

static void obstacle_colour(float colour[4])
{
    vv_linear_colour(0xa9b4bb, colour);
    colour[3] = 0.35f;
}

/* What has no shape of its own to be drawn by. */
static void add_surface(vv_render_stage *stage, int obstacle, const float colour[4])
{
    vvMesh mesh;
    if (vvRunObstacleMesh(stage->run, obstacle, 1, &mesh, NULL) != VV_OK) {
        stage->obstacles.failed = true;
        return;
    }
    vv_geometry_mesh(&stage->obstacles, &mesh, stage->origin, colour);
    vvMeshDestroy(&mesh);
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
        if (vvRunObstacleSamples(stage->run, i, NULL))
            add_surface(stage, i, colour);
        else if (strcmp(type, "plane") != 0 &&
                 !vv_geometry_obstacle(&stage->obstacles, type, values, stage->origin, colour))
            add_surface(stage, i, colour);
    }
}

/* ---- what is left out ---- */

static void note(vv_absent_log *log, double time, vv_absence why, double figure, int points, bool drawn)
{
    if (log->frames++ == 0) {
        log->first = time;
        log->why = why;
    }
    log->last = time;
    log->figure = fmax(log->figure, figure);
    log->points = points > log->points ? points : log->points;
    log->drawn = drawn;
}

static int count_lost(const vv_render_stage *stage, const vvRunBody *body)
{
    int lost = 0;
    for (int i = 0; i < body->pointCount; i++)
        lost += !vv_limits_reach(stage->limits, stage->positions + 3 * (body->firstNode + i), stage->middle);
    return lost;
}

/* How far away, or how large, m. */
static double absence_figure(const vv_render_stage *stage, int b)
{
    const vv_body_box *box = &stage->boxes[b];
    double square = 0;
    if (stage->absent[b] == VV_BURST)
        return vv_box_size(box);
    for (int k = 0; k < 3; k++) {
        double d = 0.5 * box->low[k] + 0.5 * box->high[k] - stage->middle[k];
        square += d * d;
    }
    return stage->absent[b] == VV_AWAY ? sqrt(square) : 0;
}

/* Hides the bodies that are left out, if then anything that moves is left to see. */
static void judge(vv_render_stage *stage, double time)
{
    bool any = false;
    int bodies = vvRunBodyCount(stage->run);
    vv_bodies_measure(stage, stage->positions, stage->boxes);
    memset(stage->hidden, 0, (size_t)bodies * sizeof *stage->hidden);
    memset(stage->absent, 0, (size_t)bodies * sizeof *stage->absent);
    if (!stage->limits)
        return;
    vv_limits_middle(stage->limits, stage, stage->boxes, stage->middle);
    for (int b = 0; b < bodies; b++) {
        const vvRunBody *body = vvRunGetBody(stage->run, b);
        stage->absent[b] = vv_limits_judge(stage->limits, stage, &stage->boxes[b], b, stage->middle);
        any = any || (stage->absent[b] == VV_PRESENT && !body->kinematic &&
                      (body->pointCount == 0 || count_lost(stage, body) < body->pointCount));
    }
    for (int b = 0; b < bodies; b++) {
        const vvRunBody *body = vvRunGetBody(stage->run, b);
        int lost = stage->absent[b] == VV_PRESENT ? count_lost(stage, body) : 0;
        stage->hidden[b] = (stage->absent[b] != VV_PRESENT && any) || (stage->withoutObstacles && body->kinematic);
        if (stage->absent[b] != VV_PRESENT || lost > 0)
            note(&stage->log[b], time, lost > 0 ? VV_AWAY : stage->absent[b], absence_figure(stage, b), lost, !any);
    }
}

void vv_stage_report_absent(const vv_render_stage *stage)
{
    enum { MOST = 8 };
    int said = 0, more = 0;
    for (int b = 0; b < vvRunBodyCount(stage->run); b++) {
        const vv_absent_log *log = &stage->log[b];
        char when[96], points[32] = "", why[96];
        if (log->frames == 0)
            continue;
        if (said++ >= MOST) {
            more++;
            continue;
        }
        if (log->frames == 1)
            snprintf(when, sizeof when, "at t = %.4g s", log->first);
        else
            snprintf(when, sizeof when, "in %d pictures from t = %.4g s to %.4g s", log->frames, log->first, log->last);
        if (log->points > 0)
            snprintf(points, sizeof points, "%d points of ", log->points);
        if (log->why == VV_AWAY && log->figure > 0)
            snprintf(why, sizeof why, "as far away as %.3g m", log->figure);
        else if (log->why == VV_AWAY)
            snprintf(why, sizeof why, "too far away");
        else if (log->why == VV_BURST)
            snprintf(why, sizeof why, "burst, up to %.3g m across", log->figure);
        else
            snprintf(why, sizeof why, "not all coordinates are numbers");
        fprintf(stderr, "visviva: %sbody \"%s\" %s %s: %s\n", points, vvRunGetBody(stage->run, b)->name,
                log->drawn ? "may reach out of the picture" : "left out", when, why);
    }
    if (more > 0)
        fprintf(stderr, "visviva: and %d more bodies\n", more);
}

/* ---- the box ---- */

static void grow_box(const vv_render_stage *stage, int i, double low[3], double high[3])
{
    const double *x = stage->positions + 3 * i;
    for (int k = 0; k < 3; k++)
        if (isfinite(x[k])) {
            low[k] = fmin(low[k], x[k] - stage->radius[i]);
            high[k] = fmax(high[k], x[k] + stage->radius[i]);
        }
}

static bool is_lost(const vv_render_stage *stage, int node)
{
    return stage->limits && !vv_limits_reach(stage->limits, stage->positions + 3 * node, stage->middle);
}

static void grow_body_box(const vv_render_stage *stage, int b, double low[3], double high[3])
{
    const vvRunBody *body = vvRunGetBody(stage->run, b);
    for (int i = 0; !body->affine && i < body->nodeCount; i++)
        if (body->pointCount == 0 || !is_lost(stage, body->firstNode + i))
            grow_box(stage, body->firstNode + i, low, high);
    for (int i = 0; body->carries && i < body->vertexCount; i++)
        grow_box(stage, body->firstVertex + i, low, high);
}

/* The boxes of all that is drawn, and of what the camera must see. Nodes that are not numbers are drawn in the middle
 * of the rest: a picture of a broken run is still a picture. */
static void measure_box(vv_render_stage *stage)
{
    double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
    memcpy(stage->low, low, sizeof low);
    memcpy(stage->high, high, sizeof high);
    for (int b = 0; b < vvRunBodyCount(stage->run); b++) {
        const vvRunBody *body = vvRunGetBody(stage->run, b);
        if (stage->hidden[b] || body->nodeCount == 0)
            continue;
        grow_body_box(stage, b, stage->low, stage->high);
        if (stage->framed[body->firstNode] && stage->absent[b] == VV_PRESENT)
            grow_body_box(stage, b, low, high);
    }
    stage->anything =
        stage->low[0] <= stage->high[0] && stage->low[1] <= stage->high[1] && stage->low[2] <= stage->high[2];
    for (int k = 0; k < 3; k++) {
        if (!(stage->low[k] <= stage->high[k]))
            stage->low[k] = stage->high[k] = 0;
        stage->centre[k] = low[k] <= high[k] ? (low[k] + high[k]) / 2 : stage->low[k] / 2 + stage->high[k] / 2;
    }
    for (int i = 0; i < 3 * vvRunVertexCount(stage->run); i++)
        if (!isfinite(stage->positions[i]))
            stage->positions[i] = stage->centre[i % 3];
}

/* ---- geometry ---- */

/* Relative to the origin; far beyond any picture a float still has to hold it, and its square. */
static void place(const vv_render_stage *stage, int vertex, float out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = (float)fmin(fmax(stage->positions[3 * vertex + k] - stage->origin[k], -farthest), farthest);
}

/* Obstacles with a mesh look like the others, whatever the bodies are coloured by. */
static void node_colour(const vv_render_stage *stage, int node, int body, float colour[4])
{
    const vvRunBody *of = vvRunGetBody(stage->run, body);
    if (of->kinematic)
        obstacle_colour(colour);
    else if (stage->colouring == VV_COLOUR_BODY)
        vv_palette_body(body, of->colour, colour);
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
 * the two tangent planes lies twice too far out (exactly so on a sphere), so it moves by half of that distance. Returns
 * its square. */
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
static void copy_indices(vv_geometry *g, const vv_render_stage *stage, const unsigned *from, int each,
                         vv_indices *solids, vv_indices *thins)
{
    const vv_drawn_surface *s = &stage->surface;
    int at = solids->first;
    for (int round = 0; round < 2; round++) {
        vv_indices *part = round == 0 ? solids : thins;
        part->first = at;
        for (int b = 0; b < s->bodyCount; b++) {
            int count = each * (s->first[b + 1] - s->first[b]);
            if (stage->solid[b] != (round == 0) || count == 0 || stage->hidden[b] || vv_shell_is_thick(stage, b))
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
        place(stage, s->node[i], v[i].position);
        memset(v[i].normal, 0, sizeof v[i].normal);
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
    memset(g->indices, 0, (size_t)g->indexCount * sizeof *g->indices); /* what is hidden leaves room */
    place_vertices(stage, v);
    for (int b = 0; b < s->bodyCount; b++)
        stage->solid[b] = is_solid(s, v, b);
    copy_indices(g, stage, s->indices, 1, &g->solid[1], &g->thin[1]);
    g->solid[0] = g->solid[1];
    g->thin[0] = g->thin[1];
    if (fine) {
        g->solid[0].first = s->indexCount;
        copy_indices(g, stage, s->fine, 4, &g->solid[0], &g->thin[0]);
    }
    g->rest = g->indexCount;
    for (int e = 0; fine && e < s->edgeCount; e++)
        if (!stage->hidden[s->body[s->edges[2 * e]]])
            bend += curve_middle(&v[s->edges[2 * e]], &v[s->edges[2 * e + 1]], s->curved[e], &v[s->vertexCount + e]);
    stage->bend = fine && s->edgeCount > 0 ? sqrt(bend / s->edgeCount) : 0;
    return true;
}

/* A rod as thick as it is, if that is known, and at least a pixel. */
static double tube_radius(const vv_render_stage *stage, const vvRunBody *body)
{
    return fmax(body->drawnThickness > 0 ? 0.5 * body->drawnThickness : stage->tubeRadius, 0.5 * stage->pixel);
}

/* Bodies without triangles are drawn as their springs. */
static bool build_tubes(vv_render_stage *stage)
{
    for (int b = 0; b < vvRunBodyCount(stage->run); b++) {
        const vvRunBody *body = vvRunGetBody(stage->run, b);
        bool fine = body->edgeCount <= ROUND_TUBES;
        for (int e = 0; body->drawnTriangleCount == 0 && !stage->hidden[b] && e < body->edgeCount; e++) {
            double p[3], q[3];
            float colour[4], ends[2][3];
            place(stage, body->edges[2 * e], ends[0]);
            place(stage, body->edges[2 * e + 1], ends[1]);
            for (int k = 0; k < 3; k++) {
                p[k] = ends[0][k];
                q[k] = ends[1][k];
            }
            node_colour(stage, body->edges[2 * e], b, colour);
            vv_geometry_tube(&stage->bodies, p, q, tube_radius(stage, body), fine ? 12 : 6, fine, colour);
        }
    }
    return !stage->bodies.failed;
}

/* In proportion to the mean side of the body's triangles, or to its springs. */
static double pin_radius(const vv_render_stage *stage, const vvRunBody *body)
{
    int count = body->triangleCount > 0 ? 3 * body->triangleCount : body->edgeCount;
    double sum = 0;
    for (int i = 0; i < count; i++) {
        bool surface = body->triangleCount > 0;
        int p = surface ? body->triangles[i] : body->edges[2 * i];
        int q = surface ? body->triangles[i % 3 == 2 ? i - 2 : i + 1] : body->edges[2 * i + 1];
        double d[3];
        for (int k = 0; k < 3; k++)
            d[k] = stage->reference[3 * p + k] - stage->reference[3 * q + k];
        sum += sqrt(vv_dot3(d, d));
    }
    return count > 0 ? pin_size * sum / count : 0;
}

/* What is held, as dark pins. */
static bool build_pins(vv_render_stage *stage)
{
    float dark[4];
    vv_linear_colour(0x40464c, dark);
    for (int b = 0; b < vvRunBodyCount(stage->run); b++) {
        const vvRunBody *body = vvRunGetBody(stage->run, b);
        /* an affine body's nodes are not to be seen */
        double radius = stage->hidden[b] || body->affine ? 0 : pin_radius(stage, body);
        if (radius > 0 && body->drawnTriangleCount == 0)
            radius = fmax(radius, 1.4 * tube_radius(stage, body));
        int count = 0;
        for (int i = body->firstNode; i < body->firstNode + body->nodeCount; i++)
            count += stage->held[i];
        for (int i = body->firstNode; radius > 0 && i < body->firstNode + body->nodeCount; i++) {
            float at[3];
            if (!stage->held[i])
                continue;
            place(stage, i, at);
            vv_geometry_ball(&stage->bodies, (const double[3]){ at[0], at[1], at[2] }, radius,
                             count > MANY_PINS ? 4 : 6, dark);
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
            float colour[4], at[3];
            if (stage->hidden[b] || is_lost(stage, node))
                continue;
            place(stage, node, at);
            for (int k = 0; k < 3; k++)
                centre[k] = at[k];
            node_colour(stage, node, b, colour);
            vv_geometry_ball(&stage->bodies, centre, stage->radius[node], rings, colour);
        }
    }
    return !stage->bodies.failed;
}

static bool build(vv_render_stage *stage, double time)
{
    judge(stage, time);
    measure_box(stage);
    if (stage->limits && stage->limits->follow) /* floats count from there */
        vv_stage_set_origin(stage, stage->centre);
    if (stage->colouring != VV_COLOUR_BODY && !vv_stage_field(stage))
        return false;
    vv_geometry_clear(&stage->bodies);
    if (build_surface(stage) && vv_shells_build(stage) && build_tubes(stage) && build_pins(stage) &&
        build_points(stage))
        return true;
    vv_cli_wrong("no memory for drawing what there is at %g s", time);
    return false;
}

bool vv_stage_set_frame(vv_render_stage *stage, int frame)
{
    stage->frame = frame;
    return vv_stage_read(stage, frame, stage->positions, stage->velocities) &&
           build(stage, vvRunFrameTime(stage->run, frame));
}

bool vv_stage_show(vv_render_stage *stage, const double *positions, const double *velocities, double time)
{
    const size_t bytes = 3 * (size_t)vvRunVertexCount(stage->run) * sizeof(double);
    memcpy(stage->positions, positions, bytes);
    if (velocities)
        memcpy(stage->velocities, velocities, bytes);
    else
        memset(stage->velocities, 0, bytes);
    return build(stage, time);
}
