/* Loops of triple_kernel.c for numbers of type REAL; NAME(x) is x's name for that type (triple_rows.h has some). No
 * include guard: included twice.
 *
 * A group is 64 bytes: LANES rows of one column. In the inner loops a lane is a row, and x, y, z are three vectors;
 * unknowns lie as x y z 0 side by side, so rows are transposed when they are gathered and scattered. The order of all
 * sums is fixed by the layout, not by the width of registers: the bits are the same for every instruction set. */

enum { NAME(LANES) = 64 / (int)sizeof(REAL), NAME(SIDE) = PART_BYTES / (int)sizeof(REAL) };

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

/* y below += P b for the groups begin to end of one supernode: b its own unknowns. */
VV_INLINE void NAME(pass_up)(const vv_triple_work *w, const vv_triple_task *a, const vv_supernode *k, int begin,
                             int end)
{
    REAL *y = (REAL *)w->place + 4 * a->place;
    const int *row = w->tree->row + k->row;
    int groups = (k->rows + LANES - 1) / LANES, mixed = k->width % LANES, list[LANES];
    if (mixed && begin == k->width / LANES) { /* rows of the supernode itself are not to change */
        memcpy(list, row + begin * LANES, sizeof list);
        for (int r = 0; r < mixed; r++)
            list[r] = a->columns + a->above + 1;
    }
#define ROWS_OF(g) (mixed && (g) == k->width / LANES ? list : row + (g)*LANES)
    for (int first_column = 0; first_column < k->width; first_column += VV_TRIPLE_BLOCK) {
        int width = k->width - first_column < VV_TRIPLE_BLOCK ? k->width - first_column : VV_TRIPLE_BLOCK, g = begin;
        size_t stride = (size_t)width * LANES;
        const REAL *v =
            (const REAL *)w->value + k->value + (size_t)first_column * (size_t)groups * LANES + (size_t)begin * stride;
        const REAL *d = y + 4 * (size_t)(k->own + first_column);
        for (; g + 2 <= end; g += 2, v += 2 * stride) {
            rows_of s = { 0 }, t = { 0 };
            for (int j = 0; j < width; j++) {
                __builtin_prefetch(v + 2 * stride + j * LANES);
                __builtin_prefetch(v + 3 * stride + j * LANES);
                NAME(add_column)(&s, v + j * LANES, d + 4 * j);
                NAME(add_column)(&t, v + stride + j * LANES, d + 4 * j);
            }
            NAME(scatter)(y, ROWS_OF(g), &s);
            NAME(scatter)(y, row + g * LANES + LANES, &t);
        }
        if (g < end) {
            rows_of s = { 0 };
            for (int j = 0; j < width; j++)
                NAME(add_column)(&s, v + j * LANES, d + 4 * j);
            NAME(scatter)(y, ROWS_OF(g), &s);
        }
    }
#undef ROWS_OF
}

/* The same as below for a few groups, whose sums stay in registers. */
VV_INLINE void NAME(pass_down_few)(const REAL *y, const int *row, const REAL *v, int width, int groups, REAL *fresh)
{
    rows_of s[4];
    for (int g = 0; g < groups; g++)
        NAME(gather)(y, row + g * LANES, s + g);
    for (int j = 0; j < width; j++, v += LANES) {
        rows_of sum = { 0 };
        for (int g = 0; g < groups; g++)
            NAME(add_rows)(&sum, v + g * width * LANES, s + g);
        NAME(store4)(fresh + 4 * j, NAME(sum)(&sum));
    }
}

