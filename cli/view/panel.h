/* What the window says over the picture: what runs, what it costs, the ledger's curves, help. */
#ifndef VV_CLI_VIEW_PANEL_H
#define VV_CLI_VIEW_PANEL_H

#include "plot/captions.h"
#include "render/render.h"
#include "view/live.h"
#include "view/window.h"

typedef struct vv_panel {
    bool ledger, help;
    char note[400]; /* of the window itself */
    double rate;    /* pictures a second, lately */
    double last;    /* s, of the clock: of the last picture; 0: none before it */
    /* s: from picture to picture, without waiting where nothing moved, in all; of that, drawing */
    double clock, drawing;
    double longest; /* s: from one to the next, at most */
    int pictures, intervals;
    vv_legend legend; /* quantity "": none */
} vv_panel;

void vv_panel_draw(const vv_panel *panel, vv_window *window, const vv_live_look *look, const vv_camera *camera,
                   int width, int height);
/* Where the legend's bar is: x, y, width, height. False: there is none. */
bool vv_panel_bar(const vv_panel *panel, const vv_window *window, int height, int bar[4]);
/* Pixels of the window's lower edge that the ledger covers. */
int vv_panel_strip(const vv_panel *panel, int height);
/* The time (s) on the curves of a run at this point of the window. False: it is not on them, unless `held`, or no run
 * is played. */
bool vv_panel_time_at(const vv_panel *panel, const vv_live_look *look, double x, double y, int width, int height,
                      bool held, double *time);
/* A picture took so long and was done at that time, s. */
void vv_panel_count(vv_panel *panel, double seconds, double time);
/* Nothing moves: the time until the next picture is nobody's fault. */
void vv_panel_rest(vv_panel *panel);

/* Means over the last second. */
/* pace: of the world's time to the clock's; 0: unknown */
typedef struct vv_lately {
    double milliseconds, iterations, pace;
} vv_lately;
vv_lately vv_panel_lately(const vv_live_look *look);

#endif
