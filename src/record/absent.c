/* visviva/run.h in a build without HDF5: every function exists and says what is missing. No run can be opened or
 * written. */
#include "base/error.h"
#include "visviva/run.h"

static vvStatus absent(vvError *error)
{
    return vv_fail(error, VV_ERROR_UNSUPPORTED,
                   "run files: this build of visviva was made without HDF5 (VV_HDF5=OFF, or it was not found)");
}

/* ---- writing ---- */

vvStatus vvRunCreate(const char *path, vvWorld *world, const char *sceneName, const char *sceneText,
                     vvRunWriter **writer, vvError *error)
{
    (void)path, (void)world, (void)sceneName, (void)sceneText;
    if (writer)
        *writer = NULL;
    return absent(error);
}

vvResumeDef vvDefaultResumeDef(void) { return (vvResumeDef){ .frame = -1, .internalValue = VV_MADE_BY_DEFAULT }; }

vvStatus vvRunResume(const char *path, vvWorld *world, const vvResumeDef *def, vvRunWriter **writer, vvError *error)
{
    (void)path, (void)world, (void)def;
    if (writer)
        *writer = NULL;
    return absent(error);
}

vvStatus vvRunAddStep(vvRunWriter *writer, const vvWorld *world, const vvStepReport *report, vvError *error)
{
    (void)writer, (void)world, (void)report;
    return absent(error);
}

vvStatus vvRunAddNote(vvRunWriter *writer, const char *text, vvError *error)
{
    (void)writer, (void)text;
    return absent(error);
}

vvStatus vvRunAddFrame(vvRunWriter *writer, vvWorld *world, vvError *error)
{
    (void)writer, (void)world;
    return absent(error);
}

vvStatus vvRunReserve(vvRunWriter *writer, int64_t frames, int64_t rows, vvError *error)
{
    (void)writer, (void)frames, (void)rows;
    return absent(error);
}

vvStatus vvRunClose(vvRunWriter *writer, const char *status, vvError *error)
{
    (void)writer, (void)status;
    return absent(error);
}

/* ---- reading ---- */

vvStatus vvRunOpen(const char *path, vvRun **run, vvError *error)
{
    (void)path;
    if (run)
        *run = NULL;
    return absent(error);
}

vvStatus vvRunReadFrame(const vvRun *run, int frame, double *positions, double *velocities, vvError *error)
{
    (void)run, (void)frame, (void)positions, (void)velocities;
    return absent(error);
}

bool vvRunShowsMotion(const vvRun *run)
{
    (void)run;
    return false;
}

vvStatus vvRunReadStateVelocities(const vvRun *run, int frame, double *velocities, vvError *error)
{
    (void)run, (void)frame, (void)velocities;
    return absent(error);
}

vvStatus vvRunFindIntersections(const vvRun *run, int frame, vvRunIntersection *list, int capacity, int *count,
                                vvError *error)
{
    (void)run, (void)frame, (void)list, (void)capacity;
    if (count)
        *count = 0;
    return absent(error);
}

vvStatus vvRunLoadFrame(const vvRun *run, int frame, vvWorld *world, vvError *error)
{
    (void)run, (void)frame, (void)world;
    return absent(error);
}

vvStatus vvRunMeasureShown(const vvRun *run, int frame, vvRunShown *shown, vvError *error)
{
    (void)run, (void)frame;
    if (shown)
        *shown = (vvRunShown){ .body = -1 };
    return absent(error);
}

vvStatus vvRunFindPassing(const vvRun *run, int frame, vvRunPassing *passing, bool *found, vvError *error)
{
    (void)run, (void)frame, (void)passing;
    if (found)
        *found = false;
    return absent(error);
}

vvStatus vvRunReadRows(const vvRun *run, int first, int count, vvLedgerRow *rows, vvError *error)
{
    (void)run, (void)first, (void)count, (void)rows;
    return absent(error);
}

vvStatus vvRunReadBodyEnergies(const vvRun *run, int first, int count, double *energies, vvError *error)
{
    (void)run, (void)first, (void)count, (void)energies;
    return absent(error);
}

vvStatus vvRunReadBodyVisible(const vvRun *run, int first, int count, vvVisible *visible, vvError *error)
{
    (void)run, (void)first, (void)count, (void)visible;
    return absent(error);
}

vvStatus vvRunReadPhases(const vvRun *run, int first, int count, double *seconds, vvError *error)
{
    (void)run, (void)first, (void)count, (void)seconds;
    return absent(error);
}

