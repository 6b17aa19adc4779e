/* What the window says over the picture: what runs, what it costs, the ledger's curves, help. */
#ifndef VV_CLI_VIEW_PANEL_H
#define VV_CLI_VIEW_PANEL_H

#include "render/render.h"
#include "view/live.h"
#include "view/window.h"

typedef struct vv_panel {
    bool ledger, help;
    char note[300];
    double drawing, rate;  /* s: of a picture, lately; pictures a second */
    double last;           /* the clock's time of the last one */
    double first, longest; /* the first one's; s: from one to the next, at most */
    int pictures;
} vv_panel;

void vv_panel_draw(const vv_panel *panel, vv_window *window, const vv_live_look *look, const vv_camera *camera, int width, int height);
/* A picture took so long and was done at that time, s. */
void vv_panel_count(vv_panel *panel, double seconds, double time);

#endif
