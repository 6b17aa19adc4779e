/* Forces and moments across the sections of rods.
 *
 * A section cuts an element that reaches over it: what its forces on the nodes before the section add up to is what
 * the part beyond exerts on the part before. As an element's forces and moments add up to nothing, that is so
 * whatever its material is, and where all is at rest sections bear exactly what acts beyond them.
 *
 * Forces: across an edge's middle. Its director is cut in halves; what bends an edge of which a support holds both
 * ends is the support's own, and does not count. Moments: at a vertex, about it, from the edge before to that behind.
 * Before is towards the lower vertex of the two or, where both are below or both above, towards the higher one. */
#include "base/error.h"
#include "base/vec.h"
#include "world/bodies/directors.h"
#include "world/queries/resultants.h"

#include <string.h>

enum { MOST = 16 };

/* An element along a rod: its vertices one after the other, and the directors of its edges. f: forces on them. */
typedef struct strand {
    int count, vertex[MOST];
    double f[MOST][3];
    int directors, after[MOST], node[MOST]; /* of the edge after that vertex */
    double of_director[MOST][3];
} strand;

typedef struct sections {
    const vvWorld *w;
    const vv_body *b;
    double *force, *moment; /* edges x 3, vertices x 3; NULL: not asked for */
    double *way;            /* vertices x 3, with the moments: from before to behind, of length 1 */
    int *meeting;           /* per vertex: its edges */
} sections;

static bool is_held(const vvWorld *w, int node) { return w->unknown[node] < 0; }

static int place_of_edge(const strand *s, const int *ends)
{
    for (int k = 0; k + 1 < s->count; k++)
        if ((s->vertex[k] == ends[0] && s->vertex[k + 1] == ends[1]) ||
            (s->vertex[k] == ends[1] && s->vertex[k + 1] == ends[0]))
            return k;
    return -1;
}

static void read_strand(const vv_body *b, const int *nodes, int count, const double *gradient, strand *s)
{
    const int first_director = b->first + b->vertex_count;
    s->count = s->directors = 0;
    for (int i = 0; i < count && i < MOST; i++) {
        if (nodes[i] >= first_director)
            continue;
        if (s->count == 0 || s->vertex[s->count - 1] != nodes[i]) {
            memset(s->f[s->count], 0, sizeof *s->f);
            s->vertex[s->count++] = nodes[i];
        }
        for (int k = 0; k < 3; k++)
            s->f[s->count - 1][k] -= gradient[3 * i + k];
    }
    for (int i = 0; i < count && i < MOST; i++) {
        const int edge = nodes[i] - first_director,
                  after = edge < 0 ? -1 : place_of_edge(s, b->edges + 2 * (size_t)edge);
        if (after < 0)
            continue;
        s->after[s->directors] = after;
        s->node[s->directors] = nodes[i];
        for (int k = 0; k < 3; k++)
            s->of_director[s->directors][k] = -gradient[3 * i + k];
        s->directors++;
    }
}

/* Across the edge after vertex `at` of the strand. */
static void add_force(const sections *to, const strand *s, int at)
{
    const int a = s->vertex[at], b = s->vertex[at + 1], edge = vv_body_find_edge(to->b, a, b);
    if (edge < 0 || (s->count > 2 && is_held(to->w, a) && is_held(to->w, b)))
        return;
    const double sign = to->b->edges[2 * (size_t)edge] == a ? 1 : -1;
    for (int k = 0; k < 3; k++) {
        double sum = 0;
        for (int i = 0; i <= at; i++)
            sum += s->f[i][k];
        for (int d = 0; d < s->directors; d++)
            sum += (s->after[d] < at ? 1 : s->after[d] == at ? 0.5 : 0) * s->of_director[d][k];
        to->force[3 * (size_t)edge + (size_t)k] += sign * sum;
    }
}

/* Whether the strand runs from before to behind at its vertex. */
static bool runs_on(const strand *s, int at)
{
    const int own = s->vertex[at], before = s->vertex[at - 1], behind = s->vertex[at + 1];
    return (before < own) != (behind < own) ? before < own : before > behind;
}

/* f, at x, has a moment about `about` that is added to *sum. */
static void add_turn(const double *x, const double *about, const double f[3], double sum[3])
{
    double arm[3], turn[3];
    vv_sub(x, about, arm);
    vv_cross(arm, f, turn);
    for (int k = 0; k < 3; k++)
        sum[k] += turn[k];
}

static void make_unit(double t[3])
{
    const double length = vv_norm(t);
    for (int k = 0; k < 3; k++)
        t[k] = length > 0 ? t[k] / length : 0;
}

/* Along the strand at its vertex: what the directions of its two edges have in common. */
static void find_way(const double *q, const strand *s, int at, double sign, double way[3])
{
    double t[2][3];
    for (int i = 0; i < 2; i++) {
        vv_sub(q + 3 * (size_t)s->vertex[at + i], q + 3 * (size_t)s->vertex[at + i - 1], t[i]);
        make_unit(t[i]);
    }
    for (int k = 0; k < 3; k++)
        way[k] = sign * (t[0][k] + t[1][k]);
    make_unit(way);
}

