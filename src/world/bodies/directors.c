/* Directors: where they stand at rest, and their mass (theory §4.11).
 *
 * With triangles, a director stands over its edge along the mean of the adjoining triangles' unit normals. Along
 * bodies of edges only, the direction is carried from edge to edge by parallel transport (Bergou et al. 2008, section
 * 4.2.2), so that a chain starts without twist. */
#include "world/bodies/directors.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

bool vv_body_wants_directors(const vv_body *b)
{
    bool wants = false;
    for (int m = 0; m < b->material_count; m++)
        wants = wants || b->materials[m].kind->directors;
    return wants;
}

/* ---- directions ---- */

/* Below this a vector's direction counts as rounding; of unit vectors. */
static const double SMALL = 1e-6;

static bool unit(const double *a, const double *b, double e[3])
{
    vv_sub(b, a, e);
    double length = vv_norm(e);
    for (int k = 0; k < 3; k++)
        e[k] = length > 0 ? e[k] / length : k == 0;
    return length > 0;
}

/* Makes u perpendicular to the unit vector e, and a unit vector; false: it has no such direction, and is as it was. */
static bool straighten(const double e[3], double u[3])
{
    double along = vv_dot(e, u), p[3] = { u[0] - along * e[0], u[1] - along * e[1], u[2] - along * e[2] },
           length = vv_norm(p);
    if (!(length > SMALL))
        return false;
    for (int k = 0; k < 3; k++)
        u[k] = p[k] / length;
    along = vv_dot(e, u); /* again, as rounding has been divided by `length` */
    for (int k = 0; k < 3; k++)
        u[k] -= along * e[k];
    return true;
}

/* Any unit vector perpendicular to e: towards the axis that is the least along it. */
static void any(const double e[3], double u[3])
{
    int least = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(e[k]) < fabs(e[least]) - SMALL)
            least = k;
    u[0] = u[1] = u[2] = 0;
    u[least] = 1;
    straighten(e, u);
}

/* Adds the normal of a triangle's edge (from, to). `sense`: which way its first triangle runs along it, 0: there has
 * been none. The side that this one's normal shows counts: a triangle that runs the same way is turned over. */
static void add_normal(const vv_body *b, const double n[3], int from, int to, double *u, double *last,
                       signed char *sense)
{
    size_t edge = (size_t)vv_body_find_edge(b, from, to);
    signed char way = from < to ? 1 : -1;
    double sign = sense[edge] == way ? -1 : 1;
    if (sense[edge] == 0)
        sense[edge] = way;
    for (size_t c = 0; c < 3; c++) {
        last[3 * edge + c] = sign * n[c];
        u[3 * edge + c] += last[3 * edge + c];
    }
}

/* u: 3 numbers an edge. Where the normals of an edge's triangles cancel out, as in a fold onto itself, the last
 * triangle's stands in. */
static void along_normals(const vv_body *b, const double *x, double *u, double *last, signed char *sense)
{
    memset(u, 0, 3 * (size_t)b->edge_count * sizeof *u);
    memset(last, 0, 3 * (size_t)b->edge_count * sizeof *last);
    memset(sense, 0, (size_t)b->edge_count);
    for (int t = 0; t < b->triangle_count; t++) {
        const int *v = b->triangles + 3 * (size_t)t;
        double p[3], q[3], n[3];
        if (!unit(x + 3 * (size_t)v[0], x + 3 * (size_t)v[1], p) ||
            !unit(x + 3 * (size_t)v[0], x + 3 * (size_t)v[2], q))
            continue;
        vv_cross(p, q, n);
        double length = vv_norm(n);
        if (!(length > 0))
            continue;
        for (int k = 0; k < 3; k++)
            n[k] /= length;
        for (int k = 0; k < 3; k++)
            add_normal(b, n, v[k], v[(k + 1) % 3], u, last, sense);
    }
    for (int i = 0; i < b->edge_count; i++) {
        double e[3], *to = u + 3 * (size_t)i;
        unit(x + 3 * (size_t)b->edges[2 * (size_t)i], x + 3 * (size_t)b->edges[2 * (size_t)i + 1], e);
        if (straighten(e, to))
            continue;
        memcpy(to, last + 3 * (size_t)i, 3 * sizeof *to);
        if (!straighten(e, to))
            any(e, to);
    }
}

/* ---- parallel transport ---- */

typedef struct chain {
    const vv_body *body;
    const double *x;
    double *u;           /* 3 an edge */
    int *start, *around; /* edges around each vertex: around[start[v]] .. around[start[v + 1] - 1] */
    int *queue;          /* edges that have their direction */
    unsigned char *done; /* per edge */
} chain;

/* The edge's unit vector, away from vertex v. */
static void away(const chain *c, int edge, int v, double e[3])
{
    const int *ends = c->body->edges + 2 * (size_t)edge;
    unit(c->x + 3 * (size_t)v, c->x + 3 * (size_t)(ends[0] == v ? ends[1] : ends[0]), e);
}

