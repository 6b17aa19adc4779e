/* A run file as it is played: which of its frames is shown, and what the window says of it. No thread: a frame is read
 * when it is drawn. */
#ifndef VV_CLI_VIEW_PLAYER_H
#define VV_CLI_VIEW_PLAYER_H

#include "view/live.h"

typedef struct vv_player {
    const vvRun *run; /* outlives it */
    const char *path;
    int frame; /* the one to be shown */
    bool paused;
    double pace;     /* s of the run in a second */
    double at, from; /* s: since this time of the clock it runs from this time of the run */
    unsigned version;
    int rows;
    vv_live_row row[VV_LIVE_ROWS]; /* of the whole run, evenly */
    char note[VV_LIVE_TEXT];
} vv_player;

/* VV_CLI_GO, or an exit code after a message. */
int vv_player_open(vv_player *player, const vvRun *run, const char *path, bool paused);
/* What is to be shown now; of the arrays in `look` nothing changes. */
void vv_player_see(vv_player *player, vv_live_look *look);

void vv_player_pause(vv_player *player);         /* or go on; from the end, from the start */
void vv_player_go(vv_player *player, int frame); /* to the nearest that there is */
void vv_player_go_to(vv_player *player, double time);
void vv_player_scale_pace(vv_player *player, double factor);

#endif
