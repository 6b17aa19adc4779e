/* Patches at rest (patches.h): their vertices, their shape, and how near the stencils of a body's rest shape
 * are to each other. */
#include "contact/broad/patches.h"

#include "base/vec.h"

#include <math.h>
#include <string.h>

/* Of the normal against the trace of the Gram matrix: flat patches have no other third direction. */
static const double NORMAL_WEIGHT = 0.1;
/* Rest distances are looked for up to this many mean edges. */
static const double REACH = 0.75;

/* ---- at rest ---------------------------------------------------------------------------------------------------- */

static int elements_of(const vv_broad *b, int group, const vv_element **e)
{
    bool low = group < b->level_end[0];
    int first = low ? group : b->child[group];
    *e = first < 0 ? NULL : b->elements + 4 * (size_t)first;
    return first < 0 ? 0 : low ? 4 : 16;
}

/* Its vertices, each once, and whether it is of triangles only. */
static bool collect(const vv_broad *b, int group, int *list, int *count)
{
    const vv_element *e;
    *count = 0;
    for (int i = 0, of = elements_of(b, group, &e); i < of; i++) {
        if (e[i].corners == 1 || e[i].corners == 2)
            return false;
        for (int k = 0; k < e[i].corners; k++) {
            int at = 0;
            while (at < *count && list[at] != e[i].vertex[k])
                at++;
            if (at == *count)
                list[(*count)++] = e[i].vertex[k];
        }
    }
    return *count > 0;
}

static bool list_vertices(vv_broad *b)
{
    vv_patches *ps = b->patches;
    int list[48], count;
    for (int pass = 0; pass < 2; pass++) {
        int total = 0;
        for (int i = 0; i < ps->count; i++) {
            bool whole = collect(b, i, list, &count);
            ps->first[i] = total;
            if (pass && whole)
                memcpy(ps->vertex + total, list, (size_t)count * sizeof *list);
            total += whole ? count : 0;
        }
        ps->first[ps->count] = total;
        if (!pass && !(ps->vertex = vv_alloc((size_t)total, sizeof *ps->vertex)))
            return false;
    }
    return true;
}

static void measure_rest(const vv_broad *b, int i)
{
    const vv_patches *ps = b->patches;
    vv_patch *p = ps->patch + i;
    double gram[9] = { 0 }, w[3], axes[9], normal[3], count = ps->first[i + 1] - ps->first[i];
    ps->way[i].stray = INFINITY;
    for (int j = ps->first[i]; j < ps->first[i + 1]; j++)
        for (int k = 0; k < 3; k++)
            p->centre[k] += b->surface->rest[3 * (size_t)ps->vertex[j] + (size_t)k] / count;
    for (int j = ps->first[i]; j < ps->first[i + 1]; j++) {
        double x[3];
        vv_sub(b->surface->rest + 3 * (size_t)ps->vertex[j], p->centre, x);
        p->radius = fmax(p->radius, vv_norm(x));
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                gram[3 * r + c] += x[r] * x[c];
    }
    vv_eigen_symmetric(gram, w, axes);
    for (int k = 0; k < 3; k++)
        p->tangent[0][k] = axes[3 * k + 1], p->tangent[1][k] = axes[3 * k + 2];
    vv_cross(p->tangent[0], p->tangent[1], normal);
    double weight = NORMAL_WEIGHT * (w[0] + w[1] + w[2]);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            gram[3 * r + c] += weight * normal[r] * normal[c];
    if (vv_inverse(gram, p->inverse) == 0)
        p->radius = INFINITY; /* nor can it be compared with others */
    vv_matvec(p->inverse, normal, p->lift);
    for (int k = 0; k < 3; k++)
        p->lift[k] *= weight;
}

static void lower(_Atomic float *to, double value)
{
    float below = vv_float_below(value), old = atomic_load_explicit(to, memory_order_relaxed);
    while (below < old &&
           !atomic_compare_exchange_weak_explicit(to, &old, below, memory_order_relaxed, memory_order_relaxed))
        ;
}

typedef struct rest_search {
    vv_broad_walk walk;
    vv_broad *broad;
    int group[2];
} rest_search;

static void keep_nearest(void *arg, vv_stencil kind, const vv_candidate *c)
{
    rest_search *r = arg;
    const vv_patches *ps = r->broad->patches;
    double d = vv_broad_rest_distance(r->broad->surface, kind, c->vertex);
    for (int side = 0; side < 2; side++) {
        lower(&ps->nearest[r->group[side]], d);
        if (ps->parent[r->group[side]] >= 0)
            lower(&ps->nearest[ps->parent[r->group[side]]], d);
    }
}

