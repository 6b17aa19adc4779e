/* visviva new --from-ipc: what the parts share that make a scene of an input file of the IPC reference program
 * (Li et al. 2020, github.com/ipc-sim/IPC).
 *
 * Order of work: words.c reads the file, one row of a table a word; meshes.c finds and reads the meshes; placing.c
 * puts them into the world; motion.c and scripts.c say what moves; contact.c turns relative lengths into metres;
 * scene.c writes JSON. */
#ifndef VV_CLI_IPC_H
#define VV_CLI_IPC_H

#include <jansson.h>

#include "cli.h"

typedef struct vv_ipc vv_ipc;

/* ---- text.c: lines and words ---- */

enum { VV_IPC_WORD = 1024 };
typedef struct vv_ipc_text {
    char *data;       /* the whole file */
    const char *next; /* the rest of the line: words are taken from here */
    char *rest;       /* the lines after it; NULL: none */
    int line;         /* from 1 */
} vv_ipc_text;
/* VV_CLI_GO, or an exit code after a message. */
int vv_ipc_open(const char *path, vv_ipc_text *text);
void vv_ipc_close(vv_ipc_text *text);
/* False: there is no further line. */
bool vv_ipc_next_line(vv_ipc_text *text);
/* The next word of the line, without taking it: its length, 0 at the end of the line. */
size_t vv_ipc_peek(vv_ipc_text *text, const char **word);
/* Takes a word. False: the line has no more. Longer words are cut. */
bool vv_ipc_take(vv_ipc_text *text, char word[VV_IPC_WORD]);
/* A finite number, and nothing else. */
bool vv_ipc_is_number(const char *word, double *value);

/* ---- what is read ---- */

typedef struct vv_ipc_drive { /* moves some nodes of a shape (DBC), or pulls them (NBC) */
    int line;
    double low[3], high[3]; /* of the region, in parts of the mesh's box */
    double linear[3];       /* m/s; NBC: m/s2 */
    double angular[3];      /* deg/s, about x, y, z */
    double begin, end;      /* s */
} vv_ipc_drive;

typedef enum vv_ipc_kind { VV_IPC_POINTS, VV_IPC_SEGMENTS, VV_IPC_SURFACE, VV_IPC_TETS } vv_ipc_kind;

typedef struct vv_ipc_mesh { /* a file, read once */
    char *path;              /* where it lies, or was written: what the scene names */
    char *part_of;           /* the file that it was written from; NULL: it was there */
    vv_ipc_kind kind;
    vvMesh mesh;
} vv_ipc_mesh;

typedef struct vv_ipc_shape {
    int line;
    char *path; /* as the file has it */
    const vv_ipc_mesh *mesh;
    char name[80];                            /* in the scene: of the file, */
    int number;                               /* and from the second one on a number */
    bool apart;                               /* a meshCO: not part of what `size` and `rotateModel` act on */
    double friction;                          /* its own; NAN: the scene's */
    double origin[3];                         /* meshCO: where the mean of its vertices is, m */
    double extent;                            /* meshCO: its largest extent in m; 0: scale counts */
    double translate[3], rotate[3], scale[3]; /* angles in degrees */
    double turn[9];                           /* the same rotation as a matrix */
    int count[3];                             /* shapeMatrix */
    double step[3];
    double density, young, poisson; /* NAN: the scene's */
    bool moves, spins, starts;
    double linear[3], angular[3];             /* the whole shape's, m/s and deg/s */
    double start_linear[3], start_angular[3]; /* initial, m/s and deg/s */
    char *sequence;                           /* a folder, as the file has it; NULL: none */
    vv_ipc_drive *held, *pulled;
    int held_count, pulled_count;
    /* what becomes of it */
    bool obstacle;
    char *stand_in;   /* a mesh file that stands in the world without a place, instead of its own; NULL: none */
    bool wrote_start; /* that file was made for it */
    json_t *motion, *attach, *velocity; /* may be NULL */
    double low[3], high[3];             /* placed, m; of all copies */
} vv_ipc_shape;

typedef enum vv_ipc_note_kind {
    VV_IPC_NEEDLESS, /* nothing moves otherwise for it: a camera, a linear solver */
    VV_IPC_LOST,     /* something that matters was left out */
    VV_IPC_UNKNOWN
} vv_ipc_note_kind;

