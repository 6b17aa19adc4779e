/* The system's energies, and sums over them and over nodes. */
#include "solve/system.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

static vvStatus too_many(vvError *error)
{
    return vv_fail(error, VV_ERROR_UNSUPPORTED, "the world has more than %d kinds of energy", VV_MAX_ENERGIES);
}

static vvStatus exchange(vv_system *s, vv_energy **list, int *count, int at, bool goes, vv_energy *comes,
                         vvError *error)
{
    vv_energy **place = list + at;
    size_t after = (size_t)(*count - at);
    if (comes && !goes && *count >= VV_MAX_ENERGIES)
        return too_many(error);
    if (goes) {
        (*place)->ops->destroy(*place);
        memmove(place, place + 1, --after * sizeof *place);
    }
    if (comes) {
        memmove(place + 1, place, after * sizeof *place);
        *place = comes;
        comes->serial = ++s->serials;
    }
    *count = at + (int)after + (comes != NULL);
    return VV_OK;
}

vvStatus vv_system_exchange(vv_system *s, int at, bool goes, vv_energy *comes, vvError *error)
{
    return exchange(s, s->energy, &s->energies, at, goes, comes, error);
}

vvStatus vv_system_exchange_dissipation(vv_system *s, int at, bool goes, vv_energy *comes, vvError *error)
{
    return exchange(s, s->dissipation, &s->dissipations, at, goes, comes, error);
}

vvStatus vv_system_add_energy(vv_system *s, vv_energy *e, vvError *error)
{
    vvStatus status = vv_system_exchange(s, s->energies, false, e, error);
    if (status != VV_OK)
        e->ops->destroy(e);
    return status;
}

vvStatus vv_system_add_dissipation(vv_system *s, vv_energy *e, vvError *error)
{
    vvStatus status = vv_system_exchange_dissipation(s, s->dissipations, false, e, error);
    if (status != VV_OK)
        e->ops->destroy(e);
    return status;
}

void vv_system_free(vv_system *s)
{
    for (int i = 0; i < s->dissipations; i++)
        s->dissipation[i]->ops->destroy(s->dissipation[i]);
    for (int i = 0; i < s->energies; i++)
        s->energy[i]->ops->destroy(s->energy[i]);
    vv_arena_free(&s->arena);
    *s = (vv_system){ 0 };
}

void vv_system_update(const vv_system *s, const double *q)
{
    for (int i = 0; i < s->energies; i++)
        vv_energy_update(s->energy[i], &s->par, q);
}

double vv_system_energy(const vv_system *s, const double *q)
{
    double sum = 0;
    for (int i = 0; i < s->energies; i++) { /* in order: none is evaluated after an infinite one */
        vv_energy_update(s->energy[i], &s->par, q);
        sum += s->energy[i]->ops->value(s->energy[i], &s->par, q, NULL);
        if (!(sum < INFINITY))
            return INFINITY;
    }
    return sum;
}

void vv_system_gradient(const vv_system *s, const double *q, double *g)
{
    memset(g, 0, 3 * (size_t)s->nodes * sizeof *g);
    vv_system_update(s, q);
    for (int i = 0; i < s->energies; i++)
        s->energy[i]->ops->derivatives(s->energy[i], &s->par, q, 1, VV_HESSIAN_EXACT, g, NULL);
}

double vv_system_add_energy_gradient(const vv_system *s, const double *q, double scale, double *g)
{
    double sum = 0;
    for (int i = 0; i < s->energies; i++) {
        vv_energy_update(s->energy[i], &s->par, q);
        sum += vv_energy_value_gradient(s->energy[i], &s->par, q, scale, NULL, g);
        if (!(sum < INFINITY))
            return INFINITY;
    }
    return sum;
}

double vv_system_energy_gradient(const vv_system *s, const double *q, double *g)
{
    memset(g, 0, 3 * (size_t)s->nodes * sizeof *g);
    return vv_system_add_energy_gradient(s, q, 1, g);
}

void vv_system_dissipation_gradient(const vv_system *s, const double *v, double scale, double *g)
{
    for (int i = 0; i < s->dissipations; i++)
        s->dissipation[i]->ops->derivatives(s->dissipation[i], &s->par, v, scale, VV_HESSIAN_EXACT, g, NULL);
}

