/* What the page's script has to know of each run, as JSON. */
#include "cli.h"
#include "render/limits.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *vector(const double v[3]) { return json_pack("[o, o, o]", number(v[0]), number(v[1]), number(v[2])); }

/* Names come from files of others: bytes that are no UTF-8 become "?". */
static json_t *text(const char *words)
{
    char clean[256];
    snprintf(clean, sizeof clean, "%s", words);
    json_t *string = json_string(clean);
    for (char *p = clean; !string && *p; p++)
        *p = (unsigned char)*p > 127 ? '?' : *p;
    return string ? string : json_string(clean);
}

static json_t *times_of(const vv_report_run *run)
{
    json_t *list = json_array();
    for (int f = 0; f < run->motion.frameCount; f += run->stride)
        json_array_append_new(list, number(vvRunFrameTime(run->run, f)));
    return list;
}

static json_t *parts_of(const vv_report_run *run)
{
    json_t *list = json_array();
    for (int p = 0; p < run->shape.partCount; p++) {
        const vv_report_part *part = &run->shape.parts[p];
        const vvRunBody *body = vvRunGetBody(run->run, part->body);
        json_array_append_new(list, json_pack("{s:o, s:b, s:b, s:o, s:b, s:o, s:[i,i], s:[i,i], s:[i,i]}", "name",
                                              text(body->name), "obstacle", body->kinematic, "points", part->points,
                                              "colour", body->colour >= 0 ? json_integer(body->colour) : json_null(),
                                              "closed", run->stage.surface.closed[part->body], "radius",
                                              number(part->radius), "vertices", part->firstVertex, part->vertexCount,
                                              "triangles", part->firstTriangle, part->triangleCount, "edges",
                                              part->firstEdge, part->edgeCount));
    }
    return list;
}

static json_t *fields_of(const vv_report_motion *m)
{
    json_t *list = json_array();
    for (int i = 0; i < m->fieldCount; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "name", m->fields[i].name, "title",
                                              m->fields[i].title, "unit", m->fields[i].unit, "least",
                                              number(m->fields[i].least), "most", number(m->fields[i].most), "largest",
                                              number(m->fields[i].largest)));
    return list;
}

static json_t *planes_of(const vvRun *run)
{
    json_t *list = json_array();
    for (int i = 0; i < vvRunObstacleCount(run); i++) {
        const double *values;
        int count;
        if (strcmp(vvRunObstacle(run, i, &values, &count), "plane") == 0 && count >= 6)
            json_array_append_new(list, json_pack("{s:o, s:o}", "point", vector(values), "normal", vector(values + 3)));
    }
    return list;
}

/* How many vertices the surface of the obstacles has that are no planes. */
static int obstacle_vertices(const vv_report_run *run)
{
    int vertices = 0;
    for (int i = 0; i < vvRunObstacleCount(run->run); i++) {
        const double *values;
        int count;
        vvMesh mesh = { 0 };
        if (strcmp(vvRunObstacle(run->run, i, &values, &count), "plane") == 0 ||
            vvRunObstacleMesh(run->run, i, 4 * run->motion.diagonal + 1e-6, &mesh, NULL) != VV_OK)
            continue;
        vertices += mesh.vertexCount;
        vvMeshDestroy(&mesh);
    }
    return vertices;
}

/* The largest number among the positions: how wide the page's own array has to be. */
static int32_t range_of(const vv_report_run *run)
{
    const size_t count = (size_t)run->motion.frameCount * 3 * (size_t)run->shape.vertexCount;
    int32_t most = 0;
    for (size_t i = 0; i < count; i++)
        most = run->motion.values[i] > most ? run->motion.values[i] : most;
    return most;
}

/* Degrees above the horizon from which the film is seen at first, from where web/report/orbit.js has its eye: lower or
 * higher where obstacles would hide what moves. */
static double first_rise(const vv_report_run *run)
{
    static const double usual = 16, turn = 0.6; /* degrees; radians, FIRST in orbit.js */
    const double *up = run->stage.up, aside[3] = { fabs(up[2]) >= 0.9, 0, fabs(up[2]) < 0.9 };
    const vv_report_motion *m = &run->motion;
    double side[3], front[3], level[3], size[3], rise = usual;
    vv_cross3(up, aside, side);
    vv_unit3(side);
    vv_cross3(side, up, front);
    for (int k = 0; k < 3; k++) {
        level[k] = cos(turn) * front[k] + sin(turn) * side[k];
        size[k] = m->seenHigh[k] - m->seenLow[k];
    }
    vv_choose_elevation(&run->stage, usual, level, 2 * sqrt(vv_dot3(size, size)), &rise);
    return rise;
}

static json_t *film_of(const vv_report_run *run)
{
    const vv_report_motion *m = &run->motion;
    if (!run->drawn || m->frameCount == 0)
        return json_null();
    return json_pack("{s:o, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:o}", "times",
                     times_of(run), "vertices", run->shape.vertexCount, "triangles", run->shape.triangleCount, "edges",
                     run->shape.edgeCount, "low", vector(m->low), "step", number(m->step), "seenLow",
                     vector(m->seenLow), "seenHigh", vector(m->seenHigh), "up", vector(run->stage.up), "parts",
                     parts_of(run), "fields", fields_of(m), "planes", planes_of(run->run), "error", number(m->error),
                     "obstacleVertices", obstacle_vertices(run), "range", (int)range_of(run), "rise",
                     number(first_rise(run)));
}

json_t *vv_report_facts(const vv_report *report)
{
    json_t *runs = json_array(), *phases = json_array();
    for (int i = 0; i < VV_PHASE_COUNT; i++)
        json_array_append_new(phases, json_string(vvPhaseName((vvPhase)i)));
    for (int i = 0; i < report->count; i++) {
        const vv_report_run *run = &report->runs[i];
        json_array_append_new(runs, json_pack("{s:o, s:o, s:i, s:o}", "label", text(run->label), "file",
                                              text(run->stem), "rows", run->rowCount, "film", film_of(run)));
    }
    return json_pack("{s:i, s:i, s:o, s:o}", "report", 1, "levels", VV_REPORT_LEVELS, "phases", phases, "runs", runs);
}
