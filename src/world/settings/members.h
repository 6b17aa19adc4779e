/* The settings of a world as rows (base/text/member.h): one a member of vvIntegratorDef, vvSolverDef, vvContactDef and
 * vvMaterialDef, and of vvWorldDef itself; friction per pair is of the world. A setting is its member and its row;
 * whatever is done with all settings is a loop over the rows. */
#ifndef VV_WORLD_SETTINGS_MEMBERS_H
#define VV_WORLD_SETTINGS_MEMBERS_H

#include "base/text/member.h"
#include "visviva/settings.h"
#include "world/settings/chosen.h"

extern const vv_members vv_world_members, vv_integrator_members, vv_solver_members, vv_contact_members,
    vv_material_members, vv_pair_members;

/* The tables of a vvWorldDef, and where in it their structs are. */
typedef struct vv_def_part {
    const vv_members *members;
    size_t at;
} vv_def_part;
enum { VV_DEF_PARTS = 4 };
extern const vv_def_part vv_def_parts[VV_DEF_PARTS];
static inline const void *vv_def_part_of(const vvWorldDef *def, int part)
{
    return (const char *)def + vv_def_parts[part].at;
}

/* What a row's member is. */
typedef enum vv_member_class {
    VV_MEMBER_NONE,   /* the row is an object's */
    VV_MEMBER_NUMBER, /* a double, int or bool */
    VV_MEMBER_NAME,
    VV_MEMBER_VECTOR, /* 3 doubles */
    VV_MEMBER_OTHER   /* its ops know */
} vv_member_class;
vv_member_class vv_member_kind(const vv_member *member);

/* Of the struct `def` that the row is of. */
double vv_member_number(const vv_member *member, const void *def);
/* Whether a number can be put there at all: it is out of the range of no whole one. */
bool vv_member_can_be(const vv_member *f, double number);
void vv_member_set_number(const vv_member *member, void *def, double number);
const char **vv_member_name(const vv_member *member, const void *def);
double *vv_member_vector(const vv_member *member, const void *def);
/* Its part of the scene's length; 0: it is not given as one. */
double vv_member_part(const vv_member *member, const void *def);
void vv_member_set_part(const vv_member *member, void *def, double part);
/* Of one that the world may choose: what the user gave, 0: nothing. */
double vv_member_given(const vv_member *member, const vv_given_lengths *given);
/* Whether the definition reads it: mu, or young. One that it does not read has no range, and two of these are the same.
 */
bool vv_member_is_read(const vv_member *member, const void *def);
bool vv_member_same(const vv_member *member, const void *a, const void *b);

/* ---- all rows of a table ---- */

/* Sets every member to its default. */
void vv_members_default(const vv_members *members, void *def);
/* Checks every member; names become the tables' own. VV_ERROR_INPUT with the key of the first that is not allowed. */
vvStatus vv_members_check(const vv_members *members, void *def, vvError *error);
bool vv_members_same(const vv_members *members, const void *a, const void *b);
/* Which of a baked world's parts (world/world.h) another definition makes out of date. */
unsigned vv_members_stale(const vv_members *members, const void *a, const void *b);
/* Tells all settings, or those that differ from another definition's: the key from the table's `of` on, and the value
 * as in a scene file, to the last bit, or (json false) with six digits and without quotes. */
void vv_members_say(const vv_members *members, const void *before, const void *def, bool json, vvSettingFunction *say,
                    void *user);
/* The same of one. */
void vv_member_say(const vv_members *members, const vv_member *member, const void *before, const void *def, bool json,
                   vvSettingFunction *say, void *user);
/* Whether the setting counts under that contact model: it is of no model ("contact.distance"), or of this one
 * ("contact.springs.form"). */
bool vv_member_is_of_model(const vv_member *member, const char *model);

/* ---- values that are no plain ones (world/settings/members_integrator.c) ---- */

struct vv_pen;
struct vv_eye;
typedef struct vv_member_ops {
    bool (*same)(const void *a, const void *b);
    vvStatus (*check)(const vv_key_row *row, const void *def, vvError *error);
    void (*say)(const void *before, const void *def, bool json, vvSettingFunction *say,
                void *user); /* before: may be NULL */
    void (*put)(struct vv_pen *pen, const void *def);
    vvStatus (*take)(struct vv_eye *eye, void *def, vvError *error); /* what it allocates, the eye owns */
} vv_member_ops;
extern const vv_member_ops vv_parameters_ops, vv_decay_ops, vv_ground_ops;
extern const vv_member_ops vv_pairs_ops; /* of a vvWorld; world/settings/members_pairs.c */

#endif
