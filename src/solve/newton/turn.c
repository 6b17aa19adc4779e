/* A line search's path that turns bodies instead of blowing them up (theory §6.14).
 *
 * Far from the minimum a stiff body may have to turn by a large angle. Along a straight line q + t p its points leave
 * their circles, the elastic energy rises with the fourth power of the angle, and steps stay short. So the rigid part
 * of p, the velocity v of a body's centre c and the spin omega about it, is separated by least squares over the masses,
 * and applied as a rigid motion: x_i(t) = c + t v + exp(t omega) (q_i - c + t d_i),   d_i = p_i - v - omega x (q_i -
 * c). The path begins at q with the direction p: the slope of g there is unchanged. Bodies that have a prescribed node,
 * or hardly turn, or that turn less than they deform, go straight.
 *
 * And the rigid motion of each body that is best for inertia, in closed form (Horn 1987): a guess that leaves the
 * elastic energy unchanged. */
#include "solve/newton/turn.h"

#include "base/rotation.h"
#include "base/vec.h"
#include "solve/vectors.h"

#include <string.h>

static const double LEAST_ANGLE = 1e-3, MOST_ANGLE = 7; /* radians */
static const double LEAST_PART = 0.25;                  /* of sum m |p - v|^2 */

typedef struct spin { /* of a body */
    double mass, centre[3], velocity[3], omega[3];
    bool turns;
} spin;

struct vv_turn {
    const vv_system *system;
    const double *q, *p;
    spin *body;
};

static const double *node_of(const double *x, int node) { return x + 3 * (size_t)node; }

/* Masses, and means of q and p over them; whether all nodes are free. */
static void find_centres(const vv_system *s, const double *q, const double *p, spin *body)
{
    for (int b = 0; b < s->bodies; b++)
        body[b] = (spin){ .turns = true };
    for (int i = 0; i < s->nodes; i++) {
        spin *b = &body[s->body[i]];
        b->turns = b->turns && s->unknown[i] >= 0 && !vv_rail_of(s->rails, (size_t)i);
        b->mass += s->mass[i];
        for (int k = 0; k < 3; k++) {
            b->centre[k] += s->mass[i] * node_of(q, i)[k];
            b->velocity[k] += s->mass[i] * node_of(p, i)[k];
        }
    }
    for (int b = 0; b < s->bodies; b++)
        for (int k = 0; k < 3 && body[b].mass > 0; k++) {
            body[b].centre[k] /= body[b].mass;
            body[b].velocity[k] /= body[b].mass;
        }
}

typedef struct moments { /* of a body: inertia, angular momentum of p, and sum m |p - v|^2 */
    double inertia[9], momentum[3], square;
} moments;

static void add_moments(const spin *b, double mass, const double *q, const double *p, moments *to)
{
    double r[3], d[3], l[3];
    vv_sub(q, b->centre, r);
    vv_sub(p, b->velocity, d);
    vv_cross(r, d, l);
    const double square = vv_dot(r, r);
    for (int i = 0; i < 3; i++) {
        to->momentum[i] += mass * l[i];
        for (int j = 0; j < 3; j++)
            to->inertia[3 * i + j] += mass * ((i == j ? square : 0) - r[i] * r[j]);
    }
    to->square += mass * vv_dot(d, d);
}

/* omega, and whether that is much of what the body does. */
static bool spins(spin *b, const moments *of)
{
    vv_solve_semidefinite(of->inertia, of->momentum, b->omega);
    double angle = vv_norm(b->omega), part = vv_dot(b->omega, of->momentum);
    return b->turns && angle >= LEAST_ANGLE && angle <= MOST_ANGLE && part >= LEAST_PART * of->square;
}

vv_turn *vv_turn_of(const vv_system *s, const double *q, const double *p)
{
    vv_arena *arena = &((vv_system *)s)->arena;
    vv_turn *turn = vv_arena_push(arena, 1, sizeof *turn);
    spin *body = vv_arena_push(arena, (size_t)s->bodies, sizeof *body);
    const size_t mark = vv_arena_mark(arena);
    moments *of = vv_arena_push(arena, (size_t)s->bodies, sizeof *of);
    bool any = false;
    *turn = (vv_turn){ .system = s, .q = q, .p = p, .body = body };
    find_centres(s, q, p, body);
    for (int b = 0; b < s->bodies; b++)
        of[b] = (moments){ { 0 } };
    for (int i = 0; i < s->nodes; i++)
        add_moments(&body[s->body[i]], s->mass[i], node_of(q, i), node_of(p, i), &of[s->body[i]]);
    for (int b = 0; b < s->bodies; b++) {
        body[b].turns = spins(&body[b], &of[b]);
        any = any || body[b].turns;
    }
    vv_arena_release(arena, mark);
    return any ? turn : NULL;
}

/* The nodes of bodies that turn, at t: the arm r + t d, turned, in arm; and d, turned, in drift (NULL: not wanted). */
static void swing(const vv_turn *turn, const spin *b, int node, double t, const double rotation[9], double arm[3],
                  double drift[3])
{
    double r[3], d[3], turned[3];
    vv_sub(node_of(turn->q, node), b->centre, r);
    vv_cross(b->omega, r, turned);
    for (int k = 0; k < 3; k++)
        d[k] = node_of(turn->p, node)[k] - b->velocity[k] - turned[k];
    for (int k = 0; k < 3; k++)
        r[k] += t * d[k];
    vv_matvec(rotation, r, arm);
    if (drift)
        vv_matvec(rotation, d, drift);
}

