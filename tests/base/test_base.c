/* Small matrices, memory, errors, parallel loops, the 3x3-block matrix. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sparse/bsr.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text/param.h"
#include "base/vec.h"

/* splitmix64: the same numbers everywhere */
static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static double uniform(uint64_t *state) { return (double)(random_bits(state) >> 11) * 0x1p-52 - 1; } /* [-1, 1) */
static void random_array(uint64_t *state, double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = uniform(state);
}

/* ---- vec.h ------------------------------------------------------------------------------------------------------ */

static void assert_close(const double *a, const double *b, int n, double tolerance)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= tolerance))
            fail_msg("entry %d: %.17g, expected %.17g", i, a[i], b[i]);
}

static void transpose(const double a[9], double t[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            t[3 * j + i] = a[3 * i + j];
}

static const double identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };

static void assert_rotation(const double r[9])
{
    double t[9], p[9];
    transpose(r, t);
    vv_matmul(r, t, p);
    assert_close(p, identity, 9, 1e-14);
    double det = vv_det(r);
    assert_close(&det, &identity[0], 1, 1e-14);
}

static void rotations_turn_right_handed(void **state)
{
    (void)state;
    double r[9], y[3];
    const double x_axis[3] = { 1, 0, 0 }, z_axis[3] = { 0, 0, 2 }, y_axis[3] = { 0, 1, 0 };
    vv_axis_angle(z_axis, acos(-1) / 2, r); /* the axis need not be unit */
    vv_matvec(r, x_axis, y);
    assert_close(y, y_axis, 3, 1e-15);
    /* Rx(90) Ry(90) z = Rx(90) x = x; the other order would give -y */
    const double turn[3] = { 90, 90, 0 }, unit_z[3] = { 0, 0, 1 };
    vv_euler_degrees(turn, r);
    vv_matvec(r, unit_z, y);
    assert_close(y, x_axis, 3, 1e-15);
}

static void rotations_compose(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int k = 0; k < 200; k++) {
        double axis[3], angles[2], a[9], b[9], ab[9], sum[9], fixed[3];
        random_array(&seed, axis, 3);
        random_array(&seed, angles, 2);
        vv_axis_angle(axis, 6 * angles[0], a);
        vv_axis_angle(axis, 6 * angles[1], b);
        assert_rotation(a);
        vv_matmul(a, b, ab);
        vv_axis_angle(axis, 6 * (angles[0] + angles[1]), sum);
        assert_close(ab, sum, 9, 1e-13);
        vv_matvec(a, axis, fixed);
        assert_close(fixed, axis, 3, 1e-14);
        double degrees[3] = { 400 * axis[0], 400 * axis[1], 400 * axis[2] };
        vv_euler_degrees(degrees, a);
        assert_rotation(a);
    }
    const double none[3] = { 0, 0, 0 };
    double r[9];
    vv_axis_angle(none, 1, r);
    assert_close(r, identity, 9, 0);
    vv_euler_degrees(none, r);
    assert_close(r, identity, 9, 0);
}

static void cross_and_products_may_alias(void **state)
{
    (void)state;
    uint64_t seed = 2;
    double a[9], b[9], c[9], x[3], y[3], z[3];
    random_array(&seed, a, 9);
    random_array(&seed, b, 9);
    random_array(&seed, x, 3);
    random_array(&seed, y, 3);
    vv_cross(x, y, z);
    assert_true(fabs(vv_dot(x, z)) < 1e-15 && fabs(vv_dot(y, z)) < 1e-15);
    double area = vv_dot(x, x) * vv_dot(y, y) - vv_dot(x, y) * vv_dot(x, y), squared = vv_dot(z, z);
    assert_close(&squared, &area, 1, 1e-15);
    vv_cross(x, y, x);
    assert_close(x, z, 3, 0);
    vv_matmul(a, b, c);
    double det_c = vv_det(c), det_ab = vv_det(a) * vv_det(b);
    assert_close(&det_c, &det_ab, 1, 1e-14);
    vv_matmul(a, b, a);
    assert_close(a, c, 9, 0);
    vv_matvec(b, y, z);
    vv_matvec(b, y, y);
    assert_close(y, z, 3, 0);
}

