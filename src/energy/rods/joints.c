/* Joints of rods: see joints.h. */
#include "energy/rods/joints.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"

#include <stdlib.h>

typedef struct around {
    int node, edge, other;
} around;

/* Two edges at a node, by their places in the list of those around it. */
typedef struct pair {
    double turn; /* 0: straight on, 2: back; the same if it differs by rounding only */
    int first, second;
} pair;

static int compare_around(const void *x, const void *y)
{
    const around *p = x, *q = y;
    if (p->node != q->node)
        return p->node < q->node ? -1 : 1;
    return (p->edge > q->edge) - (p->edge < q->edge);
}

static int compare_pairs(const void *x, const void *y)
{
    const pair *p = x, *q = y;
    if (p->turn != q->turn)
        return p->turn < q->turn ? -1 : 1;
    if (p->first != q->first)
        return p->first < q->first ? -1 : 1;
    return (p->second > q->second) - (p->second < q->second);
}

static double turn_between(const double *x, const around *a, const around *b)
{
    double e[3], f[3];
    vv_sub(x + 3 * (size_t)a->other, x + 3 * (size_t)a->node, e);
    vv_sub(x + 3 * (size_t)b->other, x + 3 * (size_t)b->node, f);
    double size = vv_norm(e) * vv_norm(f);
    return size > 0 ? rint((1 + vv_dot(e, f) / size) * 1e9) : 1e9;
}

static vv_joint join(const around *a, const around *b)
{
    return (vv_joint){ { a->other, a->node, b->other }, { a->edge, b->edge } };
}

/* The joints at one node where `count` edges, more than two, meet. `taken`: count, zeroed. */
static int join_many(const double *x, const around *list, int count, pair *pairs, unsigned char *taken,
                     vv_joint *joints)
{
    int n = 0, made = 0;
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            pairs[n++] = (pair){ turn_between(x, list + i, list + j), i, j };
    qsort(pairs, (size_t)n, sizeof *pairs, compare_pairs);
    for (int i = 0; i < n; i++)
        if (!taken[pairs[i].first] && !taken[pairs[i].second]) {
            taken[pairs[i].first] = taken[pairs[i].second] = 1;
            joints[made++] = join(list + pairs[i].first, list + pairs[i].second);
        }
    for (int i = 0; count % 2 && i < n; i++) /* sorted: the first pair of the one that is left is the straightest */
        if (!taken[pairs[i].first] || !taken[pairs[i].second]) {
            joints[made++] = join(list + pairs[i].first, list + pairs[i].second);
            break;
        }
    return made;
}

static int join_all(const double *x, const around *list, int length, pair *pairs, unsigned char *taken,
                    vv_joint *joints)
{
    int made = 0;
    for (int i = 0, j; i < length; i = j) {
        for (j = i; j < length && list[j].node == list[i].node; j++)
            taken[j] = 0;
        if (j - i == 2)
            joints[made++] = join(list + i, list + i + 1);
        else if (j - i > 2)
            made += join_many(x, list + i, j - i, pairs, taken + i, joints + made);
    }
    return made;
}

static size_t most_pairs(const around *list, int length)
{
    size_t most = 0;
    for (int i = 0, j; i < length; i = j) {
        for (j = i; j < length && list[j].node == list[i].node; j++)
            continue;
        size_t n = (size_t)(j - i), pairs = n * (n - 1) / 2;
        most = pairs > most ? pairs : most;
    }
    return most;
}

vvStatus vv_joints_find(int edge_count, const int *edges, const double *x, vv_joint **joints, int *count,
                        vvError *error)
{
    size_t length = 2 * (size_t)edge_count;
    around *list = vv_alloc(length, sizeof *list);
    unsigned char *taken = vv_alloc(length, 1);
    pair *pairs = NULL;
    *joints = vv_alloc(length, sizeof **joints);
    *count = 0;
    bool room = list && taken && *joints;
    if (room) {
        for (int i = 0; i < 2 * edge_count; i++)
            list[i] = (around){ edges[i], i / 2, edges[i ^ 1] };
        qsort(list, length, sizeof *list, compare_around);
        pairs = vv_alloc(most_pairs(list, 2 * edge_count), sizeof *pairs);
        room = pairs != NULL;
    }
    if (room)
        *count = join_all(x, list, 2 * edge_count, pairs, taken, *joints);
    vv_free(list);
    vv_free(taken);
    vv_free(pairs);
    if (room)
        return VV_OK;
    vv_free(*joints);
    *joints = NULL;
    return vv_fail_memory(error, "the joints of rods");
}
