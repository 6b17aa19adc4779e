/* Filtered search: groups in touch, the rigid motions of their components, and the fields made of them (theory
 * §3.6). */
#include "step/filtered/filtered.h"

#include "energy/points/simple.h"
#include "solve/vectors.h"
#include "step/policies/rubbing.h"
#include "step/bodies/touching.h"

/* ---- what moves together ---- */

/* A wall holds whom it touches at either end of the step: in front of it a body flies freely, and keeps its momenta. */
static void mark_held(const vv_system *y, const double *before, const double *after, vv_filtered *f)
{
    for (int i = 0; i < f->components.count; i++)
        f->parts[i].held = f->components.component[i].fixed;
    for (int k = 0; k < y->energies; k++) {
        int count;
        const int *nodes = vv_attachment_nodes(y->energy[k], &count);
        for (int i = 0; i < count; i++)
            if (f->components.of[nodes[i]] >= 0 &&
                (vv_attachment_holds(y->energy[k], i, before) || vv_attachment_holds(y->energy[k], i, after)))
                f->parts[f->components.of[nodes[i]]].held = true;
    }
}

/* A body that moves and has nodes of the component. */
static int body_of(const vv_system *y, const vv_filtered *f, int component)
{
    return y->body[f->components.component[component].lead];
}

vvStatus vv_filtered_find_groups(vv_stepper *s, const vv_trial *t, vv_filtered *f)
{
    const vv_system *y = s->system;
    memset(f->groups, 0, (size_t)s->bodies * sizeof *f->groups);
    if (vv_touching_find(s, t->q, f->group_of, f->outside) != VV_OK)
        return VV_ERROR_MEMORY;
    mark_held(y, s->state->q, t->q, f);
    /* whoever touches a body with prescribed nodes touches what does not move freely */
    for (int i = 0; i < y->nodes; i++)
        if (y->unknown[i] < 0 && f->group_of[y->body[i]] >= 0) {
            vv_filtered_group *g = f->groups + f->group_of[y->body[i]];
            const size_t at = 3 * (size_t)i;
            g->outside = true;
            g->driven = g->driven || memcmp(t->q + at, s->state->q + at, 3 * sizeof *t->q) != 0;
        }
    for (int b = 0; b < s->bodies; b++)
        if (f->group_of[b] >= 0 && f->outside[b])
            f->groups[f->group_of[b]].outside = true;
    for (int i = 0; i < f->components.count; i++) {
        vv_filtered_part *p = f->parts + i;
        p->group = f->group_of[body_of(y, f, i)];
        memset(p->presses, 0, sizeof p->presses);
        memset(p->rubs, 0, sizeof p->rubs);
        f->groups[p->group].parts++;
        f->groups[p->group].outside = f->groups[p->group].outside || p->held;
    }
    return VV_OK;
}

/* ---- rigid motions ---- */

static void measure_part(const vv_stepper *s, const vv_trial *t, vv_filtered *f, int i, const vv_filtered_input *in)
{
    const vv_system *y = s->system;
    vv_filtered_part *p = f->parts + i;
    const vv_node_set set = vv_component_nodes(&f->components, i);
    double momentum[3], spin[3];
    vv_rigid before = vv_rigid_centre(y, &set, s->state->q);
    memcpy(p->centre_before, before.centre, sizeof before.centre);
    p->body = vv_rigid_at(y, &set, t->q);
    p->moves = vv_rigid_part(y, &set, &p->body, t->q, t->v);
    p->d = vv_rigid_part(y, &set, &p->body, t->q, in->d);
    p->feed = vv_rigid_part(y, &set, &p->body, t->q, in->feed);
    /* elastic forces have no resultant: the linear part is contact's */
    p->push = vv_rigid_part(y, &set, &p->body, t->q, in->dv);
    memset(p->push.angular, 0, sizeof p->push.angular);
    /* arms at q_n: in free flight exactly L_n */
    vv_rigid_momenta(y, &set, s->state->q, before.centre, in->impelled, momentum, spin);
    p->keeps = vv_rigid_twist(&p->body, momentum, spin);
}

/* ---- friction ---- */

/* Mean velocity of a component's nodes, of a field of impulses. */
static void gives(const vv_filtered *f, int i, const double *impulse, double sign, double out[3])
{
    const vv_node_set set = vv_component_nodes(&f->components, i);
    for (int n = 0; n < set.count; n++)
        for (size_t k = 0; k < 3; k++)
            out[k] += sign * impulse[3 * vv_set_node(&set, n) + k] / f->parts[i].body.mass;
}

/* Friction goes by contact's push at q_n, or where a stage is solved again by that at the end, and what is given lies
 * somewhere between, or beyond, by t. What slides then has more or less friction, too, in the same ratio for all in
 * touch, so that it stays between them; but not so much that it would turn round, and what sticks has what it needs. */
