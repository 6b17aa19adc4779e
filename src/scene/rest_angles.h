/* Rest angles of a body's edges, from a file. */
#ifndef VV_SCENE_REST_ANGLES_H
#define VV_SCENE_REST_ANGLES_H

#include "visviva/world.h"

/* A new array (vv_free). mesh: of the body; what is wrong is said with file and line. */
vvStatus vv_rest_angles_read(const char *path, const vvMesh *mesh, vvRestAngle **angles, int *count, vvError *error);

#endif
