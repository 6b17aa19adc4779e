/* Energy in each vibration mode of a body that moves (theory §7.2), and the public functions about modes.
 *
 * Of a body that nothing holds, displacement and velocity are seen from the frame that makes sum m X x u = 0 at all
 * times, X the rest arms and u the displacement in that frame: its origin is the centre of mass, its rotation R the
 * best fit (Kabsch). Its angular velocity W, in itself, follows from the derivative of that condition: (sum m ((X.x)
 * 1 - x X^T)) W = sum m X x w, with x = X + u and w the velocity relative to the centre, turned back. So rigid
 * motion, however fast, is in no mode. */
#include "world/analysis/modes.h"

#include "base/eigen.h"
#include "base/error.h"
#include "base/rotation.h"
#include "base/vec.h"
#include "solve/eigen/eigenpairs.h"
#include "world/sleep/sleep.h"

#include <string.h>

/* ---- the frame of a body that nothing holds ---- */

typedef struct frame {
    double centre[3], velocity[3];
    double back[9]; /* R^T */
    double turning[3];
} frame;

static void find_centre(const vvModes *m, const double *x, const double *v, frame *f)
{
    double mass = 0;
    for (size_t i = 0; i < (size_t)m->nodes; i++) {
        mass += m->mass[i];
        for (size_t k = 0; k < 3; k++) {
            f->centre[k] += m->mass[i] * x[3 * i + k];
            f->velocity[k] += m->mass[i] * v[3 * i + k];
        }
    }
    for (int k = 0; k < 3; k++)
        f->centre[k] /= mass, f->velocity[k] /= mass;
}

/* The rotation that maximises sum m (x - c).(R X), from the largest eigenvector of Horn's matrix: a unit quaternion. */
static void find_rotation(const vvModes *m, const double *x, frame *f)
{
    double s[9] = { 0 }, r[9], values[4], vectors[16];
    for (size_t i = 0; i < (size_t)m->nodes; i++) {
        double a[3], b[3];
        vv_sub(m->rest + 3 * i, m->centre, a);
        vv_sub(x + 3 * i, f->centre, b);
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                s[3 * j + k] += m->mass[i] * a[j] * b[k];
    }
    double n[16] = { s[0] + s[4] + s[8], s[5] - s[7],        s[6] - s[2],         s[1] - s[3],
                     s[5] - s[7],        s[0] - s[4] - s[8], s[1] + s[3],         s[6] + s[2],
                     s[6] - s[2],        s[1] + s[3],        -s[0] + s[4] - s[8], s[5] + s[7],
                     s[1] - s[3],        s[6] + s[2],        s[5] + s[7],         -s[0] - s[4] + s[8] };
    vv_eigen_small(4, n, values, vectors);
    int best = 0;
    for (int k = 1; k < 4; k++)
        best = values[k] > values[best] ? k : best;
    vv_quaternion_matrix(vectors + 4 * best, r);
    for (int j = 0; j < 9; j++)
        f->back[j] = r[3 * (j % 3) + j / 3];
}

/* x relative to the centre, turned back, and the velocity likewise: of the node's rest arm and what it is now. */
static void see(const frame *f, const double *x, const double *v, double arm[3], double w[3])
{
    vv_sub(x, f->centre, arm);
    vv_matvec(f->back, arm, arm);
    vv_sub(v, f->velocity, w);
    vv_matvec(f->back, w, w);
}

static void find_turning(const vvModes *m, const double *x, const double *v, frame *f)
{
    double inertia[9] = { 0 }, l[3] = { 0 };
    for (size_t i = 0; i < (size_t)m->nodes; i++) {
        double rest[3], arm[3], w[3], c[3];
        vv_sub(m->rest + 3 * i, m->centre, rest);
        see(f, x + 3 * i, v + 3 * i, arm, w);
        vv_cross(rest, w, c);
        for (int j = 0; j < 3; j++) {
            l[j] += m->mass[i] * c[j];
            for (int k = 0; k < 3; k++)
                inertia[3 * j + k] += m->mass[i] * ((j == k ? vv_dot(rest, arm) : 0) - arm[j] * rest[k]);
        }
    }
    for (int j = 0; j < 3; j++) /* symmetric but for rounding */
        for (int k = 0; k < j; k++)
            inertia[3 * j + k] = inertia[3 * k + j] = 0.5 * (inertia[3 * j + k] + inertia[3 * k + j]);
    vv_solve_semidefinite(inertia, l, f->turning);
}

