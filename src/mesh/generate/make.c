/* Building blocks of the generators: oriented tets, grids, disks and layers of disks. */
#include "base/memory.h"
#include "base/vec.h"
#include "mesh/generate/make.h"

#include <math.h>

int vv_make_vertex(vv_builder *b, double x, double y, double z)
{
    double p[3] = { x, y, z };
    vv_builder_vertex(b, p, 0);
    return (int)b->positions.count - 1;
}

double vv_make_distance2(const vv_builder *b, int v, int w)
{
    const double *x = (const double *)b->positions.data + 3 * (size_t)v;
    const double *y = (const double *)b->positions.data + 3 * (size_t)w;
    return (x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]);
}

void vv_make_tet(vv_builder *b, int v0, int v1, int v2, int v3)
{
    int v[4] = { v0, v1, v2, v3 };
    if (b->failed)
        return;
    if (vv_tet_det(b->positions.data, v) < 0) {
        v[2] = v3;
        v[3] = v2;
    }
    vv_builder_tet(b, v, 0);
}

void vv_make_triangle(vv_builder *b, int v0, int v1, int v2)
{
    int v[3] = { v0, v1, v2 };
    vv_builder_triangle(b, v, 0);
}

void vv_make_edge(vv_builder *b, int v0, int v1)
{
    int v[2] = { v0, v1 };
    vv_builder_edge(b, v, 0);
}

void vv_make_rectangle(vv_builder *b, int nx, int nz, bool mirrored)
{
    for (int i = 0; i < nx; i++)
        for (int k = 0; k < nz; k++) {
            int v00 = i * (nz + 1) + k, v01 = v00 + 1, v10 = v00 + nz + 1, v11 = v10 + 1, odd = mirrored && (i + k) % 2;
            vv_make_triangle(b, v00, v01, odd ? v10 : v11);
            vv_make_triangle(b, odd ? v01 : v00, v11, v10);
        }
}

bool vv_make_onto_sphere(const double centre[3], double radius, double x[3])
{
    double d[3];
    vv_sub(x, centre, d);
    const double length = vv_norm(d);
    for (int k = 0; length > 0 && k < 3; k++)
        x[k] = centre[k] + radius / length * d[k];
    return length > 0;
}

bool vv_make_is_at(double d, double radius) { return fabs(d - radius) <= 1e-9 * radius; }

vvStatus vv_make_done(vv_builder *b, vvMesh *mesh, vvError *error)
{
    vvStatus status = b->failed ? vv_fail_memory(error, "a generated mesh") : VV_OK;
    if (status == VV_OK)
        vv_builder_take(b, mesh);
    vv_builder_free(b);
    return status;
}

vvStatus vv_make_check(double count, const char *elements, const char *advice, vvError *error)
{
    if (count <= VV_GENERATOR_TETS)
        return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT, "would make %.3g %s; at most %d are allowed: %s", count, elements,
                   VV_GENERATOR_TETS, advice);
}

/* ---- grids --------------------------------------------------------------------------------------------------- */

/* Corners of a cell are numbered by bits: 1 for +x, 2 for +y, 4 for +z. */
static const int five[5][4] = { { 0, 1, 2, 4 }, { 3, 1, 2, 7 }, { 5, 1, 4, 7 }, { 6, 2, 4, 7 }, { 1, 2, 4, 7 } };
static const int six[6][4] = { { 0, 1, 3, 7 }, { 0, 1, 5, 7 }, { 0, 2, 3, 7 },
                               { 0, 2, 6, 7 }, { 0, 4, 5, 7 }, { 0, 4, 6, 7 } };

static int mirror_bits(vv_split split, const int cell[3], const int cells[3])
{
    if (split == VV_SPLIT_FIVE)
        return (cell[0] + cell[1] + cell[2]) % 2;
    int bits = 0;
    for (int k = 0; k < 3 && split == VV_SPLIT_SIX_MIRRORED; k++)
        bits |= (2 * cell[k] + 1 < cells[k]) << k;
    return bits;
}

static void cell_tets(vv_builder *b, const int cell[3], const int cells[3], vv_split split)
{
    int corner[8], mirror = mirror_bits(split, cell, cells);
    for (int c = 0; c < 8; c++) {
        int i = cell[0] + ((c ^ mirror) & 1), j = cell[1] + ((c ^ mirror) >> 1 & 1),
            k = cell[2] + ((c ^ mirror) >> 2 & 1);
        corner[c] = (i * (cells[1] + 1) + j) * (cells[2] + 1) + k;
    }
    int count = split == VV_SPLIT_FIVE ? 5 : 6;
    const int(*tets)[4] = split == VV_SPLIT_FIVE ? five : six;
    for (int t = 0; t < count; t++)
        vv_make_tet(b, corner[tets[t][0]], corner[tets[t][1]], corner[tets[t][2]], corner[tets[t][3]]);
}

