/* A run of kind "matrix": what one step does to a small displacement and velocity of one node about where the scene
 * puts it, as a matrix, measured by running the real stepper from unit states. On a harmonic oscillator it is the
 * amplification matrix.
 *
 * With z_n = (x_n, h v_n), a one-step scheme has z_{n+1} = Q z_n, so that two runs give Q. A scheme with a past of k
 * steps has a matrix of u_n = (z_n, ..., z_{n-k+1}), and the columns are k states after one another of each of the
 * two runs: the first steps, which such a scheme does otherwise, are only states to begin with. */
#include "reproduce/reproduce.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PAST = 3, MOST_SIZE = 2 * MOST_PAST };

typedef struct matrix {
    int n;
    double a[MOST_SIZE][MOST_SIZE];
} matrix;

typedef struct probe {
    double direction[3], size;
    int node, past;
} probe;

/* ---- small matrices ---- */

/* Solves M X = Y for M, with X and Y given by columns; false if X is singular. Works on the transposed system by
 * elimination. */
static bool solve_right(const matrix *x, const matrix *y, matrix *out)
{
    int n = x->n;
    double s[MOST_SIZE][2 * MOST_SIZE];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s[i][j] = x->a[j][i], s[i][n + j] = y->a[j][i];
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            best = fabs(s[i][k]) > fabs(s[best][k]) ? i : best;
        if (!(fabs(s[best][k]) > 0))
            return false;
        for (int j = 0; j < 2 * n; j++) {
            double swap = s[k][j];
            s[k][j] = s[best][j];
            s[best][j] = swap;
        }
        for (int i = 0; i < n; i++)
            for (int j = 2 * n - 1; i != k && j >= k; j--)
                s[i][j] -= s[i][k] / s[k][k] * s[k][j];
    }
    out->n = n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out->a[i][j] = s[j][n + i] / s[j][j];
    return true;
}

/* det(t I - M) = t^n + c[1] t^(n-1) + ... + c[n], by Faddeev and LeVerrier. */
static void characteristic(const matrix *m, double c[MOST_SIZE + 1])
{
    matrix b = { .n = m->n }, next;
    c[0] = 1;
    for (int k = 1; k <= m->n; k++) {
        for (int i = 0; i < m->n; i++)
            b.a[i][i] += c[k - 1];
        next = (matrix){ .n = m->n };
        c[k] = 0;
        for (int i = 0; i < m->n; i++)
            for (int j = 0; j < m->n; j++)
                for (int l = 0; l < m->n; l++)
                    next.a[i][j] += m->a[i][l] * b.a[l][j];
        for (int i = 0; i < m->n; i++)
            c[k] -= next.a[i][i] / k;
        b = next;
    }
}

/* The largest size of a root, by Durand and Kerner. */
static double largest_root(const double *c, int n)
{
    double complex root[MOST_SIZE];
    double largest = 0, bound = 1;
    for (int i = 1; i <= n; i++)
        bound = fmax(bound, 1 + fabs(c[i]));
    for (int i = 0; i < n; i++)
        root[i] = 0.7 * bound * cpow(0.4 + 0.9 * I, i);
    for (int round = 0; round < 500; round++)
        for (int i = 0; i < n; i++) {
            double complex value = 1, others = 1;
            for (int k = 1; k <= n; k++)
                value = value * root[i] + c[k];
            for (int j = 0; j < n; j++)
                others *= j == i ? 1 : root[i] - root[j];
            if (cabs(others) > 0)
                root[i] -= value / others;
        }
    for (int i = 0; i < n; i++)
        largest = fmax(largest, cabs(root[i]));
    return largest;
}

/* A double root is found to half of the digits only: for two by two the formula. */
static double radius(const matrix *m, const double *c)
{
    if (m->n != 2)
        return largest_root(c, m->n);
    double half = -c[1] / 2, d = half * half - c[2];
    return d < 0 ? sqrt(c[2]) : fabs(half) + sqrt(d);
}

/* ---- the stepper ---- */

