/* The trees of the broad phase: elements, what each owns, and how they are grouped; made once, from the rest shape. */
#include "contact/broad/patches.h"

#include "base/error.h"
#include "base/geometry/split.h"

#include <limits.h>
#include <math.h>

/* ---- order: medians along the longest side, at multiples of powers of four ------------------------------------- */

static void arrange(vv_split_entry *e, int count)
{
    if (count <= 4)
        return;
    int part = 4;
    while (part < count && part <= INT_MAX / 4 && 4 * part < count)
        part *= 4;
    int half = ((count - 1) / part + 2) / 2 * part; /* half of the two to four parts */
    if (half >= count)
        half = part;
    vv_split_at(e, count, half, vv_split_axis(e, count));
    arrange(e, half);
    arrange(e + half, count - half);
}

/* ---- elements ------------------------------------------------------------------------------------------------- */

/* Edges by their smaller vertex: those of vertex v are list[start[v]] .. list[start[v + 1] - 1]. */
typedef struct edge_index {
    int *start, *list;
} edge_index;

static int smaller(const int edge[2]) { return edge[0] < edge[1] ? edge[0] : edge[1]; }

static bool index_edges(const vv_surface *s, edge_index *index)
{
    size_t vertices = (size_t)s->vertices->count;
    index->start = vv_alloc(vertices + 2, sizeof *index->start);
    index->list = vv_alloc((size_t)s->edge_count, sizeof *index->list);
    if (!index->start || !index->list)
        return false;
    for (int e = 0; e < s->edge_count; e++)
        index->start[smaller(s->edge[e]) + 2]++;
    for (size_t v = 2; v < vertices + 2; v++)
        index->start[v] += index->start[v - 1];
    for (int e = 0; e < s->edge_count; e++)
        index->list[index->start[smaller(s->edge[e]) + 1]++] = e;
    return true;
}

static int find_edge(const vv_surface *s, const edge_index *index, int u, int v)
{
    int low = u < v ? u : v, high = u < v ? v : u;
    for (int k = index->start[low]; k < index->start[low + 1]; k++) {
        int e = index->list[k];
        if (s->edge[e][0] == high || s->edge[e][1] == high)
            return e;
    }
    return -1;
}

typedef struct maker {
    const vv_surface *surface;
    vv_broad *broad;
    edge_index edges;
    unsigned char *vertex_owned, *edge_owned;
    vv_split_entry *entries;
    vv_element *elements; /* of one body */
} maker;

static void own_vertices(maker *m, vv_element *e)
{
    for (int k = 0; k < e->corners; k++)
        if (!m->vertex_owned[e->vertex[k]]) {
            m->vertex_owned[e->vertex[k]] = 1;
            e->owns_vertex |= (unsigned char)(1 << k);
        }
}

static vv_element triangle_element(maker *m, int t)
{
    const int *v = m->surface->triangle[t];
    vv_element e = { { v[0], v[1], v[2] }, { -1, -1, -1 }, t, 3, 0, 0 };
    for (int k = 0; k < 3; k++) {
        e.edge[k] = find_edge(m->surface, &m->edges, v[k], v[(k + 1) % 3]);
        if (e.edge[k] >= 0 && !m->edge_owned[e.edge[k]]) {
            m->edge_owned[e.edge[k]] = 1;
            e.owns_edge |= (unsigned char)(1 << k);
        }
    }
    own_vertices(m, &e);
    return e;
}

/* Triangles first, so that edges left without an owner have no triangle. */
static int body_elements(maker *m, const vv_surface_body *b)
{
    const vv_surface *s = m->surface;
    int count = 0;
    for (int t = b->first_triangle; t < b->first_triangle + b->triangle_count; t++)
        m->elements[count++] = triangle_element(m, t);
    for (int i = b->first_edge; i < b->first_edge + b->edge_count; i++) {
        if (m->edge_owned[i])
            continue;
        int u = s->edge[i][0], v = s->edge[i][1];
        vv_element e = { { u, v, v }, { i, -1, -1 }, i, 2, 0, 1 };
        own_vertices(m, &e);
        m->elements[count++] = e;
    }
    for (int v = b->first_vertex; v < b->first_vertex + b->vertex_count; v++)
        if (!m->vertex_owned[v])
            m->elements[count++] = (vv_element){ { v, v, v }, { -1, -1, -1 }, v, 1, 1, 0 };
    return count;
}

