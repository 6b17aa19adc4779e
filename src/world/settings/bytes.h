/* Values of settings as bytes, in the records of saved states: a pen writes, counts or compares them, an eye reads
 * them. Names have a fixed length. */
#ifndef VV_WORLD_SETTINGS_BYTES_H
#define VV_WORLD_SETTINGS_BYTES_H

#include "base/memory.h"
#include "base/text/text.h"

#include <string.h>

enum { VV_SETTING_NAME = 32 };

typedef struct vv_pen {
    char *to;            /* NULL: nothing is written */
    const char *against; /* NULL: nothing is compared */
    size_t room, size;   /* of `against`; so far */
    bool differs;
} vv_pen;

static inline void vv_put(vv_pen *p, const void *bytes, size_t size)
{
    if (p->to)
        memcpy(p->to + p->size, bytes, size);
    if (p->against)
        p->differs = p->differs || p->size + size > p->room || memcmp(p->against + p->size, bytes, size) != 0;
    p->size += size;
}

static inline void vv_put_number(vv_pen *p, double x)
{
    x += 0; /* no -0 */
    vv_put(p, &x, sizeof x);
}

static inline void vv_put_numbers(vv_pen *p, const double *x, int count)
{
    for (int i = 0; i < count; i++)
        vv_put_number(p, x[i]);
}

static inline void vv_put_name(vv_pen *p, const char *name)
{
    char room[VV_SETTING_NAME] = { 0 };
    vv_print(room, sizeof room, "%s", name ? name : "");
    vv_put(p, room, sizeof room);
}

/* Past the end only zeros come. */
typedef struct vv_eye {
    const char *from;
    size_t left;
    bool short_of;
    void *owned[2]; /* lists that were read, to be freed */
} vv_eye;

static inline void vv_take(vv_eye *e, void *to, size_t size)
{
    e->short_of = e->short_of || size > e->left;
    if (e->short_of) {
        memset(to, 0, size);
        return;
    }
    memcpy(to, e->from, size);
    e->from += size;
    e->left -= size;
}

static inline double vv_take_number(vv_eye *e)
{
    double x;
    vv_take(e, &x, sizeof x);
    return x;
}

/* The name stays where it is. */
static inline const char *vv_take_name(vv_eye *e)
{
    const char *name = e->from;
    char room[VV_SETTING_NAME];
    vv_take(e, room, sizeof room);
    return e->short_of || room[VV_SETTING_NAME - 1] ? "" : name;
}

#endif
