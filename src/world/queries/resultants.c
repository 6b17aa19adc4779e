/* Forces and moments in the sections of shells, per length, from the forces of the elements themselves.
 *
 * Membrane forces, N: the virial of an element's forces f at x, -1/A sum f x^T, is the exact stress of a triangle, by
 * its length and present area A, whatever its material is. Springs along edges count in equal parts for the triangles
 * that they border.
 *
 * Plate moments, M, with n a triangle's normal and y places in its plane:
 * - of an element over two triangles (hinges): a triangle takes the force on its outer corner c to the common edge, at
 *   the foot of c; 1/(2A) sum (f.n) y y^T of these three, y from the middle of the edge. That is what the forces do
 *   where the surface is bent by a quadratic function, so where all is at rest the mean over a region is what acts at
 *   its rim, whatever the stiffness is.
 * - of an element over one triangle and its directors: these tell what is transmitted across each edge, M m.m; and
 * three of such are one tensor, sum (M m.m)_i S_i, S_i = -l_i^2/(4 A^2) sym(e_j e_k), e the edges. Positive where it
 * stretches the side to which n points. */
#include "base/error.h"
#include "base/vec.h"
#include "world/bodies/directors.h"
#include "world/queries/resultants.h"

#include <string.h>

enum { MOST = 6 };

/* Triangles around the vertices: of v those of list[start[v]] ... */
typedef struct plates {
    const vvWorld *w;
    const vv_body *b;
    int *start, *list;
    double *sum; /* triangles x 9 */
} plates;

/* The vertices of an element, each once, with the forces on them; and its directors. */
typedef struct patch {
    int count, vertex[MOST];
    double f[MOST][3];
    int directors, edge[MOST], node[MOST];
    double of_director[MOST][3];
} patch;

static bool read_patch(const vv_body *b, const int *nodes, int count, const double *gradient, patch *p)
{
    const int first_director = b->first + b->vertex_count;
    *p = (patch){ .count = 0 };
    for (int i = 0; i < count; i++) {
        const bool director = nodes[i] >= first_director;
        if ((director ? p->directors : p->count) == MOST)
            return false;
        double *f = director ? p->of_director[p->directors] : p->f[p->count];
        if (director) {
            p->edge[p->directors] = nodes[i] - first_director;
            p->node[p->directors++] = nodes[i];
        } else {
            p->vertex[p->count++] = nodes[i];
        }
        for (int k = 0; k < 3; k++)
            f[k] = -gradient[3 * i + k];
    }
    return true;
}

static bool has_vertex(const int *triangle, int v) { return triangle[0] == v || triangle[1] == v || triangle[2] == v; }

/* The next triangle, from place *at on, with all these vertices; -1: there is none. */
static int next_triangle(const plates *p, const int *vertex, int count, int *at)
{
    const int v = vertex[0] - p->b->first;
    for (int i = p->start[v] + *at; i < p->start[v + 1]; i++) {
        const int *triangle = p->b->triangles + 3 * (size_t)p->list[i];
        bool all = true;
        for (int k = 1; k < count; k++)
            all = all && has_vertex(triangle, vertex[k]);
        *at = i + 1 - p->start[v];
        if (all)
            return p->list[i];
    }
    return -1;
}

/* ---- membrane forces ---- */

static void add_virial(void *arg, const int *nodes, int count, const double *gradient)
{
    const plates *p = arg;
    patch e;
    int at = 0, sharing = 0, t;
    if (!read_patch(p->b, nodes, count, gradient, &e) || e.directors > 0 || e.count < 2 || e.count > 3)
        return;
    while (next_triangle(p, e.vertex, e.count, &at) >= 0)
        sharing++;
    for (at = 0; (t = next_triangle(p, e.vertex, e.count, &at)) >= 0;)
        for (int i = 1; i < e.count; i++) {
            double y[3];
            vv_sub(p->w->state.q + 3 * (size_t)e.vertex[i], p->w->state.q + 3 * (size_t)e.vertex[0], y);
            for (int k = 0; k < 9; k++)
                p->sum[9 * (size_t)t + (size_t)k] -= e.f[i][k / 3] * y[k % 3] / sharing;
        }
}