double vv_system_max_step(const vv_system *s, const double *q, const double *p)
{
    double t = 1;
    for (int i = 0; i < s->energies; i++)
        if (s->energy[i]->ops->max_step) {
            double limit = s->energy[i]->ops->max_step(s->energy[i], &s->par, q, p);
            if (limit < t)
                t = limit;
        }
    return t;
}

void vv_system_bounds(const vv_system *s, const double *q, const double *p, double *part)
{
    for (int i = 0; i < s->energies; i++)
        if (s->energy[i]->ops->bounds)
            s->energy[i]->ops->bounds(s->energy[i], &s->par, q, p, part);
}

bool vv_system_passes(const vv_system *s, const double *q, const double *p)
{
    for (int i = 0; i < s->energies; i++) {
        const vv_energy_ops *ops = s->energy[i]->ops;
        if (ops->max_step && !ops->by_value && !(ops->max_step(s->energy[i], &s->par, q, p) >= 1))
            return false;
    }
    return true;
}

/* ---- sums ---- */

enum { MAX_PARTIALS = 512 };    /* with more chunks, several share a partial sum: still independent of threads */
static const double WORK = 0.5; /* of a number, ns */

struct sum {
    const vv_system *s;
    const double *a, *b;
    int n, chunk, free_only;
    double t, *y;
    double partial[MAX_PARTIALS];
};

enum { WIDTH = 8 }; /* running sums side by side, so that none waits for the last addition */

static double sum_of(const double side[WIDTH])
{
    return ((side[0] + side[4]) + (side[1] + side[5])) + ((side[2] + side[6]) + (side[3] + side[7]));
}

static void dot_chunk(void *arg, int c)
{
    struct sum *u = arg;
    int end = (c + 1) * u->chunk < u->n ? (c + 1) * u->chunk : u->n, i = c * u->chunk;
    double side[WIDTH] = { 0 };
    for (; i + WIDTH <= end; i += WIDTH)
        for (int k = 0; k < WIDTH; k++)
            side[k] += u->a[i + k] * u->b[i + k];
    for (int k = 0; i < end; i++, k++)
        side[k] += u->a[i] * u->b[i];
    u->partial[c] = sum_of(side);
}

static void axpy_chunk(void *arg, int c)
{
    struct sum *u = arg;
    int end = (c + 1) * u->chunk < u->n ? (c + 1) * u->chunk : u->n;
    const double t = u->t, *x = u->a;
    for (int i = c * u->chunk; i < end; i++)
        u->y[i] += t * x[i];
    u->partial[c] = 0;
}

static void axpy_dot_chunk(void *arg, int c)
{
    struct sum *u = arg;
    int end = (c + 1) * u->chunk < u->n ? (c + 1) * u->chunk : u->n, i = c * u->chunk;
    const double t = u->t, *x = u->a, *z = u->b;
    double side[WIDTH] = { 0 }, *y = u->y;
    for (; i + WIDTH <= end; i += WIDTH) {
        double v[WIDTH];
        for (int k = 0; k < WIDTH; k++)
            v[k] = y[i + k] + t * x[i + k];
        for (int k = 0; k < WIDTH; k++)
            side[k] += z[i + k] * v[k];
        memcpy(y + i, v, sizeof v);
    }
    for (int k = 0; i < end; i++, k++) {
        y[i] += t * x[i];
        side[k] += z[i] * y[i];
    }
    u->partial[c] = sum_of(side);
}

static void square_chunk(void *arg, int c)
{
    struct sum *u = arg;
    int end = (c + 1) * u->chunk < u->n ? (c + 1) * u->chunk : u->n;
    double t = 0;
    for (int i = c * u->chunk; i < end; i++) {
        if (u->free_only && u->s->unknown[i] < 0)
            continue;
        const double *a = u->a + 3 * (size_t)i, *b = u->b ? u->b + 3 * (size_t)i : NULL;
        double d[3] = { a[0] - (b ? b[0] : 0), a[1] - (b ? b[1] : 0), a[2] - (b ? b[2] : 0) };
        t += u->s->mass[i] * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    }
    u->partial[c] = t;
}

