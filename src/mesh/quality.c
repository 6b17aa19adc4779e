/* vvMeshMeasure: what `visviva check` and `info` report about a mesh. */
#include "base/memory.h"
#include "base/vec.h"
#include "mesh/mesh.h"

#include <math.h>

#define DEGREES (180 / 3.14159265358979323846)

void vv_mesh_bounds(const vvMesh *m, double low[3], double high[3])
{
    for (int k = 0; k < 3; k++)
        low[k] = high[k] = m->vertexCount ? m->positions[k] : 0;
    for (int i = 0; i < 3 * m->vertexCount; i++) {
        low[i % 3] = fmin(low[i % 3], m->positions[i]);
        high[i % 3] = fmax(high[i % 3], m->positions[i]);
    }
}

double vv_tet_det(const double *positions, const int tet[4])
{
    const double *a = positions + 3 * (size_t)tet[0];
    double e[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            e[i][k] = positions[3 * (size_t)tet[i + 1] + (size_t)k] - a[k];
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

/* The angle between faces i and j follows from their dot product, the altitude over face i is 6 V / |n_i|. */
void vv_tet_faces(const double *positions, const int tet[4], double n[4][3])
{
    double e[3][3];
    for (int i = 0; i < 3; i++)
        vv_sub(positions + 3 * (size_t)tet[i + 1], positions + 3 * (size_t)tet[0], e[i]);
    vv_cross(e[1], e[2], n[1]);
    vv_cross(e[2], e[0], n[2]);
    vv_cross(e[0], e[1], n[3]);
    for (int k = 0; k < 3; k++)
        n[0][k] = -n[1][k] - n[2][k] - n[3][k];
}

typedef struct tet_shape {
    double volume, min_dihedral, max_dihedral, aspect;
} tet_shape;

static tet_shape shape_of(const double *positions, const int *tet)
{
    double n[4][3], length[4], largest = 0, longest = 0;
    tet_shape s = { .volume = vv_tet_det(positions, tet) / 6, .min_dihedral = 180 };
    vv_tet_faces(positions, tet, n);
    for (int i = 0; i < 4; i++) {
        length[i] = vv_norm(n[i]);
        largest = fmax(largest, length[i]);
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++) {
            double d[3], c[3];
            vv_cross(n[i], n[j], c);
            double angle = DEGREES * atan2(vv_norm(c), -vv_dot(n[i], n[j]));
            s.min_dihedral = fmin(s.min_dihedral, angle);
            s.max_dihedral = fmax(s.max_dihedral, angle);
            vv_sub(positions + 3 * (size_t)tet[i], positions + 3 * (size_t)tet[j], d);
            longest = fmax(longest, vv_norm(d));
        }
    /* smallest altitude = 6 V / largest face vector; sqrt(2/3) of the edge in the regular tet */
    double altitude = largest > 0 ? 6 * fabs(s.volume) / largest : 0;
    s.aspect = altitude > 0 ? longest / altitude * sqrt(2.0 / 3.0) : INFINITY;
    return s;
}

static void measure_tets(const vvMesh *m, vvMeshQuality *q)
{
    q->minDihedral = m->tetCount ? 180 : 0;
    q->minVolume = m->tetCount ? INFINITY : 0;
    for (int t = 0; t < m->tetCount; t++) {
        tet_shape s = shape_of(m->positions, m->tets + 4 * (size_t)t);
        q->volume += s.volume;
        q->minVolume = fmin(q->minVolume, s.volume);
        q->minDihedral = fmin(q->minDihedral, s.min_dihedral);
        q->maxDihedral = fmax(q->maxDihedral, s.max_dihedral);
        q->tetsBelow10Degrees += s.min_dihedral < 10;
        if (s.aspect > q->worstAspect) {
            q->worstAspect = s.aspect;
            q->worstTet = t;
        }
    }
}

static void measure_surface(const vvMesh *m, vvMeshQuality *q)
{
    for (int t = 0; t < m->triangleCount; t++)
        q->area += vv_triangle_area(m->positions, m->triangles + 3 * (size_t)t);
}

/* Lengths of the surface's edges; of the mesh's own if it has no triangles. */
static void measure_edges(const vvMesh *m, vvMeshQuality *q)
{
    int *edges = NULL, n = 0;
    if (m->triangleCount && vv_mesh_surface_edges(m, &edges, NULL, &n, NULL))
        return;
    const int *list = m->triangleCount ? edges : m->edges;
    n = m->triangleCount ? n : m->edgeCount;
    q->shortestEdge = n ? INFINITY : 0;
    for (int i = 0; i < n; i++) {
        double length = vv_edge_length(m->positions, list[2 * i], list[2 * i + 1]);
        q->shortestEdge = fmin(q->shortestEdge, length);
        q->meanEdge += length / n;
    }
    vv_free(edges);
}

void vvMeshMeasure(const vvMesh *mesh, vvMeshQuality *quality)
{
    if (!quality)
        return;
    *quality = (vvMeshQuality){ .worstTet = -1 };
    if (!mesh)
        return;
    vv_mesh_bounds(mesh, quality->boundsMin, quality->boundsMax);
    measure_tets(mesh, quality);
    measure_surface(mesh, quality);
    measure_edges(mesh, quality);
}
