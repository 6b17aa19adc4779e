#!/usr/bin/env python3
"""Writes a C header that can call every public function, with any of its pointers NULL.

    api_calls.py OUTPUT.h HEADER.h...

Each function becomes a row of `api_calls` (tests/support/api_fixture.h says what is in it). What is passed comes from the fixture; a
parameter that the table below does not know is an error, so that no new function is forgotten.
"""
import pathlib
import re
import sys

# What a parameter gets: by function and name, or by type and name, or by type.
VALUES = {
    "vvWorld *": "f->world", "const vvWorld *": "f->world", "vvWorld **": "&f->made",
    "const vvWorldDef *": "&f->world_def", "vvError *": "&f->error",
    "vvBodyId": "f->body", "vvWorldSetFriction.b": "f->other_body", "vvBodyId *": "f->bodies",
    "vvObstacleId": "f->obstacle", "vvObstacleId *": "&f->obstacle_out",
    "vvAttachId": "f->attach", "vvAttachId *": "&f->attach_out", "vvDragId": "f->drag", "vvDragId *": "&f->drag_out",
    "vvJointId": "f->joint", "vvJointId *": "f->joints_out", "const vvJointDef *": "&f->joint_def", "vvJointState *": "&f->joint_state",
    "double speed": "10", "double force": "1",
    "const vvBodyDef *": "&f->body_def", "const vvAttachDef *": "&f->attach_def", "const vvObstacleDef *": "&f->obstacle_def",
    "const vvDragDef *": "&f->drag_def", "const vvRay *": "&f->ray", "const vvOverlap *": "&f->shape",
    "const vvResumeDef *": "&f->resume_def", "const vvFillDef *": "&f->fill_def", "const vvExportDef *": "&f->export_def", "const vvRegion *": "&f->region", "vvRegion *": "&f->region_out", "vvRegionOfGroup.name": "\"part\"", "vvRegionOfGroup.mesh": "&f->grouped", "vvMeshFindGroup.mesh": "&f->grouped", "vvMeshFindGroup.name": "\"part\"", "vvMeshTetRegions.mesh": "&f->regioned", "vvMeshTetRegions.names": "f->group_names", "vvMeshTetRegions.regionOf": "f->regions",
    "const vvFilter *": "&f->filter", "const vvAllocator *": "&f->allocator", "const vvHost *": "&f->host",
    "const double * gravity": "f->gravity", "double timeStep": "0.008", "double friction": "0.25", "const vvIntegratorDef *": "&f->world_def.integrator",
    "const vvSolverDef *": "&f->world_def.solver", "const vvContactDef *": "&f->world_def.contact",
    "const vvMaterialDef *": "&f->body_def.material", "vvMaterialDef *": "&f->material_out", "vvBodyMeasures *": "&f->measures", "vvTransform *": "&f->transform", "uint32_t": "1", "vvSettingChange *": "&f->setting",
    "const vvDraw *": "&f->draw", "void * userData": "f", "const vvDampingDef *": "&f->body_def.material.damping",
    "const vvParam *": "vvObstacleInfo(0)->params",
    "const vvMesh *": "&f->mesh", "const vvMesh * surface": "&f->skin", "const vvMesh * original": "&f->skin", "vvMesh *": "&f->mesh_out",
    "vvMeshFinish.mesh": "&f->mesh", "vvMeshRaise.mesh": "&f->mesh", "vvMeshRaiseOnto.mesh": "&f->mesh", "vvRaiseNotes *": "&f->raised", "vvMeshDestroy.mesh": "&f->mesh",
    "vvMeshCloseHoles.mesh": "&f->shell", "vvFillNotes *": "&f->filled", "vvDistanceGrid *": "&f->grid", "vvSparse *": "&f->sparse", "double spacing": "0.02", "double margin": "0.05", "vvHoleNotes *": "&f->holes", "const vvWatch *": "&f->watch",
    "vvMeshNotes *": "&f->notes", "vvMeshQuality *": "&f->quality", "vvEmbedNotes *": "&f->embed",
    "vvSurfaceCheck *": "&f->check", "vvSchemeCheck *": "&f->scheme_check",
    "const vvScene *": "f->scene", "vvScene *": "f->scene", "vvScene **": "&f->scene_out",
    "const vvSnapshot *": "f->snapshot", "vvSnapshot *": "f->snapshot", "vvSnapshot **": "&f->snapshot_out",
    "const vvModes *": "f->modes", "vvModes *": "f->modes", "vvModes **": "&f->modes_out", "vvModesEnd": "VV_MODES_LOWEST",
    "vvRun *": "f->run", "const vvRun *": "f->run", "vvRun **": "&f->run_out",
    "vvBatch *": "f->batch", "const vvBatch *": "f->batch", "vvBatch **": "&f->batch_out", "const vvBatchDef *": "&f->batch_def",
    "vvRunWriter *": "f->writer", "vvRunWriter **": "&f->writer_out",
    "vvStepReport *": "&f->report", "const vvStepReport *": "&f->report",
    "vvLedgerRow *": "&f->row", "const vvLedgerRow *": "&f->row", "vvLedgerTotals *": "&f->totals", "vvBottleneck *": "&f->bottleneck", "vvRunLengths *": "&f->run_lengths", "vvBodyBending *": "&f->bending", "vvRestAngle *": "f->rest_angles", "vvStiffness *": "&f->stiffness", "vvStartGap *": "&f->start_gap", "vvInverted *": "&f->inverted", "vvVisible *": "f->visible",
    "vvContactEvents *": "&f->events", "const vvContactPoint **": "&f->points", "vvContactPoint *": "f->points_out",
    "vvIntersection *": "f->intersections", "vvRunIntersection *": "f->run_intersections", "vvRunShown *": "&f->run_shown", "vvRunPassing *": "&f->run_passing", "vvRunFindPassing.frame": "1",
    "vvRayHit *": "&f->hit", "const vvRayHit *": "&f->hit", "bool *": "&f->found", "vvBodyElements *": "&f->elements", "vvBodySurface *": "&f->surface",
    "int *": "f->ints", "int * count": "&f->count", "int * firstNode": "&f->first", "int * valueCount": "&f->count",
    "const int *": "f->nodes", "double *": "f->room", "vvMeshEmbed.weights": "f->weights", "double * energy": "&f->energy",
    "vvMeshGenerate.settings": "&f->radius", "vvMeshGenerateOrder2.settings": "&f->radius", "vvBodySetInitialState.settings": "&f->velocity", "int settingCount": "1", "double size": "1", "vvWorldAdvance.steps": "&f->count", "vvWorldAdvance.fraction": "f->room", "int most": "2", "double **": "&f->in_place", "const double **": "&f->values", "const double * values": "NULL",
    "const double *": "f->zeros", "const double * positions": "f->state", "const double * velocities": "f->zeros",
    "vvBodySetState.positions": "f->body_state", "vvAttachMoveTo.positions": "f->attach_state",
    "const double * from": "f->state", "const double * nodePositions": "f->state",
    "double fraction": "0.5", "double mu": "0.5", "double seconds": "0.01", "double edge": "0.05",
    "const char * generator": "\"ball\"", "const char * field": "\"stress\"", "const char * term": "\"elastic\"", "const char * model": "\"affine\"", "const char * format": "\"obj\"", "const char * name": "\"point\"", "const char * method": "\"lbfgs\"", "const char * scheme": "\"bdf2\"",
    "const char * folder": "\".\"", "const char * state": "\"linear\"", "const char * sceneName": "\"name\"",
    "const char * wrong": "\"bal\"", "double width": "0.01",
    "const char * sceneText": "\"{}\"", "const char * status": "\"done\"", "const char * text": "f->text",
    "const char *const *": "f->names", "const char *const * overrides": "f->overrides", "char *": "f->path",
    "vvMeshRead.path": "f->mesh_file", "vvMeshReadOrder2.path": "f->mesh_file", "vvMeshWrite.path": "f->mesh_file_out", "vvRunCreate.path": "f->run_file_out",
    "vvRunResume.path": "f->run_file_resumed", "vvRunOpen.path": "f->run_file", "vvRunExport.path": "f->export_file",
    "vvSceneLoad.path": "f->scene_file", "vvSceneWriteExtract.path": "f->scene_file_out", "vvSceneWriteState.path": "f->scene_file_out",
    "const void *": "f->saved", "void *": "f->saved", "vvWorldSetCancel.user": "f", "vvSetThreadCancel.user": "f",
    "size_t size": "f->saved_size", "vvSceneBodyPath.size": "sizeof f->path", "vvSceneObstaclePath.size": "sizeof f->path",
    "bool": "true", "int": "0", "int count": "1", "int capacity": "4", "vvBodyField.capacity": "6000", "int threads": "1", "int columns": "3", "int frame": "0",
    "int64_t": "8", "vvStatus": "VV_OK", "vvPhase": "VV_PHASE_LINEAR", "bool (*cancel)(void *user)": "f->cancel",
    "vvSettingFunction *": "f->tell", "vvWorldEachSetting.user": "f", "vvBodyEachSetting.user": "f",
}

