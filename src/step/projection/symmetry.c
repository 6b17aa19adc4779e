/* Which momenta a group of bodies keeps in a step, and their values at its end (theory §3.10).
 *
 * P and L about the centre of mass change by the impulses of gravity, of the host's forces, and of friction and
 * damping, which are known. Supports and obstacles (attachments, prescribed nodes, contact with anything that does not
 * move freely) answer with an unknown impulse: momenta along their possible forces are not kept. With the wrench (f,
 * arm x f / radius) of each such force, the kept ones are those orthogonal to all of them: a body that turns about a
 * fixed axis keeps one, one that slides on a plane three. */
#include "step/projection/projection.h"

#include "base/eigen.h"
#include "base/vec.h"
#include "energy/points/simple.h"
#include "solve/vectors.h"

#include <string.h>

/* What is only measured here, of a group. */
typedef struct finding {
    double wrench[VV_MOMENTA * VV_MOMENTA]; /* sum of outer products */
    double pins[3];
    int pin_count;
    double impulse[3], turn[3]; /* known ones */
    double size;                /* sum of the sizes of known impulses from outside */
    double before_p[3], before_l[3], before_centre[3], end_p[3], end_l[3], end_centre[3];
    double net[2][VV_MOMENTA], net_size[2];     /* of other forces, at q_n and q */
    double given[2][VV_MOMENTA], given_size[2]; /* of gravity's and the host's */
} finding;

typedef struct search {
    vv_stepper *s;
    const vv_trial *t;
    vv_projection *p;
    finding *found; /* per body, as groups */
    int momentum;
} search;

size_t vv_symmetry_bytes(void) { return sizeof(finding); }

static vv_projection_group *group_of_node(const search *k, int node, finding **found)
{
    const int g = k->p->group_of[k->s->system->body[node]];
    if (g < 0)
        return NULL;
    *found = k->found + g;
    return k->p->groups + g;
}

/* ---- forces that may push as they like ---- */

static void add_wrench(const vv_projection_group *g, const double f[3], const double arm[3], finding *d)
{
    double w[VV_MOMENTA];
    vv_cross(arm, f, w + 3);
    for (int k = 0; k < 3; k++) {
        w[k] = f[k];
        w[k + 3] *= g->radius > 0 ? 1 / g->radius : 0;
    }
    for (int i = 0; i < VV_MOMENTA; i++)
        for (int j = 0; j < VV_MOMENTA; j++)
            d->wrench[VV_MOMENTA * i + j] += w[i] * w[j];
}

/* Any force at x. */
static void add_pin(const vv_projection_group *g, const double *x, finding *d)
{
    double arm[3];
    vv_sub(x, g->origin, arm);
    for (int k = 0; k < 3; k++)
        add_wrench(g, (double[]){ k == 0, k == 1, k == 2 }, arm, d);
}

/* What moves, may do anything. */
static void add_everything(finding *d)
{
    for (int i = 0; i < VV_MOMENTA; i++)
        d->wrench[(VV_MOMENTA + 1) * i] += 1;
}

typedef void pin_visitor(const search *k, int node, const double *x, bool moves);

/* Targets of spring attachments and centres of wells, a block at a time: where they are at the end of the step, and
 * whether they were elsewhere before. */
static void visit_attachments(const search *k, pin_visitor *visit)
{
    enum { BLOCK = 128 };
    const vv_scene_hooks *hooks = &k->s->hooks;
    for (int e = 0; e < k->s->system->energies; e++) {
        int count;
        const vv_energy *energy = k->s->system->energy[e];
        const int *nodes = vv_attachment_nodes(energy, &count);
        for (int from = 0; from < count; from += BLOCK) {
            double before[3 * BLOCK];
            const double *at;
            const int n = count - from < BLOCK ? count - from : BLOCK;
            hooks->attachments(hooks->user, vv_stepper_time(k->s, 0));
            for (int i = 0; i < n; i++)
                if ((at = vv_attachment_point(energy, from + i)))
                    memcpy(before + 3 * i, at, 3 * sizeof *before);
            hooks->attachments(hooks->user, vv_stepper_time(k->s, 1));
            for (int i = 0; i < n; i++)
                if ((at = vv_attachment_point(energy, from + i)))
                    visit(k, nodes[from + i], at, memcmp(before + 3 * i, at, 3 * sizeof *before) != 0);
        }
    }
}

