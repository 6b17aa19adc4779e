/* NAME.blender.py: a script that shows point caches in Blender. */
#ifndef VV_RECORD_EXPORT_BLENDER_H
#define VV_RECORD_EXPORT_BLENDER_H

#include "record/export/backdrop.h"

typedef struct vv_blender_body {
    const char *name, *mesh, *cache;
    unsigned colour;
    double thickness; /* m, of a shell or a rod; 0: none */
} vv_blender_body;

typedef struct vv_blender {
    const vvRun *run;
    const char *file; /* the script's own name */
    double rate;      /* samples per second */
    int samples, count;
    const vv_blender_body *bodies; /* files by name, beside the script */
    vv_bounds bounds;
} vv_blender;

extern const char vv_blender_mark[]; /* what its first line begins with */
vvStatus vv_blender_script(const vv_blender *blender, FILE *f, vvError *error);

#endif