static void find_rubs(vv_stepper *s, const vv_trial *t, vv_filtered *f)
{
    vv_system *y = s->system;
    bool any = false;
    for (size_t j = 0; j < vv_node_space(y) && !any; j++)
        any = t->losses.friction[j] != 0 || t->losses.mutual[j] != 0;
    f->by_end = s->friction_solves > 1;
    if (!any)
        return;
    const size_t mark = vv_arena_mark(&y->arena), n = vv_node_space(y);
    double *push = vv_arena_push(&y->arena, n, sizeof *push);
    vv_zero(n, push);
    for (int k = 0; k < y->energies; k++)
        if (y->energy[k]->ops->row == VV_ROW_CONTACT) {
            vv_energy_update(y->energy[k], &y->par, s->state->q);
            y->energy[k]->ops->derivatives(y->energy[k], &y->par, s->state->q, s->h, VV_HESSIAN_EXACT, push, NULL);
        }
    for (int i = 0; i < f->components.count; i++) {
        vv_filtered_part *p = f->parts + i;
        double *sum = f->groups[p->group].rubs;
        if (p->held)
            continue;
        gives(f, i, push, -1, p->presses);
        for (int k = 0; k < 3 && f->by_end; k++)
            p->presses[k] += p->push.linear[k];
        gives(f, i, t->losses.friction, -1, p->rubs);
        gives(f, i, t->losses.mutual, -1, p->rubs);
        sum[0] += p->body.mass * vv_dot(p->push.linear, p->presses);
        sum[1] += p->body.mass * vv_dot(p->presses, p->presses);
        sum[2] -= p->body.mass * vv_dot(p->keeps.linear, p->rubs);
        sum[3] += p->body.mass * vv_dot(p->rubs, p->rubs);
    }
    for (int b = 0; b < s->bodies; b++) {
        const double *sum = f->groups[b].rubs, most = sum[3] > 0 ? fmax(sum[2] / sum[3], 0) : 0;
        const double part = sum[1] > 0 ? sum[0] / sum[1] : 0, away = fmin(most, 1), /* no less than no friction */
            much = fmin(most, VV_RUBBING_MOST);
        f->groups[b].rub = f->by_end ? fmin(fmax(part, -much), away) : fmin(fmax(part, -away), much);
    }
    for (int i = 0; i < f->components.count; i++)
        for (int k = 0; k < 3; k++) {
            vv_filtered_part *p = f->parts + i;
            p->push.linear[k] += f->groups[p->group].rub * p->rubs[k];
            p->keeps.linear[k] -= f->by_end ? f->groups[p->group].rub * p->rubs[k] : 0;
        }
    vv_arena_release(&y->arena, mark);
}

/* Whether the solve left the component's momentum out of balance by more than its tolerance: something blocked it
 * without pushing, and to keep the momentum would be to make energy. */
static bool blocked(const vv_stepper *s, const vv_filtered_part *p)
{
    double rest[3];
    for (int k = 0; k < 3; k++)
        rest[k] = p->keeps.linear[k] - (p->moves.linear[k] - p->push.linear[k]);
    return vv_norm(rest) > s->options.tolerance;
}

/* What backward Euler takes from the motion of a centre on which F acts, all forces at q_n but elastic and
 * dissipative ones: their work is h F . u at the end's velocity u, the change of kinetic energy goes with the mean of
 * both. Losses are booked at that mean, and cost nothing. */
static double flight_cost(vv_stepper *s, const vv_filtered *f, int i)
{
    const vv_filtered_part *p = f->parts + i;
    const vv_node_set set = vv_component_nodes(&f->components, i);
    const double *g = vv_stepper_start_gradient(s);
    double momentum[3], spin[3], change[3], force[3] = { 0, 0, 0 };
    vv_rigid_momenta(s->system, &set, s->state->q, p->centre_before, s->state->v, momentum, spin);
    for (int n = 0; n < set.count; n++)
        for (size_t k = 0; k < 3; k++)
            force[k] -= g[3 * vv_set_node(&set, n) + k]; /* elastic forces have no resultant */
    for (int k = 0; k < 3; k++)
        change[k] = p->keeps.linear[k] - momentum[k] / p->body.mass;
    return fmax(0.5 * s->h * vv_dot(force, change), 0);
}

/* The energy that contact's forces at q exchange with the motion of the centres, of groups and bodies, and what flights
 * cost. */
