/* Middles on a curved original: the mid-edge nodes of the surface's edges of a mesh of order 2, just raised, move onto
 * the surface that the linear mesh approximates. An element that this would turn inside out (by the bound of its
 * determinant's Bernstein coefficients), or of whose eight linear tets one would lose nine tenths of its volume, stays
 * straight, and with it the middles that it shares. */
#include "mesh/curve.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/stop.h"
#include "base/vec.h"
#include "mesh/tet10.h"

#include <math.h>

enum { INNER = 0, SURFACE, MOVED, STRAIGHT }; /* what a vertex is */
static const double LEAST_PART = 0.1;         /* of an eighth of the straight element's volume */
static const double ROUNDING = 1e-9;          /* of the edge: a middle that moves by less stays where it is */

static void straight_middle(const vvMesh *m, const int *n, int e, double x[3])
{
    const double *a = m->positions + 3 * (size_t)n[vv_tet10_ends[e][0]];
    const double *b = m->positions + 3 * (size_t)n[vv_tet10_ends[e][1]];
    for (int k = 0; k < 3; k++)
        x[k] = 0.5 * (a[k] + b[k]);
}

static void move(vvMesh *m, char *marks, const int *n, int e, const vv_original *original)
{
    const double *a = m->positions + 3 * (size_t)n[vv_tet10_ends[e][0]];
    const double *b = m->positions + 3 * (size_t)n[vv_tet10_ends[e][1]];
    double *x = m->positions + 3 * (size_t)n[4 + e], to[3] = { x[0], x[1], x[2] }, by[3], along[3];
    marks[n[4 + e]] = STRAIGHT;
    if (!original->onto(original->arg, a, b, to))
        return;
    vv_sub(to, x, by);
    vv_sub(b, a, along);
    if (!(vv_norm(by) > ROUNDING * vv_norm(along)) || !isfinite(vv_norm(by)))
        return;
    for (int k = 0; k < 3; k++)
        x[k] = to[k];
    marks[n[4 + e]] = MOVED;
}

static bool is_sound(const double *x, const int nodes[10])
{
    int parts[VV_TET10_SUBTETS][4];
    if (!(vv_tet10_least_det(x, nodes) > 0))
        return false;
    vv_tet10_subdivide(x, nodes, parts);
    for (int i = 0; i < VV_TET10_SUBTETS; i++)
        if (!(vv_tet_det(x, parts[i]) > LEAST_PART / VV_TET10_SUBTETS * vv_tet_det(x, nodes)))
            return false;
    return true;
}

/* Puts the middles of unsound elements back, which may spoil their neighbours: until none is left. False: the host
 * wants no more. */
static bool straighten(vvMesh *m, char *marks, vvRaiseNotes *notes)
{
    for (bool again = true; again;) {
        again = false;
        for (int t = 0; t < m->tet10Count; t++) {
            const int *n = m->tets10 + 10 * (size_t)t;
            bool moved = false;
            for (int e = 0; e < 6; e++)
                moved = moved || marks[n[4 + e]] == MOVED;
            if (vv_stopped_in((size_t)t))
                return false;
            if (!moved || is_sound(m->positions, n))
                continue;
            for (int e = 0; e < 6; e++)
                if (marks[n[4 + e]] == MOVED) {
                    straight_middle(m, n, e, m->positions + 3 * (size_t)n[4 + e]);
                    marks[n[4 + e]] = STRAIGHT;
                }
            notes->straight++;
            again = true;
        }
    }
    return true;
}

/* The middles of the surface's edges onto the original. False: the host wants no more. */
static bool move_all(vvMesh *m, char *marks, const vv_original *original)
{
    for (int t = 0; t < m->tet10Count; t++) {
        if (t % 1024 == 1023 && vv_stopped())
            return false;
        for (int e = 0; e < 6; e++)
            if (marks[m->tets10[10 * (size_t)t + 4 + (size_t)e]] == SURFACE)
                move(m, marks, m->tets10 + 10 * (size_t)t, e, original);
    }
    return true;
}

vvStatus vv_mesh_curve(vvMesh *mesh, const vv_original *original, vvRaiseNotes *notes, vvError *error)
{
    vvRaiseNotes unasked, *to = notes ? notes : &unasked;
    char *marks = vv_alloc((size_t)mesh->vertexCount, 1);
    *to = (vvRaiseNotes){ 0 };
    if (!marks)
        return vv_fail_memory(error, "a mesh of order 2");
    for (size_t i = 0; i < 3 * (size_t)mesh->triangleCount; i++)
        marks[mesh->triangles[i]] = SURFACE;
    const bool done = move_all(mesh, marks, original) && straighten(mesh, marks, to);
    for (int v = 0; v < mesh->vertexCount; v++)
        to->moved += marks[v] == MOVED;
    vv_free(marks);
    return done ? VV_OK : vv_fail_cancelled(error);
}
