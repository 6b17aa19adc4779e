"""What there is to choose from: schemes, policies, solvers, materials, generators, obstacles, ..., each with a summary,
and the parameters of those that have some."""
from __future__ import annotations

from typing import Any, Callable, Iterator, Mapping, NamedTuple

import numpy as np

from ._doc import bound
from ._errors import InputError, check
from ._generated import Field, SchemeCheck
from ._keywords import nearest, unknown_keyword
from ._struct import dtype, floats, new_error, record, text, values_of
from ._values import short, word
from ._vv import ffi, lib


class Parameter(NamedTuple):
    """A named parameter: what it is, its unit, how many numbers, its default, its range or the words it may be."""

    name: str
    summary: str
    unit: str
    size: int
    default: Any
    min: float
    max: float
    choices: dict[str, str]


def _rows(function: Callable[[int], Any]) -> Iterator[Any]:
    index = 0
    while True:
        row = function(index)
        if not row:
            return
        yield row
        index += 1


def _names(function: Callable[[int], Any]) -> dict[str, str]:
    return {text(row.name): text(row.summary) for row in _rows(function)}


def _typed(function: Callable[[int], Any]) -> dict[str, str]:
    return {text(row.info.name): text(row.info.summary) for row in _rows(function)}


schemes = _names(lib.vvSchemeInfo)
policies = _names(lib.vvPolicyInfo)
solvers = _names(lib.vvSolverInfo)
fallbacks = _names(lib.vvSolverFallbackInfo)
accelerations = _names(lib.vvAccelerationInfo)
linear_solvers = _names(lib.vvLinearSolverInfo)
line_searches = _names(lib.vvLineSearchInfo)
materials = _names(lib.vvMaterialInfo)
contact_models = _names(lib.vvContactModelInfo)
contact_needs = _names(lib.vvContactNeedInfo)
joints = _names(lib.vvJointKindInfo)
fields = _typed(lib.vvFieldInfo)
force_terms = _names(lib.vvForceTermInfo)
generators = _typed(lib.vvMeshGeneratorInfo)
mesh_formats = _names(lib.vvMeshFormatInfo)
export_formats = _names(lib.vvExportFormatInfo)
obstacles = _typed(lib.vvObstacleInfo)
potentials = _typed(lib.vvPotentialInfo)
initial_states = _typed(lib.vvInitialStateInfo)


def _place(kind: str, name: str, known: Mapping[str, str]) -> int:
    """Of a name in its table."""
    word(name, kind)
    if name not in known:
        raise InputError(f"there is no {kind} '{name}'{nearest(name, list(known))}; there are: {', '.join(known)}")
    return list(known).index(name)


_TYPED = {"generator": lib.vvMeshGeneratorInfo, "obstacle": lib.vvObstacleInfo, "potential": lib.vvPotentialInfo,
          "initial state": lib.vvInitialStateInfo}
_LISTED = {"scheme": (lib.vvSchemeInfo, lib.vvSchemeParams), "policy": (lib.vvPolicyInfo, lib.vvPolicyParams)}


def _raw(kind: str, name: str) -> list[Any]:
    """The vvParam rows of a thing."""
    word(kind, "kind"), word(name, kind)
    if kind in _LISTED:
        info, params = _LISTED[kind]
        for index, row in enumerate(_rows(info)):
            if text(row.name) == name:
                count = ffi.new("int *")
                first = params(index, count)
                return [first + i for i in range(count[0])]
        known = list(_names(info))
    elif kind in _TYPED:
        for row in _rows(_TYPED[kind]):
            if text(row.info.name) == name:
                return [row.params + i for i in range(row.paramCount)]
        known = list(_typed(_TYPED[kind]))
    else:
        raise InputError(f"there is no kind '{kind}'; there are: {', '.join([*_TYPED, *_LISTED])}")
    raise InputError(f"there is no {kind} '{name}'{nearest(name, known)}; there are: {', '.join(known)}")


@bound("vvSchemeParams", "vvPolicyParams", "vvMeshGeneratorInfo", "vvObstacleInfo", "vvPotentialInfo",
       "vvInitialStateInfo")
def parameters(kind: str, name: str) -> dict[str, Parameter]:
    """The parameters of a "generator", an "obstacle", a "potential", an "initial state", a "scheme" or a "policy"."""
    out = {}
    for row in _raw(kind, name):
        fallback = [row.fallback[i] for i in range(row.size)]
        choices = {text(row.choices[i].name): text(row.choices[i].summary) for i in range(row.choiceCount)}
        default: Any = fallback[0] if row.size == 1 else tuple(fallback)
        if choices:
            default = list(choices)[int(fallback[0])]
        out[text(row.name)] = Parameter(text(row.name), text(row.summary), text(row.unit), row.size, default, row.min,
                                        row.max, choices)
    return out


