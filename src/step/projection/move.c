/* FEPR's iteration for groups of bodies: where nodes go (theory §3.10). */
#include "step/projection/projection.h"

#include "base/memory.h"
#include "base/vec.h"
#include "solve/vectors.h"

#include <string.h>

void vv_projection_nodes_take(vv_stepper *s, vv_projection_nodes *n)
{
    double **vectors[] = { &n->start_q, &n->start_v, &n->from_q, &n->from_v, &n->from_g, &n->dq,
                           &n->dv,      &n->to_q,    &n->to_v,   &n->best_q, &n->best_v };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = vv_arena_push(&s->system->arena, vv_node_space(s->system), sizeof(double));
    vv_zero(vv_node_space(s->system), n->dq);
    vv_zero(vv_node_space(s->system), n->dv);
}

/* The node's group, if it is free and its group moves. */
static const vv_projection_group *moving(const vv_stepper *s, const vv_projection *p, int node)
{
    const int k = p->group_of[s->system->body[node]];
    return k >= 0 && s->system->unknown[node] >= 0 && (p->groups[k].moves || p->groups[k].between != 0) ? p->groups + k
                                                                                                        : NULL;
}

void vv_projection_between(const vv_stepper *s, const vv_projection *p, const vv_trial *t, const vv_projection_nodes *n)
{
    for (int i = 0; i < s->system->nodes; i++) {
        const vv_projection_group *g = moving(s, p, i);
        if (!g || g->between == 0)
            continue;
        const double x = g->between;
        for (size_t c = 3 * (size_t)i; c < 3 * (size_t)i + 3; c++) {
            n->from_q[c] += x * n->dq[c];
            n->from_v[c] += x * n->dv[c];
            n->from_g[c] += x / g->part * (t->gradient[c] - n->from_g[c]);
        }
    }
}

/* From the scheme's end to the step's start, carried along. */
static void towards_start(const vv_stepper *s, const vv_projection_group *g, const vv_projection_nodes *n, int node,
                          double dq[3], double dv[3])
{
    const size_t j = 3 * (size_t)node;
    vv_projection_carry(s, g, node, dq, dv);
    for (size_t c = 0; c < 3; c++) {
        dq[c] -= n->start_q[j + c];
        dv[c] -= n->start_v[j + c];
    }
}

/* From the scheme's end to where it is turned. */
static void twisted(const vv_projection_group *g, const vv_projection_nodes *n, size_t j, double dq[3], double dv[3])
{
    vv_projection_twist(g, n->start_q + j, n->start_v + j, dq, dv);
    for (size_t c = 0; c < 3; c++) {
        dq[c] -= n->start_q[j + c];
        dv[c] -= n->start_v[j + c];
    }
}

/* The group's direction at a node, and where it begins. */
static void direct_node(const vv_stepper *s, const vv_projection_group *g, const vv_trial *t,
                        const vv_projection_nodes *n, int node)
{
    const size_t j = 3 * (size_t)node;
    double dq[3], dv[3];
    if (g->restart || g->phase == VV_PROJECT_RETURNS || g->phase == VV_PROJECT_TWISTED) {
        memcpy(n->from_q + j, n->start_q + j, sizeof dq);
        memcpy(n->from_v + j, n->start_v + j, sizeof dv);
    } else if (g->anew && g->between == 0) {
        memcpy(n->from_q + j, t->q + j, sizeof dq);
        memcpy(n->from_v + j, t->v + j, sizeof dv);
        memcpy(n->from_g + j, t->gradient + j, sizeof dq);
    }
    if (!g->anew)
        return;
    if (g->phase == VV_PROJECT_RETURNS)
        towards_start(s, g, n, node, dq, dv);
    else if (g->phase == VV_PROJECT_TWISTED)
        twisted(g, n, j, dq, dv);
    else
        vv_projection_at(g, s->h, s->system->mass[node], n->from_q + j, n->from_v + j, n->from_g + j, dq, dv);
    for (size_t c = 0; c < 3; c++) {
        n->dq[j + c] = dq[c] + (g->along_last != 0 ? g->along_last * n->dq[j + c] : 0);
        n->dv[j + c] = dv[c] + (g->along_last != 0 ? g->along_last * n->dv[j + c] : 0);
    }
}

