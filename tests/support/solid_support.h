/* Closed surfaces for affine bodies, and what the solids are that they bound. */
#ifndef VV_TESTS_SOLID_SUPPORT_H
#define VV_TESTS_SOLID_SUPPORT_H

#include "world_support.h"

typedef struct solid {
    double mass, centre[3], second[9];
} solid; /* second: of rho X X^T about the centre */

/* ---- surfaces ---- */

typedef struct surface {
    int vertices, triangles;
    double x[3 * 1024];
    int list[3 * 2048];
} surface;

static inline vvMesh mesh_of(surface *s)
{
    return (
        vvMesh){ .vertexCount = s->vertices, .triangleCount = s->triangles, .positions = s->x, .triangles = s->list };
}

/* A box of the surface's own 8 vertices; turned over for a cavity. */
static inline void put_block(surface *s, const double low[3], const double size[3], bool inwards)
{
    static const int faces[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                   2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };
    for (int i = 0; i < 36; i++)
        s->list[3 * s->triangles + (inwards && i % 3 ? i + (i % 3 == 1 ? 1 : -1) : i)] = s->vertices + faces[i];
    for (int v = 0; v < 8; v++)
        for (int k = 0; k < 3; k++)
            s->x[3 * (s->vertices + v) + k] = low[k] + (v >> k & 1 ? size[k] : 0);
    s->vertices += 8, s->triangles += 12;
}

/* Two bars of 1 x 1 x 2 that share a cube: 0 to 2 along x, 0 to 2 along y, in units of `unit`. */
static inline void put_corner(surface *s, double unit)
{
    static const double outline[12] = { 0, 0, 2, 0, 2, 1, 1, 1, 1, 2, 0, 2 };
    static const int cap[12] = { 0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5 };
    for (int v = 0; v < 12; v++) {
        const double at[3] = { outline[2 * (v % 6)], outline[2 * (v % 6) + 1], v / 6 };
        for (int k = 0; k < 3; k++)
            s->x[3 * v + k] = unit * at[k];
    }
    for (int t = 0; t < 4; t++)
        for (int k = 0; k < 3; k++) {
            s->list[3 * t + k] = cap[3 * t + 2 - k];
            s->list[12 + 3 * t + k] = 6 + cap[3 * t + k];
        }
    for (int e = 0; e < 6; e++) {
        const int a = e, b = (e + 1) % 6, side[6] = { a, b, b + 6, a, b + 6, a + 6 };
        memcpy(s->list + 24 + 6 * e, side, sizeof side);
    }
    s->vertices = 12, s->triangles = 20;
}

static inline void put_torus(surface *s, double large, double small, int around, int across)
{
    for (int i = 0; i < around; i++)
        for (int j = 0; j < across; j++) {
            double a = 2 * PI * i / around, b = 2 * PI * j / across, r = large + small * cos(b),
                   *x = s->x + 3 * (i * across + j);
            x[0] = r * cos(a), x[1] = small * sin(b), x[2] = r * sin(a);
            const int p = i * across + j, q = (i + 1) % around * across + j, d = i * across + (j + 1) % across,
                      c = (i + 1) % around * across + (j + 1) % across, two[6] = { p, d, c, p, c, q };
            memcpy(s->list + 6 * p, two, sizeof two);
        }
    s->vertices = around * across, s->triangles = 2 * s->vertices;
}

static inline void put_sphere(surface *s, double radius)
{
    vvError error = { 0 };
    vvMesh ball = { 0 };
    assert_ok(generate_mesh("ball", (double[]){ radius, 4 }, &ball, &error));
    ball.tetCount = 0;
    assert_ok(vvMeshFinish(&ball, NULL, &error));
    s->vertices = ball.vertexCount, s->triangles = ball.triangleCount;
    memcpy(s->x, ball.positions, 3 * (size_t)ball.vertexCount * sizeof *s->x);
    memcpy(s->list, ball.triangles, 3 * (size_t)ball.triangleCount * sizeof *s->list);
    vvMeshDestroy(&ball);
}

/* ---- what they bound ---- */

/* By a rule of four points, exact for squares, in each tet between a triangle and the origin: not the library's
 * formula. */
static inline solid measure(const surface *s, double density)
{
    const double near = (5 + 3 * sqrt(5)) / 20, far = (5 - sqrt(5)) / 20;
    solid m = { 0 };
    for (int t = 0; t < s->triangles; t++) {
        const double *c[4] = { (double[]){ 0, 0, 0 }, s->x + 3 * s->list[3 * t], s->x + 3 * s->list[3 * t + 1],
                               s->x + 3 * s->list[3 * t + 2] };
        double v = 0;
        for (int k = 0; k < 3; k++)
            v +=
                c[1][k] * (c[2][(k + 1) % 3] * c[3][(k + 2) % 3] - c[2][(k + 2) % 3] * c[3][(k + 1) % 3]) / 6 * density;
        m.mass += v;
        for (int p = 0; p < 4; p++) {
            double x[3] = { 0 };
            for (int i = 0; i < 12; i++)
                x[i % 3] += (i / 3 == p ? near : far) * c[i / 3][i % 3];
            for (int i = 0; i < 9; i++) {
                m.centre[i % 3] += i < 3 ? v / 4 * x[i] : 0;
                m.second[i] += v / 4 * x[i / 3] * x[i % 3];
            }
        }
    }
    for (int k = 0; k < 3; k++)
        m.centre[k] /= m.mass;
    for (int i = 0; i < 9; i++)
        m.second[i] -= m.mass * m.centre[i / 3] * m.centre[i % 3];
    return m;
}

static inline vvBodyDef affine_def(void)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = vvDefaultMaterialOf("affine");
    def.material.density = 700;
    return def;
}

static inline vvBodyId add_solid(vvWorld *w, surface *s, const vvBodyDef *def)
{
    vvError error = { 0 };
    vvMesh mesh = mesh_of(s);
    vvBodyDef own = *def;
    vvBodyId id;
    own.mesh = &mesh;
    assert_ok(vvWorldAddBody(w, &own, &id, &error));
    assert_true(vvBodyIsAffine(w, id));
    return id;
}

#endif
