/* Height field obstacle: the solid block below a surface of triangles over a rectangle of samples (theory §5.2). Its
 * distance is that to the nearest triangle of the surface, the walls at the rim and the bottom. It is not convex, but
 * its triangles are, and each question is answered triangle by triangle:
 *   d = min d_c outside, -min d_c inside;   d >= keep along a path as long as all d_c are, and d_c(x + t p) >= d_c(x) +
 * t n_c . p. */
#include "base/vec.h"
#include "contact/obstacles/heightfield.h"

static const vvParam params[] = {
    { "center", "the middle of the rectangle, where heights are 0", "m", 3, false, { 0, 0, 0 }, -1e6, 1e6 },
    { "size",
      "edge lengths of the rectangle, along the first and the second direction of the samples",
      "m",
      2,
      false,
      { 1, 1 },
      1e-9,
      1e6 },
    { "rotate",
      "rotation Rx Ry Rz; without one heights go along y, and the samples' directions are x and z",
      "deg",
      3,
      false,
      { 0, 0, 0 },
      -1e6,
      1e6 },
    { "height", "factor for the samples", "m", 1, false, { 1 }, 1e-9, 1e6 },
    { "depth", "thickness of the solid below the lowest sample", "m", 1, false, { 1 }, 1e-9, 1e6 },
};

/* shape: heightfield.h says what is where */
static vvStatus prepare(const double *values, double *shape, vvError *error)
{
    (void)error;
    memcpy(shape, values, 3 * sizeof *shape);
    vv_euler_degrees(values + 5, shape + 3);
    shape[12] = values[3], shape[13] = values[4];
    shape[14] = values[8], shape[15] = values[9];
    return VV_OK;
}

/* ---- distance ---- */

static bool is_inside(const vv_hf *h, const double y[3])
{
    if (!(y[0] >= 0 && y[0] <= h->size[0] && y[2] >= 0 && y[2] <= h->size[1] && y[1] >= h->base))
        return false;
    const int i = vv_hf_cell_at(y[0] / h->step[0], h->cells[0]), k = vv_hf_cell_at(y[2] / h->step[1], h->cells[1]);
    double a[4][3];
    vv_hf_corners(h, i, k, a);
    const double u = (y[0] - a[0][0]) / h->step[0], w = (y[2] - a[0][2]) / h->step[1];
    const double top = u >= w ? a[0][1] + u * (a[1][1] - a[0][1]) + w * (a[2][1] - a[1][1])
                              : a[0][1] + w * (a[3][1] - a[0][1]) + u * (a[2][1] - a[3][1]);
    return y[1] <= top;
}

typedef struct nearest {
    const vv_hf *h;
    double y[3], square; /* m^2: of the nearest so far */
    vv_hf_near near;
} nearest;

static double box_bound(const void *arg, const vv_box *box)
{
    double r[3];
    return vv_hf_box_square(box, ((const nearest *)arg)->y, r) * (1 - 1e-12);
}

/* Whether the triangle's plane is farther from y than the root of `square`, by more than rounding, which 1e-18 keeps
 * below a millionth: most triangles need not be asked for more. */
static bool plane_is_beyond(const double face[3][3], const double y[3], double square)
{
    double u[3], v[3], n[3], r[3];
    vv_sub(face[1], face[0], u);
    vv_sub(face[2], face[0], v);
    vv_sub(y, face[0], r);
    vv_cross(u, v, n);
    const double height = vv_dot(r, n), h2 = height * height;
    return h2 > square * vv_dot(n, n) * (1 + 1e-5) && h2 > 1e-18 * vv_dot(r, r) * vv_dot(u, u) * vv_dot(v, v);
}

static void try_faces(nearest *s, double (*face)[3][3], int count)
{
    for (int f = 0; f < count; f++) {
        if (plane_is_beyond((const double(*)[3])face[f], s->y, s->square))
            continue;
        vv_hf_near one;
        vv_hf_near_triangle((const double(*)[3])face[f], s->y, &one);
        if (one.square < s->square)
            s->square = one.square, s->near = one;
    }
}

static void try_cell(void *arg, int i, int k)
{
    nearest *s = arg;
    double face[VV_HF_FACES][3][3];
    try_faces(s, face, vv_hf_faces(s->h, i, k, face));
}

