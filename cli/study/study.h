/* What `truth` and `compare` share: one scene run under several settings, from several starts, and measured alike.
 *
 *   plan     a scene under one setting: its JSON, its step, the time between two samples (setting.c)
 *   measure  one run of a plan in this process: steps, samples, figures as JSON (measure.c, path.c, figures.c)
 *   crew     many runs as child processes, some at a time (crew.c); the child's side is vv_study_child
 *   spread   the figures of several starts as one JSON tree: each number with its mean and deviation (spread.c)
 *
 * A frame here is the time D between two samples: the scene's own step, also where the steps are smaller. */
#ifndef VV_CLI_STUDY_STUDY_H
#define VV_CLI_STUDY_STUDY_H

#include <jansson.h>

#include "cli.h"

/* ---- plans ---- */

typedef struct vv_study_plan {
    char label[96];
    char *scene;       /* JSON; malloc'ed */
    char name[256];    /* of the scene */
    double step;       /* s: of the integrator */
    double begin, end; /* s */
    int perFrame;      /* steps a frame */
    int recordEvery;   /* steps between the frames of a run file */
} vv_study_plan;
/* Adds --until (NaN: none) to the overrides; `text` must last as long as they do. Returns VV_CLI_GO or 2, with a
 * message. */
int vv_study_set_until(vv_option_list *sets, double until, char text[64]);
/* Reads the scene with the overrides; its step is both the integrator's and the frame's. Returns VV_CLI_GO or the
 * exit code, after a message. */
int vv_study_plan_read(vv_study_plan *plan, const char *label, const char *path, const vv_option_list *sets);
/* The plan of the truth: `substeps` steps of h / substeps in each of the scene's own, with A-search unless `sets`
 * says otherwise. */
int vv_study_plan_truth(vv_study_plan *plan, const char *path, const vv_option_list *sets, int substeps);
/* The plan at any step that is a whole part or multiple of the scene's own. A frame is the scene's own step, or the
 * step where that is longer: in between nothing of the run is known. */
int vv_study_plan_step(vv_study_plan *plan, const char *label, const char *path, const vv_option_list *sets,
                       double step);
/* "1/120", or "0.033" where it is no such part. Returns `out`. */
const char *vv_study_step_text(double step, char out[48]);
/* Gives plans of different steps the same frames: the longest step, recorded as often as the first plan wants it. 2,
 * with a message, if a step is not a whole part of it. */
int vv_study_plans_align(vv_study_plan *plans, int count);
double vv_study_frame(const vv_study_plan *plan); /* s */
void vv_study_plan_free(vv_study_plan *plan);

/* ---- digests (digest.c): 16 hexadecimal digits ---- */

enum { VV_STUDY_DIGEST = 17 };
const char *vv_study_digest(const char *text, char out[VV_STUDY_DIGEST]); /* returns `out` */
bool vv_study_digest_file(const char *path, char out[VV_STUDY_DIGEST]);   /* false: it cannot be read */
/* Of the plan's scene, wherever its files lie and whatever it says of itself. */
void vv_study_scene_key(const vv_study_plan *plan, char out[VV_STUDY_DIGEST]);
/* Of what happens in it alone: the same for all schemes, policies, solvers, steps and ends. */
void vv_study_content(const vv_study_plan *plan, char out[VV_STUDY_DIGEST]);

/* ---- the path of a run: what is sampled at its frames ---- */

typedef struct vv_study_energies {
    double kinetic, elastic, contact, gravity, attachment, joint, total, target; /* J, as booked */
    vvVisible visible; /* of the motion over the frame before */
} vv_study_energies;

enum { VV_STUDY_APEXES = 8 };
typedef struct vv_study_apex {
    double time, height;
} vv_study_apex;
/* The local maxima of the heights at the times begin + i * frame, refined by a parabola, that rise and fall by at
 * least `least`. Returns how many are in `apexes`. */
int vv_study_find_apexes(const double *heights, int count, double begin, double frame, double least,
                         vv_study_apex apexes[VV_STUDY_APEXES]);

typedef struct vv_study_body_path {
    char name[128];
    bool kinematic;
    double *heights;         /* m: of the centre of mass, against gravity, one a sample */
    double size;             /* m: radius of gyration at the start */
    double speedUp;          /* m/s: of the centre at the start */
    double angle;            /* radians so far */
    double centre[3];        /* m: at the last sample */
    vvVisible visible, half; /* over the last frame; summed over the frames of the second half */
} vv_study_body_path;

