/* The height field's cells and triangles, the tree of their least and largest heights, and the search in it. */
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "contact/obstacles/heightfield.h"

/* ---- geometry ---- */

vv_hf vv_hf_make(const vv_field *f, const double *shape)
{
    vv_hf h = { .field = f,
                .cells = { f->counts[0] - 1, f->counts[1] - 1 },
                .size = { shape[12], shape[13] },
                .scale = shape[14] };
    h.step[0] = h.size[0] / h.cells[0];
    h.step[1] = h.size[1] / h.cells[1];
    h.base = h.scale * f->index[f->level[f->levels - 1]] - shape[15];
    return h;
}

void vv_hf_to_grid(const vv_hf *h, const double *shape, const double x[3], double y[3])
{
    double rel[3];
    vv_sub(x, shape, rel);
    vv_matvec_transposed(shape + 3, rel, y);
    y[0] += 0.5 * h->size[0];
    y[2] += 0.5 * h->size[1];
}

void vv_hf_corners(const vv_hf *h, int i, int k, double corner[4][3])
{
    for (int c = 0; c < 4; c++)
        vv_hf_vertex(h, i + (c == 1 || c == 2), k + (c >= 2), corner[c]);
}

void vv_hf_walls(const vv_hf *h, int i, int k, bool wall[4])
{
    wall[0] = k == 0;
    wall[1] = i == h->cells[0] - 1;
    wall[2] = k == h->cells[1] - 1;
    wall[3] = i == 0;
}

static void put_face(double face[3][3], const double a[3], const double b[3], const double c[3])
{
    memcpy(face[0], a, sizeof face[0]);
    memcpy(face[1], b, sizeof face[1]);
    memcpy(face[2], c, sizeof face[2]);
}

int vv_hf_faces(const vv_hf *h, int i, int k, double face[VV_HF_FACES][3][3])
{
    double top[4][3];
    bool wall[4];
    int count = 2;
    vv_hf_corners(h, i, k, top);
    put_face(face[0], top[0], top[3], top[2]);
    put_face(face[1], top[0], top[2], top[1]);
    vv_hf_walls(h, i, k, wall);
    for (int s = 0; s < 4; s++) {
        const double *a = top[s], *b = top[(s + 1) % 4], a0[3] = { a[0], h->base, a[2] },
                     b0[3] = { b[0], h->base, b[2] };
        if (!wall[s])
            continue;
        put_face(face[count++], a, b, b0);
        put_face(face[count++], a, b0, a0);
    }
    return count;
}

void vv_hf_bottom(const vv_hf *h, double face[2][3][3])
{
    const double x = h->size[0], y = h->base, z = h->size[1];
    put_face(face[0], (double[]){ 0, y, 0 }, (double[]){ x, y, 0 }, (double[]){ x, y, z });
    put_face(face[1], (double[]){ 0, y, 0 }, (double[]){ x, y, z }, (double[]){ 0, y, z });
}

/* ---- the tree: the blocks of level l are 2^l x 2^l cells, those of level 0 single ones, which are not stored ---- */

static int blocks_of(int cells, int level) { return ((cells - 1) >> level) + 1; }

static double lesser(double a, double b) { return a < b ? a : b; } /* of samples, which are numbers: no call */
static double larger(double a, double b) { return a > b ? a : b; }

static void widen(double range[2], double low, double high)
{
    range[0] = lesser(range[0], low);
    range[1] = larger(range[1], high);
}

/* The least and the largest sample of a cell. */
static void cell_range(const vv_field *f, int i, int k, double range[2])
{
    const double *s = f->samples + (size_t)k * (size_t)f->counts[0] + (size_t)i, *t = s + f->counts[0];
    range[0] = lesser(lesser(s[0], s[1]), lesser(t[0], t[1]));
    range[1] = larger(larger(s[0], s[1]), larger(t[0], t[1]));
}

static void block_range(const vv_field *f, int level, int i, int k, double range[2])
{
    if (level == 0) {
        cell_range(f, i, k, range);
        return;
    }
    const double *at =
        f->index + f->level[level - 1] + 2 * ((size_t)k * (size_t)blocks_of(f->counts[0] - 1, level) + (size_t)i);
    range[0] = at[0], range[1] = at[1];
}