/* Whether the body turns, and its rotation at t, which stands until another one's is wanted: nodes of a body follow
 * each other. */
static bool turns_at(const vv_turn *turn, int body, double t, int *last, double rotation[9])
{
    const spin *b = &turn->body[body];
    if (b->turns && body != *last)
        vv_axis_angle(b->omega, t * vv_norm(b->omega), rotation);
    *last = body;
    return b->turns;
}

void vv_turn_place(const vv_turn *turn, double t, double *x)
{
    const vv_system *s = turn->system;
    vv_along(vv_node_space(s), turn->q, t, turn->p, x);
    double rotation[9] = { 0 };
    int last = -1;
    for (int i = 0; i < s->nodes; i++) {
        const spin *b = &turn->body[s->body[i]];
        if (!turns_at(turn, s->body[i], t, &last, rotation))
            continue;
        double arm[3];
        swing(turn, b, i, t, rotation, arm, NULL);
        for (int k = 0; k < 3; k++)
            x[3 * (size_t)i + (size_t)k] = b->centre[k] + t * b->velocity[k] + arm[k];
    }
}

void vv_turn_direction(const vv_turn *turn, double t, double *direction)
{
    const vv_system *s = turn->system;
    vv_pack(s, turn->p, direction);
    double rotation[9] = { 0 };
    int last = -1;
    for (int u = 0; u < s->unknowns; u++) {
        const int i = s->node[u];
        const spin *b = &turn->body[s->body[i]];
        if (!turns_at(turn, s->body[i], t, &last, rotation))
            continue;
        double arm[3], drift[3], around[3];
        swing(turn, b, i, t, rotation, arm, drift);
        vv_cross(b->omega, arm, around);
        for (int k = 0; k < 3; k++)
            direction[3 * (size_t)u + (size_t)k] = b->velocity[k] + around[k] + drift[k];
    }
}

/* sum m (q - c) (y - c_y)^T of each body, at body[b].sums */
typedef struct fit {
    spin centres; /* of q and, as velocity, of y */
    double sums[9], rotation[9];
    double across, farthest; /* z of q or y that is farthest from its centre's; the length of an arm of q */
} fit;

static const double LEVEL = 1e-9; /* of the longest arm: a body as flat as that lies in a plane */

/* Of a body in a plane that stays in it: within that plane. In space, half a turn over would often come nearer, to a
 * body that is mirrored. */
static void turn_in_plane(const double sums[9], double rotation[9])
{
    vv_axis_angle((double[]){ 0, 0, 1 }, atan2(sums[1] - sums[3], sums[0] + sums[4]), rotation);
}

static void fit_bodies(const vv_system *s, const double *q, const double *y, fit *body)
{
    for (int i = 0; i < s->nodes; i++) {
        fit *b = &body[s->body[i]];
        double r[3], to[3];
        vv_sub(node_of(q, i), b->centres.centre, r);
        vv_sub(node_of(y, i), b->centres.velocity, to);
        for (int j = 0; j < 9; j++)
            b->sums[j] += s->mass[i] * r[j / 3] * to[j % 3];
        b->across = fmax(b->across, fmax(fabs(r[2]), fabs(to[2])));
        b->farthest = fmax(b->farthest, vv_norm(r));
    }
    for (int b = 0; b < s->bodies; b++) {
        double quaternion[4];
        if (body[b].across <= LEVEL * body[b].farthest) {
            turn_in_plane(body[b].sums, body[b].rotation);
            continue;
        }
        vv_nearest_rotation(body[b].sums, quaternion);
        vv_quaternion_matrix(quaternion, body[b].rotation);
    }
}

size_t vv_turn_room(int bodies)
{
    /* with what aligns each */
    return (size_t)bodies * (2 * sizeof(spin) + sizeof(fit) + sizeof(moments)) + sizeof(vv_turn) + 5 * 64;
}

double vv_turn_towards(const vv_system *s, const double *q, const double *y, bool moves, double *x)
{
    vv_arena *arena = &((vv_system *)s)->arena;
    const size_t mark = vv_arena_mark(arena);
    spin *centre = vv_arena_push(arena, (size_t)s->bodies, sizeof *centre);
    fit *body = vv_arena_push(arena, (size_t)s->bodies, sizeof *body);
    double gain = 0;
    find_centres(s, q, y, centre);
    for (int b = 0; b < s->bodies; b++)
        body[b] = (fit){ .centres = centre[b] };
    fit_bodies(s, q, y, body);
    for (int i = 0; i < s->nodes; i++) {
        const fit *b = &body[s->body[i]];
        const double *from = node_of(q, i), *to = node_of(y, i);
        double *there = x + 3 * (size_t)i, r[3], before[3], after[3];
        memcpy(there, from, sizeof r);
        if (!b->centres.turns)
            continue;
        vv_sub(from, b->centres.centre, r);
        vv_matvec(b->rotation, r, r);
        for (int k = 0; k < 3; k++)
            there[k] = r[k] + (moves ? b->centres.velocity[k] : b->centres.centre[k]);
        vv_sub(from, to, before);
        vv_sub(there, to, after);
        gain += 0.5 * s->mass[i] * (vv_dot(before, before) - vv_dot(after, after));
    }
    vv_arena_release(arena, mark);
    return gain;
}
