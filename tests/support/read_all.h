/* Reads all of a run there is by the C API: each call gives data or a message, and no message has the secret in it. */
#ifndef READ_ALL_H
#define READ_ALL_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "visviva/visviva.h"

static const char word[] = "SECRET-CONTENT";

static bool told(vvStatus status, const vvError *error)
{
    return status == VV_OK || (error->message[0] && !strstr(error->message, word));
}

static bool read_frames(const vvRun *run)
{
    vvError error = { 0 };
    size_t vertices = (size_t)vvRunVertexCount(run);
    double *x = calloc(3 * vertices, 8), *v = calloc(3 * vertices, 8);
    int triangles = 0, edges = 0, found;
    bool ok = true;
    for (int b = 0; b < vvRunBodyCount(run); b++)
        triangles += vvRunGetBody(run, b)->triangleCount, edges += vvRunGetBody(run, b)->edgeCount;
    double *of_triangles = calloc((size_t)triangles + 1, 8), *of_edges = calloc((size_t)edges + 1, 8);
    for (int f = 0; x && v && f < vvRunFrameCount(run) && f < 20; f++) {
        ok = told(vvRunReadFrame(run, f, x, v, &error), &error) &&
             told(vvRunReadStateVelocities(run, f, v, &error), &error) &&
             told(vvRunCurvature(run, x, v, &error), &error) &&
             told(vvRunBendingEnergy(run, x, of_triangles, of_edges, &error), &error) &&
             told(vvRunFindIntersections(run, f, NULL, 0, &found, &error), &error) && ok;
        vvRunCarry(run, 3, x);
    }
    free(x), free(v), free(of_triangles), free(of_edges);
    return ok;
}

static bool read_rows(const vvRun *run)
{
    vvError error = { 0 };
    vvLedgerRow row;
    double phases[VV_PHASE_COUNT], *energies = calloc((size_t)vvRunBodyCount(run), 8);
    vvVisible *visible = calloc((size_t)vvRunBodyCount(run), sizeof *visible);
    bool ok = true;
    for (int r = 0; r < vvRunRowCount(run) && r < 20; r++)
        ok = told(vvRunReadRows(run, r, 1, &row, &error), &error) &&
             told(vvRunReadBodyEnergies(run, r, 1, energies, &error), &error) &&
             told(vvRunReadBodyVisible(run, r, 1, visible, &error), &error) &&
             (r == 0 || told(vvRunReadPhases(run, r - 1, 1, phases, &error), &error)) && ok;
    for (int i = 0; i < vvRunChangeCount(run); i++)
        ok = vvRunChange(run, i, NULL) && ok;
    for (int i = 0; i < vvRunNoteCount(run); i++)
        ok = vvRunNote(run, i, NULL) && ok;
    for (int o = 0; o < vvRunObstacleCount(run); o++) {
        vvMesh mesh = { 0 };
        ok = told(vvRunObstacleMesh(run, o, 1, &mesh, &error), &error) && ok;
        vvMeshDestroy(&mesh);
    }
    free(energies), free(visible);
    return ok;
}

static bool export_all(const vvRun *run, const char *to)
{
    bool ok = true;
    for (int i = 0; vvExportFormatInfo(i); i++) {
        vvError error = { 0 };
        vvExportDef def = vvDefaultExportDef();
        def.format = vvExportFormatInfo(i)->name, def.lastFrame = 1;
        ok = told(vvRunExport(run, &def, to, &error), &error) && ok;
    }
    return ok;
}

#endif