typedef struct vv_ipc_note {
    vv_ipc_note_kind kind;
    int line;
    char text[400];
} vv_ipc_note;

typedef struct vv_ipc_script vv_ipc_script; /* a row of scripts.c */

typedef struct vv_ipc_plane {
    double point[3], normal[3], friction;
    json_t *motion; /* may be NULL */
} vv_ipc_plane;

struct vv_ipc {
    const char *path, *output;
    bool force; /* files beside the scene may be overwritten */
    vv_ipc_text text;
    bool fixed_corotated, newmark, gravity, self_off, absolute;
    double beta, gamma, duration, step, density, young, poisson;
    double damping_stiffness, damping_ratio; /* IPC's units: s3, and a ratio */
    double size, axis[3], turn;              /* rotateModel: deg */
    double held_range[2], pulled_range[2];   /* s */
    double friction, handle;
    int friction_iterations;          /* 0: until they have converged */
    double tolerance, distance, slow; /* relative unless absolute */
    double kappa_scale;
    char solver[32];             /* constraintSolver */
    const vv_ipc_script *script; /* NULL: none */
    int script_line, script_number_count;
    double script_numbers[16];
    char *script_folder;
    vv_ipc_plane *planes;
    vv_ipc_shape *shapes;
    vv_ipc_mesh **meshes;
    vv_ipc_note *notes;
    int plane_count, shape_count, mesh_count, note_count;
    int more_notes[2]; /* those that are only counted: needless ones, others */
    /* of the placed shapes */
    double low[3], high[3]; /* m: of all */
    double diagonal;        /* m: of the tets' box, before rotateModel */
};