/* m->u, m->du: displacement and its velocity, of the free nodes. */
static void displace(vvModes *m, const double *x, const double *v)
{
    frame f = { .back = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
    if (!m->held) {
        find_centre(m, x, v, &f);
        find_rotation(m, x, &f);
        find_turning(m, x, v, &f);
    }
    for (size_t row = 0; row < (size_t)m->unknowns; row++) {
        size_t i = (size_t)m->node[row];
        double arm[3], w[3], turn[3];
        see(&f, x + 3 * i, v + 3 * i, arm, w);
        vv_cross(f.turning, arm, turn);
        for (size_t k = 0; k < 3; k++) {
            m->u[3 * row + k] = arm[k] - (m->rest[3 * i + k] - (m->held ? 0 : m->centre[k]));
            m->du[3 * row + k] = w[k] - turn[k];
        }
    }
}

/* ---- energies ---- */

/* phi^T M x, and x without it. */
static double take_part(const vvModes *m, const double *shape, double *x)
{
    double part = 0;
    for (size_t row = 0; row < (size_t)m->unknowns; row++)
        part += m->mass[m->node[row]] * vv_dot(shape + 3 * (size_t)m->node[row], x + 3 * row);
    for (size_t row = 0; row < (size_t)m->unknowns; row++)
        for (size_t k = 0; k < 3; k++)
            x[3 * row + k] -= part * shape[3 * (size_t)m->node[row] + k];
    return part;
}

static vvStatus energies_of(vvModes *m, const double *x, const double *v, double *energies, vvError *error)
{
    const vv_parallel one = { .threads = 1 };
    for (size_t i = 0; i < 3 * (size_t)m->nodes; i++)
        if (!isfinite(x[i]) || !isfinite(v[i]))
            return vv_fail(error, VV_ERROR_INPUT, "vvModesEnergies: the position or velocity of node %zu is not finite",
                           i / 3);
    displace(m, x, v);
    for (int k = 0; k < m->count; k++) {
        const double *shape = m->shapes + 3 * (size_t)k * (size_t)m->nodes;
        double a = take_part(m, shape, m->u), da = take_part(m, shape, m->du);
        energies[k] = 0.5 * (da * da + m->omega2[k] * a * a);
    }
    vv_bsr_multiply(&m->stiffness, &one, m->u, m->ku);
    double beyond = fmax(0, vv_eigen_dot(3 * m->unknowns, m->u, m->ku));
    for (size_t row = 0; row < (size_t)m->unknowns; row++)
        beyond += m->mass[m->node[row]] * vv_dot(m->du + 3 * row, m->du + 3 * row);
    energies[m->count] = 0.5 * beyond;
    return VV_OK;
}

/* ---- public functions ---- */

static vvStatus find(vvWorld *w, vvBodyId id, vvModesEnd end, int count, vvModes **out, vvError *error)
{
    if (!out)
        return vv_fail(error, VV_ERROR_INPUT, "vvBodyFindModes needs a pointer for the modes, found NULL");
    *out = NULL;
    int body = vv_body_index(w, id);
    if (body < 0)
        return vv_fail(error, VV_ERROR_INPUT, "vvBodyFindModes: no such body");
    if (w->bodies[body].kinematic)
        return vv_fail(error, VV_ERROR_INPUT, "vvBodyFindModes: body \"%s\" is kinematic and does not vibrate",
                       w->bodies[body].name);
    if (end != VV_MODES_LOWEST && end != VV_MODES_HIGHEST)
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvBodyFindModes: end is %d; it must be VV_MODES_LOWEST or VV_MODES_HIGHEST", (int)end);
    if (count < 1)
        return vv_fail(error, VV_ERROR_INPUT, "vvBodyFindModes: count is %d; it must be at least 1", count);
    vvStatus status = vv_sleep_refuse(w, body, "vvBodyFindModes", error);
    if (status == VV_OK)
        status = vv_world_bake(w, error);
    return status == VV_OK ? vv_modes_find(w, body, end, count, out, error) : status;
}

vvStatus vvBodyFindModes(vvWorld *w, vvBodyId body, vvModesEnd end, int count, vvModes **modes, vvError *error)
{
    VV_WORLD_CALL(w, error, find(w, body, end, count, modes, error));
}

void vvModesDestroy(vvModes *modes) { vv_modes_free(modes); }
int vvModesCount(const vvModes *m) { return m ? m->count : 0; }
int vvModesNodeCount(const vvModes *m) { return m ? m->nodes : 0; }
int vvModesRigidCount(const vvModes *m) { return m ? m->rigid : 0; }

double vvModesFrequency(const vvModes *m, int index)
{
    return m && index >= 0 && index < m->count ? sqrt(m->omega2[index]) : NAN;
}

const double *vvModesShape(const vvModes *m, int index)
{
    return m && index >= 0 && index < m->count ? m->shapes + 3 * (size_t)index * (size_t)m->nodes : NULL;
}

vvStatus vvModesEnergies(vvModes *m, const double *positions, const double *velocities, double *energies,
                         vvError *error)
{
    vv_error_clear(error);
    if (!m || !positions || !velocities || !energies)
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvModesEnergies needs modes, positions, velocities and a pointer for energies; %s is NULL",
                       !m            ? "modes"
                       : !positions  ? "positions"
                       : !velocities ? "velocities"
                                     : "energies");
    return energies_of(m, positions, velocities, energies, error);
}
