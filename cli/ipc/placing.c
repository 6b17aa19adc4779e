/* visviva new --from-ipc: where the shapes stand. IPC places each, p = R (scale x) + t with R = Rx Ry Rz, as a scene
 * does. Then the whole may be turned (rotateModel) and scaled and shifted so that its box has one corner at the
 * origin and a given size (size). */
#include "ipc/ipc.h"

#include <math.h>
#include <string.h>

static const double degree = 3.14159265358979323846 / 180;

void vv_ipc_apply(const double m[9], const double x[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = m[3 * k] * x[0] + m[3 * k + 1] * x[1] + m[3 * k + 2] * x[2];
}

static void multiply(const double a[9], const double b[9], double out[9])
{
    double product[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            product[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
    memcpy(out, product, sizeof product);
}

/* Right angles have no rounding. */
static void sine_cosine(double degrees, double *sine, double *cosine)
{
    double quarter = degrees / 90, whole = round(quarter);
    static const double sines[] = { 0, 1, 0, -1 };
    if (quarter == whole && fabs(whole) < 1e9) {
        int i = (int)((long long)whole & 3);
        *sine = sines[i];
        *cosine = sines[(i + 1) & 3];
        return;
    }
    *sine = sin(degrees * degree);
    *cosine = cos(degrees * degree);
}

void vv_ipc_rotation(const double degrees[3], double matrix[9])
{
    double s[3], c[3];
    for (int k = 0; k < 3; k++)
        sine_cosine(degrees[k], &s[k], &c[k]);
    const double x[9] = { 1, 0, 0, 0, c[0], -s[0], 0, s[0], c[0] }, y[9] = { c[1], 0, s[1], 0, 1, 0, -s[1], 0, c[1] },
                 z[9] = { c[2], -s[2], 0, s[2], c[2], 0, 0, 0, 1 };
    multiply(x, y, matrix);
    multiply(matrix, z, matrix);
}

void vv_ipc_angles(const double m[9], double degrees[3])
{
    double sine = fmin(fmax(m[2], -1), 1);
    degrees[1] = asin(sine) / degree;
    bool level = fabs(sine) < 1 - 1e-14; /* else only the sum of the other two counts */
    degrees[0] = level ? atan2(-m[5], m[8]) / degree : atan2(m[7], m[4]) / degree;
    degrees[2] = level ? atan2(-m[1], m[0]) / degree : 0;
}

void vv_ipc_point(const vv_ipc_shape *s, int vertex, double out[3])
{
    double x[3];
    for (int k = 0; k < 3; k++)
        x[k] = s->scale[k] * s->mesh->mesh.positions[3 * (size_t)vertex + (size_t)k];
    vv_ipc_apply(s->turn, x, out);
    for (int k = 0; k < 3; k++)
        out[k] += s->translate[k];
}

/* ---- boxes ---- */

typedef struct box {
    double low[3], high[3];
} box;

static const box nothing = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };

static void include(box *b, const double x[3])
{
    for (int k = 0; k < 3; k++) {
        b->low[k] = fmin(b->low[k], x[k]);
        b->high[k] = fmax(b->high[k], x[k]);
    }
}

/* Of a shape and its copies. `turn`, `about`: a rotation of the whole, or NULL. */
static box box_of(const vv_ipc_shape *s, const double *turn, const double *about)
{
    box first = nothing;
    for (int v = 0; v < s->mesh->mesh.vertexCount; v++) {
        double x[3];
        vv_ipc_point(s, v, x);
        for (int k = 0; turn && k < 3; k++)
            x[k] -= about[k];
        if (turn)
            vv_ipc_apply(turn, (const double[3]){ x[0], x[1], x[2] }, x);
        for (int k = 0; turn && k < 3; k++)
            x[k] += about[k];
        include(&first, x);
    }
    box all = first;
    for (int k = 0; k < 3; k++) {
        all.low[k] += fmin(0, s->step[k] * (s->count[k] - 1));
        all.high[k] += fmax(0, s->step[k] * (s->count[k] - 1));
    }
    return all;
}

static box box_of_all(const vv_ipc *c, bool tets_only, const double *turn, const double *about)
{
    box all = nothing;
    for (int i = 0; i < c->shape_count; i++) {
        const vv_ipc_shape *s = &c->shapes[i];
        if (s->apart || (tets_only && s->mesh->kind != VV_IPC_TETS))
            continue;
        box b = box_of(s, turn, about);
        include(&all, b.low);
        include(&all, b.high);
    }
    return all;
}

/* ---- meshCO ---- */

/* IPC scales a mesh object to its largest extent, about the mean of its vertices, which goes to the given place. */
static void place_object(vv_ipc_shape *s)
{
    const vvMesh *mesh = &s->mesh->mesh;
    box b = nothing;
    double mean[3] = { 0 }, moved[3], largest = 0;
    for (int v = 0; v < mesh->vertexCount; v++) {
        include(&b, mesh->positions + 3 * (size_t)v);
        for (int k = 0; k < 3; k++)
            mean[k] += mesh->positions[3 * (size_t)v + (size_t)k] / mesh->vertexCount;
    }
    for (int k = 0; k < 3; k++)
        largest = fmax(largest, b.high[k] - b.low[k]);
    for (int k = 0; k < 3; k++)
        s->scale[k] = largest > 0 ? s->extent / largest : 1;
    vv_ipc_apply(s->turn, mean, moved);
    memcpy(s->origin, s->translate, sizeof s->origin);
    for (int k = 0; k < 3; k++)
        s->translate[k] -= s->scale[k] * moved[k];
}

/* ---- the whole ---- */

/* p becomes factor (turn (p - about) + about) - shift. */
static void change_place(vv_ipc_shape *s, const double turn[9], const double about[3], double factor,
                         const double shift[3], bool turned)
{
    double from[3], moved[3];
    for (int k = 0; k < 3; k++)
        from[k] = s->translate[k] - about[k];
    vv_ipc_apply(turn, from, moved);
    for (int k = 0; k < 3; k++) {
        s->translate[k] = factor * (moved[k] + about[k]) - shift[k];
        s->scale[k] *= factor;
        s->step[k] *= factor;
    }
    if (!turned)
        return;
    multiply(turn, s->turn, s->turn);
    vv_ipc_angles(s->turn, s->rotate);
}

/* About an axis of any length: Rodrigues' formula. */
static void axis_rotation(const double axis[3], double degrees, double m[9])
{
    double sine, cosine;
    sine_cosine(degrees, &sine, &cosine);
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]), a[3];
    for (int k = 0; k < 3; k++)
        a[k] = length > 0 ? axis[k] / length : 0;
    const double cross[9] = { 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0 };
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m[3 * i + j] = (i == j ? cosine : 0) + (1 - cosine) * a[i] * a[j] + sine * cross[3 * i + j];
}

