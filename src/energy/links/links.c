/* The energy of all joints of a world: sums over links, motors' targets, the loads of joints (theory §4.15). */
#include "energy/links/links.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"

#include <string.h>

static const vv_energy_ops ops;

/* The body of a side; -1: it is the world. */
static int side_body(const vv_links *s, const vv_link *l, bool second)
{
    const int at = second ? l->first : 0, end = second ? l->nodes : l->first;
    return at < end ? s->body[l->node[at]] : -1;
}

/* Half to each side; all of it to the only one that is a body. */
static void share(const vv_links *s, const vv_link *l, double energy, double *per_body)
{
    const int a = side_body(s, l, false), b = side_body(s, l, true);
    const double half = a >= 0 && b >= 0 ? 0.5 : 1;
    if (a >= 0)
        per_body[a] += half * energy;
    if (b >= 0)
        per_body[b] += half * energy;
}

static double value(const vv_energy *e, const vv_parallel *par, const double *x, double *per_body)
{
    (void)par;
    const vv_links *s = (const vv_links *)e;
    double sum = 0, d[VV_LINK_MOST];
    vv_link_value at;
    for (int i = 0; i < s->count; i++) {
        if (s->link[i].off)
            continue;
        vv_link_at(s->link + i, x, 3, d);
        vv_link_evaluate(s->link + i, d, VV_LINK_ENERGY, &at);
        sum += at.energy;
        if (per_body)
            share(s, s->link + i, at.energy, per_body);
    }
    return sum;
}

static void add_gradient(const vv_link *l, const vv_link_value *at, double scale, double *g)
{
    for (int i = 0; i < l->nodes; i++)
        for (int k = 0; k < 3; k++) {
            double sum = 0;
            for (int v = 0; 3 * v < at->n; v++)
                sum += l->weight[v][i] * at->gradient[3 * v + k];
            g[3 * (size_t)l->node[i] + (size_t)k] += scale * sum;
        }
}

/* Multiples of the identity: those of the constant model, or of the exact form POINT. */
static void add_multiples(const vv_link *l, const double *bound, double scale, const int *slots, double *values)
{
    for (int i = 0; i < l->nodes; i++)
        for (int j = 0; j < l->nodes; j++) {
            double sum = 0, *to = values + 9 * (size_t)slots[l->nodes * i + j];
            for (int v = 0; v < vv_link_vectors(l->form); v++)
                sum += bound[v] * l->weight[v][i] * l->weight[v][j];
            for (int k = 0; k < 3; k++)
                to[4 * k] += scale * sum;
        }
}

static void add_hessian(const vv_link *l, const vv_link_value *at, double scale, const int *slots, double *values)
{
    const int n = at->n, vectors = n / 3;
    for (int i = 0; i < l->nodes; i++)
        for (int j = 0; j < l->nodes; j++) {
            double *to = values + 9 * (size_t)slots[l->nodes * i + j];
            for (int v = 0; v < vectors; v++)
                for (int w = 0; w < vectors; w++) {
                    const double factor = scale * l->weight[v][i] * l->weight[w][j],
                                 *from = at->hessian + 3 * v * n + 3 * w;
                    for (int r = 0; factor != 0 && r < 3; r++)
                        for (int c = 0; c < 3; c++)
                            to[3 * c + r] += factor * from[n * r + c];
                }
        }
}

static void derivatives(const vv_energy *e, const vv_parallel *par, const double *x, double scale, vv_hessian_mode mode,
                        double *g, const vv_block_target *to)
{
    (void)par;
    const vv_links *s = (const vv_links *)e;
    const bool rest = mode == VV_HESSIAN_REST;
    const vv_link_wanted wanted = !to ? VV_LINK_GRADIENT : mode == VV_HESSIAN_EXACT ? VV_LINK_EXACT : VV_LINK_PROJECTED;
    double d[VV_LINK_MOST];
    vv_link_value at;
    for (int i = 0; i < s->count; i++) {
        const vv_link *l = s->link + i;
        const int *slots = to ? to->slots + s->blocks[i] : NULL;
        if (l->off)
            continue;
        if (!rest) {
            vv_link_at(l, x, 3, d);
            vv_link_evaluate(l, d, l->form == VV_LINK_POINT ? VV_LINK_GRADIENT : wanted, &at);
            if (g)
                add_gradient(l, &at, scale, g);
        }
        if (to && (rest || l->form == VV_LINK_POINT))
            add_multiples(l, l->bound, scale, slots, to->matrix->val);
        else if (to)
            add_hessian(l, &at, scale, slots, to->matrix->val);
    }
}

