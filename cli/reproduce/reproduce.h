/* visviva reproduce: the experiments of the papers, run anew, and each published value beside the measured one.
 *
 *   library  papers and items below experiments/ (library.c); an item's JSON, its short form (item.c); for-lists
 *       (vary.c)
 *   runs     scenes under settings as child processes, kept and reused (runs.c, keep.c); what is no run of a scene
 *       (run_NAME.c)
 *   measure  a number of finished runs: a table of kinds (measure.c), a family a file (measure_NAME.c)
 *   rows     what a row claims and of which problem (row.c); a published number, a relation, a goal (claim_NAME.c);
 *       what the cost of a run bought (motion.c); the verdict (judge.c)
 *   results  rows as CSV, beside the paper (results.c)
 *   page     Markdown, HTML, JSON (page_NAME.c), plots (plots.c), maps (maps.c)
 *
 * docs/reproduce.md is the reference of an item's keys. */
#ifndef VV_CLI_REPRODUCE_REPRODUCE_H
#define VV_CLI_REPRODUCE_REPRODUCE_H

#include <jansson.h>

#include "study/study.h"

enum { VV_REPRO_WHY = 400, VV_REPRO_NAME = 128 };

/* ---- what is there ---- */

struct vv_repro_run_kind;
typedef struct vv_repro_size {                 /* of what a run simulates: all bodies together; kinematic ones, too */
    int bodies, nodes, tets, triangles, steps; /* triangles: of surfaces, the carried one where there is one */
} vv_repro_size;
typedef struct vv_repro_run {
    char name[VV_REPRO_NAME];
    json_t *spec, *vars; /* the run's JSON after variation; the values of its "for" */
    const struct vv_repro_run_kind *kind;
    bool mayFail;
    char absent[VV_REPRO_NAME];  /* a file that it needs and that is not there: it does not run; "": all is there */
    vv_study_plan plan;          /* of the kind "run" */
    char key[80];                /* of the scene and what it reads, and of the program */
    char path[4200], kept[4200]; /* the run file; its figures, which are there once it has ended */
    json_t *figures;             /* NULL: not there; "status": "done" or why not */
    vv_repro_size size;          /* all 0 where the scene is not read */
    bool needless;               /* only rows that are left out ask for it */
    vvRun *file;                 /* opened when a measure asks */
    vvLedgerRow *rows;
    int rowCount;
} vv_repro_run;

typedef enum vv_repro_verdict {
    VV_REPRO_REPRODUCED,
    VV_REPRO_FITTED,
    VV_REPRO_HOLDS,
    VV_REPRO_DIFFERS,
    VV_REPRO_BETTER,
    VV_REPRO_GOAL_MET,
    VV_REPRO_GOAL_MISSED,
    VV_REPRO_NOT_COMPARABLE,
    VV_REPRO_NOT_RUN,
    VV_REPRO_VERDICTS
} vv_repro_verdict;
typedef struct vv_repro_verdict_text {
    const char *name, *many, *class; /* "differs", "differ", and the page's style */
    bool settled;                    /* the row's note adds nothing to it */
} vv_repro_verdict_text;
extern const vv_repro_verdict_text vv_repro_verdict_texts[VV_REPRO_VERDICTS];

/* Whose problem a row solves: the paper's, one like it, or another. */
typedef enum vv_repro_problem { VV_REPRO_PAPER, VV_REPRO_LIKE, VV_REPRO_OTHER, VV_REPRO_PROBLEMS } vv_repro_problem;
extern const char *const vv_repro_problem_names[VV_REPRO_PROBLEMS];

struct vv_repro_claim;
typedef struct vv_repro_row {
    json_t *spec;
    vv_repro_problem problem;
    const char *unlike;                 /* what differs from the paper's problem; "": nothing */
    const struct vv_repro_claim *claim; /* NULL: none, as nothing comparable was published */
    double value;                       /* measured; NaN: could not be */
    char why[VV_REPRO_WHY];             /* why not */
    vv_repro_verdict verdict;
    char differs[VV_REPRO_WHY];                           /* by how much, or why not comparable */
    char published[VV_REPRO_WHY], measured[VV_REPRO_WHY]; /* as text */
    char motion[2 * VV_REPRO_WHY];                        /* what the cost bought, for rows that measure costs */
} vv_repro_row;