/* Where the roofs of a level begin. */
static size_t roofs_of(const vv_field *f, int level)
{
    return level == 0 ? 0 : (size_t)(f->counts[0] - 1) * (size_t)(f->counts[1] - 1) + f->level[level - 1] / 2;
}

static float rounded_up(double x)
{
    const float f = (float)x;
    return f < x ? nextafterf(f, INFINITY) : f;
}

/* For each block, of single cells too, the largest sample of it and of the eight blocks around it. */
static vvStatus make_roofs(vv_field *f, vvError *error)
{
    const int cx = f->counts[0] - 1, cz = f->counts[1] - 1;
    f->roof_count = (size_t)cx * (size_t)cz + f->index_count / 2;
    f->roof = vv_alloc(f->roof_count, sizeof *f->roof);
    if (!f->roof)
        return vv_fail_memory(error, "an obstacle");
    for (int l = 0; l <= f->levels; l++) {
        const int nx = blocks_of(cx, l), nz = blocks_of(cz, l);
        float *to = f->roof + roofs_of(f, l);
        for (int k = 0; k < nz; k++)
            for (int i = 0; i < nx; i++) {
                double top = -INFINITY, range[2];
                for (int v = k > 0 ? k - 1 : 0; v <= k + 1 && v < nz; v++)
                    for (int u = i > 0 ? i - 1 : 0; u <= i + 1 && u < nx; u++) {
                        block_range(f, l, u, v, range);
                        top = larger(top, range[1]);
                    }
                *to++ = rounded_up(top);
            }
    }
    return VV_OK;
}

vvStatus vv_hf_make_index(vv_field *f, vvError *error)
{
    const int cx = f->counts[0] - 1, cz = f->counts[1] - 1;
    do {
        f->level[f->levels++] = f->index_count;
        f->index_count += 2 * (size_t)blocks_of(cx, f->levels) * (size_t)blocks_of(cz, f->levels);
    } while (blocks_of(cx, f->levels) > 1 || blocks_of(cz, f->levels) > 1);
    f->index = vv_alloc(f->index_count, sizeof *f->index);
    if (!f->index)
        return vv_fail_memory(error, "an obstacle");
    for (int l = 1; l <= f->levels; l++) {
        const int nx = blocks_of(cx, l), nz = blocks_of(cz, l), mx = blocks_of(cx, l - 1), mz = blocks_of(cz, l - 1);
        double *to = f->index + f->level[l - 1];
        for (int k = 0; k < nz; k++)
            for (int i = 0; i < nx; i++, to += 2) {
                to[0] = INFINITY, to[1] = -INFINITY;
                for (int b = 0; b < 4; b++) {
                    const int u = 2 * i + b % 2, v = 2 * k + b / 2;
                    double range[2];
                    if (u >= mx || v >= mz)
                        continue;
                    block_range(f, l - 1, u, v, range);
                    widen(to, range[0], range[1]);
                }
            }
    }
    return make_roofs(f, error);
}

/* ---- search ---- */

typedef struct block {
    int level, i, k;
    double bound;
} block;

/* Those at the rim reach down to the bottom: their walls are in them. */
static vv_box box_of(const vv_hf *h, int level, int i, int k)
{
    const int i0 = i << level, k0 = k << level, i1 = i0 + (1 << level), k1 = k0 + (1 << level);
    const bool rim = i0 == 0 || k0 == 0 || i1 >= h->cells[0] || k1 >= h->cells[1];
    double range[2];
    block_range(h->field, level, i, k, range);
    return (vv_box){ { i0 * h->step[0], rim ? h->base : h->scale * range[0], k0 * h->step[1] },
                     { (i1 < h->cells[0] ? i1 : h->cells[0]) * h->step[0], h->scale * range[1],
                       (k1 < h->cells[1] ? k1 : h->cells[1]) * h->step[1] } };
}

/* Puts a block upon the stack, above those from `first` on whose bound is larger. Returns the depth. */
static int push(const vv_hf *h, const vv_hf_search *s, int level, int i, int k, block *stack, int first, int depth)
{
    const vv_box box = box_of(h, level, i, k);
    const block b = { level, i, k, s->bound(s->arg, &box) };
    if (!(b.bound < *s->limit))
        return depth;
    int at = depth;
    for (; at > first && stack[at - 1].bound < b.bound; at--)
        stack[at] = stack[at - 1];
    stack[at] = b;
    return depth + 1;
}