static void add_couplings(const vv_link *l, const int *unknown, vv_pattern *to)
{
    int rows[VV_LINK_NODES];
    for (int k = 0; k < l->nodes; k++)
        rows[k] = unknown[l->node[k]];
    vv_pattern_clique(to, rows, l->nodes);
}

/* Of joints that are broken too: a pattern does not change while a world runs. */
static void pattern(const vv_energy *e, const int *unknown, vv_pattern *to)
{
    const vv_links *s = (const vv_links *)e;
    for (int i = 0; i < s->count; i++)
        add_couplings(s->link + i, unknown, to);
}

/* A broken joint holds nothing. Motors come and go with their force, but beside them a joint always has links that
 * hold its bodies. */
static void holds(const vv_energy *e, const int *unknown, vv_pattern *to)
{
    const vv_links *s = (const vv_links *)e;
    for (int i = 0; i < s->count; i++)
        if (!s->link[i].off && !s->link[i].motor)
            add_couplings(s->link + i, unknown, to);
}

static vvStatus slots(const vv_energy *e, const int *unknown, const vv_bsr *a, int **out, vvError *error)
{
    const vv_links *s = (const vv_links *)e;
    *out = vv_alloc((size_t)s->blocks[s->count], sizeof **out);
    if (!*out)
        return vv_fail_memory(error, "joints");
    for (int i = 0; i < s->count; i++) {
        const vv_link *l = s->link + i;
        int *to = *out + s->blocks[i];
        for (int r = 0; r < l->nodes; r++)
            for (int c = 0; c < l->nodes; c++)
                to[l->nodes * r + c] = vv_bsr_slot(a, unknown[l->node[r]], unknown[l->node[c]]);
    }
    return VV_OK;
}

/* POINT and LENGTH lie below their models: 1/2 k |d - p|^2 with p the point of a set that is nearest to d, or less.
 * The others may rise above theirs where a vector has become shorter than it was. */
static bool quadratic(const vv_energy *e, vv_quadratic_kind kind, vv_quadratic *to)
{
    const vv_links *s = (const vv_links *)e;
    if (!to || !vv_quadratic_reserve(to, (size_t)s->blocks[s->count] / 2))
        return true;
    for (int n = 0; n < s->count; n++) {
        const vv_link *l = s->link + n;
        if (l->off)
            continue;
        to->loose = to->loose || (kind == VV_QUADRATIC_BOUND && vv_link_vectors(l->form) > 1);
        for (int i = 0; i < l->nodes; i++)
            for (int j = 0; j <= i; j++) {
                double sum = 0;
                for (int v = 0; v < vv_link_vectors(l->form); v++)
                    sum += l->bound[v] * l->weight[v][i] * l->weight[v][j];
                if (i == j)
                    vv_quadratic_add_diagonal(to, l->node[i], sum);
                else
                    vv_quadratic_add(to, l->node[i], l->node[j], sum);
            }
    }
    return true;
}

/* ---- motors ---- */

/* What f is a function of at x; NaN: there is none. */
static double number_at(const vv_link *l, const double *x)
{
    double d[VV_LINK_MOST], c;
    vv_link_at(l, x, 3, d);
    return vv_link_measure(l, d, &c, NULL, NULL) ? c : NAN;
}

/* What is left after a step of how far a target is off. */
static const double KEPT = 0.9;

void vv_links_begin(vv_energy *e, const double *x, double h, double place)
{
    vv_links *s = (vv_links *)e;
    for (int i = 0; i < s->count; i++) {
        vv_link *l = s->link + i;
        if (!l->motor)
            continue;
        l->from = l->low;
        if (l->off)
            continue;
        vv_link_set_motor(l, l->speed, l->most, h);
        const double c = number_at(l, x), hold = l->most / l->stiffness, rest = (1 - place) * l->speed * h;
        if (isnan(c))
            continue;
        const double off = isnan(l->low) ? 0 : fmax(fmin(rest - vv_link_excess(l, c), hold), -hold);
        if (isnan(l->from))
            l->from = c;
        l->low = l->high = c + (l->speed != 0 ? KEPT * off : off) + place * l->speed * h;
    }
}

