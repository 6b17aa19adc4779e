/* An energy's functions of single nodes (energy/nodes.h) against its own value and derivatives. */
#ifndef VV_TESTS_NODE_FIXTURE_H
#define VV_TESTS_NODE_FIXTURE_H

#include "energy_fixture.h"

#include "solve/realtime/node_colours.h"
#include "solve/solver.h"

enum { NODES = 27, FREE = 24 }; /* the first three are prescribed */

/* ---- a system of one energy, and its nodes in colours ---- */

typedef struct subject {
    vv_system system;
    vv_node_colours colours;
    vv_energy *e;
    void *data;
    int unknown[NODES], node[NODES];
    double mass[NODES];
} subject;

static inline void begin(subject *s, vv_energy *e, bool dissipation)
{
    *s = (subject){ .e = e };
    for (int i = 0; i < NODES; i++) {
        s->unknown[i] = i - (NODES - FREE);
        s->unknown[i] = s->unknown[i] < 0 ? -1 : s->unknown[i];
        s->mass[i] = 1;
        if (s->unknown[i] >= 0)
            s->node[s->unknown[i]] = i;
    }
    s->system = (vv_system){
        .nodes = NODES, .unknowns = FREE, .unknown = s->unknown, .node = s->node, .mass = s->mass, .par.threads = 1
    };
    assert_int_equal(dissipation ? vv_system_add_dissipation(&s->system, e, NULL)
                                 : vv_system_add_energy(&s->system, e, NULL),
                     VV_OK);
    assert_int_equal(vv_node_colours_create(&s->colours, &s->system, NULL), VV_OK);
    assert_non_null(e->ops->nodes);
    if (e->ops->nodes->prepare)
        assert_int_equal(e->ops->nodes->prepare(e, &s->colours.order, &s->data, NULL), VV_OK);
}

static inline void end(subject *s)
{
    vv_free(s->data);
    vv_node_colours_free(&s->colours);
    vv_system_free(&s->system);
}

static inline double *in_fours(const double *x)
{
    double *y = vv_alloc(4 * NODES, sizeof *y);
    for (int i = 0; i < 4 * NODES; i++)
        y[i] = i % 4 < 3 ? x[3 * (i / 4) + i % 4] : 0;
    return y;
}

/* Per place; free with vv_free. */
static inline double *ask(const subject *s, const double *x, bool values)
{
    int groups = s->colours.order.groups, size = values ? 1 : VV_NODE_BLOCK;
    double *y = in_fours(x), *out = vv_alloc((size_t)(8 * size * groups), sizeof *out);
    vv_node_batch b = { .end = groups,
                        .node = s->colours.order.node,
                        .x = y,
                        .gradient = 2,
                        .hessian = 3,
                        .value = 5,
                        .blocks = out,
                        .values = out };
    for (b.begin = 0; b.begin < groups; b.begin = b.end) { /* in batches of two */
        b.end = b.begin + 2 < groups ? b.begin + 2 : groups;
        b.blocks = b.values = out + 8 * size * b.begin;
        if (values)
            s->e->ops->nodes->values(s->e, s->data, &b);
        else
            s->e->ops->nodes->blocks(s->e, s->data, &b);
    }
    vv_free(y);
    return out;
}

static inline double of_block(const double *blocks, int place, int k)
{
    return blocks[8 * (VV_NODE_BLOCK * (place / 8) + k) + place % 8];
}

/* The node's own block of the exact Hessian, by differences of the gradient. */
static inline void own_hessian(const subject *s, const double *x, int node, double h[9])
{
    double y[3 * NODES], g[2][3 * NODES], step = 1e-6;
    for (int k = 0; k < 3; k++) {
        for (int side = 0; side < 2; side++) {
            memcpy(y, x, sizeof y);
            y[3 * node + k] += side ? step : -step;
            memset(g[side], 0, sizeof g[side]);
            vv_energy_update(s->e, &one_thread, y);
            s->e->ops->derivatives(s->e, &one_thread, y, 1, VV_HESSIAN_EXACT, g[side], NULL);
        }
        for (int i = 0; i < 3; i++)
            h[3 * i + k] = (g[1][3 * node + i] - g[0][3 * node + i]) / (2 * step);
    }
}

