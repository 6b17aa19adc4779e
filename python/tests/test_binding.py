"""Nothing of the public headers is unbound or undocumented, and what is generated is what the headers say."""
import inspect
import pathlib
import re
import sys

import numpy as np
import pytest
from conftest import ROOT

import visviva as vv
from visviva import _doc, _generated, _keywords, _struct
from visviva._vv import ffi, lib

sys.path.append(str(ROOT / "python"))  # after the installed package, which goes by the same name
import generate  # noqa: E402
import headers  # noqa: E402

API = headers.parse()
PACKAGE = pathlib.Path(vv.__file__).parent
SOURCE = "\n".join(p.read_text() for p in PACKAGE.glob("*.py") if p.name != "_generated.py")

# Functions that the typed layer does not call, and why.
NOT_CALLED = {
    "vvStatusName": "a status is an exception's class",
    "vvSetThreadAllocator": "support.c calls it",
    "vvSetThreadCancel": "support.c calls it",
    "vvWorldSetCancel": "support.c calls it",
    "vvSceneCreateWorld": "worlds of Python have its own memory: vvSceneCreateHostedWorld",
    "vvMeshFill": "vvMeshFillWith does more",
    "vvDefaultFilter": "a part of other definitions",
    "vvDefaultMotionDef": "a part of other definitions",
    "vvFiltersTouch": "a rule of two numbers",
    "vvBodySetUserData": "Handle.data keeps Python's objects",
    "vvBodyUserData": "Handle.data keeps Python's objects",
    "vvObstacleSetUserData": "Handle.data keeps Python's objects",
    "vvObstacleUserData": "Handle.data keeps Python's objects",
    "vvAttachSetUserData": "Handle.data keeps Python's objects",
    "vvAttachUserData": "Handle.data keeps Python's objects",
    "vvJointSetUserData": "Handle.data keeps Python's objects",
    "vvJointUserData": "Handle.data keeps Python's objects",
}


def called():
    return set(re.findall(r"\blib\.(vv[A-Z]\w*)", SOURCE))


def test_every_function_is_declared_and_called():
    assert all(hasattr(lib, name) for name in API.functions)
    unbound = set(API.functions) - called() - set(NOT_CALLED)
    assert not unbound, f"no Python function calls these; bind them, or say in NOT_CALLED why not: {sorted(unbound)}"
    gone = set(NOT_CALLED) - set(API.functions)
    assert not gone, gone


def test_every_function_is_named_where_users_look():
    """In a docstring, or by @bound."""
    docs = " ".join(inspect.getdoc(f) or "" for f in members())
    hidden = [name for name in called() & set(API.functions) if name not in _doc.BOUND and name not in docs and
              not name.endswith("Info") and not name.startswith("vvDefault") and not name.endswith("Destroy")]
    assert not hidden, f"no docstring names: {sorted(hidden)}"


def members():
    """Public classes and functions, and all that is in them."""
    for name in vv.__all__:
        thing = getattr(vv, name)
        if inspect.isclass(thing):
            yield thing
            for _, member in inspect.getmembers(thing):
                if isinstance(member, property) or callable(member):
                    yield member
        elif callable(thing):
            yield thing


def test_everything_public_has_a_docstring():
    lacking = []
    for name in vv.__all__:
        thing = getattr(vv, name)
        if inspect.isclass(thing):
            lacking += [f"{name}.{n}" for n, m in vars(thing).items() if not n.startswith("_") and
                        (isinstance(m, property) or inspect.isfunction(m)) and not inspect.getdoc(m)]
        if callable(thing) and not inspect.getdoc(thing):
            lacking.append(name)
    assert not lacking


def test_every_comment_and_shape_is_there():
    assert list(headers.faults(API)) == []


def test_generated_is_of_these_headers():
    assert generate.Writer(API).write() == pathlib.Path(_generated.__file__).read_text()


def test_every_member_of_a_definition_is_a_keyword():
    writer = generate.Writer(API)
    for name in writer.definitions:
        keywords = set(_struct.keywords_of(name))
        for m in API.structs[name].members:
            if m.name in _keywords.INTERNAL or "(*)" in m.type or m.type in ("void *", "vvWatch"):
                continue
            if m.name in writer.counts(API.structs[name]).values():
                continue
            assert _keywords.snake(m.name) in keywords, (name, m.name)
        typed = getattr(_generated, name[2:]).__annotations__
        assert set(typed) == keywords, name


def test_keywords_of_methods_are_the_definitions_members():
    where = {"WorldKeywords": vv.World, "BodyKeywords": vv.Body, "MaterialKeywords": vv.Material, "RunKeywords": vv.Run}
    for cls, methods in generate.METHODS:
        for method in methods:
            named = inspect.signature(getattr(where[cls], method["name"])).parameters
            for m in generate.Writer(API).keywords(method["struct"]):
                if m.name not in method.get("skip", ()):
                    assert _keywords.snake(m.name) in named, (method["name"], m.name)


def test_results_have_every_member():
    for name, cls in _generated.RESULTS.items():
        fields = set(cls.__dataclass_fields__)
        for m in API.structs[name].members:
            if "*" in m.type and m.type != "const char *" or m.name in _keywords.INTERNAL:
                continue
            assert _keywords.snake(m.name) in fields, (name, m.name)


def test_dtypes_are_the_structs_layouts():
    for name in ("vvLedgerRow", "vvVisible", "vvContactPoint", "vvIntersection", "vvRunIntersection"):
        form = _struct.dtype(name)
        assert form.itemsize == ffi.sizeof(name)
        struct = ffi.new(f"{name} *")
        raw = np.frombuffer(ffi.buffer(struct), form)
        for member, f in ffi.typeof(name).fields:
            if f.type.kind == "primitive":
                setattr(struct, member, 7)
                assert raw[0][_keywords.snake(member)] == 7, (name, member)


def test_enumerators_are_words():
    for e in API.enums:
        if not e.name:
            continue
        assert sorted(_struct.words_of(e.name)) == sorted(generate.words(e))
    assert _struct.words_of("vvRegionKind")["half-space"] == lib.VV_REGION_HALF_SPACE
    with pytest.raises(vv.InputError, match="there are: all, box"):
        _struct.enum_value("vvRegionKind", "everywhere", "where")