static void meet_at_rest(vv_broad_walk *walk, int element, int group, int mask)
{
    rest_search *r = (rest_search *)walk;
    const vv_element *all = r->broad->elements;
    r->group[0] = element / 4, r->group[1] = group;
    vv_broad_stencils(&walk->pair, &all[element], &all[4 * (size_t)group], mask, keep_nearest, r);
}

static void search_rest_chunk(void *arg, int chunk)
{
    vv_broad *b = arg;
    rest_search r = { .walk = { .meet = meet_at_rest, .stop = b->stop }, .broad = b };
    const vv_broad_task *t = &b->tasks[chunk];
    if (t->a != t->b)
        return;
    vv_broad_body_pair_init(b, t->a, t->b, &r.walk.pair);
    r.walk.pair.all = true;
    vv_broad_walk_task(&r.walk, t);
}

static bool search_rest(vv_broad *b, const vv_parallel *par)
{
    const vv_surface *s = b->surface;
    const vv_patches *ps = b->patches;
    int end[2] = { b->level_end[0], b->level_end[1] };
    for (int i = s->body_count - 1; i >= 0; i--) {
        double reach = REACH * 8 * b->bodies[i].cap;
        b->bodies[i].margin = 0.5 * reach;
        for (int level = 0; level < 2 && level < b->bodies[i].levels; level++)
            while (end[level] > b->bodies[i].first[level]) {
                ps->body[--end[level]] = i;
                ps->nearest[end[level]] = vv_float_below(reach);
            }
    }
    vv_broad_refit(b, par);
    b->stop = par ? par->stop : NULL;
    if (!vv_broad_plan(b))
        return false;
    vv_for(par, b->task_count, search_rest_chunk, b);
    return !vv_for_stopped(par);
}

static void rest_places(vv_broad *b)
{
    const vv_surface *s = b->surface;
    size_t n3 = 3 * (size_t)s->vertices->count;
    double largest = 0;
    memcpy(b->x, s->rest, n3 * sizeof *b->x);
    memset(b->motion, 0, n3 * sizeof *b->motion);
    b->moves = b->turns = false;
    for (size_t i = 0; i < n3; i++)
        largest = fmax(largest, fabs(b->x[i]));
    b->slack = 1e-14 * largest;
    for (int i = 0; i < s->body_count; i++) {
        vv_broad_body *body = &b->bodies[i];
        const vv_surface_body *of = &s->bodies[i];
        memset(body->centre, 0, sizeof body->centre);
        memset(body->motion, 0, sizeof body->motion);
        for (int v = of->first_vertex; v < of->first_vertex + of->vertex_count; v++)
            for (int k = 0; k < 3; k++)
                body->centre[k] += s->rest[3 * (size_t)v + (size_t)k] / of->vertex_count;
    }
}

bool vv_patches_make(vv_broad *b, const vv_parallel *par)
{
    size_t count = (size_t)b->level_end[1];
    vv_patches *ps = vv_alloc(1, sizeof *ps);
    if (!(b->patches = ps))
        return false;
    ps->count = (int)count;
    ps->patch = vv_alloc(count, sizeof *ps->patch);
    ps->way = vv_alloc(count, sizeof *ps->way);
    ps->state = vv_alloc(count, sizeof *ps->state);
    ps->first = vv_alloc(count + 1, sizeof *ps->first);
    ps->parent = vv_alloc(count, sizeof *ps->parent);
    ps->body = vv_alloc(count, sizeof *ps->body);
    ps->nearest = vv_alloc(count, sizeof *ps->nearest);
    bool made =
        ps->patch && ps->way && ps->state && ps->first && ps->parent && ps->body && ps->nearest && list_vertices(b);
    for (int i = 0; made && i < ps->count; i++)
        ps->parent[i] = -1;
    for (int i = b->level_end[0]; made && i < ps->count; i++)
        for (int k = 0; k < 4 && b->child[i] >= 0; k++)
            ps->parent[b->child[i] + k] = i;
    if (made)
        rest_places(b);
    for (int i = 0; made && i < ps->count; i++)
        measure_rest(b, i);
    if (made && search_rest(b, par))
        return true;
    vv_patches_free(b);
    return false;
}

void vv_patches_free(vv_broad *b)
{
    vv_patches *ps = b->patches;
    if (ps) {
        vv_free(ps->patch);
        vv_free(ps->way);
        vv_free((void *)ps->state);
        vv_free(ps->first);
        vv_free(ps->vertex);
        vv_free(ps->parent);
        vv_free(ps->body);
        vv_free((void *)ps->nearest);
    }
    vv_free(ps);
    b->patches = NULL;
}