static void inverse_inverts(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int k = 0; k < 500; k++) {
        double a[9], b[9], p[9];
        random_array(&seed, a, 9);
        double scale = pow(10, 30 * uniform(&seed));
        for (int i = 0; i < 9; i++)
            a[i] *= scale;
        double det = vv_inverse(a, b);
        assert_true(det == vv_det(a) && det != 0);
        vv_matmul(a, b, p);
        assert_close(p, identity, 9, 1e-10);
    }
    const double singular[9] = { 1, 2, 3, 2, 4, 6, 0, 0, 1 };
    double untouched[9];
    memcpy(untouched, identity, sizeof untouched);
    assert_true(vv_inverse(singular, untouched) == 0);
    assert_close(untouched, identity, 9, 0);
}

/* A = V diag(w) V^T with w ascending and V orthonormal, to rounding of A's size. */
static void assert_eigen(const double a[9])
{
    double w[3], v[9], t[9], back[9], size = 0;
    for (int i = 0; i < 9; i++)
        size = fmax(size, fabs(a[i]));
    vv_eigen_symmetric(a, w, v);
    assert_true(w[0] <= w[1] && w[1] <= w[2]);
    transpose(v, t);
    vv_matmul(t, v, back);
    assert_close(back, identity, 9, 1e-14);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            back[3 * i + j] = w[i] * t[3 * i + j];
    vv_matmul(v, back, back);
    assert_close(back, a, 9, 1e-14 * size);
}

static void eigen_decomposes(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int k = 0; k < 2000; k++) {
        double b[9], t[9], a[9], scale = pow(10, 40 * uniform(&seed));
        random_array(&seed, b, 9);
        transpose(b, t);
        for (int i = 0; i < 9; i++)
            a[i] = (b[i] + t[i]) * scale;
        assert_eigen(a);
        /* two eigenvalues alike, to the bit or nearly: 1 + c u u^T */
        double c = k % 2 ? uniform(&seed) : 1e-9 * uniform(&seed);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                a[3 * i + j] = (i == j) + c * b[i] * b[j];
        assert_eigen(a);
    }
    const double zero[9] = { 0 }, diagonal[9] = { 3, 0, 0, 0, -2, 0, 0, 0, 1 };
    assert_eigen(zero);
    assert_eigen(identity);
    assert_eigen(diagonal);
    double w[3], v[9], bad[9] = { NAN, 1, 2, 1, NAN, 3, 2, 3, NAN };
    vv_eigen_symmetric(bad, w, v); /* returns */
}

/* Where a matrix has no inverse: as if what it does not reach were not there. */
static void solve_semidefinite_is_the_pseudo_inverse(void **state)
{
    (void)state;
    uint64_t random = 5;
    double r[9], a[9], b[9], x[3], y[3], z[3];
    vv_axis_angle((double[]){ 1, -2, 0.5 }, 0.7, r);
    for (int rank = 0; rank <= 3; rank++) {
        const double w[3] = { rank > 0 ? 4 : 0, rank > 1 ? 1e-3 : 0, rank > 2 ? 7 : 1e-15 * (rank > 0) };
        for (int i = 0; i < 9; i++)
            a[i] = w[0] * r[i / 3 * 3] * r[i % 3 * 3] + w[1] * r[i / 3 * 3 + 1] * r[i % 3 * 3 + 1] +
                   w[2] * r[i / 3 * 3 + 2] * r[i % 3 * 3 + 2];
        random_array(&random, b, 3);
        vv_solve_semidefinite(a, b, x);
        for (int i = 0; i < 3; i++) { /* the part of b that is in reach, along the columns of r */
            y[i] = 0;
            for (int j = 0; j < rank; j++)
                y[i] += r[3 * i + j] * (r[j] * b[0] + r[3 + j] * b[1] + r[6 + j] * b[2]);
        }
        vv_matvec(a, x, z);
        assert_close(z, y, 3, 1e-11);
        for (int j = rank; j < 3; j++)
            assert_true(fabs(r[j] * x[0] + r[3 + j] * x[1] + r[6 + j] * x[2]) < 1e-9);
    }
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void alloc_is_zeroed_aligned_checked(void **state)
{
    (void)state;
    const size_t sizes[] = { 0, 1, 63, 64, 65, 4096, 100001 };
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        unsigned char *p = vv_alloc(sizes[k], 1);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 64, 0);
        for (size_t i = 0; i < sizes[k]; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xff, sizes[k]);
        vv_free(p);
    }
    void *nothing = vv_alloc(10, 0);
    assert_non_null(nothing);
    vv_free(nothing);
    vv_free(NULL);
    /* products that overflow, and sizes that overflow when they are rounded up */
    assert_null(vv_alloc(SIZE_MAX, 2));
    assert_null(vv_alloc(SIZE_MAX / 8 + 2, 8));
    assert_null(vv_alloc(SIZE_MAX, 1));
    assert_null(vv_alloc(SIZE_MAX - 63, 1));
    char *copy = vv_strdup("vis viva");
    assert_string_equal(copy, "vis viva");
    vv_free(copy);
}