typedef struct vv_study_path {
    double begin, frame, up[3]; /* up: against gravity; 0: there is none */
    int count, room;            /* samples */
    vv_study_energies *energies;
    double *before;     /* node positions at the last sample */
    vvVisible *visible; /* of each body over the last frame */
    int bodyCount, halfCount;
    vv_study_body_path *bodies;
} vv_study_path;
/* Room for `room` samples; takes the first, at the start. */
vvStatus vv_study_path_begin(vv_study_path *path, vvWorld *world, double frame, int room, vvError *error);
vvStatus vv_study_path_sample(vv_study_path *path, vvWorld *world, vvError *error);
void vv_study_path_free(vv_study_path *path);

/* ---- figures ---- */

typedef struct vv_study_count {
    int64_t unconverged;    /* steps */
    double wall, processor; /* s, of the steps: by the clock, and of processors by all threads */
    double distance;        /* J: |H - T|, summed over the steps */
} vv_study_count;
/* All figures of a run as JSON. Numbers that do not exist are null. */
json_t *vv_study_figures(const vv_study_path *path, vvWorld *world, const vv_study_count *count, const char *status);

/* The visible energies at the samples, each a list of four. */
json_t *vv_study_samples(const vv_study_path *path);

/* Runs the tree of figures of several starts together: a number becomes { mean, sd, min, max, runs }, over the runs
 * that have it. */
json_t *vv_study_spread(json_t *const *figures, int count);
/* A figure by its path, "energy.second_half.kinetic" or "bodies.0.turns"; NULL: there is none. */
json_t *vv_study_find(json_t *tree, const char *path);
/* One of the numbers of a spread figure ("mean"); NaN: there is none. */
double vv_study_number(json_t *tree, const char *path, const char *which);

/* J: the largest energy that moves or strains something; what is small beside it is nearly nothing. */
double vv_study_energy_size(json_t *const *spreads, int count);

/* ---- runs in child processes ---- */

typedef struct vv_study_job {
    const vv_study_plan *plan;
    int start;          /* 0: as the scene says */
    int threads;        /* 0: the cores divided by the jobs at a time */
    double weight;      /* how long it takes beside the others, for the time left; 0: 1 */
    double limit;       /* s: by the clock it is given up after so long; 0: never */
    bool mayFail;       /* what cannot go on for whatever reason is a result, and its status says why */
    double shift;       /* m: each body's start is moved by start * shift */
    const char *output; /* the run file to be written; NULL: none */
    const char *keep;   /* a file for the figures, written as soon as the run has ended; NULL: none */
    json_t *made;       /* goes into the figures as "made"; NULL: nothing */
    json_t *figures;    /* after the crew has worked; NULL then only of those that were not wanted */
    /* of a run with an output: visible energies at the frames, total, centre, rotation, deformation */
    json_t *samples;
} vv_study_job;
/* Runs the jobs, at most `atOnce` at a time (0: as many as there are cores). Returns an exit code: 0 if all ran,
 * whether to their end or not (the figures' "status" says which); 2 for wrong input, 1 for no memory and the like,
 * 130 after Ctrl-C. */
int vv_study_work(vv_study_job *jobs, int count, int atOnce, const char *command, bool quiet);
/* The same with more of a say. `wanted`, asked before a job begins: false leaves it out; `ended`: its figures are
 * there. Either may be NULL. */
typedef struct vv_study_orders {
    int atOnce;
    const char *command;
    bool quiet;
    bool (*wanted)(void *user, int job);
    void (*ended)(void *user, int job);
    void *user;
} vv_study_orders;
int vv_study_work_as(vv_study_job *jobs, int count, const vv_study_orders *orders);
void vv_study_job_clear(vv_study_job *job); /* what came back */
/* `visviva COMMAND --measure FILE`: the child's side. */
bool vv_study_is_child(int argc, char **argv);
int vv_study_child(const char *job);

int vv_study_cores(void);

/* ---- for people ---- */

/* A line of a table of figures: a heading, or a number of the tree. */
typedef struct vv_study_row {
    char label[64], path[64];
    const char *unit; /* "J", "m", "%" (of a part), "" */
} vv_study_row;
enum { VV_STUDY_ROWS = 256 };
/* The lines for trees of the same scene: what none of them has, or what is zero in all, is left out. Returns how
 * many. */
int vv_study_rows(json_t *const *trees, int count, vv_study_row rows[VV_STUDY_ROWS]);
/* "412.9 mJ", or "412.9 ± 0.3 mJ" where there is a deviation; "-" where there is no number. */
const char *vv_study_cell(char out[VV_TEXT * 2], double mean, double sd, const char *unit);

#endif
