/* A run of kind "equation": the equation that an energy-conserving step of one node along a line has to solve, and
 * the functions whose minima a solver may look for. With s the path along the line, E the scene's potential energy
 * there and v the node's velocity at the start, the average vector field with an exact quadrature (Rojas, Liu, Kavan
 * 2018, Eq. 11) and the midpoint discrete gradient are both
 *
 *   F(s) = m (s - h v) + (h^2/2) (E(s) - E(0)) / s,
 *
 * for on a line the mean force is what the energy falls by. Root finders go downhill on F^2, minimisers on g, where
 * g' = F. Found here by looking at `count` points: the roots of F, the minima of F^2 that are none, and the minima of
 * g. */
#include "reproduce/reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 11, MOST = 1000001 };

typedef struct line {
    double direction[3], low, high; /* m, from the start */
    int node, count;
} line;

/* traps: minima of F^2 that are no roots */
typedef struct found {
    int roots, traps, minima;
    double root, trap;
} found;

/* ---- the curve ---- */

static double along(const line *l, const double *vectors)
{
    const double *v = vectors + 3 * l->node;
    return v[0] * l->direction[0] + v[1] * l->direction[1] + v[2] * l->direction[2];
}

static vvStatus potential(vvWorld *world, const line *l, const double *start, double *at, const double *rest, double s,
                          double *energy, vvError *error)
{
    vvLedgerRow row;
    for (int k = 0; k < 3; k++)
        at[3 * l->node + k] = start[3 * l->node + k] + s * l->direction[k];
    vvStatus status = vvWorldSetState(world, at, rest, error);
    if (status == VV_OK)
        status = vvWorldLedger(world, &row, error);
    *energy = status == VV_OK ? row.total - row.kinetic : NAN;
    return status;
}

/* F at the points. Next to s = 0 the difference of energies says little, but the points are far apart. */
static vvStatus curve(vvWorld *world, const line *l, double h, double *f, double *first, vvError *error)
{
    size_t n = 3 * (size_t)vvWorldNodeCount(world);
    double *start = malloc(n * sizeof *start), *at = malloc(n * sizeof *at), *rest = calloc(n, sizeof *rest), zero = 0;
    vvStatus status = start && at && rest ? VV_OK : VV_ERROR_MEMORY;
    if (status == VV_OK) {
        double v = along(l, vvWorldVelocities(world)), m = vvWorldMasses(world)[l->node];
        memcpy(start, vvWorldPositions(world), n * sizeof *start);
        memcpy(at, start, n * sizeof *at);
        *first = along(l, start);
        status = potential(world, l, start, at, rest, 0, &zero, error);
        for (int i = 0; i < l->count && status == VV_OK; i++) {
            double s = l->low + (l->high - l->low) * i / (l->count - 1), energy, tiny = 1e-6 * (l->high - l->low);
            s = fabs(s) < tiny ? tiny : s;
            status = potential(world, l, start, at, rest, s, &energy, error);
            f[i] = m * (s - h * v) + 0.5 * h * h * (energy - zero) / s;
        }
    }
    free(start);
    free(at);
    free(rest);
    return status;
}

/* ---- what is on it ---- */

static double place(const line *l, double i) { return l->low + (l->high - l->low) * i / (l->count - 1); }

static found look(const line *l, const double *f)
{
    found r = { .root = NAN, .trap = NAN };
    for (int i = 0; i + 1 < l->count; i++) {
        if ((f[i] < 0) != (f[i + 1] < 0)) {
            r.root = r.roots++ ? r.root : place(l, i + f[i] / (f[i] - f[i + 1]));
            r.minima += f[i] < 0; /* of g: F goes from below 0 to above */
        }
        bool low = i > 0 && fabs(f[i]) < fabs(f[i - 1]) && fabs(f[i]) <= fabs(f[i + 1]);
        if (low && (f[i] < 0) == (f[i - 1] < 0) && (f[i] < 0) == (f[i + 1] < 0))
            r.trap = r.traps++ ? r.trap : place(l, i);
    }
    return r;
}

static json_t *figures_of(const found *r, double first)
{
    json_t *figures =
        json_pack("{s:s, s:i, s:i, s:i}", "status", "done", "roots", r->roots, "traps", r->traps, "minima", r->minima);
    if (r->roots)
        json_object_set_new(figures, "root", json_real(first + r->root));
    if (r->traps)
        json_object_set_new(figures, "trap", json_real(first + r->trap));
    return figures;
}

static int measure(vv_repro_run *run, vvWorld *world, const line *l)
{
    vvError error = { 0 };
    double first = 0, *f = malloc((size_t)l->count * sizeof *f);
    vvStatus status = f ? vvWorldBake(world, &error) : VV_ERROR_MEMORY;
    if (status == VV_OK)
        status = curve(world, l, run->plan.step, f, &first, &error);
    if (status == VV_OK) {
        found r = look(l, f);
        run->figures = figures_of(&r, first);
    } else {
        run->figures = json_pack("{s:s}", "status", error.message[0] ? error.message : "out of memory");
    }
    free(f);
    return VV_CLI_GO;
}

/* ---- the run ---- */

static int read_line(const vv_repro_item *item, const vv_repro_run *run, const char *path, const vvWorld *world,
                     line *l)
{
    char below[VV_REPRO_PATH];
    json_t *count = json_object_get(run->spec, "count"), *low = json_object_get(run->spec, "low"),
           *high = json_object_get(run->spec, "high");
    *l = (line){ .low = json_number_value(low),
                 .high = json_number_value(high),
                 .count = count ? (int)json_integer_value(count) : 2001 };
    int code = vv_repro_node(item, run, path, world, &l->node, l->direction);
    if (code != VV_CLI_GO)
        return code;
    if (!json_is_number(low) || !json_is_number(high) || !(l->low < l->high))
        return vv_repro_wrong(item, path, "\"low\" and \"high\" must be lengths in m, low below high");
    if (l->count < LEAST || l->count > MOST || (count && !json_is_integer(count)))
        return vv_repro_wrong(item, vv_repro_path(below, path, "count"), "must be a whole number from %d to %d", LEAST,
                              MOST);
    return VV_CLI_GO;
}

static int with_world(const vv_repro_item *item, vv_repro_run *run, const char *path, bool check)
{
    vvError error = { 0 };
    vvScene *scene = NULL;
    vvWorld *world = NULL;
    line l;
    if (vvSceneParse(run->plan.scene, run->plan.name, ".", NULL, 0, &scene, &error) != VV_OK ||
        vvSceneCreateWorld(scene, 1, &world, &error) != VV_OK) {
        vvSceneDestroy(scene);
        return vv_cli_error(&error);
    }
    int code = read_line(item, run, path, world, &l);
    if (code == VV_CLI_GO && !check)
        code = measure(run, world, &l);
    vvWorldDestroy(world);
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

const vv_repro_run_kind vv_repro_run_equation = { "equation", "node direction low high count", check, work };
