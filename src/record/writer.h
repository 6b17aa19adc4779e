/* What the files that write a run share. */
#ifndef VV_RECORD_WRITER_H
#define VV_RECORD_WRITER_H

#include "record/layout.h"

/* Steps booked since the last frame, in the shape of the file's rows. */
typedef struct vv_pending {
    int64_t count;
    size_t ledger_room, solver_room, phases_room, energies_room, visible_room;
    vvLedgerRow *ledger;
    vv_solver_row *solver;
    double *phases, *energies; /* count x VV_PHASE_COUNT, count x bodies */
    vvVisible *visible;        /* count x bodies */
} vv_pending;

/* Texts of ledger rows that are not in the file yet (lines.c). */
typedef struct vv_lines {
    int64_t count;
    size_t row_room, text_room;
    int64_t *rows;
    char *texts; /* as many bytes each as the kind's are wide */
} vv_lines;
void vv_lines_free(vv_lines *lines);

struct vvRunWriter {
    bool busy;                /* a call is writing */
    char *path, *part, *side; /* the run, its replacement while one is made, name.xdmf */
    int claim;                /* see place.h */
    hid_t file, sets[VV_SET_COUNT];
    vv_run_sizes sizes;
    vv_capacity room;
    int64_t frames, rows; /* written to the file and counted there */
    vv_pending pending;
    vvLedgerRow start;   /* row 0 */
    void *state;         /* sizes.state bytes: the last frame's restart blob */
    int64_t mixed_count; /* length of /visviva/cells, for XDMF */
    int64_t cell_count;
    vvBodyId *bodies; /* the bodies whose nodes are in the file: sizes.bodies of them */
    double *times;    /* of the frames, for XDMF */
    size_t times_room;
    int64_t side_frames;                 /* frames listed in name.xdmf */
    double side_time;                    /* when name.xdmf was written (monotonic clock) */
    int64_t next_state;                  /* for the next rebuild: another size of state; 0: unchanged */
    const char *scene_name, *scene_text; /* for the next rebuild: another scene; NULL: unchanged */
    const char *change;                  /* for the next rebuild: what changes from its last row on; NULL: nothing */
    uint32_t revision;                   /* of the world's settings: changes up to it are noted */
    vv_lines lines[VV_LINES_COUNT];      /* noted, not yet in the file */
    bool outdated;                       /* the facts in the file are those of before a change */
    int64_t line_room[VV_LINES_COUNT];   /* for the next rebuild: room for that many; 0: for those that there are */
    bool exact;                          /* the run is being closed: no room for lines to come */
    uint64_t attachments;                /* of the world that the run began or went on with */
};

/* Rewrites the file beside itself with the given frames, rows and room, and replaces the old one. `status`
 * may be NULL: kept. On failure the old file stays in use. */
vvStatus vv_writer_rebuild(vvRunWriter *writer, int64_t frames, int64_t rows, vv_capacity room, const char *status,
                           vvError *error);
/* Room for that many frames and rows, rebuilding in geometric steps. */
vvStatus vv_writer_reserve(vvRunWriter *writer, int64_t frames, int64_t rows, vvError *error);
/* Writes the pending rows and, unless `world` is NULL, a frame; then the counters. Room must be available. */
vvStatus vv_writer_append(vvRunWriter *writer, vvWorld *world, vvError *error);
vvStatus vv_writer_book(vvRunWriter *writer, const vvWorld *world, const vvStepReport *report, vvError *error);
/* Row 0 becomes the world's start if that was set anew before the first step. VV_ERROR_INPUT if steps were made from
 * it before a frame could show it. */
vvStatus vv_writer_follow_start(vvRunWriter *writer, const vvWorld *world, vvError *error);
/* Remembers the world's bodies (sizes.bodies is set). */
vvStatus vv_writer_know_bodies(vvRunWriter *writer, const vvWorld *world, vvError *error);
/* Replaces the restart state of a frame if the world's attachments differ from those at the start of the run: the
 * file has no room for that state. Such a frame can be played, not resumed. */