void vvRunFree(vvRun *run) { (void)run; }
void vvRunCarry(const vvRun *run, int columns, double *values) { (void)run, (void)columns, (void)values; }

/* What queries of a run return: empty texts, zeros, NULL. */
#define EMPTY(type, call, value) \
    type call                    \
    {                            \
        (void)run;               \
        return value;            \
    }
#define EMPTY_AT(type, call, value) \
    type call                       \
    {                               \
        (void)run, (void)index;     \
        return value;               \
    }
EMPTY(const char *, vvRunSceneName(const vvRun *run), "")
EMPTY(const char *, vvRunSceneText(const vvRun *run), "")
EMPTY(const char *, vvRunStatusText(const vvRun *run), "")
EMPTY(const char *, vvRunScheme(const vvRun *run), "")
EMPTY(const char *, vvRunContactModel(const vvRun *run), "")
EMPTY(const char *, vvRunPolicy(const vvRun *run), "")
EMPTY(const char *, vvRunMadeBy(const vvRun *run), "")
EMPTY(const double *, vvRunRestPositions(const vvRun *run), NULL)
EMPTY(int, vvRunFrameCount(const vvRun *run), 0)
EMPTY(int, vvRunChangeCount(const vvRun *run), 0)
EMPTY(int, vvRunNoteCount(const vvRun *run), 0)
EMPTY(int, vvRunNodeCount(const vvRun *run), 0)
EMPTY(int, vvRunVertexCount(const vvRun *run), 0)
EMPTY(int, vvRunBodyCount(const vvRun *run), 0)
EMPTY(int, vvRunRowCount(const vvRun *run), 0)
EMPTY(int, vvRunObstacleCount(const vvRun *run), 0)
EMPTY(double, vvRunTimeStep(const vvRun *run), 0)
EMPTY_AT(const vvRunBody *, vvRunGetBody(const vvRun *run, int index), NULL)
EMPTY_AT(double, vvRunFrameTime(const vvRun *run, int index), 0)
EMPTY_AT(int64_t, vvRunFrameStep(const vvRun *run, int index), 0)

const char *vvRunChange(const vvRun *run, int index, int *row)
{
    (void)run, (void)index;
    if (row)
        *row = 0;
    return NULL;
}

const char *vvRunNote(const vvRun *run, int index, int *row) { return vvRunChange(run, index, row); }

vvStatus vvRunCurvature(const vvRun *run, const double *positions, double *curvature, vvError *error)
{
    (void)run, (void)positions, (void)curvature;
    return absent(error);
}

bool vvRunKnowsBending(const vvRun *run)
{
    (void)run;
    return false;
}

vvStatus vvRunBendingEnergy(const vvRun *run, const double *positions, double *triangles, double *edges, vvError *error)
{
    (void)run, (void)positions, (void)triangles, (void)edges;
    return absent(error);
}

bool vvRunGetLengths(const vvRun *run, vvRunLengths *lengths)
{
    (void)run;
    if (lengths)
        *lengths = (vvRunLengths){ 0 };
    return false;
}

bool vvRunGetStiffness(const vvRun *run, vvStiffness *stiffness)
{
    (void)run;
    if (stiffness)
        *stiffness = (vvStiffness){ .body = "" };
    return false;
}

void vvRunGravity(const vvRun *run, double gravity[3])
{
    (void)run;
    for (int k = 0; gravity && k < 3; k++)
        gravity[k] = 0;
}

const char *vvRunObstacle(const vvRun *run, int index, const double **values, int *valueCount)
{
    (void)run, (void)index;
    if (values)
        *values = NULL;
    if (valueCount)
        *valueCount = 0;
    return NULL;
}

const double *vvRunObstacleSamples(const vvRun *run, int index, int counts[3])
{
    (void)run, (void)index;
    for (int k = 0; counts && k < 2; k++)
        counts[k] = 0;
    return NULL;
}

vvStatus vvRunObstacleMesh(const vvRun *run, int index, double size, vvMesh *mesh, vvError *error)
{
    (void)run, (void)index, (void)size;
    if (mesh)
        *mesh = (vvMesh){ 0 };
    return absent(error);
}

/* ---- exporting ---- */

const vvInfo *vvExportFormatInfo(int index)
{
    (void)index;
    return NULL;
}

vvExportDef vvDefaultExportDef(void)
{
    return (vvExportDef){ .lastFrame = -1, .every = 1, .internalValue = VV_MADE_BY_DEFAULT };
}

vvStatus vvRunExport(const vvRun *run, const vvExportDef *def, const char *path, vvError *error)
{
    (void)run, (void)def, (void)path;
    return absent(error);
}
