/* Value, derivatives and step filter of the objective. */
#include "solve/objective.h"

#include "solve/vectors.h"

#include <string.h>

enum { ROUNDS = 4 };

struct affine {
    const double *q, *z;
    double beta;
    double *out;
    size_t n;
};

static void affine_chunk(void *arg, int c)
{
    const struct affine *a = arg;
    size_t begin = (size_t)vv_chunk_begin(c), end = (size_t)vv_chunk_end(c, (int)a->n);
    for (size_t i = begin; i < end; i++)
        a->out[i] = a->beta * a->q[i] + (a->z ? a->z[i] : 0);
}

/* beta q + z; q itself where the map is the identity. `scratch` holds the result otherwise. */
static const double *affine(const vv_objective *o, const double *q, double beta, const double *z, double *scratch)
{
    if (beta == 1 && !z)
        return q;
    struct affine a = { q, z, beta, scratch, 3 * (size_t)o->system->nodes };
    vv_for(vv_helpers_for(&o->system->par, (double)a.n), vv_chunks((int)a.n), affine_chunk, &a);
    return scratch;
}

double vv_objective_dissipation(const vv_objective *o, const double *q)
{
    vv_system *s = o->system;
    if (o->d == 0 || !s->dissipations)
        return 0;
    size_t mark = vv_arena_mark(&s->arena), n3 = 3 * (size_t)s->nodes;
    double *scratch = vv_arena_push(&s->arena, n3, sizeof *scratch), inverse = 1 / o->h, sum = 0;
    const double *v = affine(o, q, o->c, o->u, scratch);
    vv_scaled(n3, inverse, v, scratch);
    for (int i = 0; i < s->dissipations; i++)
        sum += o->d * o->h * o->h * o->h * s->dissipation[i]->ops->value(s->dissipation[i], &s->par, scratch, NULL);
    vv_arena_release(&s->arena, mark);
    return sum;
}

static double potential_without_contact(const vv_system *s, const double *x)
{
    double sum = 0;
    for (int i = 0; i < s->energies && sum < INFINITY; i++)
        if (s->energy[i]->ops->row != VV_ROW_CONTACT) {
            vv_energy_update(s->energy[i], &s->par, x);
            sum += s->energy[i]->ops->value(s->energy[i], &s->par, x, NULL);
        }
    return sum;
}

/* Inertia and potential energies. */
static double conservative_value(const vv_objective *o, const double *q,
                                 double (*potential)(const vv_system *, const double *))
{
    vv_system *s = o->system;
    size_t mark = vv_arena_mark(&s->arena);
    double *scratch = vv_arena_push(&s->arena, 3 * (size_t)s->nodes, sizeof *scratch);
    double h2 = o->h * o->h, g = 0.5 * vv_sum_mass_square(s, q, o->y, true);
    for (int i = 0; i < o->samples && g < INFINITY; i++)
        g += h2 * o->sample[i].w * potential(s, affine(o, q, o->sample[i].beta, o->sample[i].z, scratch));
    vv_arena_release(&s->arena, mark);
    return g;
}

double vv_objective_value(const vv_objective *o, const double *q)
{
    double g = conservative_value(o, q, vv_system_energy);
    return g < INFINITY ? g + vv_objective_dissipation(o, q) : g;
}

static double potential_of(const vv_system *s, const double *x, bool last)
{
    double sum = 0;
    for (int i = 0; i < s->energies && sum < INFINITY; i++)
        if (s->energy[i]->ops->last == last) {
            vv_energy_update(s->energy[i], &s->par, x);
            sum += s->energy[i]->ops->value(s->energy[i], &s->par, x, NULL);
        }
    return sum;
}

static double first_potential(const vv_system *s, const double *x) { return potential_of(s, x, false); }

bool vv_objective_has_last(const vv_objective *o)
{
    for (int i = 0; i < o->system->energies; i++)
        if (o->system->energy[i]->ops->last)
            return true;
    return false;
}

double vv_objective_value_below(const vv_objective *o, const double *q, double most)
{
    if (!vv_objective_has_last(o))
        return vv_objective_value(o, q);
    vv_system *s = o->system;
    double g = conservative_value(o, q, first_potential);
    if (!(g <= most))
        return INFINITY;
    size_t mark = vv_arena_mark(&s->arena);
    double *scratch = vv_arena_push(&s->arena, 3 * (size_t)s->nodes, sizeof *scratch);
    for (int i = 0; i < o->samples && g < INFINITY; i++)
        g += o->h * o->h * o->sample[i].w *
             potential_of(s, affine(o, q, o->sample[i].beta, o->sample[i].z, scratch), true);
    vv_arena_release(&s->arena, mark);
    return g < INFINITY ? g + vv_objective_dissipation(o, q) : g;
}