static void grow_keeps_what_is_there(void **state)
{
    (void)state;
    int *array = NULL;
    size_t capacity = 0, moves = 0;
    for (int i = 0; i < 100000; i++) {
        size_t before = capacity;
        assert_true(vv_grow((void **)&array, &capacity, (size_t)i + 1, sizeof *array));
        moves += capacity != before;
        assert_true(capacity > (size_t)i);
        array[i] = i;
    }
    for (int i = 0; i < 100000; i++)
        assert_int_equal(array[i], i);
    assert_true(moves < 40); /* geometric */
    int *before = array;
    size_t capacity_before = capacity;
    assert_false(vv_grow((void **)&array, &capacity, SIZE_MAX / 2, sizeof *array));
    assert_ptr_equal(array, before);
    assert_int_equal(capacity, capacity_before);
    assert_int_equal(array[99999], 99999);
    vv_free(array);
}

static void arena_gives_disjoint_memory(void **state)
{
    (void)state;
    enum { COUNT = 400 };
    vv_arena arena = { 0 };
    uint64_t seed = 5;
    for (int round = 0; round < 20; round++) {
        unsigned char *piece[COUNT];
        size_t size[COUNT], mark[COUNT];
        int held = 0;
        for (int k = 0; k < COUNT; k++) {
            if (held > 3 && random_bits(&seed) % 5 == 0) { /* release some of the newest */
                held -= (int)(random_bits(&seed) % 3) + 1;
                vv_arena_release(&arena, mark[held]);
                continue;
            }
            mark[held] = vv_arena_mark(&arena);
            size[held] = random_bits(&seed) % (random_bits(&seed) % 50 == 0 ? (size_t)1 << 21 : 4000);
            piece[held] = vv_arena_push(&arena, size[held], 1);
            assert_non_null(piece[held]);
            assert_int_equal((uintptr_t)piece[held] % 64, 0);
            memset(piece[held], held & 0xff, size[held]);
            held++;
        }
        /* nobody wrote into another's piece */
        for (int k = 0; k < held; k++)
            for (size_t i = 0; i < size[k]; i += 61)
                assert_int_equal(piece[k][i], k & 0xff);
        vv_arena_release(&arena, 0);
    }
    vv_arena_free(&arena);
    assert_null(arena.blocks);
    assert_int_equal(vv_arena_mark(&arena), 0);
}