static void place(const vv_stepper *s, const vv_projection *p, const vv_trial *t, const vv_projection_nodes *n)
{
    for (int i = 0; i < s->system->nodes; i++) {
        const vv_projection_group *g = moving(s, p, i);
        const size_t j = 3 * (size_t)i;
        if (!g) {
            memcpy(n->to_q + j, t->q + j, 3 * sizeof *t->q);
            memcpy(n->to_v + j, t->v + j, 3 * sizeof *t->v);
            continue;
        }
        direct_node(s, g, t, n, i);
        for (size_t c = j; c < j + 3; c++) {
            n->to_q[c] = g->move || g->part != 1 ? n->from_q[c] + g->part * n->dq[c] : t->q[c];
            n->to_v[c] = n->from_v[c] + g->part * n->dv[c];
        }
        if (g->phase == VV_PROJECT_KICKED) /* ways back begin and end with these */
            memcpy(n->start_v + j, n->to_v + j, 3 * sizeof *t->v);
    }
}

static bool goes_elsewhere(const vv_projection_group *g) { return g->used && g->moves && (g->move || g->part != 1); }

/* Groups whose nodes were to go elsewhere stay where they are. */
static void stay(const vv_stepper *s, vv_projection *p, const vv_trial *t, const vv_projection_nodes *n)
{
    for (int b = 0; b < s->bodies; b++)
        p->groups[b].blocked = goes_elsewhere(p->groups + b);
    for (int i = 0; i < s->system->nodes; i++) {
        const int k = p->group_of[s->system->body[i]];
        if (k >= 0 && p->groups[k].blocked) {
            memcpy(n->to_q + 3 * (size_t)i, t->q + 3 * (size_t)i, 3 * sizeof *t->q);
            memcpy(n->to_v + 3 * (size_t)i, t->v + 3 * (size_t)i, 3 * sizeof *t->v);
        }
    }
}

/* Soft: s and t go along. */
static void move_soft(vv_projection_group *g)
{
    if (!g->moves || g->blocked)
        return;
    g->s = g->restart ? 0 : g->s_from + g->part * g->ds_from;
    g->t = g->restart ? 0 : g->t_from + g->part * g->dt_from;
}

bool vv_projection_go(vv_stepper *s, vv_projection *p, vv_trial *t, const vv_projection_nodes *n)
{
    bool moved = false;
    place(s, p, t, n);
    for (int b = 0; b < s->bodies; b++) {
        p->groups[b].blocked = false;
        moved = moved || goes_elsewhere(p->groups + b);
    }
    if (!vv_trial_look(s, t, n->to_q, n->to_v)) { /* E is infinite there */
        stay(s, p, t, n);
        vv_trial_look(s, t, n->to_q, n->to_v);
    }
    for (int b = 0; b < s->bodies; b++)
        if (p->groups[b].used)
            move_soft(p->groups + b);
    return moved;
}

/* Whether the straight path of all nodes from the scheme's end to q is free. */
static bool way_is_free(vv_stepper *s, const vv_projection_nodes *n, const double *q)
{
    vv_arena *arena = &s->system->arena;
    const size_t mark = vv_arena_mark(arena);
    double *way = vv_arena_push(arena, vv_node_space(s->system), sizeof *way);
    vv_difference_free(s->system, q, n->start_q, way);
    const bool free = vv_system_passes(s->system, n->start_q, way);
    vv_arena_release(arena, mark);
    return free;
}

/* Groups that touch something, or all, are to be back where the scheme ended, and have velocities alone to go on
 * with. */
static void put_back(vv_stepper *s, vv_projection *p, const vv_trial *t, const vv_projection_nodes *n, bool all)
{
    vv_copy(vv_node_space(s->system), t->q, n->to_q);
    vv_copy(vv_node_space(s->system), t->v, n->to_v);
    for (int b = 0; b < s->bodies; b++) {
        vv_projection_group *g = p->groups + b;
        if (!g->used || (g->alone && !all))
            continue;
        g->blocked = g->put_back = g->energy = true;
        g->move = false;
        g->scaled = 0;
        g->s = g->t = 0;
        g->phase = VV_PROJECT_READY;
    }
    for (int i = 0; i < s->system->nodes; i++) {
        const int k = p->group_of[s->system->body[i]];
        if (k >= 0 && p->groups[k].blocked) {
            memcpy(n->to_q + 3 * (size_t)i, n->start_q + 3 * (size_t)i, 3 * sizeof *t->q);
            memcpy(n->to_v + 3 * (size_t)i, n->start_v + 3 * (size_t)i, 3 * sizeof *t->v);
        }
    }
}

bool vv_projection_confirm(vv_stepper *s, vv_projection *p, vv_trial *t, const vv_projection_nodes *n)
{
    if (way_is_free(s, n, t->q))
        return true;
    put_back(s, p, t, n, false); /* others may go on */
    if (!way_is_free(s, n, n->to_q))
        put_back(s, p, t, n, true);
    vv_trial_look(s, t, n->to_q, n->to_v); /* where it has been */
    return false;
}
