/* The edges of a body without tets, its hinges (pairs of triangles that share an edge), and the rest angles that are
 * given for hinges. */
#include "world/bodies/edges.h"

#include "base/error.h"
#include "base/memory.h"
#include "energy/shells/edge_search.h"

#include <math.h>
#include <stdlib.h>

/* At an edge with more than two triangles each pair of them is a hinge (theory §4.10): n (n - 1)/2, so the number of
 * triangles is limited. */
enum { MOST_WINGS = 8 };

typedef struct half_edge {
    int a, b, opposite; /* a < b; opposite -1: an edge of the mesh's own */
    bool turned;        /* in its triangle b comes before a */
} half_edge;

static half_edge make_half_edge(int from, int to, int opposite)
{
    return from < to ? (half_edge){ from, to, opposite, false } : (half_edge){ to, from, opposite, true };
}

static int compare_half_edges(const void *x, const void *y)
{
    const half_edge *p = x, *q = y;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    if (p->b != q->b)
        return p->b < q->b ? -1 : 1;
    if (p->opposite != q->opposite)
        return p->opposite < q->opposite ? -1 : 1;
    return p->turned - q->turned;
}

static size_t end_of_edge(const half_edge *list, size_t count, size_t from)
{
    size_t end = from;
    while (end < count && list[end].a == list[from].a && list[end].b == list[from].b)
        end++;
    return end;
}

/* The triangles at an edge, by the opposite vertex; a triangle that is there twice counts once, those past the eighth
 * do not. */
static int wings_of(const half_edge *list, size_t count, const half_edge *wing[MOST_WINGS])
{
    int wings = 0;
    for (size_t i = 0; i < count && wings < MOST_WINGS; i++)
        if (list[i].opposite >= 0 && (wings == 0 || wing[wings - 1]->opposite != list[i].opposite))
            wing[wings++] = list + i;
    return wings;
}

static void add_hinges(const half_edge *list, size_t count, vv_body *b)
{
    const half_edge *wing[MOST_WINGS];
    int wings = wings_of(list, count, wing);
    for (int i = 0; i < wings; i++)
        for (int j = i + 1; j < wings; j++) {
            int *hinge = b->hinges + 4 * (size_t)b->hinge_count++;
            hinge[0] = wing[i]->turned ? list->b : list->a;
            hinge[1] = wing[i]->turned ? list->a : list->b;
            hinge[2] = wing[i]->opposite;
            hinge[3] = wing[j]->opposite;
        }
}

/* How many edges and hinges there are. */
static void count_edges(const half_edge *list, size_t count, size_t *edges, size_t *hinges)
{
    *edges = *hinges = 0;
    for (size_t i = 0, j; i < count; i = j, ++*edges) {
        const half_edge *wing[MOST_WINGS];
        j = end_of_edge(list, count, i);
        size_t wings = (size_t)wings_of(list + i, j - i, wing);
        *hinges += wings * (wings > 0 ? wings - 1 : 0) / 2;
    }
}

bool vv_body_edges(const vvMesh *m, vv_body *b)
{
    size_t count = 0, edges, hinges;
    half_edge *list = vv_alloc(3 * (size_t)m->triangleCount + (size_t)m->edgeCount, sizeof *list);
    if (!list)
        return false;
    for (int t = 0; t < m->triangleCount; t++)
        for (int k = 0; k < 3; k++) {
            const int *v = m->triangles + 3 * t;
            list[count++] = make_half_edge(v[k], v[(k + 1) % 3], v[(k + 2) % 3]);
        }
    for (int e = 0; e < m->edgeCount; e++)
        if (m->edges[2 * e] != m->edges[2 * e + 1])
            list[count++] = make_half_edge(m->edges[2 * e], m->edges[2 * e + 1], -1);
    qsort(list, count, sizeof *list, compare_half_edges);
    count_edges(list, count, &edges, &hinges);
    b->edges = vv_alloc(2 * edges, sizeof *b->edges);
    b->hinges = vv_alloc(4 * hinges, sizeof *b->hinges);
    bool room = b->edges && b->hinges;
    for (size_t i = 0, j; room && i < count; i = j) {
        j = end_of_edge(list, count, i);
        b->edges[2 * b->edge_count] = list[i].a;
        b->edges[2 * b->edge_count++ + 1] = list[i].b;
        add_hinges(list + i, j - i, b);
    }
    vv_free(list);
    return room;
}

