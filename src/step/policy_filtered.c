/* Filtered search: A-search whose energy shows in the motion (ours; theory §3.4).
 *
 * A-search gives back as velocity, v = w - alpha dv with dv = h M^-1 (grad E(q_n) - grad E(q)), what the step took from the motion.
 * In a mode with x = (h omega)^2 that is alpha x w: the stiffer the mode the more, and the next solve takes it out again. Here stiff
 * modes are filtered out of the correction. With K the projected Hessian at q of all energies but contact, F = (M + h^2 K)^-1 M:
 *   y1 = F dv, y2 = F y1, d = 2 y1 - y2 = (I - (I - F)^2) dv, e = y2.
 * A component (step/components.h) that nothing holds also keeps its rigid motion exactly: R has the momenta of the impulses that act on
 * it in the step, Rig(u) those of a field u, t is contact's push, a translation; d' = d - Rig(d), e' = e - Rig(e).
 *   v(alpha, beta, gamma) = w - Rig(w) + R - d' - (alpha - 1)(d' + t) - beta e' - gamma (R + t - Rig(w)).
 * One that is held: v = w - alpha d - beta e. alpha, beta and gamma are the same for all that touch, so that action and reaction agree:
 * alpha, the root of H = T closer to 1, in its range; if H is still above T, gamma in [0, 1]; if below, beta in its range. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "energy/simple.h"
#include "solve/equation_solver.h"
#include "solve/vectors.h"
#include "step/components.h"
#include "step/shares.h"

/* ---- the policy's object: the equations, the components, and their arrays ---- */

typedef struct part {
    vv_rigid body;                   /* at q */
    double centre_before[3];         /* at q_n */
    vv_twist moves, keeps, d, e, push; /* Rig(w), R, Rig(d), Rig(e), t */
    double spin[3];                  /* L of R about its own centre */
    int group;
    bool held;
} part;

typedef struct group {
    vv_rigid body; /* of all its components */
    double centre_before[3];
    double gram[4][4]; /* M-products of the four fields: v at alpha = 1 and nothing else, along alpha, beta, gamma */
    double rest;       /* H - T without kinetic energy */
    double alpha, beta, gamma;
    double l[3], push[3]; /* angular momenta that R and t lack or have too much */
    int parts;
    bool outside;      /* touches something that does not move freely */
} group;

typedef struct filtered {
    vv_equation_solver base;
    vv_components components;
    part *parts;
    group *groups;     /* by lowest body */
    int *group_of;     /* per body */
    unsigned char *outside;
    double *by_body;   /* ARRAYS numbers per body */
} filtered;

enum { OPEN, TAKEN, OWED, SCRATCH, ARRAYS = SCRATCH + VV_SHARES_SCRATCH };

static void destroy(vv_solver *solver)
{
    filtered *f = (filtered *)solver;
    vv_components_free(&f->components);
    vv_free(f->parts);
    vv_free(f->groups);
    vv_free(f->group_of);
    vv_free(f->outside);
    vv_free(f->by_body);
    vv_equation_solver_destroy(solver);
}

static vvStatus create(const vv_solver_def *def, vv_solver **out, vvError *error)
{
    static const vv_selection elastic = { ~VV_ROW_BIT(VV_ROW_CONTACT), 0 };
    vvStatus status = vv_equation_solver_create_of(def, sizeof(filtered), elastic, out, error);
    if (status != VV_OK)
        return status;
    filtered *f = (filtered *)*out;
    size_t bodies = (size_t)def->system->bodies;
    status = vv_components_find(def->system, &f->components, error);
    f->parts = vv_alloc((size_t)f->components.count, sizeof *f->parts);
    f->groups = vv_alloc(bodies, sizeof *f->groups);
    f->group_of = vv_alloc(bodies, sizeof *f->group_of);
    f->outside = vv_alloc(bodies, sizeof *f->outside);
    f->by_body = vv_alloc(ARRAYS * bodies, sizeof *f->by_body);
    if (status == VV_OK && !(f->parts && f->groups && f->group_of && f->outside && f->by_body))
        status = vv_fail_memory(error, "the filtered search");
    if (status != VV_OK) {
        destroy(*out);
        *out = NULL;
    }
    return status;
}

