"""Writes visviva/_generated.py from the public headers: the comments, the words of enumerations, definitions as typed
dictionaries, results as data classes, and the methods that take a definition's members as keywords.

    generate.py [OUTPUT]
"""
import pathlib
import re
import sys
import textwrap

import headers

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "visviva"))
from _keywords import INTERNAL, snake  # noqa: E402

OUTPUT = HERE / "visviva" / "_generated.py"

SCALARS = {"double": "float", "float": "float", "int": "int", "bool": "bool", "int32_t": "int", "uint32_t": "int",
           "int64_t": "int", "uint64_t": "int", "size_t": "int", "unsigned": "int"}
HANDLES = {"vvBodyId": "Body", "vvObstacleId": "Obstacle", "vvAttachId": "Attachment", "vvJointId": "Joint",
           "vvDragId": "Drag"}
# what only C needs: memory, callbacks, ids, text of failures; and rows of tables, which visviva.tables gives
ONLY_C = {"vvError", "vvAllocator", "vvTaskSystem", "vvLog", "vvHost", "vvWatch", "vvMesh", "vvDistanceGrid", "vvSparse", "vvParam",
          "vvMeshGenerator", "vvPotential", "vvInitialState", "vvObstacleType", "vvContactModel", "vvSetting",
          "vvBatchDef", "vvBodyElements", "vvBodySurface", "vvContactEvents", "vvSettingChange", "vvSceneKey", "vvLedgerColumn", *HANDLES}
# single words that stand for a definition
WORD = {"vvContactDef", "vvSolverDef", "vvMaterialDef", "vvIntegratorDef"}
WHEN_GIVEN = "The library's default holds for what is not given."

METHODS = [
    ("WorldKeywords", [
        dict(name="__init__", struct="vvWorldDef", returns="None", call="_create",
             extra=[("scheme", "str", "as in `integrator`"), ("policy", "str", "as in `integrator`"),
                    ("settings", "Mapping[str, Any]", "parameters of scheme and policy by name "
                     "(`visviva.parameters(\"policy\", name)`): numbers, True or False, or a word"),
                    ("cancel", "Callable[[], bool]", "asked every 50 ms while a call works; True ends it (Cancelled)")],
             doc="An empty world."),
        dict(name="add_body", struct="vvBodyDef", returns="Body", call="_add_body", positional=["mesh", "material"],
             doc="Adds a body."),
        dict(name="add_joint", struct="vvJointDef", returns="Joint", call="_add_joint", positional=["kind"],
             replace={"bodies": "tuple[Body | None, Body | None]"},
             doc="Joins two bodies, or a body and the world (None)."),
        dict(name="add_obstacle", struct="vvObstacleDef", returns="Obstacle", call="_add_obstacle", positional=["type"],
             skip={"settings", "sampleCounts"}, open="parameters",
             doc="Adds an obstacle: `type` is one of `visviva.obstacles`, and its parameters are keywords, too\n"
                 "(`visviva.parameters(\"obstacle\", type)`)."),
        dict(name="cast_ray", struct="vvRay", returns="RayHit | None", call="_cast_ray",
             positional=["origin", "direction"], doc="The first thing that a ray hits; None: nothing."),
        dict(name="overlap_nodes", struct="vvOverlap", returns="Ints", call="_overlap_nodes", positional=["kind"],
             doc="The nodes in a box or a ball, ascending."),
        dict(name="overlap_bodies", struct="vvOverlap", returns="list[Body]", call="_overlap_bodies",
             positional=["kind"], doc="The bodies that a box or a ball meets."),
        dict(name="draw", struct="vvDraw", returns="Drawing", call="_draw", replace={"what": "Sequence[DrawWhat]"},
             doc="What the library sees, as arrays of points, segments, triangles and words."),
        dict(name="set_integrator", struct="vvIntegratorDef", returns="None", call="_set_integrator",
             positional=["scheme"],
             doc="Another integrator; what is not given stays as it is.", default=False),
        dict(name="set_solver", struct="vvSolverDef", returns="None", call="_set_solver", positional=["method"],
             doc="Another solver; what is not given stays as it is.", default=False),
        dict(name="set_contact", struct="vvContactDef", returns="None", call="_set_contact", positional=["model"],
             doc="Other contact; what is not given stays as it is.", default=False),
        dict(name="resume", struct="vvResumeDef", returns="Recorder", call="_resume",
             before=[("path", "Path", "the run")], replace={"output": "Path"},
             doc="Goes on with a run: loads the world's state from a frame, and opens the run for writing."),
    ]),
    ("BodyKeywords", [
        dict(name="attach", struct="vvAttachDef", returns="Attachment", call="_attach", positional=["kind"],
             skip={"settings"}, open="parameters", replace={"where": "Where"},
             doc="Attaches nodes. Parameters of a potential are keywords, too."),
        dict(name="drag", struct="vvDragDef", returns="Drag", call="_drag", skip={"body"},
             doc="Takes hold of a vertex or a point of the body."),
        dict(name="set_material", struct="vvMaterialDef", returns="None", call="_set_material",
             before=[("index", "int = 0", "which of its materials")],
             doc="Another material; what is not given stays as it is.", default=False),
        dict(name="set_damping", struct="vvDampingDef", returns="None", call="_set_damping",
             doc="Another damping; what is not given stays as it is.", default=False),
    ]),
    ("MaterialKeywords", [
        dict(name="__init__", struct="vvMaterialDef", returns="None", call="_create", positional=["model"],
             doc="What a body is made of. The model's own default holds for what is not given."),
    ]),
    ("RunKeywords", [
        dict(name="export", struct="vvExportDef", returns="None", call="_export",
             before=[("path", "Path", "the file, or the base name of a sequence")], positional=["format"],
             extra=[("progress", "Callable[[int, int], object]", "called with the frames that are done, and all"),
                    ("cancel", "Callable[[], bool]", "True ends it (Cancelled)")],
             doc="Writes the run in another format (`visviva.export_formats`)."),
    ]),
]


