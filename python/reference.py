#!/usr/bin/env python3
"""Writes docs/python-api.md from the package's docstrings and what the headers say of keywords and results.

    build-python/bin/python python/reference.py [--check]

--check: says whether the page is as it would be written.
"""
import inspect
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import generate  # noqa: E402
import headers  # noqa: E402

sys.path[:] = [p for p in sys.path if p != str(HERE)]  # the installed package, not the sources beside this script
import visviva as vv  # noqa: E402
from visviva import _generated, _keywords, tables  # noqa: E402

PAGE = HERE.parent / "docs" / "python-api.md"
GROUPS = [
    ("Worlds", [vv.World, vv.Body, vv.Material, vv.Obstacle, vv.Attachment, vv.Joint, vv.Drag, vv.Modes, vv.Snapshot, vv.Drawing]),
    ("Many worlds", [vv.Batch, vv.Gathered]),
    ("Meshes, scenes, runs", [vv.Mesh, vv.Scene, vv.Recorder, vv.Run, vv.RunBody]),
    ("Failures", [vv.Error, vv.InputError, vv.FileError, vv.OutOfMemory, vv.SolverError, vv.Unsupported, vv.Cancelled, vv.UsageError]),
]


def first_part(thing):
    """The docstring without what was added from the headers, in lines of one paragraph each."""
    text = inspect.getdoc(thing) or ""
    text = re.split(r"\n\n(?=\s*vv[A-Z]\w+: )", text)[0].strip()
    out = []
    for paragraph in text.split("\n\n"):
        if all(line.startswith("    ") or not line for line in paragraph.splitlines()):
            out.append("```\n" + inspect.cleandoc(paragraph) + "\n```")
        else:
            out.append(" ".join(paragraph.split()))
    return out


def cell(text):
    text = " ".join(text.split()).replace("|", "\\|")
    return re.sub(r"\[([^\]]*)\]\(", r"\\[\1\\](", text) or "-"


def kind(text):
    """A type as a reader says it."""
    text = re.sub(r"\bNone \| |\s*\| None\b", "", str(text).replace("typing.", "")).replace("'", "")
    return "`" + text.replace("|", "or") + "`"


def signature(name, function):
    try:
        parameters = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    except (TypeError, ValueError):
        return name
    shown = []
    for p in parameters:
        if p.name == "unknown":
            continue
        if p.kind == p.KEYWORD_ONLY and "*" not in shown and not any(s.startswith("*") for s in shown):
            shown.append("*")
        lead = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        shown.append(lead + p.name + ("" if p.default is p.empty else f"={p.default!r}"))
    return f"{name}({', '.join(shown)})"


def keyword_method(name, method):
    """A method whose keywords are a definition's members: its words, and a table."""
    function = getattr({"WorldKeywords": vv.World, "BodyKeywords": vv.Body, "MaterialKeywords": vv.Material,
                        "RunKeywords": vv.Run}[name], method["name"])
    writer = generate.Writer(headers.parse())
    rows = [(key, k, note) for key, k, note in method.get("before", ())]
    rows += [(_keywords.snake(m.name), method.get("replace", {}).get(m.name, writer.input_type(m)), m.comment)
             for m in writer.keywords(method["struct"]) if m.name not in method.get("skip", ())]
    rows += list(method.get("extra", ()))
    owner = {"WorldKeywords": "World", "BodyKeywords": "Body", "MaterialKeywords": "Material", "RunKeywords": "Run"}[name]
    title = owner if method["name"] == "__init__" else f"{owner}.{method['name']}"
    positional = ", ".join(list(method.get("positional", ())))
    yield f"#### {title}({positional + ', ' if positional else ''}...)\n"
    yield " ".join(inspect.getdoc(function).split("\n\n")[0].split()) + "\n"
    yield "| keyword | takes | what it is |\n| --- | --- | --- |"
    for key, takes, note in rows:
        yield f"| `{key}` | {kind(takes)} | {cell(note)} |"
    yield ""