static const vv_solver_ops equations = {
    .info = { "filter", "M + h^2 K without contact" },
    .create = create,
    .destroy = destroy,
    .state_size = vv_equation_solver_state_size,
    .save = vv_equation_solver_save,
    .load = vv_equation_solver_load,
};

/* ---- one application ---- */

typedef struct work {
    vv_policy_call *call;
    vv_stepper *s;
    vv_trial *t;
    filtered *f;
    double *field[4]; /* node space; on the way: dv and u, d, e */
} work;

enum { START, ALPHA, BETA, GAMMA };
enum { ALPHA_MIN, ALPHA_MAX, BETA_MIN, BETA_MAX, GROUPS };

static double *by_body(const work *w, int which) { return w->f->by_body + which * (size_t)w->s->bodies; }

/* The impulses per mass that act on the free nodes in this step, added to v_n. */
static void impelled(const work *w, double *u)
{
    const vv_system *y = w->s->system;
    const double *g = vv_stepper_start_gradient(w->s), *v = w->s->state->v;
    const vv_losses *l = &w->t->losses;
    for (size_t j = 0; j < vv_node_space(y); j++) {
        bool free = y->unknown[j / 3] >= 0;
        double impulse = w->s->h * g[j] + l->friction[j] + l->damping[j] + l->mutual[j];
        u[j] = free ? v[j] - impulse / y->mass[j / 3] : w->t->v[j];
    }
}

/* d and e, from the equations. */
static vvStatus filter(const work *w, const double *dv, double *d, double *e, vvError *error)
{
    vv_system *y = w->s->system;
    vv_equations *a = &w->f->base.equations;
    size_t mark = vv_arena_mark(&y->arena), n = vv_unknown_space(y);
    double *b = vv_arena_push(&y->arena, n, sizeof *b), *x = vv_arena_push(&y->arena, n, sizeof *x);
    double begin = vv_seconds();
    vvStatus status = vv_assembly_ready(&a->assembly, error);
    vv_assembly_begin(&a->assembly);
    vv_assembly_add_mass(&a->assembly, 1);
    vv_assembly_add_energies(y, w->t->q, w->s->h * w->s->h, VV_HESSIAN_PROJECTED, NULL, &a->assembly);
    vv_assembly_end(&a->assembly);
    w->s->spent.seconds[VV_PHASE_ASSEMBLY] += vv_seconds() - begin;
    begin = vv_seconds();
    for (int k = 0; k < 2 && status == VV_OK; k++) {
        const double *from = k ? d : dv;
        for (size_t i = 0; i < n; i++) {
            size_t node = (size_t)y->node[i / 3];
            b[i] = y->mass[node] * from[3 * node + i % 3];
        }
        vv_linear_stats stats = { 0 };
        status = vv_equations_solve(a, b, x, w->s->options.linear_tolerance, &stats, error);
        w->s->spent.linear_solves++;
        w->s->spent.pcg_iterations += stats.iterations;
        vv_unpack(y, x, k ? e : d);
    }
    w->s->spent.seconds[VV_PHASE_LINEAR] += vv_seconds() - begin;
    for (size_t j = 0; j < vv_node_space(y); j++)
        d[j] = 2 * d[j] - e[j];
    vv_arena_release(&y->arena, mark);
    return status;
}

/* ---- what moves together ---- */

static bool all_one(const work *w) { return w->call->values[GROUPS] == 0; }

/* Held by prescribed nodes or attachments. */
static void mark_held(const work *w)
{
    const vv_system *y = w->s->system;
    for (int i = 0; i < w->f->components.count; i++)
        w->f->parts[i].held = w->f->components.component[i].fixed;
    for (int k = 0; k < y->energies; k++) {
        int count;
        const int *nodes = vv_attachment_nodes(y->energy[k], &count);
        for (int i = 0; i < count; i++)
            if (w->f->components.of[nodes[i]] >= 0)
                w->f->parts[w->f->components.of[nodes[i]]].held = true;
    }
}

