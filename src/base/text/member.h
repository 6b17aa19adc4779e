/* Rows that say what a key of a scene file may hold and, where the key is a setting of a world, which member of a
 * public definition it is. From the rows of settings come their defaults, checks, comparisons, notes, records in saved
 * states and hashes (world/settings/members.h), and their JSON (scene/settings.c). */
#ifndef VV_BASE_TEXT_MEMBER_H
#define VV_BASE_TEXT_MEMBER_H

#include "visviva/base.h"

typedef enum vv_key_kind {
    VV_KEY_OBJECT, /* members are keys of the table */
    VV_KEY_LIST,   /* of objects; their keys are under "path[]" */
    VV_KEY_MAP,    /* free names to objects; their keys are under "path.NAME" */
    VV_KEY_TYPED,  /* a name from a table of things with parameters; the value holds the parameters */
    VV_KEY_NUMBER,
    VV_KEY_INTEGER,
    VV_KEY_BOOLEAN,
    VV_KEY_TEXT,
    VV_KEY_VECTOR,   /* 3 numbers */
    VV_KEY_PAIR,     /* 2 numbers */
    VV_KEY_SCALE,    /* 1 or 3 numbers */
    VV_KEY_CORNERS,  /* 2 vectors */
    VV_KEY_NAME,     /* one of `names` */
    VV_KEY_WORD,     /* one of `words` */
    VV_KEY_FILES,    /* a path, or a list of paths */
    VV_KEY_INDICES,  /* whole numbers */
    VV_KEY_NUMBERS,  /* any numbers */
    VV_KEY_LISTED,   /* any numbers, or the path of a file with them */
    VV_KEY_POINTS,   /* a list of 3 numbers each */
    VV_KEY_PAIRS,    /* a list of 2 whole numbers each */
    VV_KEY_DECAY,    /* null, a number, or a list of [time, value] */
    VV_KEY_KEYS,     /* a list of [time, factor] */
    VV_KEY_GROUND,   /* "auto", "none" or a number */
    VV_KEY_BETWEEN,  /* 2 names */
    VV_KEY_MATERIAL, /* the name of a material, or a material, or a list of them */
    VV_KEY_REGIONS,  /* free names to names of materials, or materials */
    VV_KEY_SETTING   /* a parameter of a scheme or a policy: numbers; true or false for a switch; or a name */
} vv_key_kind;

struct vv_typed;
typedef bool vv_typed_get(int index, struct vv_typed *typed); /* false past the end */

typedef struct vv_key_row {
    vvSceneKey key;
    vv_key_kind kind;
    double min, max;             /* numbers, each component; both 0: any up to 1e12 */
    const vvInfo *(*names)(int); /* VV_KEY_NAME */
    const char *words;           /* VV_KEY_WORD: "a b c" */
    vv_typed_get *typed;         /* VV_KEY_TYPED */
    const char *word;            /* of a number: also this word, which stands for `word_value` */
    double word_value;
    bool zero;    /* of a number: also 0, which stands for the default */
    bool percent; /* of a number: also a part of the scene's length, "0.1%" */
    bool above;   /* min itself is not allowed */
    bool required;
} vv_key_row;

/* ---- settings ---- */

/* How one that is no plain value is compared, written and read (world/settings/members.h). */
struct vv_member_ops;

typedef struct vv_member {
    vv_key_row row; /* of VV_KEY_OBJECT: there is no member */
    size_t at; /* where the member is in its struct: a double, int, bool, const char * or double[3], as the row's kind
                  says */
    size_t relative;                  /* percent: where the part is */
    const struct vv_member_ops *ops;  /* NULL: a plain value */
    double number;                    /* the default, where the row's text is none */
    const char *name;                 /* the same of a name */
    unsigned stale;                   /* what a change makes out of date (world.h); 0: what its table says */
    bool (*is_read)(const void *def); /* NULL: always; else whether this definition reads the member */
    bool optional;                    /* a name that is NULL is the default */
    bool idle;                        /* a change makes nothing out of date */
    bool wide;                        /* of whole numbers: the member is a uint64_t */
    bool unsaved;                     /* of the program rather than of the run: saved states do not have it */
    bool ground;                      /* the static equilibrium depends on it */
    bool chosen;                      /* 0, or given as a part: the world chooses, and what was given is kept at `given`
                                         (world/settings/chosen.h) */
    size_t given;
} vv_member;

/* Coulomb coefficients: of the world, a body, an obstacle, a pair. */
enum { VV_MOST_FRICTION = 100 };

typedef struct vv_members {
    const vv_member *row;
    int count;
    unsigned stale;
    const char *of; /* what their keys begin with in the table alone: "materials.NAME." */
} vv_members;

#endif