@bound("vvFieldInfo")
def field(name: str) -> Field:
    """What a field is: its unit, how many components, and where its values are."""
    return record(lib.vvFieldInfo(_place("field", name, fields)))  # type: ignore[no-any-return]


@bound("vvParamChoice")
def parameter_settings(kind: str, name: str, values: Mapping[str, Any]) -> Any:
    """Parameters of a thing by keyword as C takes them; a single number stands for each of several."""
    rows = {text(row.name): row for row in _raw(kind, name)}
    for key in values:
        if key not in rows:
            raise unknown_keyword(f"{kind} '{name}'", key, list(rows))
    out = ffi.new("vvSetting[]", len(values))
    for setting, (key, value) in zip(out, values.items()):
        setting.name = rows[key].name  # the library's own table
        for i, x in enumerate(_numbers(rows[key], value, f"{name}.{key}")):
            setting.value[i] = x
    return out


def _numbers(row: Any, value: Any, where: str) -> list[float]:
    if row.choiceCount and isinstance(value, str):
        at: float = lib.vvParamChoice(row, word(value, where))
        if at < 0:
            words = [text(row.choices[i].name) for i in range(row.choiceCount)]
            raise InputError(f"{where}: {value!r} is not known{nearest(value, words)}; there are: {', '.join(words)}")
        return [at]
    numbers = floats(value, None, where)
    if np.ndim(value) and numbers.shape != (row.size,):
        raise ValueError(f"{where}: {row.size} numbers are needed, not {numbers.size}")
    return [float(x) for x in np.broadcast_to(numbers, (row.size,))]


@bound("vvSchemeSelfCheck")
def check_scheme(name: str) -> SchemeCheck:
    """What a scheme declares of its order and stability, and what is measured of it on a linear oscillator."""
    result, error = ffi.new("vvSchemeCheck *"), new_error()
    check(lib.vvSchemeSelfCheck(_place("scheme", name, schemes), result, error), error)
    return record(result)  # type: ignore[no-any-return]


@bound("vvSchemeEndForces")
def scheme_end_forces(name: str) -> bool:
    """Whether the forces of a scheme's steps are those at their ends alone."""
    _place("scheme", name, schemes)
    return bool(lib.vvSchemeEndForces(name.encode()))


@bound("vvContactModelFind", "vvContactNeedInfo")
def contact_model(name: str) -> dict[str, Any]:
    """How obstacles and bodies act under a contact model, and what the model needs of the rest of the world."""
    _place("contact model", name, contact_models)
    model = lib.vvContactModelFind(name.encode())
    row = values_of(model)
    info = row["info"]
    needs = [need for bit, need in enumerate(contact_needs) if model.needs >> bit & 1]
    return {"name": name, "summary": info.summary, "obstacles": row["obstacles"], "bodies": row["bodies"],
            "parts": row["parts"].split(), "needs": needs}


@bound("vvSolverBudget")
def solver_budget(method: str) -> int:
    """How many iterations a solver makes of a solve where `budget` is 0; 0: until it converges."""
    _place("solver", method, solvers)
    return int(lib.vvSolverBudget(method.encode()))


@bound("vvLedgerColumnInfo", "vvLedgerValue")
def ledger_columns(row: Any = None) -> dict[str, Any]:
    """The ledger's columns, as files have them: their units or, of a row of a ledger, their values."""
    columns = {text(column.name): text(column.unit) for column in _rows(lib.vvLedgerColumnInfo)}
    if row is None:
        return dict(columns)
    one = np.asarray(row)
    if one.dtype != dtype("vvLedgerRow") or one.size != 1:
        raise TypeError(f"row: one row of a ledger is needed, not {short(row)}")
    one = np.ascontiguousarray(one.reshape(()))
    at = ffi.cast("vvLedgerRow *", one.ctypes.data)
    return {name: lib.vvLedgerValue(at, i) for i, name in enumerate(columns)}


@bound("vvSceneKeyInfo")
def scene_keys() -> dict[str, dict[str, str]]:
    """The keys of scene files: type, unit, default and what each does."""
    return {row["path"]: row for row in map(values_of, _rows(lib.vvSceneKeyInfo))}


@bound("vvNearestWord")
def nearest_word(wrong: str, words: list[str]) -> str | None:
    """The word that is spelt most like `wrong`; None if none is like it."""
    data = [ffi.new("char[]", word(w, "words")) for w in words]
    found = lib.vvNearestWord(word(wrong, "wrong"), ffi.new("char *[]", data), len(data))
    return text(found) if found else None
