/* The point that a drag holds: in a triangle or on an edge, as a weighted sum of nodes. */
#include "base/error.h"
#include "base/vec.h"
#include "world/attachments/drag.h"

#include <string.h>

static const double ROUNDING = 1e-6; /* of a weight: hosts may reckon in single precision */

/* ---- its element ---- */

static vvStatus check_weights(const double *weights, int corners, vvError *error)
{
    double sum = 0;
    bool good = true;
    for (int i = 0; i < corners; i++) {
        good = good && weights[i] >= -ROUNDING && weights[i] <= 1 + ROUNDING;
        sum += weights[i];
    }
    return good && fabs(sum - 1) <= ROUNDING
               ? VV_OK
               : vv_fail(error, VV_ERROR_INPUT,
                         "drag: weights are %g, %g, %g; the first %d must each be 0 to 1 and add up to 1, as in "
                         "vvRayHit",
                         weights[0], weights[1], weights[2], corners);
}

/* *list: the corners of all its triangles or edges, as in vvRayHit: world nodes or, where *skin, vertices of the
 * carried surface. */
static vvStatus find_element(const vv_body *b, const vvDragDef *def, const int **corner, bool *skin, vvError *error)
{
    const bool triangle = def->triangle >= 0;
    const int item = triangle ? def->triangle : def->edge, corners = triangle ? 3 : 2;
    *skin = b->surface_collides;
    const int count = !triangle ? b->edge_count : *skin ? b->skin.triangle_count : b->triangle_count;
    const int *list = !triangle ? b->edges : *skin ? b->skin.triangles : b->triangles;
    if (triangle && def->edge >= 0)
        return vv_fail(error, VV_ERROR_INPUT,
                       "drag: triangle %d and edge %d are given; a point lies in one of them: set the other to -1",
                       def->triangle, def->edge);
    if (!triangle && *skin)
        return vv_fail(error, VV_ERROR_INPUT,
                       "drag: edge %d is given, but body \"%s\" has a surface that collides in place of its edges; "
                       "give a triangle of "
                       "that",
                       def->edge, b->name);
    if (item >= count)
        return vv_fail(error, VV_ERROR_INPUT, "drag: %s %d; body \"%s\" has %d of them, counted from 0",
                       triangle ? "triangle" : "edge", item, b->name, count);
    *corner = list + (size_t)corners * (size_t)item;
    return check_weights(def->weights, corners, error);
}

/* ---- its nodes ---- */

static void add(vv_held *h, int node, double weight)
{
    int i = 0;
    while (i < h->count && h->node[i] != node)
        i++;
    if (i == h->count)
        h->node[h->count++] = node, h->weight[i] = 0;
    h->weight[i] += weight;
}

/* Whether all corners of the surface's triangle hang on the same nodes. */
static bool in_one_tet(const vv_skin *skin, const int *corner)
{
    for (int i = 1; i < 3; i++)
        if (memcmp(skin->nodes + 4 * (size_t)corner[i], skin->nodes + 4 * (size_t)corner[0], 4 * sizeof *skin->nodes) !=
            0)
            return false;
    return true;
}

static const double MOST_WEIGHT = 10;

/* Weights of a place in the tet of four nodes at x. False: they would be large, as of a tet that is flat or far away:
 * the drag would be as much stiffer. */
static bool weights_in(const double *const x[4], const double *place, double weight[4])
{
    double edge[9], inverse[9], to[3], columns[9];
    for (int i = 0; i < 3; i++) {
        vv_sub(x[i + 1], x[0], edge);
        for (int k = 0; k < 3; k++)
            columns[3 * k + i] = edge[k];
    }
    if (!(fabs(vv_det(columns)) > 0))
        return false;
    vv_inverse(columns, inverse);
    vv_sub(place, x[0], to);
    vv_matvec(inverse, to, weight + 1);
    weight[0] = 1 - weight[1] - weight[2] - weight[3];
    bool small = true;
    for (int i = 0; i < 4; i++)
        small = small && fabs(weight[i]) <= MOST_WEIGHT; /* also: it is a number */
    return small;
}

/* Where it is at rest, in the tet of its nearest corner. */
static void hang_on_nearest(const vvWorld *w, const vv_body *b, const int *corner, const double *weights, vv_held *to)
{
    const double *rest = w->rest + 3 * (size_t)b->first, *x[4];
    double place[3] = { 0 }, own[4];
    int nearest = 0;
    for (int i = 0; i < 3; i++) {
        double at[3];
        vv_skin_position(&b->skin, corner[i], rest, at);
        for (int k = 0; k < 3; k++)
            place[k] += weights[i] * at[k];
        nearest = weights[i] > weights[nearest] ? i : nearest;
    }
    const int *node = b->skin.nodes + 4 * (size_t)corner[nearest];
    for (int k = 0; k < 4; k++)
        x[k] = rest + 3 * (size_t)node[k];
    const double *used = weights_in(x, place, own) ? own : b->skin.weights + 4 * (size_t)corner[nearest];
    for (int k = 0; k < 4; k++)
        add(to, node[k], used[k]);
}

static void sum_corners(const vv_skin *skin, const int *corner, const double *weights, vv_held *to)
{
    for (int i = 0; i < 3; i++)
        for (size_t k = 0; k < 4; k++)
            add(to, skin->nodes[4 * (size_t)corner[i] + k], weights[i] * skin->weights[4 * (size_t)corner[i] + k]);
}

/* Ascending, without nodes of no weight. */
static void tidy(vv_held *h)
{
    int kept = 0;
    for (int i = 0; i < h->count; i++) {
        const int node = h->node[i];
        const double weight = h->weight[i];
        if (weight == 0)
            continue;
        int at = kept++;
        for (; at > 0 && h->node[at - 1] > node; at--)
            h->node[at] = h->node[at - 1], h->weight[at] = h->weight[at - 1];
        h->node[at] = node, h->weight[at] = weight;
    }
    h->count = kept;
}

vvStatus vv_drag_hold(const vvWorld *w, const vvDragDef *def, int body, vv_held *out, vvError *error)
{
    const vv_body *b = w->bodies + body;
    const int *corner = NULL;
    bool skin = false;
    *out = (vv_held){ 0 };
    if (def->triangle < 0 && def->edge < 0) {
        add(out, def->vertex, 1);
        return VV_OK;
    }
    vvStatus status = find_element(b, def, &corner, &skin, error);
    if (status != VV_OK)
        return status;
    if (skin && in_one_tet(&b->skin, corner))
        sum_corners(&b->skin, corner, def->weights, out);
    else if (skin)
        hang_on_nearest(w, b, corner, def->weights, out);
    for (int i = 0; !skin && i < (def->triangle >= 0 ? 3 : 2); i++)
        add(out, corner[i] - b->first, def->weights[i]);
    tidy(out);
    return VV_OK;
}