static vvScene *parse(const vv_repro_run *run, vvError *error)
{
    vvScene *scene = NULL;
    return vvSceneParse(run->plan.scene, run->plan.name, ".", NULL, 0, &scene, error) == VV_OK ? scene : NULL;
}

static vvStatus start(vvWorld *world, const probe *p, const double start[2], double h, double *at, vvError *error)
{
    size_t n = 3 * (size_t)vvWorldNodeCount(world);
    double *velocities = calloc(n, sizeof *velocities);
    if (!velocities)
        return VV_ERROR_MEMORY;
    memcpy(at, vvWorldPositions(world), n * sizeof *at);
    for (int k = 0; k < 3; k++) {
        at[3 * p->node + k] += p->size * start[0] * p->direction[k];
        velocities[3 * p->node + k] = p->size * start[1] / h * p->direction[k];
    }
    vvStatus status = vvWorldSetState(world, at, velocities, error);
    for (int k = 0; k < 3; k++)
        at[3 * p->node + k] -= p->size * start[0] * p->direction[k];
    free(velocities);
    return status;
}

static void state_of(const vvWorld *world, const probe *p, const double *rest, double h, double z[2])
{
    const double *x = vvWorldPositions(world) + 3 * p->node, *v = vvWorldVelocities(world) + 3 * p->node;
    z[0] = z[1] = 0;
    for (int k = 0; k < 3; k++) {
        z[0] += (x[k] - rest[3 * p->node + k]) * p->direction[k] / p->size;
        z[1] += h * v[k] * p->direction[k] / p->size;
    }
}

/* z_0, ..., z_steps from one unit state. */
static vvStatus follow(const vvScene *scene, const probe *p, const double unit[2], double h, int steps, double (*z)[2],
                       vvError *error)
{
    vvWorld *world = NULL;
    vvStatus status = vvSceneCreateWorld(scene, 1, &world, error);
    if (status == VV_OK)
        status = vvWorldBake(world, error);
    double *rest = status != VV_OK ? NULL : calloc(3 * (size_t)vvWorldNodeCount(world) + 1, sizeof *rest);
    if (status == VV_OK)
        status = rest ? start(world, p, unit, h, rest, error) : VV_ERROR_MEMORY;
    z[0][0] = unit[0];
    z[0][1] = unit[1];
    for (int i = 1; i <= steps && status == VV_OK; i++) {
        status = vvWorldStep(world, NULL, error);
        if (status == VV_OK)
            state_of(world, p, rest, h, z[i]);
    }
    free(rest);
    vvWorldDestroy(world);
    return status;
}

/* ---- figures ---- */

static json_t *figures_of(const matrix *m)
{
    double c[MOST_SIZE + 1];
    json_t *rows = json_array();
    characteristic(m, c);
    for (int i = 0; i < m->n; i++) {
        json_t *row = json_array();
        for (int j = 0; j < m->n; j++)
            json_array_append_new(row, json_real(m->a[i][j]));
        json_array_append_new(rows, row);
    }
    return json_pack("{s:s, s:f, s:f, s:f, s:o}", "status", "done", "determinant", m->n % 2 ? -c[m->n] : c[m->n],
                     "trace", -c[1], "radius", radius(m, c), "matrix", rows);
}

static json_t *measure(const vvScene *scene, const probe *p, double h, vvError *error)
{
    static const double units[2][2] = { { 1, 0 }, { 0, 1 } };
    double z[2][2 * MOST_PAST + 1][2];
    matrix x = { .n = 2 * p->past }, y = x, m;
    for (int run = 0; run < 2; run++)
        if (follow(scene, p, units[run], h, 2 * p->past - 1, z[run], error) != VV_OK)
            return json_pack("{s:s}", "status", error->message);
    for (int run = 0; run < 2; run++)
        for (int i = 0; i < p->past; i++)
            for (int back = 0; back < p->past; back++)
                for (int k = 0; k < 2; k++) {
                    int column = run * p->past + i, row = 2 * back + k, n = p->past - 1 + i;
                    x.a[row][column] = z[run][n - back][k];
                    y.a[row][column] = z[run][n + 1 - back][k];
                }
    if (!solve_right(&x, &y, &m))
        return json_pack("{s:s}", "status", "the states of the first steps do not determine a matrix");
    return figures_of(&m);
}

