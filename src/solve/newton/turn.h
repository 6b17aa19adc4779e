/* Steps that turn bodies: see solve/newton/turn.c. */
#ifndef VV_SOLVE_NEWTON_TURN_H
#define VV_SOLVE_NEWTON_TURN_H

#include "solve/system.h"

typedef struct vv_turn vv_turn;

/* What turns in the direction p at q (node space; both must outlive it), in the system's arena; NULL if no body turns
 * enough to tell. */
vv_turn *vv_turn_of(const vv_system *s, const double *q, const double *p);
/* x = where the path is at t (node space). */
void vv_turn_place(const vv_turn *turn, double t, double *x);
/* The path's derivative at t (unknown space). */
void vv_turn_direction(const vv_turn *turn, double t, double *direction);

/* x = where the bodies without prescribed nodes are nearest to y by a rigid motion from q, in the metric of the
 * masses; the others as in q. Bodies that lie in a plane of the same z, at q and at y, turn within it. Without
 * `moves` they turn about their centres only. Returns half of the sum of m |q - y|^2 less what is left of it (node
 * space). */
double vv_turn_towards(const vv_system *s, const double *q, const double *y, bool moves, double *x);
/* Bytes in the arena that the functions above push for so many bodies, besides node vectors. */
size_t vv_turn_room(int bodies);

#endif
