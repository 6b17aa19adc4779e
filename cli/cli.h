/* What the subcommands share: reading options, exit codes, progress, interruption, printing numbers.
 *
 * A subcommand is one file, cli/NAME.c, with `int vv_cli_NAME(int argc, char **argv)`: argv[0] is the subcommand's
 * name, the result is the exit code. It uses <visviva/...> and this header, nothing else of the library. */
#ifndef VV_CLI_H
#define VV_CLI_H

#include <stdio.h>

#include "visviva/visviva.h"

/* ---- exit codes ---- */

enum {
    VV_EXIT_OK = 0,
    VV_EXIT_INTERRUPTED = 130, /* Ctrl-C */
    VV_EXIT_FAILED = 1,        /* the work was begun but did not end well: a step failed, the disk is full, no memory */
    VV_EXIT_WRONG = 2          /* wrong options or wrong input: nothing was done */
};

/* ---- what it says (say.c) ---- */

/* Prints "visviva: MESSAGE" on stderr and returns the exit code for the status: 2 for wrong input (also for files
 * that cannot be read, and for what is not supported), else 1. */
int vv_cli_error(const vvError *error);
/* The same, but puts the scene's path before a message about wrong input that does not name its file. */
int vv_cli_error_in(const char *path, const vvError *error);
/* The same for a message of the program itself; returns 2. */
int vv_cli_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The last call of the program: what main returns. */
int vv_cli_leave(int code);
/* "visviva: warning: MESSAGE" on stderr. */
void vv_cli_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What was said: the last error ("": none), and the warnings (NULL past the end). */
const char *vv_cli_last_error(void);
const char *vv_cli_warning(int index);
/* With --strict: VV_EXIT_FAILED in place of VV_EXIT_OK, if there was a warning. */
int vv_cli_strict(bool strict, int code);

typedef enum vv_style_kind { VV_STYLE_PLAIN, VV_STYLE_HEADING, VV_STYLE_WARNING, VV_STYLE_ERROR } vv_style_kind;
/* What begins the style on a terminal, and VV_STYLE_PLAIN ends it; "" where there is no terminal, or NO_COLOR is
 * set. */
const char *vv_style(FILE *to, vv_style_kind kind);
/* On stdout, without a line end. */
void vv_cli_heading(const char *text);

/* `; did you mean "WORD"?`, or "" if none of the words is like the wrong one. Returns `out`. */
enum { VV_HINT = 96 };
const char *vv_cli_hint(char out[VV_HINT], const char *wrong, const char *const *words, int count);

/* ---- options ---- */

typedef enum vv_option_kind {
    VV_OPTION_FLAG,    /* bool *: set to true */
    VV_OPTION_TEXT,    /* const char ** */
    VV_OPTION_NUMBER,  /* double *: also "1/30" */
    VV_OPTION_INTEGER, /* int * */
    VV_OPTION_LIST     /* vv_option_list *: may be given several times */
} vv_option_kind;

enum { VV_OPTION_LIST_MAX = 256 };
typedef struct vv_option_list {
    const char *values[VV_OPTION_LIST_MAX];
    int count;
} vv_option_list;

typedef struct vv_option {
    const char *name; /* "--threads" */
    char letter;      /* 'o' for -o, or 0 */
    vv_option_kind kind;
    void *value;
    const char *argument; /* what help calls the value: "FILE"; NULL for a flag */
    const char *help;     /* one line */
    double min, max;      /* allowed numbers; both 0: any */
} vv_option;

typedef struct vv_command_line {
    const char *usage;        /* what follows the subcommand's name: "SCENE [options]" */
    const char *summary;      /* one or more lines: what it does */
    const char *examples;     /* lines, each "visviva ..." */
    const vv_option *options; /* until a row with name NULL; may be NULL */
    int least, most;          /* positional arguments */
} vv_command_line;

enum { VV_CLI_GO = -1 };
/* Reads argv[1..]: fills the options' values, and positional[] (room for `most`) with the rest. Returns VV_CLI_GO, or
 * the exit code with which the subcommand should return at once (--help was printed: 0; wrong: 2, with a message on
 * stderr). Understands "--name value", "--name=value", "-o value", "--" and --help. */
int vv_cli_parse(const vv_command_line *line, int argc, char **argv, const char **positional, int *positionalCount);
/* A decimal number or a fraction, "1/240"; false when the text is neither. */
bool vv_cli_read_number(const char *text, double *value);

/* ---- progress, on stderr: a bar with the time left on a terminal, a plain line now and then in a pipe ---- */