typedef struct vv_repro_item {
    char name[VV_REPRO_NAME], file[4200], folder[4100];
    json_t *json;
    bool listed; /* only its counts are wanted: its scenes are not read */
    bool named;  /* the command has its whole name */
    /* "long": left out, as it takes so much that it runs only where it is named; nothing of it is read but its texts */
    bool left;
    bool shortened; /* --quick changed it: its values are not those of the paper's experiment */
    vv_repro_run *runs;
    vv_repro_row *rows;
    int runCount, rowCount;
    char (*plots)[VV_REPRO_NAME * 2]; /* names of pictures beside the page; "" where none could be drawn */
    int plotCount;
} vv_repro_item;

typedef struct vv_repro_paper {
    char name[VV_REPRO_NAME], folder[4000];
    json_t *json;
    vv_repro_item *items;
    int itemCount;
} vv_repro_paper;

typedef struct vv_repro {
    const char *from, *folder, *json; /* options: --experiments, -o, --json */
    int jobs, threads;
    bool list, quick, brief, judge, record, quiet, again;
    json_t *made; /* what runs are made by: commit, version, machine */
    vv_repro_paper *papers;
    int paperCount;
    uint64_t program[2]; /* what tells this program from others (keep.c) */
    bool drawn;          /* gnuplot is there */
} vv_repro;

/* ---- library.c, item.c: all return VV_CLI_GO, or an exit code after a message ---- */

