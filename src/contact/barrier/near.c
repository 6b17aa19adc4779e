/* Which obstacles a run of vertices can reach: the rest need not be asked vertex by vertex. Results do not change by
 * it, to the bit. */
#include "base/vec.h"
#include "contact/barrier/barrier.h"

#include <limits.h>

enum {
    RUN = 64,   /* vertices, of one body: meshes number neighbours close to each other */
    WITHIN = 8, /* nodes within one: most are behind others */
    FEW = 4     /* obstacles that are asked at once */
};
static const double SLACK = 1 + 1e-9;

/* A ball around the vertices of a run, with the largest of their radii, and of their motions along p (may be NULL). */
typedef struct ball {
    double centre[3], size, radius, motion;
} ball;

static ball ball_around(const vv_reach *r, int v)
{
    const vv_vertices *vs = r->def->vertices;
    double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY }, x[3], half[3];
    ball b = { .radius = -INFINITY };
    for (; v < r->end; v++) {
        vv_vertex_position(vs, v, r->q, x);
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], x[k]);
            high[k] = fmax(high[k], x[k]);
        }
        b.radius = fmax(b.radius, vs->radius[v]);
        if (r->p) {
            vv_vertex_position(vs, v, r->p, x);
            b.motion = fmax(b.motion, vv_norm(x));
        }
    }
    for (int k = 0; k < 3; k++) {
        half[k] = 0.5 * (high[k] - low[k]);
        b.centre[k] = low[k] + half[k];
    }
    b.size = vv_norm(half);
    return b;
}

static bool goes(const vv_frame *f, const double *p)
{
    for (size_t i = 3 * (size_t)f->node; i < 3 * (size_t)f->node + 12; i++)
        if (p[i] != 0)
            return true;
    return false;
}

/* Whether a vertex of the ball may be nearer than `reach` to obstacle o or, along a path, be stopped by it: the filter
 * keeps a tenth of a gap at most, so that nine tenths of it may be lost. */
static bool may_meet(const vv_reach *r, const ball *b, int o)
{
    const vv_obstacle *obstacle = r->def->obstacles + o;
    const vv_frame *frame = vv_contact_frame(r->def, o);
    if (frame && r->p && goes(frame, r->p))
        return true;
    double growth = (frame ? vv_frame_growth(frame) : 1) * vv_obstacle_steepness(obstacle);
    const double reach = r->p ? growth * b->motion / 0.9 * SLACK : r->reach,
                 size = growth * b->size * SLACK + b->radius;
    /* how far away it is does not matter where that is far enough */
    const double enough = (reach + size) * (1 + 1e-9) + 1e-9 * fabs(size);
    const double d = frame ? vv_frame_distance(frame, obstacle, b->centre, NULL, NULL)
                           : vv_obstacle_distance_below(obstacle, b->centre, enough);
    return !(d - size > reach); /* also where it is not a number */
}

vv_reach vv_reach_of(const vv_barrier_def *def, const double *q, const double *p, double reach)
{
    const bool all = !def->near || def->obstacle_count < FEW;
    /* nodes within bodies, at the end of the list, are rarely near anything */
    const int surface = def->near ? def->vertices->count - def->vertices->inner : INT_MAX;
    return (vv_reach){ .def = def,
                       .q = q,
                       .p = p,
                       .reach = reach,
                       .end = all ? surface : 0,
                       .count = all ? def->obstacle_count : 0,
                       .list = all ? NULL : def->near,
                       .vertex = -1,
                       .at = INT_MAX - 1 };
}

void vv_reach_next(vv_reach *r, int v)
{
    const vv_vertices *vs = r->def->vertices;
    const int most = v < vs->count - vs->inner ? RUN : WITHIN;
    for (r->end = v; r->end < vs->count && r->end < v + most && vs->body[r->end] == vs->body[v]; r->end++)
        continue;
    ball b = ball_around(r, v);
    r->count = 0;
    r->list = r->def->near;
    for (int o = 0; o < r->def->obstacle_count; o++)
        if (vv_contact_touches(r->def, v, o) && may_meet(r, &b, o))
            r->def->near[r->count++] = o;
}