/* ---- plate moments ---- */

/* out += by * sym(a b^T) */
static void add_symmetric(double by, const double a[3], const double b[3], double *out)
{
    for (int k = 0; k < 9; k++)
        out[k] += 0.5 * by * (a[k / 3] * b[k % 3] + a[k % 3] * b[k / 3]);
}

/* Of the triangle with the edge (a, b) and the corner c, on which f acts. */
static void add_side(const plates *p, int a, int b, int c, const double f[3])
{
    const double *q = p->w->state.q;
    int at = 0;
    const int t = next_triangle(p, (const int[]){ a, b, c }, 3, &at);
    double n[3], edge[3], to[3], y[3];
    if (t < 0)
        return;
    vv_triangle_normal(q, p->b->triangles + 3 * (size_t)t, n);
    vv_sub(q + 3 * (size_t)b, q + 3 * (size_t)a, edge);
    vv_sub(q + 3 * (size_t)c, q + 3 * (size_t)a, to);
    const double size = vv_norm(n);
    if (!(size > 0))
        return;
    const double force = vv_dot(f, n) / size;
    for (int k = 0; k < 3; k++)
        y[k] = to[k] - 0.5 * edge[k];
    double *sum = p->sum + 9 * (size_t)t;
    add_symmetric(0.5 * force, y, y, sum);
    add_symmetric(-0.125 * force, edge, edge, sum); /* at its ends, wherever the foot is: half an edge away */
}

/* As a hinge has them: the edge, and the outer corners. */
static void add_pair(const plates *p, const patch *e)
{
    for (int side = 0; side < 2; side++)
        add_side(p, e->vertex[0], e->vertex[1], e->vertex[2 + side], e->f[2 + side]);
}

/* What is transmitted across the edge from a to b of a triangle, N m a length, by the force on its director; as a
 * fold that is turned by it opens towards the triangle's normal. */
static double across(const double *q, int a, int b, int director, const double f[3])
{
    const double *xa = q + 3 * (size_t)a;
    double edge[3], to[3], n[3];
    vv_sub(q + 3 * (size_t)b, xa, edge);
    vv_sub(q + 3 * (size_t)director, xa, to);
    vv_cross(to, edge, n);
    const double length = vv_norm(edge), area = vv_norm(n);
    return area > 0 ? vv_dot(f, n) / (length * length) : 0; /* the force across, by the height area/length */
}

static int find_director(const plates *p, const patch *e, int a, int b)
{
    for (int d = 0; d < e->directors; d++) {
        const int *ends = p->b->edges + 2 * (size_t)e->edge[d];
        if ((ends[0] == a && ends[1] == b) || (ends[0] == b && ends[1] == a))
            return d;
    }
    return -1;
}

static void add_directed(const plates *p, const patch *e)
{
    const double *q = p->w->state.q;
    int at = 0;
    const int t = next_triangle(p, e->vertex, 3, &at);
    if (t < 0)
        return;
    const int *v = p->b->triangles + 3 * (size_t)t;
    const double area = vv_triangle_area(q, v);
    for (int i = 0; i < 3; i++) {
        const int a = v[i], b = v[(i + 1) % 3], c = v[(i + 2) % 3], d = find_director(p, e, a, b);
        if (d < 0 || !(area > 0))
            continue;
        double other[2][3];
        const double length = vv_edge_length(q, a, b), moment = across(q, a, b, e->node[d], e->of_director[d]);
        vv_sub(q + 3 * (size_t)c, q + 3 * (size_t)b, other[0]);
        vv_sub(q + 3 * (size_t)a, q + 3 * (size_t)c, other[1]);
        /* times the area, by which the sum is divided */
        add_symmetric(-0.25 * length * length * moment / area, other[0], other[1], p->sum + 9 * (size_t)t);
    }
}

