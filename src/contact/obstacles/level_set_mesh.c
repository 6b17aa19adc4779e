/* The surface of a level set, to draw it by: surface nets (Gibson 1998). Each cell through which the surface passes
 * has a vertex, the mean of where it crosses the cell's edges; each edge that it crosses has two triangles, between
 * the vertices of the four cells around the edge. */
#include "base/error.h"
#include "base/memory.h"
#include "contact/obstacles/level_set.h"
#include "mesh/mesh.h"

#include <string.h>

static size_t cell_index(const vv_level_set *l, int i, int j, int k)
{
    return ((size_t)k * (size_t)l->cells[1] + (size_t)j) * (size_t)l->cells[0] + (size_t)i;
}

/* The mean of the crossings of the cell's edges, in cells. False: there are none. */
static bool cell_vertex(const vv_level_set *l, int i, int j, int k, double x[3])
{
    double v[8];
    int crossings = 0;
    x[0] = x[1] = x[2] = 0;
    for (int c = 0; c < 8; c++)
        v[c] = vv_level_set_sample(l, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
    for (int a = 0; a < 8; a++)
        for (int e = 0; e < 3; e++) {
            const int b = a | 1 << e;
            if (a == b || (v[a] < 0) == (v[b] < 0))
                continue;
            const double s = v[a] / (v[a] - v[b]);
            for (int m = 0; m < 3; m++)
                x[m] += m == e ? s : (a >> m & 1);
            crossings++;
        }
    for (int m = 0; m < 3 && crossings; m++)
        x[m] = x[m] / crossings + (m == 0 ? i : m == 1 ? j : k);
    return crossings > 0;
}

/* Vertices; their numbers by cell, -1: none. mesh NULL: only counts. */
static int put_vertices(const vv_level_set *l, const double *origin, int *number, vvMesh *mesh)
{
    int count = 0;
    double x[3];
    for (int k = 0; k < l->cells[2]; k++)
        for (int j = 0; j < l->cells[1]; j++)
            for (int i = 0; i < l->cells[0]; i++) {
                const bool any = cell_vertex(l, i, j, k, x);
                number[cell_index(l, i, j, k)] = any ? count : -1;
                for (int m = 0; any && mesh && m < 3; m++)
                    mesh->positions[3 * (size_t)count + (size_t)m] = origin[m] + l->spacing * x[m];
                count += any;
            }
    return count;
}

/* The edge from the sample (i, j, k) along axis e lies within the grid: all samples at its border are positive. The
 * four cells around it, counterclockwise seen from where the axis points to. */
static void put_quad(const vv_level_set *l, const int *number, const int at[3], int e, bool leaves, vvMesh *mesh,
                     int *count)
{
    static const int ring[4][2] = { { -1, -1 }, { 0, -1 }, { 0, 0 }, { -1, 0 } };
    const int b = (e + 1) % 3, c = (e + 2) % 3;
    int v[4];
    for (int q = 0; q < 4; q++) {
        int cell[3] = { at[0], at[1], at[2] };
        cell[b] += ring[q][0];
        cell[c] += ring[q][1];
        v[leaves ? q : 3 - q] = number[cell_index(l, cell[0], cell[1], cell[2])];
    }
    const int triangles[6] = { v[0], v[1], v[2], v[0], v[2], v[3] };
    if (mesh)
        memcpy(mesh->triangles + 3 * (size_t)*count, triangles, sizeof triangles);
    *count += 2;
}

static int put_triangles(const vv_level_set *l, const int *number, vvMesh *mesh)
{
    int count = 0;
    for (int k = 0; k <= l->cells[2]; k++)
        for (int j = 0; j <= l->cells[1]; j++)
            for (int i = 0; i <= l->cells[0]; i++) {
                const int at[3] = { i, j, k };
                const bool inside = vv_level_set_sample(l, i, j, k) < 0;
                for (int e = 0; e < 3; e++)
                    if (at[e] < l->cells[e] &&
                        (vv_level_set_sample(l, i + (e == 0), j + (e == 1), k + (e == 2)) < 0) != inside)
                        put_quad(l, number, at, e, inside, mesh, &count);
            }
    return count;
}

vvStatus vv_level_set_mesh(const vv_field *f, const double *shape, vvMesh *mesh, double turn[9], vvError *error)
{
    const vv_level_set l = vv_level_set_of(f, shape);
    int *number = vv_alloc((size_t)l.cells[0] * (size_t)l.cells[1] * (size_t)l.cells[2], sizeof *number);
    if (!number)
        return vv_fail_memory(error, "the surface of a level set");
    const int vertices = put_vertices(&l, NULL, number, NULL), triangles = put_triangles(&l, number, NULL);
    vvStatus status = vv_mesh_alloc(mesh, vertices, 0, triangles, 0, error);
    if (status == VV_OK) {
        put_vertices(&l, shape + 12, number, mesh);
        put_triangles(&l, number, mesh);
        memcpy(turn, shape + 3, 9 * sizeof *turn);
    }
    vv_free(number);
    return status;
}