void vv_make_cell_tets(vv_builder *b, const int corner[8])
{
    for (int t = 0; t < 6; t++)
        vv_make_tet(b, corner[six[t][0]], corner[six[t][1]], corner[six[t][2]], corner[six[t][3]]);
}

void vv_make_grid_tets(vv_builder *b, const int cells[3], vv_split split)
{
    for (int i = 0; i < cells[0]; i++)
        for (int j = 0; j < cells[1]; j++)
            for (int k = 0; k < cells[2]; k++)
                cell_tets(b, (int[]){ i, j, k }, cells, split);
}

/* ---- disks --------------------------------------------------------------------------------------------------- */

int vv_disk_vertex_count(int rings) { return 1 + 3 * rings * (rings + 1); }
int vv_disk_triangle_count(int rings) { return 6 * rings * rings; }

static int ring_vertex(int ring, int step) { return ring ? 1 + 3 * ring * (ring - 1) + step % (6 * ring) : 0; }

void vv_disk_point(int rings, int index, double *u, double *v)
{
    int ring = 0;
    while (index >= vv_disk_vertex_count(ring))
        ring++;
    *u = *v = 0;
    if (!ring)
        return;
    double angle = 2 * VV_PI * (index - ring_vertex(ring, 0)) / (6 * ring), radius = (double)ring / rings;
    *u = radius * cos(angle);
    *v = radius * sin(angle);
}

/* Ring r has 6 (2 r - 1) triangles; each sextant has r with their base on the outer circle and r - 1 on the inner
 * one. */
void vv_disk_triangle(int index, int corners[3])
{
    int ring = 1;
    while (index >= vv_disk_triangle_count(ring))
        ring++;
    int local = index - vv_disk_triangle_count(ring - 1), sextant = local / (2 * ring - 1),
        step = local % (2 * ring - 1);
    int outer = sextant * ring + step / 2, inner = sextant * (ring - 1) + step / 2;
    if (step % 2 == 0) {
        corners[0] = ring_vertex(ring - 1, inner);
        corners[1] = ring_vertex(ring, outer);
        corners[2] = ring_vertex(ring, outer + 1);
    } else {
        corners[0] = ring_vertex(ring - 1, inner);
        corners[1] = ring_vertex(ring, outer + 1);
        corners[2] = ring_vertex(ring - 1, inner + 1);
    }
}

/* Each side of a prism is cut from its smaller disk vertex below to the larger one above: neighbours agree, and the
 * order of the three vertices splits the prism into three tets. */
void vv_make_layer_tets(vv_builder *b, int rings, int low, int high)
{
    for (int t = 0; t < vv_disk_triangle_count(rings); t++) {
        int c[3];
        vv_disk_triangle(t, c);
        for (int i = 1; i < 3; i++)
            for (int j = i; j > 0 && c[j] < c[j - 1]; j--) {
                int swap = c[j];
                c[j] = c[j - 1];
                c[j - 1] = swap;
            }
        vv_make_tet(b, low + c[0], low + c[1], low + c[2], high + c[2]);
        vv_make_tet(b, low + c[0], low + c[1], high + c[1], high + c[2]);
        vv_make_tet(b, low + c[0], high + c[0], high + c[1], high + c[2]);
    }
}

double vv_make_noise(uint64_t seed, uint64_t point, uint64_t axis)
{
    uint64_t z = seed;
    for (int round = 0; round < 2; round++) {
        z += (3 * point + axis + 1) * 0x9E3779B97F4A7C15u;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
        z = (z ^ z >> 27) * 0x94D049BB133111EBu;
        z ^= z >> 31;
    }
    return (double)(z >> 11) * 0x1p-52 - 1;
}

vvStatus vv_make_flat_uvs(vvMesh *mesh, double width, double depth, vvError *error)
{
    mesh->uvs = vv_alloc(6 * (size_t)mesh->triangleCount, sizeof *mesh->uvs);
    if (!mesh->uvs) {
        vvMeshDestroy(mesh);
        return vv_fail_memory(error, "a generated mesh");
    }
    for (size_t c = 0; c < 3 * (size_t)mesh->triangleCount; c++) {
        const double *x = mesh->positions + 3 * (size_t)mesh->triangles[c];
        mesh->uvs[2 * c] = fmin(fmax(0.5 + x[0] / width, 0), 1);
        mesh->uvs[2 * c + 1] = fmin(fmax(0.5 - x[2] / depth, 0), 1);
    }
    return VV_OK;
}
