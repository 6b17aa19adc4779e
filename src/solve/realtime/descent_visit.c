/* Block descent's visit of some groups of one colour (theory §6.13): derivatives, moves, how far they may go, and,
 * where a sweep has to be careful, how far each node's part of g falls. Lanes are nodes. */
#include "solve/realtime/descent_chunk.h"

#include <math.h>
#include <string.h>

enum { LANES = VV_DESCENT_LANES, MOST_HALVINGS = VV_DESCENT_HALVINGS };

static void ask_energies(const vv_descent_chunk *c, vv_energy *const *list, const vv_descent_offer *offers, int count,
                         vv_descent_asked what)
{
    for (int i = 0; i < count; i++) {
        const vv_node_ops *ops = list[i]->ops->nodes;
        if (what == VV_DESCENT_BLOCKS)
            ops->blocks(list[i], offers[i].data, &c->batch);
        else if (what == VV_DESCENT_VALUES)
            ops->values(list[i], offers[i].data, &c->batch);
        else if (ops->limits)
            ops->limits(list[i], offers[i].data, &c->batch);
    }
}

void vv_descent_ask(vv_descent_chunk *c, vv_descent_asked what)
{
    const vv_block_descent *s = c->k->s;
    for (int i = 0; i < c->k->views; i++) {
        const vv_descent_view *v = c->k->view + i;
        c->batch.x = v->x;
        c->batch.gradient = v->gradient, c->batch.hessian = v->hessian, c->batch.value = v->value;
        c->batch.reach = v->factor, c->batch.view = i;
        if (what != VV_DESCENT_LIMITS && v->value == 0)
            continue;
        if (!v->dissipative)
            ask_energies(c, s->system->energy, s->energy, s->system->energies, what);
        else if (what != VV_DESCENT_LIMITS)
            ask_energies(c, s->system->dissipation, s->dissipation, s->system->dissipations, what);
    }
}

/* Moves of all lanes, where they start, and what they promise. */
static void find_moves(vv_descent_chunk *c)
{
    const vv_objective *o = c->k->b.o;
    for (int j = 0; j < c->groups; j++) {
        const vv_d8 *gradient = (const vv_d8 *)c->blocks + VV_NODE_BLOCK * j, *move = (const vv_d8 *)c->moves + 3 * j;
        vv_d8 mass, away[3], promise = { 0 };
        for (int l = 0; l < LANES; l++) {
            size_t i = vv_descent_node(c, j, l);
            mass[l] = o->system->mass[i];
            for (size_t m = 0; m < 3; m++) {
                double q = c->k->b.q[3 * i + m];
                c->start[(3 * (size_t)j + m) * LANES + (size_t)l] = q;
                away[m][l] = q - o->y[3 * i + m];
            }
        }
        c->k->s->step(gradient, &mass, away, (vv_d8 *)c->moves + 3 * j);
        for (int m = 0; m < 3; m++)
            promise -= (gradient[m] + mass * away[m]) * move[m];
        ((vv_d8 *)c->promise)[j] = promise;
    }
}

void vv_descent_go(const vv_descent_chunk *c)
{
    const vv_descent_solve *k = c->k;
    for (int j = 0; j < c->groups; j++)
        for (int l = 0; l < k->s->colours.order.lanes[c->batch.begin + j]; l++) {
            size_t i = vv_descent_node(c, j, l);
            for (size_t m = 0; m < 3; m++) {
                size_t at = (3 * (size_t)j + m) * LANES + (size_t)l;
                double q = c->start[at] + c->part[LANES * j + l] * c->moves[at];
                k->b.q[3 * i + m] = q;
                for (int v = 0; v < k->views; v++)
                    k->view[v].x[4 * i + m] =
                        (k->view[v].factor * q + (k->view[v].z ? k->view[v].z[3 * i + m] : 0)) / k->view[v].divisor;
            }
        }
}