static void measure_power(vv_stepper *s, const vv_trial *t, vv_filtered *f)
{
    vv_system *y = s->system;
    size_t mark = vv_arena_mark(&y->arena), n = vv_node_space(y);
    double *impulse = vv_arena_push(&y->arena, n, sizeof *impulse);
    vv_zero(n, impulse);
    vv_zero((size_t)s->bodies, f->flight);
    vv_zero((size_t)s->bodies, f->sinks);
    for (int k = 0; k < y->energies; k++)
        if (y->energy[k]->ops->row == VV_ROW_CONTACT) {
            vv_energy_update(y->energy[k], &y->par, t->q);
            y->energy[k]->ops->derivatives(y->energy[k], &y->par, t->q, s->h, VV_HESSIAN_EXACT, impulse, NULL);
        }
    for (int i = 0; i < f->components.count; i++) {
        const vv_filtered_part *p = f->parts + i;
        const vv_node_set set = vv_component_nodes(&f->components, i);
        double sum[3] = { 0 }, size = 0; /* of contact within a component only rounding is left */
        for (int k = 0; k < set.count && !p->held; k++) {
            const double *at = impulse + 3 * vv_set_node(&set, k);
            size += vv_norm(at);
            for (int c = 0; c < 3; c++)
                sum[c] += at[c];
        }
        double *flight = f->flight + body_of(y, f, i);
        if (!p->held) {
            const double power = vv_dot(sum, p->moves.linear);
            f->groups[p->group].power += fabs(power);
            f->sinks[body_of(y, f, i)] += power;
        }
        if (p->held || vv_norm(sum) > 1e-9 * size)
            *flight = -1;
        else if (*flight >= 0)
            *flight += flight_cost(s, f, i);
    }
    vv_arena_release(&y->arena, mark);
}

/* l += (a - b) x m u */
static void add_orbital(const double *a, const double *b, double m, const double *u, double *l)
{
    double arm[3], c[3];
    vv_sub(a, b, arm);
    vv_cross(arm, u, c);
    for (int k = 0; k < 3; k++)
        l[k] += m * c[k];
}

/* Whether a component's group has more than one and nothing outside touches it. */
static vv_filtered_group *free_group(vv_filtered *f, int i)
{
    vv_filtered_group *g = f->groups + f->parts[i].group;
    return !g->outside && g->parts > 1 ? g : NULL;
}

static void add_to_group(const vv_filtered_part *p, vv_filtered_group *g)
{
    double m = p->body.mass, arm[3];
    vv_sub(p->body.centre, g->body.centre, arm);
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++)
            g->body.inertia[3 * j + k] +=
                p->body.inertia[3 * j + k] + m * ((j == k ? vv_dot(arm, arm) : 0) - arm[j] * arm[k]);
    add_orbital(p->centre_before, g->centre_before, m, p->keeps.linear, g->keeps);
    add_orbital(p->body.centre, g->body.centre, -m, p->keeps.linear, g->keeps);
    add_orbital(p->body.centre, g->body.centre, -m, p->push.linear, g->push);
}

/* twist += the turn of the whole group that has the angular momentum l */
static void turn(const vv_filtered_group *g, const double l[3], const double centre[3], vv_twist *twist)
{
    static const double none[3] = { 0, 0, 0 };
    vv_twist whole = vv_rigid_twist(&g->body, none, l);
    double at[3];
    vv_twist_at(&whole, g->body.centre, centre, at);
    for (int k = 0; k < 3; k++)
        twist->linear[k] += at[k], twist->angular[k] += whole.angular[k];
}

/* A group that nothing outside touches keeps the angular momentum that it had at q_n, and contact's pushes do not
 * turn it. */
static void keep_spin(const vv_stepper *s, vv_filtered *f)
{
    vv_filtered_group *g;
    for (int i = 0; i < f->components.count; i++)
        if ((g = free_group(f, i))) {
            const vv_filtered_part *p = f->parts + i;
            g->body.mass += p->body.mass;
            for (int k = 0; k < 3; k++) {
                g->body.centre[k] += p->body.mass * p->body.centre[k];
                g->centre_before[k] += p->body.mass * p->centre_before[k];
            }
        }
    for (int b = 0; b < s->bodies; b++)
        for (int k = 0; k < 3 && f->groups[b].body.mass > 0; k++) {
            f->groups[b].body.centre[k] /= f->groups[b].body.mass;
            f->groups[b].centre_before[k] /= f->groups[b].body.mass;
        }
    for (int i = 0; i < f->components.count; i++)
        if ((g = free_group(f, i)))
            add_to_group(f->parts + i, g);
    for (int i = 0; i < f->components.count; i++)
        if ((g = free_group(f, i))) {
            turn(g, g->keeps, f->parts[i].body.centre, &f->parts[i].keeps);
            turn(g, g->push, f->parts[i].body.centre, &f->parts[i].push);
        }
}

