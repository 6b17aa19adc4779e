/* Block descent's visit of affine bodies (theory §6.13): the four nodes of each, a clump, move together, by Newton's
 * steps in their twelve numbers. They are stiff where they are bent and turn by much in a step, so that one such step
 * is too few: there are some, each only as far as the part of g that depends on the clump falls. */
#include "solve/realtime/descent_chunk.h"

#include <math.h>
#include <string.h>

enum { LANES = VV_DESCENT_LANES, K = VV_CLUMP_NODES, N = 3 * K, STEPS = 6, MOST_SHIFTS = 40 };
#define SMALL 1e-4 /* a step that promises so little of what the first one did is the last */

typedef struct clumps {
    vv_descent_chunk c; /* of one group */
    _Alignas(64) double cross[2 * VV_CLUMP_CROSS];
    double begin[N * 2], promised[2]; /* where the visit begins; what the first steps promise */
    bool done[2];
} clumps;

/* A = L L^T in place, lower. False: A is not definite. */
static bool factor(double a[N][N])
{
    for (int j = 0; j < N; j++) {
        for (int k = 0; k < j; k++)
            a[j][j] -= a[j][k] * a[j][k];
        if (!(a[j][j] > 0))
            return false;
        a[j][j] = sqrt(a[j][j]);
        for (int i = j + 1; i < N; i++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j];
        }
    }
    return true;
}

static void solve(double a[N][N], double b[N])
{
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < i; k++)
            b[i] -= a[i][k] * b[k];
        b[i] /= a[i][i];
    }
    for (int i = N - 1; i >= 0; i--) {
        for (int k = i + 1; k < N; k++)
            b[i] -= a[k][i] * b[k];
        b[i] /= a[i][i];
    }
}

/* The lower half of the clump's matrix, with `shift` times the masses for inertia. */
static void fill(const clumps *s, int half, double shift, double a[N][N])
{
    static const int at[3][3] = { { 3, 8, 7 }, { 8, 4, 6 }, { 7, 6, 5 } };
    const double *cross = s->cross + VV_CLUMP_CROSS * half;
    for (int i = 0; i < K; i++) {
        const int lane = K * half + i;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                a[3 * i + r][3 * i + c] =
                    s->c.blocks[LANES * at[r][c] + lane] +
                    (r == c ? shift * s->c.k->b.o->system->mass[vv_descent_node(&s->c, 0, lane)] : 0);
    }
    for (int i = 0; i < K; i++)
        for (int j = i + 1; j < K; j++, cross += 9)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    a[3 * j + c][3 * i + r] = cross[3 * r + c];
}

/* A clump's move, and what it promises. Where potentials make the matrix indefinite more inertia helps. */
static void find_move(clumps *s, int half)
{
    const vv_objective *o = s->c.k->b.o;
    double a[N][N], b[N], gradient[N], shift = 1, promise = 0;
    for (int i = 0; i < N; i++) {
        const size_t node = vv_descent_node(&s->c, 0, K * half + i / 3), m = (size_t)i % 3;
        const double q = s->c.k->b.q[3 * node + m];
        s->c.start[m * LANES + (size_t)(K * half + i / 3)] = q;
        gradient[i] =
            s->c.blocks[LANES * m + (size_t)(K * half + i / 3)] + o->system->mass[node] * (q - o->y[3 * node + m]);
    }
    fill(s, half, shift, a);
    for (int i = 0; !factor(a) && i < MOST_SHIFTS; i++) {
        shift *= 10;
        fill(s, half, shift, a);
    }
    for (int i = 0; i < N; i++)
        b[i] = -gradient[i];
    solve(a, b);
    for (int i = 0; i < N; i++) {
        s->c.moves[LANES * (i % 3) + K * half + i / 3] = b[i];
        promise -= gradient[i] * b[i];
    }
    s->c.promise[K * half] = promise;
}

/* All lanes of a clump go the same part: the least of theirs. */
static void share_limits(clumps *s, int half)
{
    double *part = s->c.part + K * half, least = part[0];
    for (int l = 1; l < K; l++)
        least = fmin(least, part[l]);
    for (int l = 0; l < K; l++)
        part[l] = least;
}

/* The sums over the lanes of each clump go to its first. */
static void values_of(clumps *s, double *values)
{
    vv_descent_values(&s->c, values);
    for (int half = 0; half < 2; half++)
        for (int l = 1; l < K; l++)
            values[K * half] += values[K * half + l];
}

/* Halves moves until none raises g; those that do so however short are not made. */
static void go(clumps *s)
{
    values_of(s, s->c.before);
    for (int i = 0; i <= VV_DESCENT_HALVINGS; i++) {
        bool all = true;
        vv_descent_go(&s->c);
        values_of(s, s->c.after);
        for (int half = 0; half < 2; half++) {
            double *part = s->c.part + K * half;
            const double rounding = VV_DESCENT_ROUNDING * fabs(s->c.before[K * half]);
            if (part[0] == 0 || s->c.after[K * half] <= s->c.before[K * half] + rounding ||
                part[0] * s->c.promise[K * half] <= rounding)
                continue;
            for (int l = 0; l < K; l++)
                part[l] = i < VV_DESCENT_HALVINGS - 1 ? 0.5 * part[l] : 0;
            all = false;
        }
        if (all)
            return;
    }
}

/* One step of each clump; those that are done stay. */
static void step(clumps *s, bool first)
{
    memset(s->c.blocks, 0, VV_NODE_BLOCK * LANES * sizeof *s->c.blocks);
    memset(s->cross, 0, sizeof s->cross);
    vv_descent_ask(&s->c, VV_DESCENT_BLOCKS);
    for (int half = 0; half < 2; half++) {
        find_move(s, half);
        const double promise = s->c.promise[K * half];
        if (first)
            s->promised[half] = promise;
        s->done[half] = s->done[half] || (!first && !(promise > SMALL * s->promised[half]));
        for (int l = 0; l < K; l++)
            s->c.part[K * half + l] = s->done[half] ? 0 : 1;
    }
    if (s->done[0] && s->done[1])
        return;
    if (s->c.k->s->limited)
        vv_descent_ask(&s->c, VV_DESCENT_LIMITS);
    for (int half = 0; half < 2; half++)
        share_limits(s, half);
    go(s);
}

void vv_descent_visit_clumps(void *arg, int index)
{
    const vv_descent_solve *k = arg;
    const int group = k->first + index, lanes = k->s->colours.order.lanes[group];
    clumps s = { .c.k = k, .c.groups = 1, .done = { false, lanes < LANES } };
    double longest = 0;
    s.c.batch = (vv_node_batch){ .begin = group,
                                 .end = group + 1,
                                 .node = k->s->colours.order.node,
                                 .blocks = s.c.blocks,
                                 .moves = s.c.moves,
                                 .limits = s.c.part,
                                 .cross = s.cross };
    for (int i = 0; i < 3 * lanes; i++)
        s.begin[i] = k->b.q[3 * vv_descent_node(&s.c, 0, i / 3) + (size_t)i % 3];
    for (int i = 0; i < STEPS && !(s.done[0] && s.done[1]); i++)
        step(&s, i == 0);
    for (int l = 0; l < lanes; l++) {
        double square = 0;
        for (size_t m = 0; m < 3; m++) {
            const double d = k->b.q[3 * vv_descent_node(&s.c, 0, l) + m] - s.begin[3 * (size_t)l + m];
            square += d * d;
        }
        longest = square > longest || isnan(square) ? square : longest;
    }
    k->s->longest[index] = longest > k->s->longest[index] || isnan(longest) ? longest : k->s->longest[index];
}
