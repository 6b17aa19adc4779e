/* Building the messages of vvError. */
#ifndef VV_BASE_ERROR_H
#define VV_BASE_ERROR_H

#include "visviva/base.h"

/* Sets *error (may be NULL) to status and the formatted message and returns status. */
vvStatus vv_fail(vvError *error, vvStatus status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Or VV_CANCELLED, if that is why `what` is not there: base/stop.h */
vvStatus vv_fail_memory(vvError *error, const char *what);
vvStatus vv_fail_cancelled(vvError *error); /* the host wants the call to end */
/* Puts a prefix such as "scene.json: " before the present message; returns its status. */
vvStatus vv_fail_prefix(vvError *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
void vv_error_clear(vvError *error);

/* The internalValue of definition structs that come from their vvDefault...(). */
#define VV_MADE_BY_DEFAULT 0x76697376u
/* VV_ERROR_INPUT if a `type`, such as "vvBodyDef", has another: it lacks the defaults. `place`: which one, for the
 * message. */
vvStatus vv_check_made(uint32_t value, const char *type, const char *place, vvError *error);

/* Writes "a, b, c", the names that get(i) returns until NULL; for "X is not a scheme; there are: ...". */
void vv_list_names(char *out, size_t size, const vvInfo *(*get)(int index));
/* Appends a name to such words as `write contact.model `: "a", then ` or "b"`. */
void vv_add_name(char *text, size_t size, const char *name);
/* How many letters are wrong, missing, too many, or swapped with the next one (optimal string alignment); capital
 * letters are as small ones. 48 if a word is longer than that. */
int vv_edit_distance(const char *a, const char *b);
/* For "did you mean": whether `candidate` is like `wrong` (at most half of the letters differ) and nearer to it than
 * *best, which then becomes its distance. *best begins as VV_NEAR, which no word reaches that could be meant. */
enum { VV_NEAR = 4 };
bool vv_is_nearer(const char *wrong, const char *candidate, int *best);
/* The name closest to `word` by edit distance, or NULL when none is close: for "did you mean". */
const char *vv_nearest_name(const char *word, const vvInfo *(*get)(int index));
/* VV_ERROR_INPUT: 'WHAT: "name" is not known; did you mean "near"; there are: a, b'. */
vvStatus vv_fail_unknown(vvError *error, const char *what, const char *name, const vvInfo *(*get)(int index));

#endif
