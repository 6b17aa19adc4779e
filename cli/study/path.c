/* What is sampled of a run at its frames: energies, and each body's height, turn and visible kinetic energy over the
 * frame. */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a body's motion between two sets of positions ---- */

typedef struct motion {
    double mass, centre[3]; /* of the second positions */
    double angle, size;     /* radians; m */
} motion;

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; k++)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Solves I w = l for a symmetric I; nodes on a line have no inertia about it, and nothing turns them about it. */
static void solve3(double inertia[3][3], const double l[3], double w[3])
{
    double trace = inertia[0][0] + inertia[1][1] + inertia[2][2], minor[3];
    w[0] = w[1] = w[2] = 0;
    if (!(trace > 0))
        return;
    for (int k = 0; k < 3; k++)
        inertia[k][k] += 1e-12 * trace;
    cross(inertia[1], inertia[2], minor);
    double det = dot(inertia[0], minor);
    for (int k = 0; k < 3; k++) { /* Cramer's rule */
        cross(inertia[(k + 1) % 3], inertia[(k + 2) % 3], minor);
        for (int i = 0; i < 3; i++)
            w[i] += minor[i] * l[k] / det;
    }
}

/* Angular momentum and inertia about the centre, both at the midpoints: a rigid turn by an angle a over the frame has
 * the angular velocity 2 tan(a / 2) / frame there. */
static void measure_turn(const double *mass, const double *from, const double *to, int count, const double mid[3],
                         motion *m)
{
    double inertia[3][3] = { { 0 } }, l[3] = { 0 }, w[3];
    for (int i = 0; i < count; i++) {
        double r[3], d[3], turn[3];
        for (int k = 0; k < 3; k++) {
            r[k] = (from[3 * i + k] + to[3 * i + k]) / 2 - mid[k];
            d[k] = to[3 * i + k] - from[3 * i + k];
        }
        cross(r, d, turn);
        for (int k = 0; k < 3; k++) {
            l[k] += mass[i] * turn[k];
            for (int j = 0; j < 3; j++)
                inertia[k][j] += mass[i] * ((k == j ? dot(r, r) : 0) - r[k] * r[j]);
        }
    }
    m->size = sqrt((inertia[0][0] + inertia[1][1] + inertia[2][2]) / 2 / m->mass);
    solve3(inertia, l, w);
    m->angle = 2 * atan(0.5 * sqrt(dot(w, w)));
}

static motion measure(const double *mass, const double *from, const double *to, int count)
{
    motion m = { 0 };
    double mid[3] = { 0 };
    for (int i = 0; i < count; i++) {
        m.mass += mass[i];
        for (int k = 0; k < 3; k++) {
            m.centre[k] += mass[i] * to[3 * i + k];
            mid[k] += mass[i] * (from[3 * i + k] + to[3 * i + k]) / 2;
        }
    }
    if (!(m.mass > 0))
        return m;
    for (int k = 0; k < 3; k++) {
        m.centre[k] /= m.mass;
        mid[k] /= m.mass;
    }
    measure_turn(mass, from, to, count, mid, &m);
    return m;
}

/* ---- the path ---- */

static vvStatus no_memory(vvError *error)
{
    error->status = VV_ERROR_MEMORY;
    snprintf(error->message, sizeof error->message, "no memory for the samples of the run");
    return VV_ERROR_MEMORY;
}

/* Adds the body's motion since the last sample. */
static void sample_body(vv_study_path *path, vv_study_body_path *body, const vvWorld *world, int index)
{
    int first, count;
    vvBodyNodes(world, vvWorldBody(world, index), &first, &count);
    const double *now = vvWorldPositions(world) + 3 * (size_t)first;
    motion m = measure(vvWorldMasses(world) + first, path->before + 3 * (size_t)first, now, count);
    body->heights[path->count] = dot(m.centre, path->up);
    body->angle += m.angle;
    if (path->count == 0)
        body->size = m.size;
    memcpy(body->centre, m.centre, sizeof m.centre);
    body->visible = path->visible[index];
}

static void add_visible(vvVisible *sum, const vvVisible *part)
{
    sum->total += part->total;
    sum->centre += part->centre;
    sum->rotation += part->rotation;
    sum->deformation += part->deformation;
}