/* ---- the run ---- */

static bool read_direction(const json_t *list, double out[3])
{
    double size = 0;
    for (size_t k = 0; k < 3; k++) {
        out[k] = json_number_value(json_array_get(list, k));
        size += out[k] * out[k];
    }
    for (int k = 0; k < 3; k++)
        out[k] /= sqrt(size);
    return json_array_size(list) == 3 && size > 0;
}

int vv_repro_node(const vv_repro_item *item, const vv_repro_run *run, const char *path, const vvWorld *world, int *node,
                  double direction[3])
{
    char below[VV_REPRO_PATH];
    const json_t *number = json_object_get(run->spec, "node"), *way = json_object_get(run->spec, "direction");
    *node = (int)json_integer_value(number);
    direction[0] = 1, direction[1] = direction[2] = 0;
    if ((number && !json_is_integer(number)) || *node < 0 || *node >= vvWorldNodeCount(world))
        return vv_repro_wrong(item, vv_repro_path(below, path, "node"), "must be a whole number from 0 to %d",
                              vvWorldNodeCount(world) - 1);
    return !way || read_direction(way, direction)
               ? VV_CLI_GO
               : vv_repro_wrong(item, vv_repro_path(below, path, "direction"), "must be 3 numbers, not all 0");
}

static int read_probe(const vv_repro_item *item, const vv_repro_run *run, const char *path, const vvWorld *world,
                      probe *p)
{
    char below[VV_REPRO_PATH];
    json_t *size = json_object_get(run->spec, "size"), *past = json_object_get(run->spec, "past");
    *p = (probe){ .size = size ? json_number_value(size) : 1, .past = 1 };
    int code = vv_repro_node(item, run, path, world, &p->node, p->direction);
    if (code != VV_CLI_GO)
        return code;
    if (!(p->size > 0))
        return vv_repro_wrong(item, vv_repro_path(below, path, "size"), "must be a length in m larger than 0");
    if (past && (!json_is_integer(past) || json_integer_value(past) < 1 || json_integer_value(past) > MOST_PAST))
        return vv_repro_wrong(item, vv_repro_path(below, path, "past"), "must be a whole number from 1 to %d",
                              MOST_PAST);
    for (int i = 0; vvSchemeInfo(i); i++) { /* a two-step scheme says so */
        vvSchemeCheck check = { 0 };
        if (strcmp(vvSchemeInfo(i)->name, vvWorldGetDef(world)->integrator.scheme) == 0 &&
            vvSchemeSelfCheck(i, &check, NULL) == VV_OK)
            p->past = check.twoStep ? 2 : 1;
    }
    if (past)
        p->past = (int)json_integer_value(past);
    return VV_CLI_GO;
}

static int with_world(const vv_repro_item *item, vv_repro_run *run, const char *path, bool check)
{
    vvError error = { 0 };
    vvScene *scene = parse(run, &error);
    vvWorld *world = NULL;
    probe p;
    if (!scene || vvSceneCreateWorld(scene, 1, &world, &error) != VV_OK) {
        vvSceneDestroy(scene);
        return vv_cli_error(&error);
    }
    int code = read_probe(item, run, path, world, &p);
    vvWorldDestroy(world);
    if (code == VV_CLI_GO && !check)
        run->figures = measure(scene, &p, run->plan.step, &error);
    vvSceneDestroy(scene);
    return code;
}

static int check(const vv_repro_item *item, vv_repro_run *run, const char *path)
{
    return with_world(item, run, path, true);
}

static int work(const vv_repro *r, const vv_repro_item *item, vv_repro_run *run)
{
    (void)r;
    return with_world(item, run, "", false);
}

const vv_repro_run_kind vv_repro_run_matrix = { "matrix", "node direction size past", check, work };
