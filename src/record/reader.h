/* An open run, as used by reading, resuming and the exporters. */
#ifndef VV_RECORD_READER_H
#define VV_RECORD_READER_H

#include "record/layout.h"

typedef struct vv_run_lines {
    int count;
    int64_t *rows;
    char *texts; /* as many bytes each as the kind's are wide (lines.c) */
} vv_run_lines;

struct vvRun {
    char *path;
    hid_t file, sets[VV_SET_COUNT]; /* only the sets that are read, else -1 */
    vv_run_sizes sizes;
    int exporting; /* exports under way: their progress function must not free the run */
    int64_t frames, rows;
    int64_t frame_room, row_room;
    int64_t cell_count, mixed_count;
    vv_frame_row *frame_rows;
    vvRunBody *bodies;
    int *tets, *triangles, *edges;
    char *scene_name, *scene_text, *status, *scheme, *policy, *made_by;
    double time_step, gravity[3];
    vvRunLengths lengths;  /* all 0 in files of older versions */
    vvStiffness stiffness; /* likewise */
    char *stiffest;        /* its body */
    bool knows_touching;   /* filters and self contact of the bodies come from the file */
    char *contact_model;
    int32_t *joined; /* pairs of bodies that a joint keeps from colliding; NULL: none */
    int64_t joined_count;
    int obstacle_count;
    char *obstacle_types; /* VV_RUN_WORD_ROOM bytes each */
    int32_t *obstacle_value_counts;
    double *obstacle_values;
    int64_t *obstacle_first;
    int32_t *sample_counts; /* 2 each; NULL, like what follows: no obstacle has samples */
    int32_t *sample_layers; /* along the third direction; NULL: 1 of each */
    double *samples;
    int64_t *sample_first;
    /* carried surfaces: run vertices of their triangles; run nodes and weights of their vertices, 4 each */
    int64_t surface_vertices;
    int *surface_triangles, *surface_nodes;
    double *surface_weights;
    int *tets10;                    /* of all bodies of order 2; NULL: none */
    double *uvs, *rest;             /* NULL: none; uvs: 6 numbers a triangle, of all bodies that have some */
    struct vv_run_bending *bending; /* record/bending.h; NULL: none */
    vv_run_lines lines[VV_LINES_COUNT];
};

/* The caller holds the lock (hdf.h). */
vvStatus vv_reader_open(const char *path, vvRun **run, vvError *error);
void vv_reader_free(vvRun *run);
/* record/reader.c; each failure names the part of the file. Opens a fixed dataset. */
hid_t vv_reader_open_set(const vvRun *run, const vv_want *want, vv_hdf_shape *shape, vvError *error);
vvStatus vv_reader_unreadable(const vvRun *run, const char *part, vvError *error);
/* A whole fixed dataset, checked, in new memory of `size` bytes per row (NULL with the error set); *rows may be
 * NULL. */
void *vv_reader_fixed(const vvRun *run, const vv_want *want, hid_t type, size_t size, int64_t *rows, vvError *error);
/* One value per body, in new memory: int32_t for H5T_INTEGER, double for H5T_FLOAT. NULL and VV_OK if the file has
 * none. */
vvStatus vv_reader_each_body(const vvRun *run, const char *path, H5T_class_t kind, void **values, vvError *error);
/* "FILE is damaged: PART WHAT" */
vvStatus vv_reader_broken(const vvRun *run, const char *part, const char *what, vvError *error);
/* record/intersections.c: how many pairs of drawn elements intersect at node positions, and the bodies and the place of
 * one of them; 0 in files that do not know what may touch. */
vvStatus vv_run_shown_intersections(const vvRun *run, const double *q, vvRunShown *shown, vvError *error);
/* Whether these are nodes of the body. */
bool vv_reader_inside(const vvRunBody *body, const int *nodes, int count);
/* record/surfaces.c: what the bodies carry; none in older files. */
vvStatus vv_reader_surfaces(vvRun *run, vvError *error);
/* Checks that the world's bodies carry the same surfaces: VV_ERROR_INPUT naming the body. */
vvStatus vv_reader_same_surfaces(const vvRun *run, const vvWorld *world, vvError *error);
/* record/kinematic.c: which bodies are kinematic; none in older files. */
vvStatus vv_reader_kinematic(vvRun *run, vvError *error);
/* record/thickness.c: 0 in older files. */
vvStatus vv_reader_thickness(vvRun *run, vvError *error);
/* record/directors.c: none in older files. */
vvStatus vv_reader_directors(vvRun *run, vvError *error);
/* record/drawn.c: after the surfaces and the thickness; nothing in older files. */
vvStatus vv_reader_drawn(vvRun *run, vvError *error);
/* record/bending.c: after the bodies; nothing in older files. */
vvStatus vv_reader_bending(vvRun *run, vvError *error);
/* record/samples.c: after the obstacles; none in older files. */
vvStatus vv_reader_samples(vvRun *run, vvError *error);
/* record/touching.c: which bodies may touch; nothing in older files. */
vvStatus vv_reader_touching(vvRun *run, vvError *error);
/* record/lines.c: where the run went on with other settings, and what was said; nothing in older files. */
vvStatus vv_reader_lines(vvRun *run, vvError *error);

/* Positions and velocities (either may be NULL) of some nodes of a frame. Takes the lock itself. */
vvStatus vv_run_read_nodes(const vvRun *run, int frame, int first, int count, double *positions, double *velocities,
                           vvError *error);
vvStatus vv_reader_state(const vvRun *run, int64_t frame, void *state, vvError *error);

#endif