def python_name(name):
    return name[2:]


def words(enum):
    names = list(enum.values)
    prefix = names[0]
    for n in names:
        while not n.startswith(prefix):
            prefix = prefix[:-1]
    prefix = prefix[: prefix.rfind("_") + 1]
    return [n[len(prefix):].lower().replace("_", "-") for n in names]


class Writer:
    def __init__(self, api):
        self.api = api
        self.enums = {e.name: e for e in api.enums if e.name}
        self.definitions = self.find_definitions()
        self.out = []

    def find_definitions(self):
        """Structs that have defaults, and those within them."""
        found = []

        def visit(name):
            if name in found or name in ONLY_C or name not in self.api.structs:
                return
            for member in self.api.structs[name].members:
                visit(base(member.type))
            found.append(name)

        for function in self.api.functions.values():
            if function.name.startswith("vvDefault"):
                visit(function.returns)
        return found

    def counts(self, struct):
        names = {m.name for m in struct.members}
        out = {}
        for m in struct.members:
            if "*" not in m.type:
                continue
            single = m.name[:-1] if m.name.endswith("s") else m.name
            for count in (single + "Count", m.name + "Count", "count" if m.name == "times" else ""):
                if count in names:
                    out[m.name] = count
        return out

    def keywords(self, name):
        """Members that are keywords, in order."""
        struct = self.api.structs[name]
        counts = set(self.counts(struct).values())
        return [m for m in struct.members
                if m.name not in INTERNAL and m.name not in counts and "(*)" not in m.type and m.type != "void *"
                and base(m.type) not in ("vvWatch",)]

    def input_type(self, member):
        """What a keyword takes."""
        kind = base(member.type)
        pointer = "*" in member.type
        if kind == "char":
            return "str"
        if kind in HANDLES:
            return HANDLES[kind]
        if kind in ("vvMesh", "vvWorld"):
            return kind[2:]
        if kind in self.enums:
            return python_name(kind)
        if kind == "vvSetting":
            return "Mapping[str, Any]"
        if kind in self.api.structs:
            if pointer:
                return f"Sequence[{python_name(kind)} | Sequence[Any]]"
            also = "str | " if kind in WORD else ""
            return also + python_name(kind) + (" | Material" if kind == "vvMaterialDef" else "")
        if pointer:
            return "ArrayLike"
        if member.sizes:
            return "Vector"
        return SCALARS[kind]

    def result_type(self, member):
        kind = base(member.type)
        if kind == "char":
            return "list[str]" if member.sizes and "*" in member.type else "str"
        if kind in HANDLES:
            one = f"{HANDLES[kind]} | None"
        elif kind in self.enums:
            one = python_name(kind)
        elif kind in self.api.structs:
            one = python_name(kind)
        elif member.sizes:
            return "Floats" if kind == "double" else "NDArray[Any]"
        else:
            one = SCALARS[kind]
        return f"list[{one}]" if member.sizes else one

    def line(self, text=""):
        self.out.append(text)

    def write(self):
        self.line(HEAD.format(version=self.api.version))
        self.line("# what the headers say of each function, and of each member of a struct")
        self.line("COMMENTS: dict[str, str] = {")
        for f in self.api.functions.values():
            self.line(f"    {f.name!r}: {f.comment!r},")
        self.line("}\n")
        self.line("MEMBERS: dict[str, dict[str, str]] = {")
        for s in self.api.structs.values():
            self.line(f"    {s.name!r}: {{")
            for m in s.members:
                self.line(f"        {m.name!r}: {m.comment!r},")
            self.line("    },")
        self.line("}\n")
        for enum in self.enums.values():
            listed = ", ".join(f'"{w}"' for w in words(enum))
            self.line(f"{python_name(enum.name)} = Literal[{listed}]")
        self.line("Where = Union[\"Region\", \"RegionKind\", NDArray[Any], Sequence[int]]")
        for name in self.definitions:
            self.typed_dict(name)
        results = [n for n in self.api.structs if n not in self.definitions and n not in ONLY_C]
        for name in results:
            self.data_class(name)
        self.line("\n\nRESULTS: dict[str, type[Any]] = {")
        for name in results:
            self.line(f"    {name!r}: {python_name(name)},")
        self.line("}")
        for name, methods in METHODS:
            self.line(f"\n\nclass {name}:")
            self.line('    """Methods whose keywords are a definition\'s members."""')
            for method in methods:
                self.method(**method)
        return "\n".join(self.out) + "\n"

    def typed_dict(self, name):
        self.line(f"\n\nclass {python_name(name)}(TypedDict, total=False):")
        self.line(textwrap.indent(docstring(self.api.structs[name].comment or f"The members of {name}."), "    "))
        self.line()
        for m in self.keywords(name):
            self.line(textwrap.indent(as_comment(m.comment), "    "))
            self.line(f"    {snake(m.name)}: {self.input_type(m)}")

    def data_class(self, name):
        self.line(f"\n\n@dataclass(frozen=True, eq=False)\nclass {python_name(name)}:")
        struct = self.api.structs[name]
        self.line(textwrap.indent(docstring(struct.comment or f"What {name} holds."), "    "))
        self.line()
        for m in struct.members:
            if m.name in INTERNAL or ("*" in m.type and base(m.type) != "char"):
                continue
            self.line(textwrap.indent(as_comment(m.comment), "    "))
            self.line(f"    {snake(m.name)}: {self.result_type(m)}")

    def method(self, name, struct, returns, call, doc, positional=(), before=(), extra=(), skip=(), replace=None,
               open=None, default=True):
        replace = replace or {}
        members = [m for m in self.keywords(struct) if m.name not in skip]
        types = {snake(m.name): replace.get(m.name, self.input_type(m)) for m in members}
        notes = {snake(m.name): m.comment for m in members}
        for key, kind, note in [*before, *extra]:
            types[key], notes[key] = kind, note
        first = [key for key, _, _ in before] + list(positional)
        rest = [key for key in types if key not in first]
        self.line(f"\n    def {name}(")
        self.line("        self,")
        for key, kind, _ in before:
            self.line(f"        {key}: {kind},")
        for key in positional:
            self.line(f"        {key}: {types[key]} | None = None,")
        self.line("        *,")
        for key in rest:
            self.line(f"        {key}: {types[key]} | None = None,")
        self.line(f"        **{open or 'unknown'}: {'Any' if open else 'NoReturn'},")
        self.line(f"    ) -> {returns}:")
        text = doc + (" " + WHEN_GIVEN if default else "") + f" (Members of {struct}.)\n"
        for key in [*first, *rest]:
            text += f"\n{key}: {notes[key] or '-'}"
        self.line(textwrap.indent(docstring(text), "        "))
        keys = [key for key in [*first, *rest] if key not in [b[0] for b in before]]
        passed = ", ".join(f"{key}={key}" for key in keys)
        lead = "".join(key + ", " for key, _, _ in before)
        if open:
            body = f"self.{call}({lead}given({passed}), {open})"
        else:
            self.line(f"        refuse(\"{name if name != '__init__' else ''}\", unknown, ({', '.join(map(repr, keys))},))")
            body = f"self.{call}({lead}given({passed}))"
        statement = body if returns == "None" else f"found: {returns} = {body}"
        wrapped = textwrap.wrap(statement, 106, subsequent_indent="    ", break_long_words=False)
        self.line(textwrap.indent("\n".join(wrapped), "        "))
        if returns != "None":
            self.line("        return found")
        # the hook of the class that inherits these
        if f"    {call}: Any" not in self.out:
            self.line(f"\n    {call}: Any")


