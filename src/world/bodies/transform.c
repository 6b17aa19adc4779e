/* The rigid motion that is nearest to what a body's nodes have done: least squares over them, weighted with their
 * masses (base/rotation.h). */
#include "base/error.h"
#include "base/rotation.h"
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
static void correlate(const vvWorld *w, const vv_body *b, const double *q, const double from[3], const double to[3],
                      double s[9])
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

static vvStatus transform(const vvWorld *w, vvBodyId id, const double *positions, vvTransform *out, vvError *error)
{
    int body = vv_body_index(w, id);
    if (body < 0 || !out)
        return vv_fail(error, VV_ERROR_INPUT,
                       body < 0 ? "vvBodyTransform: no such body; was it removed before?"
                                : "vvBodyTransform needs a pointer for the transform, found NULL");
    const vv_body *b = w->bodies + body;
    const double *q = positions ? positions : w->state.q;
    double from[3], to[3], s[9], u[4], turned[3];
    centre_of(w, b, w->rest, from);
    centre_of(w, b, q, to);
    correlate(w, b, q, from, to, s);
    vv_nearest_rotation(s, u);
    vv_quaternion_matrix(u, out->rotation);
    memcpy(out->quaternion, u, sizeof u);
    vv_matvec(out->rotation, from, turned);
    vv_sub(to, turned, out->translation);
    return VV_OK;
}

vvStatus vvBodyTransform(const vvWorld *w, vvBodyId id, const double *nodePositions, vvTransform *out, vvError *error)
{
    VV_WORLD_CALL(w, error, transform(w, id, nodePositions, out, error));
}
