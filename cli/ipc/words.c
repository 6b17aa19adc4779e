/* visviva new --from-ipc: the words of an input file of IPC, one row a word. */
#include "ipc/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
    const char *word;
    const char *form;  /* n: number, i: whole number, w: a text; ?: from here on all or nothing */
    const char *usage; /* what follows the word */
    int (*apply)(vv_ipc *c, const vv_ipc_values *v); /* NULL: nothing comes of it, for the reason in `note` */
    vv_ipc_note_kind kind;
    const char *note;
} row;

/* ---- checks ---- */

int vv_ipc_wrong_number(const vv_ipc *c, const vv_ipc_values *v, double found, const char *allowed)
{
    return vv_ipc_wrong(c, v->line, "%s: found %.9g; allowed: %s", v->word, found, allowed);
}

static int above_zero(const vv_ipc *c, const vv_ipc_values *v, int i)
{
    return v->n[i] > 0 ? VV_CLI_GO : vv_ipc_wrong_number(c, v, v->n[i], "numbers above 0");
}

/* One of two texts; IPC takes the first for any other. */
static bool is_second(vv_ipc *c, const vv_ipc_values *v, const char *first, const char *second)
{
    if (strcmp(v->text, first) != 0 && strcmp(v->text, second) != 0)
        vv_ipc_note_line(c, VV_IPC_UNKNOWN, v->line, "%s %s: %s or %s; taken as %s, as IPC does", v->word, v->text,
                         first, second, first);
    return strcmp(v->text, second) == 0;
}

/* ---- elasticity and time ---- */

static int set_energy(vv_ipc *c, const vv_ipc_values *v)
{
    c->fixed_corotated = is_second(c, v, "NH", "FCR");
    return VV_CLI_GO;
}

static int set_integration(vv_ipc *c, const vv_ipc_values *v)
{
    c->newmark = is_second(c, v, "BE", "NM");
    if (v->numbers == 2) {
        c->beta = v->n[0];
        c->gamma = v->n[1];
    }
    if (c->newmark && (c->beta != 0.25 || c->gamma != 0.5))
        vv_ipc_note_line(c, VV_IPC_LOST, v->line,
                         "timeIntegration NM %.9g %.9g: the scene uses 0.25 0.5 (scheme trapezoidal); scheme newmark "
                         "takes others (newmark_beta, newmark_gamma)",
                         c->beta, c->gamma);
    return VV_CLI_GO;
}

static int set_time(vv_ipc *c, const vv_ipc_values *v)
{
    c->duration = v->n[0];
    c->step = v->n[1];
    int code = above_zero(c, v, 0);
    return code == VV_CLI_GO ? above_zero(c, v, 1) : code;
}

static int set_density(vv_ipc *c, const vv_ipc_values *v)
{
    c->density = v->n[0];
    return above_zero(c, v, 0);
}

static int set_stiffness(vv_ipc *c, const vv_ipc_values *v)
{
    c->young = v->n[0];
    c->poisson = v->n[1];
    if (!(c->poisson > -1 && c->poisson < 0.5))
        return vv_ipc_wrong_number(c, v, c->poisson, "Poisson's ratios above -1 and below 0.5");
    return above_zero(c, v, 0);
}

static int set_damping(vv_ipc *c, const vv_ipc_values *v)
{
    if (strcmp(v->word, "dampingRatio") == 0)
        c->damping_ratio = fmin(fmax(v->n[0], 0), 1); /* as IPC does */
    else
        c->damping_stiffness = fmax(v->n[0], 0);
    return VV_CLI_GO;
}

static int no_gravity(vv_ipc *c, const vv_ipc_values *v)
{
    (void)v;
    c->gravity = false;
    return VV_CLI_GO;
}

/* ---- shapes ---- */

static int input_only(const vv_ipc *c, const vv_ipc_values *v)
{
    return strcmp(v->text, "input") == 0
               ? VV_CLI_GO
               : vv_ipc_wrong(c, v->line, "%s: found \"%s\"; allowed: input", v->word, v->text);
}

