/* Affine bodies from closed surfaces: the solid's moments by integrals over its surface, its four nodes, and what
 * these carry. */
#include "world/bodies/affine.h"

#include "base/error.h"
#include "base/vec.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

bool vv_affine_is(const vvBodyDef *def)
{
    const vv_element_kind *kind =
        def->kinematic || !def->material.model ? NULL : vv_element_kind_find(def->material.model);
    return kind && kind->affine;
}

/* ---- what it may be ---- */

static vvStatus check_def(const vvBodyDef *def, const char *name, vvError *error)
{
    const char *what = def->surface || def->surfaceCollides ? "a carried surface: it carries its own mesh"
                       : def->moreMaterialCount > 0         ? "more than one material"
                       : def->triangleThickness || def->triangleStiffness || def->restAngleCount > 0
                           ? "numbers of shells"
                           : NULL;
    if (what)
        return vv_fail(error, VV_ERROR_INPUT, "body \"%s\": an affine body cannot have %s; leave it out", name, what);
    if (def->mesh->triangleCount <= 0)
        return vv_fail(error, VV_ERROR_INPUT,
                       "body \"%s\": an affine body needs a closed surface or tetrahedra, and the mesh has neither",
                       name);
    return VV_OK;
}

static void say_fault(const vvSurfaceCheck *c, char *text, size_t size)
{
    if (c->openEdges > 0)
        snprintf(text, size,
                 "is open at %d edge%s, the first between vertices %d and %d; close it (vvMeshCloseHoles, visviva mesh "
                 "--close)",
                 c->openEdges, c->openEdges > 1 ? "s" : "", c->openEdge[0][0], c->openEdge[0][1]);
    else if (c->flatTriangles > 0)
        snprintf(text, size, "has %d triangle%s without area, the first is triangle %d; leave it out", c->flatTriangles,
                 c->flatTriangles > 1 ? "s" : "", c->flatTriangle[0]);
    else if (c->crowdedEdges > 0)
        snprintf(text, size, "has %d edge%s of more than two triangles, the first between vertices %d and %d",
                 c->crowdedEdges, c->crowdedEdges > 1 ? "s" : "", c->crowdedEdge[0][0], c->crowdedEdge[0][1]);
    else if (c->turnedEdges > 0)
        snprintf(text, size,
                 "has %d edge%s where one triangle is reversed, the first between vertices %d and %d; run it "
                 "through vvMeshFinish",
                 c->turnedEdges, c->turnedEdges > 1 ? "s" : "", c->turnedEdge[0][0], c->turnedEdge[0][1]);
    else if (c->crossings > 0)
        snprintf(text, size, "passes through itself, first where triangle %d meets triangle %d", c->crossing[0][0],
                 c->crossing[0][1]);
    else
        snprintf(text, size,
                 "faces inwards in %d of %d parts: they are reversed, or lie in another without bounding a cavity",
                 c->reversedCount, c->partCount);
}

static vvStatus check_surface(const vvMesh *mesh, const char *name, vvError *error)
{
    vvMesh surface = { .vertexCount = mesh->vertexCount,
                       .triangleCount = mesh->triangleCount,
                       .positions = mesh->positions,
                       .triangles = mesh->triangles };
    vvSurfaceCheck check;
    vvStatus status = vvMeshCheckSurface(&surface, &check, error);
    if (status != VV_OK)
        return status;
    if (!check.sound || check.reversedCount > 0) {
        char fault[256];
        say_fault(&check, fault, sizeof fault);
        status =
            vv_fail(error, VV_ERROR_INPUT,
                    "body \"%s\": an affine body needs a surface that bounds a volume, but this one %s", name, fault);
    }
    vvSurfaceCheckDestroy(&check);
    return status;
}

/* ---- the solid ---- */

typedef struct moments {
    double volume, centre[3], spread[9]; /* m^3, m, m^2 */
    double size;                         /* m: the diagonal of the box around it */
} moments;

/* Around the corners of the triangles: other vertices are no part of the solid. */
static void box_of(const double *x, const int *triangles, int count, double low[3], double high[3])
{
    for (int k = 0; k < 3; k++)
        low[k] = INFINITY, high[k] = -INFINITY;
    for (int i = 0; i < 3 * count; i++)
        for (int k = 0; k < 3; k++) {
            double at = x[3 * (size_t)triangles[i] + (size_t)k];
            low[k] = fmin(low[k], at), high[k] = fmax(high[k], at);
        }
}

