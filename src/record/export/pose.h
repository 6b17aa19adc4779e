/* The motion of an affine body as other programs have it: its surface once, and where that is in a frame. X are
 * places where the body was placed, C is the mean of its nodes there, its centre of mass; x = F (X - C) + c is where
 * they are, exactly. */
#ifndef VV_RECORD_EXPORT_POSE_H
#define VV_RECORD_EXPORT_POSE_H

#include "record/export/part.h"

typedef struct vv_pose {
    double map[9];        /* F, rows */
    double centre[3];     /* c, m */
    double quaternion[4]; /* the rotation nearest to F, for the body's masses: w, x, y, z */
} vv_pose;

/* X - C of the part's vertices, 3 each. The part has `rest`. */
void vv_pose_shape(const vv_part *part, float *positions);
/* In the run's frame. Fails as vv_part_read does. */
vvStatus vv_pose_read(const vvRun *run, const vv_part *part, int frame, vv_pose *pose, vvError *error);
/* Adds the box of where the shape (of vv_pose_shape) is to bounds. */
void vv_pose_bounds(const vv_pose *pose, const float *shape, int count, vv_bounds *bounds);

#endif
