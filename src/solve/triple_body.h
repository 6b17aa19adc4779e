/* Loops of triple_kernel.c for numbers of type REAL; NAME(x) is x's name for that type. No include guard: included twice.
 *
 * A group is 64 bytes: LANES rows of one column. In the inner loops a lane is a row, and x, y, z are three vectors; unknowns lie
 * as x y z 0 side by side, so rows are transposed when they are gathered and scattered. The order of all sums is fixed by the
 * layout, not by the width of registers: the bits are the same for every instruction set. */

enum { NAME(LANES) = 64 / (int)sizeof(REAL), NAME(SIDE) = PART_BYTES / (int)sizeof(REAL) };
typedef REAL NAME(part) __attribute__((vector_size(PART_BYTES)));
typedef REAL NAME(four) __attribute__((vector_size(4 * sizeof(REAL))));
typedef struct NAME(rows) {
    NAME(part) x[PARTS], y[PARTS], z[PARTS];
} NAME(rows); /* a group's three right-hand sides */

#define LANES NAME(LANES)
#define SIDE NAME(SIDE)
#define part NAME(part)
#define four NAME(four)
#define rows_of NAME(rows)

VV_INLINE part NAME(load)(const REAL *p)
{
    part v;
    memcpy(&v, p, sizeof v);
    return v;
}
VV_INLINE four NAME(load4)(const REAL *p)
{
    four v;
    memcpy(&v, p, sizeof v);
    return v;
}
VV_INLINE void NAME(store4)(REAL *p, four v) { memcpy(p, &v, sizeof v); }

/* The rows `row` of y, as three vectors. */
VV_INLINE void NAME(gather)(const REAL *y, const int *row, rows_of *out)
{
    REAL t[3][LANES];
    for (int r = 0; r < LANES; r++)
        for (int c = 0; c < 3; c++)
            t[c][r] = y[4 * (size_t)row[r] + (size_t)c];
    memcpy(out, t, sizeof t);
}

/* y += s in the rows `row` */
VV_INLINE void NAME(scatter)(REAL *y, const int *row, const rows_of *s)
{
    REAL t[3][LANES];
    memcpy(t, s, sizeof t);
    for (int r = 0; r < LANES; r++) {
        REAL *to = y + 4 * (size_t)row[r];
        four add = { t[0][r], t[1][r], t[2][r], 0 };
        NAME(store4)(to, NAME(load4)(to) + add);
    }
}

/* The three sums over the lanes. */
VV_INLINE four NAME(sum)(const rows_of *s)
{
    REAL t[3][LANES];
    memcpy(t, s, sizeof t);
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int c = 0; c < 3; c++)
            for (int r = 0; r < half; r++)
                t[c][r] += t[c][r + half];
    return (four){ t[0][0], t[1][0], t[2][0], 0 };
}

/* s += v d, for the lanes of one group and one column */
VV_INLINE void NAME(add_column)(rows_of *s, const REAL *v, const REAL *d)
{
    for (int p = 0; p < PARTS; p++) {
        part a = NAME(load)(v + p * SIDE);
        s->x[p] += a * d[0];
        s->y[p] += a * d[1];
        s->z[p] += a * d[2];
    }
}

/* s += v y, lane by lane */
VV_INLINE void NAME(add_rows)(rows_of *s, const REAL *v, const rows_of *y)
{
    for (int p = 0; p < PARTS; p++) {
        part a = NAME(load)(v + p * SIDE);
        s->x[p] += a * y->x[p];
        s->y[p] += a * y->y[p];
        s->z[p] += a * y->z[p];
    }
}