double vv_objective_value_without_contact(const vv_objective *o, const double *q)
{
    return conservative_value(o, q, potential_without_contact);
}

/* Half of v . dR/dv of each node. */
static void add_dissipation_by_body(const vv_objective *o, const double *q, double *part)
{
    vv_system *s = o->system;
    if (o->d == 0 || !s->dissipations)
        return;
    const size_t mark = vv_arena_mark(&s->arena), n = vv_node_space(s);
    double *v = vv_arena_push(&s->arena, n, sizeof *v), *force = vv_arena_push(&s->arena, n, sizeof *force);
    vv_scaled(n, 1 / o->h, affine(o, q, o->c, o->u, v), v);
    vv_zero(n, force);
    vv_system_dissipation_gradient(s, v, o->d * o->h * o->h * o->h, force);
    for (size_t i = 0; i < n; i++)
        part[s->body[i / 3]] += 0.5 * v[i] * force[i];
    vv_arena_release(&s->arena, mark);
}

void vv_objective_by_body(const vv_objective *o, const double *q, double *part)
{
    vv_system *s = o->system;
    const size_t mark = vv_arena_mark(&s->arena), n = vv_node_space(s), bodies = (size_t)s->bodies;
    double *scratch = vv_arena_push(&s->arena, n, sizeof *scratch),
           *energy = vv_arena_push(&s->arena, bodies, sizeof *energy);
    vv_zero(bodies, part);
    for (int i = 0; i < o->samples; i++) {
        const double *x = affine(o, q, o->sample[i].beta, o->sample[i].z, scratch);
        vv_system_update(s, x);
        vv_zero(bodies, energy);
        for (int k = 0; k < s->energies; k++)
            s->energy[k]->ops->value(s->energy[k], &s->par, x, energy);
        vv_axpy(bodies, o->h * o->h * o->sample[i].w, energy, part);
    }
    for (size_t i = 0; i < n; i++)
        if (s->unknown[i / 3] >= 0)
            part[s->body[i / 3]] += 0.5 * s->mass[i / 3] * (q[i] - o->y[i]) * (q[i] - o->y[i]);
    add_dissipation_by_body(o, q, part);
    vv_arena_release(&s->arena, mark);
}

double vv_objective_magnitude(const vv_objective *o, const double *q)
{
    vv_system *s = o->system;
    size_t mark = vv_arena_mark(&s->arena);
    double *scratch = vv_arena_push(&s->arena, 3 * (size_t)s->nodes, sizeof *scratch);
    double away = vv_sum_mass_square(s, q, o->y, true), size = vv_sum_mass_square(s, q, NULL, true);
    double sum = 0.5 * away + sqrt(away * size);
    for (int i = 0; i < o->samples; i++) {
        const double *x = affine(o, q, o->sample[i].beta, o->sample[i].z, scratch);
        vv_system_update(s, x);
        for (int k = 0; k < s->energies; k++)
            sum += o->h * o->h * fabs(o->sample[i].w * s->energy[k]->ops->value(s->energy[k], &s->par, x, NULL));
    }
    vv_arena_release(&s->arena, mark);
    return sum;
}

double vv_objective_noise(const vv_objective *o, const double *q)
{
    vv_system *s = o->system;
    size_t mark = vv_arena_mark(&s->arena), n3 = vv_node_space(s);
    double *scratch = vv_arena_push(&s->arena, n3, sizeof *scratch),
           *force = vv_arena_push(&s->arena, n3, sizeof *force);
    double sum = vv_objective_magnitude(o, q);
    for (int i = 0; i < o->samples; i++) {
        const double *x = affine(o, q, o->sample[i].beta, o->sample[i].z, scratch);
        vv_system_update(s, x);
        for (int k = 0; k < s->energies; k++) {
            const vv_energy *e = s->energy[k];
            if (e->ops->row == VV_ROW_ELASTIC)
                continue;
            vv_zero(n3, force);
            e->ops->derivatives(e, &s->par, x, o->h * o->h * fabs(o->sample[i].w), VV_HESSIAN_EXACT, force, NULL);
            for (size_t j = 0; j < n3; j++)
                sum += fabs(force[j] * x[j]);
        }
    }
    vv_arena_release(&s->arena, mark);
    return sum;
}

/* The energies' part of both derivatives; g, e: node vectors. All samples at once: their element Hessians are summed
 * before they are added to the matrix. */
