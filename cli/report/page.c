/* The whole page: web/report/page.html with its marks filled in. */
#include "cli.h"
#include "report/report.h"
#include "report/web.h"

#include <stdlib.h>
#include <string.h>

/* ---- data ---- */

/* The parts of a run as script elements named after its number; web/report/data.js looks for them. */
static void put_motion(vv_report_buffer *out, const vv_report_run *run, int index)
{
    const vv_report_motion *m = &run->motion;
    vv_report_buffer bytes = { 0 };
    char id[32];
    vv_report_shape_pack(&run->shape, &bytes);
    snprintf(id, sizeof id, "shape-%d", index);
    vv_report_block(out, id, bytes.bytes, bytes.size, false);
    for (int i = -1; i < m->fieldCount; i++) {
        bytes.size = 0;
        const bool good = vv_report_code(&run->shape, i < 0 ? m->values : m->fields[i].values, m->frameCount,
                                         run->stride, i < 0 ? 3 : 1, &bytes);
        out->failed = out->failed || !good || bytes.failed;
        snprintf(id, sizeof id, i < 0 ? "motion-%d" : "field-%d-%d", index, i);
        vv_report_block(out, id, bytes.bytes, bytes.size, true);
    }
    vv_report_free(&bytes);
}

/* Obstacles that are no planes: one surface of all. */
static void put_obstacles(vv_report_buffer *out, const vv_report_run *run, int index)
{
    vv_report_buffer places = { 0 }, corners = { 0 };
    char id[32];
    int first = 0;
    for (int i = 0; i < vvRunObstacleCount(run->run); i++) {
        const double *values;
        int count;
        vvMesh mesh = { 0 };
        const char *type = vvRunObstacle(run->run, i, &values, &count);
        if (strcmp(type, "plane") == 0 ||
            vvRunObstacleMesh(run->run, i, 4 * run->motion.diagonal + 1e-6, &mesh, NULL) != VV_OK)
            continue;
        for (int k = 0; k < 3 * mesh.vertexCount; k++) {
            const float x = (float)mesh.positions[k];
            vv_report_put(&places, &x, sizeof x);
        }
        for (int k = 0; k < 3 * mesh.triangleCount; k++) {
            const uint32_t v = (uint32_t)(first + mesh.triangles[k]);
            vv_report_put(&corners, &v, sizeof v);
        }
        first += mesh.vertexCount;
        vvMeshDestroy(&mesh);
    }
    snprintf(id, sizeof id, "obstacles-%d", index);
    if (first > 0) {
        vv_report_put(&places, corners.bytes, corners.size);
        places.failed = places.failed || corners.failed;
        vv_report_block(out, id, places.bytes, places.size, false);
    }
    out->failed = out->failed || places.failed || corners.failed;
    vv_report_free(&places);
    vv_report_free(&corners);
}

/* Rows x phases, as 32-bit floats. */
static void put_phases(vv_report_buffer *out, const vv_report_run *run, int index)
{
    const size_t count = (size_t)(run->rowCount > 0 ? run->rowCount - 1 : 0) * VV_PHASE_COUNT;
    double *seconds = malloc((count + 1) * sizeof *seconds);
    vv_report_buffer bytes = { 0 };
    char id[32];
    if (seconds && count && vvRunReadPhases(run->run, 0, run->rowCount - 1, seconds, NULL) == VV_OK) {
        for (size_t i = 0; i < count; i++) {
            const float value = (float)seconds[i];
            vv_report_put(&bytes, &value, sizeof value);
        }
        snprintf(id, sizeof id, "phases-%d", index);
        vv_report_block(out, id, bytes.bytes, bytes.size, false);
    }
    out->failed = out->failed || !seconds || bytes.failed;
    vv_report_free(&bytes);
    free(seconds);
}

static void put_data(vv_report_buffer *out, const vv_report *report)
{
    for (int i = 0; i < report->count; i++) {
        const vv_report_run *run = &report->runs[i];
        char id[32];
        if (run->drawn)
            put_motion(out, run, i);
        if (run->drawn)
            put_obstacles(out, run, i);
        put_phases(out, run, i);
        snprintf(id, sizeof id, "ledger-%d", i);
        if (run->csv.size)
            vv_report_block(out, id, run->csv.bytes, run->csv.size, false);
    }
}

/* JSON within a script element: no "<" may stand in it. */
static void put_facts(vv_report_buffer *out, const vv_report *report)
{
    json_t *facts = vv_report_facts(report);
    char *text = facts ? json_dumps(facts, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    out->failed = out->failed || !text;
    for (const char *p = text ? text : ""; *p; p++)
        if (*p == '<')
            vv_report_raw(out, "\\u003c");
        else
            vv_report_put(out, p, 1);
    free(text);
    json_decref(facts);
}

/* ---- the marks ---- */

static void put_title(vv_report_buffer *out, const vv_report *report)
{
    vv_report_escaped(out, vvRunSceneName(report->runs[0].run));
}

static void put_style(vv_report_buffer *out, const vv_report *report)
{
    (void)report;
    vv_report_raw(out, (const char *)vv_web_style);
}

static void put_library(vv_report_buffer *out, const vv_report *report)
{
    (void)report;
    vv_report_raw(out, (const char *)vv_web_library);
}

static void put_script(vv_report_buffer *out, const vv_report *report)
{
    (void)report;
    vv_report_raw(out, (const char *)vv_web_script);
}

static void put_version(vv_report_buffer *out, const vv_report *report)
{
    (void)report;
    vv_report_escaped(out, vvVersion());
    vv_report_raw(out, " (");
    vv_report_escaped(out, vvBuildDescription());
    vv_report_raw(out, ")");
}

/* What scripts are allowed by: nothing in the page that came from elsewhere knows it, as it is made of all of that. */
static void put_nonce(vv_report_buffer *out, const vv_report *report)
{
    uint64_t hash = 14695981039346656037u;
    for (int i = 0; i < report->count; i++) {
        const vv_report_run *run = &report->runs[i];
        for (size_t k = 0; k < run->csv.size; k++)
            hash = (hash ^ run->csv.bytes[k]) * 1099511628211u;
        for (const char *p = vvRunSceneText(run->run); *p; p++)
            hash = (hash ^ (unsigned char)*p) * 1099511628211u;
    }
    vv_report_format(out, "%016llx", (unsigned long long)hash);
}

static const struct {
    const char *mark;
    void (*put)(vv_report_buffer *out, const vv_report *report);
} marks[] = {
    { "@@title@@", put_title },           { "@@style@@", put_style },       { "@@library@@", put_library },
    { "@@script@@", put_script },         { "@@nonce@@", put_nonce },       { "@@version@@", put_version },
    { "@@heading@@", vv_report_heading }, { "@@alarm@@", vv_report_alarm }, { "@@text@@", vv_report_text },
    { "@@facts@@", put_facts },           { "@@data@@", put_data },
};

void vv_report_page(vv_report_buffer *out, const vv_report *report)
{
    const char *at = (const char *)vv_web_page;
    for (const char *mark; (mark = strstr(at, "@@"));) {
        vv_report_put(out, at, (size_t)(mark - at));
        at = mark + 2;
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
            if (strncmp(mark, marks[i].mark, strlen(marks[i].mark)) == 0) {
                marks[i].put(out, report);
                at = mark + strlen(marks[i].mark);
            }
    }
    vv_report_raw(out, at);
}