/* The blocks in a rectangle of blocks, of which there are at most 2 x 2. */
static int push_all(const vv_hf *h, const vv_hf_search *s, int level, const int low[2], const int high[2], block *stack,
                    int depth)
{
    const int first = depth;
    for (int k = low[1]; k <= high[1]; k++)
        for (int i = low[0]; i <= high[0]; i++)
            depth = push(h, s, level, i, k, stack, first, depth);
    return depth;
}

static int push_children(const vv_hf *h, const vv_hf_search *s, const block *b, block *stack, int depth)
{
    const int level = b->level - 1, low[2] = { 2 * b->i, 2 * b->k };
    int high[2];
    for (int c = 0; c < 2; c++) {
        const int last = blocks_of(h->cells[c], level) - 1;
        high[c] = low[c] + 1 < last ? low[c] + 1 : last;
    }
    return push_all(h, s, level, low, high, stack, depth);
}

static const double SLACK = 1e-6; /* of a cell: more than rounding */

int vv_hf_cell_at(double place, int cells) { return !(place > 0) ? 0 : place < cells ? (int)place : cells - 1; }

/* The level of the smallest blocks of which 2 x 2 hold what is within `reach` of y, seen from above, and which. */
static int blocks_in_reach(const vv_hf *h, const double y[3], double reach, int low[2], int high[2])
{
    int level = 0;
    for (int c = 0; c < 2; c++) {
        const double each = h->cells[c] / h->size[c];
        low[c] = vv_hf_cell_at((y[2 * c] - reach) * each - SLACK, h->cells[c]);
        high[c] = vv_hf_cell_at((y[2 * c] + reach) * each + SLACK, h->cells[c]);
    }
    for (; level < h->field->levels && (high[0] - low[0] > 1 || high[1] - low[1] > 1); level++)
        for (int c = 0; c < 2; c++)
            low[c] >>= 1, high[c] >>= 1;
    return level;
}

static int push_first(const vv_hf *h, const vv_hf_search *s, block *stack)
{
    int low[2], high[2];
    const int level = blocks_in_reach(h, s->centre, s->reach, low, high);
    return push_all(h, s, level, low, high, stack, 0);
}

/* Whether y is above the roof of the smallest blocks that are no narrower than `reach`: with those around the one
 * below y all within reach are under it. */
static bool above_roof(const vv_hf *h, const double y[3], double reach)
{
    const double x = h->cells[0] / h->size[0], z = h->cells[1] / h->size[1], far = reach * (x > z ? x : z) + 2 * SLACK;
    const int i = vv_hf_cell_at(y[0] * x, h->cells[0]), k = vv_hf_cell_at(y[2] * z, h->cells[1]);
    int level = 0;
    while (level < h->field->levels && far > (double)(1 << level))
        level++;
    const float *roof = h->field->roof + roofs_of(h->field, level);
    return y[1] - h->scale * roof[(size_t)(k >> level) * (size_t)blocks_of(h->cells[0], level) + (size_t)(i >> level)] >
           reach;
}

/* Whether y is above the heights of all blocks that hold what is within reach. */
static bool above_blocks(const vv_hf *h, const double y[3], double reach)
{
    int low[2], high[2];
    double top = -INFINITY, range[2];
    const int level = blocks_in_reach(h, y, reach, low, high);
    for (int k = low[1]; k <= high[1]; k++)
        for (int i = low[0]; i <= high[0]; i++) {
            block_range(h->field, level, i, k, range);
            top = range[1] > top ? range[1] : top;
        }
    return y[1] - h->scale * top > reach;
}

bool vv_hf_above(const vv_hf *h, const double y[3], double reach)
{
    const double top = h->field->index[h->field->level[h->field->levels - 1] + 1];
    return y[1] - h->scale * top > reach || above_roof(h, y, reach) || above_blocks(h, y, reach);
}

void vv_hf_run(const vv_hf *h, const vv_hf_search *s)
{
    block stack[4 * (VV_FIELD_LEVELS + 1)];
    int depth = push_first(h, s, stack);
    while (depth > 0) {
        const block b = stack[--depth];
        if (!(b.bound < *s->limit))
            continue;
        if (b.level == 0)
            s->visit(s->arg, b.i, b.k);
        else
            depth = push_children(h, s, &b, stack, depth);
    }
}
