/* Where a solve that did not end well got stuck: the forces that are out of balance there, and what touches what. */
#include "base/error.h"
#include "base/text/text.h"
#include "base/vec.h"
#include "contact/pairs/distance.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

typedef enum term { INERTIA, ELASTIC, GRAVITY, CONTACT, ATTACHMENT, JOINT, EXTERNAL, FRICTION, DAMPING, TERMS } term;
static const char *const term_names[TERMS] = { "inertia", "elastic",  "gravity",  "contact", "attachment",
                                               "joint",   "external", "friction", "damping" };

static void say(vv_explanation *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(vv_explanation *out, const char *format, ...)
{
    size_t used = strlen(out->text);
    va_list args;
    va_start(args, format);
    vv_print_list(out->text + used, sizeof out->text - used, format, args);
    va_end(args);
}

/* ---- names ---- */

static const char *obstacle_name(const vv_obstacle *o) { return *o->name ? o->name : o->ops->type.info.name; }

static void say_element(vv_explanation *out, const vvWorld *w, const int *v, int count)
{
    char text[220];
    vv_contact_describe(w->contact, v, count, text, sizeof text);
    say(out, "%s", text);
}

static void name_pair(vv_explanation *out, const char *body, const char *other, const double *point)
{
    snprintf(out->stall.body, sizeof out->stall.body, "%s", body);
    snprintf(out->stall.other, sizeof out->stall.other, "%s", other);
    memcpy(out->stall.point, point, sizeof out->stall.point);
}

/* ---- pairs ---- */

/* Describes a stencil of contact vertices at node positions q; the nearest point of its second part goes to `point`. */
static void say_stencil(vv_explanation *out, const vvWorld *w, vv_stencil kind, const int *vertex, double offset,
                        const double *q)
{
    double x[4][3], w4[4], point[3] = { 0 };
    int n = vv_stencil_points(kind), first = kind == VV_STENCIL_EE ? 2 : 1;
    for (int i = 0; i < n; i++)
        vv_vertex_position(&w->contact->vertices, vertex[i], q, x[i]);
    double gap = sqrt(vv_stencil_distance2(kind, (const double(*)[3])x, NULL, w4)) - offset;
    for (int i = first; i < n; i++)
        for (int k = 0; k < 3; k++)
            point[k] -= w4[i] * x[i][k];
    say_element(out, w, vertex, first);
    say(out, " and ");
    say_element(out, w, vertex + first, n - first);
    say(out, " at (%.6g, %.6g, %.6g), %.3g m apart", point[0], point[1], point[2], gap);
    if (!*out->stall.body)
        name_pair(out, w->bodies[w->contact->vertices.body[vertex[0]]].name,
                  w->bodies[w->contact->vertices.body[vertex[first]]].name, point);
}

static void say_obstacle(vv_explanation *out, const vvWorld *w, int v, int o, double gap, const double *q)
{
    double x[3];
    vv_vertex_position(&w->contact->vertices, v, q, x);
    say_element(out, w, &v, 1);
    say(out, " and obstacle %d (%s) at (%.6g, %.6g, %.6g), %.3g m apart", o, obstacle_name(w->obstacles + o), x[0],
        x[1], x[2], gap);
    if (!*out->stall.body)
        name_pair(out, w->bodies[w->contact->vertices.body[v]].name, obstacle_name(w->obstacles + o), x);
}

static bool hangs_on(const vv_vertices *vs, int v, int node)
{
    for (int k = vs->start[v]; k < vs->start[v + 1]; k++)
        if (vs->node[k] == node)
            return true;
    return false;
}

static bool uses_node(const vv_vertices *vs, const vv_pair *p, int node)
{
    for (int i = 0; i < vv_stencil_points(p->kind); i++)
        if (hangs_on(vs, p->vertex[i], node))
            return true;
    return false;
}

/* The closest pair, or vertex and obstacle, that involves the node. */
static void say_nearest(vv_explanation *out, const vvWorld *w, int node, const double *q)
{
    const vv_pair *least = NULL;
    double gap = INFINITY, x[3];
    int vertex = -1, obstacle = -1;
    const vv_contact *c = w->contact;
    const vv_collisions *between = c ? c->collisions : NULL;
    for (size_t i = 0; between && i < between->count; i++) {
        const vv_pair *p = between->pairs + i;
        double points[4][3], w4[4];
        if (p->inner || !uses_node(&c->vertices, p, node))
            continue;
        vv_collisions_points(between, p->vertex, points);
        double d = sqrt(vv_stencil_distance2(p->kind, (const double(*)[3])points, NULL, w4)) - p->min_distance;
        if (d < gap)
            gap = d, least = p;
    }
    for (int v = 0; c && v < c->bound.count && c->barrier.obstacle_count; v++) {
        if (!hangs_on(&c->vertices, v, node))
            continue;
        vv_vertex_position(&c->vertices, v, q, x);
        for (int o = 0; o < c->barrier.obstacle_count; o++) {
            double d = vv_contact_gap(&c->barrier, v, o, x, NULL, NULL);
            if (vv_contact_touches(&c->barrier, v, o) && d < vv_contact_distance(&c->barrier, v, o) && d < gap)
                gap = d, vertex = v, obstacle = o;
        }
    }
    if (vertex < 0 && !least)
        return;
    say(out, "; ");
    if (vertex >= 0)
        say_obstacle(out, w, vertex, obstacle, gap, q);
    else
        say_stencil(out, w, least->kind, least->vertex, least->min_distance, q);
}

/* What else touches one of the two; returns the first such body's name, or "". */
static const char *say_others(vv_explanation *out, const vvWorld *w, int a, int b)
{
    enum { MOST = 4 };
    int told[MOST], count = 0;
    const vv_collisions *between = w->contact ? w->contact->collisions : NULL;
    for (size_t i = 0; between && i < between->count; i++) {
        const vv_pair *p = between->pairs + i;
        int s[2] = { w->contact->vertices.body[p->vertex[0]],
                     w->contact->vertices.body[p->vertex[vv_stencil_points(p->kind) - 1]] };
        for (int k = 0; k < 2; k++) {
            bool news = (s[1 - k] == a || s[1 - k] == b) && s[k] != a && s[k] != b;
            for (int j = 0; j < count; j++)
                news = news && told[j] != s[k];
            if (!news || count == MOST)
                continue;
            say(out, "%s\"%s\" touches \"%s\"", count ? ", " : "; ", w->bodies[s[1 - k]].name, w->bodies[s[k]].name);
            told[count++] = s[k];
        }
    }
    return count ? w->bodies[told[0]].name : "";
}

/* ---- a motion that ends ---- */

/* The element that would invert first, judged by how fast its volume shrinks. */
static void say_inversion(vv_explanation *out, const vvWorld *w, const double *q, const double *p)
{
    double fastest = 0, x[3] = { 0 };
    const vv_body *body = NULL;
    int tet = -1;
    for (size_t b = 0; b < w->body_count; b++)
        for (int t = 0; t < w->bodies[b].tet_count; t++) {
            const int *v = w->bodies[b].tets + 4 * t;
            double d[9], e[9];
            for (int k = 0; k < 3; k++)
                for (int c = 0; c < 3; c++) {
                    size_t i = 3 * (size_t)v[k + 1] + (size_t)c, j = 3 * (size_t)v[0] + (size_t)c;
                    d[3 * k + c] = q[i] - q[j];
                    e[3 * k + c] = d[3 * k + c] + 1e-6 * (p[i] - p[j]);
                }
            double rate = 1 - vv_det(e) / vv_det(d);
            if (rate > fastest)
                fastest = rate, body = w->bodies + b, tet = t;
        }
    if (!body)
        return;
    for (int k = 0; k < 4; k++)
        for (size_t c = 0; c < 3; c++)
            x[c] += 0.25 * q[3 * (size_t)body->tets[4 * tet + k] + c];
    say(out, "tetrahedron %d of \"%s\" at (%.6g, %.6g, %.6g) would invert", body->tet10_count ? tet / 8 : tet,
        body->name, x[0], x[1], x[2]);
    name_pair(out, body->name, say_others(out, w, (int)(body - w->bodies), -1), x);
}

/* The energy whose filter limits the prescribed nodes most, and what causes it. */
static void say_obstruction(vv_explanation *out, vvWorld *w, const double *q, const double *target)
{
    vv_system *s = &w->system;
    size_t mark = vv_arena_mark(&s->arena), n3 = 3 * (size_t)s->nodes;
    double *p = vv_arena_push(&s->arena, n3, sizeof *p), least = INFINITY, offset = 0;
    int at = -1, kind = -1, vertex[4];
    if (!p)
        return;
    /* and a little farther, as in the solve: they may be at the very end of their path */
    for (size_t i = 0; i < n3; i++)
        p[i] = s->unknown[i / 3] < 0 || vv_rail_of(s->rails, i / 3)
                   ? target[i] - q[i] + 1e-6 * (target[i] - w->state.q[i])
                   : 0;
    vv_rails_drop(s->rails, p);
    for (int k = 0; k < s->energies; k++) {
        const vv_energy *e = s->energy[k];
        double t = e->ops->max_step ? e->ops->max_step(e, &s->par, q, p) : 1;
        if (t < least)
            least = t, at = k;
    }
    vv_collisions *between = w->contact ? w->contact->collisions : NULL;
    if (at >= 0 && between && between->limit_kind >= 0 && between->limit <= least) {
        kind = between->limit_kind;
        memcpy(vertex, between->limit_vertex, sizeof vertex);
        offset = between->limit_min_distance;
    }
    if (between)
        vv_collisions_update(between, &w->par, q);
    if (kind >= 0) {
        int a = w->contact->vertices.body[vertex[0]],
            b = w->contact->vertices.body[vertex[vv_stencil_points((vv_stencil)kind) - 1]];
        say_stencil(out, w, (vv_stencil)kind, vertex, offset, q);
        say(out, ", stand in the way");
        say_others(out, w, a, b);
    } else if (at >= 0 && s->energy[at]->ops->row == VV_ROW_CONTACT && w->contact->barrier.obstacle_count) {
        int v, o;
        double gap = vv_contact_min_gap(&w->contact->barrier, q, &v, &o, NULL);
        say_obstacle(out, w, v, o, gap, q);
        say(out, ", stand in the way");
    } else {
        say_inversion(out, w, q, p);
    }
    vv_arena_release(&s->arena, mark);
}

/* ---- forces ---- */

static term term_of(const vv_energy *e)
{
    switch (e->ops->row) {
    case VV_ROW_ELASTIC: return ELASTIC;
    case VV_ROW_GRAVITY: return GRAVITY;
    case VV_ROW_CONTACT: return CONTACT;
    case VV_ROW_ATTACHMENT: return ATTACHMENT;
    case VV_ROW_JOINT: return JOINT;
    case VV_ROW_EXTERNAL: break;
    }
    return EXTERNAL;
}

/* The free node with the largest residual of the objective's gradient per mass; -1: none, or not finite. *force: N. */
static int worst_node(const vv_objective *o, const double *q, double *force)
{
    vv_system *s = o->system;
    size_t mark = vv_arena_mark(&s->arena);
    double *g = vv_arena_push(&s->arena, 3 * (size_t)s->unknowns, sizeof *g), most = 0;
    int node = -1;
    bool inside = g && vv_objective_value(o, q) < INFINITY;
    if (inside)
        vv_objective_derivatives(o, q, VV_HESSIAN_EXACT, g, NULL);
    if (inside)
        vv_system_reduce(s, q, g, NULL, true);
    for (int u = 0; inside && u < s->unknowns; u++) {
        double size = vv_norm(g + 3 * (size_t)u), a = size / s->mass[s->node[u]];
        if (isfinite(a) && a > most)
            most = a, node = s->node[u], *force = size / (o->h * o->h);
    }
    vv_arena_release(&s->arena, mark);
    return node;
}

/* Forces of the objective's terms on one node, N. */
static void forces_at(const vv_objective *o, const double *q, int node, double f[TERMS][3])
{
    vv_system *s = o->system;
    size_t mark = vv_arena_mark(&s->arena), n3 = 3 * (size_t)s->nodes, at = 3 * (size_t)node;
    double *x = vv_arena_push(&s->arena, n3, sizeof *x), *g = vv_arena_push(&s->arena, n3, sizeof *g);
    memset(f, 0, TERMS * sizeof *f);
    for (size_t k = 0; k < 3; k++)
        f[INERTIA][k] = -s->mass[node] * (q[at + k] - o->y[at + k]) / (o->h * o->h);
    for (int i = 0; i < o->samples; i++) {
        for (size_t j = 0; j < n3; j++)
            x[j] = o->sample[i].beta * q[j] + (o->sample[i].z ? o->sample[i].z[j] : 0);
        vv_system_update(s, x);
        for (int e = 0; e < s->energies; e++) {
            memset(g, 0, n3 * sizeof *g);
            s->energy[e]->ops->derivatives(s->energy[e], &s->par, x, o->sample[i].w * o->sample[i].beta,
                                           VV_HESSIAN_EXACT, g, NULL);
            for (size_t k = 0; k < 3; k++)
                f[term_of(s->energy[e])][k] -= g[at + k];
        }
    }
    for (size_t j = 0; j < n3; j++)
        x[j] = (o->c * q[j] + (o->u ? o->u[j] : 0)) / o->h;
    for (int e = 0; o->d != 0 && e < s->dissipations; e++) {
        memset(g, 0, n3 * sizeof *g);
        s->dissipation[e]->ops->derivatives(s->dissipation[e], &s->par, x, o->d * o->c, VV_HESSIAN_EXACT, g, NULL);
        for (size_t k = 0; k < 3; k++)
            f[s->dissipation[e]->ops->row == VV_ROW_CONTACT ? FRICTION : DAMPING][k] -= g[at + k];
    }
    vv_arena_release(&s->arena, mark);
}

/* Lists the terms, largest first; those below a hundredth of the largest are left out. */
static const char *say_forces(vv_explanation *out, double f[TERMS][3])
{
    bool told[TERMS] = { false };
    double first = 0;
    const char *largest = "";
    for (int n = 0; n < TERMS; n++) {
        int most = -1;
        for (int t = 0; t < TERMS; t++)
            if (!told[t] && (most < 0 || vv_norm(f[t]) > vv_norm(f[most])))
                most = t;
        double size = vv_norm(f[most]);
        if (n == 0)
            first = size, largest = term_names[most];
        if (!(size > 0.01 * first))
            break;
        say(out, "%s%s %.3g N", n ? ", " : ": ", term_names[most], size);
        told[most] = true;
    }
    return largest;
}

void vv_world_explain(void *world, const vv_objective *o, const double *q, const double *target,
                      const vv_solve_stats *stats, vv_explanation *out)
{
    vvWorld *w = world;
    *out = (vv_explanation){ .stall.term = "" };
    if (stats->stuck)
        say_obstruction(out, w, q, target);
    double force = 0, f[TERMS][3];
    int node = worst_node(o, q, &force), body = 0;
    const char *largest = "";
    if (node >= 0) {
        while (node >= w->bodies[body].first + w->bodies[body].count)
            body++;
        int director = node - w->bodies[body].first - w->bodies[body].vertex_count;
        forces_at(o, q, node, f);
        say(out, "%sforces on %s %d of \"%s\" at (%.6g, %.6g, %.6g) are off balance by %.3g N", *out->text ? "; " : "",
            director < 0 ? "vertex" : "the director of edge", director < 0 ? node - w->bodies[body].first : director,
            w->bodies[body].name, q[3 * (size_t)node], q[3 * (size_t)node + 1], q[3 * (size_t)node + 2], force);
        largest = say_forces(out, f);
        if (w->contact && w->contact->collisions)
            vv_collisions_update(w->contact->collisions, &w->par, q);
        if (!*out->stall.other)
            say_nearest(out, w, node, q);
        if (!*out->stall.body)
            name_pair(out, w->bodies[body].name, "", q + 3 * (size_t)node);
    }
    out->stall.term = stats->stuck ? "motion" : largest;
}
