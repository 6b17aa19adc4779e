/* What an export shows: parts, one a body, each with its own vertices from 0, its triangles (or edges, or neither: lone
 * points), and their positions in a frame, in single precision. A body that carries a surface shows that, all of its
 * vertices in their order; else its vertices are the nodes that its elements use, in the order of the run. How vertices
 * come from the run's nodes is known here alone; an exporter sees vertices. */
#ifndef VV_RECORD_EXPORT_PART_H
#define VV_RECORD_EXPORT_PART_H

#include "record/export/export.h"
#include "record/export/labels.h"

typedef struct vv_part {
    const char *name; /* the body's, any bytes */
    int body;
    unsigned colour;  /* 0xrrggbb, sRGB */
    int vertex_count, triangle_count, edge_count; /* triangles or edges, not both */
    int *triangles, *edges;
    int *nodes;       /* of each vertex, counted from first_node; ascending. Of a carried surface: four */
    const double *weights; /* of a carried surface: of each vertex's nodes; else NULL */
    int first_node, node_count;
    double *x;        /* scratch: the nodes of a frame */
} vv_part;

/* The part of the job's `index`-th body. */
vvStatus vv_part_build(const vv_export_job *job, int index, vv_part *part, vvError *error);
void vv_part_free(vv_part *part);
unsigned vv_part_colour(const vvRun *run, int body); /* a kinematic body has that of the obstacles */
/* Positions (m) and, unless NULL, velocities (m/s) of the part's vertices, 3 each, in the run's frame. Fails where a
 * number is not finite or too large for single precision. */
vvStatus vv_part_read(const vvRun *run, const vv_part *part, int frame, float *positions, float *velocities,
                      vvError *error);

/* Words for the parts' names, by index. */
vvStatus vv_part_labels(const vv_export_job *job, vv_labels *ids, vvError *error);

/* The frames' places in time. */
typedef struct vv_timing {
    double start;    /* s, of the first frame */
    double interval; /* s, between two frames: all of them, or most */
    double rate;     /* 1 / interval; a whole number where it is within rounding of one */
    bool even;       /* every frame lies at start + i interval */
} vv_timing;
vvStatus vv_timing_find(const vv_export_job *job, vv_timing *timing, vvError *error);
/* Where the i-th exported frame lies, in intervals from the start: i where frames are even. */
double vv_timing_at(const vv_export_job *job, const vv_timing *timing, int i);

typedef struct vv_bounds { double low[3], high[3]; } vv_bounds;
vv_bounds vv_bounds_none(void);
void vv_bounds_add(vv_bounds *bounds, const float *positions, int count);
double vv_bounds_diagonal(const vv_bounds *bounds);

/* Little-endian, as PC2, PLY and glTF want it. */
void vv_put_floats(FILE *f, const float *values, size_t count);
void vv_put_ints(FILE *f, const int32_t *values, size_t count);

/* 0xrrggbb as linear red, green, blue. */
void vv_linear_rgb(unsigned colour, double rgb[3]);
/* 'Z' where gravity points along -z, else 'Y'. */
char vv_up_axis(const vvRun *run);

#endif