/* fresh = P^T y, for one block of columns of a supernode. */
VV_INLINE void NAME(pass_down)(const vv_triple_work *w, const vv_triple_task *a, const vv_supernode *k, int block)
{
    const int *row = w->tree->row + k->row, begin = block * VV_TRIPLE_BLOCK;
    const REAL *y = (const REAL *)w->place + 4 * a->place;
    REAL *fresh = (REAL *)w->fresh + 4 * (size_t)(k->column + begin);
    int groups = (k->rows + LANES - 1) / LANES, g = 0;
    int width = k->width - begin < VV_TRIPLE_BLOCK ? k->width - begin : VV_TRIPLE_BLOCK;
    size_t stride = (size_t)width * LANES;
    const REAL *v = (const REAL *)w->value + k->value + (size_t)begin * (size_t)groups * LANES;
    rows_of sum[VV_TRIPLE_BLOCK];
    switch (groups) {
    case 1: NAME(pass_down_few)(y, row, v, width, 1, fresh); return;
    case 2: NAME(pass_down_few)(y, row, v, width, 2, fresh); return;
    case 3: NAME(pass_down_few)(y, row, v, width, 3, fresh); return;
    }
    memset(sum, 0, (size_t)width * sizeof *sum);
    for (; g + 2 <= groups; g += 2, v += 2 * stride) {
        rows_of s, t;
        NAME(gather)(y, row + g * LANES, &s);
        NAME(gather)(y, row + g * LANES + LANES, &t);
        for (int j = 0; j < width; j++) {
            __builtin_prefetch(v + 2 * stride + j * LANES);
            __builtin_prefetch(v + 3 * stride + j * LANES);
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

/* b into a task's unknowns, and what its children pass on. */
static void NAME(begin_up)(const vv_triple_work *w, int task)
{
    const vv_triple_tree *tree = w->tree;
    const vv_triple_task *a = tree->task + task;
    REAL *y = (REAL *)w->place + 4 * a->place;
    for (int i = 0; i < a->columns; i++) {
        const double *b = w->b + 3 * (size_t)w->node[a->column + i];
        double s = w->scale[a->column + i];
        if (i + AHEAD < a->columns)
            __builtin_prefetch(w->b + 3 * (size_t)w->node[a->column + i + AHEAD]);
        NAME(store4)(y + 4 * (size_t)i, (four){ (REAL)(s * b[0]), (REAL)(s * b[1]), (REAL)(s * b[2]), 0 });
    }
    memset(y + 4 * (size_t)a->columns, 0, 4 * (size_t)(a->above + VV_TRIPLE_PADS) * sizeof *y);
    for (int c = a->child; c < a->child_end; c++) {
        const vv_triple_task *child = tree->task + tree->child[c];
        const REAL *from = (REAL *)w->place + 4 * (child->place + (size_t)child->columns);
        const int *to = tree->in_parent + child->list;
        for (int r = 0; r < child->above; r++) {
            REAL *at = y + 4 * (size_t)to[r];
            NAME(store4)(at, NAME(load4)(at) + NAME(load4)(from + 4 * (size_t)r));
        }
    }
}

static void NAME(up)(const vv_triple_work *w, int task, int k, int begin, int end)
{
    NAME(pass_up)(w, w->tree->task + task, w->tree->supernode + k, begin, end);
}

static void NAME(forward)(const vv_triple_work *w, int task)
{
    const vv_triple_task *a = w->tree->task + task;
    NAME(begin_up)(w, task);
    for (int k = a->supernode; k < a->supernode_end; k++) {
        const vv_supernode *s = w->tree->supernode + k;
        if (s->rows > s->width)
            NAME(pass_up)(w, a, s, s->width / LANES, (s->rows + LANES - 1) / LANES);
    }
}

/* The unknowns above a task, from its parent. */
static void NAME(begin_down)(const vv_triple_work *w, int task)
{
    const vv_triple_tree *tree = w->tree;
    const vv_triple_task *a = tree->task + task;
    REAL *above = (REAL *)w->place + 4 * (a->place + (size_t)a->columns);
    if (a->parent >= 0) {
        const REAL *from = (REAL *)w->place + 4 * tree->task[a->parent].place;
        for (int r = 0; r < a->above; r++)
            NAME(store4)(above + 4 * (size_t)r, NAME(load4)(from + 4 * (size_t)tree->in_parent[a->list + (size_t)r]));
    }
    memset(above + 4 * (size_t)a->above, 0, VV_TRIPLE_PADS * 4 * sizeof *above);
}

static void NAME(down)(const vv_triple_work *w, int task, int k, int block)
{
    NAME(pass_down)(w, w->tree->task + task, w->tree->supernode + k, block);
}

static void NAME(settle)(const vv_triple_work *w, int task, int k)
{
    const vv_supernode *s = w->tree->supernode + k;
    REAL *y = (REAL *)w->place + 4 * w->tree->task[task].place;
    memcpy(y + 4 * (size_t)s->own, (const REAL *)w->fresh + 4 * (size_t)s->column, 4 * (size_t)s->width * sizeof *y);
}

/* A task's unknowns into x. */
static void NAME(end_down)(const vv_triple_work *w, int task)
{
    const vv_triple_task *a = w->tree->task + task;
    const REAL *y = (const REAL *)w->place + 4 * a->place;
    for (int i = 0; i < a->columns; i++) {
        double *x = w->x + 3 * (size_t)w->node[a->column + i], s = w->scale[a->column + i];
        if (i + AHEAD < a->columns)
            __builtin_prefetch(w->x + 3 * (size_t)w->node[a->column + i + AHEAD], 1);
        for (int c = 0; c < 3; c++)
            x[c] = s * (double)y[4 * (size_t)i + (size_t)c];
    }
}

static void NAME(backward)(const vv_triple_work *w, int task)
{
    const vv_triple_task *a = w->tree->task + task;
    NAME(begin_down)(w, task);
    for (int k = a->supernode_end; k-- > a->supernode;) {
        const vv_supernode *s = w->tree->supernode + k;
        for (int block = 0; block * VV_TRIPLE_BLOCK < s->width; block++)
            NAME(pass_down)(w, a, s, block);
        NAME(settle)(w, task, k);
    }
    NAME(end_down)(w, task);
}

/* One group of P, whose rows before the multiplication by T are in `group`: columns j to j + 3. */
VV_INLINE void NAME(multiply)(int width, int j, const double *group, const double *inverse, double out[4][LANES])
{
    vv_d8 sum[4][LANES / 8] = { 0 };
    for (int m = j; m < width; m++) {
        /* 0 right of its diagonal, and in the padding */
        const double *t = inverse + (size_t)m * (size_t)(width + 3) + (size_t)j;
        for (int h = 0; h < LANES / 8; h++) {
            vv_d8 g;
            memcpy(&g, group + m * LANES + 8 * h, sizeof g);
            for (int c = 0; c < 4; c++)
                sum[c][h] += g * t[c];
        }
    }
    memcpy(out, sum, sizeof sum);
}

/* P = (T^T T, -L' T), T = L^-1 of the own rows, L' the rows below: group by group in double precision. */
static bool NAME(store)(const vv_triple_tree *tree, int k, const double *l, double *inverse, double *group, void *value)
{
    const vv_supernode *s = tree->supernode + k;
    int width = s->width, rows = s->rows, groups = (rows + LANES - 1) / LANES;
    size_t side = (size_t)width + 3;
    if (!invert(width, rows, l, inverse))
        return false;
    for (int g = 0; g < groups; g++) {
        if (vv_stopped())
            return false;
        for (int j = 0; j < width; j++)
            for (int r = 0; r < LANES; r++) {
                int i = g * LANES + r;
                group[j * LANES + r] = i < width  ? inverse[(size_t)j * side + (size_t)i]
                                       : i < rows ? -l[(size_t)j * (size_t)rows + (size_t)i]
                                                  : 0;
            }
        for (int j = 0; j < width; j += 4) {
            double out[4][LANES];
            int begin = j / VV_TRIPLE_BLOCK * VV_TRIPLE_BLOCK,
                block = width - begin < VV_TRIPLE_BLOCK ? width - begin : VV_TRIPLE_BLOCK;
            REAL *to = (REAL *)value + s->value +
                       ((size_t)begin * (size_t)groups + (size_t)g * (size_t)block + (size_t)(j - begin)) * LANES;
            NAME(multiply)(width, j, group, inverse, out);
            for (int c = 0; c < 4 && j + c < width; c++)
                for (int r = 0; r < LANES; r++)
                    to[c * LANES + r] = (REAL)out[c][r];
        }
    }
    return true;
}

#undef LANES
#undef SIDE
#undef part
#undef four
#undef rows_of