void vv_links_back(vv_energy *e)
{
    vv_links *s = (vv_links *)e;
    for (int i = 0; i < s->count; i++)
        if (s->link[i].motor)
            s->link[i].low = s->link[i].high = s->link[i].from;
}

bool vv_links_move(const vv_energy *e)
{
    const vv_links *s = (const vv_links *)e;
    for (int i = 0; e->ops == &ops && i < s->count; i++)
        if (s->link[i].motor && !s->link[i].off && s->link[i].from != s->link[i].low)
            return true;
    return false;
}

/* With the target t at the begin and t' at the end: -(f(c - t) + f(c' - t'))/2 (t' - t) by the mean force, E(c - t')
 * - E(c - t) by the jump. */
double vv_links_way_work(const vv_energy *e, double part, const double *begin, const double *end, double *per_body)
{
    const vv_links *s = (const vv_links *)e;
    double sum = 0, d[VV_LINK_MOST];
    for (int i = 0; e->ops == &ops && i < s->count; i++) {
        vv_link l = s->link[i];
        vv_link_value after, before;
        if (!l.motor || l.off || l.from == l.low)
            continue;
        const double way = l.form == VV_LINK_ANGLE ? -vv_link_excess(&l, l.from) : l.low - l.from,
                     last = vv_link_force(&l, number_at(&l, end));
        vv_link_at(&l, begin, 3, d);
        vv_link_evaluate(&l, d, VV_LINK_ENERGY, &after);
        l.low = l.high = l.from;
        vv_link_evaluate(&l, d, VV_LINK_ENERGY, &before);
        const double first = vv_link_force(&l, number_at(&l, begin));
        const double more = part * (-0.5 * (first + last) * way - (after.energy - before.energy));
        sum += more;
        if (per_body)
            share(s, &l, more, per_body);
    }
    return sum;
}

/* ---- loads ---- */

void vv_links_range(const vv_energy *e, int joint, int *begin, int *end)
{
    const vv_links *s = (const vv_links *)e;
    *begin = s->start[joint], *end = s->start[joint + 1];
}

/* Adds what the link does to its second side: the forces are those on its points, at their places. Where that side is
 * the world, it is minus what it does to the first one. */
static void add_load(const vv_link *l, const double *x, const double about[3], vv_link_load *load)
{
    double d[VV_LINK_MOST], sign = l->first < l->nodes ? -1 : 1;
    const int begin = l->first < l->nodes ? l->first : 0;
    vv_link_value at;
    vv_link_at(l, x, 3, d);
    vv_link_evaluate(l, d, VV_LINK_GRADIENT, &at);
    load->energy += at.energy;
    if (l->motor)
        load->drive -= vv_link_force(l, number_at(l, x));
    for (int i = begin; i < l->nodes; i++) {
        double force[3] = { 0 }, arm[3], torque[3];
        for (int v = 0; 3 * v < at.n; v++)
            for (int k = 0; k < 3; k++)
                force[k] += sign * l->weight[v][i] * at.gradient[3 * v + k];
        vv_sub(x + 3 * (size_t)l->node[i], about, arm);
        vv_cross(arm, force, torque);
        for (int k = 0; k < 3; k++)
            load->force[k] += force[k], load->torque[k] += torque[k];
    }
}

void vv_links_load(const vv_energy *e, int joint, const double *x, const double about[3], vv_link_load *load)
{
    const vv_links *s = (const vv_links *)e;
    *load = (vv_link_load){ 0 };
    for (int i = s->start[joint]; i < s->start[joint + 1]; i++)
        if (!s->link[i].off)
            add_load(s->link + i, x, about, load);
}

/* ---- what is tied to places ---- */

const int *vv_links_pinned(const vv_energy *e, int *count)
{
    const vv_links *s = (const vv_links *)e;
    *count = e->ops == &ops ? s->pins : 0;
    return *count ? s->pinned : NULL;
}

const double *vv_links_place(const vv_energy *e, int index) { return ((const vv_links *)e)->place + 3 * (size_t)index; }

bool vv_links_hold(const vv_energy *e, int index)
{
    const vv_links *s = (const vv_links *)e;
    return !s->link[s->pin[index]].off;
}

/* ---- making ---- */

static void destroy(vv_energy *e)
{
    vv_links *s = (vv_links *)e;
    vv_free(s->link);
    vv_free(s->start);
    vv_free(s->blocks);
    vv_free(s->corner);
    vv_free(s->corner_of);
    vv_free(s->pin);
    vv_free(s->pinned);
    vv_free(s->place);
    vv_free(s);
}

