/* What an export shows: parts, one per body, each with its own vertices from 0, its triangles (or edges, or neither:
 * lone points), and their positions in a frame, in single precision. A body that carries a surface shows that, all of
 * its vertices in order; otherwise its vertices are the nodes that its elements use, in the order of the run. Only
 * this file knows how vertices come from the run's nodes; an exporter sees vertices. */
#ifndef VV_RECORD_EXPORT_PART_H
#define VV_RECORD_EXPORT_PART_H

#include "record/export/export.h"
#include "record/export/labels.h"

typedef struct vv_part {
    const char *name; /* the body's, arbitrary bytes */
    int body;
    unsigned colour;                              /* 0xrrggbb, sRGB */
    int vertex_count, triangle_count, edge_count; /* triangles or edges, not both */
    int *triangles, *edges;
    int *nodes;            /* per vertex, counted from first_node; ascending. For a carried surface: four per vertex */
    const double *uvs;     /* texture coordinates: 2 numbers a triangle corner; NULL: none */
    const double *weights; /* for a carried surface: of each vertex's nodes; else NULL */
    const double *rest; /* of an affine body: its four nodes where it was placed, m; else NULL. pose.h has its motion */
    int first_node, node_count;
    double *x; /* scratch: the nodes of a frame */
} vv_part;

/* The part of the job's `index`-th body. */
vvStatus vv_part_build(const vv_export_job *job, int index, vv_part *part, vvError *error);
void vv_part_free(vv_part *part);
unsigned vv_part_colour(const vvRun *run, int body); /* a kinematic body has the obstacles' colour */
/* Positions (m) and, unless NULL, velocities (m/s) of the part's vertices, 3 each, in the run's frame. Fails if a
 * number is not finite or too large for single precision. */
vvStatus vv_part_read(const vvRun *run, const vv_part *part, int frame, float *positions, float *velocities,
                      vvError *error);

/* A coordinate of a vertex where the part's nodes are at `nodes` (3 each, from first_node on). */
double vv_part_component(const vv_part *part, const double *nodes, int vertex, int k);

/* Identifiers from the parts' names, by index. */
vvStatus vv_part_labels(const vv_export_job *job, vv_labels *ids, vvError *error);

/* Times of the exported frames. */
typedef struct vv_timing {
    double start;    /* s, of the first frame */
    double interval; /* s, between two frames: all of them, or most */
    double rate;     /* 1 / interval; an exact whole number if it is one within rounding */
    bool even;       /* every frame is at start + i interval */
} vv_timing;
vvStatus vv_timing_find(const vv_export_job *job, vv_timing *timing, vvError *error);
/* Time of the i-th exported frame, in intervals from the start: i if frames are even. */
double vv_timing_at(const vv_export_job *job, const vv_timing *timing, int i);

typedef struct vv_bounds {
    double low[3], high[3];
} vv_bounds;
vv_bounds vv_bounds_none(void);
void vv_bounds_add(vv_bounds *bounds, const float *positions, int count);
double vv_bounds_diagonal(const vv_bounds *bounds);

/* Little-endian, as PC2, PLY and glTF require. */
void vv_put_floats(FILE *f, const float *values, size_t count);
void vv_put_ints(FILE *f, const int32_t *values, size_t count);

/* 0xrrggbb as linear red, green, blue. */
void vv_linear_rgb(unsigned colour, double rgb[3]);
/* 'Z' if gravity points along -z, else 'Y'. */
char vv_up_axis(const vvRun *run);

#endif
