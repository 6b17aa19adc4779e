/* Links as constraints of position-based solvers (energy/constraints.h, theory §6.12 and §4.15), one after the other
 * in their order.
 *
 * POINT and LINE push along their distance across: with w_i the node's weight in it (of a LINE that of d - (s/|u|) u,
 * with which the distance across turns to first order) its impulse is p_i = w_i P. The others push along the gradient
 * of their number c, p_i = lambda dc/dx_i. Either remembers P or lambda, or in exact sweeps each node's impulse. */
#include "energy/links/links.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"

#include <string.h>

typedef struct sweeps {
    vv_constraints base;
    const vv_links *s;
} sweeps;

enum { SCALAR_ROOM = 8, EXACT_ROOM = 3 * VV_LINK_NODES };

static size_t room(const vv_constraints *c, bool exact)
{
    return (size_t)((const sweeps *)c)->s->count * (exact ? EXACT_ROOM : SCALAR_ROOM);
}

/* The vectors at beta q + z. */
static void vectors_at(const vv_link *l, const vv_sweep *s, double d[VV_LINK_MOST])
{
    for (int v = 0; v < vv_link_vectors(l->form); v++)
        for (size_t k = 0; k < 3; k++) {
            d[3 * (size_t)v + k] = l->offset[v][k];
            for (int i = 0; i < l->nodes; i++) {
                const size_t node = (size_t)l->node[i];
                d[3 * (size_t)v + k] +=
                    l->weight[v][i] * (s->beta * s->x[4 * node + k] + (s->z ? s->z[3 * node + k] : 0));
            }
        }
}

/* The nodes' impulses change from their old ones to `now`. */
static void push(const vv_link *l, const vv_sweep *s, const double *old, const double *now)
{
    for (int i = 0; i < l->nodes; i++) {
        double *q = s->x + 4 * (size_t)l->node[i];
        for (int k = 0; k < 3; k++)
            q[k] += q[3] * (now[3 * i + k] - old[3 * i + k]);
    }
}

/* The way across, r, at the present place, and each node's weight in it. False: there is none. */
static bool way_across(const vv_link *l, const double *d, double r[3], double unit[3], double weight[VV_LINK_NODES])
{
    const double length = l->form == VV_LINK_LINE ? vv_norm(d) : 1, *to = l->form == VV_LINK_LINE ? d + 3 : d;
    double along = 0;
    if (!(length > 0))
        return false;
    for (int k = 0; k < 3; k++) {
        unit[k] = l->form == VV_LINK_LINE ? d[k] / length : 0;
        along += unit[k] * to[k];
    }
    for (int k = 0; k < 3; k++)
        r[k] = to[k] - along * unit[k];
    for (int i = 0; i < l->nodes; i++)
        weight[i] = l->form == VV_LINK_LINE ? l->weight[1][i] - along / length * l->weight[0][i] : l->weight[0][i];
    return true;
}

static void sweep_way(const vv_link *l, const vv_sweep *s, const double *d, double *memory)
{
    double r[3], unit[3], weight[VV_LINK_NODES], old[EXACT_ROOM], now[EXACT_ROOM], moved[3] = { 0 }, mass = 0;
    if (!way_across(l, d, r, unit, weight))
        return;
    for (int i = 0; i < l->nodes; i++) {
        const double inverse = s->x[4 * (size_t)l->node[i] + 3];
        mass += weight[i] * weight[i] * inverse;
        for (int k = 0; k < 3; k++) {
            old[3 * i + k] = s->exact ? memory[3 * i + k] : weight[i] * memory[k];
            moved[k] += weight[i] * inverse * old[3 * i + k];
        }
    }
    const double stiffness = s->scale * s->beta * l->stiffness, along = vv_dot(unit, moved);
    for (int k = 0; k < 3; k++) {
        const double without = r[k] - s->beta * (moved[k] - along * unit[k]);
        const double impulse = -stiffness * without / (1 + stiffness * s->beta * mass);
        for (int i = 0; i < l->nodes; i++)
            now[3 * i + k] = weight[i] * impulse;
        if (!s->exact)
            memory[k] = impulse;
    }
    push(l, s, old, now);
    if (s->exact)
        memcpy(memory, now, 3 * (size_t)l->nodes * sizeof *now);
}

/* -s beta f'(c'), where c' = c0 + stretch x that. */
static double impulse_of(const vv_link *l, double scale, double c0, double stretch)
{
    const double e = vv_link_excess(l, c0), k = scale * l->stiffness, most = scale * l->most;
    return fmax(fmin(-k * e / (1 + k * stretch), most), -most);
}

static void sweep_number(const vv_link *l, const vv_sweep *s, const double *d, double *memory)
{
    double c, g[VV_LINK_MOST], along[EXACT_ROOM], old[EXACT_ROOM], now[EXACT_ROOM], moved = 0, mass = 0;
    if (!vv_link_measure(l, d, &c, g, NULL))
        return;
    for (int i = 0; i < l->nodes; i++)
        for (int k = 0; k < 3; k++) {
            const double inverse = s->x[4 * (size_t)l->node[i] + 3];
            double sum = 0;
            for (int v = 0; v < vv_link_vectors(l->form); v++)
                sum += l->weight[v][i] * g[3 * v + k];
            along[3 * i + k] = sum;
            old[3 * i + k] = s->exact ? memory[3 * i + k] : sum * memory[0];
            mass += sum * sum * inverse;
            moved += sum * inverse * old[3 * i + k];
        }
    const double lambda = impulse_of(l, s->scale * s->beta, c - s->beta * moved, s->beta * mass);
    for (int i = 0; i < 3 * l->nodes; i++)
        now[i] = lambda * along[i];
    push(l, s, old, now);
    if (s->exact)
        memcpy(memory, now, 3 * (size_t)l->nodes * sizeof *now);
    else
        memory[0] = lambda;
}

static void sweep(const vv_constraints *c, const vv_sweep *s)
{
    const vv_links *links = ((const sweeps *)c)->s;
    for (int i = 0; i < links->count; i++) {
        const vv_link *l = links->link + i;
        double d[VV_LINK_MOST], *memory = s->memory + (s->exact ? EXACT_ROOM : SCALAR_ROOM) * (size_t)i;
        if (l->off)
            continue;
        vectors_at(l, s, d);
        if (l->form == VV_LINK_POINT || l->form == VV_LINK_LINE)
            sweep_way(l, s, d, memory);
        else
            sweep_number(l, s, d, memory);
    }
}

static void destroy(vv_constraints *c) { vv_free(c); }

vvStatus vv_links_constraints(const vv_energy *e, vv_constraints **out, vvError *error)
{
    static const vv_constraints_ops ops = { room, sweep, destroy, true };
    sweeps *made = vv_alloc(1, sizeof *made);
    *out = NULL;
    if (!made)
        return vv_fail_memory(error, "constraints");
    *made = (sweeps){ { &ops }, (const vv_links *)e };
    *out = &made->base;
    return VV_OK;
}
