/* visviva spectrum: command and table (spectrum.c), the energies of runs in modes (energies.c), files (files.c), the
 * picture (picture.c). */
#ifndef VV_CLI_SPECTRUM_SPECTRUM_H
#define VV_CLI_SPECTRUM_SPECTRUM_H

#include "cli.h"
#include "plot/plot.h"

typedef struct vv_spectrum_options {
    const char *body, *csv, *json, *plot, *title;
    vv_option_list labels;
    double from, until; /* s */
    int modes, every, threads, width;
    bool highest, visible, quiet;
} vv_spectrum_options;

/* Of a run: energies of its body in each mode, frame by frame. */
typedef struct vv_spectrum {
    const vv_plot_run *run;
    char body[128];
    int modes, frames, rigid, unknowns; /* unknowns: all modes that there are, rigid ones among them */
    double *frequencies;                /* Hz, one a mode */
    double *times;                      /* s, one a frame */
    double *energies;                   /* J, frames x (modes + 1), the last column beyond the modes */
} vv_spectrum;

/* Fills the spectra of all runs of the set. VV_CLI_GO, or an exit code after a message; free them in any case. */
int vv_spectrum_measure(const vv_plot_set *set, const vv_spectrum_options *options, vv_spectrum spectra[VV_PLOT_RUNS]);
void vv_spectrum_free(vv_spectrum *spectrum);
/* J: of mode `mode` (`modes`: beyond) over all frames. */
double vv_spectrum_mean(const vv_spectrum *spectrum, int mode);

/* One row a run, frame and mode. False after a message. */
bool vv_spectrum_write_csv(const char *path, const vv_spectrum *spectra, int count);
bool vv_spectrum_write_json(const char *path, const vv_spectrum *spectra, int count);
bool vv_spectrum_draw(const char *path, const vv_plot_set *set, const vv_spectrum *spectra,
                      const vv_spectrum_options *options);

#endif
