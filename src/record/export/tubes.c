/* Tubes around chains of edges: a ring of vertices around each vertex, and a flat cap at both ends, whose normals are
 * its own.
 *
 * A direction across the first edge is carried along the chain and, from frame to frame, along time: each time it
 * loses its part along the tangent. So neither rings nor frames turn against each other more than the chain does. */
#include "record/export/tubes.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"

enum { SIDES = 8 };

static int *put_ring_sides(int *out, int first)
{
    for (int s = 0; s < SIDES; s++) {
        int a = first + s, b = first + (s + 1) % SIDES;
        const int six[6] = { a, b, a + SIDES, b, b + SIDES, a + SIDES };
        for (int k = 0; k < 6; k++)
            *out++ = six[k];
    }
    return out;
}

static int *put_cap(int *out, int first, bool end)
{
    for (int s = 1; s + 1 < SIDES; s++) {
        *out++ = first;
        *out++ = first + s + (end ? 0 : 1);
        *out++ = first + s + (end ? 1 : 0);
    }
    return out;
}

vvStatus vv_tubes_build(const vv_part *part, double diameter, vv_tubes *t, vvError *error)
{
    *t = (vv_tubes){ .radius = (float)(0.5 * diameter) };
    vvStatus status = vv_chains_build(part, &t->chains, error);
    if (status != VV_OK)
        return status;
    const vv_chains *c = &t->chains;
    t->count = (c->vertex_count + 2 * c->count) * SIDES;
    t->index_count = (c->vertex_count - c->count) * SIDES * 6 + 2 * c->count * (SIDES - 2) * 3;
    t->indices = vv_alloc((size_t)t->index_count, sizeof *t->indices);
    t->start = vv_alloc(3 * (size_t)c->count, sizeof *t->start);
    if (!t->indices || !t->start) {
        vv_tubes_free(t);
        return vv_fail_memory(error, "an export");
    }
    int *out = t->indices, at = 0;
    for (int k = 0; k < c->count; k++, at += 2 * SIDES) {
        for (int i = 0; i + 1 < c->lengths[k]; i++, at += SIDES)
            out = put_ring_sides(out, at);
        at += SIDES;
        out = put_cap(out, at, false);
        out = put_cap(out, at + SIDES, true);
    }
    return VV_OK;
}

void vv_tubes_free(vv_tubes *t)
{
    vv_chains_free(&t->chains);
    vv_free(t->indices);
    vv_free(t->start);
    *t = (vv_tubes){ 0 };
}

static void direction(const float *x, int from, int to, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = (double)x[3 * (size_t)to + (size_t)k] - x[3 * (size_t)from + (size_t)k];
    double length = vv_norm(out);
    for (int k = 0; k < 3; k++)
        out[k] = length > 0 ? out[k] / length : 0;
}

/* Half way between the edges before and after vertex i of a chain. */
static void tangent(const float *x, const int *chain, int length, int i, double out[3])
{
    double before[3] = { 0 }, after[3] = { 0 };
    if (i > 0)
        direction(x, chain[i - 1], chain[i], before);
    if (i + 1 < length)
        direction(x, chain[i], chain[i + 1], after);
    for (int k = 0; k < 3; k++)
        out[k] = before[k] + after[k];
    double size = vv_norm(out);
    for (int k = 0; k < 3; k++)
        out[k] = size > 1e-9 ? out[k] / size : i + 1 < length ? after[k] : before[k];
}

/* Takes from u its part along t and makes its length 1; where nothing is left, any direction across. */
static void across(const double t[3], double u[3])
{
    for (int tries = 0; tries < 2; tries++) {
        double along = vv_dot(u, t), size;
        for (int k = 0; k < 3; k++)
            u[k] -= along * t[k];
        size = vv_norm(u);
        if (size > 1e-6) {
            for (int k = 0; k < 3; k++)
                u[k] /= size;
            return;
        }
        int least = fabs(t[0]) <= fabs(t[1]) && fabs(t[0]) <= fabs(t[2]) ? 0 : fabs(t[1]) <= fabs(t[2]) ? 1 : 2;
        for (int k = 0; k < 3; k++)
            u[k] = k == least;
    }
}

/* SIDES vertices around `centre`; with `facing` 0 normals look away from it, else along the tangent, forward or
 * back. */
static void put_ring(const vv_tubes *tubes, const float *centre, const double t[3], const double u[3], int facing,
                     float *positions, float *normals)
{
    double v[3];
    vv_cross(t, u, v);
    for (int s = 0; s < SIDES; s++)
        for (int k = 0; k < 3; k++) {
            double angle = 2 * M_PI * s / SIDES, out = cos(angle) * u[k] + sin(angle) * v[k];
            positions[3 * s + k] = (float)(centre[k] + tubes->radius * out);
            normals[3 * s + k] = (float)(facing == 0 ? out : facing * t[k]);
        }
}

void vv_tubes_place(vv_tubes *tubes, const float *x, bool first, float *positions, float *normals)
{
    const vv_chains *c = &tubes->chains;
    const int *chain = c->vertices;
    for (int k = 0; k < c->count; chain += c->lengths[k++]) {
        double t[3], u[3], begin[3] = { 0 }, *start = tubes->start + 3 * k;
        int length = c->lengths[k];
        for (int d = 0; d < 3; d++)
            u[d] = first ? 0 : start[d];
        float *caps = positions + 3 * SIDES * length, *facing = normals + 3 * SIDES * length;
        for (int i = 0; i < length; i++, positions += 3 * SIDES, normals += 3 * SIDES) {
            const float *centre = x + 3 * (size_t)chain[i];
            tangent(x, chain, length, i, t);
            across(t, u);
            put_ring(tubes, centre, t, u, 0, positions, normals);
            if (i == 0) {
                for (int d = 0; d < 3; d++)
                    begin[d] = u[d];
                put_ring(tubes, centre, t, u, -1, caps, facing);
            }
            if (i == length - 1)
                put_ring(tubes, centre, t, u, 1, caps + 3 * SIDES, facing + 3 * SIDES);
        }
        positions += 2 * 3 * SIDES, normals += 2 * 3 * SIDES;
        for (int d = 0; d < 3; d++)
            start[d] = begin[d];
    }
}