static int read_shapes(vv_ipc *c, const vv_ipc_values *v)
{
    int code = input_only(c, v);
    return code == VV_CLI_GO ? vv_ipc_read_shapes(c, (int)v->n[0]) : code;
}

static int read_shape(vv_ipc *c, const vv_ipc_values *v)
{
    int code = input_only(c, v);
    return code == VV_CLI_GO ? vv_ipc_read_one_shape(c) : code;
}

static int read_matrix(vv_ipc *c, const vv_ipc_values *v)
{
    int code = input_only(c, v);
    return code == VV_CLI_GO ? vv_ipc_read_matrix(c, v->n, v->n + 3) : code;
}

static int read_mesh_object(vv_ipc *c, const vv_ipc_values *v)
{
    (void)v;
    return vv_ipc_read_mesh_object(c);
}

static int set_size(vv_ipc *c, const vv_ipc_values *v)
{
    c->size = v->n[0];
    return VV_CLI_GO;
}

static int set_turn(vv_ipc *c, const vv_ipc_values *v)
{
    memcpy(c->axis, v->n, sizeof c->axis);
    c->turn = v->n[3];
    if (c->turn != 0 && v->n[0] == 0 && v->n[1] == 0 && v->n[2] == 0)
        return vv_ipc_wrong(c, v->line, "rotateModel: the axis is 0 0 0; any other vector is allowed");
    return VV_CLI_GO;
}

/* ---- planes ---- */

static int add_plane(vv_ipc *c, const vv_ipc_values *v, vv_ipc_plane plane)
{
    if (plane.friction < 0)
        return vv_ipc_wrong_number(c, v, plane.friction, "coefficients of friction from 0");
    vv_ipc_plane *planes = vv_ipc_grow(c->planes, &c->plane_count, sizeof *planes);
    if (!planes)
        return VV_EXIT_FAILED;
    c->planes = planes;
    planes[c->plane_count - 1] = plane;
    return VV_CLI_GO;
}

static int add_ground(vv_ipc *c, const vv_ipc_values *v)
{
    return add_plane(c, v, (vv_ipc_plane){ { 0, v->n[1], 0 }, { 0, 1, 0 }, v->n[0] });
}

static int add_half_space(vv_ipc *c, const vv_ipc_values *v)
{
    vv_ipc_plane plane = { { v->n[0], v->n[1], v->n[2] }, { v->n[3], v->n[4], v->n[5] }, v->n[7] };
    if (plane.normal[0] == 0 && plane.normal[1] == 0 && plane.normal[2] == 0)
        return vv_ipc_wrong(c, v->line, "halfSpace: the normal is 0 0 0; any other vector is allowed");
    return add_plane(c, v, plane);
}

/* ---- contact ---- */

static int self_on(vv_ipc *c, const vv_ipc_values *v)
{
    c->self_off = strcmp(v->word, "selfCollisionOff") == 0;
    return VV_CLI_GO;
}

static int set_friction(vv_ipc *c, const vv_ipc_values *v)
{
    c->friction = fmax(v->n[0], 0); /* as IPC does */
    return VV_CLI_GO;
}

static int set_distance(vv_ipc *c, const vv_ipc_values *v)
{
    c->distance = v->n[0];
    return above_zero(c, v, 0);
}

static int set_slow(vv_ipc *c, const vv_ipc_values *v)
{
    c->slow = v->n[0];
    return above_zero(c, v, 0);
}

static int set_friction_iterations(vv_ipc *c, const vv_ipc_values *v)
{
    c->friction_iterations = (int)fmin(fmax(round(v->n[0]), 0), 1000); /* 0: until it has converged */
    return VV_CLI_GO;
}

static int set_absolute(vv_ipc *c, const vv_ipc_values *v)
{
    (void)v;
    c->absolute = true;
    return VV_CLI_GO;
}