static int check_box(const vv_ipc *c, const box *b)
{
    for (int k = 0; k < 3; k++)
        if (!isfinite(b->low[k]) || !isfinite(b->high[k]))
            return vv_cli_wrong("%s: the shapes are out of the range of numbers", c->path);
    return VV_CLI_GO;
}

/* The copies of a matrix, which is along the axes, as shapes: turned, it is not. */
static int expand_matrices(vv_ipc *c)
{
    for (int i = c->shape_count - 1; i >= 0; i--) {
        int count[3], total = 1;
        memcpy(count, c->shapes[i].count, sizeof count);
        for (int k = 0; k < 3; k++)
            total *= c->shapes[i].count[k] > 10000 / total ? 10001 : c->shapes[i].count[k];
        if (total > 10000)
            return vv_ipc_wrong(c, c->shapes[i].line,
                                "shapeMatrix: with rotateModel, at most 10000 shapes are possible here");
        for (int n = total - 1; n >= 0 && total > 1; n--) {
            const int at[3] = { n / (count[1] * count[2]), n / count[2] % count[1], n % count[2] };
            if (n > 0 && !vv_ipc_add_like(c, i))
                return VV_EXIT_FAILED;
            vv_ipc_shape *s = n > 0 ? &c->shapes[c->shape_count - 1] : &c->shapes[i];
            for (int k = 0; k < 3; k++) {
                s->translate[k] += at[k] * s->step[k];
                s->count[k] = 1;
            }
        }
    }
    return VV_CLI_GO;
}

int vv_ipc_place(vv_ipc *c)
{
    if (c->turn != 0) {
        int code = expand_matrices(c);
        if (code != VV_CLI_GO)
            return code;
    }
    for (int i = 0; i < c->shape_count; i++) {
        vv_ipc_rotation(c->shapes[i].rotate, c->shapes[i].turn);
        if (c->shapes[i].apart)
            place_object(&c->shapes[i]);
    }
    box before = box_of_all(c, false, NULL, NULL), tets = box_of_all(c, true, NULL, NULL), after;
    int code = check_box(c, &before);
    if (code != VV_CLI_GO)
        return code;
    double turn[9], half[3], about[3] = { 0 }, shift[3] = { 0 }, largest = 0;
    axis_rotation(c->axis, c->turn, turn);
    for (int k = 0; k < 3; k++)
        half[k] = 0.5 * (before.high[k] - before.low[k]); /* IPC turns about this point, not about the middle */
    if (c->turn != 0)
        memcpy(about, half, sizeof about);
    after = c->turn != 0 ? box_of_all(c, false, turn, about) : before;
    for (int k = 0; k < 3; k++)
        largest = fmax(largest, after.high[k] - after.low[k]);
    double factor = c->size > 0 && largest > 0 ? c->size / largest : 1;
    for (int k = 0; k < 3; k++)
        shift[k] = c->size > 0 ? factor * after.low[k] : 0;
    for (int i = 0; i < c->shape_count && (c->turn != 0 || c->size > 0); i++)
        if (!c->shapes[i].apart)
            change_place(&c->shapes[i], turn, about, factor, shift, c->turn != 0);
    memcpy(c->low, nothing.low, sizeof c->low);
    memcpy(c->high, nothing.high, sizeof c->high);
    for (int i = 0; i < c->shape_count; i++) {
        box b = box_of(&c->shapes[i], NULL, NULL);
        memcpy(c->shapes[i].low, b.low, sizeof b.low);
        memcpy(c->shapes[i].high, b.high, sizeof b.high);
        for (int k = 0; k < 3 && !c->shapes[i].apart; k++) {
            c->low[k] = fmin(c->low[k], b.low[k]);
            c->high[k] = fmax(c->high[k], b.high[k]);
        }
    }
    c->diagonal = 0; /* rest shapes are not turned */
    for (int k = 0; k < 3; k++)
        c->diagonal += tets.high[k] >= tets.low[k] ? (tets.high[k] - tets.low[k]) * (tets.high[k] - tets.low[k]) : 0;
    c->diagonal = factor * sqrt(c->diagonal);
    if (!(c->diagonal > 0))
        return vv_cli_wrong("%s: no shape has tets, so nothing can bend or move freely (.msh); IPC needs one, too",
                            c->path);
    return VV_CLI_GO;
}
