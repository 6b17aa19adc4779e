/* Patches that sleep: pieces of a body's surface within which, and between which, nothing can act along the path
 * (theory §5.8, patches.h). */
#include "contact/broad/patches.h"

#include "base/vec.h"

#include <math.h>
#include <string.h>

/* ---- along the path -------------------------------------------------------------------------------------------------
 */

/* The smallest eigenvalue of a symmetric matrix, in closed form; a little below. */
static double least_eigenvalue(const double a[9])
{
    double q = (a[0] + a[4] + a[8]) / 3, off = a[1] * a[1] + a[2] * a[2] + a[5] * a[5], b[9];
    double p = sqrt(((a[0] - q) * (a[0] - q) + (a[4] - q) * (a[4] - q) + (a[8] - q) * (a[8] - q) + 2 * off) / 6);
    if (!(p > 1e-12 * fabs(q)))
        return q - 1e-6 * fabs(q);
    for (int i = 0; i < 9; i++)
        b[i] = (a[i] - (i % 4 == 0 ? q : 0)) / p;
    double half = 0.5 * vv_det(b);
    return q + 2 * p * cos(acos(fmin(fmax(half, -1), 1)) / 3 + 2.0943951023931957) - 1e-6 * (fabs(q) + p);
}

/* A lower bound of the singular values of F(s), s in [0, 1]: of that in the middle, less what F changes by. */
static double least_singular(const vv_patch_way *p, bool moves)
{
    double f[9], square[9], change = 0;
    for (int i = 0; i < 9; i++) {
        double d = moves ? 0.5 * (p->map[1][i] - p->map[0][i]) : 0;
        f[i] = p->map[0][i] + d;
        change += d * d;
    }
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            square[3 * r + c] = f[r] * f[c] + f[3 + r] * f[3 + c] + f[6 + r] * f[6 + c];
    double w = least_eigenvalue(square);
    return w > 0 ? sqrt(w) - sqrt(change) : 0;
}

static inline void where(const vv_broad *b, int v, int end, double x[3])
{
    const double *from = b->x + 3 * (size_t)v, *way = b->motion + 3 * (size_t)v;
    for (int k = 0; k < 3; k++)
        x[k] = end ? from[k] + way[k] : from[k];
}

/* F = (sum x X^T + weight n N^T) (sum X X^T + weight N N^T)^-1 about the centres, n the unit normal of both tangents'
 * images. */
static void map_of(const vv_patch *p, const double moments[9], double map[9])
{
    double a[3], c[3], n[3], length;
    vv_matvec(moments, p->tangent[0], a);
    vv_matvec(moments, p->tangent[1], c);
    vv_cross(a, c, n);
    length = vv_norm(n);
    vv_matmul(moments, p->inverse, map);
    for (int i = 0; i < 3 && length > 0; i++)
        for (int j = 0; j < 3; j++)
            map[3 * i + j] += n[i] / length * p->lift[j];
}

/* Fits the maps of `ends` ends. The moments need no centre of x, as the sum of all X about theirs is zero. */
static void fit_maps(const vv_broad *b, int group, int ends, vv_patch_way *way)
{
    const vv_patches *ps = b->patches;
    const vv_patch *p = ps->patch + group;
    double count = ps->first[group + 1] - ps->first[group];
    for (int end = 0; end < ends; end++) {
        double sum[3] = { 0, 0, 0 }, moments[9] = { 0 };
        for (int i = ps->first[group]; i < ps->first[group + 1]; i++) {
            double x[3], rest[3];
            where(b, ps->vertex[i], end, x);
            vv_sub(b->surface->rest + 3 * (size_t)ps->vertex[i], p->centre, rest);
            for (int r = 0; r < 3; r++) {
                sum[r] += x[r];
                for (int c = 0; c < 3; c++)
                    moments[3 * r + c] += x[r] * rest[c];
            }
        }
        for (int k = 0; k < 3; k++)
            way->at[end][k] = sum[k] / count;
        map_of(p, moments, way->map[end]);
    }
}

/* How far a vertex strays from the maps, at most. */
static double stray_of(const vv_broad *b, int group, int ends, const vv_patch_way *way)
{
    const vv_patches *ps = b->patches;
    double stray = 0;
    for (int end = 0; end < ends; end++)
        for (int i = ps->first[group]; i < ps->first[group + 1]; i++) {
            double x[3], rest[3], along[3];
            where(b, ps->vertex[i], end, x);
            vv_sub(b->surface->rest + 3 * (size_t)ps->vertex[i], ps->patch[group].centre, rest);
            vv_matvec(way->map[end], rest, along);
            for (int k = 0; k < 3; k++)
                along[k] += way->at[end][k] - x[k];
            double far = vv_dot(along, along);
            stray = far <= stray ? stray : far; /* NaN is kept */
        }
    return sqrt(stray);
}

static void fit(const vv_broad *b, int group, vv_patch_way *way)
{
    const vv_patches *ps = b->patches;
    int ends = b->moves ? 2 : 1;
    way->stray = INFINITY;
    if (ps->first[group] == ps->first[group + 1])
        return;
    fit_maps(b, group, ends, way);
    way->stray = stray_of(b, group, ends, way);
    way->least = least_singular(way, b->moves);
}

enum { PATCHES = 64 }; /* a chunk */

static void fit_chunk(void *arg, int chunk)
{
    vv_broad *b = arg;
    const vv_patches *ps = b->patches;
    int begin = b->level_end[0] + chunk * PATCHES, end = begin + PATCHES < ps->count ? begin + PATCHES : ps->count;
    for (int i = begin; i < end; i++)
        fit(b, i, ps->way + i);
}

