/* What the parts of `visviva compare` share: the settings (settings.c), their table and JSON (report.c), and the
 * pictures (pictures.c, film.c). */
#ifndef VV_CLI_COMPARE_COMPARE_H
#define VV_CLI_COMPARE_COMPARE_H

#include "study/study.h"

enum {
    VV_COMPARE_MOST = 7,  /* as many as have colours of their own */
    VV_COMPARE_ROOM = 24, /* methods of --cost, whose curves differ by more than colours */
};

typedef struct vv_compare_setting {
    char label[96]; /* of the table's column */
    /* by the user, or by overrides: pictures use the label too; else the scheme's and the policy's names */
    bool named;
    char *text;          /* what the overrides are in; malloc'ed */
    const char *element; /* as the user wrote it, in --with */
    size_t elementLength;
    vv_option_list sets;
    bool truth;
    vv_study_plan plan;
    char path[4200];    /* of the run file of start 0; "": none */
    vv_study_job *jobs; /* one a start */
    int starts, done;   /* done: reached the end */
    json_t *figures;    /* of all starts that are done; of all if none is */
} vv_compare_setting;

typedef struct vv_compare {
    vv_compare_setting settings[VV_COMPARE_ROOM];
    int count, most; /* most: that --with may have */
    const char *scene, *folder;
    const char *page; /* of --report; NULL: none */
    double shift;
    bool quiet;
    int quality;                              /* of pictures */
    char plot[4200], sheet[4200], film[4200]; /* what was made; "": not */
} vv_compare;

/* Reads --with: "none,search,bdf2" or "wide:search;integrator.alpha=[0,2]". 2, with a message that lists the names,
 * or VV_CLI_GO. */
int vv_compare_read_settings(vv_compare *c, const vv_option_list *with);
void vv_compare_free(vv_compare *c);

void vv_compare_print(const vv_compare *c);
bool vv_compare_write_json(const vv_compare *c, const char *path);

enum { VV_COMPARE_PLOT = 1, VV_COMPARE_SHEET = 2, VV_COMPARE_FILM = 4 };
/* "plot,sheet", "all", "none". False, with a message. */
bool vv_compare_read_pictures(const char *text, int *wanted);
/* Draws what is wanted, and says what is left out where a program is missing. Returns an exit code. */
int vv_compare_draw(vv_compare *c, int wanted);
/* Writes the runs as one page (c->page). Returns an exit code. */
int vv_compare_report(const vv_compare *c);
struct vv_plot_set;
/* A film of all runs side by side, with their energies below. Returns an exit code. */
int vv_compare_film(const struct vv_plot_set *set, int quality, bool quiet, const char *path);

#endif