/* Reads all papers, or those that are named, each followed by names of its items (none: all of them). */
int vv_repro_open(vv_repro *r, const char *const *names, int count);
void vv_repro_close(vv_repro *r);
/* Reads and checks the item's file; runs and rows are varied, nothing has run. */
int vv_repro_item_read(vv_repro_item *item, bool quick);
void vv_repro_item_free(vv_repro_item *item);
/* "FILE: PATH: MESSAGE" on stderr; returns 2. */
int vv_repro_wrong(const vv_repro_item *item, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The object has no keys but these ("a b c"), and all of `required`. */
int vv_repro_keys(const vv_repro_item *item, const char *path, const json_t *object, const char *allowed,
                  const char *required);
/* "runs.BE", "rows[2]": a path below a path. Returns `out`. */
enum { VV_REPRO_PATH = 300 };
const char *vv_repro_path(char out[VV_REPRO_PATH], const char *path, const char *key);
int vv_repro_memory(void);                                   /* says so; returns 1 */
bool vv_repro_has_word(const char *words, const char *word); /* "a b c" */

/* ---- vary.c ---- */

/* Calls `each` for every combination of the values in spec's "for" (once if there is none), with the spec in which
 * {NAME} is replaced. */
typedef int (*vv_repro_each)(void *user, const char *path, json_t *spec, json_t *vars);
int vv_repro_vary(const vv_repro_item *item, const char *path, json_t *spec, const char *name, vv_repro_each each,
                  void *user);
json_t *vv_repro_substitute(json_t *node, json_t *vars);
/* A value of a "for" as it stands in texts: its name, or the shortest number. */
void vv_repro_value_text(const json_t *value, char *out, size_t size);
/* The first {NAME} that nothing replaced; "": none. */
const char *vv_repro_left_over(const char *text, char out[VV_REPRO_NAME]);

/* ---- runs ---- */

/* A kind of run: what it reads of its spec beside the keys of all ("scene", "set", "until", "may_fail", "for",
 * "kind"). */
typedef struct vv_repro_run_kind {
    const char *name, *keys;
    /* Called before anything runs: the scene is read into run->plan. NULL: nothing more to check. */
    int (*check)(const vv_repro_item *item, vv_repro_run *run, const char *path);
    /* Fills run->figures. NULL: a child process runs the plan. */
    int (*work)(const vv_repro *r, const vv_repro_item *item, vv_repro_run *run);
} vv_repro_run_kind;
const vv_repro_run_kind *vv_repro_run_kind_find(const char *name);
extern const vv_repro_run_kind vv_repro_run_matrix, vv_repro_run_largest_step, vv_repro_run_equation,
    vv_repro_run_convergence;
/* The run's "node" and "direction", a unit vector (run_matrix.c). */
int vv_repro_node(const vv_repro_item *item, const vv_repro_run *run, const char *path, const vvWorld *world, int *node,
                  double direction[3]);
int vv_repro_run_read(const vv_repro_item *item, vv_repro_run *run, const char *path);
/* The plan of the run's scene with further overrides (NULL: none). */
int vv_repro_run_plan(const vv_repro_item *item, const vv_repro_run *run, const char *path, const vv_option_list *more,
                      vv_study_plan *plan);
void vv_repro_run_free(vv_repro_run *run);
/* Does all runs that are not kept from earlier. 1 (VV_EXIT_FAILED) in *failed if one that may not stopped on its
 * path. */
int vv_repro_work(vv_repro *r, bool *failed);
/* Runs these in child processes, but takes what is kept; their figures are there afterwards. */
int vv_repro_work_runs(const vv_repro *r, vv_repro_run **runs, int count);
bool vv_repro_run_done(const vv_repro_run *run); /* reached its end */
const char *vv_repro_run_status(const vv_repro_run *run);
double vv_repro_run_work(const vv_repro_run *run); /* nodes times steps */
/* size.c: "1 body, 729 nodes, 1920 tets, 768 triangles, 3000 steps of 1/30 s"; "" where the scene is not read. Returns
 * `out`. */
const char *vv_repro_size_text(const vv_repro_run *run, char out[VV_REPRO_WHY]);
vv_repro_size vv_repro_size_of(const vvWorld *world);
/* Whether an earlier run of the item is of the same size and step. */
bool vv_repro_size_before(const vv_repro_item *item, int run);
/* How many runs are of this one's. */
int vv_repro_size_count(const vv_repro_item *item, int run);
/* keep.c */
int vv_repro_keep_begin(vv_repro *r);
int vv_repro_keep_name(const vv_repro *r, vv_repro_run *run);
bool vv_repro_keep_find(const vv_repro *r, vv_repro_run *run);
/* the same of a kind that leaves no run file */
bool vv_repro_keep_figures(const vv_repro *r, vv_repro_run *run);
/* The ledger of a run that is there; false, with the reason. */
bool vv_repro_run_rows(vv_repro_run *run, char why[VV_REPRO_WHY]);
/* The energy of the start over the ground level, which explosions are multiples of; NaN, with the reason, if there is
 * none. */
double vv_repro_run_energy(vv_repro_run *run, double *ground, char why[VV_REPRO_WHY]);

/* ---- measures ---- */

/* `value`: NaN, with the reason in `why`, where there is none. What `check` let pass is not wrong input there. */
typedef struct vv_repro_measure {
    const char *name, *keys, *required, *summary; /* `name` is the key that tells the kind */
    const char *words; /* "a b c": what the value of `name` may be; NULL: `check` says, or it names the run */
    const char *runs;  /* the kind of the run that it measures, which the key "run" names, if there is one, else `name`;
                          NULL: of none, or of several */
    /* of what is left; NULL: nothing */
    int (*check)(const vv_repro_item *item, const char *path, const json_t *spec);
    double (*value)(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY]);
    bool (*cost)(const json_t *spec); /* it measures work or time; NULL: never */
} vv_repro_measure;
extern const vv_repro_measure vv_repro_measure_deviation, vv_repro_measure_figure, vv_repro_measure_column,
    vv_repro_measure_position, vv_repro_measure_end, vv_repro_measure_seconds, vv_repro_measure_fails,
    vv_repro_measure_explodes, vv_repro_measure_matrix, vv_repro_measure_largest_step, vv_repro_measure_equation,
    vv_repro_measure_order, vv_repro_measure_error, vv_repro_measure_over, vv_repro_measure_ratio,
    vv_repro_measure_difference, vv_repro_measure_relative, vv_repro_measure_size, vv_repro_measure_convergence,
    vv_repro_measure_waves, vv_repro_measure_spectrum, vv_repro_measure_bending, vv_repro_measure_phase;
int vv_repro_measure_check(const vv_repro_item *item, const char *path, const json_t *spec);
double vv_repro_measure_value(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY]);
bool vv_repro_measure_costs(const json_t *spec);
/* A measure written without its "run", of this run; a new reference. */
json_t *vv_repro_measure_of(const json_t *measure, const vv_repro_run *run);
/* The run that spec's `key` names: exists (check), and is (value). */
int vv_repro_check_run(const vv_repro_item *item, const char *path, const json_t *spec, const char *key,
                       const char *kind);
vv_repro_run *vv_repro_find_run(const vv_repro_item *item, const char *name);
double vv_repro_none(char why[VV_REPRO_WHY], const char *format, ...) __attribute__((format(printf, 2, 3))); /* NaN */

