/* compare --cost: the error against truth over what it cost, a curve for each method over steps.
 *
 *   cost.c          the command: options, the truth
 *   cost_points.c   which points there are, and what earlier calls have left of them
 *   cost_run.c      runs those that are not there
 *   cost_error.c    the truth, and how far a run is from it
 *   cost_csv.c      points as rows of a CSV, which is also what is known of earlier calls
 *   cost_report.c   the table on stdout
 *   cost_picture.c  the picture */
#ifndef VV_CLI_COMPARE_COST_H
#define VV_CLI_COMPARE_COST_H

#include "compare/compare.h"

/* ---- the truth ---- */

/* Parts of the error; the error is the mean of path, elastic energy, friction, and the three visible ones together. */
enum {
    VV_COST_PATH,
    VV_COST_ELASTIC,
    VV_COST_FRICTION,
    VV_COST_CENTRE,
    VV_COST_ROTATION,
    VV_COST_DEFORMATION,
    VV_COST_PARTS
};
typedef struct vv_cost_error {
    double total, parts[VV_COST_PARTS]; /* parts: NaN where truth has nothing of the kind */
} vv_cost_error;

typedef struct vv_cost_truth {
    json_t *json, *list; /* the file; its "figures", if that is a list of them */
    json_t *spreads[2];  /* of the witnesses at the finest step, or of the only method */
    int count;           /* of spreads */
    char digest[VV_STUDY_DIGEST];
    double up[3];         /* against gravity; 0: there is none */
    double energy, climb; /* J; m: the farthest that a body's centre rises and falls */
    vv_cost_error known;  /* within which truth itself is known, for a single start */
} vv_cost_truth;
/* Reads --truth, which has to be of the plan's scene, end and frames. VV_CLI_GO or 2, after a message. */
int vv_cost_truth_read(vv_cost_truth *truth, const char *path, const vv_study_plan *plan);
void vv_cost_truth_free(vv_cost_truth *truth);
/* Of the figures of one run that has reached its end. */
vv_cost_error vv_cost_measure(const vv_cost_truth *truth, json_t *figures);

/* ---- points: a method with a step ---- */

typedef struct vv_cost_point {
    char scene[256], method[96], set[600]; /* set: the method's overrides, with semicolons */
    double step, until;                    /* s */
    int starts, done;                      /* done: reached the end */
    double error, low, high;               /* mean, least and largest of the starts that are done; NaN: none */
    double parts[VV_COST_PARTS];           /* means */
    double known;                          /* of truth itself */
    double newton, processor, memory;      /* iterations, s: means of a run; MB: the most */
    char status[1300];                     /* "done", what the first start that failed says, or "left out: ..." */
    char key[VV_STUDY_DIGEST], truth[VV_STUDY_DIGEST], build[64];
    char command[6000];
    bool there, begun; /* all of its runs have ended, in this call or before; the first has begun in this one */
} vv_cost_point;

typedef struct vv_cost_table {
    vv_cost_point *rows;
    int count, room;
} vv_cost_table;
/* A file that is not there has no rows. VV_CLI_GO or an exit code, after a message. */
int vv_cost_table_read(vv_cost_table *table, const char *path);
/* The row of the same scene, method and step; NULL: none. */
vv_cost_point *vv_cost_table_find(const vv_cost_table *table, const vv_cost_point *like);
/* In place of the row of the same scene, method and step. False: no memory. */
bool vv_cost_table_put(vv_cost_table *table, const vv_cost_point *point);
/* By scene, method in the order of their first rows, and step. False, after a message. */
bool vv_cost_table_write(vv_cost_table *table, const char *path);
void vv_cost_table_free(vv_cost_table *table);

/* "left out": of points that --cap has left no time for. */
bool vv_cost_left_out(const vv_cost_point *point);

/* ---- the whole ---- */

typedef struct vv_cost {
    const char *scene; /* as the program found it */
    const char *folder;
    vv_cost_truth truth;
    const vv_compare *methods;
    double steps[32];
    int stepCount;
    vv_cost_point *points; /* methods x steps */
    double end, frame;     /* s */
    bool quiet;
} vv_cost;
static inline vv_cost_point *vv_cost_at(const vv_cost *c, int method, int step)
{
    return &c->points[method * c->stepCount + step];
}
void vv_cost_print(const vv_cost *c);
/* cost.png and cost.svg. An exit code; without gnuplot what is left out is said. */
int vv_cost_draw(const vv_cost *c);

int vv_cli_cost(int argc, char **argv);

#endif