static int set_kappa(vv_ipc *c, const vv_ipc_values *v)
{
    c->kappa_scale = v->n[0];
    return above_zero(c, v, 0);
}

/* ---- times of boundary conditions, solvers ---- */

static int set_range(vv_ipc *c, const vv_ipc_values *v)
{
    memcpy(strncmp(v->word, "DBC", 3) == 0 ? c->held_range : c->pulled_range, v->n, 2 * sizeof *v->n);
    return VV_CLI_GO;
}

static int set_handle(vv_ipc *c, const vv_ipc_values *v)
{
    c->handle = v->n[0];
    return v->n[0] > 0 && v->n[0] < 0.5 ? VV_CLI_GO
                                        : vv_ipc_wrong_number(c, v, v->n[0], "numbers above 0 and below 0.5");
}

static int set_solver(vv_ipc *c, const vv_ipc_values *v)
{
    snprintf(c->solver, sizeof c->solver, "%.31s", strcmp(v->text, "IP") == 0 ? "interiorPoint" : v->text);
    if (strcmp(c->solver, "QP") == 0 || strcmp(c->solver, "SQP") == 0)
        vv_ipc_note_line(c, VV_IPC_LOST, v->line,
                         "constraintSolver %s: contact by constraints, to compare with; the scene has the barrier",
                         v->text);
    else if (strcmp(c->solver, "interiorPoint") != 0)
        vv_ipc_note_line(c, VV_IPC_UNKNOWN, v->line, "constraintSolver %s: none of IPC's solvers", v->text);
    return VV_CLI_GO;
}

static int note_restart(vv_ipc *c, const vv_ipc_values *v)
{
    vv_ipc_note_line(c, VV_IPC_LOST, v->line,
                     "restart %.200s: a saved state of IPC cannot be read; the scene starts at the beginning", v->text);
    return VV_CLI_GO;
}

static const char viewer[] = "IPC's window; visviva render has views of its own", solver[] = "how IPC solves, not what";

