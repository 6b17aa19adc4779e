/* What the sections of rods and of shells bear, by the forces of the elements themselves, and what presses on surfaces
 * (field.h). */
#ifndef VV_WORLD_QUERIES_RESULTANTS_H
#define VV_WORLD_QUERIES_RESULTANTS_H

#include "world/world.h"

/* Whether a body has elements of that sort. */
bool vv_is_strung(const vv_body *body);     /* rods or springs, without triangles and tets */
bool vv_has_bent_rods(const vv_body *body); /* and some of them bend */
bool vv_is_stretched(const vv_body *body);  /* shells, or a body in the plane: triangles without tets */
bool vv_has_bent_shells(const vv_body *body);

/* All overwrite `out`; the world is baked. */
vvStatus vv_section_force(vvWorld *w, const vv_body *body, double *out, vvError *error);  /* edges x 3, N */
vvStatus vv_section_moment(vvWorld *w, const vv_body *body, double *out, vvError *error); /* vertices x 3, N m */
vvStatus vv_axial_force(vvWorld *w, const vv_body *body, double *out, vvError *error);    /* edges, N */
vvStatus vv_shear_force(vvWorld *w, const vv_body *body, double *out, vvError *error);    /* edges, N */
vvStatus vv_torque(vvWorld *w, const vv_body *body, double *out, vvError *error);         /* vertices, N m */
vvStatus vv_bending_moment(vvWorld *w, const vv_body *body, double *out, vvError *error); /* vertices, N m */
vvStatus vv_membrane_force(vvWorld *w, const vv_body *body, double *out, vvError *error); /* triangles x 6, N/m */
vvStatus vv_plate_moment(vvWorld *w, const vv_body *body, double *out, vvError *error);   /* triangles x 6, N m/m */

/* At the sides of shells that have a thickness; skins.c. */
bool vv_has_skins(const vv_body *body);
vvStatus vv_top_stress(vvWorld *w, const vv_body *body, double *out, vvError *error);     /* triangles x 6, Pa */
vvStatus vv_bottom_stress(vvWorld *w, const vv_body *body, double *out, vvError *error);  /* triangles x 6, Pa */
vvStatus vv_skin_von_mises(vvWorld *w, const vv_body *body, double *out, vvError *error); /* triangles, Pa */

/* Of a body that collides by a surface that it carries; pressing.c. */
bool vv_carries_contact(const vv_body *body);
vvStatus vv_surface_force(vvWorld *w, const vv_body *body, double *out, vvError *error);    /* its vertices x 3, N */
vvStatus vv_surface_pressure(vvWorld *w, const vv_body *body, double *out, vvError *error); /* its vertices, Pa */
vvStatus vv_contact_force(vvWorld *w, const vv_body *body, double *out, vvError *error);    /* vertices x 3, N */
vvStatus vv_contact_pressure(vvWorld *w, const vv_body *body, double *out, vvError *error); /* vertices, Pa */

/* Hands on all of a body's elements where the world is now. */
void vv_each_element_force(vvWorld *w, const vv_body *body, vv_element_gradient_fn *found, void *arg);

#endif