/* Attachments, and prescribed nodes of what else is free. */
static void visit_pins(const search *k, pin_visitor *visit)
{
    const vv_system *y = k->s->system;
    const vv_components *parts = &k->s->components;
    visit_attachments(k, visit);
    for (int i = 0; i < y->nodes; i++)
        if (y->unknown[i] < 0 && parts->of[i] >= 0) /* its body may be a kinematic one, which is in no group */
            visit(k, parts->component[parts->of[i]].lead, k->t->q + 3 * (size_t)i,
                  memcmp(k->t->q + 3 * (size_t)i, k->s->state->q + 3 * (size_t)i, 3 * sizeof(double)) != 0);
}

static void count_pin(const search *k, int node, const double *x, bool moves)
{
    finding *d;
    (void)moves;
    if (!group_of_node(k, node, &d))
        return;
    d->pin_count++;
    for (int c = 0; c < 3; c++)
        d->pins[c] += x[c];
}

static void count_pin_wrench(const search *k, int node, const double *x, bool moves)
{
    finding *d;
    const vv_projection_group *g = group_of_node(k, node, &d);
    if (g && moves)
        add_everything(d);
    else if (g)
        add_pin(g, x, d);
}

/* The point that arms are counted from. */
static const double *centre_of(const vv_projection_group *g, const double *moving)
{
    return g->held ? g->origin : moving;
}

/* Walls push whom they touch at either end. */
static void add_walls(const search *k)
{
    const vv_system *y = k->s->system;
    const double *q[2] = { k->s->state->q, k->t->q };
    for (int e = 0; e < y->energies; e++) {
        int count;
        const int *nodes = vv_attachment_nodes(y->energy[e], &count);
        for (int i = 0; i < count; i++)
            for (int end = 0; end < 2; end++) {
                finding *d;
                double arm[3];
                const double *normal = vv_attachment_normal(y->energy[e], i);
                const vv_projection_group *g = y->unknown[nodes[i]] >= 0 ? group_of_node(k, nodes[i], &d) : NULL;
                if (!normal || !g || !vv_attachment_holds(y->energy[e], i, q[end]))
                    continue;
                vv_sub(q[end] + 3 * (size_t)nodes[i], centre_of(g, end ? d->end_centre : d->before_centre), arm);
                add_wrench(g, normal, arm, d);
            }
    }
}

/* Contact's forces at q on groups that touch something outside, as parts of the largest. */
static void add_contact(const search *k, const double *q, double *force)
{
    vv_system *y = k->s->system;
    double most = 0;
    vv_zero(vv_node_space(y), force);
    for (int e = 0; e < y->energies; e++)
        if (y->energy[e]->ops->row == VV_ROW_CONTACT) {
            vv_energy_update(y->energy[e], &y->par, q);
            y->energy[e]->ops->derivatives(y->energy[e], &y->par, q, 1, VV_HESSIAN_EXACT, force, NULL);
        }
    for (int i = 0; i < y->nodes; i++)
        if (y->unknown[i] >= 0 && k->p->outside[y->body[i]])
            most = fmax(most, vv_norm(force + 3 * (size_t)i));
    for (int i = 0; most > 0 && i < y->nodes; i++) {
        finding *d;
        const double *at = force + 3 * (size_t)i;
        const vv_projection_group *g = group_of_node(k, i, &d);
        double f[3] = { at[0] / most, at[1] / most, at[2] / most }, arm[3];
        if (!g || y->unknown[i] < 0 || !k->p->outside[y->body[i]] || vv_dot(f, f) == 0)
            continue;
        vv_sub(q + 3 * (size_t)i, centre_of(g, q == k->t->q ? d->end_centre : d->before_centre), arm);
        add_wrench(g, f, arm, d);
    }
}

