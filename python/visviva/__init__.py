"""visviva: soft bodies in motion, with the energy under control.

    import visviva as vv

    w = vv.World(time_step=1/120, policy="filtered-search")
    w.add_obstacle("plane", friction=0.3)
    w.add_body(vv.Mesh.generate("ball"), vv.Material("neo-hookean", young=3e4), translate=(0, 0.2, 0))
    ledger = w.run(240)
    print(ledger["error"].sum())

SI units: metres, kilograms, seconds, joules, pascals; angles in degrees. docs/python.md has whole jobs.
"""
from __future__ import annotations

from . import _callbacks  # noqa: F401  (the functions that C calls)
from ._errors import (Cancelled, Error, FileError, InputError, OutOfMemory, SolverError, Unsupported, UsageError)
from ._version import __version__, build_description, version
from .batch import Batch, Gathered
from .handles import Attachment, Body, Drag, Joint, Obstacle
from .mesh import Mesh, element_strain
from .modes import Modes
from .pictures import plot_ledger, program, render
from .record import Recorder
from .run import Run, RunBody, dataframe
from .scene import Scene
from .tables import (accelerations, check_scheme, contact_model, contact_models, contact_needs, export_formats, fallbacks,
                     generators, initial_states, joints, line_searches, linear_solvers, materials, mesh_formats,
                     nearest_word, obstacles, parameters, policies, potentials, scene_keys, scheme_end_forces, schemes,
                     solver_budget, solvers)
from .things import Drawing, Material, Snapshot, box, half_space, percent, sphere
from .state import LEDGER
from .world import World, phases

__all__ = [name for name in dir() if not name.startswith("_")] + ["__version__"]
