/* Edges of a triangle surface, and its consistent orientation.
 *
 * Half-edge h = 3 t + k goes from corner k to corner k + 1 of triangle t. Two triangles at an edge agree if they run
 * along it in opposite directions. Each part connected over edges with exactly two triangles is flooded from its first
 * triangle; a part where the flood contradicts itself (a Moebius band) keeps its orientation. */
#include "base/memory.h"
#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

typedef struct surface {
    const vvMesh *mesh;
    int *ends;         /* (small, large) vertex of each half-edge */
    int *order;        /* half-edges sorted by ends */
    int *twin;         /* the half-edge across; -1: open edge; -2: more than two triangles */
    int *queue;        /* triangles, part by part */
    signed char *flip; /* -1: not reached */
} surface;

static void corners(const vvMesh *mesh, int h, int *from, int *to)
{
    const int *tri = mesh->triangles + h / 3 * 3;
    *from = tri[h % 3];
    *to = tri[(h + 1) % 3];
}

int vv_half_edges_sort(const vvMesh *mesh, int *ends, int *order)
{
    int n = 3 * mesh->triangleCount;
    for (int h = 0; h < n; h++) {
        int a, b;
        corners(mesh, h, &a, &b);
        ends[2 * (size_t)h] = a < b ? a : b;
        ends[2 * (size_t)h + 1] = a < b ? b : a;
    }
    return vv_sort_tuples(ends, 2, n, mesh->vertexCount, order);
}

int vv_half_edges_group(const int *ends, const int *order, int i, int n)
{
    int m = 1;
    const int *first = ends + 2 * (size_t)order[i];
    while (i + m < n && memcmp(first, ends + 2 * (size_t)order[i + m], 2 * sizeof *ends) == 0)
        m++;
    return m;
}

vvStatus vv_mesh_surface_edges(const vvMesh *mesh, int **edges, int **counts, int *count, vvError *error)
{
    size_t n = 3 * (size_t)mesh->triangleCount;
    int *ends = vv_alloc(2 * n, sizeof *ends), *order = vv_alloc(n, sizeof *order);
    int *out = vv_alloc(2 * n, sizeof *out), *sizes = vv_alloc(n, sizeof *sizes);
    *edges = NULL;
    *count = 0;
    if (counts)
        *counts = NULL;
    bool ok = ends && order && out && sizes && vv_half_edges_sort(mesh, ends, order);
    for (int i = 0, m; ok && i < (int)n; i += m) {
        m = vv_half_edges_group(ends, order, i, (int)n);
        memcpy(out + 2 * (size_t)*count, ends + 2 * (size_t)order[i], 2 * sizeof *out);
        sizes[(*count)++] = m;
    }
    vv_free(ends);
    vv_free(order);
    if (!ok || !counts)
        vv_free(sizes);
    else
        *counts = sizes;
    if (!ok) {
        vv_free(out);
        return vv_fail_memory(error, "the surface's edges");
    }
    *edges = out;
    return VV_OK;
}

static void find_twins(surface *s)
{
    int n = 3 * s->mesh->triangleCount;
    for (int i = 0, m; i < n; i += m) {
        m = vv_half_edges_group(s->ends, s->order, i, n);
        for (int k = 0; k < m; k++)
            s->twin[s->order[i + k]] = m == 1 ? -1 : m == 2 ? s->order[i + 1 - k] : -2;
    }
}

/* A connected part: triangles queue[begin .. end - 1]. */
typedef struct part {
    int begin, end;
    bool closed, contradiction;
    double volume, low[3], high[3]; /* volume 0 if it is only rounding */
} part;

static void flood(surface *s, part *p)
{
    p->closed = true;
    for (int i = p->begin; i < p->end; i++) {
        int t = s->queue[i];
        for (int k = 0; k < 3; k++) {
            int h = 3 * t + k, g = s->twin[h], a, b, c, d;
            if (g < 0) {
                p->closed = false;
                continue;
            }
            corners(s->mesh, h, &a, &b);
            corners(s->mesh, g, &c, &d);
            signed char want = (signed char)(s->flip[t] ^ (a == c));
            if (s->flip[g / 3] < 0) {
                s->flip[g / 3] = want;
                s->queue[p->end++] = g / 3;
            } else if (s->flip[g / 3] != want) {
                p->contradiction = true;
            }
        }
    }
}

/* Bounds, and six times the signed volume with the present flips (about a corner of the part, to avoid
 * cancellation). */
