/* Contact with obstacles as constraints: the projection P onto the feasible set, which nodes are held, and
 * derivatives through P (theory §5.14).
 *
 * P takes a vertex x that is inside of an obstacle, or that is held by it, to x - phi n. With several obstacles it does
 * so one after the other, until all are satisfied. Where one is, P' = I - n n^T - phi C, with C = d2phi/dx2; on the
 * surface that is T = I - n n^T, and along a tangent p the second derivative of g(P(x + t p)) is p . (H - lambda C) p,
 * lambda = dg/dx . n. With several, T projects onto what is tangential to all, and lambda are the multipliers of dg/dx
 * = sum lambda n. */
#include "contact/springs/constraint.h"

#include "base/sparse/confine.h"
#include "base/error.h"
#include "base/memory.h"

#include <float.h>
#include <string.h>

enum { SWEEPS = 2000, PATIENCE = 8, REMEMBERED = 8, HELD = 6, MULTIPLIER_SWEEPS = 200 };
static const double ROUNDING = 1e-13; /* of the size of coordinates: a gap that is 0 */
static const double TOUCHING = 10;    /* times that: one that touches */
static const double DEPENDENT = 1e-9; /* what is left of a unit normal beside others */
static const double MEETS = 1e-3;     /* the same, of surfaces that have a place in common which is near */

typedef struct held {
    uint64_t obstacles; /* that hold it, a bit each */
    int pair[HELD], count;
    double lambda[HELD]; /* of those, kg m */
    double tangent[9];   /* T */
    double bend[9];      /* sum lambda C */
} held;

typedef struct constraint {
    vv_feasible base;
    vv_presses presses; /* all pairs that filters allow */
    held *vertex;
    int *vertex_of; /* node -> its vertex; -1: none */
    bool *placed;   /* of a chunk of vertices, while positions are projected */
    double size;    /* of obstacles and places, m */
} constraint;

static const vv_barrier_def *contact_of(const constraint *c) { return c->presses.contact; }

/* The node of vertex v, if it is free; -1: it is not. */
static int node_of(const constraint *c, const vv_numbering *as, int v)
{
    const vv_vertices *vs = contact_of(c)->vertices;
    const int node = vs->node[vs->start[v]];
    return c->presses.first[v] >= 0 && c->vertex_of[node] == v && as->unknown[node] >= 0 ? node : -1;
}

/* Whether pair i, which follows one of vertex v, is one too. */
static bool has(const constraint *c, int v, int i) { return i < c->presses.count && c->presses.pair[i].vertex == v; }

static double rounding_at(const constraint *c, const double x[3])
{
    return ROUNDING * fmax(c->size, fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2]))));
}

/* ---- normals ---- */

/* Takes from the basis of `count` unit vectors what it has of n, and adds what is left, if that is more than `least`
 * of its length; returns their number. */
static int widen(double basis[3][3], int count, const double n[3], double least)
{
    double left[3] = { n[0], n[1], n[2] };
    const double length = vv_norm(n);
    for (int twice = 0; twice < 2; twice++)
        for (int b = 0; b < count; b++) {
            const double part = vv_dot(left, basis[b]);
            for (int k = 0; k < 3; k++)
                left[k] -= part * basis[b][k];
        }
    const double rest = vv_norm(left);
    if (count == 3 || !(rest > least * length))
        return count;
    for (int k = 0; k < 3; k++)
        basis[count][k] = left[k] / rest;
    return count + 1;
}

/* ---- projection ---- */

/* How a vertex was moved: the first few moves one by one. */
typedef struct moves {
    uint64_t last; /* the obstacles of the last sweep */
    int count, obstacle[REMEMBERED];
    double from[REMEMBERED][3];
} moves;

static void note_move(moves *made, int obstacle, const double x[3])
{
    made->last |= UINT64_C(1) << obstacle;
    if (made->count < REMEMBERED) {
        made->obstacle[made->count] = obstacle;
        memcpy(made->from[made->count], x, 3 * sizeof *x);
    }
    made->count++;
}