/* ---- known impulses, and what is left of the forces ---- */

/* known: the gradient of gravity and of the host's forces. Arms are means of those at both ends: exact for constant
 * forces. */
static void add_impulses(const search *k, const double *known)
{
    const vv_system *y = k->s->system;
    const vv_losses *l = &k->t->losses;
    for (int i = 0; i < y->nodes; i++) {
        finding *d;
        const size_t j = 3 * (size_t)i;
        const vv_projection_group *g = y->unknown[i] >= 0 ? group_of_node(k, i, &d) : NULL;
        if (!g)
            continue;
        const double *a = centre_of(g, d->before_centre), *b = centre_of(g, d->end_centre);
        double impulse[3], arm[3], turn[3], from_outside = 0;
        for (size_t c = 0; c < 3; c++) {
            impulse[c] = -k->s->h * known[j + c] - (l->friction[j + c] + l->damping[j + c] + l->mutual[j + c]);
            arm[c] = 0.5 * (k->s->state->q[j + c] - a[c] + k->t->q[j + c] - b[c]);
            from_outside += fabs(known[j + c]);
        }
        vv_cross(arm, impulse, turn);
        d->size += from_outside;
        for (int c = 0; c < 3; c++) {
            d->impulse[c] += impulse[c];
            d->turn[c] += turn[c];
        }
    }
}

static void add_force(const vv_projection_group *g, const double f[3], const double arm[3], double sum[VV_MOMENTA],
                      double *size)
{
    double turn[3];
    vv_cross(arm, f, turn);
    for (int c = 0; c < 3; c++) {
        sum[c] += f[c];
        sum[c + 3] += g->radius > 0 ? turn[c] / g->radius : 0;
    }
    *size += vv_norm(f) * (1 + (g->radius > 0 ? vv_norm(arm) / g->radius : 0));
}

/* A resultant that is more than rounding: of the forces that it is made of, and of what moves the group within a
 * step. */
static void add_resultant(const search *k, const vv_projection_group *g, const double w[VV_MOMENTA], double size,
                          finding *d)
{
    const double square = vv_dot(w, w) + vv_dot(w + 3, w + 3);
    const double least = 1e-8 * fmax(size, sqrt(2 * g->sums.mass * k->s->state->ledger.scale) / k->s->h);
    for (int i = 0; square > least * least && i < VV_MOMENTA; i++)
        for (int j = 0; j < VV_MOMENTA; j++)
            d->wrench[VV_MOMENTA * i + j] += w[i] * w[j] / square;
}

/* Whatever acts from outside shows in the resultant of all other forces, at either end: also an energy that nobody
 * here knows. The impulse of gravity and of the host's forces is known and depends on no place. What they turn does
 * (except about the centre of mass, which gravity does not turn): the turn of a pendulum is kept no more than that of
 * its pin. */
static void add_resultants(const search *k, const double *known)
{
    const vv_system *y = k->s->system;
    const double *gradient[2] = { vv_stepper_start_gradient(k->s), k->t->gradient },
                 *q[2] = { k->s->state->q, k->t->q };
    for (int end = 0; end < 2; end++)
        for (int i = 0; i < y->nodes; i++) {
            finding *d;
            const size_t j = 3 * (size_t)i;
            const vv_projection_group *g = y->unknown[i] >= 0 ? group_of_node(k, i, &d) : NULL;
            if (!g)
                continue;
            double other[3], arm[3];
            vv_sub(gradient[end] + j, known + j, other);
            vv_sub(q[end] + j, centre_of(g, end ? d->end_centre : d->before_centre), arm);
            add_force(g, other, arm, d->net[end], d->net_size + end);
            add_force(g, known + j, arm, d->given[end], d->given_size + end);
        }
    for (int b = 0; b < k->s->bodies; b++)
        for (int end = 0; end < 2; end++) {
            finding *d = k->found + b;
            for (int c = 0; c < 3 && !k->p->groups[b].held; c++)
                d->given[end][c] = 0;
            add_resultant(k, k->p->groups + b, d->net[end], d->net_size[end], d);
            add_resultant(k, k->p->groups + b, d->given[end], d->given_size[end], d);
        }
}

