/* What friction remembers of contacts that stick (theory §5.7): by how much each has given way. */
#ifndef VV_CONTACT_FRICTION_STICK_H
#define VV_CONTACT_FRICTION_STICK_H

#include "contact/surfaces/vertices.h"

#include <stdbool.h>

/* Per contact vertex: its tangential displacement (m) relative to what it touches since it began to stick, no longer
 * than eps_v h. Bodies own the memory, three numbers for each vertex of their surface, so that it outlives contact. */
typedef struct vv_stick {
    const vv_vertices *vertices;
    double **of_body; /* per body */
    bool on;          /* false: nothing is remembered */
    double h;         /* s: of the step */
    /* of a step that ends: sums over contacts, per vertex */
    double (*sum)[3], *weight;
} vv_stick;

bool vv_stick_create(vv_stick *stick, const vv_vertices *vertices, int bodies);
void vv_stick_free(vv_stick *stick);
static inline bool vv_stick_is_on(const vv_stick *stick) { return stick && stick->on && stick->h > 0; }

/* u += the displacement of contact vertex v over h, times weight. */
void vv_stick_add(const vv_stick *stick, int v, double weight, double u[3]);
/* A tangential velocity u of that speed, with what there was before in it, becomes the displacement (m) to remember. */
static inline void vv_stick_shorten(double speed, double eps, double h, double u[3])
{
    const double factor = speed > eps ? h * eps / speed : h;
    for (int k = 0; k < 3; k++)
        u[k] *= factor;
}
/* At the end of a step: between these two, each contact gives its vertices what it has given way by, d, to be averaged
 * by weights. Those that nothing gives anything have none from there on. */
void vv_stick_begin(vv_stick *stick);
void vv_stick_give(vv_stick *stick, int v, double weight, const double d[3]);
void vv_stick_end(vv_stick *stick);

/* Of all bodies: numbers, and copies of them. */
size_t vv_stick_bytes(const vv_stick *stick);
void vv_stick_save(const vv_stick *stick, void *to);
void vv_stick_load(vv_stick *stick, const void *from);

#endif