def members(cls):
    own = {}
    for base in cls.__mro__:
        if base.__module__.startswith("visviva"):
            for name, member in vars(base).items():
                if not name.startswith("_"):
                    own.setdefault(name, member)
    return own


def class_page(cls):
    yield f"### {cls.__name__}\n"
    for paragraph in first_part(cls):
        yield paragraph + "\n"
    generated = {m["name"]: (name, m) for name, methods in generate.METHODS for m in methods
                 if name in [b.__name__ for b in cls.__mro__]}
    if "__init__" in vars(cls) and "__init__" not in generated and inspect.getdoc(vars(cls)["__init__"]):
        yield f"- `{signature(cls.__name__, cls.__init__)}`: {cell(first_part(cls.__init__)[0])}"
    for name, member in members(cls).items():
        if name in generated:
            continue
        if isinstance(member, property):
            yield f"- `{name}`: {cell(first_part(member)[0])}"
        elif isinstance(member, (classmethod, staticmethod)):
            yield f"- `{cls.__name__}.{signature(name, getattr(cls, name))}`: {cell(first_part(getattr(cls, name))[0])}"
        elif inspect.isfunction(member):
            yield f"- `{signature(name, member)}`: {cell(first_part(member)[0])}"
    yield ""
    for name, method in generated.values():
        yield from keyword_method(name, method)


def struct_table(struct, name, fields):
    yield f"### {name}\n"
    if struct.comment:
        yield " ".join(struct.comment.split()) + "\n"
    yield "| member | type | what it is |\n| --- | --- | --- |"
    for key, text, note in fields:
        yield f"| `{key}` | {kind(text)} | {cell(note)} |"
    yield ""


def page():
    api = headers.parse()
    writer = generate.Writer(api)
    yield "# Python reference\n"
    yield ("Every class and function of `visviva` ([Python](python.md) has jobs to begin with). Made from the docstrings and the headers' "
           "comments by `python/reference.py`. In a docstring, names such as vvWorldStep are the C functions behind it, whose comments "
           "`help()` shows; n x 3 is an array's shape.\n")
    for title, classes in GROUPS:
        yield f"## {title}\n"
        for cls in classes:
            yield from class_page(cls)
    yield "## Functions\n"
    shown = {c for _, classes in GROUPS for c in classes}
    for name in sorted(vv.__all__):
        thing = getattr(vv, name)
        if callable(thing) and thing not in shown and not inspect.isclass(thing):
            yield f"- `{signature(name, thing)}`: {cell(first_part(thing)[0])}"
    yield ""
    yield "Tables of names, each with a summary: " + ", ".join(
        f"`{n}`" for n, t in sorted(vars(tables).items()) if isinstance(t, dict) and not n.startswith("_") and n in vv.__all__) + ".\n"
    yield "## Definitions\n"
    yield "Dicts that keywords take, and that properties give. What is not given has its default.\n"
    for name in writer.definitions:
        struct = api.structs[name]
        fields = [(_keywords.snake(m.name), writer.input_type(m), m.comment) for m in writer.keywords(name)]
        yield from struct_table(struct, name[2:], fields)
    yield "## Results\n"
    for name in _generated.RESULTS:
        struct = api.structs[name]
        fields = [(_keywords.snake(m.name), writer.result_type(m), m.comment) for m in struct.members
                  if m.name not in _keywords.INTERNAL and not ("*" in m.type and generate.base(m.type) != "char")]
        yield from struct_table(struct, name[2:], fields)


def main():
    text = "\n".join(page()).rstrip() + "\n"
    text = re.sub(r"\n{3,}", "\n\n", text)
    if "--check" in sys.argv[1:]:
        if not PAGE.exists() or PAGE.read_text() != text:
            sys.exit("docs/python-api.md is not what the docstrings and headers say: run python/reference.py with the package's Python")
        return
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