/* Sums over the tets between the triangles and a point within: of such a tet (0, a, b, c) of volume v, the integral
 * of x is v (a + b + c)/4, that of x x^T is v/20 ((a + b + c)(a + b + c)^T + a a^T + b b^T + c c^T). */
static moments integrate(const double *x, const int *triangles, int count)
{
    double low[3], high[3], first[3] = { 0 }, second[9] = { 0 }, size[3], origin[3];
    moments m = { 0 };
    box_of(x, triangles, count, low, high);
    vv_sub(high, low, size);
    m.size = vv_norm(size);
    for (int k = 0; k < 3; k++)
        origin[k] = 0.5 * (low[k] + high[k]);
    for (int t = 0; t < count; t++) {
        double corner[9], sum[3]; /* a corner a row */
        for (int k = 0; k < 3; k++)
            vv_sub(x + 3 * (size_t)triangles[3 * (size_t)t + (size_t)k], origin, corner + 3 * k);
        double v = vv_det(corner) / 6;
        m.volume += v;
        for (int i = 0; i < 3; i++) {
            sum[i] = corner[i] + corner[3 + i] + corner[6 + i];
            first[i] += v * sum[i] / 4;
        }
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double own = 0;
                for (int k = 0; k < 3; k++)
                    own += corner[3 * k + i] * corner[3 * k + j];
                second[3 * i + j] += v / 20 * (sum[i] * sum[j] + own);
            }
    }
    for (int i = 0; i < 3; i++)
        first[i] /= m.volume;
    for (int i = 0; i < 3; i++) {
        m.centre[i] = origin[i] + first[i];
        for (int j = 0; j < 3; j++)
            m.spread[3 * i + j] = second[3 * i + j] / m.volume - first[i] * first[j];
    }
    return m;
}

/* S, the symmetric root of the spread, and its inverse. */
static void roots(const moments *m, double s[9], double inverse[9], bool *floored)
{
    double w[3], v[9], most = 0;
    vv_eigen_symmetric(m->spread, w, v);
    for (int k = 0; k < 3; k++) {
        w[k] = sqrt(fmax(w[k], 0));
        most = fmax(most, w[k]);
    }
    for (int k = 0; k < 3; k++) {
        *floored = *floored || w[k] < VV_AFFINE_THINNEST * most;
        w[k] = fmax(w[k], VV_AFFINE_THINNEST * most);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            s[3 * i + j] = inverse[3 * i + j] = 0;
            for (int k = 0; k < 3; k++) {
                double p = v[3 * i + k] * v[3 * j + k];
                s[3 * i + j] += w[k] * p;
                inverse[3 * i + j] += p / w[k];
            }
        }
}

/* sqrt(3) times the corners of a regular tetrahedron on the unit sphere. */
static const signed char corners[4][3] = { { 1, 1, 1 }, { 1, -1, -1 }, { -1, 1, -1 }, { -1, -1, 1 } };
static const int tet[4] = { 0, 1, 3, 2 }, faces[12] = { 0, 3, 1, 0, 1, 2, 0, 2, 3, 1, 3, 2 };

static void place_nodes(const moments *m, const double s[9], vv_affine *a)
{
    for (int k = 0; k < 4; k++) {
        double x[3];
        vv_matvec(s, (double[]){ corners[k][0], corners[k][1], corners[k][2] }, x);
        for (int i = 0; i < 3; i++)
            a->positions[3 * k + i] = m->centre[i] + x[i];
    }
    memcpy(a->tet, tet, sizeof tet);
    memcpy(a->faces, faces, sizeof faces);
    a->mesh = (vvMesh){ .vertexCount = 4,
                        .tetCount = 1,
                        .triangleCount = 4,
                        .positions = a->positions,
                        .tets = a->tet,
                        .triangles = a->faces };
}

/* ---- what it carries ---- */