static void arena_stays_where_it_is_once_warm(void **state)
{
    (void)state;
    vv_arena arena = { 0 };
    char *first[12];
    struct vv_arena_block *newest = NULL;
    for (int round = 0; round < 5; round++) {
        size_t mark = vv_arena_mark(&arena);
        for (int k = 0; k < 12; k++) {
            char *p = vv_arena_push(&arena, (size_t)300000 + 100000 * (size_t)k, 1);
            assert_non_null(p);
            if (round == 0)
                first[k] = p;
            assert_ptr_equal(p, first[k]);
        }
        if (round == 0)
            newest = arena.blocks;
        assert_ptr_equal(arena.blocks, newest); /* no block was added */
        vv_arena_release(&arena, mark);
    }
    size_t used = arena.used;
    assert_null(vv_arena_push(&arena, SIZE_MAX / 2, 3)); /* overflow: refused, the arena goes on */
    assert_int_equal(arena.used, used);
    assert_ptr_equal(vv_arena_push(&arena, 300000, 1), first[0]);
    assert_true(arena.peak >= arena.used);
    vv_arena_free(&arena);
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static const vvInfo *some_names(int index)
{
    static const vvInfo rows[] = { { "backward-euler", "" }, { "bdf2", "" }, { "bathe", "" }, { "verlet", "" } };
    return index < 4 ? &rows[index] : NULL;
}

/* Words of a file must not reach a terminal as commands. */
static void errors_are_plain_text(void **state)
{
    (void)state;
    vvError error;
    vv_fail(&error, VV_ERROR_INPUT, "section '%s' of gr\xc3\xbc\xc3\x9f.msh", "a\x1b[2J\x11\x7f\n\xc2\x9b");
    assert_string_equal(error.message, "section 'a?[2J??"
                                       "???"
                                       "' of gr\xc3\xbc\xc3\x9f.msh");
    vv_fail_prefix(&error, "%s: ", "x\ty");
    assert_true(strncmp(error.message, "x?y: section", 12) == 0);
}

static void errors_are_cut_not_overrun(void **state)
{
    (void)state;
    struct {
        vvError error;
        char guard[16];
    } e;
    memset(&e, 'g', sizeof e);
    assert_int_equal(vv_fail(&e.error, VV_ERROR_INPUT, "%d apples, %s", 3, "not pears"), VV_ERROR_INPUT);
    assert_string_equal(e.error.message, "3 apples, not pears");
    assert_int_equal(e.error.status, VV_ERROR_INPUT);
    char longer[5000];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = 0;
    vv_fail(&e.error, VV_ERROR_IO, "%s", longer);
    assert_int_equal(strlen(e.error.message), sizeof e.error.message - 1);
    assert_int_equal(vv_fail_prefix(&e.error, "%s", longer), VV_ERROR_IO);
    assert_int_equal(strlen(e.error.message), sizeof e.error.message - 1);
    for (size_t i = 0; i < sizeof e.guard; i++)
        assert_int_equal(e.guard[i], 'g');
    vv_error_clear(&e.error);
    assert_int_equal(e.error.status, VV_OK);
    assert_string_equal(e.error.message, "");
}

static void errors_may_be_nobodys(void **state)
{
    (void)state;
    assert_int_equal(vv_fail(NULL, VV_ERROR_SOLVER, "%s", "unheard"), VV_ERROR_SOLVER);
    assert_int_equal(vv_fail_memory(NULL, "anything"), VV_ERROR_MEMORY);
    assert_int_not_equal(vv_fail_prefix(NULL, "x: "), VV_OK);
    vv_error_clear(NULL);
}

static void errors_tell_where(void **state)
{
    (void)state;
    vvError error = { 0 };
    vv_fail_memory(&error, "the sparse matrix");
    assert_int_equal(error.status, VV_ERROR_MEMORY);
    assert_non_null(strstr(error.message, "the sparse matrix"));
    vv_fail(&error, VV_ERROR_INPUT, "%s", "unknown key 100%s");
    assert_int_equal(vv_fail_prefix(&error, "%s:%d: ", "scene.json", 12), VV_ERROR_INPUT);
    assert_string_equal(error.message, "scene.json:12: unknown key 100%s");
    for (int a = VV_OK; a <= VV_CANCELLED; a++)
        for (int b = VV_OK; b < a; b++)
            assert_string_not_equal(vvStatusName((vvStatus)a), vvStatusName((vvStatus)b));
    assert_non_null(vvStatusName((vvStatus)99));
}

static void names_are_listed_and_guessed(void **state)
{
    (void)state;
    char out[64], cut[12];
    vv_list_names(out, sizeof out, some_names);
    assert_string_equal(out, "backward-euler, bdf2, bathe, verlet");
    memset(cut, '#', sizeof cut);
    vv_list_names(cut, sizeof cut - 1, some_names);
    assert_string_equal(cut, "backward-e");
    assert_int_equal(cut[sizeof cut - 1], '#');
    vv_list_names(cut, 0, some_names);
    assert_string_equal(vv_nearest_name("backwards-euler", some_names), "backward-euler");
    assert_string_equal(vv_nearest_name("bfd2", some_names), "bdf2");
    assert_null(vv_nearest_name("newton", some_names));
    assert_null(vv_nearest_name("", some_names));
    static const char *const words[] = { "run", "render", "check", "E" };
    assert_string_equal(vvNearestWord("chekc", words, 4), "check");
    assert_string_equal(vvNearestWord("Render", words, 4), "render");
    assert_string_equal(vvNearestWord("rum", words, 4), "run");
    assert_null(vvNearestWord("mu", words, 4)); /* two letters from "run", of three */
    assert_null(vvNearestWord("plot", words, 4));
    assert_null(vvNearestWord("run", words, 0));
    assert_null(vvNearestWord(NULL, words, 4));
}

/* What a parameter takes, and what is said of anything else. */
static void values_of_parameters_are_checked(void **state)
{
    (void)state;
    static const vvInfo colours[] = { { "red", "" }, { "green", "" }, { "blue", "" } };
    static const vvParam size = { "size", "", "m", 3, false, { 1, 1, 1 }, 0, 10 };
    static const vvParam cells = { "cells", "", "", 1, true, { 4 }, 1, 8 };
    static const vvParam colour = { "colour", "", "", 1, true, { 1 }, 0, 2, 3, colours };
    static const struct {
        const vvParam *param;
        double x;
        const char *message; /* NULL: allowed */
    } rows[] = { { &size, 10, NULL },
                 { &size, 11, "box.size[1] is 11; it must be a number from 0 to 10 m" },
                 { &size, NAN, "box.size[1] is nan" },
                 { &cells, 8, NULL },
                 { &cells, 1.5, "box.cells is 1.5; it must be a whole number from 1 to 8" },
                 { &cells, -INFINITY, "box.cells is -inf" },
                 { &colour, 2, NULL },
                 { &colour, 3,
                   "box.colour is 3; it must be a whole number from 0 to 2, the place of one of: red, green, blue" },
                 { &colour, 0.5, "the place of one of" } };
    vvError error;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vv_error_clear(&error);
        vvStatus status = vv_param_check(rows[i].param, 1, rows[i].x, "box", &error);
        assert_int_equal(status, rows[i].message ? VV_ERROR_INPUT : VV_OK);
        if (!strstr(error.message, rows[i].message ? rows[i].message : ""))
            fail_msg("%s", error.message);
    }
    assert_int_equal(vvParamChoice(&colour, "red"), 0);
    assert_int_equal(vvParamChoice(&colour, "blue"), 2);
    assert_int_equal(vvParamChoice(&colour, "Blue"), -1);
    assert_int_equal(vvParamChoice(&colour, ""), -1);
    assert_int_equal(vvParamChoice(&colour, NULL), -1);
    assert_int_equal(vvParamChoice(&cells, "red"), -1);
    int place = 7;
    assert_int_equal(vv_param_place(&colour, "blue", "box", &place, &error), VV_OK);
    assert_int_equal(place, 2);
    assert_int_equal(vv_param_place(&colour, "gren", "box", &place, &error), VV_ERROR_INPUT);
    assert_string_equal(error.message,
                        "box.colour: \"gren\" is not known; did you mean \"green\"; there are: red, green, blue");
    assert_int_equal(vv_param_place(&colour, "", "box", &place, &error), VV_ERROR_INPUT);
    assert_string_equal(error.message, "box.colour: \"\" is not known; there are: red, green, blue");
    assert_int_equal(vv_param_place(&size, "red", "box", &place, &error), VV_ERROR_INPUT);
    assert_string_equal(error.message, "box.size: \"red\" is a name; it must be a number from 0 to 10 m");
}

