/* Generators "sheet" (a rectangle by the length of its edges, in one of four patterns) and "tube" (an open cylinder):
 * surfaces for shells.
 *
 * The patterns matter for bending, which feels the mesh (theory §4.10). "equilateral": rows along x, each shifted by
 * half an edge against the last; the ends of every other row are halves. "diagonal", "union-jack": a grid whose
 * diagonals go one way, or by turns. "random": from the equilateral one, in rounds, every vertex is moved at random,
 * if its triangles stay well shaped, and edges are flipped until the mesh is Delaunay's (Lawson 1977). The boundary
 * stays on the rectangle, the corners where they are. The random mesh depends on the seed and the sizes only. */
#include "base/memory.h"
#include "mesh/generate/flips.h"
#include "mesh/generate/make.h"

#include <math.h>

typedef enum sheet_pattern { EQUILATERAL, DIAGONAL, UNION_JACK, RANDOM, PATTERNS } sheet_pattern;
static const vvInfo patterns[PATTERNS] = { { "equilateral", "rows of equilateral triangles" },
                                           { "diagonal", "squares with one diagonal each, all one way" },
                                           { "union-jack", "squares with diagonals that mirror each other" },
                                           { "random", "well shaped at random" } };

/* How many pieces of about a length, at least one, as a double that may be too large for an int. */
static double pieces(double length, double piece) { return fmax(1, round(length / piece)); }

/* The plane mesh: vertices (x, z), triangles counter-clockwise in x, z. Row k of an equilateral one has nx + 1
 * vertices, if k is odd one more. */
static void equilateral_points(const double size[2], int nx, int nz, vv_flips *f)
{
    for (int k = 0; k <= nz; k++)
        for (int i = 0; i <= nx + k % 2; i++) {
            bool last = i == nx + k % 2;
            double x = k % 2 == 0 ? (2 * i - nx) / (2.0 * nx)
                       : i == 0   ? -0.5
                       : last     ? 0.5
                                  : (2 * i - 1 - nx) / (2.0 * nx);
            double *to = f->x + 2 * (size_t)f->vertex_count++;
            to[0] = size[0] * x, to[1] = size[1] * (2 * k - nz) / (2.0 * nz);
        }
}

static void add(vv_flips *f, int a, int b, int c)
{
    int *t = f->corner + 3 * (size_t)f->triangle_count++;
    t[0] = a, t[1] = b, t[2] = c;
}

static void equilateral_triangles(int nx, int nz, vv_flips *f)
{
    for (int k = 0, row = 0; k < nz; k++) {
        int next = row + nx + 1 + k % 2, even = k % 2 ? next : row, odd = k % 2 ? row : next;
        for (int i = 0; i <= nx; i++) { /* the odd row is above the even one, or below */
            k % 2 ? add(f, odd + i, odd + i + 1, even + i) : add(f, even + i, odd + i + 1, odd + i);
            if (i < nx)
                k % 2 ? add(f, even + i, odd + i + 1, even + i + 1) : add(f, even + i, even + i + 1, odd + i + 1);
        }
        row = next;
    }
}

static void grid(const double size[2], int nx, int nz, bool mirrored, vv_flips *f)
{
    for (int i = 0; i <= nx; i++)
        for (int k = 0; k <= nz; k++) {
            double *to = f->x + 2 * (size_t)f->vertex_count++;
            to[0] = size[0] * (2 * i - nx) / (2.0 * nx), to[1] = size[1] * (2 * k - nz) / (2.0 * nz);
        }
    for (int i = 0; i < nx; i++)
        for (int k = 0; k < nz; k++) {
            int v00 = i * (nz + 1) + k, v01 = v00 + 1, v10 = v00 + nz + 1, v11 = v10 + 1, odd = mirrored && (i + k) % 2;
            add(f, v00, odd ? v10 : v11, v01);
            add(f, odd ? v01 : v00, v10, v11);
        }
}

static vvStatus make_sheet(const double *values, vvMesh *mesh, vvError *error)
{
    sheet_pattern pattern = (sheet_pattern)values[3];
    bool rows = pattern == EQUILATERAL || pattern == RANDOM;
    double nx = pieces(values[0], values[2]), nz = pieces(values[1], rows ? sqrt(0.75) * values[2] : values[2]);
    vvStatus status = vv_make_check((2 * nx + rows) * nz, "triangles", "make 'edge' longer", error);
    if (status != VV_OK)
        return status;
    vv_flips f = { 0 };
    if (!vv_flips_room(&f, (size_t)((nx + 2) * (nz + 1)), (size_t)((2 * nx + rows) * nz)))
        return vv_fail_memory(error, "a generated mesh");
    if (rows) {
        equilateral_points(values, (int)nx, (int)nz, &f);
        equilateral_triangles((int)nx, (int)nz, &f);
    } else {
        grid(values, (int)nx, (int)nz, pattern == UNION_JACK, &f);
    }
    if (pattern == RANDOM && !vv_flips_shuffle(&f, 0.3 * values[0] / nx, (uint64_t)values[4]))
        status = vv_fail_memory(error, "a generated mesh");
    vv_builder b = { 0 };
    for (int v = 0; status == VV_OK && v < f.vertex_count; v++)
        vv_make_vertex(&b, f.x[2 * (size_t)v], 0, f.x[2 * (size_t)v + 1]);
    for (int t = 0; status == VV_OK && t < f.triangle_count; t++) { /* normal +y */
        const int *c = f.corner + 3 * (size_t)t;
        vv_make_triangle(&b, c[0], c[2], c[1]);
    }
    vv_flips_free(&f);
    if (status == VV_OK)
        status = vv_make_done(&b, mesh, error);
    return status == VV_OK ? vv_make_flat_uvs(mesh, values[0], values[1], error) : status;
}