static const row rows[] = {
    { "energy", "w", "NH | FCR", set_energy, 0, NULL },
    { "timeIntegration", "w?nn", "BE | NM [BETA GAMMA]", set_integration, 0, NULL },
    { "time", "nn", "SECONDS STEP", set_time, 0, NULL },
    { "density", "n", "KG/M3", set_density, 0, NULL },
    { "stiffness", "nn", "YOUNG POISSON", set_stiffness, 0, NULL },
    { "dampingStiff", "n", "STIFFNESS", set_damping, 0, NULL },
    { "dampingRatio", "n", "RATIO", set_damping, 0, NULL },
    { "turnOffGravity", "", "", no_gravity, 0, NULL },

    { "shapes", "wi", "input COUNT", read_shapes, 0, NULL },
    { "shape", "w", "input FILE", read_shape, 0, NULL },
    { "shapeMatrix", "wiii?nnn", "input NX NY NZ [X Y Z]", read_matrix, 0, NULL },
    { "meshCO", "", "FILE X Y Z SCALE STIFFNESS FRICTION [rotate RX RY RZ]", read_mesh_object, 0, NULL },
    { "size", "n", "METRES", set_size, 0, NULL },
    { "rotateModel", "nnnn", "X Y Z DEGREES", set_turn, 0, NULL },

    { "ground", "nn", "FRICTION Y", add_ground, 0, NULL },
    { "halfSpace", "nnnnnnnn", "X Y Z NX NY NZ STIFFNESS FRICTION", add_half_space, 0, NULL },

    { "selfCollisionOn", "", "", self_on, 0, NULL },
    { "selfCollisionOff", "", "", self_on, 0, NULL },
    { "selfFric", "n", "FRICTION", set_friction, 0, NULL },
    { "dHat", "n", "DISTANCE", set_distance, 0, NULL },
    { "epsv", "n", "SPEED", set_slow, 0, NULL },
    { "fricIterAmt", "n", "COUNT", set_friction_iterations, 0, NULL },
    { "useAbsParameters", "", "", set_absolute, 0, NULL },
    { "kappaMinMultiplier", "n", "FACTOR", set_kappa, 0, NULL },
    { "minBarrierStiffnessScale", "n", "FACTOR", set_kappa, 0, NULL },
    { "tol", "i", "COUNT, and as many numbers", vv_ipc_set_tolerance, 0, NULL },
    { "tuning", "i", "COUNT, and as many numbers", vv_ipc_set_tuning, 0, NULL },

    { "script", "w", "NAME", vv_ipc_set_script, 0, NULL },
    { "handleRatio", "n", "RATIO", set_handle, 0, NULL },
    { "DBCTimeRange", "nn", "BEGIN END", set_range, 0, NULL },
    { "NBCTimeRange", "nn", "BEGIN END", set_range, 0, NULL },

    { "constraintSolver", "w", "interiorPoint | QP | SQP", set_solver, 0, NULL },
    { "section", "", "SOLVER ... | end", vv_ipc_skip_section, 0, NULL },
    { "restart", "w", "FILE", note_restart, 0, NULL },

    { "view", "w", "orthographic | perspective", NULL, VV_IPC_NEEDLESS, viewer },
    { "zoom", "n", "FACTOR", NULL, VV_IPC_NEEDLESS, viewer },
    { "cameraTracking", "", "", NULL, VV_IPC_NEEDLESS, viewer },
    { "playBackSpeed", "n", "FACTOR", NULL, VV_IPC_NEEDLESS,
      "how fast IPC's pictures play, and how often it saves; here time.record_every" },
    { "appendStr", "w", "TEXT", NULL, VV_IPC_NEEDLESS, "the name of IPC's output; here -o of visviva run" },
    { "disableCout", "", "", NULL, VV_IPC_NEEDLESS, "what IPC prints; here --quiet of visviva run" },
    { "warmStart", "n", "NUMBER", NULL, VV_IPC_NEEDLESS, "the start of IPC's solve, not its result" },
    { "linearSolver", "w", "NAME", NULL, VV_IPC_NEEDLESS, solver },
    { "linSysSolver", "w", "NAME", NULL, VV_IPC_NEEDLESS, solver },
    { "CCDMethod", "w", "NAME", NULL, VV_IPC_NEEDLESS, solver },
    { "ccdMethod", "w", "NAME", NULL, VV_IPC_NEEDLESS, solver },
    { "CCDTolerance", "n", "NUMBER", NULL, VV_IPC_NEEDLESS, solver },
    { "ccdTolerance", "n", "NUMBER", NULL, VV_IPC_NEEDLESS, solver },
    { "constraintType", "w", "NAME", NULL, VV_IPC_NEEDLESS, "for QP and SQP only" },
    { "constraintOffset", "n", "METRES", NULL, VV_IPC_NEEDLESS, "for QP and SQP only" },
    { "QPSolver", "w", "NAME", NULL, VV_IPC_NEEDLESS, "for QP and SQP only" },
    { "useActiveSetConvergence", "", "", NULL, VV_IPC_NEEDLESS, "for QP and SQP only" },
    { "noActiveSetConvergence", "", "", NULL, VV_IPC_NEEDLESS, "for QP and SQP only" },
    { "timeStepper", "w", "NAME", NULL, VV_IPC_NEEDLESS, "a word of older versions that IPC no longer reads" },
    { "resolution", "n", "COUNT", NULL, VV_IPC_NEEDLESS, "a word of older versions that IPC no longer reads" },
    { "inexactSolve", "n", "NUMBER", NULL, VV_IPC_NEEDLESS, "a word of older versions that IPC no longer reads" },
};
enum { ROWS = sizeof rows / sizeof *rows };

/* ---- reading ---- */

static int wrong_count(const vv_ipc *c, const row *r, const char *found)
{
    return vv_ipc_wrong(c, c->text.line, "%s: found %s; needed: %s %s", r->word,
                        *found ? found : "nothing more on the line", r->word, r->usage);
}