static void edit_distance_is_a_metric(void **state)
{
    (void)state;
    assert_int_equal(vv_edit_distance("kitten", "sitting"), 3);
    assert_int_equal(vv_edit_distance("", "abc"), 3);
    assert_int_equal(vv_edit_distance("BDF2", "bdf-2"), 1);
    assert_int_equal(vv_edit_distance("flil", "fill"), 1); /* two letters swapped are one slip */
    assert_int_equal(vv_edit_distance("flil", "file"), 2);
    assert_int_equal(vv_edit_distance("meterail", "material"), 2);
    const char *words[] = { "", "a", "ab", "ba", "bdf2", "bathe", "backward-euler", "forward-euler", "verlet" };
    enum { N = sizeof words / sizeof *words };
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int d = vv_edit_distance(words[i], words[j]);
            assert_int_equal(d, vv_edit_distance(words[j], words[i]));
            assert_int_equal(d == 0, i == j);
            for (int k = 0; k < N; k++)
                assert_true(d <= vv_edit_distance(words[i], words[k]) + vv_edit_distance(words[k], words[j]));
        }
    char longer[200];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    assert_int_equal(vv_edit_distance(longer, "x"), 48);
}

/* ---- parallel loops ---------------------------------------------------------------------------------------------- */

static void visit(void *arg, int chunk) { ((int *)arg)[chunk]++; }

