/* Directors: one extra node an edge, of bodies whose materials ask for them (vv_element_kind.directors; theory
 * §4.11). They are nodes like others, with a mass, and follow those of the vertices: the director of edge e of
 * vv_body.edges is node first + vertex_count + e. They are no vertices: nothing draws them, nothing touches them. */
#ifndef VV_WORLD_BODIES_DIRECTORS_H
#define VV_WORLD_BODIES_DIRECTORS_H

#include "world/world.h"

/* Whether one of the materials asks for directors. */
bool vv_body_wants_directors(const vv_body *body);
/* Places the directors of a body whose vertices stand at `x`, as at rest: over the middle of the edge, perpendicular
 * to it, at the distance of the rest length. `rest` gives these lengths; both are as long as the body's node indices
 * say, and may be the same. */
vvStatus vv_directors_place(const vv_body *body, const double *rest, double *x, vvError *error);
/* Draws directors close to their edges, and out again to where they belong: perpendicular to the edge as it is now,
 * in the direction in which they are. */
void vv_directors_draw_in(const vv_body *body, double *x);
void vv_directors_draw_out(const vv_body *body, const double *rest, double *x);
/* Gives each director the mass that has the edge's rotary inertia, and takes it from the edge's ends. `density`: kg a
 * measure (m^2 of a shell, m of a rod); the masses of the vertices are there. */
vvStatus vv_directors_set_mass(const vv_body *body, const double *rest, double density, double *mass, vvError *error);
/* The vertices at `nodes` (world indices, ascending, `count` of them): adds the directors of edges that have both
 * ends among these. Returns how many there are then; `nodes` has room for all of the body's. */
int vv_directors_between(const vv_body *body, int *nodes, int count);

static inline int vv_body_directors(const vv_body *b) { return b->count - b->vertex_count; }

#endif
