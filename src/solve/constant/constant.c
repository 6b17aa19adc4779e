/* Makes the constant matrix and keeps its factors. */
#include "solve/constant/constant.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/groups.h"
#include "base/memory.h"
#include "base/vec.h"
#include "solve/vectors.h"

#include <math.h>
#include <string.h>

/* A step A'^-1 r leads down as long as the factor's error is below 1, in the norm of A; and is as good as any if it
 * is small. */
static const double ACCURATE = 0.1, USABLE = 0.5;
static const double ROUGH = 0.1; /* more would not make steps any better, */
enum { FEW = 40 };               /* nor would more of these: a budget's worst step would take the longer */

/* ---- L and D ---- */

static vvStatus refuse(const vv_constant *c, const vv_energy *e, vvError *error)
{
    return vv_refuse_energy(c->solver, "a constant quadratic bound with a local projection",
                            "use materials arap, corotated, hooke, hooke-rod or rod-stretch, which have one, as do "
                            "gravity, drag, spring attachments and kinematic nodes",
                            e, error);
}

/* Whether an energy is left to solve/constant/update.h. */
static bool comes_and_goes(const vv_energy *e) { return e->ops->bound_diagonal && e->ops->bound_diagonal(e, 0, NULL); }

static vvStatus add_models(const vv_constant *c, vv_energy *const *list, int count, vv_quadratic *to, vvError *error)
{
    for (int i = 0; i < count; i++) {
        bool (*model)(const vv_energy *, vv_quadratic_kind, vv_quadratic *) = list[i]->ops->quadratic;
        if (!comes_and_goes(list[i]) && !(model && model(list[i], c->kind, to)) && c->kind == VV_QUADRATIC_BOUND)
            return refuse(c, list[i], error);
    }
    return VV_OK;
}

/* Puts the two models into one pattern. */
static vvStatus merge(vv_constant *c, const vv_quadratic *l, const vv_quadratic *d, vvError *error)
{
    const size_t n = (size_t)c->n, most = n + l->count + d->count;
    c->start = vv_alloc(n + 1, sizeof *c->start);
    c->row = vv_alloc(most, sizeof *c->row);
    c->l = vv_alloc(most, sizeof *c->l);
    c->d = vv_alloc(most, sizeof *c->d);
    c->value = vv_alloc(most, sizeof *c->value);
    c->added = vv_alloc(n, sizeof *c->added);
    c->at_nodes = vv_alloc((size_t)c->system->nodes, sizeof *c->at_nodes);
    bool room = c->start && c->row && c->l && c->d && c->value && c->added && c->at_nodes;
    for (int i = 0; i < 5; i++) {
        c->trial[i] = vv_alloc(3 * n, sizeof *c->trial[i]);
        room = room && c->trial[i];
    }
    if (!room)
        return vv_fail_memory(error, "a constant matrix");
    if (most > INT32_MAX)
        return vv_fail(error, VV_ERROR_UNSUPPORTED, "solver \"%s\": a matrix of %zu entries; at most %d", c->solver,
                       most, INT32_MAX);
    size_t i = 0, j = 0;
    int to = 0;
    for (int col = 0; col < c->n; col++) {
        c->start[col] = to;
        c->row[to] = col, c->l[to] = l->diagonal[col], c->d[to++] = d->diagonal[col];
        for (;;) {
            const vv_quadratic_entry *a = i < l->count && l->entry[i].col == col ? l->entry + i : NULL;
            const vv_quadratic_entry *b = j < d->count && d->entry[j].col == col ? d->entry + j : NULL;
            if (!a && !b)
                break;
            const bool first = a && (!b || a->row <= b->row), second = b && (!a || b->row <= a->row);
            c->row[to] = first ? a->row : b->row;
            c->l[to] = first ? a->value : 0;
            c->d[to++] = second ? b->value : 0;
            i += first, j += second;
        }
    }
    c->start[c->n] = to;
    return VV_OK;
}

/* The diagonal of the box around each group at rest; box: six numbers an unknown, zeroed. */
static void measure_groups(vv_constant *c, double *box)
{
    const vv_system *s = c->system;
    for (int i = 0; i < c->n; i++)
        c->size[i] = INFINITY;
    for (int i = 0; s->rest && i < s->nodes; i++) {
        const int g = c->group[i];
        double *b = box + 6 * (size_t)(g < 0 ? 0 : g);
        for (int k = 0; g >= 0 && k < 3; k++) {
            const double x = s->rest[3 * (size_t)i + (size_t)k];
            b[k] = c->size[g] < INFINITY ? fmin(b[k], x) : x;
            b[3 + k] = c->size[g] < INFINITY ? fmax(b[3 + k], x) : x;
        }
        if (g >= 0)
            c->size[g] = 0;
    }
    for (int g = 0; g < c->n; g++)
        if (c->size[g] == 0) {
            double d[3];
            vv_sub(box + 6 * (size_t)g + 3, box + 6 * (size_t)g, d);
            c->size[g] = vv_norm(d);
        }
}

