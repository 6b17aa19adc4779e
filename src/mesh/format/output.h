/* A file being made in memory; it is written to disk in one go. */
#ifndef VV_MESH_FORMAT_OUTPUT_H
#define VV_MESH_FORMAT_OUTPUT_H

#include "mesh/mesh.h"

struct vv_output {
    char *data;
    size_t count, capacity;
    bool failed; /* out of memory */
};
void vv_put_text(vv_output *o, const char *text);
void vv_put_int(vv_output *o, int64_t value, char after);
void vv_put_double(vv_output *o, double value, char after);
void vv_put_bytes(vv_output *o, const void *bytes, size_t size);
vvStatus vv_output_save(const vv_output *o, const char *path, vvError *error);
void vv_output_free(vv_output *o);
/* For formats of surfaces: numbers from 1 for the vertices of triangles, edges and points, in order, 0 for all others;
 * vv_alloc'ed, NULL when out of memory. */
int *vv_surface_numbers(const vvMesh *mesh, int *used);

#endif
