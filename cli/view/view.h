/* The window's own state, for the files of visviva view: begin.c opens it, view.c runs it, figures.c says what it cost.
 */
#ifndef VV_CLI_VIEW_VIEW_H
#define VV_CLI_VIEW_VIEW_H

#include "view/live.h"
#include "view/options.h"
#include "view/orbit.h"
#include "view/panel.h"
#include "view/player.h"
#include "view/scene.h"
#include "view/window.h"

typedef struct vv_viewer {
    vv_view_options o;
    vvScene *scene;    /* NULL: a run that holds none */
    vv_live *live;     /* NULL: the run is played */
    vv_player *player; /* NULL: there is no run */
    vv_live_look look;
    vv_live_scene drawn;
    vv_window *window;
    vv_painter *painter;
    vv_image image;
    vv_orbit orbit;
    vv_panel panel;
    bool pressed, quit, shoot, wire;
    bool scrubs;          /* the pressed button is on the curves of a run */
    bool follows, chases; /* the view follows the bodies; it is under way to them */
    double aimed;         /* s, of the clock: when it last did */
    bool said;            /* something that the last picture does not show yet */
    int grab;             /* the number of the last one */
    int slow;             /* slow pictures less fast ones; at PATIENCE it stays */
    int width, height;
    double used; /* s: of processors, while the window was open */
} vv_viewer;

/* begin.c: opens the scene or the run and the window; VV_CLI_GO, or an exit code after a message. */
int vv_view_begin(vv_viewer *viewer);
/* A world that goes on from the frame that the player shows; on failure the window says why, and the run plays on. */
void vv_view_branch(vv_viewer *viewer);
/* Back to the run: ends the world and its recording, whose failure is returned. */
vvStatus vv_view_end_branch(vv_viewer *viewer, vvError *error);

/* figures.c: what --stats and --summary ask for; `code`, or an exit code after a message. */
int vv_view_report(vv_viewer *viewer, int code);

/* What the live world or the player has to show. */
void vv_view_see(vv_viewer *viewer);

#endif