static void add_samples(const vv_objective *o, const double *q, vv_hessian_mode mode, double *g, double *e,
                        vv_assembly *a)
{
    vv_system *s = o->system;
    vv_sample sample[VV_MAX_SAMPLES];
    size_t mark = vv_arena_mark(&s->arena);
    for (int i = 0; i < o->samples; i++) {
        double beta = o->sample[i].beta, force = o->h * o->h * o->sample[i].w * beta;
        bool moved = mode != VV_HESSIAN_REST && (beta != 1 || o->sample[i].z);
        double *room = moved ? vv_arena_push(&s->arena, vv_node_space(s), sizeof *room) : NULL;
        sample[i] = (vv_sample){ mode == VV_HESSIAN_REST ? NULL : affine(o, q, beta, o->sample[i].z, room), force,
                                 force * beta };
    }
    vv_assembly_add_samples(s, sample, o->samples, mode, g, e, a);
    vv_arena_release(&s->arena, mark);
}

static void add_dissipation(const vv_objective *o, const double *q, vv_hessian_mode mode, double *g, double *e,
                            vv_assembly *a)
{
    vv_system *s = o->system;
    double h = o->h;
    if (o->d == 0 || !s->dissipations)
        return;
    size_t mark = vv_arena_mark(&s->arena);
    double *v = vv_arena_push(&s->arena, vv_node_space(s), sizeof *v);
    if (mode != VV_HESSIAN_REST) {
        const double *x = affine(o, q, o->c, o->u, v);
        for (size_t i = 0; i < vv_node_space(s); i++)
            v[i] = x[i] / h;
    }
    if (g)
        vv_zero(vv_node_space(s), e);
    vv_assembly_add_dissipations(s, v, o->d * h * o->c * o->c, mode, g ? e : NULL, a);
    if (g)
        vv_axpy(vv_node_space(s), h / o->c, e, g);
    vv_arena_release(&s->arena, mark);
}

/* gradient (unknown space) = M (q - y) + g (node space) */
static void inertia_and(const vv_objective *o, const double *q, const double *g, double *gradient)
{
    const vv_system *s = o->system;
    for (size_t u = 0; u < (size_t)s->unknowns; u++) {
        size_t i = (size_t)s->node[u];
        double m = s->mass[i];
        for (size_t k = 0; k < 3; k++)
            gradient[3 * u + k] = g[3 * i + k] + m * (q[3 * i + k] - o->y[3 * i + k]);
    }
}

void vv_objective_derivatives(const vv_objective *o, const double *q, vv_hessian_mode mode, double *gradient,
                              vv_assembly *a)
{
    vv_system *s = o->system;
    size_t mark = vv_arena_mark(&s->arena), n3 = vv_node_space(s);
    double *g = vv_arena_push(&s->arena, n3, sizeof *g), *e = vv_arena_push(&s->arena, n3, sizeof *e);
    if (!gradient || mode == VV_HESSIAN_REST)
        gradient = g = NULL;
    else
        vv_zero(n3, g);
    if (a)
        vv_assembly_begin(a);
    add_samples(o, q, mode, g, e, a);
    add_dissipation(o, q, mode, g, e, a);
    if (gradient)
        inertia_and(o, q, g, gradient);
    if (a) {
        vv_assembly_add_mass(a, 1);
        vv_assembly_end(a);
    }
    vv_rails_reduce(s->rails, s->unknown, s->node, gradient, a ? &a->matrix : NULL);
    vv_arena_release(&s->arena, mark);
}

void vv_objective_part_derivatives(const vv_objective *o, const double *q, vv_hessian_mode mode, double *gradient,
                                   vv_assembly *a)
{
    vv_system *s = o->system;
    size_t mark = vv_arena_mark(&s->arena), n3 = vv_node_space(s);
    double *g = vv_arena_push(&s->arena, n3, sizeof *g), *e = vv_arena_push(&s->arena, n3, sizeof *e);
    vv_zero(n3, g);
    vv_assembly_begin(a);
    add_samples(o, q, mode, g, e, a);
    add_dissipation(o, q, mode, g, e, a);
    vv_assembly_end(a);
    for (size_t u = 0; u < (size_t)s->unknowns; u++)
        memcpy(gradient + 3 * u, g + 3 * (size_t)s->node[u], 3 * sizeof *gradient);
    vv_arena_release(&s->arena, mark);
}