typedef struct vv_progress {
    const char *what; /* "run", "export" */
    double total;     /* of whatever is counted */
    double first;     /* where counting began, if not at 0: the time left is estimated from what was done since */
    double began, shown;
    bool quiet, tty;
    int lines, cells; /* drawn so far; of the bar */
} vv_progress;
void vv_progress_start(vv_progress *progress, const char *what, double total, bool quiet);
/* `done` of `total`; `detail` (may be "") is put after the bar: "a, b, c", the most important first, as a terminal
 * may have no room for all of it. Cheap: draws at most some times per second. */
void vv_progress_update(vv_progress *progress, double done, const char *detail);
/* Clears the bar (terminal) so that ordinary lines may follow. */
void vv_progress_finish(vv_progress *progress);

/* Follows work of the library that takes long, with a line of progress once it takes more than a moment; Ctrl-C ends
 * it. */
typedef struct vv_following {
    const char *command; /* "run" */
    bool quiet, begun;
    char what[300];
    vv_progress progress;
} vv_following;
vvWatch vv_cli_watch(vv_following *following);
/* Clears the line, if there is one. */
void vv_following_finish(vv_following *following);

/* ---- Ctrl-C: the first one asks to stop, the second one kills ---- */

/* Before anything: Ctrl-C says so and ends the program with VV_EXIT_INTERRUPTED. */
void vv_cli_expect_interrupt(void);
/* From here on the command asks by itself, and tidies up. */
void vv_cli_catch_interrupt(void);
bool vv_cli_interrupted(void);
/* For vvWorldSetCancel. */
bool vv_cli_cancel(void *user);

/* ---- lines of progress (line.c) ---- */

/* Draws over the line of progress on a terminal; else a line of its own. */
void vv_cli_show_line(const char *line, bool tty);
/* From here on the program is busy with this ("run: step 3 of 240"), which is said if it takes longer than two
 * seconds without another word; NULL: with nothing that takes long. */