/* One sweep over the vertex's obstacles. */
static bool sweep(const constraint *c, int v, double x[3], moves *made)
{
    double n[3], slack = rounding_at(c, x);
    made->last = 0;
    for (int i = c->presses.first[v]; has(c, v, i); i++) {
        const int o = c->presses.pair[i].obstacle;
        const bool holds = c->vertex[v].obstacles >> o & 1;
        if (!holds && !(vv_contact_gap_below(contact_of(c), v, o, x, 0) < -slack))
            continue;
        const double gap = vv_contact_gap(contact_of(c), v, o, x, n, NULL), square = vv_dot(n, n);
        if (!(holds ? fabs(gap) > slack : gap < -slack) || !(square > 0))
            continue;
        note_move(made, o, x);
        for (int k = 0; k < 3; k++)
            x[k] -= gap / square * n[k];
        slack = rounding_at(c, x);
    }
    return made->last != 0;
}

/* To where the tangent planes of the obstacles of the last sweep meet: sweeps alone take ever shorter steps there,
 * many in a narrow groove. */
static void meet(const constraint *c, int v, uint64_t obstacles, double x[3])
{
    double basis[3][3], way[3] = { 0, 0, 0 }, n[3];
    int count = 0;
    for (int o = 0; o < VV_PRESSES_OBSTACLES && obstacles >> o && count < 3; o++) {
        if (!(obstacles >> o & 1))
            continue;
        const double gap = vv_contact_gap(contact_of(c), v, o, x, n, NULL), length = vv_norm(n);
        if (!(length > 0) || widen(basis, count, n, MEETS) == count)
            continue;
        const double *e = basis[count++], along = -(gap + vv_dot(n, way)) / vv_dot(n, e);
        for (int k = 0; k < 3; k++)
            way[k] += along * e[k];
    }
    for (int k = 0; k < 3; k++)
        x[k] += way[k];
}

/* x = P(x). False: there is no place for it, or it was not found. */
static bool settle(const constraint *c, int v, double x[3], moves *made)
{
    made->count = 0;
    for (int k = 0; k < SWEEPS; k++) {
        if (!sweep(c, v, x, made))
            return true;
        if (k % PATIENCE == PATIENCE - 1)
            meet(c, v, made->last, x);
    }
    return false;
}

/* A loop over all vertices, which have nothing to do with each other. */
typedef struct over {
    const constraint *c;
    const vv_numbering *as;
    double *q;          /* project */
    const double *x;    /* pull back, choose */
    double *gradient;   /* pull back */
    const double *pull; /* choose */
} over;

enum { VERTICES = 64, PAIR_NS = 15 };

/* The threads for it: a look at each of its pairs, most of which are far apart. */
static void over_vertices(over *all, const vv_parallel *par, vv_chunk_fn *fn)
{
    const int count = contact_of(all->c)->vertices->count;
    vv_for(vv_helpers_for(par, (double)PAIR_NS * all->c->presses.count), (count + VERTICES - 1) / VERTICES, fn, all);
}

static int last_of(const over *all, int chunk)
{
    const int count = contact_of(all->c)->vertices->count;
    return (chunk + 1) * VERTICES < count ? (chunk + 1) * VERTICES : count;
}

static void project_chunk(void *arg, int chunk)
{
    const over *all = arg;
    const constraint *c = all->c;
    bool placed = true;
    for (int v = chunk * VERTICES; placed && v < last_of(all, chunk); v++) {
        moves made;
        const int node = node_of(c, all->as, v);
        if (node >= 0)
            placed = settle(c, v, all->q + 3 * (size_t)node, &made);
    }
    c->placed[chunk] = placed;
}

static bool project(vv_feasible *f, const vv_parallel *par, const vv_numbering *as, double *q)
{
    const constraint *c = (const constraint *)f;
    over all = { .c = c, .as = as, .q = q };
    bool placed = vv_contact_place(contact_of(c), q);
    if (!placed)
        return false;
    over_vertices(&all, par, project_chunk);
    for (int v = 0; v < contact_of(c)->vertices->count; v += VERTICES)
        placed = placed && c->placed[v / VERTICES];
    return placed;
}

/* ---- derivatives ---- */

/* g = P'^T g of a vertex that one obstacle took from x to its surface. */
static void pull_back_one(const constraint *c, int v, int o, const double x[3], double g[3])
{
    double n[3], bend[9], turned[3];
    const double gap = vv_contact_gap(contact_of(c), v, o, x, n, bend), square = vv_dot(n, n);
    vv_matvec(bend, g, turned);
    const double along = vv_dot(n, g) / square;
    for (int k = 0; k < 3; k++)
        g[k] -= along * n[k] + gap / square * turned[k];
}

/* T = I - sum of the basis' b b^T */
static void tangent_of(double basis[3][3], int count, double t[9])
{
    for (int k = 0; k < 9; k++) {
        t[k] = k % 4 == 0;
        for (int b = 0; b < count; b++)
            t[k] -= basis[b][k / 3] * basis[b][k % 3];
    }
    for (int k = 0; k < 9 && count == 3; k++)
        t[k] = 0;
}