static vvStatus find_groups(const work *w)
{
    filtered *f = w->f;
    const vv_system *y = w->s->system;
    const int bodies = w->s->bodies;
    memset(f->outside, 0, (size_t)bodies);
    if (w->s->contact) {
        if (vv_contact_groups(w->s->contact, &y->par, w->s->state->q, w->t->q, f->group_of, f->outside) != VV_OK)
            return VV_ERROR_MEMORY;
    } else {
        for (int b = 0; b < bodies; b++)
            f->group_of[b] = -1;
        for (int i = 0; i < y->nodes; i++) /* a component's lowest body; joined transitively, as bodies come in order */
            if (f->components.of[i] >= 0) {
                int first = y->body[f->components.node[f->components.component[f->components.of[i]].begin]], b = y->body[i];
                if (f->group_of[b] < 0)
                    f->group_of[b] = f->group_of[first] >= 0 ? f->group_of[first] : first;
            }
    }
    memset(f->groups, 0, (size_t)bodies * sizeof *f->groups);
    mark_held(w);
    for (int b = 0; b < bodies; b++)
        if (f->group_of[b] >= 0 && f->outside[b])
            f->groups[f->group_of[b]].outside = true;
    for (int i = 0; i < f->components.count; i++) {
        part *p = f->parts + i;
        p->group = f->group_of[y->body[f->components.node[f->components.component[i].begin]]];
        f->groups[p->group].parts++;
        f->groups[p->group].outside = f->groups[p->group].outside || p->held;
    }
    return VV_OK;
}

/* ---- rigid motions ---- */