static void measure(const surface *s, part *p)
{
    const vvMesh *m = s->mesh;
    const double *o = m->positions + 3 * (size_t)m->triangles[3 * (size_t)s->queue[p->begin]];
    double magnitude = 0;
    for (int k = 0; k < 3; k++)
        p->low[k] = p->high[k] = o[k];
    for (int i = p->begin; i < p->end; i++) {
        double x[3][3];
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 3; j++) {
                double at = m->positions[3 * (size_t)m->triangles[3 * (size_t)s->queue[i] + (size_t)k] + (size_t)j];
                p->low[j] = fmin(p->low[j], at);
                p->high[j] = fmax(p->high[j], at);
                x[k][j] = at - o[j];
            }
        double det = x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) +
                     x[0][1] * (x[1][2] * x[2][0] - x[1][0] * x[2][2]) +
                     x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0]);
        p->volume += s->flip[s->queue[i]] ? -det : det;
        magnitude += fabs(det);
    }
    if (fabs(p->volume) <= 1e-12 * magnitude)
        p->volume = 0;
}

static void turn(surface *s, const part *p)
{
    for (int i = p->begin; i < p->end; i++)
        s->flip[s->queue[i]] ^= 1;
}

/* Takes the orientation of the majority of triangles in the file; then measures closed parts. */
static void settle(surface *s, part *p)
{
    int flipped = 0;
    for (int i = p->begin; i < p->end; i++)
        flipped += s->flip[s->queue[i]];
    if (p->contradiction) {
        for (int i = p->begin; i < p->end; i++)
            s->flip[s->queue[i]] = 0;
        p->closed = false;
        return;
    }
    if (2 * flipped > p->end - p->begin)
        turn(s, p);
    if (p->closed)
        measure(s, p);
}

static bool inside(const part *p, const part *outer)
{
    for (int k = 0; k < 3; k++)
        if (p->low[k] <= outer->low[k] || p->high[k] >= outer->high[k])
            return false;
    return true;
}

/* Turns closed parts outwards. One that points inwards within the bounds of the largest part is a cavity and
 * stays. */
static void face_outwards(surface *s, const part *parts, int count)
{
    const part *largest = NULL;
    for (int i = 0; i < count; i++)
        if (parts[i].closed && (!largest || fabs(parts[i].volume) > fabs(largest->volume)))
            largest = &parts[i];
    for (int i = 0; i < count; i++)
        if (parts[i].closed && parts[i].volume < 0 && (&parts[i] == largest || !inside(&parts[i], largest)))
            turn(s, &parts[i]);
}

static vvStatus orient_parts(surface *s, vvMeshNotes *notes, vvError *error)
{
    part *parts = NULL;
    size_t capacity = 0;
    int count = 0, end = 0;
    for (int t = 0; t < s->mesh->triangleCount; t++) {
        if (s->flip[t] >= 0)
            continue;
        if (!vv_grow((void **)&parts, &capacity, (size_t)count + 1, sizeof *parts)) {
            vv_free(parts);
            return vv_fail_memory(error, "the surface's parts");
        }
        part *p = &parts[count++];
        *p = (part){ .begin = end, .end = end + 1 };
        s->queue[end] = t;
        s->flip[t] = 0;
        flood(s, p);
        settle(s, p);
        notes->oneSidedParts += p->contradiction;
        end = p->end;
    }
    face_outwards(s, parts, count);
    vv_free(parts);
    return VV_OK;
}

/* Those of the second and third corner change places. */
static void swap_uvs(double *uv)
{
    const double second[2] = { uv[2], uv[3] };
    memcpy(uv + 2, uv + 4, sizeof second);
    memcpy(uv + 4, second, sizeof second);
}

vvStatus vv_mesh_orient(vvMesh *mesh, vvMeshNotes *notes, vvError *error)
{
    size_t n = 3 * (size_t)mesh->triangleCount;
    surface s = {
        .mesh = mesh,
        .ends = vv_alloc(2 * n, sizeof(int)),
        .order = vv_alloc(n, sizeof(int)),
        .twin = vv_alloc(n, sizeof(int)),
        .queue = vv_alloc(n / 3, sizeof(int)),
        .flip = vv_alloc(n / 3, 1),
    };
    bool have = s.ends && s.order && s.twin && s.queue && s.flip;
    vvStatus status = VV_OK;
    if (!have || !vv_half_edges_sort(mesh, s.ends, s.order))
        status = vv_fail_memory(error, "the surface's orientation");
    if (status == VV_OK) {
        find_twins(&s);
        memset(s.flip, -1, n / 3);
        status = orient_parts(&s, notes, error);
    }
    for (int t = 0; status == VV_OK && t < mesh->triangleCount; t++)
        if (s.flip[t]) {
            notes->turnedTriangles++;
            int *v = mesh->triangles + 3 * (size_t)t, swap = v[1];
            v[1] = v[2];
            v[2] = swap;
            if (mesh->uvs)
                swap_uvs(mesh->uvs + 6 * (size_t)t);
        }
    vv_free(s.ends);
    vv_free(s.order);
    vv_free(s.twin);
    vv_free(s.queue);
    vv_free(s.flip);
    return status;
}
