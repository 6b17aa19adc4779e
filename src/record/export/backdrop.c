/* Obstacles as exports show them. */
#include "record/export/backdrop.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "contact/obstacles/obstacle.h"

/* ---- where they are ---- */

/* Two unit vectors that complete `direction` to a right-handed frame. */
static bool frame_about(const double direction[3], double axes[3][3])
{
    double length = vv_norm(direction), side[3] = { 0, 0, 0 };
    if (!(length > 0) || !isfinite(length))
        return false;
    for (int k = 0; k < 3; k++)
        axes[2][k] = direction[k] / length;
    int least = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(axes[2][k]) < fabs(axes[2][least]))
            least = k;
    side[least] = 1;
    vv_cross(axes[2], side, axes[1]);
    length = vv_norm(axes[1]);
    for (int k = 0; k < 3; k++)
        axes[1][k] /= length;
    vv_cross(axes[1], axes[2], axes[0]);
    return true;
}

static void scale(double axes[3][3], double x, double y, double z)
{
    for (int k = 0; k < 3; k++) { /* + 0: no -0 in the files */
        axes[0][k] = axes[0][k] * x + 0;
        axes[1][k] = axes[1][k] * y + 0;
        axes[2][k] = axes[2][k] * z + 0;
    }
}

/* values: point, normal */
static bool plane(const double *values, const vv_bounds *bounds, vv_backdrop *out)
{
    if (!frame_about(values + 3, out->axes))
        return false;
    double middle[3], height = 0, reach = 0.75 * vv_bounds_diagonal(bounds);
    for (int k = 0; k < 3; k++) {
        middle[k] = bounds->low[k] <= bounds->high[k] ? (bounds->low[k] + bounds->high[k]) / 2 : values[k];
        height += out->axes[2][k] * (middle[k] - values[k]);
    }
    for (int k = 0; k < 3; k++)
        out->centre[k] = middle[k] - height * out->axes[2][k];
    if (!(reach > 0))
        reach = 1;
    scale(out->axes, reach, reach, 1);
    out->shape = VV_UNIT_SQUARE;
    return true;
}

/* values: centre, edge lengths, degrees */
static bool box(const double *values, vv_backdrop *out)
{
    double r[9];
    vv_euler_degrees(values + 6, r);
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++)
            out->axes[a][k] = r[3 * k + a];
    scale(out->axes, values[3] / 2, values[4] / 2, values[5] / 2);
    memcpy(out->centre, values, sizeof out->centre);
    out->shape = VV_UNIT_CUBE;
    return true;
}

/* values: centre, axis, radius, height */
static bool cylinder(const double *values, vv_backdrop *out)
{
    if (!frame_about(values + 3, out->axes))
        return false;
    scale(out->axes, values[6], values[6], values[7] / 2);
    memcpy(out->centre, values, sizeof out->centre);
    out->shape = VV_UNIT_CYLINDER;
    return true;
}

/* values: centre, radius */
static bool sphere(const double *values, vv_backdrop *out)
{
    const double z[3] = { 0, 0, 1 };
    frame_about(z, out->axes);
    scale(out->axes, values[3], values[3], values[3]);
    memcpy(out->centre, values, sizeof out->centre);
    out->shape = VV_UNIT_BALL;
    return true;
}

/* What no unit shape is an image of: as it is, about its first three values. */
static bool own(const double *values, vv_backdrop *out)
{
    const double z[3] = { 0, 0, 1 };
    frame_about(z, out->axes);
    memcpy(out->centre, values, sizeof out->centre);
    out->shape = VV_OWN_SHAPE;
    return true;
}

static bool placed(const vv_backdrop *b)
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += fabs(b->axes[0][k]) + fabs(b->axes[1][k]) + fabs(b->axes[2][k]) + fabs(b->centre[k]);
    return sum < 1e30;
}

bool vv_backdrop_find(const vvRun *run, int index, const vv_bounds *bounds, vv_backdrop *out)
{
    const double *values;
    int count;
    const char *type = vvRunObstacle(run, index, &values, &count);
    *out = (vv_backdrop){ .type = type, .index = index };
    bool found = false;
    if (type && strcmp(type, "plane") == 0 && count == 6)
        found = plane(values, bounds, out);
    else if (type && strcmp(type, "sphere") == 0 && count == 4)
        found = sphere(values, out);
    else if (type && strcmp(type, "box") == 0 && count == 9)
        found = box(values, out);
    else if (type && strcmp(type, "cylinder") == 0 && count == 8)
        found = cylinder(values, out);
    else if (type && vv_obstacle_find(type) && count == vv_obstacle_value_count(vv_obstacle_find(type)))
        found = own(values, out);
    return found && placed(out);
}

/* ---- unit shapes as triangles ---- */

typedef struct vv_mesher {
    float *vertices;
    int *indices;
    int vertex_count, index_count;
} vv_mesher;

static void vertex(vv_mesher *m, double x, double y, double z, double nx, double ny, double nz)
{
    const double all[6] = { x, y, z, nx, ny, nz };
    for (int k = 0; k < 6; k++)
        m->vertices[6 * m->vertex_count + k] = (float)all[k];
    m->vertex_count++;
}

static void triangle(vv_mesher *m, int a, int b, int c)
{
    int *out = m->indices + m->index_count;
    out[0] = a, out[1] = b, out[2] = c;
    m->index_count += 3;
}

static void square(vv_mesher *m)
{
    for (int i = 0; i < 4; i++)
        vertex(m, i == 0 || i == 3 ? -1 : 1, i < 2 ? -1 : 1, 0, 0, 0, 1);
    triangle(m, 0, 1, 2);
    triangle(m, 0, 2, 3);
}