static vvStatus find_groups(vv_constant *c, vvError *error)
{
    const vv_system *s = c->system;
    int *parent = vv_alloc((size_t)c->n, sizeof *parent);
    double *box = vv_alloc(6 * (size_t)c->n, sizeof *box);
    c->group = vv_alloc((size_t)s->nodes, sizeof *c->group);
    c->size = vv_alloc((size_t)c->n, sizeof *c->size);
    const bool room = parent && box && c->group && c->size;
    if (room) {
        vv_groups_clear(parent, c->n);
        for (int j = 0; j < c->n; j++)
            for (int at = c->start[j]; at < c->start[j + 1]; at++)
                vv_groups_join(parent, j, c->row[at]);
        for (int i = 0; i < s->nodes; i++)
            c->group[i] = s->unknown[i] >= 0 ? vv_groups_find(parent, s->unknown[i]) : -1;
        measure_groups(c, box);
    }
    vv_free(parent);
    vv_free(box);
    return room ? VV_OK : vv_fail_memory(error, "a constant matrix");
}

static void forget(vv_constant *c)
{
    for (int i = 0; i < VV_CONSTANT_FACTORS; i++) {
        for (int k = 0; k < 2; k++)
            vv_forest_give(c->factor[i].forest + k, c->system->kept);
        vv_update_free(&c->factor[i].update);
    }
    void *arrays[] = { c->size,  c->group,    c->start,    c->row,      c->l,        c->d,        c->value,
                       c->added, c->at_nodes, c->trial[0], c->trial[1], c->trial[2], c->trial[3], c->trial[4] };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        vv_free(arrays[i]);
    *c = (vv_constant){ .system = c->system,
                        .kind = c->kind,
                        .solver = c->solver,
                        .uses = c->uses,
                        .made = c->made,
                        .contact = c->contact };
}

/* The serials of the energies in a model, or that may have to be refused. */
static void note(const vv_constant *c, vv_energy *const *list, int count, uint64_t serial[VV_MAX_ENERGIES])
{
    int noted = 0;
    memset(serial, 0, VV_MAX_ENERGIES * sizeof *serial);
    for (int i = 0; i < count; i++)
        if (!comes_and_goes(list[i]) && (list[i]->ops->quadratic || c->kind == VV_QUADRATIC_BOUND))
            serial[noted++] = list[i]->serial;
}

/* A host may change a density while a world runs. */
static uint64_t hash_of_masses(const vv_system *s)
{
    uint64_t hash = 14695981039346656037u;
    for (int i = 0; i < s->nodes; i++) {
        uint64_t bits;
        memcpy(&bits, s->mass + i, sizeof bits);
        hash = (hash ^ bits) * 1099511628211u;
    }
    return hash;
}

static vvStatus make(vv_constant *c, vvError *error)
{
    const vv_system *s = c->system;
    vv_quadratic l = { 0 }, d = { 0 };
    forget(c);
    c->n = s->unknowns;
    vvStatus status = vv_quadratic_init(&l, c->n, s->unknown) && vv_quadratic_init(&d, c->n, s->unknown)
                          ? VV_OK
                          : vv_fail_memory(error, "a constant matrix");
    if (status == VV_OK)
        status = add_models(c, s->energy, s->energies, &l, error);
    if (status == VV_OK)
        status = add_models(c, s->dissipation, s->dissipations, &d, error);
    if (status == VV_OK)
        status = vv_quadratic_finish(&l, error);
    if (status == VV_OK)
        status = vv_quadratic_finish(&d, error);
    if (status == VV_OK)
        status = merge(c, &l, &d, error);
    if (status == VV_OK)
        status = find_groups(c, error);
    c->loose = l.loose;
    note(c, s->energy, s->energies, c->energy);
    note(c, s->dissipation, s->dissipations, c->dissipation);
    c->masses = hash_of_masses(s);
    vv_quadratic_free(&l);
    vv_quadratic_free(&d);
    if (status != VV_OK)
        forget(c);
    return status;
}

/* Whether it is still of the system's energies and masses. */
static bool holds(const vv_constant *c)
{
    const vv_system *s = c->system;
    uint64_t energy[VV_MAX_ENERGIES], dissipation[VV_MAX_ENERGIES];
    note(c, s->energy, s->energies, energy);
    note(c, s->dissipation, s->dissipations, dissipation);
    return c->start && memcmp(energy, c->energy, sizeof energy) == 0 &&
           memcmp(dissipation, c->dissipation, sizeof dissipation) == 0 && c->masses == hash_of_masses(s);
}

