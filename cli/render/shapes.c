/* Geometry that is made of formulas: tubes for springs, the obstacles' shapes; and the growing arrays they go into. */
#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void vv_unit3(double a[3])
{
    double length = sqrt(vv_dot3(a, a));
    if (!(length > 0)) {
        a[0] = 0, a[1] = 1, a[2] = 0;
        return;
    }
    for (int k = 0; k < 3; k++)
        a[k] /= length;
}

void vv_turn3(const double degrees[3], double r[9])
{
    double c[3], s[3];
    for (int k = 0; k < 3; k++) {
        c[k] = cos(degrees[k] * M_PI / 180);
        s[k] = sin(degrees[k] * M_PI / 180);
    }
    r[0] = c[1] * c[2], r[1] = -c[1] * s[2], r[2] = s[1];
    r[3] = c[0] * s[2] + s[0] * s[1] * c[2], r[4] = c[0] * c[2] - s[0] * s[1] * s[2], r[5] = -s[0] * c[1];
    r[6] = s[0] * s[2] - c[0] * s[1] * c[2], r[7] = s[0] * c[2] + c[0] * s[1] * s[2], r[8] = c[0] * c[1];
}

/* ---- growing arrays ---- */

void vv_geometry_clear(vv_geometry *g)
{
    static const vv_indices none[2];
    g->vertexCount = g->indexCount = g->rest = 0;
    memcpy(g->solid, none, sizeof none);
    memcpy(g->thin, none, sizeof none);
    g->failed = false;
}

void vv_geometry_destroy(vv_geometry *g)
{
    free(g->vertices);
    free(g->indices);
    *g = (vv_geometry){ 0 };
}

int vv_geometry_append(vv_geometry *g, int vertices, int indices)
{
    if (g->vertexCount + vertices > g->vertexRoom) {
        int room = 2 * g->vertexRoom + vertices;
        vv_vertex *more = realloc(g->vertices, (size_t)room * sizeof *more);
        if (!more)
            return g->failed = true, -1;
        g->vertices = more;
        g->vertexRoom = room;
    }
    if (g->indexCount + indices > g->indexRoom) {
        int room = 2 * g->indexRoom + indices;
        unsigned *more = realloc(g->indices, (size_t)room * sizeof *more);
        if (!more)
            return g->failed = true, -1;
        g->indices = more;
        g->indexRoom = room;
    }
    int first = g->vertexCount;
    g->vertexCount += vertices;
    g->indexCount += indices;
    return first;
}

/* ---- surfaces of revolution ---- */

/* A profile point: height along the axis, radius, and the normal in that plane. */
typedef struct profile_point {
    double z, r, nz, nr;
} profile_point;

/* Two directions at right angles to the unit vector. */
static void frame_of(const double axis[3], double u[3], double v[3])
{
    double pick[3] = { 0, 0, 0 };
    int least = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(axis[k]) < fabs(axis[least]))
            least = k;
    pick[least] = 1;
    vv_cross3(pick, axis, u);
    vv_unit3(u);
    vv_cross3(axis, u, v);
}

/* Turns the profile round the axis; each pair of neighbouring points is a band unless they are a crease (same place,
 * two normals). Triangles face outwards when z grows along the profile. */
static void revolve(vv_geometry *g, const double origin[3], const double axis[3], const profile_point *points,
                    int count, int sides, const float colour[4])
{
    double u[3], v[3];
    frame_of(axis, u, v);
    int first = vv_geometry_append(g, count * sides, (count - 1) * sides * 6);
    if (first < 0)
        return;
    vv_vertex *vertex = g->vertices + first;
    unsigned *index = g->indices + g->indexCount - (count - 1) * sides * 6;
    for (int p = 0; p < count; p++)
        for (int s = 0; s < sides; s++, vertex++) {
            double c = cos(2 * M_PI * s / sides), d = sin(2 * M_PI * s / sides);
            for (int k = 0; k < 3; k++) {
                double out = c * u[k] + d * v[k];
                vertex->position[k] = (float)(origin[k] + points[p].z * axis[k] + points[p].r * out);
                vertex->normal[k] = (float)(points[p].nz * axis[k] + points[p].nr * out);
            }
            memcpy(vertex->colour, colour, 4 * sizeof *colour);
        }
    for (int p = 0; p + 1 < count; p++)
        for (int s = 0; s < sides; s++) {
            unsigned a = (unsigned)(first + p * sides + s), b = (unsigned)(first + p * sides + (s + 1) % sides);
            unsigned quad[6] = { a, b, a + (unsigned)sides, b, b + (unsigned)sides, a + (unsigned)sides };
            memcpy(index, quad, sizeof quad);
            index += 6;
        }
}