/* Damping that is not lagged at the bodies' own stiffness acts against what stands still: drag. */
static bool has_drag(const vv_system *y)
{
    for (int i = 0; i < y->dissipations; i++)
        if (y->dissipation[i]->ops->row != VV_ROW_CONTACT && !y->dissipation[i]->ops->lag)
            return true;
    return false;
}

/* ---- what is kept ---- */

/* Forces of less than a millionth of the largest push nothing. */
static const double NOTHING = 1e-12;

static void find_kept(const finding *d, vv_projection_group *g)
{
    double a[VV_MOMENTA * VV_MOMENTA], value[VV_MOMENTA], vector[VV_MOMENTA * VV_MOMENTA], most = 0;
    memcpy(a, d->wrench, sizeof a);
    vv_eigen_small(VV_MOMENTA, a, value, vector);
    for (int k = 0; k < VV_MOMENTA; k++)
        most = fmax(most, value[k]);
    for (int k = 0; k < VV_MOMENTA; k++)
        if (value[k] <= NOTHING * most)
            memcpy(g->basis[g->kept++], vector + VV_MOMENTA * k, sizeof *g->basis);
}

static void keep_all(vv_projection_group *g)
{
    for (g->kept = 0; g->kept < VV_MOMENTA; g->kept++)
        g->basis[g->kept][g->kept] = 1;
}

static void decide(const search *k, const finding *d, vv_projection_group *g)
{
    double pushed = 0;
    for (int i = 0; i < VV_MOMENTA; i++)
        pushed += d->wrench[(VV_MOMENTA + 1) * i];
    g->acted = pushed > 0 || d->size > 0 || has_drag(k->s->system);
    const bool ledger = k->momentum == VV_MOMENTUM_LEDGER || (k->momentum == VV_MOMENTUM_AUTO && g->acted);
    const bool soft = k->momentum == VV_MOMENTUM_SOFT;
    for (int c = 0; c < 3; c++) {
        g->p[c] = soft ? d->end_p[c] : d->before_p[c] + (ledger ? d->impulse[c] : 0);
        g->l[c] = soft ? d->end_l[c] : d->before_l[c] + (ledger ? d->turn[c] : 0);
        g->free_p[c] = soft ? d->before_p[c] - d->end_p[c] : 0;
        g->free_l[c] = soft ? d->before_l[c] - d->end_l[c] : 0;
        g->centre[c] =
            d->before_centre[c] + (g->sums.mass > 0 ? 0.5 * k->s->h * (d->before_p[c] + g->p[c]) / g->sums.mass : 0);
    }
    memcpy(g->before, d->before_centre, sizeof g->before);
    for (int c = 0; c < 3; c++)
        g->speed[c] = g->sums.mass > 0 ? d->before_p[c] / g->sums.mass : 0;
    memcpy(g->spin, d->before_l, sizeof g->spin);
    /* it flies: exactly so, if the impulses are constant forces' */
    g->placed = pushed == 0 && (ledger || (!g->acted && !soft));
    for (int c = 0; c < 3 && g->placed; c++) {
        g->flown[c] = g->centre[c] - d->before_centre[c];
        g->gained[c] = g->sums.mass > 0 ? (g->p[c] - d->before_p[c]) / g->sums.mass : 0;
    }
    if (ledger && pushed > 0)
        find_kept(d, g);
    else
        keep_all(g);
}

/* ---- all of it ---- */

/* References: for groups that something holds, the mean of what does; for others the centre of mass and its velocity
 * at the end. */
