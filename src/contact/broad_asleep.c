/* Patches that sleep: pieces of a body's surface within which, and between which, nothing can act on the way (theory §5.8,
 * broad_patches.h). */
#include "contact/broad_patches.h"

#include "base/vec.h"

#include <math.h>
#include <string.h>

int vv_patch_elements(const vv_broad *b, int group, const vv_element **e)
{
    bool low = group < b->level_end[0];
    int first = low ? group : b->child[group];
    *e = first < 0 ? NULL : b->elements + 4 * (size_t)first;
    return first < 0 ? 0 : low ? 4 : 16;
}

static void add(double sum[3], const double x[3])
{
    for (int k = 0; k < 3; k++)
        sum[k] += x[k];
}

static void where(const vv_broad *b, int v, int end, double x[3])
{
    for (size_t k = 0, i = 3 * (size_t)v; k < 3; k++)
        x[k] = b->x[i + k] + end * b->motion[i + k];
}

void vv_patch_place(const vv_broad *b, int group, int end, double centre[3], double normal[3])
{
    const vv_patches *ps = b->patches;
    const vv_element *e;
    double area = 0;
    memset(centre, 0, 3 * sizeof *centre);
    memset(normal, 0, 3 * sizeof *normal);
    for (int i = ps->first[group]; i < ps->first[group + 1]; i++) {
        double x[3];
        where(b, ps->vertex[i], end, x);
        add(centre, x);
    }
    for (int k = 0; k < 3; k++)
        centre[k] /= ps->first[group + 1] - ps->first[group];
    for (int i = 0, count = vv_patch_elements(b, group, &e); i < count; i++) {
        double x[3], y[3], z[3], n[3];
        if (e[i].corners != 3)
            continue;
        where(b, e[i].vertex[0], end, x), where(b, e[i].vertex[1], end, y), where(b, e[i].vertex[2], end, z);
        vv_sub(y, x, y), vv_sub(z, x, z);
        vv_cross(y, z, n);
        add(normal, n);
        area += vv_norm(n);
    }
    for (int k = 0; k < 3; k++)
        normal[k] = area > 0 ? normal[k] / area : 0;
}

/* ---- on the way ------------------------------------------------------------------------------------------------- */

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
static double least_singular(const vv_patch *p, bool moves)
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

/* F = (sum x X^T + weight n N^T) (sum X X^T + weight N N^T)^-1 about the centres. Returns how far a vertex strays. */
static double fit_end(const vv_broad *b, int group, int end)
{
    const vv_patches *ps = b->patches;
    vv_patch *p = ps->patch + group;
    double normal[3], moments[9], stray = 0;
    vv_patch_place(b, group, end, p->at[end], normal);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            moments[3 * r + c] = p->weight * normal[r] * p->normal[c];
    for (int pass = 0; pass < 2; pass++) {
        for (int i = ps->first[group]; i < ps->first[group + 1]; i++) {
            double x[3], rest[3], along[3];
            where(b, ps->vertex[i], end, x);
            vv_sub(x, p->at[end], x);
            vv_sub(b->surface->rest + 3 * (size_t)ps->vertex[i], p->centre, rest);
            if (pass == 0) {
                for (int r = 0; r < 3; r++)
                    for (int c = 0; c < 3; c++)
                        moments[3 * r + c] += x[r] * rest[c];
            } else {
                vv_matvec(p->map[end], rest, along);
                vv_sub(x, along, x);
                double far = vv_dot(x, x);
                stray = far <= stray ? stray : far; /* NaN is kept */
            }
        }
        if (pass == 0)
            vv_matmul(moments, p->inverse, p->map[end]);
    }
    return sqrt(stray);
}

enum { PATCHES = 64 }; /* a chunk */

static void fit_chunk(void *arg, int chunk)
{
    vv_broad *b = arg;
    const vv_patches *ps = b->patches;
    int end = (chunk + 1) * PATCHES < ps->count ? (chunk + 1) * PATCHES : ps->count;
    for (int i = chunk * PATCHES; i < end; i++) {
        vv_patch *p = ps->patch + i;
        if (ps->first[i] == ps->first[i + 1])
            continue;
        p->stray = fit_end(b, i, 0);
        if (b->moves) {
            double last = fit_end(b, i, 1);
            p->stray = last <= p->stray ? p->stray : last;
        }
        p->least = least_singular(p, b->moves);
    }
}

void vv_patches_fit(vv_broad *b, const vv_parallel *par)
{
    vv_for(par, (b->patches->count + PATCHES - 1) / PATCHES, fit_chunk, b);
}

/* How far the points of two patches stray from the mean of both maps, together, at an end; *apart: half the maps' difference. */
static double stray_together(const vv_patch *a, const vv_patch *c, int end, double *apart)
{
    double square = 0, between[3], now[3], mean[9], along[3];
    for (int i = 0; i < 9; i++) {
        double d = 0.5 * (c->map[end][i] - a->map[end][i]);
        mean[i] = a->map[end][i] + d;
        square += d * d;
    }
    *apart = sqrt(square);
    vv_sub(c->centre, a->centre, between);
    vv_sub(c->at[end], a->at[end], now);
    vv_matvec(mean, between, along);
    vv_sub(now, along, now);
    return a->stray + c->stray + *apart * (a->radius + c->radius) + vv_norm(now);
}

/* By how much the distance stays above that at which anything acts, with `stray` m of straying and no margin; rest: at least d_0. */
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
    const vv_patch *p = ps->patch + group_a, *q = ps->patch + group_b;
    double least = p->least, stray = 2 * p->stray, rest = fmax(ps->nearest[group_a], ps->nearest[group_b]);
    if (group_a != group_b) {
        double between[3], apart = 0, more = 0;
        stray = stray_together(p, q, 0, &apart);
        if (b->moves)
            stray = fmax(stray, stray_together(p, q, 1, &more));
        least = fmax(p->least, q->least) - fmax(apart, more);
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
        const vv_patch *p = ps->patch + i;
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
        if (b->bodies[i].levels > 1 && vv_surface_touches(b->surface, i, i))
            b->bodies[i].margin = margin_for(b, i);
}