static void measure_part(const work *w, int i, const double *dv, const double *u, const double *d, const double *e)
{
    const vv_system *y = w->s->system;
    part *p = w->f->parts + i;
    const vv_node_set set = vv_component_nodes(&w->f->components, i);
    const double *q = w->t->q;
    double momentum[3];
    vv_rigid before = vv_rigid_centre(y, &set, w->s->state->q);
    memcpy(p->centre_before, before.centre, sizeof before.centre);
    p->body = vv_rigid_at(y, &set, q);
    p->moves = vv_rigid_part(y, &set, &p->body, q, w->t->v);
    p->d = vv_rigid_part(y, &set, &p->body, q, d);
    p->e = vv_rigid_part(y, &set, &p->body, q, e);
    p->push = vv_rigid_part(y, &set, &p->body, q, dv);
    memset(p->push.angular, 0, sizeof p->push.angular);
    vv_rigid_momenta(y, &set, w->s->state->q, before.centre, u, momentum, p->spin);
    p->keeps = vv_rigid_twist(&p->body, momentum, p->spin);
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

/* A group that nothing outside touches keeps the angular momentum that it had at q_n, and contact's pushes do not turn it. */
static void turn_groups(const work *w)
{
    filtered *f = w->f;
    group *g;
#define EACH(p) (int i_ = 0; i_ < f->components.count && (p = f->parts + i_, g = f->groups + p->group, true); i_++) \
        if (!g->outside && g->parts > 1)
    part *p;
    for EACH(p)
        for (int k = 0; k < 3; k++) {
            g->body.mass += k == 0 ? p->body.mass : 0;
            g->body.centre[k] += p->body.mass * p->body.centre[k];
            g->centre_before[k] += p->body.mass * p->centre_before[k];
        }
    for (int b = 0; b < w->s->bodies; b++)
        for (int k = 0; k < 3 && f->groups[b].body.mass > 0; k++) {
            f->groups[b].body.centre[k] /= f->groups[b].body.mass;
            f->groups[b].centre_before[k] /= f->groups[b].body.mass;
        }
    for EACH(p) {
        double arm[3];
        vv_sub(p->body.centre, g->body.centre, arm);
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                g->body.inertia[3 * j + k] += p->body.inertia[3 * j + k] +
                                              p->body.mass * ((j == k ? vv_dot(arm, arm) : 0) - arm[j] * arm[k]);
        add_orbital(p->centre_before, g->centre_before, p->body.mass, p->keeps.linear, g->l);
        add_orbital(p->body.centre, g->body.centre, -p->body.mass, p->keeps.linear, g->l);
        add_orbital(p->body.centre, g->body.centre, -p->body.mass, p->push.linear, g->push);
    }
    for (int b = 0; b < w->s->bodies; b++)
        if (f->groups[b].body.mass > 0)
            vv_rigid_invert(f->groups[b].body.inertia, f->groups[b].body.inverse);
    for EACH(p) {
        static const double none[3] = { 0, 0, 0 };
        vv_twist keeps = vv_rigid_twist(&g->body, none, g->l), push = vv_rigid_twist(&g->body, none, g->push);
        double at[3];
        vv_twist_at(&keeps, g->body.centre, p->body.centre, at);
        for (int k = 0; k < 3; k++)
            p->keeps.linear[k] += at[k], p->keeps.angular[k] += keeps.angular[k];
        vv_twist_at(&push, g->body.centre, p->body.centre, at);
        for (int k = 0; k < 3; k++)
            p->push.linear[k] += at[k], p->push.angular[k] += push.angular[k];
    }
#undef EACH
}

/* ---- the four fields ---- */

static void compose(const work *w, const double *d, const double *e)
{
    const vv_system *y = w->s->system;
    for (int i = 0; i < y->nodes; i++) {
        const size_t j = 3 * (size_t)i;
        const int c = w->f->components.of[i];
        const part *p = c >= 0 ? w->f->parts + c : NULL;
        const double *v = w->t->v + j, *x = w->t->q + j;
        double moves[3], keeps[3], push[3], rd[3], re[3];
        if (!p || p->held) {
            for (size_t k = 0; k < 3; k++) {
                double di = d[j + k], ei = e[j + k];
                w->field[START][j + k] = v[k] - di;
                w->field[ALPHA][j + k] = di, w->field[BETA][j + k] = ei, w->field[GAMMA][j + k] = 0;
            }
            continue;
        }
        bool outside = w->f->groups[p->group].outside;
        vv_twist_at(&p->moves, p->body.centre, x, moves);
        vv_twist_at(&p->keeps, p->body.centre, x, keeps);
        vv_twist_at(&p->push, p->body.centre, x, push);
        vv_twist_at(&p->d, p->body.centre, x, rd);
        vv_twist_at(&p->e, p->body.centre, x, re);
        for (size_t k = 0; k < 3; k++) {
            double di = d[j + k] - rd[k], ei = e[j + k] - re[k];
            w->field[START][j + k] = v[k] - moves[k] + keeps[k] - di;
            w->field[ALPHA][j + k] = di + push[k];
            w->field[BETA][j + k] = ei;
            w->field[GAMMA][j + k] = outside ? keeps[k] + push[k] - moves[k] : 0;
        }
    }
}

static int group_of_body(const work *w, int body) { return all_one(w) && w->f->group_of[body] >= 0 ? 0 : w->f->group_of[body]; }

static void multiply(const work *w)
{
    const vv_system *y = w->s->system;
    for (int i = 0; i < y->nodes; i++) {
        int k = group_of_body(w, y->body[i]);
        if (k < 0) {
            if (all_one(w))
                w->f->groups[0].rest += 0.5 * y->mass[i] * vv_dot(w->t->v + 3 * (size_t)i, w->t->v + 3 * (size_t)i);
            continue;
        }
        group *g = w->f->groups + k;
        for (int a = 0; a < 4; a++)
            for (int b = 0; b <= a; b++)
                g->gram[a][b] += y->mass[i] * vv_dot(w->field[a] + 3 * (size_t)i, w->field[b] + 3 * (size_t)i);
    }
}

/* ---- alpha, beta, gamma ---- */

static double product(const group *g, int a, int b) { return g->gram[a > b ? a : b][a > b ? b : a]; }

/* M-product of v with a field. */
static double along(const group *g, int field)
{
    return product(g, START, field) - (g->alpha - 1) * product(g, ALPHA, field) - g->beta * product(g, BETA, field) -
           g->gamma * product(g, GAMMA, field);
}

static double excess(const group *g)
{
    double square = along(g, START) - (g->alpha - 1) * along(g, ALPHA) - g->beta * along(g, BETA) - g->gamma * along(g, GAMMA);
    return g->rest + 0.5 * square;
}

/* The roots of c - b t + 1/2 a t^2, smallest first; both at the vertex where there is none. False: no quadratic to speak of. */
static bool roots(double a, double b, double c, double scale, double out[2])
{
    if (!(a > 1e-28 * scale))
        return false;
    double discriminant = b * b - 2 * a * c;
    if (discriminant <= 0) {
        out[0] = out[1] = b / a;
        return true;
    }
    /* without cancellation: one root from the sum, the other from the product 2 c / a */
    double sum = b + (b >= 0 ? sqrt(discriminant) : -sqrt(discriminant)), one = sum / a, other = 2 * c / sum;
    out[0] = fmin(one, other), out[1] = fmax(one, other);
    return true;
}

static double clamp(double x, double low, double high) { return fmin(fmax(x, low), high); }

static void choose(group *g, const double *values, double scale)
{
    double t[2], size = scale + g->gram[START][START];
    g->alpha = 1;
    if (roots(product(g, ALPHA, ALPHA), along(g, ALPHA), excess(g), size, t))
        g->alpha = clamp(1 + (fabs(t[0]) <= fabs(t[1]) ? t[0] : t[1]), values[ALPHA_MIN], values[ALPHA_MAX]);
    double left = excess(g);
    if (left > 1e-12 * size && roots(product(g, GAMMA, GAMMA), along(g, GAMMA), left, size, t))
        g->gamma = clamp(t[0], 0, 1);
    else if (left < -1e-12 * size && roots(product(g, BETA, BETA), along(g, BETA), left, size, t))
        g->beta = clamp(t[1], values[BETA_MIN], values[BETA_MAX]);
}

static void apply_to_velocities(const work *w)
{
    const vv_system *y = w->s->system;
    double weight = 0, mean = 0;
    for (int i = 0; i < y->nodes; i++) {
        int k = group_of_body(w, y->body[i]);
        if (k < 0 || y->unknown[i] < 0)
            continue;
        const group *g = w->f->groups + k;
        for (size_t j = 3 * (size_t)i; j < 3 * (size_t)i + 3; j++)
            w->t->v[j] = w->field[START][j] - (g->alpha - 1) * w->field[ALPHA][j] - g->beta * w->field[BETA][j] -
                         g->gamma * w->field[GAMMA][j];
        weight += y->mass[i];
        mean += y->mass[i] * g->alpha;
    }
    w->call->alpha = weight > 0 ? mean / weight : 1;
}

/* ---- accounts ---- */

static void open_accounts(const work *w)
{
    filtered *f = w->f;
    const int bodies = w->s->bodies;
    double *rest = by_body(w, OPEN), *taken = by_body(w, TAKEN), *owed = by_body(w, OWED), *memory = w->call->body_memory;
    if (all_one(w)) {
        f->groups[0].rest = w->t->potential - w->call->target;
        return;
    }
    vv_copy((size_t)bodies, memory, owed);
    vv_shares_open(w->s, w->t, w->call->booking, owed, by_body(w, SCRATCH), rest);
    vv_zero((size_t)bodies, taken);
    const vv_system *y = w->s->system;
    for (int i = 0; i < y->nodes; i++)
        for (size_t j = 3 * (size_t)i; j < 3 * (size_t)i + 3 && y->unknown[i] >= 0; j++) {
            double change = w->t->v[j] - w->s->state->v[j];
            taken[y->body[i]] += 0.5 * y->mass[i] * change * change;
        }
    for (int b = 0; b < bodies; b++)
        if (f->group_of[b] >= 0)
            f->groups[f->group_of[b]].rest += rest[b];
}

static void close_accounts(const work *w)
{
    const int bodies = w->s->bodies;
    const vv_system *y = w->s->system;
    double *open = by_body(w, OPEN);
    if (all_one(w))
        return;
    for (int i = 0; i < y->nodes; i++)
        open[y->body[i]] += 0.5 * y->mass[i] * vv_dot(w->t->v + 3 * (size_t)i, w->t->v + 3 * (size_t)i);
    for (int b = 0; b < bodies; b++)
        open[b] = -open[b]; /* T - H: what is owed */
    vv_shares_close(w->s, w->f->group_of, open, by_body(w, TAKEN), by_body(w, SCRATCH), by_body(w, OWED));
    vv_copy((size_t)bodies, by_body(w, OWED), w->call->body_memory);
}

/* ---- the policy ---- */

static const vvParam params[] = {
    { "alpha", "\"search\", \"filtered-search\": range of alpha, smallest first", "", 2, false, { 0, 1.1 }, -10, 10 },
    { "beta", "\"filtered-search\": range of beta, smallest first", "", 2, false, { 0, 1 }, 0, 100 },
    { "groups", "\"filtered-search\": energy comes back to the bodies in touch that lost it; 0: to all", "", 1, true, { 1 }, 0, 1 },
};

static vvStatus check(const double *values, vvError *error)
{
    for (int k = 0; k < 4; k += 2)
        if (values[k] > values[k + 1])
            return vv_fail(error, VV_ERROR_INPUT, "integrator.%s[1] is %g; it must be at least %g, the smallest %s, and at most %g",
                           params[k / 2].name, values[k + 1], values[k], params[k / 2].name, params[k / 2].max);
    return VV_OK;
}

static vvStatus apply(vv_policy_call *call, vvError *error)
{
    vv_stepper *s = call->stepper;
    vv_arena *arena = &s->system->arena;
    work w = { .call = call, .s = s, .t = call->trial, .f = (filtered *)call->solver };
    size_t mark = vv_arena_mark(arena), n = vv_node_space(s->system);
    double *dv = vv_arena_push(arena, n, sizeof *dv), *u = vv_arena_push(arena, n, sizeof *u);
    double *d = vv_arena_push(arena, n, sizeof *d), *e = vv_arena_push(arena, n, sizeof *e);
    for (int k = 0; k < 4; k++)
        w.field[k] = vv_arena_push(arena, n, sizeof *w.field[k]);
    vv_policy_velocity_difference(call, dv);
    vvStatus status = filter(&w, dv, d, e, error);
    if (status == VV_OK)
        status = find_groups(&w);
    if (status == VV_OK) {
        impelled(&w, u);
        for (int i = 0; i < w.f->components.count; i++)
            if (!w.f->parts[i].held)
                measure_part(&w, i, dv, u, d, e);
        turn_groups(&w);
        compose(&w, d, e);
        open_accounts(&w);
        multiply(&w);
        for (int b = 0; b < s->bodies; b++)
            if (group_of_body(&w, b) == b || (all_one(&w) && b == 0))
                choose(w.f->groups + b, call->values, s->state->ledger.scale);
        apply_to_velocities(&w);
        close_accounts(&w);
    }
    vv_arena_release(arena, mark);
    return status;
}

const vv_policy_ops vv_policy_filtered_search = {
    .info = { "filtered-search", "A-search whose energy shows in the motion" },
    .scheme = "backward-euler",
    .touches = VV_TOUCHES_VELOCITIES,
    .wants_gradients = true,
    .aims = true,
    .params = { sizeof params / sizeof *params, params },
    .check = check,
    .vectors = 10,
    .solver = &equations,
    .body_memory = sizeof(double),
    .apply = apply,
};