vvStatus vv_constant_create(vv_constant *c, vv_system *system, vv_quadratic_kind kind, const char *solver,
                            vvError *error)
{
    *c = (vv_constant){ .system = system, .kind = kind, .solver = solver };
    vvStatus status =
        kind == VV_QUADRATIC_REST ? vv_assembly_create(&c->contact, system, VV_SELECT_CONTACT, error) : VV_OK;
    return status == VV_OK ? make(c, error) : status;
}

void vv_constant_free(vv_constant *c)
{
    if (!c->system)
        return;
    forget(c);
    vv_assembly_free(&c->contact);
}

/* ---- factors ---- */

/* y = A x, n x 3 */
static void multiply(const vv_constant *c, const double *x, double *y)
{
    vv_zero(3 * (size_t)c->n, y);
    for (int j = 0; j < c->n; j++)
        for (int at = c->start[j]; at < c->start[j + 1]; at++)
            for (size_t k = 0; k < 3; k++) {
                const size_t row = 3 * (size_t)c->row[at] + k, column = 3 * (size_t)j + k;
                y[row] += c->value[at] * x[column];
                if (row != column)
                    y[column] += c->value[at] * x[row];
            }
}

/* Lengths of the three columns of x in the norm of A, from y = A x. */
static void lengths(const vv_constant *c, const double *x, const double *y, double out[3])
{
    double sum[3] = { 0 };
    for (size_t i = 0; i < 3 * (size_t)c->n; i++)
        sum[i % 3] += x[i] * y[i];
    for (int k = 0; k < 3; k++)
        out[k] = sum[k] >= 0 ? sqrt(sum[k]) : NAN; /* below 0: rounding */
}

/* The error of a factor as a factor by which solving for corrections shrinks errors, in the norm of A: three columns
 * x, the first a motion of all that is softest, are taken to x - A'^-1 A x, twice, as what is worst stands out after
 * the first. */
static double error_of(const vv_constant *c, const vv_forest *forest)
{
    double *x = c->trial[0], *ax = c->trial[1], *corrected = c->trial[2], before[3], after[3], worst = 0;
    uint32_t seed = 1;
    for (size_t i = 0; i < 3 * (size_t)c->n; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = i % 3 == 0 ? 1 : (double)(seed >> 8) / (1 << 23) - 1;
    }
    multiply(c, x, ax);
    lengths(c, x, ax, before);
    for (int pass = 0; pass < 2; pass++) {
        vv_forest_solve(forest, ax, corrected);
        vv_difference(3 * (size_t)c->n, x, corrected, x);
        multiply(c, x, ax);
        lengths(c, x, ax, after);
        for (int k = 0; k < 3; k++) {
            if (!isfinite(before[k]) || !isfinite(after[k]))
                return INFINITY;
            worst = fmax(worst, before[k] > 0 ? after[k] / before[k] : 0);
            before[k] = after[k];
        }
    }
    return worst;
}

static vvStatus factorise(vv_constant *c, vv_constant_factor *f, bool precise, vvError *error)
{
    /* one that has the order and the pattern of the factor already */
    const vv_forest *like = NULL;
    for (int i = 0; i < VV_CONSTANT_FACTORS && !like; i++)
        like = c->factor[i].forest[precise].count > 0 ? c->factor[i].forest + precise : NULL;
    f->precise = precise;
    return vv_forest_factor(f->forest + precise, c->n, c->start, c->row, c->value, &c->system->par, !precise, like,
                            c->system->kept, error);
}

static vvStatus compute(vv_constant *c, vv_constant_factor *f, double s, double d, vvError *error)
{
    for (int i = 0; i < c->start[c->n]; i++)
        c->value[i] = s * c->l[i] + d * c->d[i];
    for (int i = 0; i < c->n; i++)
        c->value[c->start[i]] += c->system->mass[c->system->node[i]];
    f->used = 0;
    vv_update_forget(&f->update);
    vvStatus status = f->update.system ? VV_OK : vv_update_create(&f->update, c->system, error);
    if (status == VV_OK)
        status = factorise(c, f, false, error);
    if (status == VV_OK && !(error_of(c, f->forest + false) < ACCURATE)) {
        status = factorise(c, f, true, error);
        if (status == VV_OK && !(error_of(c, f->forest + true) < USABLE))
            status = vv_fail(error, VV_ERROR_SOLVER,
                             "solver \"%s\": bodies are too stiff for their inertia in a step, so its constant matrix "
                             "has no accurate factor; use smaller steps, softer bodies, or solver \"newton\"",
                             c->solver);
    }
    f->s = s, f->d = d;
    c->made += f->forest[f->precise].made > 0;
    return status;
}

