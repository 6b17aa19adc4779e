/* A body as a whole: mass, centre, momentum, bounds. */
#include "visviva/query.h"
#include "base/error.h"
#include "base/vec.h"
#include "world/world.h"

#include <string.h>

/* Sums over the body's nodes; where they have no mass, each counts as one. */
static void find_centre(const vvWorld *w, const vv_body *b, vvBodyMeasures *m)
{
    double weight = 0;
    for (size_t i = (size_t)b->first; i < (size_t)(b->first + b->count); i++) {
        double own = b->kinematic ? 1 : w->mass[i];
        weight += own;
        for (size_t k = 0; k < 3; k++) {
            m->centre[k] += own * w->state.q[3 * i + k];
            m->velocity[k] += own * w->state.v[3 * i + k];
        }
    }
    m->mass = b->kinematic ? 0 : weight;
    for (int k = 0; k < 3; k++) {
        m->momentum[k] = b->kinematic ? 0 : m->velocity[k];
        m->centre[k] /= weight;
        m->velocity[k] /= weight;
    }
}

/* Relative to the centre and its motion, so that nothing cancels far from the origin. */
static void find_turning(const vvWorld *w, const vv_body *b, vvBodyMeasures *m)
{
    for (size_t i = (size_t)b->first; i < (size_t)(b->first + b->count); i++) {
        double x[3], v[3], l[3];
        vv_sub(w->state.q + 3 * i, m->centre, x);
        vv_sub(w->state.v + 3 * i, m->velocity, v);
        vv_cross(x, v, l);
        for (int k = 0; k < 3; k++)
            m->angularMomentum[k] += w->mass[i] * l[k];
    }
}

static void take_in(vvBodyMeasures *m, const double x[3], double radius)
{
    for (int k = 0; k < 3; k++) {
        m->low[k] = fmin(m->low[k], x[k] - radius);
        m->high[k] = fmax(m->high[k], x[k] + radius);
    }
}

void vv_body_bounds(const vvWorld *w, int body, const double *q, double low[3], double high[3])
{
    const vv_body *b = w->bodies + body;
    vvBodyMeasures m = { .low = { INFINITY, INFINITY, INFINITY }, .high = { -INFINITY, -INFINITY, -INFINITY } };
    /* an affine body's are no part of its shape */
    for (int i = b->first; b->solid_volume == 0 && i < b->first + b->vertex_count; i++)
        take_in(&m, q + 3 * (size_t)i, b->point_count > 0 ? b->thickness / 2 : 0);
    for (int v = 0; v < b->skin.vertex_count; v++) {
        double x[3];
        vv_skin_position(&b->skin, v, q + 3 * (size_t)b->first, x);
        take_in(&m, x, 0);
    }
    memcpy(low, m.low, sizeof m.low);
    memcpy(high, m.high, sizeof m.high);
}

static vvStatus measure(const vvWorld *w, vvBodyId id, vvBodyMeasures *out, vvError *error)
{
    int body = vv_body_index(w, id);
    if (body < 0 || !out)
        return vv_fail(error, VV_ERROR_INPUT,
                       body < 0 ? "vvBodyMeasure: no such body; was it removed before?"
                                : "vvBodyMeasure needs a pointer for the measures, found NULL");
    vvBodyMeasures m = { 0 };
    find_centre(w, w->bodies + body, &m);
    find_turning(w, w->bodies + body, &m);
    vv_body_bounds(w, body, w->state.q, m.low, m.high);
    *out = m;
    return VV_OK;
}

vvStatus vvBodyMeasure(const vvWorld *w, vvBodyId id, vvBodyMeasures *measures, vvError *error)
{
    VV_WORLD_CALL(w, error, measure(w, id, measures, error));
}
