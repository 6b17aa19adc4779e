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
from ._errors import (
    Cancelled as Cancelled, Error as Error, FileError as FileError, InputError as InputError,
    OutOfMemory as OutOfMemory, SolverError as SolverError, Unsupported as Unsupported, UsageError as UsageError
)
from ._version import __version__ as __version__, build_description as build_description, version as version
from .batch import Batch as Batch, Gathered as Gathered
from .handles import Attachment as Attachment, Body as Body, Drag as Drag, Joint as Joint, Obstacle as Obstacle
from .mesh import Mesh as Mesh, element_strain as element_strain
from .modes import Modes as Modes
from .pictures import plot_ledger as plot_ledger, program as program, render as render
from .record import Recorder as Recorder
from .run import Run as Run, RunBody as RunBody, dataframe as dataframe
from .scene import Scene as Scene
from .tables import (
    accelerations as accelerations, field as field, fields as fields, force_terms as force_terms, check_scheme as check_scheme, contact_model as contact_model,
    contact_models as contact_models, contact_needs as contact_needs, export_formats as export_formats,
    fallbacks as fallbacks, generators as generators, initial_states as initial_states, joints as joints,
    line_searches as line_searches, linear_solvers as linear_solvers, materials as materials,
    mesh_formats as mesh_formats, nearest_word as nearest_word, obstacles as obstacles, parameters as parameters,
    policies as policies, potentials as potentials, ledger_columns as ledger_columns, scene_keys as scene_keys,
    scheme_end_forces as scheme_end_forces, schemes as schemes, solver_budget as solver_budget, solvers as solvers
)
from .things import (
    Drawing as Drawing, Material as Material, Snapshot as Snapshot, box as box, half_space as half_space,
    percent as percent, sphere as sphere
)
from .state import LEDGER as LEDGER
from .world import World as World, phases as phases

__all__ = [name for name, thing in list(globals().items())
           if name == "__version__" or not name.startswith("_") and not isinstance(thing, type(_callbacks)) and name != "annotations"]