# Pointers that may be NULL, beside every error.
OPTIONAL = """
    vvSetThreadAllocator.allocator vvWorldAddBody.body vvWorldAddObstacle.obstacle vvBodyAttach.attach vvWorldAddJoint.joint vvWorldBrokenJoints.joints vvMeshRead.notes
    vvMeshFinish.notes vvMeshEmbed.notes vvMeshCloseHoles.notes vvMeshFillWith.def vvMeshFillWith.notes vvMeshWrite.format vvMeshGenerateOrder2.notes vvMeshRaiseOnto.notes vvMeshReadOrder2.notes
    vvWorldOverlapNodes.nodes vvWorldOverlapBodies.bodies vvRunCreate.sceneName vvRunCreate.sceneText vvRunResume.def
    vvRunAddStep.report vvRunClose.status vvRunClose.writer vvSceneParse.name vvSceneParse.folder vvSceneCreateHostedWorld.host
    vvWorldAdvance.steps vvWorldAdvance.fraction vvWorldSettle.energy vvWorldStep.report vvWorldSetState.positions vvWorldSetState.velocities vvBodySetState.positions
    vvBodySetState.velocities vvWorldBeginEdit.positions vvWorldBeginEdit.velocities vvWorldMeasureVisible.whole
    vvWorldMeasureVisible.bodies vvBodySetUserData.userData vvObstacleSetUserData.userData vvAttachSetUserData.userData vvJointSetUserData.userData vvDragAtHit.hit vvBodySurfacePositions.nodePositions vvBodyTransform.nodePositions vvRunReadFrame.positions vvRunReadFrame.velocities
    vvBodyField.values vvBodyField.count vvAttachReaction.force vvAttachReaction.moment
    vvRunBendingEnergy.triangles vvRunBendingEnergy.edges vvWorldEachSetting.user vvBodyEachSetting.user
""".split()

