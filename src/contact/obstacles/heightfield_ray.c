/* Rays against the height field, and its surface as a mesh to draw it by. */
#include "base/geometry/intersect.h"
#include "base/vec.h"
#include "contact/obstacles/heightfield.h"
#include "mesh/mesh.h"

/* ---- rays ---- */

typedef struct search {
    const vv_hf *h;
    vv_ray ray;
    double t, normal[3];
} search;

/* Where the ray enters a box, at most; INFINITY: it passes it by. */
static double box_entry(const void *arg, const vv_box *box)
{
    const search *s = arg;
    double first = 0, last = s->t;
    for (int k = 0; k < 3; k++) {
        const double slack = 1e-12 * (fabs(box->low[k]) + fabs(box->high[k]) + fabs(s->ray.origin[k])),
                     d = s->ray.direction[k];
        const double low = box->low[k] - slack - s->ray.origin[k], high = box->high[k] + slack - s->ray.origin[k];
        if (fabs(d) < 1e-300) {
            if (low > 0 || high < 0)
                return INFINITY;
            continue;
        }
        first = fmax(first, fmin(low / d, high / d));
        last = fmin(last, fmax(low / d, high / d));
    }
    return first <= last ? first * (1 - 1e-12) - 1e-300 : INFINITY;
}

static void meet_faces(search *s, double (*face)[3][3], int count)
{
    for (int f = 0; f < count; f++) {
        double t, weights[3], a[3], b[3];
        if (!vv_ray_triangle(&s->ray, face[f][0], face[f][1], face[f][2], s->t, &t, weights) || !(t < s->t))
            continue;
        vv_sub(face[f][1], face[f][0], a);
        vv_sub(face[f][2], face[f][0], b);
        vv_cross(a, b, s->normal);
        s->t = t;
    }
}

static void meet_cell(void *arg, int i, int k)
{
    search *s = arg;
    double face[VV_HF_FACES][3][3];
    meet_faces(s, face, vv_hf_faces(s->h, i, k, face));
}

bool vv_hf_ray(const vv_field *f, const double *shape, const double origin[3], const double direction[3], double *t,
               double n[3])
{
    const vv_hf h = vv_hf_make(f, shape);
    double from[3], along[3], face[2][3][3];
    vv_hf_to_grid(&h, shape, origin, from);
    vv_matvec_transposed(shape + 3, direction, along);
    /* from where the ray may come near: far away, rounding would exceed the slack of the boxes */
    const double high = h.scale * f->index[f->level[f->levels - 1] + 1];
    const double half[3] = { 0.5 * h.size[0], 0.5 * (high - h.base), 0.5 * h.size[1] };
    const double rel[3] = { half[0] - from[0], h.base + half[1] - from[1], half[2] - from[2] };
    const double skip = fmax(0, vv_dot(rel, along) - 1.01 * vv_norm(half));
    for (int k = 0; k < 3; k++)
        from[k] += skip * along[k];
    search s = { .h = &h, .ray = vv_ray_along(from, along), .t = INFINITY };
    vv_hf_bottom(&h, face);
    meet_faces(&s, face, 2);
    vv_hf_run(&h, &(vv_hf_search){ from, INFINITY, box_entry, meet_cell, &s.t, &s });
    if (!(s.t < INFINITY))
        return false;
    const double length = vv_norm(s.normal);
    for (int k = 0; k < 3; k++)
        s.normal[k] /= length;
    vv_matvec(shape + 3, s.normal, n);
    *t = skip + s.t;
    return true;
}

/* ---- drawing ---- */

enum { MOST_DRAWN = 1024 }; /* cells along a side; a larger field is drawn by every second, third, ... sample */

/* The samples that are drawn, along one direction. */
typedef struct choice {
    int every, last, count; /* count: of samples */
} choice;

static choice choose(int cells)
{
    const int every = (cells - 1) / MOST_DRAWN + 1;
    return (choice){ every, cells, (cells - 1) / every + 2 };
}

static int chosen(const choice *c, int i) { return i < c->count - 1 ? i * c->every : c->last; }

static void put_vertex(vvMesh *m, const vv_hf *h, int i, int k, bool bottom)
{
    double *x = m->positions + 3 * (size_t)m->vertexCount++;
    vv_hf_vertex(h, i, k, x);
    x[0] -= 0.5 * h->size[0];
    x[2] -= 0.5 * h->size[1];
    if (bottom)
        x[1] = h->base;
}

static void put_triangle(vvMesh *m, int a, int b, int c)
{
    int *v = m->triangles + 3 * (size_t)m->triangleCount++;
    v[0] = a, v[1] = b, v[2] = c;
}

/* Walls have vertices of their own: there the surface has a crease. */
static void put_wall(vvMesh *m, const vv_hf *h, const choice *cx, const choice *cz, int side)
{
    const bool along_x = side % 2 == 0;
    const int count = along_x ? cx->count : cz->count, first = m->vertexCount;
    for (int s = 0; s < count; s++) {
        const int at = side < 2 ? s : count - 1 - s;
        const int i = along_x     ? chosen(cx, at)
                      : side == 1 ? h->cells[0]
                                  : 0,
                  k = along_x ? (side == 0 ? 0 : h->cells[1]) : chosen(cz, at);
        put_vertex(m, h, i, k, false);
        put_vertex(m, h, i, k, true);
        if (s == 0)
            continue;
        const int a = first + 2 * (s - 1), b = a + 2;
        put_triangle(m, a, b, b + 1);
        put_triangle(m, a, b + 1, a + 1);
    }
}

static void put_all(vvMesh *m, const vv_hf *h, const choice *cx, const choice *cz)
{
    for (int k = 0; k < cz->count; k++)
        for (int i = 0; i < cx->count; i++)
            put_vertex(m, h, chosen(cx, i), chosen(cz, k), false);
    for (int k = 0; k + 1 < cz->count; k++)
        for (int i = 0; i + 1 < cx->count; i++) {
            const int a = k * cx->count + i, b = a + 1, d = a + cx->count, c = d + 1;
            put_triangle(m, a, d, c);
            put_triangle(m, a, c, b);
        }
    for (int side = 0; side < 4; side++)
        put_wall(m, h, cx, cz, side);
    const int first = m->vertexCount;
    for (int c = 0; c < 4; c++)
        put_vertex(m, h, c == 1 || c == 2 ? h->cells[0] : 0, c >= 2 ? h->cells[1] : 0, true);
    put_triangle(m, first, first + 1, first + 2);
    put_triangle(m, first, first + 2, first + 3);
}

vvStatus vv_hf_mesh(const vv_field *f, const double *shape, vvMesh *mesh, double turn[9], vvError *error)
{
    const vv_hf h = vv_hf_make(f, shape);
    const choice cx = choose(h.cells[0]), cz = choose(h.cells[1]);
    const int rim = 2 * (cx.count + cz.count);
    vvStatus status = vv_mesh_alloc(mesh, cx.count * cz.count + 2 * rim + 4, 0,
                                    2 * (cx.count - 1) * (cz.count - 1) + 2 * (rim - 4) + 2, 0, error);
    if (status != VV_OK)
        return status;
    mesh->vertexCount = mesh->triangleCount = 0;
    put_all(mesh, &h, &cx, &cz);
    memcpy(turn, shape + 3, 9 * sizeof *turn);
    return VV_OK;
}