static const vv_energy_ops ops = { .info = { "joint", "joints between bodies" },
                                   .row = VV_ROW_JOINT,
                                   .value = value,
                                   .derivatives = derivatives,
                                   .pattern = pattern,
                                   .holds = holds,
                                   .slots = slots,
                                   .destroy = destroy,
                                   .quadratic = quadratic,
                                   .constraints = vv_links_constraints,
                                   .nodes = &vv_links_nodes };

vv_link *vv_links_of(vv_energy *e, int *count)
{
    vv_links *s = (vv_links *)e;
    *count = e && e->ops == &ops ? s->count : 0;
    return *count ? s->link : NULL;
}

static void add_pin(vv_links *s, int link, const double place[3], int axis, double length)
{
    double *to = s->place + 3 * (size_t)s->pins;
    for (int k = 0; k < 3; k++)
        to[k] = place[k] + (k == axis ? length : 0);
    s->pin[s->pins] = link;
    s->pinned[s->pins++] = s->link[link].node[0];
}

/* A link of one vector ties its body where its points are. Others may turn it, too: three pins answer with any force
 * and torque. */
static void find_pins(vv_links *s, const double *x)
{
    for (int i = 0; i < s->count; i++) {
        const vv_link *l = s->link + i;
        const int vectors = vv_link_vectors(l->form), v = vectors - 1; /* the one that leads to the second side */
        double d[VV_LINK_MOST], place[3] = { 0 }, sum = 0;
        if (l->first > 0 && l->first < l->nodes)
            continue;
        vv_link_at(l, x, 3, d);
        for (int k = 0; k < l->nodes; k++)
            sum += l->weight[v][k];
        for (int k = 0; k < l->nodes; k++)
            for (size_t c = 0; c < 3; c++)
                place[c] += (sum != 0 ? l->weight[v][k] / sum : 1.0 / l->nodes) * x[3 * (size_t)l->node[k] + c];
        add_pin(s, i, place, -1, 0);
        for (int axis = 0; vectors > 1 && axis < 2; axis++)
            add_pin(s, i, place, axis, vv_norm(d));
    }
}

/* Counts the nodes of all links; lists them where there is an array. */
static int each_corner(const vv_link *links, int count, int *node, int *of)
{
    int corners = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < links[i].nodes; k++, corners++)
            if (node)
                node[corners] = links[i].node[k], of[corners] = VV_LINK_NODES * i + k;
    return corners;
}

vvStatus vv_links_create(int count, const vv_link *from, int joints, const int *body, const double *x, vv_energy **out,
                         vvError *error)
{
    const size_t n = (size_t)count;
    vv_links *s = vv_alloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return vv_fail_memory(error, "joints");
    s->base.ops = &ops;
    s->count = count, s->body = body;
    s->corners = each_corner(from, count, NULL, NULL);
    s->corner = vv_alloc((size_t)s->corners, sizeof *s->corner);
    s->corner_of = vv_alloc((size_t)s->corners, sizeof *s->corner_of);
    s->link = vv_alloc(n, sizeof *s->link);
    s->start = vv_alloc((size_t)joints + 1, sizeof *s->start);
    s->blocks = vv_alloc(n + 1, sizeof *s->blocks);
    s->pin = vv_alloc(3 * n, sizeof *s->pin);
    s->pinned = vv_alloc(3 * n, sizeof *s->pinned);
    s->place = vv_alloc(9 * n, sizeof *s->place);
    if (!s->corner || !s->corner_of || !s->link || !s->start || !s->blocks || !s->pin || !s->pinned || !s->place) {
        destroy(&s->base);
        return vv_fail_memory(error, "joints");
    }
    memcpy(s->link, from, n * sizeof *from);
    for (int i = 0; i < count; i++) {
        double d[VV_LINK_MOST];
        s->start[from[i].joint + 1]++;
        s->blocks[i + 1] = s->blocks[i] + from[i].nodes * from[i].nodes;
        vv_link_at(s->link + i, x, 3, d);
        vv_link_set_bound(s->link + i, d);
    }
    for (int j = 0; j < joints; j++)
        s->start[j + 1] += s->start[j];
    each_corner(from, count, s->corner, s->corner_of);
    find_pins(s, x);
    *out = &s->base;
    return VV_OK;
}
