/* The window: a picture of 8 bits a channel, words and lines over it, and what the mouse and the keys say. */
#ifndef VV_CLI_VIEW_WINDOW_H
#define VV_CLI_VIEW_WINDOW_H

#include "render/image.h"
#include "view/keys.h"

typedef struct vv_window vv_window;

typedef enum vv_event_kind {
    VV_EVENT_NONE,
    VV_EVENT_CLOSE,
    VV_EVENT_SIZE,
    VV_EVENT_KEY,
    VV_EVENT_PRESS,
    VV_EVENT_RELEASE,
    VV_EVENT_MOTION,
    VV_EVENT_WHEEL
} vv_event_kind;
enum { VV_BUTTON_LEFT = 1, VV_BUTTON_MIDDLE, VV_BUTTON_RIGHT };

typedef struct vv_event {
    vv_event_kind kind;
    int key;           /* as in keys.h; 0: none that is known */
    bool shift, again; /* again: by a key that is held down */
    int button;        /* pressed or released; of a motion: the lowest that is down, 0: none */
    double x, y;       /* pixels from the top left */
    double dx, dy;     /* of a motion; dy of a wheel: notches */
} vv_event;

/* NULL, with a message that says what to do where there is no display. */
vv_window *vv_window_open(const char *title, int width, int height);
void vv_window_close(vv_window *window);
void vv_window_size(const vv_window *window, int *width, int *height);
/* Whether anything of it can be seen. */
bool vv_window_visible(const vv_window *window);
/* False: there is none left. */
bool vv_window_event(vv_window *window, vv_event *event);
/* Begins a frame with this picture, as large as the window. False, with a message. */
bool vv_window_show(vv_window *window, const vv_image *picture);
/* Over it: a dark panel, a line through points (x, y in pixels), words with their top left corner there. */
void vv_window_panel(vv_window *window, int x, int y, int width, int height);
void vv_window_curve(vv_window *window, const float *points, int count, const unsigned char rgb[3]);
void vv_window_words(vv_window *window, int x, int y, const unsigned char rgb[3], const char *text);
int vv_window_line(const vv_window *window); /* height of a line of words, pixels */
int vv_window_width_of(const vv_window *window, const char *text);
/* Ends the frame. */
void vv_window_present(vv_window *window);
/* What is on the screen now, before vv_window_present. False, with a message. */
bool vv_window_grab(vv_window *window, vv_image *image);

#endif