static vvStatus find(vv_constant *c, const vv_objective *o, vv_constant_factor **out, vvError *error)
{
    double s = 0, d = o->d * o->h * o->c * o->c;
    for (int i = 0; i < o->samples; i++)
        s += o->h * o->h * o->sample[i].w * o->sample[i].beta * o->sample[i].beta;
    vvStatus status = holds(c) ? VV_OK : make(c, error);
    if (status != VV_OK)
        return status;
    vv_constant_factor *f = NULL, *oldest = c->factor;
    for (int i = 0; i < VV_CONSTANT_FACTORS && !f; i++) {
        if (c->factor[i].used > 0 && c->factor[i].s == s && c->factor[i].d == d)
            f = c->factor + i;
        if (c->factor[i].used < oldest->used)
            oldest = c->factor + i;
    }
    *out = f ? f : oldest;
    return f ? VV_OK : compute(c, oldest, s, d, error);
}

/* What the energies that come and go add to the model with the numbers s and d. */
static vvStatus add(vv_constant *c, vv_constant_factor *f, vvError *error)
{
    const vv_system *s = c->system;
    bool any = !vv_update_is_none(&f->update);
    for (int i = 0; i < s->energies + s->dissipations; i++)
        any = any || comes_and_goes(i < s->energies ? s->energy[i] : s->dissipation[i - s->energies]);
    if (!any)
        return VV_OK;
    vv_zero((size_t)s->nodes, c->at_nodes);
    for (int i = 0; i < s->energies; i++)
        if (comes_and_goes(s->energy[i]))
            (void)s->energy[i]->ops->bound_diagonal(s->energy[i], f->s, c->at_nodes);
    for (int i = 0; i < s->dissipations; i++)
        if (comes_and_goes(s->dissipation[i]))
            (void)s->dissipation[i]->ops->bound_diagonal(s->dissipation[i], f->d, c->at_nodes);
    for (int i = 0; i < c->n; i++)
        c->added[i] = c->at_nodes[s->node[i]];
    return vv_update_set(&f->update, f->forest + f->precise, c->added, c->trial[0], error);
}

vvStatus vv_constant_set(vv_constant *c, const vv_objective *o, const vv_solve_options *options, vv_solve_stats *stats,
                         vvError *error)
{
    double begin = vv_seconds(), clock = vv_contact_clock(options);
    vv_constant_factor *f = NULL;
    uint64_t before = c->made;
    c->touches = false;
    vvStatus status = find(c, o, &f, error);
    if (f)
        f->used = status == VV_OK ? ++c->uses : 0;
    if (c->made != before) {
        stats->factor_seconds += vv_seconds() - begin;
        stats->factors += (int)(c->made - before);
    }
    if (status == VV_OK)
        status = add(c, f, error);
    if (status == VV_OK) {
        c->now = f;
        const vv_triple_stats all = vv_forest_get_stats(f->forest + f->precise);
        stats->linear = f->precise ? "constant factor in double precision" : "constant factor";
        stats->factor_bytes = all.factor_bytes, stats->read_bytes = all.read_bytes;
    }
    vv_solve_book(options, stats, VV_PHASE_LINEAR, begin, clock);
    return status;
}

vvStatus vv_constant_touch(vv_constant *c, const vv_objective *o, const double *q, double *gradient, vvError *error)
{
    const vv_bsr *m = &c->contact.matrix;
    c->touches = false, c->tolerance = ROUGH, c->most = FEW;
    vv_objective_part_derivatives(o, q, VV_HESSIAN_PROJECTED, gradient, &c->contact);
    vvStatus status = vv_bsr_status(m, error);
    if (status != VV_OK)
        return status;
    c->touches = m->extra.nnz > 0;
    for (size_t i = 0; i < 9 * (size_t)m->nnz && !c->touches; i++)
        c->touches = m->val[i] != 0;
    return VV_OK;
}

void vv_constant_contact(const vv_constant *c, const double *x, double *y)
{
    if (c->touches)
        vv_bsr_multiply(&c->contact.matrix, &c->system->par, x, y);
    else
        vv_zero(vv_unknown_space(c->system), y);
}

void vv_constant_solve(vv_constant *c, const double *b, double *x, vv_solve_stats *stats)
{
    vv_constant_factor *f = c->now;
    const vv_forest *forest = f->forest + f->precise;
    stats->linear_solves++;
    stats->pcg_iterations +=
        c->touches ? vv_update_solve_with(&f->update, forest, &c->contact.matrix, b, c->tolerance, c->most, x, c->trial)
                   : vv_update_solve(&f->update, forest, b, x, c->trial);
}