/* The same of one that went to and fro between several, or is held by several: along what is tangential to all that
 * it touches at its end. */
static void pull_back_several(const constraint *c, int v, const double x[3], double g[3])
{
    double basis[3][3], t[9], n[3];
    int count = 0;
    for (int i = c->presses.first[v]; has(c, v, i); i++)
        if (vv_contact_gap_below(contact_of(c), v, c->presses.pair[i].obstacle, x, TOUCHING * rounding_at(c, x)) <
            TOUCHING * rounding_at(c, x)) {
            vv_contact_gap(contact_of(c), v, c->presses.pair[i].obstacle, x, n, NULL);
            count = widen(basis, count, n, DEPENDENT);
        }
    tangent_of(basis, count, t);
    vv_matvec(t, g, g);
}

/* g = P'^T g of the vertex that P takes from x to where it is content. */
static void pull_back_vertex(const constraint *c, int v, const double x[3], double g[3])
{
    const held *h = c->vertex + v;
    double at[3] = { x[0], x[1], x[2] };
    moves made;
    settle(c, v, at, &made);
    if (made.count > REMEMBERED || h->count > 1) {
        pull_back_several(c, v, at, g);
        return;
    }
    bool moved = false; /* by what holds it, if there is such; else it lies there already */
    for (int m = 0; h->count && m < made.count; m++)
        moved = moved || h->obstacles >> made.obstacle[m] & 1;
    if (h->count && !moved)
        pull_back_one(c, v, c->presses.pair[h->pair[0]].obstacle, at, g);
    for (int m = made.count - 1; m >= 0; m--)
        pull_back_one(c, v, made.obstacle[m], made.from[m], g);
}

static void pull_back_chunk(void *arg, int chunk)
{
    const over *all = arg;
    for (int v = chunk * VERTICES; v < last_of(all, chunk); v++) {
        const int node = node_of(all->c, all->as, v);
        if (node >= 0)
            pull_back_vertex(all->c, v, all->x + 3 * (size_t)node, all->gradient + 3 * (size_t)all->as->unknown[node]);
    }
}

static void pull_back(vv_feasible *f, const vv_parallel *par, const vv_numbering *as, const double *x, double *gradient)
{
    const constraint *c = (const constraint *)f;
    over all = { .c = c, .as = as, .x = x, .gradient = gradient };
    if (vv_contact_place(contact_of(c), x))
        over_vertices(&all, par, pull_back_chunk);
}

/* ---- what is held ---- */

/* What touches vertex v, with the unit normals. */
typedef struct touch {
    int count, pair[HELD];
    double n[HELD][3], lambda[HELD];
} touch;

static void find_touch(const constraint *c, int v, const double x[3], touch *t)
{
    const double near = TOUCHING * rounding_at(c, x);
    t->count = 0;
    for (int i = c->presses.first[v]; has(c, v, i) && t->count < HELD; i++) {
        const int o = c->presses.pair[i].obstacle;
        if (!(vv_contact_gap_below(contact_of(c), v, o, x, near) < near))
            continue;
        double *n = t->n[t->count];
        const double gap = vv_contact_gap(contact_of(c), v, o, x, n, NULL), length = vv_norm(n);
        if (!(fabs(gap) < near) || !(length > 0))
            continue;
        for (int k = 0; k < 3; k++)
            n[k] /= length;
        t->lambda[t->count] = 0;
        t->pair[t->count++] = i;
    }
}

/* The lambda >= 0 for which |g - sum lambda n| is least: one after the other, again and again. */
static void press_against(touch *t, const double g[3])
{
    double left[3] = { g[0], g[1], g[2] };
    const double size = vv_norm(g);
    for (int k = 0; k < MULTIPLIER_SWEEPS; k++) {
        double most = 0;
        for (int i = 0; i < t->count; i++) {
            const double next = fmax(0, t->lambda[i] + vv_dot(left, t->n[i])), change = next - t->lambda[i];
            for (int j = 0; j < 3; j++)
                left[j] -= change * t->n[i][j];
            t->lambda[i] = next;
            most = fmax(most, fabs(change));
        }
        if (!(most > 4 * DBL_EPSILON * size))
            return;
    }
}

