/* Sums of contacts' blocks for each pair of affine bodies (theory §5.6). */
#include "contact/pairs/body_sums.h"

#include "base/memory.h"

#include <string.h>

void vv_body_sums_free(vv_body_sums *sums)
{
    vv_free(sums->open);
    *sums = (vv_body_sums){ 0 };
}

bool vv_body_sums_take(const vv_surface *s, int a, int b)
{
    const vv_surface_body *p = s->bodies + a, *q = s->bodies + b;
    return a != b && (p->affine || q->affine) && (p->affine || !p->moves) && (q->affine || !q->moves);
}

/* ---- to the matrix ---- */

static const unsigned char pair_of[10][2] = { { 0, 0 }, { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 1 },
                                              { 1, 2 }, { 1, 3 }, { 2, 2 }, { 2, 3 }, { 3, 3 } };

static int node_of(const vv_surface *s, int body, int k)
{
    return s->vertices->node[s->vertices->start[s->bodies[body].first_vertex] + k];
}

static void flush_own(const vv_surface *s, int body, double own[10][9], const vv_block_target *to)
{
    for (int k = 0; s->bodies[body].affine && k < 10; k++)
        vv_bsr_add(to->matrix, to->unknown[node_of(s, body, pair_of[k][0])],
                   to->unknown[node_of(s, body, pair_of[k][1])], own[k]);
}

void vv_body_sums_flush(vv_body_sums *sums, const vv_surface *s, const vv_block_target *to)
{
    for (size_t i = 0; i < sums->count; i++) {
        vv_body_sum *sum = sums->open + i;
        const int a = sums->first, b = sum->second;
        flush_own(s, a, sum->own[0], to);
        flush_own(s, b, sum->own[1], to);
        for (int k = 0; s->bodies[a].affine && s->bodies[b].affine && k < 16; k++)
            vv_bsr_add(to->matrix, to->unknown[node_of(s, a, k / 4)], to->unknown[node_of(s, b, k % 4)],
                       sum->mutual[k]);
    }
    sums->count = 0;
}

/* ---- from contacts ---- */

/* The open sum of these bodies; NULL: out of memory. */
static vv_body_sum *sum_of(vv_body_sums *sums, const vv_surface *s, int a, int b, const vv_block_target *to)
{
    if (sums->count > 0 && sums->first != a)
        vv_body_sums_flush(sums, s, to);
    sums->first = a;
    for (size_t i = 0; i < sums->count; i++)
        if (sums->open[i].second == b)
            return sums->open + i;
    if (!vv_grow((void **)&sums->open, &sums->capacity, sums->count + 1, sizeof *sums->open))
        return NULL;
    vv_body_sum *sum = sums->open + sums->count++;
    memset(sum, 0, sizeof *sum);
    sum->second = b;
    return sum;
}

static inline void add_scaled(double to[9], double w, const double block[9])
{
    for (int m = 0; m < 9; m++)
        to[m] += w * block[m];
}

/* Index of the block between points i <= j of n. */
static inline int block_at(int n, int i, int j) { return i * n - i * (i - 1) / 2 + j - i; }

/* half[j][k] = sum over the points i of one side of w_ik times the block between i and j. */
static void halve(int n, int begin, int end, int j, const double *const *w, double block[][9], double half[4][9])
{
    memset(half, 0, 4 * sizeof half[0]);
    for (int i = begin; i < end; i++) {
        double turned[9];
        const double *from = block[i <= j ? block_at(n, i, j) : block_at(n, j, i)];
        for (int m = 0; i > j && m < 9; m++)
            turned[m] = from[3 * (m % 3) + m / 3];
        for (int k = 0; k < 4; k++)
            add_scaled(half[k], w[i][k], i > j ? turned : from);
    }
}

bool vv_body_sums_add(vv_body_sums *sums, const vv_surface *s, const int *vertex, int points, int near,
                      double block[][9], const vv_block_target *to)
{
    const vv_vertices *vs = s->vertices;
    const int body[2] = { vs->body[vertex[0]], vs->body[vertex[points - 1]] }, begin[2] = { 0, near },
              end[2] = { near, points };
    vv_body_sum *sum = sum_of(sums, s, body[0], body[1], to);
    const double *w[4];
    double half[4][9];
    if (!sum)
        return false;
    for (int i = 0; i < points; i++)
        w[i] = vs->weight + vs->start[vertex[i]];
    for (int side = 0; side < 2; side++)
        for (int j = begin[side]; s->bodies[body[side]].affine && j < end[side]; j++) {
            halve(points, begin[side], end[side], j, w, block, half);
            for (int k = 0; k < 10; k++)
                add_scaled(sum->own[side][k], w[j][pair_of[k][1]], half[pair_of[k][0]]);
        }
    for (int j = near; s->bodies[body[0]].affine && s->bodies[body[1]].affine && j < points; j++) {
        halve(points, 0, near, j, w, block, half);
        for (int k = 0; k < 16; k++)
            add_scaled(sum->mutual[k], w[j][k % 4], half[k / 4]);
    }
    return true;
}

bool vv_body_sums_add_even(vv_body_sums *sums, const vv_surface *s, const int *vertex, int points, int near,
                           const double *w, const double block[9], const vv_block_target *to)
{
    const vv_vertices *vs = s->vertices;
    const int body[2] = { vs->body[vertex[0]], vs->body[vertex[points - 1]] };
    vv_body_sum *sum = sum_of(sums, s, body[0], body[1], to);
    double node[2][4] = { { 0 } };
    if (!sum)
        return false;
    for (int i = 0; i < points; i++)
        for (int k = 0; s->bodies[body[i >= near]].affine && k < 4; k++)
            node[i >= near][k] += w[i] * vs->weight[vs->start[vertex[i]] + k];
    for (int side = 0; side < 2; side++)
        for (int k = 0; s->bodies[body[side]].affine && k < 10; k++)
            add_scaled(sum->own[side][k], node[side][pair_of[k][0]] * node[side][pair_of[k][1]], block);
    for (int k = 0; s->bodies[body[0]].affine && s->bodies[body[1]].affine && k < 16; k++)
        add_scaled(sum->mutual[k], node[0][k / 4] * node[1][k % 4], block);
    return true;
}
