/* The keys and the mouse: what the window does, what its help says, what --help says and what docs/view.md says is
 * this one table. */
#ifndef VV_CLI_VIEW_KEYS_H
#define VV_CLI_VIEW_KEYS_H

#include <stdbool.h>
#include <stddef.h>

enum { VV_KEY_ESCAPE = 27, VV_KEY_LEFT = 256, VV_KEY_RIGHT, VV_KEY_UP, VV_KEY_DOWN }; /* else: the character */

typedef enum vv_act {
    VV_ACT_NONE,
    VV_ACT_PAUSE,
    VV_ACT_SINGLE,
    VV_ACT_JUMP,
    VV_ACT_BRANCH,
    VV_ACT_RESTART,
    VV_ACT_SCHEME,
    VV_ACT_POLICY,
    VV_ACT_SOLVER,
    VV_ACT_STEP,
    VV_ACT_BUDGET,
    VV_ACT_PICTURE,
    VV_ACT_RECORD,
    VV_ACT_LEDGER,
    VV_ACT_MESH,
    VV_ACT_HOME,
    VV_ACT_TURN,
    VV_ACT_TILT,
    VV_ACT_HELP,
    VV_ACT_QUIT
} vv_act;

/* A line of the help, and the keys that it is about: keys[0] and keys[1] do the act, forwards and backwards; 0:
 * none. */
typedef struct vv_key_row {
    const char *name, *what;
    vv_act act;
    int keys[2];
    int same[2];  /* others that do the same as these */
    bool shift;   /* keys[0] with shift is backwards */
    bool repeats; /* while it is held down */
} vv_key_row;

/* NULL past the end. Those of the mouse come first; their act is VV_ACT_NONE. */
const vv_key_row *vv_key_at(int index);
/* The row of a key that was pressed, or NULL; *by: 1, or -1 for backwards. */
const vv_key_row *vv_key_find(int key, bool shift, int *by);
/* All of them, a line each: for --help. */
void vv_key_list(char *text, size_t size);

#endif