static void mass_dot_chunk(void *arg, int c)
{
    struct sum *u = arg;
    int end = (c + 1) * u->chunk < u->n ? (c + 1) * u->chunk : u->n;
    double t = 0;
    for (int i = c * u->chunk; i < end; i++) {
        if (u->s->unknown[i] < 0)
            continue;
        const double *a = u->a + 3 * (size_t)i, *b = u->b + 3 * (size_t)i;
        t += u->s->mass[i] * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    }
    u->partial[c] = t;
}

static double run_sum(struct sum *u, vv_chunk_fn *fn)
{
    u->chunk = VV_CHUNK;
    while ((u->n + u->chunk - 1) / u->chunk > MAX_PARTIALS)
        u->chunk *= 2;
    int chunks = (u->n + u->chunk - 1) / u->chunk;
    vv_for(vv_helpers_for(&u->s->par, WORK * u->n), chunks, fn, u);
    double t = 0;
    for (int c = 0; c < chunks; c++)
        t += u->partial[c];
    return t;
}

double vv_sum_dot(const vv_system *s, const double *a, const double *b, int n)
{
    struct sum u = { .s = s, .a = a, .b = b, .n = n };
    return run_sum(&u, dot_chunk);
}

double vv_sum_axpy_dot(const vv_system *s, double t, const double *x, double *y, const double *z, int n)
{
    struct sum u = { .s = s, .a = x, .b = z, .n = n, .t = t, .y = y };
    return run_sum(&u, z ? axpy_dot_chunk : axpy_chunk);
}

double vv_sum_mass_square(const vv_system *s, const double *a, const double *b, bool free_only)
{
    struct sum u = { .s = s, .a = a, .b = b, .n = s->nodes, .free_only = free_only };
    return run_sum(&u, square_chunk);
}

double vv_sum_mass_dot(const vv_system *s, const double *a, const double *b)
{
    struct sum u = { .s = s, .a = a, .b = b, .n = s->nodes };
    return run_sum(&u, mass_dot_chunk);
}

double vv_longest_step(const vv_system *s, const double *step)
{
    double most = 0;
    int at = -1;
    for (int i = 0; i < s->unknowns; i++) {
        const double *x = step + 3 * (size_t)i, square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
        if (isnan(square))
            return square;
        if (square > most)
            most = square, at = i;
    }
    if (s->longest && at >= 0)
        s->longest[s->body[s->node[at]]]++;
    return sqrt(most);
}

void vv_pack(const vv_system *s, const double *from, double *to)
{
    for (size_t u = 0; u < (size_t)s->unknowns; u++)
        memcpy(to + 3 * u, from + 3 * (size_t)s->node[u], 3 * sizeof *to);
}

void vv_unpack(const vv_system *s, const double *from, double *to)
{
    if (s->unknowns < s->nodes)
        memset(to, 0, 3 * (size_t)s->nodes * sizeof *to);
    for (size_t u = 0; u < (size_t)s->unknowns; u++)
        memcpy(to + 3 * (size_t)s->node[u], from + 3 * u, 3 * sizeof *to);
}

/* ---- where nodes may be ---- */

bool vv_system_project(const vv_system *s, double *q)
{
    const vv_numbering as = { s->unknown, s->node };
    return !s->feasible || s->feasible->ops->project(s->feasible, &s->par, &as, q);
}

void vv_system_pull_back(const vv_system *s, const double *x, double *gradient)
{
    const vv_numbering as = { s->unknown, s->node };
    if (s->feasible)
        s->feasible->ops->pull_back(s->feasible, &s->par, &as, x, gradient);
}

void vv_system_reduce(const vv_system *s, const double *q, double *gradient, vv_bsr *a, bool exact)
{
    const vv_numbering as = { s->unknown, s->node };
    if (!s->feasible)
        return;
    s->feasible->ops->choose(s->feasible, &s->par, &as, q, gradient);
    s->feasible->ops->reduce(s->feasible, &as, gradient, a, exact);
}
