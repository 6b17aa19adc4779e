"""Reads with VTK what test_record_vtk wrote, and compares it with the numbers written beside it.

usage: check_run_vtk.py FOLDER        (exit code 77: nothing here can read it; 0: equal; 1: not)

FOLDER holds run.vtkhdf, run.xdmf, export.pvd with its frames, and expected.txt:
nodes, cells, frames; then for each frame its time and 6 numbers a node (position, velocity); then VTK type and body of each
cell. Numbers are hexadecimal floats: equal means equal to the last bit.
"""
import os
import sys
import xml.etree.ElementTree

try:
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader
except ImportError:
    print("skipped: no VTK for this Python (Debian: python3-vtk9)")
    sys.exit(77)


def read_expected(path):
    words = iter(open(path).read().split())
    nodes, cells, frames = (int(next(words)) for _ in range(3))
    times, values = [], []
    for _ in range(frames):
        times.append(float.fromhex(next(words)))
        values.append([[float.fromhex(next(words)) for _ in range(6)] for _ in range(nodes)])
    kinds = [(int(next(words)), int(next(words))) for _ in range(cells)]
    return times, values, kinds


def fail(message):
    print("WRONG:", message)
    sys.exit(1)


def compare(what, grid, frame, values, kinds, other_types=None):
    if grid is None or grid.GetNumberOfPoints() != len(values) or grid.GetNumberOfCells() != len(kinds):
        fail("%s, frame %d: sizes differ" % (what, frame))
    velocity = grid.GetPointData().GetArray("velocity")
    body = grid.GetCellData().GetArray("body")
    if velocity is None or body is None:
        fail("%s, frame %d: no velocity or no body" % (what, frame))
    for i, row in enumerate(values):
        if list(grid.GetPoint(i)) + list(velocity.GetTuple3(i)) != row:
            fail("%s, frame %d: node %d differs" % (what, frame, i))
    for i, (kind, number) in enumerate(kinds):
        found = grid.GetCellType(i)
        if (found != kind and (other_types or {}).get(kind) != found) or body.GetTuple1(i) != number:
            fail("%s, frame %d: cell %d differs" % (what, frame, i))


def check_pvd(folder, times, values, kinds):
    sets = xml.etree.ElementTree.parse(os.path.join(folder, "export.pvd")).getroot().findall("./Collection/DataSet")
    if [float(s.get("timestep")) for s in sets] != times:
        fail("export.pvd: times differ")
    for frame, s in enumerate(sets):
        reader = vtkXMLUnstructuredGridReader()
        reader.SetFileName(os.path.join(folder, s.get("file")))
        reader.Update()
        compare("VTU", reader.GetOutput(), frame, values[frame], kinds)
    print("PVD and VTU: %d frames equal" % len(sets))


def check_vtkhdf(folder, times, values, kinds):
    try:
        from vtkmodules.vtkIOHDF import vtkHDFReader
    except ImportError:
        print("skipped: this VTK does not read VTKHDF")
        return
    reader = vtkHDFReader()
    path = os.path.join(folder, "run.vtkhdf")
    if not reader.CanReadFile(path):
        fail("VTKHDF: VTK does not take run.vtkhdf for its own")
    reader.SetFileName(path)
    steps = range(1)  # VTK before 9.3 reads the first frame of a temporal file
    if hasattr(reader, "SetStep"):
        reader.UpdateInformation()
        steps = range(reader.GetNumberOfSteps())
        if len(steps) != len(times):
            fail("VTKHDF: %d steps instead of %d" % (len(steps), len(times)))
    for frame in steps:
        if hasattr(reader, "SetStep"):
            reader.SetStep(frame)
        reader.Update()
        compare("VTKHDF", reader.GetOutputDataObject(0), frame, values[frame], kinds)
    print("VTKHDF: %d frames equal" % len(steps))


def check_xdmf(folder, times, values, kinds):
    try:
        from vtkmodules.vtkIOXdmf2 import vtkXdmfReader
    except ImportError:
        print("skipped: this VTK does not read XDMF (ParaView's does; Debian: python3-paraview)")
        return
    from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
    reader = vtkXdmfReader()
    reader.SetFileName(os.path.join(folder, "run.xdmf"))
    reader.UpdateInformation()
    found = reader.GetOutputInformation(0).Get(vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    if list(found or []) != times:
        fail("XDMF: times differ")
    poly = {1: 2, 3: 4}  # XDMF has polylines and polyvertices only
    for frame, time in enumerate(times):
        reader.UpdateTimeStep(time)
        compare("XDMF", reader.GetOutputDataObject(0), frame, values[frame], kinds, poly)
    print("XDMF: %d frames equal" % len(times))


folder = sys.argv[1]
times, values, kinds = read_expected(os.path.join(folder, "expected.txt"))
check_pvd(folder, times, values, kinds)
check_vtkhdf(folder, times, values, kinds)
check_xdmf(folder, times, values, kinds)
