/* The layout of a run file (docs/run-file.md describes it for users): the growing datasets as one table, and the
 * rows of the compound ones. Writer, reader and rebuilding all follow this table. */
#ifndef VV_RECORD_LAYOUT_H
#define VV_RECORD_LAYOUT_H

#include "record/hdf.h"
#include "visviva/run.h"

enum {
    VV_RUN_VERSION = 1,       /* /visviva, attribute format_version: raised when an old reader would misread */
    VV_RUN_STATUS_ROOM = 256, /* bytes of the fixed strings */
    VV_RUN_WORD_ROOM = 64,
    VV_RUN_NOTE_ROOM = 1024,
    VV_RUN_NAME_ROOM = 128,
    VV_RUN_VALUES_CHUNK = 65536 /* frames per chunk of Steps/Values: see write.c on why it is so large */
};

/* The sizes that fix the shape of every growing dataset. */
typedef struct vv_run_sizes {
    int64_t nodes, bodies, state, phases; /* state: bytes of a restart blob; phases: of a step, others in older files */
} vv_run_sizes;

typedef enum vv_set {
    VV_SET_VALUES, /* first: created right after the attribute NSteps */
    VV_SET_PART_OFFSETS,
    VV_SET_NUMBER_OF_PARTS,
    VV_SET_POINT_OFFSETS,
    VV_SET_CELL_OFFSETS,
    VV_SET_CONNECTIVITY_OFFSETS,
    VV_SET_VELOCITY_OFFSETS,
    VV_SET_BODY_OFFSETS,
    VV_SET_POINTS,
    VV_SET_VELOCITY,
    VV_SET_FRAMES,
    VV_SET_STATE,
    VV_SET_LEDGER,
    VV_SET_SOLVER,
    VV_SET_PHASES,
    VV_SET_BODY_ENERGIES,
    VV_SET_BODY_VISIBLE,
    VV_SET_STATE_VELOCITY_OFFSETS,
    VV_SET_STATE_VELOCITY,
    VV_SET_COUNT
} vv_set;

typedef enum vv_set_unit { VV_UNIT_FRAME, VV_UNIT_NODE /* nodes of a frame */, VV_UNIT_ROW } vv_set_unit;
typedef enum vv_set_type {
    VV_TYPE_DOUBLE,
    VV_TYPE_INT64,
    VV_TYPE_BYTE,
    VV_TYPE_FRAME,
    VV_TYPE_LEDGER,
    VV_TYPE_SOLVER,
    VV_TYPE_BODY,
    VV_TYPE_VISIBLE
} vv_set_type;

typedef struct vv_set_info {
    const char *path;
    vv_set_unit unit;
    vv_set_type type;
    int columns; /* 0: one-dimensional; else a constant, or one of the negative marks below */
} vv_set_info;
enum { VV_COLUMNS_STATE = -1, VV_COLUMNS_BODIES = -2, VV_COLUMNS_PHASES = -3 };
const vv_set_info *vv_set_at(vv_set set);

/* How many rows of the set belong to that many frames and ledger rows. */
int64_t vv_set_rows(vv_set set, const vv_run_sizes *sizes, int64_t frames, int64_t rows);
int64_t vv_set_columns(vv_set set, const vv_run_sizes *sizes);
/* Bytes of a row in memory (all columns). */
size_t vv_set_row_bytes(vv_set set, const vv_run_sizes *sizes);

/* Whether files of older versions lack the set. */
bool vv_set_newer(vv_set set); /* files of older versions lack it */
/* Reads rows from `dataset`; what a file of an older version lacks is NaN (dataset < 0: all). */
bool vv_set_read(vv_set set, const vv_run_sizes *sizes, hid_t dataset, int64_t first, int64_t count, void *rows);

/* ---- rows of the compound datasets; the ledger's is vvLedgerRow, that of visible energies vvVisible ---- */

/* Lists of texts that belong to ledger rows (record/lines.c). */
typedef enum vv_lines_kind { VV_LINES_CHANGES, VV_LINES_NOTES, VV_LINES_COUNT } vv_lines_kind;