/* From one edge at vertex v to another: the least rotation that takes the one's direction, towards v, to the other's,
 * away from it. */
static void transport(const chain *c, int from, int to, int v)
{
    double s[3], t[3], turn[3], *u = c->u + 3 * (size_t)to;
    const double *old = c->u + 3 * (size_t)from;
    away(c, from, v, s);
    away(c, to, v, t);
    for (int k = 0; k < 3; k++)
        s[k] = -s[k];
    vv_cross(s, t, turn);
    double cosine = vv_dot(s, t), along = vv_dot(turn, old), r[3];
    vv_cross(turn, old, r);
    for (int k = 0; k < 3; k++) /* Rodrigues' formula; an edge that turns back keeps the direction */
        u[k] = cosine > -1 + SMALL ? cosine * old[k] + r[k] + turn[k] * along / (1 + cosine) : old[k];
    if (!straighten(t, u))
        any(t, u);
}

static void spread(chain *c, int first)
{
    int head = 0, tail = 0;
    double e[3];
    away(c, first, c->body->edges[2 * (size_t)first], e);
    any(e, c->u + 3 * (size_t)first);
    c->done[first] = 1;
    c->queue[tail++] = first;
    for (; head < tail; head++)
        for (int end = 0; end < 2; end++) {
            int edge = c->queue[head], v = c->body->edges[2 * (size_t)edge + (size_t)end], own = v - c->body->first;
            for (int i = c->start[own]; i < c->start[own + 1]; i++) {
                if (c->done[c->around[i]])
                    continue;
                transport(c, edge, c->around[i], v);
                c->done[c->around[i]] = 1;
                c->queue[tail++] = c->around[i];
            }
        }
}

static void gather_around(chain *c)
{
    const vv_body *b = c->body;
    for (int i = 0; i < 2 * b->edge_count; i++)
        c->start[b->edges[i] - b->first + 1]++;
    for (int v = 0; v < b->vertex_count; v++)
        c->start[v + 1] += c->start[v];
    /* from the end, each list is filled from its end and so ascends */
    for (int i = 2 * b->edge_count - 1; i >= 0; i--) {
        int own = b->edges[i] - b->first;
        c->around[--c->start[own + 1]] = i / 2;
    }
    for (int v = 0; v < b->vertex_count; v++) /* now start[v + 1] is where v's begins */
        c->start[v] = c->start[v + 1];
    c->start[b->vertex_count] = 2 * b->edge_count;
}

static bool along_chains(const vv_body *b, const double *x, double *u)
{
    size_t edges = (size_t)b->edge_count;
    chain c = { b,
                x,
                u,
                vv_alloc((size_t)b->vertex_count + 1, sizeof *c.start),
                vv_alloc(2 * edges, sizeof *c.around),
                vv_alloc(edges, sizeof *c.queue),
                vv_alloc(edges, 1) };
    bool room = c.start && c.around && c.queue && c.done;
    if (room)
        gather_around(&c);
    for (int e = 0; room && e < b->edge_count; e++)
        if (!c.done[e])
            spread(&c, e);
    vv_free(c.start);
    vv_free(c.around);
    vv_free(c.queue);
    vv_free(c.done);
    return room;
}

vvStatus vv_directors_place(const vv_body *b, const double *rest, double *x, vvError *error)
{
    size_t edges = (size_t)b->edge_count;
    double *u = vv_alloc(6 * edges, sizeof *u);
    signed char *sense = vv_alloc(edges, 1);
    bool room = u && sense;
    if (room && b->triangle_count)
        along_normals(b, x, u, u + 3 * edges, sense);
    else if (room)
        room = along_chains(b, x, u);
    for (size_t e = 0; room && e < edges; e++) {
        const double *p = x + 3 * (size_t)b->edges[2 * e], *q = x + 3 * (size_t)b->edges[2 * e + 1];
        double *to = x + 3 * ((size_t)b->first + (size_t)b->vertex_count + e),
               d = vv_edge_length(rest, b->edges[2 * e], b->edges[2 * e + 1]);
        for (int k = 0; k < 3; k++)
            to[k] = 0.5 * (p[k] + q[k]) + d * u[3 * e + (size_t)k];
    }
    vv_free(u);
    vv_free(sense);
    return room ? VV_OK : vv_fail_memory(error, "a body's directors");
}

static const double CLOSE = 1e-3; /* of the distance */

void vv_directors_draw_in(const vv_body *b, double *x)
{
    for (int e = 0; e < vv_body_directors(b); e++) {
        const double *p = x + 3 * (size_t)b->edges[2 * (size_t)e], *q = x + 3 * (size_t)b->edges[2 * (size_t)e + 1];
        double *g = x + 3 * (size_t)(b->first + b->vertex_count + e);
        for (int k = 0; k < 3; k++)
            g[k] = 0.5 * (p[k] + q[k]) + CLOSE * (g[k] - 0.5 * (p[k] + q[k]));
    }
}