static void every_chunk_once(void **state)
{
    (void)state;
    const int chunks[] = { 0, 1, 2, 3, 7, 64, 1000 };
    for (size_t k = 0; k < sizeof chunks / sizeof *chunks; k++)
        for (int threads = 0; threads <= 9; threads++) {
            vv_parallel par = { .threads = threads };
            int *count = vv_alloc((size_t)chunks[k], sizeof *count);
            assert_non_null(count);
            vv_for(threads ? &par : NULL, chunks[k], visit, count); /* NULL: serial */
            for (int c = 0; c < chunks[k]; c++)
                assert_int_equal(count[c], 1);
            vv_free(count);
        }
    assert_true(vv_core_count() >= 1);
}

static void chunks_cover_the_range(void **state)
{
    (void)state;
    const int sizes[] = { 0, 1, VV_CHUNK - 1, VV_CHUNK, VV_CHUNK + 1, 10 * VV_CHUNK + 7 };
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int n = sizes[k], next = 0;
        for (int c = 0; c < vv_chunks(n); c++) {
            assert_int_equal(vv_chunk_begin(c), next);
            next = vv_chunk_end(c, n);
            assert_true(next > vv_chunk_begin(c));
        }
        assert_int_equal(next, n);
    }
}

/* ---- the 3x3-block matrix
 * ------------------------------------------------------------------------------------------ */

enum { ROWS = 60, CLIQUES = 90 };

typedef struct sample {
    vv_bsr a;
    bool coupled[ROWS][ROWS];
    double dense[3 * ROWS][3 * ROWS];
} sample;

