/* A camera that the mouse turns about a point. */
#ifndef VV_CLI_VIEW_ORBIT_H
#define VV_CLI_VIEW_ORBIT_H

#include "render/render.h"

typedef struct vv_orbit {
    double across[3], along[3], up[3]; /* the directions of azimuth 90 and 0 degrees, and up: orthonormal */
    double azimuth, elevation;         /* degrees */
    double target[3], distance, size;  /* m; size: of what there is to see */
    double fov;                        /* degrees, vertical */
} vv_orbit;

/* Looks at the middle of a box of what there is, from where all of it is seen. */
void vv_orbit_begin(vv_orbit *orbit, const double up[3], const double low[3], const double high[3]);
void vv_orbit_turn(vv_orbit *orbit, double azimuth, double elevation);
void vv_orbit_zoom(vv_orbit *orbit, double factor);
/* Shifts the target by parts of the picture's height. */
void vv_orbit_pan(vv_orbit *orbit, double right, double up);
void vv_orbit_camera(const vv_orbit *orbit, double aspect, vv_camera *camera);
/* Goes from where it looks towards `to` for that time (s), as it turns; false: it is there. */
bool vv_orbit_chase(vv_orbit *orbit, const vv_orbit *to, double seconds);
/* Whether what `to` shows well is small, cut off or beside the middle here. */
bool vv_orbit_lags(const vv_orbit *orbit, const vv_orbit *to);
/* The ray through a point of the picture, in parts of its width and height from the top left; direction of length 1. */
void vv_orbit_ray(const vv_orbit *orbit, double aspect, double x, double y, double origin[3], double direction[3]);

#endif