static int take_values(vv_ipc *c, const row *r, vv_ipc_values *v)
{
    bool optional = false;
    int begun = 0;
    for (const char *form = r->form; *form; form++) {
        char word[VV_IPC_WORD], quoted[VV_IPC_WORD + 2];
        const char *next;
        size_t n = vv_ipc_peek(&c->text, &next);
        if (*form == '?') {
            optional = true;
            continue;
        }
        if (optional && !begun && (n == 0 || *next == '#'))
            return VV_CLI_GO;
        if (n == 0)
            return wrong_count(c, r, "");
        begun += optional;
        vv_ipc_take(&c->text, word);
        snprintf(quoted, sizeof quoted, "\"%s\"", word);
        if (*form == 'w') {
            snprintf(v->text, sizeof v->text, "%s", word);
            continue;
        }
        double value;
        if (!vv_ipc_is_number(word, &value))
            return wrong_count(c, r, quoted);
        if (*form == 'i' && (value != round(value) || value < 0 || value > 1e6))
            return vv_ipc_wrong(c, c->text.line, "%s: found %s; allowed: whole numbers from 0 to 1000000", r->word,
                                word);
        v->n[v->numbers++] = value;
    }
    return VV_CLI_GO;
}

int vv_ipc_numbers(vv_ipc *c, const char *word, const char *form, int count, double *list)
{
    char found[VV_IPC_WORD];
    for (int i = 0; i < count; i++) {
        if (!vv_ipc_take(&c->text, found))
            return vv_ipc_wrong(c, c->text.line, "%s: found %d numbers; needed: %d, %s", word, i, count, form);
        if (!vv_ipc_is_number(found, &list[i]))
            return vv_ipc_wrong(c, c->text.line, "%s: found \"%s\", where a number is needed (%d of %d: %s)", word,
                                found, i + 1, count, form);
    }
    return VV_CLI_GO;
}

static void note_unknown(vv_ipc *c, const char *word)
{
    const char *words[ROWS];
    char hint[VV_HINT];
    for (int i = 0; i < ROWS; i++)
        words[i] = rows[i].word;
    vv_ipc_note_line(c, VV_IPC_UNKNOWN, c->text.line, "%.100s: not a word of IPC's%s", word,
                     vv_cli_hint(hint, word, words, ROWS));
}

static int read_line(vv_ipc *c)
{
    char word[VV_IPC_WORD];
    if (!vv_ipc_take(&c->text, word) || word[0] == '#')
        return VV_CLI_GO;
    const row *r = rows;
    while (r < rows + ROWS && strcmp(r->word, word) != 0)
        r++;
    if (r == rows + ROWS) {
        note_unknown(c, word);
        return VV_CLI_GO;
    }
    vv_ipc_values v = { .word = r->word, .line = c->text.line };
    int code = take_values(c, r, &v);
    if (code == VV_CLI_GO && r->apply)
        code = r->apply(c, &v);
    else if (code == VV_CLI_GO)
        vv_ipc_note_line(c, r->kind, v.line, "%s: %s", r->word, r->note);
    const char *next;
    if (code == VV_CLI_GO && vv_ipc_peek(&c->text, &next) && *next != '#')
        vv_ipc_note_line(c, VV_IPC_NEEDLESS, c->text.line, "%s: \"%.100s\" follows, which IPC does not read", r->word,
                         next);
    return code;
}

int vv_ipc_read(vv_ipc *c)
{
    int code = vv_ipc_open(c->path, &c->text);
    while (code == VV_CLI_GO && vv_ipc_next_line(&c->text))
        code = read_line(c);
    if (code == VV_CLI_GO && c->shape_count == 0)
        code = vv_cli_wrong("%s: no shapes (an input file of IPC has a line \"shapes input COUNT\"%s)", c->path,
                            c->note_count ? "; none of its words is known, or none makes a body" : "");
    return code;
}
