/* Shells as thick as they are: the drawn surface moved by half the thickness to both sides, and a rim along its
 * border, which together are closed. The back is darker, as that of thin sheets is by the shader. A sheet that would
 * be thinner than a pixel stays a surface.
 *
 * A vertex moves along the mean of its patches' normals, so that a sheet does not gape at a crease. */
#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* parts of the body's colour; the shader's own of back sides is 0.8 */
static const float back_shade = 0.8f, rim_shade = 0.9f;

bool vv_shell_is_thick(const vv_render_stage *stage, int body)
{
    const vvRunBody *b = vvRunGetBody(stage->run, body);
    return b->tetCount == 0 && b->drawnTriangleCount > 0 && !b->carries && !b->kinematic && b->drawnThickness > 0 &&
           b->drawnThickness > stage->pixel;
}

typedef struct shells {
    const vv_drawn_surface *s;
    vv_geometry *g;
    bool fine;
    /* of the surface all vertices; of thick shells those, their triangles and pieces of rim */
    int count, vertices, triangles, rims;
    int *number; /* of each vertex of the surface, among those of thick shells; -1: of another body */
    double *way; /* of each vertex of the surface: half the thickness along its mean normal */
} shells;

static bool is_mine(const vv_render_stage *stage, int body)
{
    return !stage->hidden[body] && vv_shell_is_thick(stage, body);
}

static int body_of(const vv_drawn_surface *s, int v)
{
    return s->body[v < s->vertexCount ? v : s->edges[2 * (v - s->vertexCount)]];
}

/* Mean unit normals of nodes, in `mean` (3 a run vertex). */
static void mean_normals(const shells *h, double *mean)
{
    for (int v = 0; v < h->s->vertexCount; v++)
        for (int k = 0; k < 3 && h->number[v] >= 0; k++)
            mean[3 * h->s->node[v] + k] += h->g->vertices[v].normal[k];
    for (int v = 0; v < h->s->vertexCount; v++)
        if (h->number[v] >= 0) {
            double n[3];
            memcpy(n, mean + 3 * h->s->node[v], sizeof n);
            vv_unit3(n);
            memcpy(h->way + 3 * v, n, sizeof n);
        }
}

/* The ways of all vertices; the middle of a crease goes with its ends. */
static void find_ways(const shells *h, const vv_render_stage *stage)
{
    const vv_drawn_surface *s = h->s;
    for (int v = s->vertexCount; v < h->count; v++) {
        const int *ends = s->edges + 2 * (v - s->vertexCount);
        for (int k = 0; k < 3 && h->number[v] >= 0; k++)
            h->way[3 * v + k] = s->curved[v - s->vertexCount]
                                    ? h->g->vertices[v].normal[k]
                                    : 0.5 * (h->way[3 * ends[0] + k] + h->way[3 * ends[1] + k]);
    }
    for (int v = 0; v < h->count; v++) {
        double half = h->number[v] >= 0 ? 0.5 * vvRunGetBody(stage->run, body_of(s, v))->drawnThickness : 0;
        for (int k = 0; k < 3; k++)
            h->way[3 * v + k] *= half;
    }
}

static void move(vv_vertex *to, const vv_vertex *from, const double way[3], double side, float shade)
{
    *to = *from;
    for (int k = 0; k < 3; k++) {
        to->position[k] += (float)(side * way[k]);
        to->normal[k] *= (float)side;
        to->colour[k] *= shade;
    }
}

/* The fronts of all shells, then their backs. */
static void put_sides(const shells *h, int first)
{
    vv_vertex *v = h->g->vertices;
    for (int i = 0; i < h->count; i++) {
        if (h->number[i] < 0)
            continue;
        move(v + first + h->number[i], v + i, h->way + 3 * i, 1, 1);
        move(v + first + h->vertices + h->number[i], v + i, h->way + 3 * i, -1, back_shade);
    }
}