static void add_moment(const sections *to, const strand *s, int at)
{
    const double *q = to->w->state.q, *about = q + 3 * (size_t)s->vertex[at], sign = runs_on(s, at) ? 1 : -1;
    const size_t v = (size_t)(s->vertex[at] - to->b->first);
    double sum[3] = { 0 }, *m = to->moment + 3 * v;
    for (int i = 0; i < at; i++)
        add_turn(q + 3 * (size_t)s->vertex[i], about, s->f[i], sum);
    for (int d = 0; d < s->directors; d++)
        if (s->after[d] < at)
            add_turn(q + 3 * (size_t)s->node[d], about, s->of_director[d], sum);
    /* where several rods cross, the one that bears most */
    if (to->meeting[v] > 2 && !(vv_dot(sum, sum) > vv_dot(m, m)))
        return;
    for (int k = 0; k < 3; k++)
        m[k] = (to->meeting[v] > 2 ? 0 : m[k]) + sign * sum[k];
    find_way(q, s, at, sign, to->way + 3 * v);
}

static void add_element(void *arg, const int *nodes, int count, const double *gradient)
{
    const sections *to = arg;
    strand s;
    read_strand(to->b, nodes, count, gradient, &s);
    for (int at = 0; to->force && at + 1 < s.count; at++)
        add_force(to, &s, at);
    for (int at = 1; to->moment && at + 1 < s.count; at++)
        add_moment(to, &s, at);
}

/* ---- fields ---- */

static bool has_kind(const vv_body *b, bool bending)
{
    bool any = false;
    for (int m = 0; m < b->material_count; m++) {
        const vv_element_kind *kind = b->materials[m].kind;
        any = any || ((kind->cell == VV_CELL_EDGES || kind->cell == VV_CELL_CURVES) && (kind->bending || !bending));
    }
    return any && b->tet_count == 0 && b->triangle_count == 0 && b->edge_count > 0;
}

bool vv_is_strung(const vv_body *b) { return has_kind(b, false); }
bool vv_has_bent_rods(const vv_body *b) { return has_kind(b, true); }

vvStatus vv_section_force(vvWorld *w, const vv_body *b, double *out, vvError *error)
{
    (void)error;
    memset(out, 0, 3 * (size_t)b->edge_count * sizeof *out);
    vv_each_element_force(w, b, add_element, &(sections){ .w = w, .b = b, .force = out });
    return VV_OK;
}

/* way: vertices x 3. */
static vvStatus find_moments(vvWorld *w, const vv_body *b, double *moment, double *way, vvError *error)
{
    sections s = {
        .w = w, .b = b, .moment = moment, .way = way, .meeting = vv_alloc((size_t)b->vertex_count, sizeof *s.meeting)
    };
    if (!s.meeting)
        return vv_fail_memory(error, "a field");
    for (size_t i = 0; i < 2 * (size_t)b->edge_count; i++)
        s.meeting[b->edges[i] - b->first]++;
    memset(moment, 0, 3 * (size_t)b->vertex_count * sizeof *moment);
    vv_each_element_force(w, b, add_element, &s);
    vv_free(s.meeting);
    return VV_OK;
}

vvStatus vv_section_moment(vvWorld *w, const vv_body *b, double *out, vvError *error)
{
    double *way = vv_alloc(3 * (size_t)b->vertex_count, sizeof *way);
    vvStatus status = way ? find_moments(w, b, out, way, error) : vv_fail_memory(error, "a field");
    vv_free(way);
    return status;
}

static void direction(const vvWorld *w, const vv_body *b, int edge, double t[3])
{
    const int *ends = b->edges + 2 * (size_t)edge;
    vv_sub(w->state.q + 3 * (size_t)ends[1], w->state.q + 3 * (size_t)ends[0], t);
    make_unit(t);
}

/* The part along t, or the size of what is across. */
static double split(const double f[3], const double t[3], bool along)
{
    const double part = vv_dot(f, t);
    double rest[3];
    for (int k = 0; k < 3; k++)
        rest[k] = f[k] - part * t[k];
    return along ? part : vv_norm(rest);
}

static vvStatus split_force(vvWorld *w, const vv_body *b, bool along, double *out, vvError *error)
{
    double *force = vv_alloc(3 * (size_t)b->edge_count, sizeof *force), t[3];
    vvStatus status = force ? vv_section_force(w, b, force, error) : vv_fail_memory(error, "a field");
    for (int e = 0; status == VV_OK && e < b->edge_count; e++) {
        direction(w, b, e, t);
        out[e] = split(force + 3 * (size_t)e, t, along);
    }
    vv_free(force);
    return status;
}

vvStatus vv_axial_force(vvWorld *w, const vv_body *b, double *out, vvError *error)
{
    return split_force(w, b, true, out, error);
}

vvStatus vv_shear_force(vvWorld *w, const vv_body *b, double *out, vvError *error)
{
    return split_force(w, b, false, out, error);
}

static vvStatus split_moment(vvWorld *w, const vv_body *b, bool along, double *out, vvError *error)
{
    double *moment = vv_alloc(6 * (size_t)b->vertex_count, sizeof *moment), *way = moment + 3 * (size_t)b->vertex_count;
    vvStatus status = moment ? find_moments(w, b, moment, way, error) : vv_fail_memory(error, "a field");
    for (size_t v = 0; status == VV_OK && v < (size_t)b->vertex_count; v++)
        out[v] = split(moment + 3 * v, way + 3 * v, along);
    vv_free(moment);
    return status;
}

vvStatus vv_torque(vvWorld *w, const vv_body *b, double *out, vvError *error)
{
    return split_moment(w, b, true, out, error);
}

vvStatus vv_bending_moment(vvWorld *w, const vv_body *b, double *out, vvError *error)
{
    return split_moment(w, b, false, out, error);
}