static bool find_nearest(const vv_hf *h, const double y[3], double square, nearest *s)
{
    *s = (nearest){ .h = h, .y = { y[0], y[1], y[2] }, .square = square };
    if (y[1] < h->base + sqrt(square)) {
        double face[2][3][3];
        vv_hf_bottom(h, face);
        try_faces(s, face, 2);
    }
    if (!(square < INFINITY)) { /* the cell below is a good start */
        try_cell(s, vv_hf_cell_at(y[0] / h->step[0], h->cells[0]), vv_hf_cell_at(y[2] / h->step[1], h->cells[1]));
    }
    vv_hf_run(h, &(vv_hf_search){ s->y, sqrt(s->square), box_bound, try_cell, &s->square, s });
    return s->square < square;
}

static void turn_out(const double *shape, const double local[3], const double c[9], double n[3], double curvature[9])
{
    const double *r = shape + 3;
    if (n)
        vv_matvec(r, local, n);
    if (curvature) {
        double rt[9], t[9];
        for (int k = 0; k < 9; k++)
            rt[k] = r[3 * (k % 3) + k / 3];
        vv_matmul(r, c, t);
        vv_matmul(t, rt, curvature);
    }
}

double vv_hf_distance(const vv_field *f, const double *shape, const double x[3], double most, double n[3],
                      double curvature[9])
{
    const vv_hf h = vv_hf_make(f, shape);
    double y[3], local[3], c[9];
    nearest s;
    vv_hf_to_grid(&h, shape, x, y);
    if (most >= 0 && most < INFINITY && vv_hf_above(&h, y, most))
        return INFINITY;
    const bool inside = is_inside(&h, y);
    if ((!inside && !(most > 0)) || !find_nearest(&h, y, inside ? INFINITY : most * most, &s))
        return INFINITY;
    const double d = vv_hf_slope(&s.near, y, inside, n ? local : NULL, curvature ? c : NULL);
    turn_out(shape, local, c, n, curvature);
    return d;
}

/* ---- ways ---- */

typedef struct way {
    const vv_hf *h;
    double y[3], p[3], bow, keep;
    double part; /* that is free so far */
} way;

/* The root of first t + bow t^2 = room, which is the part on which a distance falls by at most that. */
static double part_of(const way *w, double distance, const double n[3])
{
    const double room = distance - w->keep, slope = vv_dot(n, w->p), first = slope < 0 ? -slope : 0;
    if (!(room > 0))
        return 0;
    const double sum = first + sqrt(first * first + 4 * w->bow * room);
    return sum > 0 ? 2 * room / sum : INFINITY;
}

/* Boxes are convex too. */
static double box_part(const void *arg, const vv_box *box)
{
    const way *w = arg;
    double r[3];
    const double length = sqrt(vv_hf_box_square(box, w->y, r));
    for (int k = 0; k < 3 && length > 0; k++)
        r[k] /= length;
    return length > 0 ? part_of(w, length * (1 - 1e-12), r) : 0;
}

static void limit_faces(way *w, double (*face)[3][3], int count)
{
    for (int f = 0; f < count; f++) {
        vv_hf_near near;
        double n[3];
        vv_hf_near_triangle((const double(*)[3])face[f], w->y, &near);
        const double d = vv_hf_slope(&near, w->y, false, n, NULL), part = part_of(w, d, n);
        w->part = part < w->part ? part : w->part;
    }
}

static void limit_cell(void *arg, int i, int k)
{
    way *w = arg;
    double face[VV_HF_FACES][3][3];
    limit_faces(w, face, vv_hf_faces(w->h, i, k, face));
}

/* How far the path may lead on the part that is free so far, and `keep` beyond, m. */
static double reach_of(const way *w)
{
    return w->part < INFINITY ? w->keep + (vv_norm(w->p) + w->bow * w->part) * w->part * (1 + 1e-9) : INFINITY;
}

double vv_hf_free_way(const vv_field *f, const double *shape, const double x[3], const double p[3], double bow,
                      double keep, double limit)
{
    const vv_hf h = vv_hf_make(f, shape);
    way w = { .h = &h, .bow = bow, .keep = keep, .part = limit };
    vv_hf_to_grid(&h, shape, x, w.y);
    vv_matvec_transposed(shape + 3, p, w.p);
    /* what is further away is not met before `limit` */
    double reach = reach_of(&w);
    if (!(w.y[1] - h.base > reach)) {
        double face[2][3][3];
        vv_hf_bottom(&h, face);
        limit_faces(&w, face, 2);
        reach = reach_of(&w);
    }
    vv_hf_run(&h, &(vv_hf_search){ w.y, reach, box_part, limit_cell, &w.part, &w });
    return w.part;
}

/* ---- pieces ---- */