static void cube(vv_mesher *m)
{
    for (int face = 0; face < 6; face++) {
        int first = m->vertex_count, axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        double side = face % 2 ? 1 : -1, n[3] = { 0, 0, 0 };
        n[axis] = side;
        for (int i = 0; i < 4; i++) {
            double p[3];
            p[axis] = side;
            p[u] = (i == 0 || i == 3 ? -1 : 1) * side;
            p[v] = i < 2 ? -1 : 1;
            vertex(m, p[0], p[1], p[2], n[0], n[1], n[2]);
        }
        triangle(m, first, first + 1, first + 2);
        triangle(m, first, first + 2, first + 3);
    }
}

enum { AROUND = 48, DOWN = 24 };

/* Two rings of AROUND + 1 vertices joined by a strip; the first ring's vertices begin at a, the other's at b. Either
 * ring may be a single point. */
static void strip(vv_mesher *m, int a, int b, bool point_above, bool point_below)
{
    for (int i = 0; i < AROUND; i++) {
        if (!point_below)
            triangle(m, a + i, b + i, b + i + 1);
        if (!point_above)
            triangle(m, a + i, b + i + 1, a + i + 1);
    }
}

static void ball(vv_mesher *m)
{
    for (int j = 0; j <= DOWN; j++)
        for (int i = 0; i <= AROUND; i++) {
            double polar = M_PI * j / DOWN, angle = 2 * M_PI * (i % AROUND) / AROUND, r = j % DOWN ? sin(polar) : 0;
            double x = r * cos(angle), y = r * sin(angle), z = cos(polar);
            vertex(m, x, y, z, x, y, z);
        }
    for (int j = 0; j < DOWN; j++)
        strip(m, j * (AROUND + 1), (j + 1) * (AROUND + 1), j == 0, j + 1 == DOWN);
}

static void cylinder_mesh(vv_mesher *m)
{
    for (int ring = 0; ring < 4; ring++) /* cap, wall, wall, cap */
        for (int i = 0; i <= AROUND; i++) {
            double angle = 2 * M_PI * (i % AROUND) / AROUND, x = cos(angle), y = sin(angle), z = ring < 2 ? 1 : -1;
            bool wall = ring == 1 || ring == 2;
            vertex(m, x, y, z, wall ? x : 0, wall ? y : 0, wall ? 0 : z);
        }
    strip(m, AROUND + 1, 2 * (AROUND + 1), false, false);
    for (int i = 1; i + 1 < AROUND; i++) {
        int low = 3 * (AROUND + 1);
        triangle(m, 0, i, i + 1);
        triangle(m, low, low + i + 1, low + i);
    }
}

/* Of smooth surfaces: a vertex's normal is the mean of its triangles', by area. */
static void give_normals(const vvMesh *mesh, float *vertices)
{
    for (int t = 0; t < 3 * mesh->triangleCount; t += 3) {
        const int *v = mesh->triangles + t;
        double n[3];
        vv_triangle_normal(mesh->positions, v, n);
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                vertices[6 * (size_t)v[c] + 3 + (size_t)k] += (float)n[k];
    }
    for (int i = 0; i < mesh->vertexCount; i++) {
        float *n = vertices + 6 * (size_t)i + 3, length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3 && length > 0; k++)
            n[k] /= length;
    }
}

static vvStatus own_mesh(const vvRun *run, int index, float **vertices, int *count, int **indices, int *index_count,
                         vvError *error)
{
    const double *values;
    int value_count, counts[3];
    const char *type = vvRunObstacle(run, index, &values, &value_count);
    const double *samples = vvRunObstacleSamples(run, index, counts);
    vvMesh mesh;
    vvStatus status = vv_obstacle_surface(type, values, value_count, counts, samples, 1, &mesh, error);
    if (status != VV_OK)
        return status;
    *vertices = vv_alloc(6 * (size_t)mesh.vertexCount, sizeof **vertices);
    *indices = vv_alloc_copy(mesh.triangles, 3 * (size_t)mesh.triangleCount, sizeof **indices);
    *count = mesh.vertexCount;
    *index_count = 3 * mesh.triangleCount;
    if (*vertices && *indices) {
        for (int i = 0; i < mesh.vertexCount; i++)
            for (int k = 0; k < 3; k++)
                (*vertices)[6 * (size_t)i + (size_t)k] = (float)mesh.positions[3 * (size_t)i + (size_t)k];
        give_normals(&mesh, *vertices);
    } else {
        vv_free(*vertices);
        vv_free(*indices);
        *vertices = NULL, *indices = NULL;
        status = vv_fail_memory(error, "an export");
    }
    vvMeshDestroy(&mesh);
    return status;
}

vvStatus vv_backdrop_mesh(const vvRun *run, const vv_backdrop *backdrop, float **vertices, int *count, int **indices,
                          int *index_count, vvError *error)
{
    if (backdrop->shape == VV_OWN_SHAPE)
        return own_mesh(run, backdrop->index, vertices, count, indices, index_count, error);
    static void (*const make[VV_UNIT_SHAPES])(vv_mesher *) = { square, ball, cube, cylinder_mesh };
    enum { MOST_VERTICES = (DOWN + 1) * (AROUND + 1), MOST_INDICES = 6 * DOWN * AROUND };
    vv_mesher m = { vv_alloc(6 * MOST_VERTICES, sizeof(float)), vv_alloc(MOST_INDICES, sizeof(int)), 0, 0 };
    if (!m.vertices || !m.indices) {
        vv_free(m.vertices);
        vv_free(m.indices);
        return vv_fail_memory(error, "an export");
    }
    make[backdrop->shape](&m);
    *vertices = m.vertices;
    *count = m.vertex_count;
    *indices = m.indices;
    *index_count = m.index_count;
    return VV_OK;
}