/* Upper bound of the elements: each triangle is one, and each edge and vertex at most one. */
static int body_most(const vv_surface_body *b) { return b->triangle_count + b->edge_count + b->vertex_count; }

static void sort_elements(maker *m, int count)
{
    const double *rest = m->surface->rest;
    for (int i = 0; i < count; i++) {
        m->entries[i].item = i;
        for (int k = 0; k < 3; k++) {
            double low = INFINITY, high = -INFINITY;
            for (int c = 0; c < m->elements[i].corners; c++) {
                double x = rest[3 * (size_t)m->elements[i].vertex[c] + (size_t)k];
                low = fmin(low, x);
                high = fmax(high, x);
            }
            double centre = 0.5 * low + 0.5 * high;
            m->entries[i].centre[k] = isfinite(centre) ? centre : 0;
        }
    }
    arrange(m->entries, count);
}

/* ---- groups --------------------------------------------------------------------------------------------------- */

/* Number of groups on a level of a body: padded to multiples of four, so that the four children of a group exist. */
static int level_groups(int count, int level)
{
    int64_t each = 4;
    for (int l = 0; l < level; l++)
        each *= 4;
    int64_t groups = (count + each - 1) / each;
    return (int)(groups > 1 ? (groups + 3) / 4 * 4 : groups);
}

static int level_count(int count)
{
    int levels = count > 0;
    for (int groups = level_groups(count, 0); groups > 1; levels++)
        groups = level_groups(count, levels);
    return levels;
}

/* Level 0 of all bodies comes first. counts: elements of each body. */
static bool lay_out(vv_broad *b, const int *counts)
{
    int64_t total = 0;
    for (int level = 0; level < VV_BROAD_LEVELS; level++) {
        for (int i = 0; i < b->surface->body_count; i++)
            if (level < b->bodies[i].levels) {
                b->bodies[i].first[level] = (int)total;
                total += level_groups(counts[i], level);
            }
        if (total > INT_MAX / 8)
            return false;
        b->level_end[level] = (int)total;
    }
    b->child = vv_alloc((size_t)total, sizeof *b->child);
    b->owner = vv_alloc((size_t)total, sizeof *b->owner);
    b->boxes[0] = vv_alloc((size_t)total, sizeof *b->boxes[0]);
    b->elements = vv_alloc(4 * (size_t)b->level_end[0], sizeof *b->elements);
    if (!b->child || !b->owner || !b->boxes[0] || !b->elements)
        return false;
    for (int i = 0; i < b->surface->body_count; i++)
        for (int level = 0; level < b->bodies[i].levels; level++)
            for (int g = 0; g < level_groups(counts[i], level); g++) {
                int below = level ? level_groups(counts[i], level - 1) : 0;
                b->owner[b->bodies[i].first[level] + g] = i;
                if (level)
                    b->child[b->bodies[i].first[level] + g] =
                        4 * g < below ? b->bodies[i].first[level - 1] + 4 * g : -1;
            }
    return true;
}

static double mean_edge(const vv_surface *s, const vv_surface_body *b)
{
    double sum = 0;
    for (int e = b->first_edge; e < b->first_edge + b->edge_count; e++) {
        double d2 = 0;
        for (int k = 0; k < 3; k++) {
            double d = s->rest[3 * (size_t)s->edge[e][0] + (size_t)k] - s->rest[3 * (size_t)s->edge[e][1] + (size_t)k];
            d2 += d * d;
        }
        sum += sqrt(d2);
    }
    return b->edge_count ? sum / b->edge_count : 0;
}

