/* Curves of runs, drawn by gnuplot (a child process): what `plot` and `sheet` share.
 *
 * All text of users goes through vv_plot_text, and gnuplot reads and writes only files of our own in a temporary
 * folder, so that names with quotes, spaces or backslashes do no harm. */
#ifndef VV_CLI_PLOT_PLOT_H
#define VV_CLI_PLOT_PLOT_H

#include "child.h"
#include "visviva/visviva.h"

enum { VV_PLOT_RUNS = 7 }; /* as many as there are colours that everybody can tell apart */

/* Names for runs that are seen together: the given labels; else by scheme and policy, with the scene where runs are of
 * different scenes, by their files where that is not enough. `stems`: their files' names without ending. */
enum { VV_LABEL = 200 };
void vv_plot_names(const vvRun *const *runs, char (*stems)[160], int count, const char *const *labels, int labelCount,
                   char (*names)[VV_LABEL]);

/* Fields over the run's frames (plot/fields.c): their columns come after those of the ledger. */
enum { VV_PLOT_NAME = 160 };
#define VV_PLOT_FORCE "force of supports and loads"
typedef struct vv_plot_field {
    char what[VV_PLOT_NAME], of[VV_PLOT_NAME], unit[16]; /* "von-mises, the largest", "arm", "Pa" */
    bool vector;                                         /* the size of three columns of the table */
} vv_plot_field;
typedef struct vv_plot_fields {
    int frames, columns;
    vv_plot_field *column; /* [columns] */
    double *time, *values; /* [frames], [frames x columns] */
    char data[4200];       /* the file that gnuplot reads */
} vv_plot_fields;

typedef struct vv_plot_run {
    vvRun *run;
    char label[VV_LABEL], stem[160];
    vvLedgerRow *rows;
    int count;
    double zero;          /* subtracted from gravity, total and target: the lowest gravity energy of all runs */
    double scale, ground; /* J: the largest S of all runs of the same scene, which are measured with one; the energy at
                             rest, NaN if none of them knows it */
    double *sums;         /* count x 5: work, friction, damping, decay, error since the start */
    char data[4200];      /* the file that gnuplot reads */
    vv_plot_fields fields;
    const char *colour;
    bool reference; /* what the others are compared with: its curves lie below theirs */
} vv_plot_run;

typedef struct vv_plot_set {
    vv_plot_run runs[VV_PLOT_RUNS];
    int count;
    char folder[4096];
    double timeEnd;
} vv_plot_set;

/* Opens the runs, reads their ledgers, names them by what tells them apart, writes the data files. Returns VV_CLI_GO or
 * the exit code, after a message. Close the set in any case. */
int vv_plot_open(vv_plot_set *set, const char *const *paths, int count, const char *const *labels, int labelCount);
void vv_plot_close(vv_plot_set *set);
/* Writes the data files anew, after rows or zeros were changed. */
bool vv_plot_rewrite(vv_plot_set *set);
/* Lets energies count from that at rest, if it is known of every run; then *done is true. False if files cannot be
 * written. */
bool vv_plot_from_rest(vv_plot_set *set, bool *done);

/* "Backward Euler + A-search": a scheme and a policy as people write them. */
void vv_plot_setting(const char *scheme, const char *policy, char *out, size_t size);

/* Columns of the data files. */
enum {
    VV_TIME = 1,
    VV_TOTAL,
    VV_TARGET,
    VV_KINETIC,
    VV_ELASTIC,
    VV_GRAVITY,
    VV_CONTACT,
    VV_ATTACHMENT,
    VV_JOINT,
    VV_WORK,
    VV_FRICTION,
    VV_DAMPING,
    VV_DECAY,
    VV_ERROR,
    VV_ALPHA,
    VV_MOMENTUM,
    VV_ANGULAR,
    VV_NEWTON,
    VV_PCG,
    VV_VISIBLE,
    VV_VISIBLE_CENTRE,
    VV_VISIBLE_ROTATION,
    VV_VISIBLE_DEFORMATION,
    VV_COLUMNS
};
/* The value that stands in the column; NaN where there is none. Columns from VV_COLUMNS on are the run's fields, whose
 * rows are its frames. */
double vv_plot_value(const vv_plot_set *set, int run, int row, int column);
int vv_plot_rows(const vv_plot_set *set, int run, int column);
/* Reads the fields `names` ("von-mises,reaction") of all runs, with a world of each run's scene. Returns VV_CLI_GO or
 * the exit code, after a message. */
int vv_plot_read_fields(vv_plot_set *set, const char *const *paths, const char *names);
void vv_plot_free_fields(vv_plot_fields *fields);

/* "#0072b2": colours that differ for everybody. */
const char *vv_plot_colour(int index);
enum { VV_COLOUR_KINETIC = 0, VV_COLOUR_VISIBLE = 5, VV_COLOUR_JOINT = 7 };
/* 'text' as gnuplot reads it: quotes doubled, control characters made spaces. */
void vv_plot_text(char *out, size_t size, const char *text);
/* Copies at most `most` characters (UTF-8), with an ellipsis where some are left out. */
void vv_plot_shorten(const char *text, int most, char *out, size_t size);
/* J, mJ, kJ, ...: the unit in which `largest` has one to three digits, and what to multiply by. */
const char *vv_plot_unit(double largest, const char *unit, double *factor, char out[16]);

/* ---- the commands, of runs that are open; each returns an exit code ---- */

/* `what` as for --what; `title` may be NULL. */
int vv_plot_draw(const vv_plot_set *set, const char *what, const char *title, int width, const char *path);
int vv_sheet_draw(const vv_plot_set *set, int width, int quality, bool quiet, const char *path);

/* ---- panels ---- */

typedef struct vv_curve {
    int run, column;
    const char *label; /* drawn at its end; may be NULL */
    const char *colour;
    const char *style; /* gnuplot's: "lw 2", "lw 1.5 dt 2" */
} vv_curve;

enum { VV_CURVES = 24 };
typedef struct vv_panel {
    char title[160]; /* gnuplot's enhanced text: no user text here */
    vv_curve curves[VV_CURVES];
    int count;
    bool fromZero;     /* the range holds 0 */
    bool energy;       /* a range that an explosion does not spoil */
    const char *unit;  /* "J": gets a prefix; NULL: as it is */
    double line;       /* a thin line at this value; NaN: none */
    double height;     /* pixels */
    const char *extra; /* more gnuplot commands before the curves; may be NULL */
} vv_panel;

typedef struct vv_plot_frame {
    double left, right, top, bottom;
} vv_plot_frame; /* of the axes, in pixels from the top left */
/* Writes the panel's commands; `last` has the time's numbers and name. `size`: of the whole picture. `font`: points. */
void vv_panel_write(FILE *out, const vv_plot_set *set, const vv_panel *panel, const vv_plot_frame *frame,
                    const int size[2], double font, bool last);
void vv_panel_add(vv_panel *panel, int run, int column, const char *label, const char *colour, const char *style);
/* True when the column is a number other than zero somewhere. */
bool vv_plot_has(const vv_plot_set *set, int run, int column);

/* Commands for a vertical line in the panel wherever a run went on with other settings; with `labels` what changed
 * stands beside it, at most `most` characters. The next panel's `unset` removes them. */
void vv_plot_write_changes(FILE *out, const vv_plot_set *set, bool labels, double font, int most);

/* Starts gnuplot on a picture (a name in the temporary folder) of this size: "pngcairo" or "svg". */
bool vv_gnuplot_start(vv_child *gnuplot, const char *folder, const char *terminal, const char *file, const int size[2],
                      double font);

#endif