/* y below += P b, for one supernode: b its own unknowns. */
VV_INLINE void NAME(pass_up)(const vv_triple_tree *tree, const vv_supernode *k, const REAL *value, REAL *y)
{
    if (k->rows == k->width)
        return;
    const int *row = tree->row + k->row;
    REAL *own = y + 4 * (size_t)k->own, kept[4 * LANES];
    int first = k->width / LANES, groups = (k->rows + LANES - 1) / LANES, mixed = k->width % LANES;
    /* the first group may have rows of the supernode itself, which are not to change */
    REAL *change = own + 4 * (size_t)(k->width - mixed);
    memcpy(kept, change, (size_t)(4 * mixed) * sizeof *kept);
    for (int begin = 0; begin < k->width; begin += VV_TRIPLE_BLOCK) {
        int width = k->width - begin < VV_TRIPLE_BLOCK ? k->width - begin : VV_TRIPLE_BLOCK, g = first;
        size_t stride = (size_t)width * LANES;
        const REAL *v = value + k->value + (size_t)begin * (size_t)groups * LANES + (size_t)first * stride;
        const REAL *d = own + 4 * (size_t)begin;
        for (; g + 2 <= groups; g += 2, v += 2 * stride) {
            rows_of s = { 0 }, t = { 0 };
            for (int j = 0; j < width; j++) {
                NAME(add_column)(&s, v + j * LANES, d + 4 * j);
                NAME(add_column)(&t, v + stride + j * LANES, d + 4 * j);
            }
            NAME(scatter)(y, row + g * LANES, &s);
            NAME(scatter)(y, row + g * LANES + LANES, &t);
            if (g == first)
                memcpy(change, kept, (size_t)(4 * mixed) * sizeof *kept);
        }
        if (g < groups) {
            rows_of s = { 0 };
            for (int j = 0; j < width; j++)
                NAME(add_column)(&s, v + j * LANES, d + 4 * j);
            NAME(scatter)(y, row + g * LANES, &s);
            if (g == first)
                memcpy(change, kept, (size_t)(4 * mixed) * sizeof *kept);
        }
    }
}

/* fresh = P^T y, for one block of columns of a supernode. */
VV_INLINE void NAME(pass_down)(const vv_triple_tree *tree, const vv_supernode *k, const REAL *value, const REAL *y, int begin, REAL *fresh)
{
    const int *row = tree->row + k->row;
    int groups = (k->rows + LANES - 1) / LANES, g = 0;
    int width = k->width - begin < VV_TRIPLE_BLOCK ? k->width - begin : VV_TRIPLE_BLOCK;
    size_t stride = (size_t)width * LANES;
    const REAL *v = value + k->value + (size_t)begin * (size_t)groups * LANES;
    rows_of sum[VV_TRIPLE_BLOCK];
    memset(sum, 0, (size_t)width * sizeof *sum);
    for (; g + 2 <= groups; g += 2, v += 2 * stride) {
        rows_of s, t;
        NAME(gather)(y, row + g * LANES, &s);
        NAME(gather)(y, row + g * LANES + LANES, &t);
        for (int j = 0; j < width; j++) {
            NAME(add_rows)(sum + j, v + j * LANES, &s);
            NAME(add_rows)(sum + j, v + stride + j * LANES, &t);
        }
    }
    if (g < groups) {
        rows_of s;
        NAME(gather)(y, row + g * LANES, &s);
        for (int j = 0; j < width; j++)
            NAME(add_rows)(sum + j, v + j * LANES, &s);
    }
    for (int j = 0; j < width; j++)
        NAME(store4)(fresh + 4 * j, NAME(sum)(sum + j));
}

static void NAME(forward)(const vv_triple_work *w, int task)
{
    const vv_triple_tree *tree = w->tree;
    const vv_triple_task *a = tree->task + task;
    REAL *y = (REAL *)w->place + 4 * a->place;
    for (int i = 0; i < a->columns; i++) {
        const double *b = w->b + 3 * (size_t)w->node[a->column + i];
        double s = w->scale[a->column + i];
        NAME(store4)(y + 4 * (size_t)i, (four){ (REAL)(s * b[0]), (REAL)(s * b[1]), (REAL)(s * b[2]), 0 });
    }
    memset(y + 4 * (size_t)a->columns, 0, 4 * (size_t)(a->above + 1) * sizeof *y);
    for (int c = a->child; c < a->child_end; c++) {
        const vv_triple_task *child = tree->task + tree->child[c];
        const REAL *from = (REAL *)w->place + 4 * (child->place + (size_t)child->columns);
        const int *to = tree->in_parent + child->list;
        for (int r = 0; r < child->above; r++) {
            REAL *at = y + 4 * (size_t)to[r];
            NAME(store4)(at, NAME(load4)(at) + NAME(load4)(from + 4 * (size_t)r));
        }
    }
    for (int k = a->supernode; k < a->supernode_end; k++)
        NAME(pass_up)(tree, tree->supernode + k, w->value, y);
}