/* The dissipative part of g(q); out (node space) += its gradient d h^2 c dR/dv. */
static double dissipation_gradient(const vv_objective *o, const double *q, double *scratch, double *out)
{
    vv_system *s = o->system;
    double h = o->h, sum = 0;
    if (o->d == 0 || !s->dissipations)
        return 0;
    const double *v = affine(o, q, o->c, o->u, scratch);
    vv_scaled(vv_node_space(s), 1 / h, v, scratch);
    for (int i = 0; i < s->dissipations; i++)
        sum += o->d * h * h * h *
               vv_energy_value_gradient(s->dissipation[i], &s->par, scratch, o->d * h * h * o->c, NULL, out);
    return sum;
}

double vv_objective_value_gradient(const vv_objective *o, const double *q, double *gradient)
{
    vv_system *s = o->system;
    size_t mark = vv_arena_mark(&s->arena), n3 = vv_node_space(s);
    double *scratch = vv_arena_push(&s->arena, n3, sizeof *scratch), *out = vv_arena_push(&s->arena, n3, sizeof *out);
    double h2 = o->h * o->h, g = 0.5 * vv_sum_mass_square(s, q, o->y, true);
    vv_zero(n3, out);
    for (int i = 0; i < o->samples && g < INFINITY; i++) {
        double w = o->sample[i].w, beta = o->sample[i].beta;
        const double *x = affine(o, q, beta, o->sample[i].z, scratch);
        g += h2 * w * vv_system_add_energy_gradient(s, x, h2 * w * beta, out);
    }
    if (g < INFINITY) {
        g += dissipation_gradient(o, q, scratch, out);
        inertia_and(o, q, out, gradient);
        vv_rails_reduce(s->rails, s->unknown, s->node, gradient, NULL);
    }
    vv_arena_release(&s->arena, mark);
    return g;
}

/* out (node space) = contact's part of dg/dq */
static void contact_gradient(const vv_objective *o, const double *q, double *out)
{
    vv_system *s = o->system;
    size_t mark = vv_arena_mark(&s->arena), n3 = 3 * (size_t)s->nodes;
    double *scratch = vv_arena_push(&s->arena, n3, sizeof *scratch);
    vv_zero(n3, out);
    for (int i = 0; i < o->samples; i++) {
        double beta = o->sample[i].beta;
        const double *x = affine(o, q, beta, o->sample[i].z, scratch);
        for (int k = 0; k < s->energies; k++) {
            if (s->energy[k]->ops->row != VV_ROW_CONTACT)
                continue;
            vv_energy_update(s->energy[k], &s->par, x);
            s->energy[k]->ops->derivatives(s->energy[k], &s->par, x, o->h * o->h * o->sample[i].w * beta,
                                           VV_HESSIAN_EXACT, out, NULL);
        }
    }
    vv_arena_release(&s->arena, mark);
}

static bool rubs(const vv_objective *o)
{
    bool any = false;
    for (int i = 0; i < o->system->dissipations && o->d != 0; i++)
        any = any || o->system->dissipation[i]->ops->row == VV_ROW_CONTACT;
    return any;
}

/* out (node space) += what bounds press with: the part of g's gradient that they take. */
static void add_bounds(const vv_objective *o, const double *q, double *out)
{
    vv_system *s = o->system;
    size_t mark = vv_arena_mark(&s->arena), u3 = vv_unknown_space(s);
    double *gradient = vv_arena_push(&s->arena, u3, sizeof *gradient);
    double *left = vv_arena_push(&s->arena, u3, sizeof *left);
    vv_objective_derivatives(o, q, VV_HESSIAN_EXACT, gradient, NULL);
    vv_copy(u3, gradient, left);
    vv_system_reduce(s, q, left, NULL, true);
    for (size_t i = 0; i < u3; i++)
        out[3 * (size_t)s->node[i / 3] + i % 3] -= gradient[i] - left[i];
    vv_arena_release(&s->arena, mark);
}

/* Of a body: squares of contact's forces, and of what is left of the gradient where these act. */
typedef struct touched {
    double force, left;
    bool matters;
} touched;