/* exact: the second derivatives have to be so. smooth: there is a gradient; else anything finite will do. */
static inline void compare(subject *s, const double *x, bool exact, bool smooth, const char *what)
{
    double g[3 * NODES] = { 0 }, *blocks = ask(s, x, false), *values = ask(s, x, true), size = 1e-300;
    s->e->ops->derivatives(s->e, &one_thread, x, 1, VV_HESSIAN_EXACT, g, NULL);
    double scale = largest(g, 3 * NODES) + 1;
    for (int u = 0; u < FREE; u++)
        for (int k = 3; k < 6; k++)
            size = fmax(size, fabs(of_block(blocks, s->colours.order.place[s->node[u]], k)));
    for (int u = 0; u < FREE; u++) {
        int node = s->node[u], place = s->colours.order.place[node];
        static const int at[6] = { 0, 4, 8, 5, 2, 1 };
        double h[9];
        for (int k = 0; k < 3; k++)
            if (smooth ? !(fabs(of_block(blocks, place, k) / 2 - g[3 * node + k]) < 1e-12 * scale)
                       : !isfinite(of_block(blocks, place, k)))
                fail_msg("%s: node %d, gradient %d: %.17g, not %.17g", what, node, k, of_block(blocks, place, k) / 2,
                         g[3 * node + k]);
        own_hessian(s, x, node, h);
        for (int k = 0; k < 6 && exact; k++)
            if (!(fabs(of_block(blocks, place, 3 + k) / 3 - h[at[k]]) < 1e-6 * (size + 1)))
                fail_msg("%s: node %d, Hessian %d: %.10g, not %.10g", what, node, k, of_block(blocks, place, 3 + k) / 3,
                         h[at[k]]);
        for (int k = 0; k < 6; k++)
            assert_true(isfinite(of_block(blocks, place, 3 + k)));
        /* the value changes as the energy's */
        double y[3 * NODES], step = 1e-3;
        memcpy(y, x, sizeof y);
        for (int k = 0; k < 3; k++)
            y[3 * node + k] += step * (k + 1) * (u % 2 ? 1 : -1);
        double *moved = ask(s, y, true), change = (moved[place] - values[place]) / 5;
        double before = s->e->ops->value(s->e, &one_thread, x, NULL),
               after = s->e->ops->value(s->e, &one_thread, y, NULL);
        if (isfinite(after) ? !(fabs(change - (after - before)) < 1e-11 * (fabs(before) + fabs(after) + 1))
                            : moved[place] != INFINITY)
            fail_msg("%s: node %d: value changes by %.17g, not %.17g", what, node, change, after - before);
        vv_free(moved);
    }
    vv_free(blocks);
    vv_free(values);
}

/* Nodes of a colour are not coupled, each place is of its node, every free node has one. */
static inline void check_order(const subject *s)
{
    const vv_node_order *o = &s->colours.order;
    int seen = 0;
    for (int i = 0; i < NODES; i++)
        assert_true((o->place[i] >= 0) == (s->unknown[i] >= 0));
    for (int c = 0; c < s->colours.colours; c++)
        for (int j = s->colours.start[c]; j < s->colours.start[c + 1]; j++)
            for (int l = 0; l < 8; l++) {
                bool own = l < o->lanes[j];
                seen += own;
                assert_true(own ? o->place[o->node[8 * j + l]] == 8 * j + l : o->node[8 * j + l] == o->node[8 * j]);
            }
    assert_int_equal(seen, FREE);
    vv_pattern p = { .n = FREE };
    if (s->e->ops->pattern)
        s->e->ops->pattern(s->e, s->unknown, &p);
    for (size_t k = 0; k < p.count; k++) {
        int color[2];
        for (int e = 0; e < 2; e++)
            for (int c = 0; c < s->colours.colours; c++)
                if (o->place[s->node[p.couplings[k][e]]] / 8 >= s->colours.start[c])
                    color[e] = c;
        assert_int_not_equal(color[0], color[1]);
    }
    vv_pattern_free(&p);
}

#endif