static void NAME(backward)(const vv_triple_work *w, int task)
{
    const vv_triple_tree *tree = w->tree;
    const vv_triple_task *a = tree->task + task;
    REAL *y = (REAL *)w->place + 4 * a->place, *above = y + 4 * (size_t)a->columns;
    if (a->parent >= 0) {
        const REAL *from = (REAL *)w->place + 4 * tree->task[a->parent].place;
        for (int r = 0; r < a->above; r++)
            NAME(store4)(above + 4 * (size_t)r, NAME(load4)(from + 4 * (size_t)tree->in_parent[a->list + (size_t)r]));
    }
    memset(above + 4 * (size_t)a->above, 0, 4 * sizeof *y);
    for (int k = a->supernode_end; k-- > a->supernode;) {
        const vv_supernode *s = tree->supernode + k;
        REAL *fresh = (REAL *)w->fresh + 4 * (size_t)s->column;
        for (int begin = 0; begin < s->width; begin += VV_TRIPLE_BLOCK)
            NAME(pass_down)(tree, s, w->value, y, begin, fresh + 4 * (size_t)begin);
        memcpy(y + 4 * (size_t)s->own, fresh, 4 * (size_t)s->width * sizeof *y);
    }
    for (int i = 0; i < a->columns; i++) {
        double *x = w->x + 3 * (size_t)w->node[a->column + i], s = w->scale[a->column + i];
        for (int c = 0; c < 3; c++)
            x[c] = s * (double)y[4 * (size_t)i + (size_t)c];
    }
}

/* T = L^-1 of the upper rows, row by row. */
VV_INLINE void NAME(invert)(int width, int rows, const double *l, double *t)
{
    memset(t, 0, (size_t)width * (size_t)width * sizeof *t);
    for (int i = 0; i < width; i++) {
        double *to = t + (size_t)i * (size_t)width, pivot = 1 / l[(size_t)i * (size_t)rows + (size_t)i];
        for (int k = 0; k < i; k++) {
            const double *from = t + (size_t)k * (size_t)width;
            double factor = l[(size_t)k * (size_t)rows + (size_t)i];
            for (int j = 0; j <= k; j++)
                to[j] -= factor * from[j];
        }
        for (int j = 0; j < i; j++)
            to[j] *= pivot;
        to[i] = pivot;
    }
}

/* P = (T^T T, -L' T), T = L^-1 of the own rows, L' the rows below: group by group in double precision. */
static void NAME(store)(const vv_triple_tree *tree, int k, const double *l, double *inverse, double *group, void *value)
{
    const vv_supernode *s = tree->supernode + k;
    int width = s->width, rows = s->rows, groups = (rows + LANES - 1) / LANES;
    NAME(invert)(width, rows, l, inverse);
    for (int g = 0; g < groups; g++) {
        for (int j = 0; j < width; j++)
            for (int r = 0; r < LANES; r++) {
                int i = g * LANES + r;
                group[j * LANES + r] = i < width ? inverse[(size_t)j * (size_t)width + (size_t)i]
                                                 : i < rows ? -l[(size_t)j * (size_t)rows + (size_t)i] : 0;
            }
        for (int j = 0; j < width; j++) {
            double sum[LANES] = { 0 };
            for (int m = j; m < width; m++)
                for (int r = 0; r < LANES; r++)
                    sum[r] += group[m * LANES + r] * inverse[(size_t)m * (size_t)width + (size_t)j];
            int begin = j / VV_TRIPLE_BLOCK * VV_TRIPLE_BLOCK, block = width - begin < VV_TRIPLE_BLOCK ? width - begin : VV_TRIPLE_BLOCK;
            REAL *to = (REAL *)value + s->value + ((size_t)begin * (size_t)groups + (size_t)g * (size_t)block + (size_t)(j - begin)) * LANES;
            for (int r = 0; r < LANES; r++)
                to[r] = (REAL)sum[r];
        }
    }
}

#undef LANES
#undef SIDE
#undef part
#undef four
#undef rows_of