double vv_objective_contact_imbalance(const vv_objective *o, const double *q, double slight)
{
    vv_system *s = o->system;
    size_t mark = vv_arena_mark(&s->arena);
    double *contact = vv_arena_push(&s->arena, 3 * (size_t)s->nodes, sizeof *contact);
    double *gradient = vv_arena_push(&s->arena, 3 * (size_t)s->unknowns, sizeof *gradient), worst = 0;
    touched *body = vv_arena_push(&s->arena, (size_t)s->bodies, sizeof *body);
    bool matters = false;
    memset(body, 0, (size_t)s->bodies * sizeof *body);
    contact_gradient(o, q, contact);
    if (s->feasible && rubs(o))
        add_bounds(o, q, contact);
    if (rubs(o) && o->c > 1) /* friction goes by velocities, and a stage of a part of the step has c times those */
        slight /= o->c;
    for (size_t u = 0; u < (size_t)s->unknowns; u++) {
        const double *f = contact + 3 * (size_t)s->node[u];
        double size = f[0] * f[0] + f[1] * f[1] + f[2] * f[2], most = slight * s->mass[s->node[u]];
        touched *b = body + s->body[s->node[u]];
        b->matters = b->matters || size > most * most;
        b->force += size;
        matters = matters || b->matters;
    }
    if (matters) {
        vv_objective_derivatives(o, q, VV_HESSIAN_EXACT, gradient, NULL);
        vv_system_reduce(s, q, gradient, NULL, true);
        for (size_t u = 0; u < (size_t)s->unknowns; u++) {
            const double *f = contact + 3 * (size_t)s->node[u], *g = gradient + 3 * u;
            if (f[0] != 0 || f[1] != 0 || f[2] != 0)
                body[s->body[s->node[u]]].left += g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
        }
    }
    for (int b = 0; b < s->bodies && matters; b++)
        if (body[b].matters)
            worst = fmax(worst, sqrt(body[b].left / body[b].force));
    vv_arena_release(&s->arena, mark);
    return worst;
}

/* Lowers part[node] by what contact knows better than one part for all (vv_energy_ops.bounds). */
static void lower_parts(const vv_objective *o, const double *q, const double *p, double *part)
{
    vv_system *s = o->system;
    size_t mark = vv_arena_mark(&s->arena), n3 = 3 * (size_t)s->nodes;
    double *x = vv_arena_push(&s->arena, n3, sizeof *x), *dx = vv_arena_push(&s->arena, n3, sizeof *dx);
    for (int i = 0; i < o->samples; i++)
        vv_system_bounds(s, affine(o, q, o->sample[i].beta, o->sample[i].z, x),
                         affine(o, p, o->sample[i].beta, NULL, dx), part);
    vv_system_bounds(s, q, p, part);
    vv_arena_release(&s->arena, mark);
}

/* The least part of each group, for all of its nodes; least: room. */
static void share_parts(size_t nodes, const int *group, double *least, double *part)
{
    for (size_t i = 0; i < nodes; i++)
        least[i] = 1;
    for (size_t i = 0; i < nodes; i++)
        if (group[i] >= 0)
            least[group[i]] = fmin(least[group[i]], part[i]);
    for (size_t i = 0; i < nodes; i++)
        if (group[i] >= 0)
            part[i] = least[group[i]];
}

void vv_objective_shorten(const vv_objective *o, const double *q, const int *group, double *p, double share)
{
    vv_arena *arena = &o->system->arena;
    const size_t nodes = (size_t)o->system->nodes, mark = vv_arena_mark(arena);
    double *part = vv_arena_push(arena, nodes, sizeof *part), *least = vv_arena_push(arena, nodes, sizeof *least),
           t = 0;
    for (int round = 0; round < ROUNDS && t < 1; round++) {
        for (size_t i = 0; i < nodes; i++)
            part[i] = 1;
        lower_parts(o, q, p, part);
        if (group)
            share_parts(nodes, group, least, part);
        for (size_t i = 0; i < 3 * nodes; i++)
            p[i] *= part[i / 3] < 1 ? share * part[i / 3] : 1;
        t = vv_objective_max_step(o, q, p);
    }
    for (size_t i = 0; t < 1 && i < 3 * nodes; i++)
        p[i] *= share * t;
    vv_arena_release(arena, mark);
}

double vv_objective_max_step(const vv_objective *o, const double *q, const double *p)
{
    vv_system *s = o->system;
    size_t mark = vv_arena_mark(&s->arena), n3 = 3 * (size_t)s->nodes;
    double *x = vv_arena_push(&s->arena, n3, sizeof *x), *dx = vv_arena_push(&s->arena, n3, sizeof *dx);
    double t = 1;
    bool ends = false;
    for (int i = 0; i < o->samples; i++) {
        double beta = o->sample[i].beta;
        const double *at = affine(o, q, beta, o->sample[i].z, x), *along = affine(o, p, beta, NULL, dx);
        double limit = vv_system_max_step(s, at, along);
        if (limit < t)
            t = limit;
        ends = ends || at == q;
    }
    if (!ends) /* no sample is q itself: the midpoint may be feasible while the end is not */
        t = fmin(t, vv_system_max_step(s, q, p));
    vv_arena_release(&s->arena, mark);
    return t;
}