void vv_geometry_tube(vv_geometry *g, const double a[3], const double b[3], double radius, int sides, bool caps,
                      const float colour[4])
{
    double axis[3] = { b[0] - a[0], b[1] - a[1], b[2] - a[2] };
    double length = sqrt(vv_dot3(axis, axis));
    vv_unit3(axis);
    const double h = sqrt(0.5);
    const profile_point capsule[6] = {
        { -radius, 0, -1, 0 },    { -h * radius, h * radius, -h, h },        { 0, radius, 0, 1 },
        { length, radius, 0, 1 }, { length + h * radius, h * radius, h, h }, { length + radius, 0, 1, 0 }
    };
    if (caps)
        revolve(g, a, axis, capsule, 6, sides, colour);
    else
        revolve(g, a, axis, capsule + 2, 2, sides, colour);
}

enum { SPHERE_RINGS = 40 };

void vv_geometry_ball(vv_geometry *g, const double centre[3], double radius, int rings, const float colour[4])
{
    profile_point points[SPHERE_RINGS + 1];
    for (int i = 0; i <= rings; i++) {
        double t = M_PI * i / rings;
        points[i] = (profile_point){ -radius * cos(t), radius * sin(t), -cos(t), sin(t) };
    }
    revolve(g, centre, (const double[3]){ 0, 1, 0 }, points, rings + 1, 2 * rings, colour);
}

static void add_cylinder(vv_geometry *g, const double centre[3], const double direction[3], double radius,
                         double height, const float colour[4])
{
    double axis[3] = { direction[0], direction[1], direction[2] }, h = height / 2, soft = 0.02 * fmin(radius, h);
    vv_unit3(axis);
    /* a hair of rounding along the rims catches the light */
    const profile_point points[8] = { { -h, 0, -1, 0 },
                                      { -h, radius - soft, -1, 0 },
                                      { -h + soft, radius, 0, 1 },
                                      { -h + soft, radius, 0, 1 },
                                      { h - soft, radius, 0, 1 },
                                      { h - soft, radius, 0, 1 },
                                      { h, radius - soft, 1, 0 },
                                      { h, 0, 1, 0 } };
    revolve(g, centre, axis, points, 8, 96, colour);
}

enum { ROUND = 24 };

static void add_capsule(vv_geometry *g, const double centre[3], const double direction[3], double radius, double height,
                        const float colour[4])
{
    double axis[3] = { direction[0], direction[1], direction[2] };
    profile_point points[2 * ROUND + 2];
    vv_unit3(axis);
    for (int i = 0; i < 2 * ROUND + 2; i++) {
        const bool upper = i > ROUND;
        const double t = 0.5 * M_PI * (upper ? i - 1 : i) / ROUND, z = -cos(t), r = i == 2 * ROUND + 1 ? 0 : sin(t);
        points[i] = (profile_point){ (upper ? height : -height) / 2 + radius * z, radius * r, z, r };
    }
    revolve(g, centre, axis, points, 2 * ROUND + 2, 96, colour);
}

static void add_torus(vv_geometry *g, const double centre[3], const double direction[3], double radius, double tube,
                      const float colour[4])
{
    double axis[3] = { direction[0], direction[1], direction[2] };
    profile_point points[2 * ROUND + 1];
    vv_unit3(axis);
    for (int i = 0; i <= 2 * ROUND; i++) { /* outside upwards */
        const double t = M_PI * i / ROUND, z = sin(t), r = cos(t);
        points[i] = (profile_point){ tube * z, radius + tube * r, z, r };
    }
    revolve(g, centre, axis, points, 2 * ROUND + 1, 128, colour);
}