void vv_directors_draw_out(const vv_body *b, const double *rest, double *x)
{
    for (int e = 0; e < vv_body_directors(b); e++) {
        const int *ends = b->edges + 2 * (size_t)e;
        const double *p = x + 3 * (size_t)ends[0], *q = x + 3 * (size_t)ends[1],
                     d = vv_edge_length(rest, ends[0], ends[1]);
        double *g = x + 3 * (size_t)(b->first + b->vertex_count + e), along[3], u[3];
        unit(p, q, along);
        for (int k = 0; k < 3; k++)
            u[k] = (g[k] - 0.5 * (p[k] + q[k])) / (CLOSE * d);
        if (!straighten(along, u))
            any(along, u);
        for (int k = 0; k < 3; k++)
            g[k] = 0.5 * (p[k] + q[k]) + d * u[k];
    }
}

/* ---- mass ---- */

static double thickness_of(const vv_body *b)
{
    double t = 0;
    for (int m = 0; m < b->material_count; m++)
        if (b->materials[m].kind->directors && t == 0)
            t = b->materials[m].def.thickness > 0 ? b->materials[m].def.thickness : b->thickness;
    return t;
}

/* The rotary inertia of what each edge carries of the body (a third of its triangles, or its length), over the
 * density that vv_directors_set_mass is given; t: of the body. */
static void measure_edges(const vv_body *b, const double *rest, double t, double *own)
{
    const double *each = b->triangle_thickness;
    memset(own, 0, (size_t)b->edge_count * sizeof *own);
    for (int i = 0; i < b->triangle_count; i++) {
        const int *v = b->triangles + 3 * (size_t)i;
        double thick = each ? each[i] : t, inertia = vv_triangle_area(rest, v) / 3 * thick * thick / 12;
        if (each && b->materials[0].kind->thick) /* the density is by volume then */
            inertia *= thick;
        for (int k = 0; k < 3; k++)
            own[vv_body_find_edge(b, v[k], v[(k + 1) % 3])] += inertia;
    }
    for (int e = 0; b->triangle_count == 0 && e < b->edge_count; e++)
        own[e] = vv_edge_length(rest, b->edges[2 * (size_t)e], b->edges[2 * (size_t)e + 1]) * t * t / 8;
}

static vvStatus without_mass(const vv_body *b, int e, vvError *error)
{
    const int *v = b->edges + 2 * (size_t)e;
    return vv_fail(error, VV_ERROR_INPUT,
                   "body \"%s\": edge (%d, %d) %s, so it has no inertia about its own axis, as its material needs; "
                   "leave it out of the mesh, or run the mesh through vvMeshFinish",
                   b->name, v[0] - b->first, v[1] - b->first,
                   b->triangle_count ? "belongs to no triangle that has an area" : "has both ends in one place");
}

static vvStatus too_thick(const vv_body *b, int vertex, double t, vvError *error)
{
    return vv_fail(
        error, VV_ERROR_INPUT,
        "body \"%s\": around vertex %d the mesh is too fine for the thickness %g m: the rotary inertia of its "
        "edges, at their ends, would be more than half of its mass; edges should be longer than the %s is thick",
        b->name, vertex, t, b->triangle_count ? "shell" : "rod");
}

vvStatus vv_directors_set_mass(const vv_body *b, const double *rest, double density, double *mass, vvError *error)
{
    double t = thickness_of(b);
    double *own = vv_alloc((size_t)b->edge_count, sizeof *own),
           *taken = vv_alloc((size_t)b->vertex_count, sizeof *taken);
    vvStatus status = own && taken ? VV_OK : vv_fail_memory(error, "a body's directors");
    if (status == VV_OK)
        measure_edges(b, rest, t, own);
    for (int e = 0; status == VV_OK && e < b->edge_count; e++) {
        const int *v = b->edges + 2 * (size_t)e;
        double d = vv_edge_length(rest, v[0], v[1]), m = density * own[e] / (d * d);
        if (!(m > 0 && isfinite(m)))
            status = without_mass(b, e, error);
        mass[b->first + b->vertex_count + e] = m;
        for (int k = 0; k < 2; k++)
            taken[v[k] - b->first] += m / 2;
    }
    for (int i = 0; status == VV_OK && i < b->vertex_count; i++) {
        if (taken[i] > 0.5 * mass[b->first + i])
            status = too_thick(b, i, t, error);
        mass[b->first + i] -= taken[i];
    }
    vv_free(own);
    vv_free(taken);
    return status;
}

int vv_directors_between(const vv_body *b, int *nodes, int count)
{
    int all = count;
    for (int e = 0; e < b->edge_count && vv_body_directors(b) > 0; e++) {
        bool both = true;
        for (int k = 0; k < 2 && both; k++) {
            int low = 0, high = count, v = b->edges[2 * (size_t)e + (size_t)k];
            while (high - low > 1) {
                int middle = low + (high - low) / 2;
                if (nodes[middle] <= v)
                    low = middle;
                else
                    high = middle;
            }
            both = count > 0 && nodes[low] == v;
        }
        if (both)
            nodes[all++] = b->first + b->vertex_count + e;
    }
    return all;
}
