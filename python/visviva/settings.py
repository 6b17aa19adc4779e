"""What is changed of a world while it runs."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._calls import Calls
from ._doc import bound
from ._generated import WorldDef
from ._keywords import Vector
from ._struct import Floats, fill, members_of, name_of, record, text, vector
from ._turn import in_turn
from ._values import number, whole
from ._vv import ffi, lib



class Settings(Calls):
    """Settings that may be changed between steps."""

    @property
    @in_turn
    def definition(self) -> WorldDef:
        """What it is made with, as in use (vvWorldGetDef)."""
        return record(self._read(lib.vvWorldGetDef))  # type: ignore[no-any-return]

    @bound("vvWorldEachSetting")
    def settings(self) -> dict[str, Any]:
        """Every setting as it is in effect, by the keys of scene files."""
        return self._settings(lib.vvWorldEachSetting)

    @property
    def settings_revision(self) -> int:
        """Goes up with every change of a setting (vvWorldSettingsRevision)."""
        return int(self._read(lib.vvWorldSettingsRevision))

    @bound("vvWorldSettingChange")
    @in_turn
    def setting_change(self, revision: int) -> tuple[int, str] | None:
        """The change that made the revision what it is: after how many steps, and what; None: it is not kept."""
        out = ffi.new("vvSettingChange *")
        if not self._read(lib.vvWorldSettingChange, whole(revision, "revision", "uint32_t"), out):
            return None
        return int(out.step), text(out.text)

    @property
    @in_turn
    def gravity(self) -> Floats:
        """m/s^2 (vvWorldSetGravity)."""
        return np.array(list(self._read(lib.vvWorldGetDef).gravity))

    @gravity.setter
    @bound("vvWorldSetGravity")
    def gravity(self, value: Vector) -> None:
        self._call(lib.vvWorldSetGravity, vector(value, "gravity"))

    @property
    def time_step(self) -> float:
        """s (vvWorldSetTimeStep)."""
        return float(self._read(lib.vvWorldGetDef).timeStep)

    @time_step.setter
    @bound("vvWorldSetTimeStep")
    def time_step(self, value: float) -> None:
        self._call(lib.vvWorldSetTimeStep, number(value, "time_step"))

    @property
    def threads(self) -> int:
        """0: as many as there are cores (vvWorldSetThreads)."""
        return int(self._read(lib.vvWorldGetDef).threads)

    @threads.setter
    @bound("vvWorldSetThreads")
    def threads(self, value: int) -> None:
        self._call(lib.vvWorldSetThreads, whole(value, "threads"))

    @in_turn
    def _part(self, name: str, values: dict[str, Any], setter: Any) -> None:
        """A part of the definition in use, with some of it changed."""
        ctype = name_of(members_of("vvWorldDef")[name])
        part, keep = ffi.new(f"{ctype} *", getattr(self._read(lib.vvWorldGetDef), name)), []  # type: ignore[var-annotated]
        fill(part, values, keep, name)
        self._call(setter, part)

    @bound("vvWorldSetIntegrator")
    def _set_integrator(self, values: dict[str, Any]) -> None:
        self._part("integrator", values, lib.vvWorldSetIntegrator)

    @bound("vvWorldSetSolver")
    def _set_solver(self, values: dict[str, Any]) -> None:
        self._part("solver", values, lib.vvWorldSetSolver)

    @bound("vvWorldSetContact")
    def _set_contact(self, values: dict[str, Any]) -> None:
        self._part("contact", values, lib.vvWorldSetContact)