# The object without which a getter returns nothing: the first parameter, if it is a pointer to one of these.
OBJECTS = ("vvWorld", "vvRun", "vvScene", "vvSnapshot", "vvModes", "vvBatch")


def declarations(headers):
    for header in headers:
        text = re.sub(r"/\*.*?\*/", "", pathlib.Path(header).read_text(), flags=re.S)
        text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
        for found in re.finditer(r"\bVV_API\s+([^;]*);", text):
            line = " ".join(found[1].split())
            parts = re.match(r"(.*?[ *])(vv\w+)\((.*)\)$", line)
            yield parts[1].strip(), parts[2], split(parts[3])


def split(parameters):
    depth, parts = 0, [""]
    for c in parameters:
        depth += {"(": 1, ")": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts if p.strip() != "void"]


def parameter(function, text):
    """The type, the name, what is passed, and whether that is a pointer."""
    if "(*" in text:
        return text, "cancel", VALUES[text], True
    kind, name, array = re.match(r"(.*?[ *]+)(\w+)(\[\d+\])?$", text).groups()
    kind = kind.strip() + (" *" if array else "")
    for key in (f"{function}.{name}", f"{kind} {name}", kind):
        if key in VALUES:
            return kind, name, VALUES[key], kind.endswith("*")
    sys.exit(f"api_calls.py: {function}: no value for \"{kind} {name}\"; add one to VALUES, and to OPTIONAL if it may be NULL")


def neutral(kind):
    if kind == "const char *":
        return "!r || !*r"
    if kind.endswith("*"):
        return "!r"
    if kind == "double":
        return "r == 0 || isnan(r)"
    if kind in ("int", "bool", "double", "int64_t", "uint32_t", "uint64_t", "size_t", "vvStatus"):
        return "r == 0"
    return "is_zero(&r, sizeof r)"


def write(function, returns, parameters, out):
    known = [parameter(function, p) for p in parameters]
    arguments, pointers, bit = [], [], 1
    for kind, name, value, pointer in known:
        if not pointer or value == "NULL":
            arguments.append(value)
            continue
        arguments.append(f"null & {bit}u ? NULL : {value}")
        pointers.append((kind, name))
        bit *= 2
    call = f"{function}({', '.join(arguments)})"
    out.append(f"static void call_{function}(api_fixture *f, unsigned null, api_outcome *out)\n{{")
    out.append("    (void)f, (void)null, (void)out;")
    if returns == "void":
        out.append(f"    {call};")
    elif returns == "vvStatus":
        out.append(f"    out->status = {call};")
    else:
        out.append(f"    {returns}{'' if returns.endswith('*') else ' '}r = {call};")
        out.append(f"    out->neutral = {neutral(returns)};")
    out.append("}\n")
    required = sum(1 << i for i, (_, name) in enumerate(pointers) if name != "error" and f"{function}.{name}" not in OPTIONAL)
    first = pointers and pointers[0][0].replace("const ", "").rstrip(" *") in OBJECTS and pointers[0][0].count("*") == 1
    world = sum(1 << i for i, (kind, _) in enumerate(pointers) if kind in ("vvWorld *", "const vvWorld *"))
    kind = {"void": "API_VOID", "vvStatus": "API_STATUS"}.get(returns, "API_VALUE")
    names = ", ".join(f'"{name}"' for _, name in pointers)
    return (f'    {{ "{function}", call_{function}, {kind}, {len(pointers)}, {required}u, {int(bool(first))}u, {world}u, '
            f'{{ {names or "NULL"} }} }},')


def main():
    output, *headers = sys.argv[1:]
    out = ["/* Made by tests/scripts/api_calls.py from the public headers. */"]
    rows = [write(name, returns, parameters, out) for returns, name, parameters in declarations(headers)]
    out += ["static const api_call api_calls[] = {", *rows, "};", "enum { API_CALLS = sizeof api_calls / sizeof *api_calls };", ""]
    pathlib.Path(output).write_text("\n".join(out))


if __name__ == "__main__":
    main()