static void add_difference(const vv_filtered_part *p, vv_filtered_group *g)
{
    double m = p->body.mass;
    add_orbital(p->body.centre, g->body.centre, m, p->turn.linear, g->spin);
    for (int j = 0; j < 3; j++) {
        g->drift[j] += m * p->turn.linear[j];
        g->spin[j] += vv_dot(p->body.inertia + 3 * j, p->turn.angular);
    }
}

/* The same if going back to what the solve found may not change the momenta: nothing blocked it. */
static vv_filtered_group *balanced_group(vv_filtered *f, int i)
{
    vv_filtered_group *g = free_group(f, i);
    return g && !g->blocked ? g : NULL;
}

/* R - Rig(w): R may have energy from nowhere, and going back to what the solve found takes it out. The momenta of a
 * group that nothing outside touches or blocks do not change by it. */
static void find_turns(vv_filtered *f)
{
    vv_filtered_group *g;
    for (int i = 0; i < f->components.count; i++) {
        vv_filtered_part *p = f->parts + i;
        const vv_filtered_group *own = f->groups + p->group;
        memset(&p->turn, 0, sizeof p->turn);
        if (p->held || !(own->outside || own->blocked || own->parts > 1))
            continue;
        for (int k = 0; k < 3; k++) {
            p->turn.linear[k] = p->keeps.linear[k] - p->moves.linear[k] - (f->by_end ? 0 : own->rub * p->rubs[k]);
            p->turn.angular[k] = p->keeps.angular[k] - p->moves.angular[k];
        }
        if ((g = balanced_group(f, i)))
            add_difference(p, g);
    }
    for (int i = 0; i < f->components.count; i++)
        if ((g = balanced_group(f, i))) {
            double back[3] = { -g->spin[0], -g->spin[1], -g->spin[2] };
            for (int k = 0; k < 3; k++)
                f->parts[i].turn.linear[k] -= g->drift[k] / g->body.mass;
            turn(g, back, f->parts[i].body.centre, &f->parts[i].turn);
        }
}

void vv_filtered_measure(vv_stepper *s, const vv_trial *t, vv_filtered *f, const vv_filtered_input *in)
{
    for (int i = 0; i < f->components.count; i++)
        if (!f->parts[i].held) {
            measure_part(s, t, f, i, in);
            if (blocked(s, f->parts + i))
                f->groups[f->parts[i].group].blocked = true;
        }
    find_rubs(s, t, f);
    measure_power(s, t, f);
    keep_spin(s, f);
    find_turns(f);
}

/* ---- the fields ---- */

static void held_fields(const double *w, const double *d, const double *feed, double field[VV_FIELDS][3])
{
    for (int k = 0; k < 3; k++) {
        field[VV_START][k] = w[k] - d[k];
        field[VV_BRAKE][k] = d[k];
        field[VV_GROW][k] = d[k] - w[k];
        field[VV_FEED][k] = feed[k];
        field[VV_PUSH][k] = field[VV_TURN][k] = 0;
    }
}

static void free_fields(const vv_filtered_part *p, const double *x, const double *w, const double *d,
                        const double *feed, double field[VV_FIELDS][3])
{
    double moves[3], keeps[3], push[3], back[3], rigid_d[3], rigid_feed[3];
    vv_twist_at(&p->moves, p->body.centre, x, moves);
    vv_twist_at(&p->keeps, p->body.centre, x, keeps);
    vv_twist_at(&p->push, p->body.centre, x, push);
    vv_twist_at(&p->turn, p->body.centre, x, back);
    vv_twist_at(&p->d, p->body.centre, x, rigid_d);
    vv_twist_at(&p->feed, p->body.centre, x, rigid_feed);
    for (int k = 0; k < 3; k++) {
        double own = w[k] - moves[k], brake = d[k] - rigid_d[k];
        field[VV_START][k] = own + keeps[k] - brake;
        field[VV_BRAKE][k] = brake;
        field[VV_PUSH][k] = push[k];
        field[VV_GROW][k] = brake - own;
        field[VV_FEED][k] = feed[k] - rigid_feed[k];
        field[VV_TURN][k] = back[k];
    }
}

void vv_filtered_fields(const vv_stepper *s, const vv_trial *t, const vv_filtered *f, const vv_filtered_input *in,
                        int node, double field[VV_FIELDS][3])
{
    const size_t j = 3 * (size_t)node;
    const int c = f->components.of[node];
    if (c < 0 || s->system->unknown[node] < 0) {
        memset(field, 0, VV_FIELDS * sizeof *field);
        memcpy(field[VV_START], t->v + j, sizeof field[VV_START]);
    } else if (f->parts[c].held) {
        held_fields(t->v + j, in->d + j, in->feed + j, field);
    } else {
        free_fields(f->parts + c, t->q + j, t->v + j, in->d + j, in->feed + j, field);
    }
}