typedef struct vv_frame_row {
    int64_t step;
    double time;
    int64_t rows; /* ledger rows booked up to and including this frame */
} vv_frame_row;

typedef struct vv_solver_row {
    double wall, residual;
    int32_t end; /* vvSolveEnd */
    char linear[16], note[128];
} vv_solver_row;

typedef struct vv_body_row {
    char name[VV_RUN_NAME_ROOM];
    int64_t first_node, node_count, first_tet, tet_count, first_triangle, triangle_count, first_edge, edge_count;
} vv_body_row;

/* The type in memory, and (packed) in the file; the caller closes it, negative on failure. */
hid_t vv_memory_type(vv_set_type type);
hid_t vv_file_type(vv_set_type type);
/* Whether a compound dataset has every member that this version reads, with the right type; those marked `newer` may
 * be absent. */
bool vv_members_fit(hid_t dataset, vv_set_type type);
/* Name and unit of member `index` of the ledger's compound type and its offset in vvLedgerRow; NULL past the end. */
typedef struct vv_member {
    const char *name, *unit;
    size_t offset;
    char kind; /* 'd' double, 'l' int64, 'i' int, 't' text of `width` bytes, 'e' the solver's end */
    int width;
    bool newer; /* a double or an int that files of older versions lack */
} vv_member;
const vv_member *vv_ledger_member(int index);

/* ---- making a file of this layout ---- */

typedef struct vv_capacity {
    int64_t frames, rows; /* room: rows of a growing dataset beyond the counters are undefined */
    int64_t values;       /* exact length of Steps/Values */
} vv_capacity;
/* Creates groups, counters (both zero) and all growing datasets; sets[] receives their ids. */
bool vv_layout_create(hid_t file, const vv_run_sizes *sizes, const vv_capacity *room, hid_t sets[VV_SET_COUNT]);
/* Opens a growing dataset for that many frames and rows; sizes that are 0 may be any (*shape has them). */
hid_t vv_layout_open_set(hid_t file, vv_set set, const vv_run_sizes *sizes, int64_t frames, int64_t rows,
                         vv_hdf_shape *shape);
/* Opens all of them, for a file in which they must have these sizes. */
bool vv_layout_open(hid_t file, const vv_run_sizes *sizes, int64_t frames, int64_t rows, hid_t sets[VV_SET_COUNT]);
void vv_layout_close(hid_t sets[VV_SET_COUNT]);

/* Datasets of carried surfaces (record/surfaces.c); absent from files made before these existed. */
enum { VV_SURFACE_PATHS = 5 };
extern const char *const vv_surface_paths[VV_SURFACE_PATHS];
/* As above (record/kinematic.c, record/thickness.c, record/directors.c, record/touching.c). */
extern const char vv_made_by_path[], vv_kinematic_path[], vv_thickness_path[], vv_lengths_path[], vv_stiffness_path[],
    vv_stiffest_path[], vv_sample_counts_path[], vv_sample_layers_path[], vv_samples_path[], vv_directors_path[],
    vv_joined_path[];
/* As above (record/drawn.c). */
enum { VV_DRAWN_PATHS = 6 };
extern const char *const vv_drawn_paths[VV_DRAWN_PATHS];
/* As above (record/touching.c). */
enum { VV_TOUCHING_PATHS = 4 };
extern const char *const vv_touching_paths[VV_TOUCHING_PATHS];

/* As above (record/bending.c). */
enum { VV_BENDING_PATHS = 6 };
extern const char *const vv_bending_paths[VV_BENDING_PATHS];

/* record/copy.c. Whether the datasets that every file has, and that are written once, are as they must be. They are
 * copied only when room is used up, which would be late to refuse them. */
bool vv_layout_fixed_fit(hid_t file);
/* Copies everything that is written once (meshes, texts, facts) from one run file to another, with another scene if
 * that is not NULL. */
bool vv_layout_copy_fixed(hid_t from, hid_t to, const char *scene_name, const char *scene_text);

/* The counters. Frames and rows are in /visviva/counts, and the frames again in VTK's NSteps, written last. */
bool vv_layout_write_counts(hid_t file, int64_t frames, int64_t rows);
bool vv_layout_write_steps(hid_t file, int64_t frames);

#endif
