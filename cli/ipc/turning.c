/* visviva new --from-ipc: what turns. IPC turns nodes once a step about the middle of the box in which they then stand,
 * x <- Q (x - c) + c + h v: Q = Rx(h ax) Ry(h ay) Rz(h az). A scene turns about a fixed point. Where the middle of
 * the box strays as the nodes turn (a triangle's does), that stray is followed by waypoints. */
#include "ipc/ipc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double degree = 3.14159265358979323846 / 180;

/* ---- one turn a step ---- */

typedef struct spin {
    double axis[3], rate; /* deg/s */
} spin;

/* The axis and angle of Rx Ry Rz of small angles, as quaternions. */
static spin spin_of(const double degrees_a_second[3], double step)
{
    double q[4] = { 1, 0, 0, 0 };
    int used = 0;
    spin s = { { 0, 0, 0 }, 0 };
    for (int k = 0; k < 3; k++)
        used += degrees_a_second[k] != 0;
    for (int k = 0; k < 3; k++) {
        double half = 0.5 * degrees_a_second[k] * step * degree, r[4] = { cos(half), 0, 0, 0 };
        r[1 + k] = sin(half);
        const double p[4] = { q[0] * r[0] - q[1] * r[1] - q[2] * r[2] - q[3] * r[3],
                              q[0] * r[1] + q[1] * r[0] + q[2] * r[3] - q[3] * r[2],
                              q[0] * r[2] - q[1] * r[3] + q[2] * r[0] + q[3] * r[1],
                              q[0] * r[3] + q[1] * r[2] - q[2] * r[1] + q[3] * r[0] };
        memcpy(q, p, sizeof q);
        if (used == 1 && degrees_a_second[k] != 0) {
            s.axis[k] = 1;
            s.rate = degrees_a_second[k];
        }
    }
    if (used <= 1)
        return s;
    double sine = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 3; k++)
        s.axis[k] = sine > 0 ? q[1 + k] / sine : 0;
    s.rate = 2 * atan2(sine, q[0]) / degree / step;
    return s;
}

static void rotate(const spin *s, double seconds, const double x[3], double out[3])
{
    double angle = s->rate * seconds * degree, sine = sin(angle), cosine = cos(angle);
    const double *a = s->axis;
    double along = (1 - cosine) * (a[0] * x[0] + a[1] * x[1] + a[2] * x[2]);
    const double cross[3] = { a[1] * x[2] - a[2] * x[1], a[2] * x[0] - a[0] * x[2], a[0] * x[1] - a[1] * x[0] };
    for (int k = 0; k < 3; k++)
        out[k] = cosine * x[k] + sine * cross[k] + along * a[k];
}

/* ---- the stray of the middle ---- */

static void middle_of(const double *points, int count, double middle[3], double *size)
{
    double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
    for (int i = 0; i < 3 * count; i++) {
        low[i % 3] = fmin(low[i % 3], points[i]);
        high[i % 3] = fmax(high[i % 3], points[i]);
    }
    *size = 0;
    for (int k = 0; k < 3; k++) {
        middle[k] = 0.5 * (low[k] + high[k]);
        *size += (high[k] - low[k]) * (high[k] - low[k]);
    }
    *size = sqrt(*size);
}

/* Where the point that is at first the middle stands after each step, less its own steady motion: stray[3 i] after i
 * steps. `at` are points about that middle. */
static void follow_middle(const spin *s, double step, const double *at, int count, int steps, double *stray)
{
    double *turned = malloc(3 * (size_t)count * sizeof *turned), sum[3] = { 0 };
    memset(stray, 0, 3 * sizeof *stray);
    for (int i = 0; i < steps && turned; i++) {
        double middle[3], back[3], size;
        for (int n = 0; n < count; n++)
            rotate(s, i * step, at + 3 * (size_t)n, turned + 3 * (size_t)n);
        middle_of(turned, count, middle, &size);
        rotate(s, step, middle, back); /* x0 <- Q (x0 - c) + c, with c = x0 + middle */
        for (int k = 0; k < 3; k++) {
            sum[k] += middle[k] - back[k];
            stray[3 * (i + 1) + k] = sum[k];
        }
    }
    free(turned);
}