enum { LOOSE, IN_WORK, FITTED };

void vv_patches_fit(vv_broad *b, const vv_parallel *par)
{
    const vv_patches *ps = b->patches;
    vv_for(par, (ps->count - b->level_end[0] + PATCHES - 1) / PATCHES, fit_chunk, b);
    for (int i = 0; i < b->level_end[0]; i++)
        atomic_store_explicit(&ps->state[i], LOOSE, memory_order_relaxed);
}

/* Small patches are fitted when they are asked for, by whoever asks first; one who asks meanwhile fits a copy. */
static const vv_patch_way *fitted(const vv_broad *b, int group, vv_patch_way *copy)
{
    const vv_patches *ps = b->patches;
    unsigned char state = LOOSE;
    vv_patch_way *p = ps->way + group;
    if (group >= b->level_end[0] || atomic_load_explicit(&ps->state[group], memory_order_acquire) == FITTED)
        return p;
    if (atomic_compare_exchange_strong(&ps->state[group], &state, IN_WORK)) {
        fit(b, group, p);
        atomic_store_explicit(&ps->state[group], FITTED, memory_order_release);
        return p;
    }
    if (state == FITTED)
        return p;
    fit(b, group, copy);
    return copy;
}

/* How far the points of two patches stray from the mean of both maps, together, at an end; *apart: half the maps'
 * difference. */
static double stray_together(const vv_patch *p, const vv_patch_way *a, const vv_patch *q, const vv_patch_way *c,
                             int end, double *apart)
{
    double square = 0, between[3], now[3], mean[9], along[3];
    for (int i = 0; i < 9; i++) {
        double d = 0.5 * (c->map[end][i] - a->map[end][i]);
        mean[i] = a->map[end][i] + d;
        square += d * d;
    }
    *apart = sqrt(square);
    vv_sub(q->centre, p->centre, between);
    vv_sub(c->at[end], a->at[end], now);
    vv_matvec(mean, between, along);
    vv_sub(now, along, now);
    return a->stray + c->stray + *apart * (p->radius + q->radius) + vv_norm(now);
}

/* By how much the distance stays above that at which anything acts, with `stray` m of straying and no margin; rest:
 * at least d_0. */
static double room(const vv_broad *b, double least, double stray, double rest, double min_distance)
{
    double smallest = fmin(min_distance, 0.5 * rest), acts = smallest + fmin(b->activation, 0.5 * (rest - smallest));
    /* least d_0 grows faster with d_0 than what acts: it suffices to look at the smallest d_0 */
    return least > (min_distance > 0 ? 0.76 : 0.51) ? least * rest - stray - acts - 4 * b->slack : -INFINITY;
}

bool vv_patches_sleep(const vv_broad_body_pair *pair, int group_a, int group_b)
{
    const vv_broad *b = pair->broad;
    const vv_patches *ps = b->patches;
    vv_patch_way copies[2];
    const vv_patch_way *a = fitted(b, group_a, &copies[0]);
    double least = a->least, stray = 2 * a->stray, rest = fmax(ps->nearest[group_a], ps->nearest[group_b]);
    if (group_a != group_b) {
        const vv_patch *p = ps->patch + group_a, *q = ps->patch + group_b;
        const vv_patch_way *c = fitted(b, group_b, &copies[1]);
        double between[3], apart = 0, more = 0;
        stray = stray_together(p, a, q, c, 0, &apart);
        if (b->moves)
            stray = fmax(stray, stray_together(p, a, q, c, 1, &more));
        least = fmax(a->least, c->least) - fmax(apart, more);
        vv_sub(q->centre, p->centre, between);
        rest = fmax(rest, vv_norm(between) - p->radius - q->radius);
    }
    return room(b, least, stray, rest, pair->min_distance) > sqrt(3) * pair->margin;
}

/* ---- the margin ------------------------------------------------------------------------------------------------- */

/* Halves of the margin down to 1/16: with more of it a list serves longer, with less more patches sleep. */
enum { HALVES = 5 };
static const double MOST = 0.9, SOME = 0.5; /* shares of the patches */

static double margin_for(const vv_broad *b, int body)
{
    const vv_patches *ps = b->patches;
    const vv_broad_body *of = &b->bodies[body];
    double min_distance = 2 * b->surface->bodies[body].radius, margin = of->margin;
    int count = 0, asleep[HALVES] = { 0 };
    for (int i = of->first[1]; i < ps->count && ps->body[i] == body; i++) {
        const vv_patch_way *p = ps->way + i;
        if (ps->first[i] == ps->first[i + 1])
            continue;
        double most = room(b, p->least, 2 * p->stray, ps->nearest[i], min_distance) / (2 * sqrt(3));
        count++;
        for (int k = HALVES - 1; k >= 0; k--)
            asleep[k] += most > ldexp(margin, -k);
    }
    for (int k = 0; k < HALVES; k++)
        if (asleep[k] > MOST * count)
            return ldexp(margin, -k);
    return asleep[HALVES - 1] > SOME * count ? ldexp(margin, 1 - HALVES) : margin;
}

void vv_patches_choose_margins(vv_broad *b)
{
    for (int i = 0; i < b->surface->body_count; i++)
        if (b->bodies[i].stale && b->bodies[i].levels > 1 && vv_surface_touches(b->surface, i, i))
            b->bodies[i].margin = margin_for(b, i);
}