static void hold(const constraint *c, int v, const double x[3], const touch *t)
{
    held *h = c->vertex + v;
    double basis[3][3], bend[9], n[3];
    int count = 0;
    for (int i = 0; i < t->count; i++) {
        if (!(t->lambda[i] > 0))
            continue;
        const int o = c->presses.pair[t->pair[i]].obstacle;
        vv_contact_gap(contact_of(c), v, o, x, n, bend);
        h->obstacles |= UINT64_C(1) << o;
        h->pair[h->count] = t->pair[i];
        h->lambda[h->count++] = t->lambda[i];
        count = widen(basis, count, t->n[i], DEPENDENT);
        for (int k = 0; k < 9; k++)
            h->bend[k] += t->lambda[i] * bend[k];
    }
    tangent_of(basis, count, h->tangent);
}

static void release(vv_feasible *f)
{
    const constraint *c = (const constraint *)f;
    memset(c->vertex, 0, (size_t)contact_of(c)->vertices->count * sizeof *c->vertex);
}

static void choose_chunk(void *arg, int chunk)
{
    const over *all = arg;
    const constraint *c = all->c;
    for (int v = chunk * VERTICES; v < last_of(all, chunk); v++) {
        const int node = node_of(c, all->as, v);
        touch t;
        if (node < 0)
            continue;
        find_touch(c, v, all->x + 3 * (size_t)node, &t);
        if (t.count == 0)
            continue;
        press_against(&t, all->pull + 3 * (size_t)all->as->unknown[node]);
        hold(c, v, all->x + 3 * (size_t)node, &t);
    }
}

static void choose(vv_feasible *f, const vv_parallel *par, const vv_numbering *as, const double *q,
                   const double *gradient)
{
    const constraint *c = (const constraint *)f;
    over all = { .c = c, .as = as, .x = q, .pull = gradient };
    release(f);
    if (vv_contact_place(contact_of(c), q))
        over_vertices(&all, par, choose_chunk);
}

/* ---- through the projection ---- */

/* The vertex of an unknown, if it is held; NULL: it is not. */
static const held *held_of(const constraint *c, const vv_numbering *as, int u)
{
    const int v = c->vertex_of[as->node[u]];
    return v >= 0 && c->vertex[v].count > 0 ? c->vertex + v : NULL;
}

/* T_u A T_w of a block. */
static void confine(const held *row, const held *column, double *block)
{
    vv_confine_block(row ? row->tangent : NULL, column ? column->tangent : NULL, block);
}

/* The block of a held node by itself: less the curvature, and along the normals as stiff as it is otherwise. */
static void confine_own(const held *h, bool exact, double *block)
{
    const double stiff = vv_confined_stiffness(block);
    for (int k = 0; exact && k < 9; k++)
        block[k] -= h->bend[k];
    vv_confine_own(h->tangent, stiff, block);
}

static void confine_rows(const constraint *c, const vv_numbering *as, vv_bsr *a, bool exact)
{
    for (int u = 0; u < a->n; u++) {
        const held *row = held_of(c, as, u);
        for (int k = a->row_start[u]; k < a->row_start[u + 1]; k++) {
            const held *column = held_of(c, as, a->col[k]);
            if (k == a->diag[u] && row)
                confine_own(row, exact, a->val + 9 * (size_t)k);
            else if (row || column)
                confine(row, column, a->val + 9 * (size_t)k);
        }
        for (int k = a->extra.nnz ? a->extra.start[u] : 0; a->extra.nnz && k < a->extra.start[u + 1]; k++) {
            const held *column = held_of(c, as, a->extra.col[k]);
            if (row || column)
                confine(row, column, a->extra.val + 9 * (size_t)k);
        }
    }
}

static void reduce(vv_feasible *f, const vv_numbering *as, double *gradient, vv_bsr *a, bool exact)
{
    const constraint *c = (const constraint *)f;
    bool any = false;
    for (int v = 0; v < contact_of(c)->vertices->count; v++) {
        const int node = c->vertex[v].count > 0 ? node_of(c, as, v) : -1;
        if (node < 0)
            continue;
        double *g = gradient + 3 * (size_t)as->unknown[node];
        vv_matvec(c->vertex[v].tangent, g, g);
        any = true;
    }
    if (any && a)
        confine_rows(c, as, a, exact);
}