static void add_box(vv_geometry *g, const double centre[3], const double size[3], const double degrees[3],
                    const float colour[4])
{
    double r[9];
    vv_turn3(degrees, r);
    for (int face = 0; face < 6; face++) {
        int axis = face / 2, a = (axis + 1) % 3, b = (axis + 2) % 3, first = vv_geometry_append(g, 4, 6);
        double sign = face % 2 ? 1 : -1;
        if (first < 0)
            return;
        for (int i = 0; i < 4; i++) {
            vv_vertex *v = g->vertices + first + i;
            double local[3];
            local[axis] = sign * size[axis] / 2;
            local[a] = (i == 1 || i == 2 ? 0.5 : -0.5) * size[a] * sign;
            local[b] = (i >= 2 ? 0.5 : -0.5) * size[b];
            for (int k = 0; k < 3; k++) {
                v->position[k] =
                    (float)(centre[k] + r[3 * k] * local[0] + r[3 * k + 1] * local[1] + r[3 * k + 2] * local[2]);
                v->normal[k] = (float)(sign * r[3 * k + axis]);
            }
            memcpy(v->colour, colour, 4 * sizeof *colour);
        }
        static const unsigned order[6] = { 0, 1, 2, 0, 2, 3 };
        for (int i = 0; i < 6; i++)
            g->indices[g->indexCount - 6 + i] = (unsigned)first + order[i];
    }
}

/* Normals are the mean of the triangles', by area. */
void vv_geometry_mesh(vv_geometry *g, const vvMesh *mesh, const double origin[3], const float colour[4])
{
    const int first = vv_geometry_append(g, mesh->vertexCount, 3 * mesh->triangleCount);
    if (first < 0)
        return;
    double *normal = calloc(3 * (size_t)mesh->vertexCount, sizeof *normal);
    if (!normal) {
        g->failed = true;
        return;
    }
    unsigned *index = g->indices + g->indexCount - 3 * mesh->triangleCount;
    for (int t = 0; t < mesh->triangleCount; t++) {
        const int *v = mesh->triangles + 3 * (size_t)t;
        const double *a = mesh->positions + 3 * (size_t)v[0], *b = mesh->positions + 3 * (size_t)v[1],
                     *c = mesh->positions + 3 * (size_t)v[2];
        const double u[3] = { b[0] - a[0], b[1] - a[1], b[2] - a[2] }, w[3] = { c[0] - a[0], c[1] - a[1], c[2] - a[2] };
        double n[3];
        vv_cross3(u, w, n);
        for (int k = 0; k < 3; k++) {
            *index++ = (unsigned)(first + v[k]);
            for (int m = 0; m < 3; m++)
                normal[3 * (size_t)v[k] + (size_t)m] += n[m];
        }
    }
    for (int i = 0; i < mesh->vertexCount; i++) {
        vv_vertex *to = g->vertices + first + i;
        vv_unit3(normal + 3 * (size_t)i);
        for (int k = 0; k < 3; k++) {
            to->position[k] = (float)(mesh->positions[3 * (size_t)i + (size_t)k] - origin[k]);
            to->normal[k] = (float)normal[3 * (size_t)i + (size_t)k];
        }
        memcpy(to->colour, colour, 4 * sizeof *colour);
    }
    free(normal);
}

bool vv_geometry_obstacle(vv_geometry *g, const char *type, const double *values, const double origin[3],
                          const float colour[4])
{
    double centre[3];
    for (int k = 0; k < 3; k++)
        centre[k] = values[k] - origin[k];
    if (strcmp(type, "sphere") == 0)
        vv_geometry_ball(g, centre, values[3], SPHERE_RINGS, colour);
    else if (strcmp(type, "cylinder") == 0)
        add_cylinder(g, centre, values + 3, values[6], values[7], colour);
    else if (strcmp(type, "capsule") == 0)
        add_capsule(g, centre, values + 3, values[6], values[7], colour);
    else if (strcmp(type, "torus") == 0)
        add_torus(g, centre, values + 3, values[6], values[7], colour);
    else if (strcmp(type, "box") == 0)
        add_box(g, centre, values + 3, values + 6, colour);
    else
        return false;
    return true;
}
