/* The one table of keys and of the mouse. */
#include "view/keys.h"

#include <stdio.h>

static const vv_key_row rows[] = {
    { .name = "left button", .what = "drags the point under the cursor; outside the bodies it turns the view" },
    { .name = "right button", .what = "turns the view" },
    { .name = "middle button, shift+left", .what = "shifts the view" },
    { .name = "wheel", .what = "zooms" },
    { .name = "left button on curves", .what = "goes to that time of a run" },
    { "space", "pauses and continues", VV_ACT_PAUSE, { ' ' }, { 0 }, false, false },
    { ". and ,",
      "one step; of a run, one frame forwards and backwards",
      VV_ACT_SINGLE,
      { '.', ',' },
      { 0 },
      false,
      true },
    { "[ and ]", "a tenth of the run backwards and forwards", VV_ACT_JUMP, { ']', '[' }, { 0 }, false, true },
    { "g",
      "continues live from this frame of a run, and returns to the run",
      VV_ACT_BRANCH,
      { 'g' },
      { 0 },
      false,
      false },
    { "r",
      "restarts with the current settings; of a run, the first frame",
      VV_ACT_RESTART,
      { 'r' },
      { 0 },
      false,
      false },
    { "s", "next scheme", VV_ACT_SCHEME, { 's' }, { 0 }, true, false },
    { "p", "next energy policy", VV_ACT_POLICY, { 'p' }, { 0 }, true, false },
    { "o", "next solver; s, p and o go backwards with shift", VV_ACT_SOLVER, { 'o' }, { 0 }, true, false },
    { "+, -",
      "twice and half the time step; of a run, the speed",
      VV_ACT_STEP,
      { '+', '-' },
      { '=', 0 },
      false,
      false },
    { "b", "twice the solver's budget of iterations; shift+b: half", VV_ACT_BUDGET, { 'b' }, { 0 }, true, false },
    { "c", "a picture of the window, as PNG", VV_ACT_PICTURE, { 'c' }, { 0 }, false, false },
    { "v", "begins and ends a recording, as a run file", VV_ACT_RECORD, { 'v' }, { 0 }, false, false },
    { "l", "the ledger's curves, on and off", VV_ACT_LEDGER, { 'l' }, { 0 }, false, false },
    { "w", "the triangles' edges, on and off", VV_ACT_MESH, { 'w' }, { 0 }, false, false },
    { "f", "all bodies in view, and the view follows them again", VV_ACT_HOME, { 'f' }, { 0 }, false, false },
    { "left, right", "turn the view", VV_ACT_TURN, { VV_KEY_RIGHT, VV_KEY_LEFT }, { 0 }, false, true },
    { "up, down", "tilt the view", VV_ACT_TILT, { VV_KEY_UP, VV_KEY_DOWN }, { 0 }, false, true },
    { "h", "this help, on and off", VV_ACT_HELP, { 'h' }, { 0 }, false, false },
    { "q, escape", "closes the window", VV_ACT_QUIT, { 'q' }, { VV_KEY_ESCAPE, 0 }, false, false },
};
enum { ROWS = sizeof rows / sizeof *rows };

const vv_key_row *vv_key_at(int index) { return index >= 0 && index < ROWS ? rows + index : NULL; }

const vv_key_row *vv_key_find(int key, bool shift, int *by)
{
    for (int i = 0; i < ROWS && key > 0; i++)
        for (int k = 0; k < 2; k++)
            if (rows[i].keys[k] == key || rows[i].same[k] == key) {
                *by = k == 1 || (rows[i].shift && shift) ? -1 : 1;
                return rows + i;
            }
    return NULL;
}

void vv_key_list(char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < ROWS && used < size; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s  %-27s%s", i > 0 ? "\n" : "", rows[i].name, rows[i].what);
}