#define VV_RUN_NO_STATE "vvnone"
/* Writes everything that is written once. */
vvStatus vv_writer_fixed(vvRunWriter *writer, const vvWorld *world, const char *sceneName, const char *sceneText,
                         vvError *error);
/* record/surfaces.c: what the bodies carry. */
bool vv_writer_surfaces(hid_t file, const vvWorld *world, int bodies);
/* record/kinematic.c */
bool vv_writer_kinematic(hid_t file, const vvWorld *world, int bodies);
/* record/thickness.c */
/* A number of each body. */
bool vv_writer_of_bodies(hid_t file, const char *path, const vvWorld *world, int bodies,
                         double (*get)(const vvWorld *world, vvBodyId body));
bool vv_writer_thickness(hid_t file, const vvWorld *world, int bodies);
/* record/directors.c */
bool vv_writer_directors(hid_t file, const vvWorld *world, int bodies);
/* record/made_by.c: creates it in a fresh file, else overwrites it where it is. */
bool vv_writer_made_by(hid_t file, const vvWorld *world, bool fresh);
/* record/drawn.c */
bool vv_writer_drawn(hid_t file, const vvWorld *world, int bodies);
bool vv_writer_samples(hid_t file, const vvWorld *world);
/* record/touching.c: creates it in a fresh file, else overwrites it. */
bool vv_writer_touching(hid_t file, const vvWorld *world, int bodies, bool fresh);
/* record/bending.c: likewise. */
bool vv_writer_bending(hid_t file, const vvWorld *world, int bodies, bool fresh);
/* record/lines.c: copies those among the first `rows` ledger rows, and adds writer->change and writer->lines behind
 * them. */
bool vv_writer_copy_lines(vvRunWriter *writer, hid_t to, int64_t rows);
/* The file has those among the first `rows` rows now. */
void vv_writer_lines_are_put(vvRunWriter *writer, int64_t rows);
/* to writer->lines; false: out of memory */
bool vv_writer_add_line(vvRunWriter *writer, vv_lines_kind which, int64_t row, const char *text);
/* Writes writer->lines into the room that the file has for them; false: there is too little. */
bool vv_writer_put_in_place(vvRunWriter *writer, vv_lines_kind which);
/* Room for them, and for as many again. */
int64_t vv_writer_more_lines(const vvRunWriter *writer, vv_lines_kind which);
/* Room for the first notes, in a fresh file. */
bool vv_writer_room_for_notes(hid_t file);
/* The last ledger row, written or pending, of a state with at most so many steps. */
int64_t vv_writer_row_before(const vvRunWriter *writer, int64_t step);
/* record/settings.c: notes what setters have changed in the world since the last call. */
vvStatus vv_writer_note_changes(vvRunWriter *writer, const vvWorld *world, vvError *error);
/* Writes what was noted, and the facts of the world as they are now; does nothing if nothing was. */
vvStatus vv_writer_put_lines(vvRunWriter *writer, const vvWorld *world, vvError *error);
/* Time step, scheme and policy of the world as they are now. */
bool vv_writer_facts(hid_t file, const vvWorld *world);
/* These anew, and all else that changes with settings and bodies (settings.c). */
vvStatus vv_writer_renew_facts(vvRunWriter *writer, const vvWorld *world, vvError *error);
/* Writes name.xdmf: with `always`, or once enough new frames have come. */
vvStatus vv_writer_side(vvRunWriter *writer, bool always, vvError *error);

vvRunWriter *vv_writer_new(const char *path, vvError *error);
void vv_writer_free(vvRunWriter *writer); /* closes what is open */
vvStatus vv_writer_fail(const vvRunWriter *writer, vvError *error, const char *what);
bool vv_writer_remember_time(vvRunWriter *writer, double time);

#endif
