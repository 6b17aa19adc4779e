/* Smoothing of generated tets: each vertex in turn is moved where the smallest sine of a dihedral angle around it grows
 * (sin theta_ij = 3 V l_ij / (2 A_i A_j), as in Freitag and Ollivier-Gooch 1997). Interior vertices try the mean of
 * their neighbours; boundary ones the mean of their neighbours on the surface, projected back onto it. Vertices with
 * bad tets also try steps in pseudo-random directions. No move is accepted that makes the worst tet around worse. */
#include "base/memory.h"
#include "base/vec.h"
#include "mesh/tetrahedralize/stuffing.h"

#include <math.h>
#include <string.h>

/* Below this the random search starts: sin 22 degrees. */
#define BAD_SINE 0.375

typedef struct smoother {
    const vv_solid *solid;
    double edge;
    vvMesh *mesh;
    int *start, *around;                 /* tets of vertex v: around[start[v]] .. around[start[v + 1] - 1] */
    int *surface_start, *surface_around; /* the same for boundary triangles */
    uint32_t random;
} smoother;

void vv_solid_project(const vv_solid *solid, double edge, double x[3])
{
    if (solid->project) {
        solid->project(solid->arg, x);
        return;
    }
    for (int i = 0; i < 8; i++) {
        double f = solid->distance(solid->arg, x), g[3], d = 1e-5 * edge;
        if (fabs(f) < 1e-12 * edge)
            return;
        for (int k = 0; k < 3; k++) {
            double y[3] = { x[0], x[1], x[2] };
            y[k] += d;
            g[k] = solid->distance(solid->arg, y);
            y[k] -= 2 * d;
            g[k] = (g[k] - solid->distance(solid->arg, y)) / (2 * d);
        }
        double length = vv_dot(g, g);
        if (length < 1e-6)
            return;
        for (int k = 0; k < 3; k++)
            x[k] -= f * g[k] / length;
    }
}

/* Smallest sine of the six dihedral angles; negative for an inverted tet. */
static double worst_sine(const double *positions, const int *tet)
{
    double n[4][3], length[4], worst = 1, edge[3];
    vv_tet_faces(positions, tet, n);
    vv_sub(positions + 3 * (size_t)tet[1], positions + 3 * (size_t)tet[0], edge);
    const double det = vv_dot(edge, n[1]);
    for (int i = 0; i < 4; i++)
        length[i] = vv_norm(n[i]);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++) {
            double c[3], both = length[i] * length[j];
            vv_cross(n[i], n[j], c);
            worst = fmin(worst, both > 0 ? vv_norm(c) / both : 0);
        }
    return det > 0 ? worst : -1;
}

static double worst_around(const smoother *s, int v)
{
    double worst = 1;
    for (int i = s->start[v]; i < s->start[v + 1]; i++)
        worst = fmin(worst, worst_sine(s->mesh->positions, s->mesh->tets + 4 * (size_t)s->around[i]));
    return worst;
}

static bool on_boundary(const smoother *s, int v) { return s->surface_start[v + 1] > s->surface_start[v]; }

static void mean_of_neighbours(const smoother *s, int v, double mean[3])
{
    bool boundary = on_boundary(s, v);
    const int *start = boundary ? s->surface_start : s->start, *around = boundary ? s->surface_around : s->around;
    const int *elements = boundary ? s->mesh->triangles : s->mesh->tets;
    int corners = boundary ? 3 : 4, count = 0;
    mean[0] = mean[1] = mean[2] = 0;
    for (int i = start[v]; i < start[v + 1]; i++)
        for (int c = 0; c < corners; c++) {
            int w = elements[(size_t)corners * (size_t)around[i] + (size_t)c];
            if (w == v)
                continue;
            for (int k = 0; k < 3; k++)
                mean[k] += s->mesh->positions[3 * (size_t)w + (size_t)k];
            count++;
        }
    for (int k = 0; k < 3; k++)
        mean[k] /= count;
}

/* Moves v to `to` if that raises *worst. */
static bool try_move(const smoother *s, int v, const double to[3], double *worst)
{
    double *x = s->mesh->positions + 3 * (size_t)v, old[3] = { x[0], x[1], x[2] };
    memcpy(x, to, 3 * sizeof *x);
    if (on_boundary(s, v)) {
        vv_solid_project(s->solid, s->edge, x);
        if (fabs(s->solid->distance(s->solid->arg, x)) > 1e-9 * s->edge) {
            memcpy(x, old, sizeof old);
            return false;
        }
    }
    double now = worst_around(s, v);
    if (now > *worst + 1e-6) {
        *worst = now;
        return true;
    }
    memcpy(x, old, sizeof old);
    return false;
}

static double random_unit(smoother *s)
{
    s->random = s->random * 1664525u + 1013904223u;
    return (double)(s->random >> 8) / (1 << 23) - 1;
}

static void smooth_vertex(smoother *s, int v)
{
    double worst = worst_around(s, v), mean[3], to[3];
    const double *x = s->mesh->positions + 3 * (size_t)v;
    mean_of_neighbours(s, v, mean);
    for (double step = 1; step > 0.2; step /= 2) {
        for (int k = 0; k < 3; k++)
            to[k] = x[k] + step * (mean[k] - x[k]);
        if (try_move(s, v, to, &worst))
            break;
    }
    double reach = 0.25 * s->edge;
    for (int i = 0; i < 24 && worst < BAD_SINE; i++) {
        for (int k = 0; k < 3; k++)
            to[k] = x[k] + reach * random_unit(s);
        if (!try_move(s, v, to, &worst))
            reach *= 0.85;
    }
}

/* Elements around each vertex; 0 when out of memory. */
static int list_around(const int *elements, int corners, int count, int vertices, int **start, int **around)
{
    int *first = *start = vv_alloc((size_t)vertices + 2, sizeof **start);
    int *list = *around = vv_alloc((size_t)corners * (size_t)count, sizeof **around);
    if (!first || !list)
        return 0;
    for (int i = 0; i < corners * count; i++)
        first[elements[i] + 2]++;
    for (int v = 0; v < vertices; v++)
        first[v + 2] += first[v + 1];
    for (int i = 0; i < corners * count; i++)
        list[first[elements[i] + 1]++] = i / corners;
    return 1;
}

vvStatus vv_make_smooth(const vv_solid *solid, double edge, vvMesh *mesh, int passes, vvError *error)
{
    smoother s = { .solid = solid, .edge = edge, .mesh = mesh, .random = 1 };
    static const double parts[] = VV_STUFFING_PARTS;
    bool stopped = false;
    int ok =
        list_around(mesh->tets, 4, mesh->tetCount, mesh->vertexCount, &s.start, &s.around) &&
        list_around(mesh->triangles, 3, mesh->triangleCount, mesh->vertexCount, &s.surface_start, &s.surface_around);
    for (int pass = 0; ok && pass < passes; pass++)
        for (int v = 0; v < mesh->vertexCount && !stopped; v++) {
            double done = (pass + (double)v / mesh->vertexCount) / passes;
            stopped = solid->stop && solid->stop(solid->arg, parts[3] + (parts[4] - parts[3]) * done);
            if (!stopped)
                smooth_vertex(&s, v);
        }
    vv_free(s.start);
    vv_free(s.around);
    vv_free(s.surface_start);
    vv_free(s.surface_around);
    if (stopped)
        return vv_fail_cancelled(error);
    return ok ? VV_OK : vv_fail_memory(error, "smoothing a mesh");
}
