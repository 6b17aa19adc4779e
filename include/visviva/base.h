/* visviva/base.h: status, error text and descriptions of table rows, for all other public headers.
 *
 * No function of visviva prints, exits or keeps global state. A function that can fail returns a vvStatus and takes a
 * vvError* (which may be NULL); on failure the error holds one message that says what was found, where, what is allowed
 * and what to do. Such a function refuses NULL (VV_ERROR_INPUT) unless its comment allows it; any other returns 0,
 * NULL, "" or false without its object.
 *
 * Programs read comments, too (python/headers.py). A comment documents the declarations that follow it without a blank
 * line, until the next comment. "[n x 3]" at its start is the shape of the array that a member points to, row by row.
 * "Arrays: positions[n x 3], returns[n]." at its end are the shapes of a function's arguments and result; counts are
 * those of the object unless they are parameters. */
#ifndef VISVIVA_BASE_H
#define VISVIVA_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define VV_API
#else
#define VV_API __attribute__((visibility("default")))
#endif

#define VV_VERSION_MAJOR 0
#define VV_VERSION_MINOR 3
#define VV_VERSION_PATCH 0

typedef enum vvStatus {
    VV_OK = 0,            /* success */
    VV_ERROR_INPUT,       /* a file, a name, a value or an argument is wrong; nothing changed */
    VV_ERROR_IO,          /* a file cannot be opened, read or written */
    VV_ERROR_MEMORY,      /* out of memory; nothing changed */
    VV_ERROR_SOLVER,      /* a step found no feasible decrease; the world is unchanged */
    VV_ERROR_UNSUPPORTED, /* valid, but this build or this combination cannot do it */
    VV_CANCELLED          /* the host cancelled; the world is unchanged */
} vvStatus;

typedef struct vvError {
    vvStatus status;    /* what kind of failure; VV_OK: none */
    char message[1024]; /* what was found, where, what is allowed and what to do; "" after success */
} vvError;

/* A row of one of the library's tables (schemes, materials, formats, ...), for menus and documentation. */
typedef struct vvInfo {
    const char *name;    /* the word used in scene files and definition structs */
    const char *summary; /* one line: what it is, where it comes from */
} vvInfo;

/* A key of scene files, for menus and documentation; settings of a world have one too (settings.h). */
typedef struct vvSceneKey {
    const char *path;     /* "bodies[].attach[].kind" */
    const char *type;     /* "number", "name", "3 numbers", ... */
    const char *unit;     /* "m", "" */
    const char *fallback; /* the default, as text */
    const char *summary;  /* what it does and what is allowed */
} vvSceneKey;

/* A named parameter of a generator, an obstacle, ...: `size` doubles in [min, max], or one of a few named values. */
typedef struct vvParam {
    const char *name;    /* as in scene files */
    const char *summary; /* one line: what it does */
    const char *unit;    /* "m", "deg", "" for a pure number */
    int size;            /* 1 to 4 */
    bool integer;        /* a whole number */
    double fallback[4];  /* the value if none is given */
    double min, max;     /* the range of each number */
    int choiceCount;     /* 0: the values are numbers */
    /* [choiceCount] the named values: size is 1, and the double is the index of one of them, from 0 to choiceCount - 1
     */
    const vvInfo *choices;
} vvParam;

/* The value of a parameter, by its name in a list of vvParam: { .name = "size", .value = { 1, 1, 1 } }, or
 * { .name = "scope", .choice = "world" } for one that has choices. A parameter without choices that is a whole number
 * from 0 to 1 is a switch: 1 is on. Of a list of settings the last one of a name counts, and parameters that none names
 * have their fallback. */
typedef struct vvSetting {
    const char *name;   /* as in vvParam */
    double value[4];    /* its numbers, as many as its size */
    const char *choice; /* the named value, in place of `value`; NULL: `value` holds. vvWorldGetDef gives both */
} vvSetting;

/* The index of the named value among the parameter's choices; -1: it has no such value. */
VV_API int vvParamChoice(const vvParam *param, const char *name);

/* For "did you mean ...?": the word most similar to `wrong`, or NULL if none is similar.
 * Arrays: words[count]. */
VV_API const char *vvNearestWord(const char *wrong, const char *const *words, int count);

/* vvVersion: "MAJOR.MINOR.PATCH". vvBuildDescription: a line that names compiler, optional parts, and the instruction
 * sets for which there are kernels, with the one in use ("kernels base avx2 avx512 (avx512 in use)"). Both are static
 * strings. */
VV_API const char *vvVersion(void);
VV_API const char *vvBuildDescription(void);

/* "ok", "wrong input", ...: a static string. */
VV_API const char *vvStatusName(vvStatus status);

#ifdef __cplusplus
}
#endif
#endif