/* u once around, from the direction of z on, v along y. A triangle across the seam goes on beyond 1. */
static vvStatus unroll(vvMesh *mesh, double length, vvError *error)
{
    vvStatus status = vv_make_flat_uvs(mesh, 1, 1, error);
    for (int t = 0; status == VV_OK && t < mesh->triangleCount; t++) {
        double *uv = mesh->uvs + 6 * (size_t)t;
        for (int k = 0; k < 3; k++) {
            const double *x = mesh->positions + 3 * (size_t)mesh->triangles[3 * t + k];
            uv[2 * k] = atan2(x[0], x[2]) / (2 * VV_PI);
            uv[2 * k] -= floor(uv[2 * k] + 1e-12);
            uv[2 * k + 1] = 0.5 + x[1] / length;
        }
        for (int k = 0; k < 3; k++)
            uv[2 * k] = fmax(0, uv[2 * k]);
        const double most = fmax(fmax(uv[0], uv[2]), uv[4]);
        for (int k = 0; k < 3; k++) /* near 0, where others of it are near 1 */
            uv[2 * k] += most - uv[2 * k] > 0.5;
    }
    return status;
}

/* Rings of equal polygons around y, each turned by half an edge against the last. */
static vvStatus make_tube(const double *values, vvMesh *mesh, vvError *error)
{
    double radius = values[0], length = values[1], edge = 2 * radius * sin(VV_PI / values[2]);
    double rows = pieces(length, sqrt(0.75) * edge);
    vvStatus status = vv_make_check(2 * values[2] * rows, "triangles", "make 'segments' smaller", error);
    if (status != VV_OK)
        return status;
    int n = (int)values[2], m = (int)rows;
    vv_builder b = { 0 };
    for (int k = 0; k <= m; k++)
        for (int i = 0; i < n; i++) {
            double turn = VV_PI * (2 * i + k % 2) / n;
            vv_make_vertex(&b, radius * sin(turn), length * (2 * k - m) / (2.0 * m), radius * cos(turn));
        }
    for (int k = 0; k < m; k++)
        for (int i = 0; i < n; i++) {
            int next = (i + 1) % n, low = k * n, high = low + n;
            vv_make_triangle(&b, low + i, low + next, high + (k % 2 ? next : i));
            vv_make_triangle(&b, k % 2 ? low + i : low + next, high + next, high + i);
        }
    status = vv_make_done(&b, mesh, error);
    return status == VV_OK ? unroll(mesh, length, error) : status;
}

static const vvParam sheet_params[] = {
    { "size", "lengths along x and z", "m", 2, false, { 1, 1 }, 1e-6, 1e6, 0, NULL },
    { "edge", "length of edges, about: a whole number fits along x", "m", 1, false, { 0.04 }, 1e-9, 1e6, 0, NULL },
    { "pattern", "how the triangles lie", "", 1, true, { EQUILATERAL }, 0, PATTERNS - 1, PATTERNS, patterns },
    { "seed", "seed of the random pattern", "", 1, true, { 1 }, 0, 1000000000, 0, NULL },
};
static const vvParam tube_params[] = {
    { "radius", "radius", "m", 1, false, { 0.1 }, 1e-6, 1e6, 0, NULL },
    { "length", "length along y", "m", 1, false, { 0.5 }, 1e-6, 1e6, 0, NULL },
    { "segments", "edges around; those along are as long, about", "", 1, true, { 24 }, 3, 1000000, 0, NULL },
};
extern const vv_generator vv_generator_sheet, vv_generator_tube;
const vv_generator vv_generator_sheet = {
    { { "sheet", "flat rectangle of triangles for shells, normal +y, centred at the origin" }, 4, sheet_params },
    make_sheet,
};
const vv_generator vv_generator_tube = {
    { { "tube",
        "open cylinder of nearly equilateral triangles for shells, around y, normals outwards, centred at the origin" },
      3,
      tube_params },
    make_tube,
};
