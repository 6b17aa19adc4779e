/* The scenes, what stands far away from them, and one run. Defaults only: no activation distance, no friction speed,
 * no tolerance. */
#include "cases.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the scenes, for objects of 1 m ---- */

#define SOFT(NAME, SX, SY, SZ, CELLS, X, Y, Z, MORE)                                                    \
    "{\"name\":\"" NAME "\",\"material\":\"soft\",\"mesh\":{\"box\":{\"size\":[$L" SX ",$L" SY ",$L" SZ \
    "],\"cells\":" CELLS "}},\"place\":{\"translate\":[$L" X ",$L" Y ",$L" Z "]}" MORE "}"
#define STIFF(NAME, SX, SY, SZ, X, Y, Z, MORE)                                                           \
    "{\"name\":\"" NAME "\",\"material\":\"stiff\",\"mesh\":{\"box\":{\"size\":[$L" SX ",$L" SY ",$L" SZ \
    "],\"cells\":[1,1,1]}},\"place\":{\"translate\":[$L" X ",$L" Y ",$L" Z "]}" MORE "}"
#define PLANE "\"obstacles\":[{\"plane\":{}}]"
#define GRIPPER                                                                                       \
    "\"joints\":["                                                                                    \
    "{\"kind\":\"slider\",\"between\":[\"world\",\"palm\"],\"at\":[0,$L1.8,0],\"axis\":[0,1,0],"      \
    "\"motor\":{\"speed\":$V0.3,\"force\":$F3.2e5}},"                                                 \
    "{\"kind\":\"slider\",\"between\":[\"palm\",\"left\"],\"at\":[$L-0.62,$L1.6,0],\"axis\":[1,0,0]," \
    "\"motor\":{\"speed\":$V0.4,\"force\":$F4e4}},"                                                   \
    "{\"kind\":\"slider\",\"between\":[\"palm\",\"right\"],\"at\":[$L0.62,$L1.6,0],\"axis\":[1,0,0]," \
    "\"motor\":{\"speed\":$V-0.4,\"force\":$F4e4}}]," PLANE
#define FINGER(NAME, X, DX, BACK)                                                                 \
    "{\"name\":\"" NAME "\",\"mesh\":{\"box\":{\"size\":[$L0.2,$L1.2,$L0.8],\"cells\":[1,1,1]}}," \
    "\"place\":{\"translate\":[$L" X ",$L0.8,0]},\"motion\":{\"waypoints\":[{\"time\":0},"        \
    "{\"time\":$T0.1,\"offset\":[$L" DX ",0,0]},{\"time\":$T0.4,\"offset\":[$L" DX ",$L0.1,0]},"  \
    "{\"time\":$T1,\"offset\":[$L" DX ",$L0.1,0]}]}}"

const scale_case scale_cases[] = {
    { "slide",
      { SOFT("block", "1", "0.5", "1", "[3,2,3]", "0", "0.251", "0", ",\"velocity\":{\"linear\":[$V1,0,0]}") },
      PLANE,
      0.3,
      1,
      true },
    { "stick", { SOFT("block", "1", "1", "1", "[2,2,2]", "0", "0.501", "0", "") }, PLANE, 0.536, 1, true, 15 },
    { "stick, affine", { STIFF("block", "1", "1", "1", "0", "0.501", "0", "") }, PLANE, 0.536, 1, false, 15 },
    { "slide, affine",
      { STIFF("block", "1", "0.5", "1", "0", "0.251", "0", ",\"velocity\":{\"linear\":[$V1,0,0]}") },
      PLANE,
      0.3,
      1,
      false },
    { "drop", { SOFT("block", "1", "1", "1", "[2,2,2]", "0", "0.6", "0", "") }, PLANE, 0.3, 1, true },
    { "stack",
      { SOFT("low", "1", "1", "1", "[2,2,2]", "0", "0.501", "0", ""),
        SOFT("middle", "1", "1", "1", "[2,2,2]", "0.1", "1.502", "0.05", ""),
        SOFT("high", "1", "1", "1", "[2,2,2]", "0.05", "2.503", "0.1", "") },
      PLANE,
      0.4,
      3,
      true },
    { "stack, affine",
      { STIFF("low", "1", "1", "1", "0", "0.501", "0", ""), STIFF("middle", "1", "1", "1", "0.1", "1.502", "0.05", ""),
        STIFF("high", "1", "1", "1", "0.05", "2.503", "0.1", "") },
      PLANE,
      0.4,
      3,
      false },
    { "gripper",
      { SOFT("object", "1", "1", "1", "[3,3,3]", "0", "0.501", "0", ""),
        STIFF("left", "0.2", "1.2", "0.8", "-0.62", "0.8", "0", ""),
        STIFF("right", "0.2", "1.2", "0.8", "0.62", "0.8", "0", ""),
        STIFF("palm", "2.4", "0.2", "0.8", "0", "1.8", "0", "") },
      GRIPPER,
      0.8,
      4,
      false },
    { "driven gripper",
      { SOFT("object", "1", "1", "1", "[3,3,3]", "0", "0.501", "0", "") },
      "\"obstacles\":[{\"plane\":{}}," FINGER("left", "-0.62", "0.05", "") "," FINGER("right", "0.62", "-0.05", "") "]",
      0.8,
      1,
      false },
    { 0 },
};