static void set_references(const search *k)
{
    const vv_system *y = k->s->system;
    vv_projection *p = k->p;
    for (int i = y->nodes - 1; i >= 0; i--) { /* the first free node: exact for a single one, and far from the origin */
        finding *d;
        vv_projection_group *g = y->unknown[i] >= 0 ? group_of_node(k, i, &d) : NULL;
        if (g)
            memcpy(g->origin, k->t->q + 3 * (size_t)i, sizeof g->origin), g->used = true;
    }
    if (k->momentum == VV_MOMENTUM_AUTO || k->momentum == VV_MOMENTUM_LEDGER)
        visit_pins(k, count_pin);
    vv_projection_sum(k->s, p, &(vv_projection_state){ k->t->q, k->t->v, NULL });
    for (int b = 0; b < k->s->bodies; b++) {
        vv_projection_group *g = p->groups + b;
        const finding *d = k->found + b;
        g->held = d->pin_count > 0;
        for (int c = 0; c < 3 && g->used; c++) {
            g->origin[c] = g->held ? d->pins[c] / d->pin_count : g->origin[c] + g->sums.r[c] / g->sums.mass;
            g->drift[c] = g->held ? 0 : g->sums.w[c] / g->sums.mass;
        }
    }
}

static void measure_momenta(const search *k)
{
    vv_projection *p = k->p;
    vv_projection_sum(k->s, p, &(vv_projection_state){ k->s->state->q, k->s->state->v, NULL });
    for (int b = 0; b < k->s->bodies; b++)
        vv_projection_momenta(p->groups + b, k->found[b].before_p, k->found[b].before_l, k->found[b].before_centre);
    vv_projection_sum(k->s, p, &(vv_projection_state){ k->t->q, k->t->v, NULL });
    for (int b = 0; b < k->s->bodies; b++) {
        vv_projection_group *g = p->groups + b;
        const vv_projection_sums *t = &g->sums;
        vv_projection_momenta(g, k->found[b].end_p, k->found[b].end_l, k->found[b].end_centre);
        const double m = t->mass > 0 ? t->mass : 1, mean = g->held ? 0 : vv_dot(t->r, t->r) / m;
        const double square = (t->rr[0] + t->rr[3] + t->rr[5] - mean) / m, far = vv_dot(g->origin, g->origin);
        g->radius = square > 1e-28 * far ? sqrt(square) : 0; /* a point, but for rounding, does not turn */
    }
}

void vv_symmetry_find(vv_stepper *s, const vv_trial *t, vv_projection *p, int momentum, double epsilon)
{
    vv_system *y = s->system;
    const search k = { s, t, p, p->found, momentum };
    const size_t mark = vv_arena_mark(&y->arena), n = vv_node_space(y);
    double *known = vv_arena_push(&y->arena, n, sizeof *known), *scratch = vv_arena_push(&y->arena, n, sizeof *scratch);
    bool touches = false;
    memset(p->found, 0, (size_t)s->bodies * sizeof *p->found);
    memset(p->groups, 0, (size_t)s->bodies * sizeof *p->groups);
    set_references(&k);
    measure_momenta(&k);
    vv_zero(n, known);
    for (int e = 0; e < y->energies; e++)
        if (y->energy[e]->ops->row == VV_ROW_GRAVITY || y->energy[e]->ops->row == VV_ROW_EXTERNAL)
            y->energy[e]->ops->derivatives(y->energy[e], &y->par, t->q, 1, VV_HESSIAN_EXACT, known, NULL);
    add_impulses(&k, known);
    add_resultants(&k, known);
    visit_pins(&k, count_pin_wrench);
    add_walls(&k);
    for (int b = 0; b < s->bodies; b++)
        touches = touches || p->outside[b];
    if (touches) {
        add_contact(&k, s->state->q, scratch);
        add_contact(&k, t->q, scratch);
    }
    for (int b = 0; b < s->bodies; b++)
        if (p->groups[b].used) {
            vv_projection_group *g = p->groups + b;
            decide(&k, p->found + b, g);
            g->weight = momentum == VV_MOMENTUM_SOFT ? epsilon * g->sums.mass * g->radius * g->radius : 0;
        }
    vv_arena_release(&y->arena, mark);
}