static unsigned *put_triangles(const shells *h, const vv_render_stage *stage, int first, unsigned *out)
{
    const vv_drawn_surface *s = h->s;
    const unsigned *all = h->fine ? s->fine : s->indices;
    int each = h->fine ? 4 : 1;
    for (int b = 0; b < s->bodyCount; b++)
        for (int i = each * s->first[b]; is_mine(stage, b) && i < each * s->first[b + 1]; i += 3) {
            unsigned n[3];
            for (int k = 0; k < 3; k++)
                n[k] = (unsigned)(first + h->number[all[i + k]]);
            const unsigned back = (unsigned)h->vertices,
                           six[6] = { n[0], n[1], n[2], n[0] + back, n[2] + back, n[1] + back };
            memcpy(out, six, sizeof six);
            out += 6;
        }
    return out;
}

/* A piece of rim from a to b, which have the sheet on their left seen from its front. */
static unsigned *put_piece(const shells *h, int a, int b, int at, unsigned *out)
{
    const vv_vertex *v = h->g->vertices, *p = v + a, *q = v + b;
    vv_vertex *to = h->g->vertices + at;
    double along[3], normal[3], away[3];
    for (int k = 0; k < 3; k++) {
        along[k] = (double)q->position[k] - p->position[k];
        normal[k] = h->way[3 * a + k] + h->way[3 * b + k];
    }
    vv_cross3(along, normal, away);
    vv_unit3(away);
    for (int i = 0; i < 4; i++) { /* a's front and back, b's front and back */
        int end = i < 2 ? a : b;
        move(to + i, v + end, h->way + 3 * end, i % 2 ? -1 : 1, rim_shade);
        for (int k = 0; k < 3; k++)
            to[i].normal[k] = (float)away[k];
    }
    const unsigned n = (unsigned)at, six[6] = { n, n + 1, n + 2, n + 2, n + 1, n + 3 };
    memcpy(out, six, sizeof six);
    return out + 6;
}

static void put_rim(const shells *h, const vv_render_stage *stage, int at, unsigned *out)
{
    const vv_drawn_surface *s = h->s;
    for (int i = 0; i < s->rimCount; i++) {
        const vv_rim *r = s->rim + i;
        if (!is_mine(stage, s->body[r->ends[0]]))
            continue;
        int middle = s->vertexCount + r->middle;
        out = put_piece(h, r->ends[0], h->fine ? middle : r->ends[1], at, out);
        at += 4;
        if (h->fine) {
            out = put_piece(h, middle, r->ends[1], at, out);
            at += 4;
        }
    }
}

static void survey(shells *h, const vv_render_stage *stage)
{
    const vv_drawn_surface *s = h->s;
    for (int v = 0; v < h->count; v++)
        h->number[v] = is_mine(stage, body_of(s, v)) ? h->vertices++ : -1;
    for (int b = 0; b < s->bodyCount; b++)
        if (is_mine(stage, b))
            h->triangles += (h->fine ? 4 : 1) * (s->first[b + 1] - s->first[b]) / 3;
    for (int i = 0; i < s->rimCount; i++)
        h->rims += is_mine(stage, s->body[s->rim[i].ends[0]]) ? 1 + h->fine : 0;
}

bool vv_shells_build(vv_render_stage *stage)
{
    const vv_drawn_surface *s = &stage->surface;
    bool any = false;
    for (int b = 0; b < s->bodyCount; b++)
        any = any || is_mine(stage, b);
    if (!any)
        return true;
    shells h = { .s = s, .g = &stage->bodies, .fine = s->fine && !stage->coarse };
    h.count = s->vertexCount + (h.fine ? s->edgeCount : 0);
    h.number = malloc((size_t)h.count * sizeof *h.number);
    h.way = calloc(3 * (size_t)h.count, sizeof *h.way);
    double *mean = calloc(3 * (size_t)vvRunVertexCount(stage->run) + 1, sizeof *mean);
    bool good = h.number && h.way && mean;
    if (good) {
        survey(&h, stage);
        mean_normals(&h, mean);
        find_ways(&h, stage);
    }
    int first = good ? vv_geometry_append(h.g, 2 * h.vertices + 4 * h.rims, 6 * h.triangles + 6 * h.rims) : -1;
    if (first >= 0) {
        unsigned *out = h.g->indices + h.g->indexCount - 6 * (h.triangles + h.rims);
        put_sides(&h, first);
        out = put_triangles(&h, stage, first, out);
        put_rim(&h, stage, first + 2 * h.vertices, out);
    }
    free(h.number);
    free(h.way);
    free(mean);
    return first >= 0;
}
