/* What the parts of `visviva new` share. */
#ifndef VV_CLI_NEW_H
#define VV_CLI_NEW_H

#include "mesh/mesher.h"

enum {
    VV_NEW_DENSITY = 1000,   /* kg/m3 */
    VV_NEW_SOFTNESS = 60,    /* Young's modulus in density gravity height */
    VV_NEW_STIFFNESS = 1000, /* the same of an affine body, at least */
    VV_NEW_FRAMES = 30,      /* a second */
    VV_NEW_CLOTH = 400,      /* kg/m3, of cloth */
    VV_NEW_STRETCH = 250,    /* its Young's modulus in density gravity size: it stretches by some parts of a thousand */
};

#define VV_NEW_GRAVITY 9.8 /* m/s2 */

enum { VV_NEW_PATH = 4096, VV_NEW_MOST_PARTS = 60 };

/* A body of several. */
typedef struct vv_new_part {
    char name[64];
    char mesh[VV_NEW_PATH], surface[VV_NEW_PATH];  /* as the scene names its files; surface: carried, or "" */
    char written[VV_NEW_PATH], shown[VV_NEW_PATH]; /* these files, or "" */
} vv_new_part;

typedef struct vv_new_parts {
    const char *scene, *stem; /* files go beside the scene, their names begin so */
    bool force;               /* over files that are there */
    int count;                /* 0: the model is one body */
    vv_new_part *list;
    int wanted; /* of the surface that was filled: tets in more or fewer parts are one body; 0: any */
} vv_new_parts;

/* Groups of a mesh of tets that have a material each. */
typedef struct vv_new_regions {
    int count; /* 0: the body has one material */
    char (*names)[128];
    bool joined; /* some share vertices */
} vv_new_regions;

/* What goes into the scene. */
typedef struct vv_proposal {
    /* files, as the scene names them; surface: carried by the tets, or ""; onto: the surface that they fill, or "" */
    char scene[4096], mesh[4096], surface[4096], onto[4096];
    char made[4096]; /* the mesh that was written for it, or ""; a scene that is refused takes it along */
    bool z_up, edge_given;
    bool affine;            /* the body is nearly rigid */
    bool cloth;             /* it is a sheet, and falls onto a ball */
    double thickness, ball; /* m, of cloth; the ball's radius */
    /* finer tets are tried next if these are too large: a scene that is refused for that says nothing */
    bool may_retry;
    int shown;                          /* triangles of the surface that the tets carry */
    bool collides;                      /* it collides in place of the tets' boundary */
    int shells;                         /* parts of a surface that is filled, without cavities; 0: there is none */
    bool hollow;                        /* parts of the surface are cavities of others */
    bool wrapped;                       /* the tets are a wrap of the surface */
    bool too_large;                     /* the tets cannot carry the surface */
    bool too_many;                      /* finer ones would be */
    double scale, translate[3], height; /* m, placed */
    double room[2];                     /* half of a room's width, and its height, m; 0: no room */
    double young, distance, tolerance, end;
    double ground; /* energy at rest, J; NaN: unknown */
    int steps_a_second, record_every;
    int order; /* of the tets */
    vv_new_parts parts;
    vv_new_regions regions; /* of a mesh of tets that stays one body */
} vv_proposal;

/* The command line. */
typedef struct vv_new_options {
    const char *model, *output, *up, *unit, *with, *bad;
    char named[512];                    /* the output if none is given */
    double height, edge, holes, metres; /* metres: of the model's unit */
    bool keep, carry, no_cavities, force, room, box, affine, cloth, ipc, one;
    int order;
} vv_new_options;

/* ---- options.c ---- */

/* VV_CLI_GO, or an exit code after a message or the help. */
int vv_new_read_options(vv_new_options *o, int argc, char **argv);

/* ---- new.c ---- */

/* The file as the scene names it: by its name alone if both are in one folder, else by the whole path. False: that is
 * too long. */
bool vv_new_name_in_scene(const char *file, const char *scene, char out[4096]);

/* Loads a scene with these settings and makes its world ready to step. Both are to be destroyed in any case. */
vvStatus vv_new_start_scene(const char *path, const char *const *sets, int count, vvScene **scene, vvWorld **world,
                            vvError *error);

/* Where tets go: MODEL.msh beside the scene; a box has the scene's own name, as tets that fill the model may be
 * there. */
int vv_new_name_tets(const vv_new_options *o, char file[4096]);

/* ---- models.c: read models; VV_CLI_GO, or an exit code after a message ---- */

/* For an open surface: a box of tets around it, beside the scene, which carries it. */
int vv_new_box_model(const vv_new_options *o, vv_proposal *p, vvMesh *mesh);
/* For cloth: the triangles as they are. */
int vv_new_cloth_model(const vv_new_options *o, vv_proposal *p, const vvMesh *mesh);
/* For an affine body: the surface as it is or, if it was mended beyond what reading does, beside the scene. */
int vv_new_closed_model(const vv_new_options *o, vv_proposal *p, vvMesh *mesh);

/* ---- scene.c ---- */

/* False: the file cannot be written. `name`: the scene's, UTF-8. */
bool vv_new_write_scene(const char *path, const char *name, const vv_proposal *p);
/* Says what is in it and why. `scaled`: to a height that was asked for. */
void vv_new_print(const char *scene, bool scaled, const vv_proposal *p);

/* ---- parts.c ---- */

/* Fills in `parts` where the mesh consists of several that do not touch, and writes their files; `carries`: with the
 * model's own surface. Leaves the count 0 where there is one, or too many. VV_CLI_GO, or an exit code after a
 * message. */
int vv_new_split(const vvMesh *mesh, const char *model, bool carries, vv_new_parts *parts);
/* Frees the list, and unless they are to be kept removes its files. */
void vv_new_parts_free(vv_new_parts *parts, bool keep);

/* ---- regions.c ---- */

/* The groups of tets among which the mesh is divided, if there are such: all that have tets, or those of one array of
 * cells. VV_CLI_GO, or an exit code after a message. `names` is to be freed. */
int vv_new_find_regions(const vvMesh *mesh, vv_new_regions *regions);
void vv_new_print_regions(const vv_new_regions *regions);

/* ---- ground.c ---- */

vvStatus vv_new_ground_level(vvWorld *world, double *ground, vvError *error);

#endif
