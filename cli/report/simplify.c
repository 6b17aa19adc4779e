/* A simpler surface of some of its own vertices: edges are collapsed on to one of their ends, the one first that moves
 * the surface least by the quadrics of Garland and Heckbert (1997). What stands for a vertex that goes is the one that
 * it was collapsed on to, wherever that moves. */
#include "cli.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double rim_weight = 10;  /* of planes that stand on an open rim: it keeps its line */
static const double least_turn = 0.2; /* cosine: triangles may not turn by more in one collapse */

typedef struct quadric {
    double a[6], b[3], c; /* x A x + 2 b x + c; A as xx xy xz yy yz zz */
} quadric;

/* Vertex `from` may go on to `to`; valid while neither has changed since. */
typedef struct collapse {
    double cost;
    int from, to, stamp[2];
} collapse;

typedef struct mesher {
    const double *x; /* of the run's vertices */
    int *corners;    /* 3 a triangle: numbers of the body's vertices */
    int triangleCount, vertexCount;
    const int *vertices; /* the run's, of each */
    int *head, *next;    /* each vertex's corners, as a list */
    bool *gone;          /* a triangle */
    int *onto;           /* a vertex: what it was collapsed on to; itself */
    int *stamp;
    int *mark; /* a vertex: the last search that met it */
    int marked;
    bool *rim;
    quadric *q;
    collapse *heap;
    int heapCount, heapRoom;
} mesher;

static const double *at(const mesher *m, int v) { return m->x + 3 * (size_t)m->vertices[v]; }

/* ---- quadrics ---- */