/* Random cliques of 2 to 4 unknowns, some of them prescribed, each adding a random 12x12 matrix or part of it. */
static void sample_make(sample *s, uint64_t seed)
{
    int unknowns[CLIQUES][4], sizes[CLIQUES];
    vv_pattern pattern = { .n = ROWS };
    memset(s, 0, sizeof *s);
    for (int i = 0; i < ROWS; i++)
        s->coupled[i][i] = true;
    for (int e = 0; e < CLIQUES; e++) {
        sizes[e] = 2 + (int)(random_bits(&seed) % 3);
        for (int k = 0; k < sizes[e]; k++) /* -1 stands for a prescribed node; the last row stays alone */
            unknowns[e][k] = (int)(random_bits(&seed) % ROWS) - 1;
        vv_pattern_clique(&pattern, unknowns[e], sizes[e]);
        for (int i = 0; i < sizes[e]; i++)
            for (int j = 0; j < sizes[e]; j++)
                if (unknowns[e][i] >= 0 && unknowns[e][j] >= 0)
                    s->coupled[unknowns[e][i]][unknowns[e][j]] = true;
    }
    vvError error = { 0 };
    assert_int_equal(vv_bsr_build(&s->a, &pattern, &error), VV_OK);
    vv_pattern_free(&pattern);
    assert_null(pattern.couplings);
    for (int e = 0; e < CLIQUES; e++)
        for (int i = 0; i < sizes[e]; i++)
            for (int j = 0; j < sizes[e]; j++) {
                int row = unknowns[e][i], col = unknowns[e][j], slot = vv_bsr_slot(&s->a, row, col);
                for (int c = 0; c < 3; c++)
                    for (int r = 0; r < 3; r++) {
                        double value = uniform(&seed);
                        s->a.val[9 * slot + 3 * c + r] += value;
                        if (row >= 0 && col >= 0)
                            s->dense[3 * row + r][3 * col + c] += value;
                    }
            }
}

static void bsr_has_the_pattern(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        sample s;
        sample_make(&s, seed);
        assert_int_equal(s.a.row_start[0], 0);
        assert_int_equal(s.a.row_start[ROWS], s.a.nnz);
        int blocks = 0;
        for (int i = 0; i < ROWS; i++) {
            for (int k = s.a.row_start[i]; k + 1 < s.a.row_start[i + 1]; k++)
                assert_true(s.a.col[k] < s.a.col[k + 1]);
            assert_int_equal(s.a.col[s.a.diag[i]], i);
            assert_true(s.a.diag[i] >= s.a.row_start[i] && s.a.diag[i] < s.a.row_start[i + 1]);
            for (int j = 0; j < ROWS; j++) {
                int slot = vv_bsr_slot(&s.a, i, j);
                blocks += s.coupled[i][j];
                if (s.coupled[i][j]) {
                    assert_true(slot >= s.a.row_start[i] && slot < s.a.row_start[i + 1]);
                    assert_int_equal(s.a.col[slot], j);
                } else {
                    assert_int_equal(slot, s.a.nnz);
                }
            }
        }
        assert_int_equal(blocks, s.a.nnz);
        assert_int_equal(vv_bsr_slot(&s.a, -1, 3), s.a.nnz);
        assert_int_equal(vv_bsr_slot(&s.a, 3, -1), s.a.nnz);
        vv_bsr_free(&s.a);
        assert_null(s.a.val);
    }
}

static void bsr_multiplies_like_dense(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 10; seed++) {
        sample s;
        sample_make(&s, 100 + seed);
        double x[3 * ROWS], y[3 * ROWS], z[3 * ROWS], expected[3 * ROWS] = { 0 };
        random_array(&seed, x, 3 * ROWS);
        for (int i = 0; i < 3 * ROWS; i++)
            for (int j = 0; j < 3 * ROWS; j++)
                expected[i] += s.dense[i][j] * x[j];
        vv_bsr_multiply(&s.a, NULL, x, y);
        assert_close(y, expected, 3 * ROWS, 1e-13);
        vv_parallel par = { .threads = 3 };
        vv_bsr_multiply(&s.a, &par, x, z);
        assert_memory_equal(y, z, sizeof y);
        vv_bsr_clear(&s.a, &par);
        for (int k = 0; k < 9 * (s.a.nnz + 1); k++)
            assert_true(s.a.val[k] == 0);
        vv_bsr_free(&s.a);
    }
}