/* x = sum of w_k X_k for w_k = (1 + sqrt(3) a_k . S^-1 (x - c))/4, as sum of a_k = 0 and sum of a_k a_k^T = 4/3 I. */
static void weigh(const moments *m, const double inverse[9], const double x[3], double w[4])
{
    double d[3], y[3];
    vv_sub(x, m->centre, d);
    vv_matvec(inverse, d, y);
    for (int k = 0; k < 4; k++)
        w[k] = 0.25 * (1 + corners[k][0] * y[0] + corners[k][1] * y[1] + corners[k][2] * y[2]);
}

static bool allocate_skin(vv_skin *skin, const vvMesh *mesh, int vertices)
{
    size_t n = (size_t)vertices, t = (size_t)mesh->triangleCount;
    *skin = (vv_skin){ .vertex_count = vertices,
                       .triangle_count = mesh->triangleCount,
                       .nodes = vv_alloc(4 * n, sizeof *skin->nodes),
                       .weights = vv_alloc(4 * n, sizeof *skin->weights),
                       .triangles = vv_alloc(3 * t, sizeof *skin->triangles) };
    bool uvs = mesh->uvs && mesh->tetCount == 0;
    if (uvs)
        skin->uvs = vv_alloc_copy(mesh->uvs, 6 * t, sizeof *skin->uvs);
    return skin->nodes && skin->weights && skin->triangles && (skin->uvs || !uvs);
}

/* number: of each vertex of the mesh on its surface, or -1: within the solid, where nothing touches it. */
static void fill_skin(vv_skin *skin, const vvMesh *mesh, const int *number, const double *x, const moments *m,
                      const double inverse[9])
{
    for (int v = 0; v < mesh->vertexCount; v++)
        if (number[v] >= 0) {
            for (int k = 0; k < 4; k++)
                skin->nodes[4 * (size_t)number[v] + (size_t)k] = k;
            weigh(m, inverse, x + 3 * (size_t)v, skin->weights + 4 * (size_t)number[v]);
        }
    for (int i = 0; i < 3 * mesh->triangleCount; i++)
        skin->triangles[i] = number[mesh->triangles[i]];
}

/* Numbers the vertices on the surface; returns how many. */
static int number_surface(const vvMesh *mesh, int *number)
{
    int count = 0;
    memset(number, -1, (size_t)mesh->vertexCount * sizeof *number);
    for (int i = 0; i < 3 * mesh->triangleCount; i++)
        number[mesh->triangles[i]] = 0;
    for (int v = 0; v < mesh->vertexCount; v++)
        if (number[v] == 0)
            number[v] = count++;
    return count;
}

vvStatus vv_affine_make(const vvBodyDef *def, const char *name, vv_affine *affine, vv_skin *skin, vvBodyDef *inner,
                        vvError *error)
{
    const vvMesh *mesh = def->mesh;
    *affine = (vv_affine){ 0 };
    vvStatus status = check_def(def, name, error);
    if (status == VV_OK)
        status = check_surface(mesh, name, error);
    if (status != VV_OK)
        return status;
    double *x = vv_alloc(3 * (size_t)mesh->vertexCount, sizeof *x), s[9], inverse[9];
    int *number = vv_alloc((size_t)mesh->vertexCount, sizeof *number);
    if (!x || !number || !allocate_skin(skin, mesh, number_surface(mesh, number)))
        status = vv_fail_memory(error, "an affine body");
    if (status == VV_OK) {
        vv_body_place(def, mesh->positions, mesh->vertexCount, x);
        moments m = integrate(x, mesh->triangles, mesh->triangleCount);
        if (!(m.volume > 1e-12 * m.size * m.size * m.size))
            status = vv_fail(
                error, VV_ERROR_INPUT,
                "body \"%s\": its surface bounds a volume of %g m^3 in a box with a diagonal of %g m; an affine body "
                "needs a solid: give the surface two sides, or use a shell",
                name, m.volume, m.size);
        else {
            roots(&m, s, inverse, &affine->floored);
            place_nodes(&m, s, affine);
            affine->volume = m.volume;
            fill_skin(skin, mesh, number, x, &m, inverse);
        }
    }
    vv_free(x);
    vv_free(number);
    *inner = *def;
    inner->mesh = &affine->mesh;
    inner->surfaceCollides = true;
    inner->selfContact = false;
    for (int k = 0; k < 3; k++)
        inner->scale[k] = 1, inner->rotate[k] = inner->translate[k] = 0;
    return status;
}