/* ---- what stands far away ---- */

static const double FAR = 1e4, DEGREE = 0.017453292519943295; /* m */

/* size: times the object's; at: m, or where density > 1: 30 sizes */
typedef struct companion {
    const char *name;
    double size, density;
    bool held, last; /* held: in the air; last: behind the others in the list, which stand the other way round */
} companion;
static const companion companions[] = {
    { "alone", 0, 0, false, false },
    { "the other order", 0, 0, false, true },
    { "one of its size at 10 km", 1, 1e3, false, false },
    { "one held at 10 km", 1, 1e3, true, false },
    { "one 100 times its size at 10 km", 100, 1e3, false, false },
    { "one of 0.01 of its size at 10 km", 0.01, 1e3, false, false },
    { "one 1e5 times its weight at 30 sizes", 10, 1e5, false, false },
    { "the same, the other order", 10, 1e5, false, true },
};

const char *scale_companion(int index)
{
    return index >= 0 && (size_t)index < sizeof companions / sizeof *companions ? companions[index].name : NULL;
}

/* ---- text ---- */

/* Writes text with its numbers scaled. */
static size_t put(char *out, size_t used, size_t room, const char *text, double s)
{
    static const char signs[] = "LTVREFK";
    const double factor[] = { s, sqrt(s), sqrt(s), 1 / sqrt(s), s, s * s * s, 1 / s };
    while (*text && used + 40 < room) {
        const char *sign = *text == '$' ? strchr(signs, text[1]) : NULL;
        if (!sign) {
            out[used++] = *text++;
            continue;
        }
        char *end;
        const double value = strtod(text + 2, &end);
        used += (size_t)snprintf(out + used, room - used, "%.17g", value * factor[sign - signs]);
        text = end;
    }
    out[used] = 0;
    return used;
}

static size_t put_companion(char *out, size_t used, size_t room, const companion *c, double s)
{
    const double size = c->size * s, at = c->density > 1e4 ? 30 * s : FAR + 2 * size;
    return used +
           (size_t)snprintf(out + used, room - used,
                            "{\"name\":\"far\",\"material\":{\"model\":\"neo-hookean\",\"young\":%.17g,\"poisson\":"
                            "0.4,\"density\":%.17g},\"mesh\":{\"box\":{\"size\":[%.17g,%.17g,%.17g],\"cells\":"
                            "[1,1,1]}},\"place\":{\"translate\":[%.17g,%.17g,0]}%s}",
                            1e3 * c->density * size, c->density, size, size, size, at, (c->held ? 2 : 0.501) * size,
                            c->held ? ",\"attach\":[{\"kind\":\"fixed\",\"where\":{\"all\":true}}]" : "");
}

static void write_scene(const scale_run *r, const companion *c, char *out, size_t room)
{
    const double s = r->size;
    char head[800];
    snprintf(
        head, sizeof head,
        "{\"visviva\":1,\"name\":\"scale\",\"time\":{\"step\":$T0.01,\"end\":$T0.5},"
        "\"gravity\":[%.17g,%.17g,0],\"integrator\":{\"policy\":\"%s\"},\"contact\":{\"model\":\"%s\",\"friction\":%g%"
        "s},%s%s%s"
        "\"materials\":{\"soft\":{\"model\":\"neo-hookean\",\"young\":$E1e6,\"poisson\":0.4,\"density\":1000,"
        "\"damping\":{\"momentum_rate\":$R0.45}},\"stiff\":{\"model\":\"affine\",\"young\":$E1e9,\"density\":7800}},"
        "\"bodies\":[",
        9.8 * sin(r->what->slope * DEGREE), -9.8 * cos(r->what->slope * DEGREE), r->policy, r->model, r->what->friction,
        strcmp(r->model, "penalty") == 0 || strcmp(r->model, "constraint") == 0 ? ",\"penalty\":{\"stiffness\":$K1e8}"
                                                                                : "",
        r->linear ? "\"solver\":{\"linear\":\"" : "", r->linear ? r->linear : "", r->linear ? "\"}," : "");
    size_t used = put(out, 0, room, head, s);
    const bool far = c->size > 0;
    int count = 0;
    while (count < SCALE_BODIES && r->what->bodies[count])
        count++;
    if (far && !c->last)
        used = put_companion(out, used, room, c, s);
    for (int b = 0; b < count; b++) {
        if (b > 0 || (far && !c->last))
            out[used++] = ',';
        used = put(out, used, room, r->what->bodies[c->last ? count - 1 - b : b], s);
    }
    if (far && c->last) {
        out[used++] = ',';
        used = put_companion(out, used, room, c, s);
    }
    used = put(out, used, room, "],", s);
    used = put(out, used, room, r->what->rest, s);
    put(out, used, room, "}", s);
}