void vv_descent_values(vv_descent_chunk *c, double *values)
{
    const vv_objective *o = c->k->b.o;
    memset(values, 0, (size_t)c->groups * LANES * sizeof *values);
    c->batch.values = values;
    vv_descent_ask(c, VV_DESCENT_VALUES);
    for (int j = 0; j < c->groups; j++)
        for (int l = 0; l < LANES; l++) {
            size_t i = vv_descent_node(c, j, l);
            double away[3];
            for (size_t m = 0; m < 3; m++)
                away[m] = c->k->b.q[3 * i + m] - o->y[3 * i + m];
            values[LANES * j + l] +=
                0.5 * o->system->mass[i] * (away[0] * away[0] + away[1] * away[1] + away[2] * away[2]);
        }
}

/* Whether a node's part of g has not risen, or cannot tell, as its rounding is more than the move promises. */
static bool falls(const vv_descent_chunk *c, int lane)
{
    const double rounding = VV_DESCENT_ROUNDING * fabs(c->before[lane]);
    return c->after[lane] <= c->before[lane] + rounding || c->part[lane] * c->promise[lane] <= rounding;
}

/* Halves moves until none raises g; those that do so however short are not made. */
static void go_carefully(vv_descent_chunk *c)
{
    vv_descent_values(c, c->before);
    vv_descent_go(c);
    for (int i = 0; i <= MOST_HALVINGS; i++) {
        bool all = true;
        vv_descent_values(c, c->after);
        for (int l = 0; l < LANES * c->groups; l++) {
            bool fine = c->part[l] == 0 || falls(c, l);
            if (!fine)
                c->part[l] = i < MOST_HALVINGS - 1 ? 0.5 * c->part[l] : 0;
            all = all && fine;
        }
        if (all)
            return;
        vv_descent_go(c);
    }
}

static double stiffness_of(const vv_descent_chunk *c)
{
    double sum = 0;
    for (int j = 0; j < c->groups; j++)
        for (int l = 0; l < c->k->s->colours.order.lanes[c->batch.begin + j]; l++) {
            const double *h = c->blocks + (VV_NODE_BLOCK * j + 3) * LANES + l;
            sum += c->k->b.o->system->mass[vv_descent_node(c, j, l)] + fmax(h[0] + h[LANES] + h[2 * LANES], 0) / 3;
        }
    return sum;
}

static double longest_move(const vv_descent_chunk *c)
{
    double most = 0;
    for (int j = 0; j < c->groups; j++)
        for (int l = 0; l < c->k->s->colours.order.lanes[c->batch.begin + j]; l++) {
            const double *d = c->moves + 3 * LANES * j + l;
            double square = c->part[LANES * j + l] * c->part[LANES * j + l] *
                            (d[0] * d[0] + d[LANES] * d[LANES] + d[2 * LANES] * d[2 * LANES]);
            most = square > most || isnan(square) ? square : most; /* a NaN stays */
        }
    return most;
}

void vv_descent_visit(void *arg, int index)
{
    const vv_descent_solve *k = arg;
    vv_descent_chunk c;
    int begin = k->first + VV_DESCENT_CHUNK * index,
        end = begin + VV_DESCENT_CHUNK < k->end ? begin + VV_DESCENT_CHUNK : k->end;
    c.k = k;
    c.groups = end - begin;
    c.batch = (vv_node_batch){ .begin = begin,
                               .end = end,
                               .node = k->s->colours.order.node,
                               .blocks = c.blocks,
                               .moves = c.moves,
                               .limits = c.part };
    memset(c.blocks, 0, (size_t)c.groups * VV_NODE_BLOCK * LANES * sizeof(double));
    vv_descent_ask(&c, VV_DESCENT_BLOCKS);
    find_moves(&c);
    if (k->omega == 1)
        k->s->stiffness[index] += stiffness_of(&c);
    for (int i = 0; i < LANES * c.groups; i++)
        c.part[i] = k->omega;
    if (k->s->limited)
        vv_descent_ask(&c, VV_DESCENT_LIMITS);
    if (k->careful)
        go_carefully(&c);
    else
        vv_descent_go(&c);
    double most = longest_move(&c);
    k->s->longest[index] = most > k->s->longest[index] || isnan(most) ? most : k->s->longest[index];
}