void vv_cli_phase(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Phases are not spoken of: --quiet. */
void vv_cli_mute_phases(void);
/* On a terminal, removes the line of progress that stands there: before a message. */
void vv_cli_clear_line(void);

/* ---- names of files to write (outputs.c); each check returns VV_CLI_GO, or 2 after a message ---- */

/* ".obj" of "a/b.obj"; "" without one. */
const char *vv_cli_ending(const char *path);
/* The name has no ending, or one of the allowed (".png .svg"); `what`: "a plot". */
int vv_cli_check_ending(const char *path, const char *what, const char *allowed);
/* A run may be written to `path`: no other kind of file is there, and the ending is a run's. */
int vv_cli_check_run_output(const char *path);
/* Opens a run to read. VV_CLI_GO, or an exit code after a message, which says where `visviva run` put a run of that
 * name. */
int vv_cli_open_run(const char *path, vvRun **run);
/* cli/fields.c. A world of the run's scene, to destroy; else a code, and what is wrong has been said. */
int vv_cli_world_of_run(const char *path, const vvRun *run, vvWorld **world);
/* Extremes of fields (names with commas between) of all bodies at the run's last frame, and where they are; and what
 * each attachment bears. */
int vv_cli_print_fields(const char *path, const vvRun *run, const char *fields);
/* Whether some body of a world has the field. */
bool vv_cli_has_field(vvWorld *world, const vvField *field);
extern const char *const vv_cli_field_owners; /* whose fields are which */
/* The field of that name; NULL: it is none, which has been said. */
const vvField *vv_cli_field(const char *word);
/* One number of a value of it: of vectors the length, of stress and strain the component that is largest, of principal
 * values the first. */
double vv_cli_field_size(const vvField *field, const double *value);
/* Of `world`, which vv_cli_world_of_run made and vvRunLoadFrame filled: that number at each vertex of the run, carried
 * on to surfaces; 0 where there is none. Array: values[vvRunVertexCount]. */
vvStatus vv_cli_run_field(const vvRun *run, vvWorld *world, const vvField *field, double *values, vvError *error);
/* No run is there. `continued`: the run that is to be written goes on with another one. */
int vv_cli_keep_run(const char *path, bool continued);

/* ---- numbers and paths as text; each returns `out` ---- */

enum { VV_TEXT = 32 };
double vv_cli_seconds(void);                                     /* monotonic clock */
int vv_cli_cores(void);                                          /* that this process may use, at least 1 */
const char *vv_text_duration(char out[VV_TEXT], double seconds); /* "1m 04s" */
const char *vv_text_quantity(char out[VV_TEXT], double value, const char *unit); /* "1.25 kJ", "310 um" */
const char *vv_text_bytes(char out[VV_TEXT], double bytes);                      /* "12.3 MB" */
/* Scenes that come with the program go by name: if *path is no file but the name of such a scene, it becomes that
 * scene's path, in `room`. Returns VV_CLI_GO, or 2 with a message: neither a file nor a scene. */
enum { VV_SCENE_ROOM = 4500 };
int vv_cli_find_scene(const char **path, char room[VV_SCENE_ROOM]);
/* The same for commands that take no mesh: one is refused, with the command that makes a scene from it. */
int vv_cli_want_scene(const char **path, char room[VV_SCENE_ROOM]);
void vv_cli_each_scene(void (*visit)(void *user, const vvInfo *info), void *user);
/* The file's name without folder and ending: "scenes/rotating-cube.json" -> "rotating-cube". */
void vv_cli_stem(const char *path, char *out, size_t size);
/* Makes the folders that lead to the file. On failure false, with a message on stderr. */
bool vv_cli_make_folders(const char *path);
/* True if the file begins like an HDF5 file (a run), so that commands can tell runs from scenes and meshes. */
bool vv_cli_is_run_file(const char *path);
/* Both exist and are the same file, whatever their names. */
bool vv_cli_same_file(const char *a, const char *b);
/* JSON is UTF-8: other bytes cannot be written. Only the form is looked at. */
bool vv_cli_is_utf8(const char *text);
long vv_cli_peak_memory(void); /* bytes: of this process alone, the most so far */

/* Lines about a mesh, indented: how good it is; what reading it mended, and what is odd about its surface. */
void vv_cli_print_quality(FILE *out, const vvMesh *mesh, const vvMeshQuality *quality);

/* ---- body_mesh.c ---- */

/* The body as a mesh of its own, at present positions; of an affine body the surface. False: no memory. To be freed
 * in any case; points have no list. */
bool vv_cli_body_mesh(const vvWorld *world, vvBodyId body, vvMesh *mesh);
void vv_cli_body_mesh_free(vvMesh *mesh);

/* An affine body as a solid. */
typedef struct vv_cli_solid {
    double volume;                /* m^3 */
    double centre[3], inertia[3]; /* m, of mass; kg m^2, about axes through it along x, y and z */
} vv_cli_solid;
void vv_cli_find_solid(const vvWorld *world, vvBodyId body, const vvMesh *mesh, vv_cli_solid *solid);
void vv_cli_print_mended(FILE *out, const vvMeshNotes *notes, bool has_tets);

/* Prints the friction of every pair that may touch; cli/check/friction.c. */
void vv_cli_print_friction(const vvWorld *world);
/* Of a body whose tets have materials of their own, how many tets and what mass each has; mesh: as placed. Of others
 * nothing. check/regions.c */
void vv_cli_print_regions(const vvWorld *world, vvBodyId body, const vvMesh *mesh);
/* Whether anything touches anything; whether what the barrier's settings say matters. */
bool vv_cli_has_contact(const vvWorldDef *def);
bool vv_cli_has_barrier(const vvWorld *world);
bool vv_cli_surfaces_may_touch(const vvWorld *world); /* bodies each other, themselves, or obstacles with a mesh */
/* cli/lengths.c: a line: each in metres, and as a part of the scene's length. What is 0 is left out. */
void vv_cli_print_lengths(const vvRunLengths *lengths);
/* Below which speeds friction is smoothed: of one body, or of the lowest and the highest; no line of its own. */
void vv_cli_print_slow(FILE *out, const vvWorld *world);
/* A line, after `before`: the two that start nearest to each other, where contact acts below their gap alone; or none.
 */
void vv_cli_print_start_gap(FILE *out, const char *before, const vvWorld *world);
/* The stiffness of contact, and by what it was chosen. */
void vv_cli_print_stiffness(const vvStiffness *stiffness);

/* What changed between two scenes (JSON), as text for vvResumeDef.change: "" if it is nothing that moves bodies
 * otherwise (changes.c). */
void vv_cli_scene_changes(const char *before, const char *after, char *out, size_t size);

/* ---- surfaces that intersect, or start too near each other ---- */

/* A body in a list of intersections: the surface of it that collides. The elements are indices of `positions`. */
typedef struct vv_hit_body {
    const char *name;
    char path[64]; /* in the scene; may be "" */
    int firstVertex, vertexCount, tetCount, triangleCount, edgeCount;
    const int *triangles, *edges;
    bool carried; /* the vertices are those of a carried surface */
} vv_hit_body;
typedef struct vv_hits {
    int bodyCount;
    vv_hit_body *bodies;
    double *positions; /* places x 3: of the nodes, then of carried surfaces that collide */
    int places;
    int *triangles;          /* of these surfaces, if the arrays are not the run's own */
    int count, listed;       /* how many there are; how many of these are in the list */
    vvRunIntersection *list; /* a body below 0: the obstacle -1 - body, without elements */
    double *depth;           /* m: by how much each is too near; NULL: this is a list of intersections */
    char (*obstacles)[96];   /* what to call them */
} vv_hits;
void vv_hits_free(vv_hits *hits);
/* Frames 0 .. count - 1 of a run, one after the other: *pairs is the sum. */
vvStatus vv_hits_count(const vvRun *run, int count, int64_t *pairs, vvError *error);
/* Finds the intersections in a frame. */
vvStatus vv_hits_of_run(const vvRun *run, int frame, vv_hits *hits, vvError *error);
/* Prints how many there are for each pair of bodies, and about ten of them. */
void vv_hits_print(FILE *out, const vv_hits *hits);
/* Writes a PLY file of all surfaces, with what intersects in red. False, with a message on stderr, if it cannot be
 * written or another kind of file is there. */
bool vv_hits_write(const char *path, const vv_hits *hits);
/* "out/drop.vtkhdf" -> "out/drop-intersections.ply" */
void vv_hits_path(const char *run, char *out, size_t size);
/* As vv_cli_error_in, for a world that could not be baked; if its bodies intersect, it lists them and writes the
 * mesh. */
int vv_cli_start_error(const char *scenePath, const vvScene *scene, vvWorld *world, const char *mesh,
                       const vvError *error);

/* visviva check RUN (cli/check/run.c). `mesh`: where to write the mesh of the first intersecting frame; NULL: beside
 * the run. */
struct json_t; /* jansson's; `json` (may be NULL) takes what is found */
int vv_cli_check_run(const char *path, const char *mesh, struct json_t *json);

/* ---- the summary of a run (--summary FILE; docs/json.md names its keys) ---- */

typedef struct vv_run_bounds {
    double low[3], high[3];
} vv_run_bounds;
vv_run_bounds vv_cli_bounds(const vvWorld *world);
/* Warns if Newton may stop at steps that are longer than the activation distance, of --set for parameters of a scheme
 * or policy that is not in use, and, of a world that stands at its start, of bodies so close that contact will throw
 * them apart. */
void vv_cli_warn_of_settings(const vv_option_list *sets, vvWorld *world, bool at_start);
typedef struct vv_run_summary {
    const char *status; /* "done", or why not */
    const char *scene;
    const char *output; /* the run file; may be NULL */
    int threads;
    double wall; /* s, the whole program */
    double phases[VV_PHASE_COUNT];
    vv_run_bounds boundsStart, boundsEnd;
    int64_t intersections; /* pairs of elements, summed over the recorded frames; -1: not tested */
    int64_t fallbackSteps; /* in which solver.fallback was asked, as the solver had not converged */
} vv_run_summary;
/* Writes the JSON file; energies, momenta and totals come from the world. */
vvStatus vv_cli_write_summary(const char *path, vvWorld *world, const vv_run_summary *summary, vvError *error);
/* Prints where every joule went, for people. */
void vv_cli_print_ledger(FILE *out, vvWorld *world);

/* For qsort: doubles, ascending. */
static inline int vv_by_number(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- the subcommands ---- */

int vv_cli_run(int argc, char **argv);
int vv_cli_check(int argc, char **argv);
int vv_cli_info(int argc, char **argv);
int vv_cli_list(int argc, char **argv);
int vv_cli_export(int argc, char **argv);
int vv_cli_plot(int argc, char **argv);
int vv_cli_spectrum(int argc, char **argv);
int vv_cli_render(int argc, char **argv);
int vv_cli_view(int argc, char **argv);
int vv_cli_sheet(int argc, char **argv);
int vv_cli_report(int argc, char **argv);
int vv_cli_truth(int argc, char **argv);
int vv_cli_compare(int argc, char **argv);
int vv_cli_reproduce(int argc, char **argv);
int vv_cli_settle(int argc, char **argv);
int vv_cli_mesh(int argc, char **argv);
int vv_cli_new(int argc, char **argv);
int vv_cli_bench(int argc, char **argv);

#endif