typedef struct collector {
    const vv_hf *h;
    const double *shape;
    double y[3], square;
    vv_field_add *add;
    void *to;
} collector;

static double reach_bound(const void *arg, const vv_box *box)
{
    double r[3];
    return vv_hf_box_square(box, ((const collector *)arg)->y, r) * (1 - 1e-12);
}

static void put(const collector *c, double sign, const vv_hf_near *near)
{
    vv_field_piece piece = { .sign = sign };
    double n[3], curvature[9];
    if (!(near->square < c->square))
        return;
    piece.distance = vv_hf_slope(near, c->y, false, n, curvature);
    turn_out(c->shape, n, curvature, piece.n, piece.curvature);
    c->add(c->to, &piece);
}

static void put_face(const collector *c, const double (*face)[3])
{
    if (plane_is_beyond(face, c->y, c->square))
        return;
    vv_hf_near near;
    vv_hf_near_triangle(face, c->y, &near);
    put(c, 1, &near);
}

static void put_edge(const collector *c, const double a[3], const double b[3])
{
    vv_hf_near near = { .normal = { 0, 1, 0 } };
    vv_hf_near_segment(a, b, c->y, &near);
    put(c, -1, &near);
}

static void put_vertex(const collector *c, const double a[3])
{
    vv_hf_near near = { .normal = { 0, 1, 0 } };
    vv_hf_near_point(a, c->y, &near);
    put(c, 1, &near);
}

/* What the cell owns: its triangles, the edges A B, A C, A D and the vertex A; at the end of a row also those on the
 * far side; of each wall its diagonal, the edge at the bottom, that at its beginning and the vertex below it. So each
 * piece is put once. */
static void put_cell(void *arg, int i, int k)
{
    const collector *c = arg;
    double face[VV_HF_FACES][3][3], top[4][3];
    bool wall[4];
    const int faces = vv_hf_faces(c->h, i, k, face);
    vv_hf_corners(c->h, i, k, top);
    vv_hf_walls(c->h, i, k, wall);
    for (int f = 0; f < faces; f++)
        put_face(c, (const double(*)[3])face[f]);
    put_edge(c, top[0], top[1]);
    put_edge(c, top[0], top[2]);
    put_edge(c, top[0], top[3]);
    put_vertex(c, top[0]);
    if (wall[1]) {
        put_edge(c, top[1], top[2]);
        put_vertex(c, top[1]);
    }
    if (wall[2]) {
        put_edge(c, top[2], top[3]);
        put_vertex(c, top[3]);
    }
    if (wall[1] && wall[2])
        put_vertex(c, top[2]);
    for (int s = 0; s < 4; s++) {
        const double *a = top[s], *b = top[(s + 1) % 4], a0[3] = { a[0], c->h->base, a[2] },
                     b0[3] = { b[0], c->h->base, b[2] };
        if (!wall[s])
            continue;
        put_edge(c, a, b0);
        put_edge(c, a0, b0);
        put_edge(c, a, a0);
        put_vertex(c, a0);
    }
}

void vv_hf_pieces(const vv_field *f, const double *shape, const double x[3], double reach, vv_field_add *add, void *to)
{
    const vv_hf h = vv_hf_make(f, shape);
    collector c = { .h = &h, .shape = shape, .square = reach * reach, .add = add, .to = to };
    vv_hf_to_grid(&h, shape, x, c.y);
    if (c.y[1] < h.base + reach) {
        double face[2][3][3];
        vv_hf_bottom(&h, face);
        put_face(&c, (const double(*)[3])face[0]);
        put_face(&c, (const double(*)[3])face[1]);
        put_edge(&c, face[0][0], face[0][2]);
    }
    vv_hf_run(&h, &(vv_hf_search){ c.y, reach, reach_bound, put_cell, &c.square, &c });
}

static const double flat[4];
static const vv_field_ops field = { .word = "heights",
                                    .dimensions = 2,
                                    .least = 2,
                                    .most = 8193,
                                    .most_in_all = 1 << 24,
                                    .reach = 1e6,
                                    .fallback_counts = { 2, 2 },
                                    .fallback = flat,
                                    .make_index = vv_hf_make_index,
                                    .distance = vv_hf_distance,
                                    .free_way = vv_hf_free_way,
                                    .pieces = vv_hf_pieces,
                                    .ray = vv_hf_ray,
                                    .mesh = vv_hf_mesh };

const vv_obstacle_ops vv_obstacle_heightfield = {
    .type = { { "heightfield", "the solid below heights over a rectangle, given as samples" }, 5, params, "heights" },
    .prepare = prepare,
    .field = &field
};