/* ---- rest angles ---- */

static bool angles_are_read(const vv_body *b)
{
    for (int i = 0; i < b->material_count; i++)
        if (b->materials[i].kind->angles)
            return true;
    return false;
}

/* `index`: which of the list. */
static vvStatus take_angle(const vvRestAngle *r, int index, vv_body *b, vvError *error)
{
    if (r->a < 0 || r->b < 0 || r->a >= b->vertex_count || r->b >= b->vertex_count || r->a == r->b)
        return vv_fail(error, VV_ERROR_INPUT,
                       "rest angle %d is of the edge between vertices %d and %d; give two different ones from 0 to %d",
                       index, r->a, r->b, b->vertex_count - 1);
    if (!(fabs(r->angle) <= 3.14159265358979323846))
        return vv_fail(
            error, VV_ERROR_INPUT,
            "rest angle %d, of the edge between vertices %d and %d, is %g rad; -pi to pi (180 degrees) is allowed",
            index, r->a, r->b, r->angle);
    int hinge = vv_find_hinge(b->hinges, b->hinge_count, r->a, r->b);
    if (hinge < 0)
        return vv_fail(error, VV_ERROR_INPUT,
                       vv_find_edge(b->edges, b->edge_count, r->a, r->b) >= 0
                           ? "rest angle %d is of the edge between vertices %d and %d, which is on the boundary: it "
                             "has one triangle; give angles of edges "
                             "between two"
                           : "rest angle %d is of vertices %d and %d, but the mesh has no edge between them",
                       index, r->a, r->b);
    if (vv_hinge_is_of_many(b->hinges, b->hinge_count, hinge))
        return vv_fail(
            error, VV_ERROR_INPUT,
            "rest angle %d is of the edge between vertices %d and %d, which has more than two triangles; those keep "
            "the mesh's angles",
            index, r->a, r->b);
    if (!isnan(b->hinge_angles[hinge]))
        return vv_fail(error, VV_ERROR_INPUT,
                       "rest angle %d is of the edge between vertices %d and %d, whose angle is given before", index,
                       r->a, r->b);
    b->hinge_angles[hinge] = r->angle;
    return VV_OK;
}

static vvStatus take_angles(const vvRestAngle *angles, int count, vv_body *b, int *wrong, vvError *error)
{
    *wrong = -1;
    b->hinge_angles = vv_alloc((size_t)b->hinge_count, sizeof *b->hinge_angles);
    if (!b->hinge_angles)
        return vv_fail_memory(error, "rest angles");
    for (int i = 0; i < b->hinge_count; i++)
        b->hinge_angles[i] = NAN;
    vvStatus status = VV_OK;
    for (int i = 0; status == VV_OK && i < count; i++)
        if ((status = take_angle(angles + i, i, b, error)) != VV_OK)
            *wrong = i;
    return status;
}

vvStatus vv_body_rest_angles(const vvBodyDef *def, vv_body *b, vvError *error)
{
    int wrong;
    if (def->restAngleCount == 0)
        return VV_OK;
    if (def->restAngleCount < 0 || !def->restAngles)
        return vv_fail(error, VV_ERROR_INPUT, "restAngleCount is %d and restAngles is %s; give that many angles, or 0",
                       def->restAngleCount, def->restAngles ? "not NULL" : "NULL");
    if (!angles_are_read(b))
        return vv_fail(
            error, VV_ERROR_INPUT,
            "rest angles are given, but no material of the body reads them; list one for bending, such as \"hinge\" or "
            "\"midedge\"");
    return take_angles(def->restAngles, def->restAngleCount, b, &wrong, error);
}

vvStatus vv_rest_angles_check(const vvMesh *mesh, const vvRestAngle *angles, int count, int *wrong, vvError *error)
{
    vv_body b = { .vertex_count = mesh->vertexCount };
    *wrong = -1;
    vvStatus status =
        vv_body_edges(mesh, &b) ? take_angles(angles, count, &b, wrong, error) : vv_fail_memory(error, "rest angles");
    vv_free(b.edges);
    vv_free(b.hinges);
    vv_free(b.hinge_angles);
    return status;
}