/* A quantity over time, and what is taken of it (take.c). */
typedef struct vv_repro_series {
    double *times, *values;
    int count;
} vv_repro_series;
#define VV_REPRO_TAKE_KEYS "take from to time above below slack as"
int vv_repro_take_check(const vv_repro_item *item, const char *path, const json_t *spec);
/* False, with the reason, if the spec asks for a time that the run did not reach. */
bool vv_repro_reached(vv_repro_run *run, const json_t *spec, char why[VV_REPRO_WHY]);
double vv_repro_take(vv_repro_series *series, const json_t *spec, char why[VV_REPRO_WHY]);
void vv_repro_express(vv_repro_series *series, const char *as); /* "value", "change", "relative", "part", "size" */
void vv_repro_series_free(vv_repro_series *series);
/* A column of the ledger by its name; `words` lists them, for messages. */
int vv_repro_check_column(const vv_repro_item *item, const char *path, const char *name);
bool vv_repro_column(vv_repro_run *run, const char *name, vv_repro_series *series, char why[VV_REPRO_WHY]);

/* ---- rows ---- */

/* What a row claims. `key` tells which; `keys` are those that go with it. */
typedef struct vv_repro_claim {
    const char *key, *keys;
    int (*check)(const vv_repro_item *item, const char *path, json_t *spec);
    void (*judge)(vv_repro_item *item, vv_repro_row *row); /* of a value that is a number */
    /* What stands beside the measured value. */
    void (*text)(const vv_repro_row *row, char out[VV_REPRO_WHY]);
} vv_repro_claim;
extern const vv_repro_claim vv_repro_claim_published, vv_repro_claim_relation, vv_repro_claim_goal;

/* Fills the row but for what is measured. */
int vv_repro_row_read(const vv_repro_item *item, const char *path, vv_repro_row *row);
/* Values of a measure over at least five starts: "chaotic" rows. */
typedef struct vv_repro_spread {
    double median, low, high;
    int count;
} vv_repro_spread;
int vv_repro_chaotic_check(const vv_repro_item *item, const char *path, const json_t *spec);
vv_repro_spread vv_repro_chaotic_spread(vv_repro_item *item, json_t *spec);

/* An item that measures costs says what motion they bought: its "motion" is a list of measures of the same runs. */
int vv_repro_motion_check(const vv_repro_item *item);
void vv_repro_motion_text(vv_repro_item *item, vv_repro_row *row);
/* The row's measure, or what it is compared with, asks for this run. */
bool vv_repro_row_needs(const vv_repro_row *row, const vv_repro_run *run);
/* Leaves out the rows that are not compared or take long, and the runs that only they need. */
void vv_repro_item_brief(vv_repro_item *item);

void vv_repro_judge(vv_repro_item *item);
/* A number with as many digits as say something. Returns `out`. */
const char *vv_repro_number(char out[VV_TEXT * 2], double value);

/* ---- pages; each returns an exit code ---- */

int vv_repro_plots_check(const vv_repro_item *item);
/* A plot with "maps", of runs of the kind "convergence" (maps.c); the picture is FOLDER/plot.png. False: gnuplot
 * failed, after a message. */
int vv_repro_maps_check(const vv_repro_item *item, const char *path, const json_t *spec);
bool vv_repro_maps_draw(const vv_repro_item *item, const json_t *spec, const char *folder);
int vv_repro_plots_draw(const vv_repro *r, const vv_repro_paper *paper, vv_repro_item *item);
/* One page for each paper and an index, in the folder; an exit code, after a message. */
typedef void vv_repro_put_paper(FILE *out, const vv_repro *r, const vv_repro_paper *paper);
typedef void vv_repro_put_index(FILE *out, const vv_repro *r);
int vv_repro_write_pages(const vv_repro *r, const char *ending, vv_repro_put_paper *paper, vv_repro_put_index *index);
int vv_repro_write_markdown(const vv_repro *r);
int vv_repro_write_html(const vv_repro *r);
int vv_repro_write_json(const vv_repro *r, const char *path);
/* Rows by the verdict, and by whose problem they solve. */
typedef struct vv_repro_tally {
    int of[VV_REPRO_PROBLEMS][VV_REPRO_VERDICTS], all[VV_REPRO_VERDICTS], rows[VV_REPRO_PROBLEMS];
} vv_repro_tally;
vv_repro_tally vv_repro_count(const vv_repro_item *items, int count);

/* results.c: PAPER.csv in the folder; with --record, results.csv beside the paper takes over the rows that ran. */
int vv_repro_write_results(const vv_repro *r);

#endif