/* Waypoints that follow the stray to `tolerance`, each as far from the one before as a straight line reaches. */
static json_t *waypoints_of(const vv_ipc *c, const double *stray, int steps, double from, double tolerance)
{
    json_t *list = json_array();
    for (int i = 0; list && i <= steps;) {
        json_array_append_new(list, json_pack("{s:o, s:o}", "time", vv_ipc_number(from + i * c->step), "offset",
                                              vv_ipc_vector(stray + 3 * i)));
        if (i == steps)
            break;
        int reach = i + 1;
        for (bool straight = true; straight && reach < steps && reach - i < 64;) {
            for (int j = i + 1; j <= reach && straight; j++)
                for (int k = 0; k < 3; k++) {
                    double part = (double)(j - i) / (reach + 1 - i);
                    double line = stray[3 * i + k] + part * (stray[3 * (reach + 1) + k] - stray[3 * i + k]);
                    straight = straight && fabs(line - stray[3 * j + k]) <= tolerance;
                }
            reach += straight;
        }
        i = reach;
    }
    return list;
}

/* ---- the motion ---- */

static double *points_of(const vv_ipc_shape *s, const int *nodes, int count)
{
    double *points = malloc(3 * (size_t)(count > 0 ? count : 1) * sizeof *points);
    for (int i = 0; points && i < count; i++)
        vv_ipc_point(s, nodes ? nodes[i] : i, points + 3 * (size_t)i);
    return points;
}

json_t *vv_ipc_turning(vv_ipc *c, const vv_ipc_shape *s, const int *nodes, int count, const vv_ipc_drive *d)
{
    enum { MOST_STEPS = 1000000 };
    static const double most_work = 1e9, least = 1e-6;
    double middle[3], size, largest = 0, *points = points_of(s, nodes, count);
    spin turn = spin_of(d->angular, c->step);
    double from = vv_ipc_first_step(c, fmax(d->begin, c->held_range[0])),
           to = fmin(vv_ipc_run_steps(c), vv_ipc_first_step(c, fmin(d->end, c->held_range[1])));
    json_t *motion = json_object();
    if (!points || !motion)
        return NULL;
    middle_of(points, count, middle, &size);
    for (int i = 0; i < 3 * count; i++)
        points[i] -= middle[i % 3];
    if (d->linear[0] != 0 || d->linear[1] != 0 || d->linear[2] != 0)
        json_object_set_new(motion, "velocity", vv_ipc_vector(d->linear));
    json_object_set_new(motion, "angular", vv_ipc_number(turn.rate));
    json_object_set_new(motion, "axis", vv_ipc_vector(turn.axis));
    json_object_set_new(motion, "about", vv_ipc_vector(middle));
    if (from > 0)
        json_object_set_new(motion, "start", vv_ipc_number(from * c->step));
    if (to < vv_ipc_run_steps(c))
        json_object_set_new(motion, "end", vv_ipc_number(to * c->step));
    int steps = to > from && to - from < MOST_STEPS ? (int)(to - from) : 0;
    double *stray = to - from < MOST_STEPS && (double)steps * count < most_work
                        ? calloc(3 * (size_t)steps + 3, sizeof *stray)
                        : NULL;
    if (stray) {
        follow_middle(&turn, c->step, points, count, steps, stray);
        for (int i = 0; i < 3 * steps + 3; i++)
            largest = fmax(largest, fabs(stray[i]));
        if (largest > least * size)
            json_object_set_new(motion, "waypoints", waypoints_of(c, stray, steps, from * c->step, 1e-4 * size));
    } else {
        vv_ipc_note_line(c, VV_IPC_LOST, d->line,
                         "turns about the middle of its first box; IPC updates the middle in each step, which was not "
                         "followed over so many nodes and steps");
    }
    free(stray);
    free(points);
    return motion;
}
