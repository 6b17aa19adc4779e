/* An active pair at the positions of the last update, as potential.h takes it (theory §5.6). */
#include "contact/pairs/collisions.h"
#include "contact/pairs/potential.h"

#include <math.h>
#include <string.h>

/* kappa of a pair, Pa: the larger one of its two bodies'. */
static double stiffness_of(const vv_collisions *c, const vv_pair *p)
{
    const double *parts = c->def.parts;
    if (!parts)
        return c->def.stiffness;
    const int *body = c->def.surface->vertices->body;
    return c->def.stiffness * fmax(parts[body[p->vertex[0]]], parts[body[p->vertex[vv_stencil_points(p->kind) - 1]]]);
}

void vv_pair_state_at(const vv_collisions *c, const vv_pair *p, vv_pair_state *s)
{
    vv_collisions_points(c, p->vertex, s->x);
    s->kind = p->kind;
    s->min_distance = p->min_distance;
    s->activation = p->activation;
    s->stiffness = stiffness_of(c, p) * p->weight;
    s->mollifier = p->eps;
    s->penalty = c->penetration != NULL;
    if (p->eps == 0 || p->mask == 15) {
        vv_stencil_distance2(p->kind, (const double(*)[3])s->x, NULL, s->w);
        return;
    }
    /* a mollified pair of edges whose distance is taken at an end: that part's weights among the four points */
    double x[4][3], w[4];
    int at[4], n = 0;
    bool point_last = (p->mask & 3) == 3;
    for (int i = 0; i < 4; i++)
        if (p->mask >> (point_last ? 3 - i : i) & 1)
            at[n++] = point_last ? 3 - i : i;
    for (int i = 0; i < n; i++)
        memcpy(x[i], s->x[at[i]], sizeof x[i]);
    vv_stencil_distance2(n == 2 ? VV_STENCIL_VV : VV_STENCIL_VE, (const double(*)[3])x, NULL, w);
    memset(s->w, 0, sizeof s->w);
    for (int i = 0; i < n; i++)
        s->w[at[i]] = point_last ? -w[i] : w[i];
}