static void add_plane(quadric *q, const double n[3], const double point[3], double weight)
{
    const double d = -vv_dot3(n, point);
    for (int i = 0, k = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            q->a[k++] += weight * n[i] * n[j];
    for (int i = 0; i < 3; i++)
        q->b[i] += weight * d * n[i];
    q->c += weight * d * d;
}

static double value_at(const quadric *q, const double x[3])
{
    const double *a = q->a;
    return x[0] * (a[0] * x[0] + 2 * a[1] * x[1] + 2 * a[2] * x[2]) + x[1] * (a[3] * x[1] + 2 * a[4] * x[2]) +
           a[5] * x[2] * x[2] + 2 * vv_dot3(q->b, x) + q->c;
}

static void add_quadric(quadric *q, const quadric *other)
{
    for (int k = 0; k < 6; k++)
        q->a[k] += other->a[k];
    for (int k = 0; k < 3; k++)
        q->b[k] += other->b[k];
    q->c += other->c;
}

/* The normal, twice the area long. */
static void normal_of(const double *a, const double *b, const double *c, double n[3])
{
    double u[3], w[3];
    for (int k = 0; k < 3; k++)
        u[k] = b[k] - a[k], w[k] = c[k] - a[k];
    vv_cross3(u, w, n);
}

/* ---- neighbours ---- */

static bool triangle_has(const mesher *m, int triangle, int v)
{
    const int *c = m->corners + 3 * triangle;
    return c[0] == v || c[1] == v || c[2] == v;
}

/* Triangles that have both. */
static int shared(const mesher *m, int a, int b)
{
    int count = 0;
    for (int c = m->head[a]; c >= 0; c = m->next[c])
        count += !m->gone[c / 3] && triangle_has(m, c / 3, b);
    return count;
}

/* Vertices that are neighbours of both. */
static int common(mesher *m, int a, int b)
{
    int count = 0;
    const int first = ++m->marked;
    for (int c = m->head[a]; c >= 0; c = m->next[c])
        for (int k = 0; k < 3 && !m->gone[c / 3]; k++)
            m->mark[m->corners[3 * (c / 3) + k]] = first;
    const int second = ++m->marked;
    for (int c = m->head[b]; c >= 0; c = m->next[c])
        for (int k = 0; k < 3 && !m->gone[c / 3]; k++) {
            const int v = m->corners[3 * (c / 3) + k];
            if (v == a || v == b || m->mark[v] != first)
                continue;
            m->mark[v] = second;
            count++;
        }
    return count;
}

/* ---- the heap: the least cost first ---- */

static bool push(mesher *m, int from, int to)
{
    if (m->heapCount == m->heapRoom) {
        const int room = 2 * m->heapRoom + 1024;
        collapse *more = realloc(m->heap, (size_t)room * sizeof *more);
        if (!more)
            return false;
        m->heap = more, m->heapRoom = room;
    }
    quadric q = m->q[from];
    add_quadric(&q, &m->q[to]);
    const collapse c = { fmax(0, value_at(&q, at(m, to))), from, to, { m->stamp[from], m->stamp[to] } };
    int i = m->heapCount++;
    for (; i > 0 && c.cost < m->heap[(i - 1) / 2].cost; i = (i - 1) / 2)
        m->heap[i] = m->heap[(i - 1) / 2];
    m->heap[i] = c;
    return true;
}

static collapse pop(mesher *m)
{
    const collapse top = m->heap[0], last = m->heap[--m->heapCount];
    int i = 0;
    for (int child; (child = 2 * i + 1) < m->heapCount; i = child) {
        if (child + 1 < m->heapCount && m->heap[child + 1].cost < m->heap[child].cost)
            child++;
        if (m->heap[child].cost >= last.cost)
            break;
        m->heap[i] = m->heap[child];
    }
    m->heap[i] = last;
    return top;
}

/* ---- collapsing ---- */

/* The surface stays one sheet, keeps its rim, and no triangle turns over. */
static bool allowed(mesher *m, const collapse *e)
{
    const int both = shared(m, e->from, e->to);
    if (both < 1 || both > 2 || (m->rim[e->from] && both != 1) || common(m, e->from, e->to) != both)
        return false;
    for (int c = m->head[e->from]; c >= 0; c = m->next[c]) {
        const int t = c / 3;
        if (m->gone[t] || triangle_has(m, t, e->to))
            continue;
        const double *p[3], *r[3];
        double before[3], after[3];
        for (int k = 0; k < 3; k++) {
            p[k] = r[k] = at(m, m->corners[3 * t + k]);
            if (m->corners[3 * t + k] == e->from)
                r[k] = at(m, e->to);
        }
        normal_of(p[0], p[1], p[2], before);
        normal_of(r[0], r[1], r[2], after);
        if (vv_dot3(before, after) <= least_turn * sqrt(vv_dot3(before, before) * vv_dot3(after, after)))
            return false;
    }
    return true;
}

static bool push_around(mesher *m, int v)
{
    const int visit = ++m->marked;
    m->mark[v] = visit;
    for (int c = m->head[v]; c >= 0; c = m->next[c])
        for (int k = 0; k < 3 && !m->gone[c / 3]; k++) {
            const int w = m->corners[3 * (c / 3) + k];
            if (m->mark[w] == visit)
                continue;
            m->mark[w] = visit;
            if (!push(m, v, w) || !push(m, w, v))
                return false;
        }
    return true;
}

static bool collapse_edge(mesher *m, const collapse *e)
{
    int last = -1;
    for (int c = m->head[e->from]; c >= 0; c = m->next[c]) {
        if (triangle_has(m, c / 3, e->to))
            m->gone[c / 3] = true;
        m->corners[c] = e->to;
        last = c;
    }
    m->next[last] = m->head[e->to];
    m->head[e->to] = m->head[e->from];
    m->head[e->from] = -1;
    m->onto[e->from] = e->to;
    add_quadric(&m->q[e->to], &m->q[e->from]);
    m->stamp[e->from]++;
    m->stamp[e->to]++;
    return push_around(m, e->to);
}

/* ---- beginning ---- */

static void add_planes(mesher *m)
{
    for (int t = 0; t < m->triangleCount; t++) {
        const int *c = m->corners + 3 * t;
        double n[3];
        normal_of(at(m, c[0]), at(m, c[1]), at(m, c[2]), n);
        const double size = sqrt(vv_dot3(n, n));
        if (!(size > 0))
            continue;
        for (int k = 0; k < 3; k++)
            n[k] /= size;
        for (int k = 0; k < 3; k++) {
            const int a = c[k], b = c[(k + 1) % 3];
            double side[3], across[3];
            add_plane(&m->q[a], n, at(m, a), size);
            if (shared(m, a, b) != 1)
                continue;
            m->rim[a] = m->rim[b] = true;
            for (int i = 0; i < 3; i++)
                side[i] = at(m, b)[i] - at(m, a)[i];
            vv_cross3(side, n, across);
            vv_unit3(across);
            add_plane(&m->q[a], across, at(m, a), rim_weight * size);
            add_plane(&m->q[b], across, at(m, a), rim_weight * size);
        }
    }
}

static bool begin(mesher *m)
{
    const size_t n = (size_t)m->vertexCount + 1, t = (size_t)m->triangleCount + 1;
    m->head = malloc(n * sizeof *m->head);
    m->next = malloc(3 * t * sizeof *m->next);
    m->gone = calloc(t, sizeof *m->gone);
    m->onto = malloc(n * sizeof *m->onto);
    m->stamp = calloc(n, sizeof *m->stamp);
    m->mark = calloc(n, sizeof *m->mark);
    m->rim = calloc(n, sizeof *m->rim);
    m->q = calloc(n, sizeof *m->q);
    if (!m->head || !m->next || !m->gone || !m->onto || !m->stamp || !m->mark || !m->rim || !m->q)
        return false;
    for (int v = 0; v < m->vertexCount; v++)
        m->head[v] = -1, m->onto[v] = v;
    for (int c = 0; c < 3 * m->triangleCount; c++) {
        m->next[c] = m->head[m->corners[c]];
        m->head[m->corners[c]] = c;
    }
    add_planes(m);
    for (int c = 0; c < 3 * m->triangleCount; c++) {
        const int a = m->corners[c], b = m->corners[c % 3 == 2 ? c - 2 : c + 1];
        if (!push(m, a, b) || !push(m, b, a))
            return false;
    }
    return true;
}

static void end(mesher *m)
{
    free(m->head);
    free(m->next);
    free(m->gone);
    free(m->stamp);
    free(m->mark);
    free(m->rim);
    free(m->q);
    free(m->heap);
    free(m->onto);
}

bool vv_report_simplify(const double *positions, const int *vertices, int vertexCount, int *triangles,
                        int *triangleCount, int wanted, int *stands)
{
    mesher m = { .x = positions,
                 .corners = triangles,
                 .triangleCount = *triangleCount,
                 .vertexCount = vertexCount,
                 .vertices = vertices };
    bool good = begin(&m);
    for (int left = vertexCount; good && left > wanted && m.heapCount > 0;) {
        const collapse e = pop(&m);
        if (m.stamp[e.from] != e.stamp[0] || m.stamp[e.to] != e.stamp[1] || !allowed(&m, &e))
            continue;
        good = collapse_edge(&m, &e);
        left--;
    }
    for (int v = 0; good && v < vertexCount; v++) {
        int to = v;
        while (m.onto[to] != to)
            to = m.onto[to];
        stands[v] = to;
    }
    *triangleCount = 0;
    for (int t = 0; good && t < m.triangleCount; t++)
        if (!m.gone[t])
            memmove(triangles + 3 * (*triangleCount)++, triangles + 3 * t, 3 * sizeof *triangles);
    end(&m);
    return good;
}