/* ---- a run ---- */

static void hear(void *user, vvLogLevel level, const char *message)
{
    scale_run *r = user;
    if (level == VV_LOG_WARNING && r->warnings++ == 0)
        snprintf(r->why, sizeof r->why, "%.190s", message);
}

/* The place in the case's list of a body by its name; -1: none that is judged. */
static int place_of(const scale_case *what, const char *name)
{
    char key[80];
    snprintf(key, sizeof key, "{\"name\":\"%s\"", name);
    for (int b = 0; b < what->judged; b++)
        if (strncmp(what->bodies[b], key, strlen(key)) == 0)
            return b;
    return -1;
}

static vvStatus centres(const scale_run *r, vvWorld *w, double out[SCALE_BODIES][3], vvError *error)
{
    vvStatus status = VV_OK;
    for (int i = 0; i < vvWorldBodyCount(w) && status == VV_OK; i++) {
        const vvBodyId id = vvWorldBody(w, i);
        const int at = place_of(r->what, vvBodyName(w, id));
        vvBodyMeasures m;
        if (at < 0)
            continue;
        status = vvBodyMeasure(w, id, &m, error);
        for (int k = 0; k < 3; k++)
            out[at][k] = m.centre[k] / r->size;
    }
    return status;
}

static vvStatus go_on(scale_run *r, vvWorld *w, int steps, vvError *error)
{
    double start[SCALE_BODIES][3] = { 0 };
    vvStatus status = centres(r, w, start, error);
    for (int k = 1; k <= steps && status == VV_OK; k++) {
        vvStepReport report = { 0 };
        status = vvWorldStep(w, &report, error);
        r->iterations += report.newtonIterations;
        if (status == VV_OK && k % (steps / SCALE_TIMES) == 0)
            status = centres(r, w, r->at[k / (steps / SCALE_TIMES) - 1], error);
    }
    for (int t = 0; t < SCALE_TIMES; t++)
        for (int b = 0; b < SCALE_BODIES; b++)
            for (int k = 0; k < 3; k++)
                r->at[t][b][k] -= start[b][k];
    return status;
}

void scale_go(scale_run *r)
{
    static const size_t ROOM = 1 << 14;
    vvError error = { 0 };
    vvScene *scene = NULL;
    vvWorld *w = NULL;
    vvHost host = { .log = { hear, r } };
    int c = 0;
    while (scale_companion(c) && strcmp(scale_companion(c), r->companion) != 0)
        c++;
    char *text = malloc(ROOM);
    if (!text || !scale_companion(c))
        exit(2);
    write_scene(r, &companions[c], text, ROOM);
    if (getenv("SCALE_TEXT"))
        puts(text);
    char set[200];
    const char *one = set, *given = getenv("SCALE_SET"); /* for trying: an override, scaled as the texts above */
    put(set, 0, sizeof set, given ? given : "", r->size);
    vvStatus status = vvSceneParse(text, "scale", ".", &one, given ? 1 : 0, &scene, &error);
    if (status == VV_OK)
        status = vvSceneCreateHostedWorld(scene, 1, &host, &w, &error);
    if (status == VV_OK)
        status = vvWorldBake(w, &error);
    if (status == VV_OK)
        status = go_on(r, w, 50, &error);
    r->done = status == VV_OK;
    if (status != VV_OK)
        snprintf(r->why, sizeof r->why, "%.190s", error.message);
    vvWorldDestroy(w);
    vvSceneDestroy(scene);
    free(text);
}

double scale_difference(const scale_run *a, const scale_run *b)
{
    double most = 0;
    if (!a->done || !b->done)
        return INFINITY;
    for (int t = 0; t < SCALE_TIMES; t++)
        for (int i = 0; i < a->what->judged; i++)
            for (int k = 0; k < 3; k++) {
                const double d = fabs(a->at[t][i][k] - b->at[t][i][k]);
                most = isfinite(d) ? fmax(most, d) : INFINITY;
            }
    return most;
}
