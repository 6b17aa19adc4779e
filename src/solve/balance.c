/* How far momenta are out of balance where a solve ends: motions that nothing but inertia resists are the last that a
 * solver finds whose metric is stiffer than they are, and steps there are short before they are right. */
#include "solve/balance.h"

#include "base/vec.h"

#include <math.h>
#include <string.h>

typedef struct group_sums {
    double mass, centre[3], inertia[9];
    double force[3], torque[3]; /* of -gradient: kg m, kg m^2 */
} group_sums;

static group_sums *of_node(const int *group, group_sums *sums, int node)
{
    return group[node] < 0 ? NULL : sums + group[node];
}

static void find_centres(const vv_system *s, const int *group, const double *q, group_sums *sums)
{
    for (int i = 0; i < s->nodes; i++) {
        group_sums *g = of_node(group, sums, i);
        for (int k = 0; g && k < 3; k++)
            g->centre[k] += s->mass[i] * q[3 * (size_t)i + (size_t)k];
        if (g)
            g->mass += s->mass[i];
    }
    for (int j = 0; j < s->unknowns; j++)
        for (int k = 0; k < 3 && sums[j].mass > 0; k++)
            sums[j].centre[k] /= sums[j].mass;
}

static void add_moments(const vv_system *s, const int *group, const double *q, const double *gradient, group_sums *sums)
{
    for (int i = 0; i < s->nodes; i++) {
        group_sums *g = of_node(group, sums, i);
        if (!g)
            continue;
        const double *at = gradient + 3 * (size_t)s->unknown[i];
        double arm[3], torque[3];
        vv_sub(q + 3 * (size_t)i, g->centre, arm);
        vv_cross(arm, at, torque);
        for (int j = 0; j < 3; j++) {
            g->force[j] -= at[j], g->torque[j] -= torque[j];
            for (int k = 0; k < 3; k++)
                g->inertia[3 * j + k] += s->mass[i] * ((j == k ? vv_dot(arm, arm) : 0) - arm[j] * arm[k]);
        }
    }
}

double vv_balance_left(const vv_objective *o, const int *group, const double *q, const double *gradient)
{
    vv_system *s = o->system;
    const size_t mark = vv_arena_mark(&s->arena);
    group_sums *sums = vv_arena_push(&s->arena, (size_t)s->unknowns, sizeof *sums);
    double most = sums ? 0 : INFINITY;
    if (sums) {
        memset(sums, 0, (size_t)s->unknowns * sizeof *sums);
        find_centres(s, group, q, sums);
        add_moments(s, group, q, gradient, sums);
    }
    for (int j = 0; sums && j < s->unknowns; j++) {
        double turn[3];
        if (sums[j].mass > 0) {
            vv_solve_semidefinite(sums[j].inertia, sums[j].torque, turn);
            memcpy(sums[j].torque, turn, sizeof turn); /* from here on: the turn */
        }
    }
    for (int i = 0; sums && i < s->nodes; i++) {
        const group_sums *g = of_node(group, sums, i);
        double arm[3], move[3];
        if (!g)
            continue;
        vv_sub(q + 3 * (size_t)i, g->centre, arm);
        vv_cross(g->torque, arm, move);
        for (int k = 0; k < 3; k++)
            move[k] += g->force[k] / g->mass;
        most = fmax(most, vv_norm(move));
    }
    vv_arena_release(&s->arena, mark);
    return most;
}