/* An item of a list that grows: NULL without memory, with a message. */
void *vv_ipc_grow(void *list, int *count, size_t size);
char *vv_ipc_copy(const char *text);
void vv_ipc_note_line(vv_ipc *c, vv_ipc_note_kind kind, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* "visviva: FILE:LINE: MESSAGE"; the exit code for wrong input. */
int vv_ipc_wrong(const vv_ipc *c, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- words.c, shapes.c: the file; each returns VV_CLI_GO or an exit code after a message ---- */

int vv_ipc_read(vv_ipc *c);
/* `count` numbers from the rest of the line. `form`: how they are called, for messages. */
int vv_ipc_numbers(vv_ipc *c, const char *word, const char *form, int count, double *values);
int vv_ipc_read_shapes(vv_ipc *c, int count);
int vv_ipc_read_one_shape(vv_ipc *c);
int vv_ipc_read_matrix(vv_ipc *c, const double count[3], const double from[3]);
int vv_ipc_read_mesh_object(vv_ipc *c);
/* A copy of a shape of a shapeMatrix, at the end of the list. False without memory. */
bool vv_ipc_add_like(vv_ipc *c, int shape);

/* ---- meshes.c ---- */

int vv_ipc_find_meshes(vv_ipc *c);
/* Where IPC would look: as it stands, beside the input file, and from IPC's own folder, which is taken to be one
 * above it. */
bool vv_ipc_find(const vv_ipc *c, const char *path, char found[4096]);
bool vv_ipc_reads_obj(const char *path);
const char *vv_ipc_word_for(vv_ipc_kind kind);
/* The name of a file beside the scene, SCENE-NAME-WHAT.obj with the stem of `path`, that nothing else of the scene
 * has; fails if there is such a file and it must not be overwritten. */
int vv_ipc_name_made(const vv_ipc *c, const char *path, const char *what, char out[4096]);
/* Says which files were written beside the scene, or takes those away that it does not name: all, or those that
 * nothing needs. */
void vv_ipc_print_made(const vv_ipc *c);
void vv_ipc_remove_made(const vv_ipc *c, bool all);

/* ---- placing.c ---- */

int vv_ipc_place(vv_ipc *c);
/* A vertex in the world, of the first copy. */
void vv_ipc_point(const vv_ipc_shape *shape, int vertex, double out[3]);
/* Rx Ry Rz of angles in degrees; the angles of a rotation. */
void vv_ipc_rotation(const double degrees[3], double matrix[9]);
void vv_ipc_angles(const double matrix[9], double degrees[3]);
void vv_ipc_apply(const double matrix[9], const double x[3], double out[3]);

/* ---- turning.c, motion.c, scripts.c ---- */

/* What one drive does that turns these nodes of a shape. */
json_t *vv_ipc_turning(vv_ipc *c, const vv_ipc_shape *shape, const int *nodes, int count, const vv_ipc_drive *drive);
/* The step at whose start IPC first finds itself at or after `time`; it counts from 0. The steps of the run. */
double vv_ipc_first_step(const vv_ipc *c, double time);
double vv_ipc_run_steps(const vv_ipc *c);
int vv_ipc_move(vv_ipc *c);
/* What drives do together to nodes of a shape (shape->held has room for them): `nodes`, or all of them (NULL). NULL:
 * they are held. */
json_t *vv_ipc_motion(vv_ipc *c, const vv_ipc_shape *shape, const int *nodes, int count, const vv_ipc_drive *drives,
                      int drive_count);
/* The region of these nodes of a shape, as `where` of an attachment. */
json_t *vv_ipc_where(const int *nodes, int count);
int vv_ipc_attach(vv_ipc_shape *shape, json_t *where, json_t *motion);
/* The same for a push (m/s2); `motion`: its start and end, or NULL. */
int vv_ipc_push(const vv_ipc *c, vv_ipc_shape *shape, json_t *where, const double acceleration[3], json_t *motion);
const vv_ipc_script *vv_ipc_find_script(const char *name);
const char *vv_ipc_script_hint(char out[VV_HINT], const char *name);
bool vv_ipc_script_wants_folder(const vv_ipc_script *script);
int vv_ipc_run_script(vv_ipc *c);

/* ---- slides.c: scripts of their own ---- */

enum { VV_IPC_MOST_PARTS = 6 };
typedef struct vv_ipc_way {
    int count;
    double velocity[VV_IPC_MOST_PARTS][3], shift[VV_IPC_MOST_PARTS][3]; /* m/s, m: at the start of a step */
    double first[VV_IPC_MOST_PARTS][3];
    const void *data;                  /* what `decide` needs */
    json_t *motion[VV_IPC_MOST_PARTS]; /* NULL: it stands still */
} vv_ipc_way;
/* Walks the whole run. `decide` may change velocities at the start of each step. */
void vv_ipc_slide(const vv_ipc *c, vv_ipc_way *w, void (*decide)(vv_ipc_way *w));
int vv_ipc_squash_planes(vv_ipc *c);
int vv_ipc_squash_six_planes(vv_ipc *c);
int vv_ipc_shear_planes(vv_ipc *c);
int vv_ipc_squash_objects(vv_ipc *c);
int vv_ipc_squash_shapes(vv_ipc *c);
int vv_ipc_squash_six_shapes(vv_ipc *c);
int vv_ipc_lower_beds(vv_ipc *c);
int vv_ipc_squeeze_out(vv_ipc *c);
int vv_ipc_cut(vv_ipc *c);
int vv_ipc_hammer(vv_ipc *c);
int vv_ipc_turn_two_objects(vv_ipc *c);
int vv_ipc_turn_four_objects(vv_ipc *c);
int vv_ipc_throw(vv_ipc *c);
int vv_ipc_follow_first(vv_ipc *c);

/* ---- sequence.c ---- */

/* The shape becomes an obstacle that goes through FOLDER/first.seg, first + 1.seg, ... */
int vv_ipc_follow(vv_ipc *c, vv_ipc_shape *shape, const char *folder, int first, int line);

/* ---- contact.c ---- */

typedef struct vv_ipc_lengths {
    double distance, speed, tolerance, stiffness; /* m, m/s, m/s, Pa */
} vv_ipc_lengths;
/* VV_CLI_GO, or an exit code after a message. */
int vv_ipc_measure(const vv_ipc *c, vv_ipc_lengths *out);

/* ---- scene.c, json_text.c ---- */

/* NULL without memory. */
json_t *vv_ipc_scene(vv_ipc *c, const vv_ipc_lengths *lengths);
json_t *vv_ipc_number(double value);
json_t *vv_ipc_vector(const double v[3]);
bool vv_ipc_write_json(const json_t *scene, const char *path);

/* ---- ipc.c ---- */

/* The whole of `visviva new --from-ipc`: the exit code. */
int vv_ipc_convert(const char *path, const char *output, bool force);

#endif