/* More rows than one chunk: a chain with the second difference, whose product with 1, 2, 3, ... is known. */
static void bsr_works_over_chunks(void **state)
{
    (void)state;
    enum { N = 3 * VV_BSR_CHUNK + 17 };
    vv_pattern pattern = { .n = N };
    for (int i = 0; i + 1 < N; i++) {
        int pair[2] = { i, i + 1 };
        vv_pattern_clique(&pattern, pair, 2);
    }
    vv_bsr a;
    assert_int_equal(vv_bsr_build(&a, &pattern, NULL), VV_OK);
    vv_pattern_free(&pattern);
    assert_int_equal(a.nnz, 3 * N - 2);
    double *x = vv_alloc(3 * N, sizeof *x), *y = vv_alloc(3 * N, sizeof *y);
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 3; c++) {
            x[3 * i + c] = (c + 1.0) * i;
            a.val[9 * a.diag[i] + 4 * c] = 2;
            a.val[9 * vv_bsr_slot(&a, i, i - 1) + 4 * c] = -1;
            if (i + 1 < N)
                a.val[9 * vv_bsr_slot(&a, i, i + 1) + 4 * c] = -1;
        }
    for (int threads = 1; threads < 5; threads++) {
        vv_parallel par = { .threads = threads };
        vv_bsr_multiply(&a, &par, x, y);
        for (int i = 0; i < N; i++)
            for (int c = 0; c < 3; c++)
                assert_true(y[3 * i + c] == (c + 1.0) * (i == 0 ? -1 : i + 1 < N ? 0 : N));
    }
    vv_free(x);
    vv_free(y);
    vv_bsr_free(&a);
}

static void bsr_reports_lost_couplings(void **state)
{
    (void)state;
    vv_pattern pattern = { .n = 3, .failed = 1 };
    vvError error = { 0 };
    vv_bsr a;
    assert_int_equal(vv_bsr_build(&a, &pattern, &error), VV_ERROR_MEMORY);
    assert_null(a.val);
    assert_true(strlen(error.message) > 0);
    vv_pattern empty = { 0 };
    assert_int_equal(vv_bsr_build(&a, &empty, &error), VV_OK); /* no unknowns: everything is prescribed */
    assert_int_equal(a.nnz, 0);
    vv_bsr_clear(&a, NULL);
    vv_bsr_multiply(&a, NULL, NULL, NULL);
    vv_bsr_free(&a);
}

/* ---- clock and processor
 * --------------------------------------------------------------------------------------------- */

static void clock_goes_on(void **state)
{
    (void)state;
    double before = vv_seconds();
    for (int i = 0; i < 1000; i++) {
        double now = vv_seconds();
        assert_true(now >= before);
        before = now;
    }
}

/* As many cores as the process may use, which taskset or a container can make fewer. */
static void cores_are_those_allowed(void **state)
{
    (void)state;
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    assert_int_equal(vv_core_count(), CPU_COUNT(&all));
    int first = 0;
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    int cores = vv_core_count();
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    assert_int_equal(cores, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotations_turn_right_handed),
        cmocka_unit_test(rotations_compose),
        cmocka_unit_test(cross_and_products_may_alias),
        cmocka_unit_test(inverse_inverts),
        cmocka_unit_test(eigen_decomposes),
        cmocka_unit_test(solve_semidefinite_is_the_pseudo_inverse),
        cmocka_unit_test(alloc_is_zeroed_aligned_checked),
        cmocka_unit_test(grow_keeps_what_is_there),
        cmocka_unit_test(arena_gives_disjoint_memory),
        cmocka_unit_test(arena_stays_where_it_is_once_warm),
        cmocka_unit_test(errors_are_plain_text),
        cmocka_unit_test(errors_are_cut_not_overrun),
        cmocka_unit_test(errors_may_be_nobodys),
        cmocka_unit_test(errors_tell_where),
        cmocka_unit_test(names_are_listed_and_guessed),
        cmocka_unit_test(values_of_parameters_are_checked),
        cmocka_unit_test(edit_distance_is_a_metric),
        cmocka_unit_test(every_chunk_once),
        cmocka_unit_test(chunks_cover_the_range),
        cmocka_unit_test(bsr_has_the_pattern),
        cmocka_unit_test(bsr_multiplies_like_dense),
        cmocka_unit_test(bsr_works_over_chunks),
        cmocka_unit_test(bsr_reports_lost_couplings),
        cmocka_unit_test(clock_goes_on),
        cmocka_unit_test(cores_are_those_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