vvStatus vv_study_path_sample(vv_study_path *path, vvWorld *world, vvError *error)
{
    vvLedgerRow row;
    vv_study_energies *e = &path->energies[path->count];
    vvStatus status = vvWorldLedger(world, &row, error);
    *e = (vv_study_energies){ .kinetic = row.kinetic,
                              .elastic = row.elastic,
                              .contact = row.contact,
                              .gravity = row.gravity,
                              .attachment = row.attachment,
                              .joint = row.joint,
                              .total = row.total,
                              .target = row.target };
    if (status == VV_OK)
        status = vvWorldMeasureVisible(world, path->before, path->frame, &e->visible, path->visible, error);
    if (status != VV_OK)
        return status;
    bool late = 2 * path->count > path->room - 1;
    path->halfCount += late;
    for (int b = 0; b < path->bodyCount; b++) {
        sample_body(path, &path->bodies[b], world, b);
        if (late)
            add_visible(&path->bodies[b].half, &path->bodies[b].visible);
    }
    memcpy(path->before, vvWorldPositions(world), 3 * (size_t)vvWorldNodeCount(world) * sizeof(double));
    path->count++;
    return VV_OK;
}

/* Along the present velocities, for the start. */
static double speed_up(const vv_study_path *path, const vvWorld *world, int index)
{
    int first, count;
    double mass = 0, sum = 0;
    vvBodyNodes(world, vvWorldBody(world, index), &first, &count);
    for (int i = first; i < first + count; i++) {
        mass += vvWorldMasses(world)[i];
        sum += vvWorldMasses(world)[i] * dot(vvWorldVelocities(world) + 3 * (size_t)i, path->up);
    }
    return mass > 0 ? sum / mass : 0;
}

static bool make_room(vv_study_path *path, const vvWorld *world)
{
    path->bodyCount = vvWorldBodyCount(world);
    path->energies = calloc((size_t)path->room, sizeof *path->energies);
    path->before = malloc((3 * (size_t)vvWorldNodeCount(world) + 1) * sizeof(double));
    path->bodies = calloc((size_t)path->bodyCount + 1, sizeof *path->bodies);
    path->visible = calloc((size_t)path->bodyCount + 1, sizeof *path->visible);
    bool good = path->energies && path->before && path->bodies && path->visible;
    for (int b = 0; good && b < path->bodyCount; b++) {
        path->bodies[b].heights = malloc((size_t)path->room * sizeof(double));
        good = path->bodies[b].heights != NULL;
    }
    return good;
}

vvStatus vv_study_path_begin(vv_study_path *path, vvWorld *world, double frame, int room, vvError *error)
{
    const double *gravity = vvWorldGetDef(world)->gravity;
    double g = sqrt(dot(gravity, gravity));
    *path = (vv_study_path){ .begin = vvWorldTime(world), .frame = frame, .room = room };
    for (int k = 0; k < 3 && g > 0; k++)
        path->up[k] = -gravity[k] / g;
    if (!make_room(path, world))
        return no_memory(error);
    memcpy(path->before, vvWorldPositions(world), 3 * (size_t)vvWorldNodeCount(world) * sizeof(double));
    for (int b = 0; b < path->bodyCount; b++) {
        vvBodyId id = vvWorldBody(world, b);
        snprintf(path->bodies[b].name, sizeof path->bodies[b].name, "%s", vvBodyName(world, id));
        path->bodies[b].kinematic = vvBodyIsKinematic(world, id);
        path->bodies[b].speedUp = speed_up(path, world, b);
    }
    return vv_study_path_sample(path, world, error);
}

void vv_study_path_free(vv_study_path *path)
{
    for (int b = 0; path->bodies && b < path->bodyCount; b++)
        free(path->bodies[b].heights);
    free(path->bodies);
    free(path->visible);
    free(path->energies);
    free(path->before);
    *path = (vv_study_path){ 0 };
}

/* ---- apexes ---- */

/* The top of the parabola through a sample and its neighbours. */
static vv_study_apex refine(const double *heights, int i, double begin, double frame)
{
    double left = heights[i - 1], middle = heights[i], right = heights[i + 1], bend = left - 2 * middle + right;
    double shift = bend < 0 ? 0.5 * (left - right) / bend : 0;
    return (vv_study_apex){ begin + (i + shift) * frame, middle - 0.25 * (left - right) * shift };
}

int vv_study_find_apexes(const double *heights, int count, double begin, double frame, double least,
                         vv_study_apex apexes[VV_STUDY_APEXES])
{
    int found = 0, high = 0, low = 0;
    bool rising = false;
    for (int i = 1; i < count && found < VV_STUDY_APEXES; i++) {
        if (rising && heights[i] > heights[high])
            high = i;
        if (!rising && heights[i] < heights[low])
            low = i;
        if (!rising && heights[i] - heights[low] >= least) {
            rising = true;
            high = i;
        } else if (rising && heights[high] - heights[i] >= least) {
            apexes[found++] = refine(heights, high, begin, frame);
            rising = false;
            low = i;
        }
    }
    return found;
}
