/* The samples of a height field: obstacles[].heights. */
#ifndef VV_SCENE_HEIGHTS_H
#define VV_SCENE_HEIGHTS_H

#include "scene/document.h"

typedef struct vv_heights {
    double *samples; /* counts[0] x counts[1], the former next to each other; vv_free it */
    int counts[2];
} vv_heights;

/* Of the obstacle at `where`: whether it has heights where it needs them, and only there; then its samples, none
 * where it needs none. */
vvStatus vv_scene_check_heights(vv_document *doc, const json_t *obstacle, const char *where);
vvStatus vv_scene_make_heights(vv_document *doc, const json_t *obstacle, const char *where, vv_heights *out);

/* A PGM picture (0: black, 1: white) or rows of numbers. Errors name file and line, or byte. */
vvStatus vv_heights_read(const char *path, vv_heights *out, vvError *error);
/* Hills, from 0 to 1: `across` of them along x, and smaller ones, each half as wide and `rough` as high as those
 * before. The same on every machine. */
vvStatus vv_heights_hills(const int counts[2], double across, double rough, int64_t seed, vv_heights *out,
                          vvError *error);

#endif