static bool put(vv_feasible *f, const vv_numbering *as, const double *mass, double *q)
{
    constraint *c = (constraint *)f;
    bool placed = vv_contact_place(contact_of(c), q);
    release(f);
    for (int v = 0; placed && v < contact_of(c)->vertices->count; v++) {
        const int node = node_of(c, as, v);
        double *x = q + 3 * (size_t)node, from[3], pull[3];
        moves made = { .count = 0 };
        touch t;
        if (node < 0)
            continue;
        memcpy(from, x, sizeof from);
        placed = settle(c, v, x, &made);
        if (made.count == 0)
            continue;
        for (int k = 0; k < 3; k++)
            pull[k] = mass[node] * (x[k] - from[k]);
        find_touch(c, v, x, &t);
        press_against(&t, pull);
        hold(c, v, x, &t);
    }
    return placed;
}

static void press(vv_feasible *f, double scale)
{
    const constraint *c = (const constraint *)f;
    for (int i = 0; i < c->presses.count; i++)
        c->presses.pair[i].force = 0;
    for (int v = 0; v < contact_of(c)->vertices->count; v++)
        for (int k = 0; k < c->vertex[v].count; k++)
            c->presses.pair[c->vertex[v].pair[k]].force = scale * c->vertex[v].lambda[k];
}

static void remember(vv_feasible *f, bool back)
{
    const constraint *c = (const constraint *)f;
    for (int i = 0; i < c->presses.count; i++)
        if (back)
            c->presses.pair[i].force = c->presses.pair[i].before;
        else
            c->presses.pair[i].before = c->presses.pair[i].force;
}

/* ---- creation ---- */

const vvInfo *vv_constraint_when(int index)
{
    static const vvInfo rows[] = {
        { "solve", "the solver minimises over the allowed positions" },
        { "after", "the solver ignores obstacles; vertices that end inside are put on the surface afterwards" }
    };
    return index >= 0 && index < (int)(sizeof rows / sizeof *rows) ? rows + index : NULL;
}

static void destroy(vv_feasible *f)
{
    constraint *c = (constraint *)f;
    vv_presses_free(&c->presses);
    vv_free(c->vertex);
    vv_free(c->vertex_of);
    vv_free(c->placed);
    vv_free(c);
}

void vv_constraint_destroy(vv_feasible *f)
{
    if (f)
        destroy(f);
}

static const vv_feasible_ops ops = { release, project, pull_back, choose, reduce, put, press, remember, destroy };

/* Of the values that say where obstacles stand and how large they are, and of the nodes' places. */
static double size_of(const vv_barrier_def *contact, int node_count, const double *rest)
{
    double size = 0;
    for (size_t i = 0; i < 3 * (size_t)node_count; i++)
        size = fmax(size, fabs(rest[i]));
    for (int o = 0; o < contact->obstacle_count; o++)
        for (int k = 0; k < 3; k++)
            size = fmax(size, fabs(contact->obstacles[o].values[k]));
    return size;
}

static bool find_pairs(vv_presses *p)
{
    for (int v = 0; v < p->contact->vertices->count; v++)
        for (int o = 0; o < p->contact->obstacle_count; o++)
            if (vv_contact_touches(p->contact, v, o) && !vv_presses_add(p, v, o))
                return false;
    return true;
}

const vv_presses *vv_constraint_presses(const vv_feasible *f) { return &((const constraint *)f)->presses; }

vvStatus vv_constraint_create(const vv_barrier_def *contact, int node_count, const double *rest, bool after,
                              vv_feasible **out, vvError *error)
{
    constraint *c = vv_alloc(1, sizeof *c);
    *out = NULL;
    if (!c)
        return vv_fail_memory(error, "constraint contact");
    const vv_vertices *vs = contact->vertices;
    c->base = (vv_feasible){ &ops, after };
    c->vertex = vv_alloc((size_t)vs->count, sizeof *c->vertex);
    c->vertex_of = vv_alloc((size_t)node_count, sizeof *c->vertex_of);
    c->placed = vv_alloc((size_t)vs->count / VERTICES + 1, sizeof *c->placed);
    if (!vv_presses_init(&c->presses, contact, NULL, true) || !c->vertex || !c->vertex_of || !c->placed ||
        !find_pairs(&c->presses)) {
        destroy(&c->base);
        return vv_fail_memory(error, "constraint contact");
    }
    release(&c->base);
    for (int i = 0; i < node_count; i++)
        c->vertex_of[i] = -1;
    for (int v = 0; v < vs->count; v++)
        if (vs->start[v + 1] - vs->start[v] == 1)
            c->vertex_of[vs->node[vs->start[v]]] = v;
    c->size = size_of(contact, node_count, rest);
    *out = &c->base;
    return VV_OK;
}