def base(kind):
    return kind.replace("const", "").replace("*", "").strip()


def docstring(text):
    """A docstring, its paragraphs and items wrapped."""
    lines = []
    for paragraph in text.split("\n"):
        if not paragraph.strip():
            lines.append("")
            continue
        indent = "  " if paragraph.startswith("- ") else ""
        named = re.match(r"\w+: ", paragraph)
        lines += textwrap.wrap(paragraph, 100, subsequent_indent="    " if named else indent) or [""]
    body = "\n".join(lines).replace("\\", "\\\\").replace('"""', "'''")
    if body.endswith('"'):
        body += " "
    return f'"""{body}"""' if len(lines) == 1 else f'"""{body}\n"""'


def as_comment(text):
    return "\n".join(textwrap.wrap(text.replace("\n", " "), 100, initial_indent="# ", subsequent_indent="# ")) or "#"


HEAD = '''# Made by python/generate.py from include/visviva: not to be edited.
# ruff: noqa
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Literal, Mapping, NoReturn, Sequence, TypedDict, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._keywords import Path, Vector, given, refuse

if TYPE_CHECKING:
    from .handles import Attachment, Body, Drag, Joint, Obstacle
    from .mesh import Mesh
    from .record import Recorder
    from .things import Drawing, Material
    from .world import World

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
VERSION = {version}
'''


def write(output=OUTPUT):
    text = Writer(headers.parse()).write()
    if not output.exists() or output.read_text() != text:
        output.write_text(text)


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else OUTPUT)