static bool make_trees(maker *m)
{
    vv_broad *b = m->broad;
    const vv_surface *s = m->surface;
    int most = 0;
    for (int i = 0; i < s->body_count; i++)
        most = body_most(&s->bodies[i]) > most ? body_most(&s->bodies[i]) : most;
    m->vertex_owned = vv_alloc((size_t)s->vertices->count, 1);
    m->edge_owned = vv_alloc((size_t)s->edge_count, 1);
    m->entries = vv_alloc((size_t)most, sizeof *m->entries);
    m->elements = vv_alloc((size_t)most, sizeof *m->elements);
    int *counts = vv_alloc((size_t)s->body_count, sizeof *counts);
    bool made = m->vertex_owned && m->edge_owned && m->entries && m->elements && counts && index_edges(s, &m->edges);
    for (int i = 0; made && i < s->body_count; i++) { /* only to count: what is owned is found again below */
        counts[i] = body_elements(m, &s->bodies[i]);
        b->bodies[i].levels = level_count(counts[i]);
    }
    made = made && lay_out(b, counts);
    for (int i = 0; made && i < s->vertices->count; i++)
        m->vertex_owned[i] = 0;
    for (int i = 0; made && i < s->edge_count; i++)
        m->edge_owned[i] = 0;
    for (int i = 0; made && i < s->body_count; i++) {
        int count = body_elements(m, &s->bodies[i]);
        sort_elements(m, count);
        for (int k = 0; k < count; k++)
            b->elements[4 * (size_t)b->bodies[i].first[0] + (size_t)k] = m->elements[m->entries[k].item];
    }
    vv_free(counts);
    return made;
}

static bool make_runs(vv_broad *b)
{
    const vv_surface *s = b->surface;
    for (int pass = 0; pass < 2; pass++) {
        int count = 0;
        for (int i = 0; i < s->body_count; i++)
            for (int v = 0; v < s->bodies[i].vertex_count; v += VV_CHUNK / 4, count++)
                if (pass) {
                    int first = s->bodies[i].first_vertex, count_all = s->bodies[i].vertex_count;
                    int end = v + VV_CHUNK / 4 < count_all ? v + VV_CHUNK / 4 : count_all;
                    b->runs[count] = (vv_broad_run){ .body = i, .begin = first + v, .end = first + end };
                }
        b->run_count = count;
        if (!pass && !(b->runs = vv_alloc((size_t)count, sizeof *b->runs)))
            return false;
    }
    return true;
}

static bool make(vv_broad *b)
{
    const vv_surface *s = b->surface;
    size_t vertices = (size_t)s->vertices->count, bodies = (size_t)s->body_count;
    b->bodies = vv_alloc(bodies, sizeof *b->bodies);
    b->x = vv_alloc(3 * vertices, sizeof *b->x);
    b->motion = vv_alloc(3 * vertices, sizeof *b->motion);
    b->vertex_boxes[0] = vv_alloc(vertices, sizeof *b->vertex_boxes[0]);
    b->order = vv_alloc(bodies, sizeof *b->order);
    b->hull = vv_alloc(bodies, sizeof *b->hull);
    if (!b->bodies || !b->x || !b->motion || !b->vertex_boxes[0] || !b->order || !b->hull || !make_runs(b))
        return false;
    maker m = { .surface = s, .broad = b };
    bool made = make_trees(&m);
    vv_free(m.vertex_owned);
    vv_free(m.edge_owned);
    vv_free(m.entries);
    vv_free(m.elements);
    vv_free(m.edges.start);
    vv_free(m.edges.list);
    return made;
}

vvStatus vv_broad_create(const vv_surface *surface, double activation, vv_broad **out, vvError *error)
{
    vv_broad *b = vv_alloc(1, sizeof *b);
    if (!b)
        return vv_fail_memory(error, "the surfaces' boxes");
    b->surface = surface;
    b->activation = activation;
    if (!make(b)) {
        vv_broad_free(b);
        return vv_fail_memory(error, "the surfaces' boxes");
    }
    for (int i = 0; i < surface->body_count; i++) {
        double edge = mean_edge(surface, &surface->bodies[i]);
        b->bodies[i].cap = isfinite(edge) && edge > 0 ? 0.125 * edge : activation;
        b->bodies[i].wide = 0.5 * activation;
    }
    *out = b;
    return VV_OK;
}

void vv_broad_free(vv_broad *b)
{
    if (!b)
        return;
    vv_patches_free(b);
    vv_free(b->elements);
    vv_free(b->child);
    vv_free(b->owner);
    vv_free(b->bodies);
    vv_free(b->runs);
    vv_free(b->x);
    vv_free(b->motion);
    for (int set = 0; set < 2; set++) {
        vv_free(b->vertex_boxes[set]);
        vv_free(b->boxes[set]);
    }
    vv_free(b->order);
    vv_free(b->hull);
    vv_free(b->tasks);
    vv_free(b->stack);
    vv_free(b->found);
    vv_free(b->blocks);
    vv_free(b);
}
