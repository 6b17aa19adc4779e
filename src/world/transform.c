/* The rigid motion that is nearest to what a body's nodes have done: least squares over them, weighted with their masses, by Horn's quaternion
 * (Horn 1987): the eigenvector of the largest eigenvalue of a symmetric 4x4 matrix of the sums m (X - C)(x - c)^T. It never mirrors. */
#include "base/eigen.h"
#include "base/error.h"
#include "base/vec.h"
#include "visviva/query.h"
#include "world/world.h"

#include <string.h>


static double weight_of(const vvWorld *w, const vv_body *b, size_t i) { return b->kinematic ? 1 : w->mass[i]; }

static void centre_of(const vvWorld *w, const vv_body *b, const double *x, double c[3])
{
    double weight = 0;
    memset(c, 0, 3 * sizeof *c);
    for (size_t i = (size_t)b->first; i < (size_t)(b->first + b->count); i++) {
        weight += weight_of(w, b, i);
        for (size_t k = 0; k < 3; k++)
            c[k] += weight_of(w, b, i) * x[3 * i + k];
    }
    for (int k = 0; k < 3; k++)
        c[k] /= weight;
}

/* s[3 i + j] = sum of m (X - C)_i (x - c)_j */
static void correlate(const vvWorld *w, const vv_body *b, const double *q, const double from[3], const double to[3], double s[9])
{
    memset(s, 0, 9 * sizeof *s);
    for (size_t n = (size_t)b->first; n < (size_t)(b->first + b->count); n++) {
        double before[3], after[3];
        vv_sub(w->rest + 3 * n, from, before);
        vv_sub(q + 3 * n, to, after);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                s[3 * i + j] += weight_of(w, b, n) * before[i] * after[j];
    }
}

/* Where several rotations are as good (a straight line may roll), the least one: the identity's part in their eigenspace. */
static void best_quaternion(const double s[9], double u[4])
{
    double n[16] = { s[0] + s[4] + s[8], s[5] - s[7], s[6] - s[2], s[1] - s[3],
                     s[5] - s[7], s[0] - s[4] - s[8], s[1] + s[3], s[6] + s[2],
                     s[6] - s[2], s[1] + s[3], s[4] - s[0] - s[8], s[5] + s[7],
                     s[1] - s[3], s[6] + s[2], s[5] + s[7], s[8] - s[0] - s[4] };
    double values[4], vectors[16], most = -INFINITY, size = 0, length = 0;
    vv_eigen_small(4, n, values, vectors);
    int best = 0;
    for (int k = 0; k < 4; k++) {
        size = fmax(size, fabs(values[k]));
        if (values[k] > most)
            most = values[k], best = k;
    }
    memset(u, 0, 4 * sizeof *u);
    for (int k = 0; k < 4; k++)
        for (int i = 0; values[k] >= most - 1e-9 * size && i < 4; i++)
            u[i] += vectors[4 * k] * vectors[4 * k + i];
    for (int i = 0; i < 4; i++)
        length += u[i] * u[i];
    if (!(length > 1e-12)) /* half a turn: the identity has no part in it */
        memcpy(u, vectors + 4 * best, 4 * sizeof *u), length = 1;
    for (int i = 0; i < 4; i++)
        u[i] /= sqrt(length);
}

static void matrix_of(const double u[4], double r[9])
{
    double a = u[0], b = u[1], c = u[2], d = u[3];
    const double m[9] = { a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c),
                          2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b),
                          2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d };
    memcpy(r, m, sizeof m);
}

static vvStatus transform(const vvWorld *w, vvBodyId id, const double *positions, vvTransform *out, vvError *error)
{
    int body = vv_body_index(w, id);
    if (body < 0 || !out)
        return vv_fail(error, VV_ERROR_INPUT, body < 0 ? "vvBodyTransform: no such body; was it removed before?"
                                                       : "vvBodyTransform wants a place for the transform, found NULL");
    const vv_body *b = w->bodies + body;
    const double *q = positions ? positions : w->state.q;
    double from[3], to[3], s[9], u[4], turned[3];
    centre_of(w, b, w->rest, from);
    centre_of(w, b, q, to);
    correlate(w, b, q, from, to, s);
    best_quaternion(s, u);
    matrix_of(u, out->rotation);
    memcpy(out->quaternion, u, sizeof u);
    vv_matvec(out->rotation, from, turned);
    vv_sub(to, turned, out->translation);
    return VV_OK;
}

vvStatus vvBodyTransform(const vvWorld *w, vvBodyId id, const double *nodePositions, vvTransform *out, vvError *error)
{
    VV_WORLD_CALL(w, error, transform(w, id, nodePositions, out, error));
}