static void add_bending(void *arg, const int *nodes, int count, const double *gradient)
{
    const plates *p = arg;
    patch e;
    if (!read_patch(p->b, nodes, count, gradient, &e))
        return;
    if (e.count == 4 && e.directors == 0)
        add_pair(p, &e);
    else if (e.count == 3 && e.directors > 0)
        add_directed(p, &e);
}

/* ---- fields ---- */

static bool is_shell(const vv_body *b) { return b->tet_count == 0 && b->triangle_count > 0; }

bool vv_is_stretched(const vv_body *b)
{
    bool any = false;
    for (int m = 0; m < b->material_count; m++) {
        const vv_element_kind *kind = b->materials[m].kind;
        any = any || (!kind->bending && (kind->cell == VV_CELL_TRIANGLES || kind->cell == VV_CELL_EDGES));
    }
    return any && is_shell(b);
}

bool vv_has_bent_shells(const vv_body *b)
{
    bool any = false;
    for (int m = 0; m < b->material_count; m++)
        any = any || b->materials[m].kind->bending;
    return any && is_shell(b);
}

/* Triangles around vertices. */
static bool gather(plates *p)
{
    const vv_body *b = p->b;
    const size_t corners = 3 * (size_t)b->triangle_count, vertices = (size_t)b->vertex_count;
    p->start = vv_alloc(vertices + 2, sizeof *p->start);
    p->list = vv_alloc(corners, sizeof *p->list);
    p->sum = vv_alloc(3 * corners, sizeof *p->sum);
    if (!p->start || !p->list || !p->sum)
        return false;
    for (size_t i = 0; i < corners; i++) /* one place too far: the second pass increments each */
        p->start[b->triangles[i] - b->first + 2]++;
    for (size_t v = 0; v < vertices; v++)
        p->start[v + 2] += p->start[v + 1];
    for (size_t i = 0; i < corners; i++)
        p->list[p->start[b->triangles[i] - b->first + 1]++] = (int)(i / 3);
    return true;
}

static vvStatus find(vvWorld *w, const vv_body *b, vv_element_gradient_fn *add, double *out, vvError *error)
{
    static const int at[6] = { 0, 4, 8, 1, 5, 2 };
    plates p = { .w = w, .b = b };
    const bool good = gather(&p);
    if (good)
        vv_each_element_force(w, b, add, &p);
    for (int t = 0; good && t < b->triangle_count; t++) {
        const double area = vv_triangle_area(w->state.q, b->triangles + 3 * (size_t)t), *sum = p.sum + 9 * (size_t)t;
        for (int k = 0; k < 6; k++) {
            const double both = 0.5 * (sum[at[k]] + sum[3 * (at[k] % 3) + at[k] / 3]);
            out[6 * (size_t)t + (size_t)k] = area > 0 ? both / area : 0;
        }
    }
    vv_free(p.start);
    vv_free(p.list);
    vv_free(p.sum);
    return good ? VV_OK : vv_fail_memory(error, "a field");
}

vvStatus vv_membrane_force(vvWorld *w, const vv_body *b, double *out, vvError *error)
{
    return find(w, b, add_virial, out, error);
}

vvStatus vv_plate_moment(vvWorld *w, const vv_body *b, double *out, vvError *error)
{
    return find(w, b, add_bending, out, error);
}

void vv_each_element_force(vvWorld *w, const vv_body *b, vv_element_gradient_fn *found, void *arg)
{
    for (int i = 0; i < w->system.energies; i++) {
        vv_energy *e = w->system.energy[i];
        if (e->ops->row != VV_ROW_ELASTIC || !e->ops->each_gradient)
            continue;
        vv_energy_update(e, &w->par, w->state.q);
        e->ops->each_gradient(e, (int)(b - w->bodies), w->state.q, found, arg);
    }
}
