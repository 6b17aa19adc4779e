"""Between Python and the library's structs: keywords into definitions, results into objects and arrays.

What a struct has comes from the compiled declarations (cffi), so that no list of members is kept here.
"""
from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import Any, Mapping

import numpy as np
from numpy.typing import NDArray

from ._errors import InputError, check
from ._generated import MEMBERS, RESULTS
from ._keywords import INTERNAL, nearest, snake, unknown_keyword
from ._values import flag, number, short, whole, word
from ._vv import ffi, lib

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Records = NDArray[np.void]
def text(pointer: Any) -> str:
    return str(ffi.string(pointer).decode("utf-8", "replace")) if pointer else ""


def name_of(kind: Any) -> str:
    """Of a C type: "vvMesh" of `const struct vvMesh`."""
    return str(kind.cname.replace("const", "").replace("struct ", "").replace("enum ", "").strip())


# ---- names of enumerators ------------------------------------------------------------------------------------------


@lru_cache(None)
def words_of(enum: str) -> dict[str, int]:
    """{"half-space": 3, ...} of "vvRegionKind"."""
    elements = ffi.typeof(enum).elements
    prefix = os.path.commonprefix(list(elements.values()))
    prefix = prefix[: prefix.rfind("_") + 1]
    return {name[len(prefix):].lower().replace("_", "-"): value for value, name in sorted(elements.items())}


def enum_value(enum: str, name: Any, where: str) -> int:
    known = words_of(enum)
    if not isinstance(name, str) or name not in known:
        raise InputError(f"{where}: {short(name)} is not known{nearest(str(name), list(known))}; there are: {', '.join(known)}")
    return known[name]


def enum_word(enum: str, value: int) -> str:
    for word, at in words_of(enum).items():
        if at == value:
            return word
    return str(value)


# ---- keywords into a struct ------------------------------------------------------------------------------------------


@lru_cache(None)
def members_of(name: str) -> dict[str, Any]:
    return {n: f.type for n, f in ffi.typeof(name).fields}


@lru_cache(None)
def counts_of(name: str) -> dict[str, str]:
    """{"restAngles": "restAngleCount", ...}: the member that says how many another one points to."""
    found = {}
    known = members_of(name)
    for member, kind in known.items():
        single = member[:-1] if member.endswith("s") else member
        for count in (single + "Count", member + "Count", "count" if member == "times" else ""):
            if kind.kind == "pointer" and count in known:
                found[member] = count
    return found


@lru_cache(None)
def keywords_of(name: str) -> tuple[str, ...]:
    counts = set(counts_of(name).values())
    return tuple(snake(m) for m, kind in members_of(name).items()
                 if m not in counts and m not in INTERNAL and is_keyword(kind))


def is_keyword(kind: Any) -> bool:
    """Not what only C can give: functions, what is given to these, and groups of both."""
    only_c = kind.kind in ("function", "pointer") and "(*)" in kind.cname or kind.cname == "void *"
    return not only_c and name_of(kind) != "vvWatch"


def fill(struct: Any, values: Mapping[str, Any], keep: list[Any], where: str = "") -> None:
    """Sets members by keyword. `keep` holds what the struct points to, and must last as long as it is used."""
    kind = ffi.typeof(struct)
    name = name_of(kind.item if kind.kind == "pointer" else kind)
    if not isinstance(values, Mapping):
        raise TypeError(f"{where or name}: a dict is needed, not {type(values).__name__}")
    known = keywords_of(name)
    for key, value in values.items():
        if key not in known:
            raise unknown_keyword(where or name, key, known)
        put(struct, name, member_name(name, key), value, keep, f"{where}.{key}" if where else key)


@lru_cache(None)
def member_name(struct: str, key: str) -> str:
    return next(m for m in members_of(struct) if snake(m) == key)


def put(struct: Any, name: str, member: str, value: Any, keep: list[Any], where: str) -> None:
    kind = members_of(name)[member]
    if kind.kind == "struct":
        put_struct(getattr(struct, member), name_of(kind), value, keep, where)
    elif kind.kind == "array":
        put_array(getattr(struct, member), kind, value, where)
    elif kind.kind == "enum":
        setattr(struct, member, enum_value(name_of(kind), value, where))
    elif kind.kind == "pointer":
        put_pointer(struct, name, member, kind, value, keep, where)
    else:
        setattr(struct, member, scalar(kind.cname, value, where))


def put_struct(target: Any, name: str, value: Any, keep: list[Any], where: str) -> None:
    if isinstance(value, ffi.CData):
        ffi.memmove(ffi.addressof(target), value if ffi.typeof(value).kind == "pointer" else ffi.addressof(value),
                    ffi.sizeof(name))
    elif hasattr(value, "_put_into"):
        value._put_into(target, keep, where)
    elif isinstance(value, str) and name in NAMED_BY_A_WORD:
        fill(target, {NAMED_BY_A_WORD[name]: value}, keep, where)
    else:
        fill(target, value, keep, where)


# {"model": "none"} may be written "none"
NAMED_BY_A_WORD = {"vvContactDef": "model", "vvSolverDef": "method", "vvMaterialDef": "model", "vvIntegratorDef": "scheme"}


def put_array(target: Any, kind: Any, value: Any, where: str) -> None:
    numbers = floats(value, None, where)
    if numbers.shape != (kind.length,) or np.ndim(value) == 0:
        raise ValueError(f"{where}: {kind.length} numbers are needed, not {_shape_in_words(value)}")
    if kind.item.cname == "int":
        whole = integers(value, where)
        for i in range(kind.length):
            target[i] = int(whole[i])
        return
    for i in range(kind.length):
        target[i] = numbers[i]


def _shape_in_words(a: Any) -> str:
    return " x ".join(str(n) for n in np.shape(a)) or "a single one"


def scalar(cname: str, value: Any, where: str) -> Any:
    if cname in ("_Bool", "bool"):
        return flag(value, where)
    return number(value, where) if cname in ("double", "float") else whole(value, where, cname)


# objects of Python that a member may point to: their class, and where that has the pointer
OBJECTS = {"vvMesh": ("Mesh", "_c"), "vvWorld": ("World", "_w")}


@lru_cache(None)
def width_of(name: str, member: str) -> int:
    """How many numbers an item of an array has: 3 of "[triangleCount x 3] vertices"."""
    shape = re.match(r"\[\w+ x (\d+)\]", MEMBERS.get(name, {}).get(member, ""))
    return int(shape[1]) if shape else 1


def rows_of(size: int, width: int, where: str) -> int:
    if size % width:
        raise ValueError(f"{where}: rows of {width} numbers are needed, not {size} numbers")
    return size // width


def put_pointer(struct: Any, name: str, member: str, kind: Any, value: Any, keep: list[Any], where: str) -> None:
    item, count = kind.item, counts_of(name).get(member)
    if name_of(item) == "char":
        data = ffi.new("char[]", word(value, where))
    elif name_of(item) in OBJECTS:
        wanted, attribute = OBJECTS[name_of(item)]
        if type(value).__name__ != wanted or getattr(value, attribute, None) is None:
            raise TypeError(f"{where}: a visviva.{wanted} is needed, not {type(value).__name__}")
        data = getattr(value, attribute)
        keep.append(value)
    elif name_of(item) == "vvSetting":
        data = setting_list(value, keep, where)
    elif item.kind == "struct":
        data = struct_list(name_of(item), value, keep, where)
    elif name_of(item) == "int":
        data = integers(value, where)
    else:
        data = floats(value, None, where)
    keep.append(data)
    if isinstance(data, np.ndarray):
        if count:
            setattr(struct, count, rows_of(data.size, width_of(name, member), where))
        data = pointer_to(data)
    elif count:
        setattr(struct, count, len(data))
    setattr(struct, member, data)


def struct_list(name: str, values: Any, keep: list[Any], where: str) -> Any:
    """An array of structs from dicts, or from tuples of their members in turn; definitions begin with their defaults."""
    rows = list(values)
    out = ffi.new(f"{name}[]", len(rows))
    start = DEFAULTS.get(name)
    for i, row in enumerate(rows):
        if start is not None:
            ffi.memmove(out + i, ffi.new(f"{name} *", start()), ffi.sizeof(name))
        if not isinstance(row, (Mapping, str)) and not hasattr(row, "_put_into"):
            row = dict(zip(keywords_of(name), row))
        put_struct(out[i], name, row, keep, f"{where}[{i}]")
    return out


DEFAULTS = {"vvMaterialDef": lib.vvDefaultMaterialDef}


def setting_list(settings: Mapping[str, Any], keep: list[Any], where: str) -> Any:
    """Rows of a scheme's or a policy's parameters: numbers, True or False, or a word."""
    if not isinstance(settings, Mapping):
        raise TypeError(f"{where}: a dict is needed, not {type(settings).__name__}")
    out = ffi.new("vvSetting[]", len(settings))
    for row, (name, value) in zip(out, settings.items()):
        keep.append(ffi.new("char[]", word(name, where)))
        row.name = keep[-1]
        if isinstance(value, str):
            keep.append(ffi.new("char[]", word(value, f"{where}['{name}']")))
            row.choice = keep[-1]
            continue
        numbers = np.atleast_1d(floats(value, None, f"{where}['{name}']"))
        if numbers.ndim != 1 or numbers.size > 4:
            raise ValueError(f"{where}['{name}']: one to four numbers are needed")
        for i, x in enumerate(numbers):
            row.value[i] = x
    return out


# ---- arrays -----------------------------------------------------------------------------------------------------------


def _refuse_masked(value: Any, where: str) -> None:
    """What is masked has numbers, too, which NumPy would hand over without a word."""
    if isinstance(value, np.ma.MaskedArray) and bool(np.any(value.mask)):
        raise TypeError(f"{where}: some values are masked; leave them out (compressed()) or fill them in (filled(value))")


def floats(value: Any, shape: tuple[int, ...] | None, where: str) -> Floats:
    """As doubles, one after the other in memory; without a copy where that is how they are."""
    _refuse_masked(value, where)
    try:
        found = np.asarray(value)
        if found.dtype.kind not in "fiubO":
            raise TypeError(f"not one of {found.dtype}")
        a = np.ascontiguousarray(found, np.float64)
    except OverflowError:
        raise ValueError(f"{where}: numbers up to 1.8e308 are needed, not {short(value)}") from None
    except (TypeError, ValueError) as e:
        raise TypeError(f"{where}: an array of numbers is needed: {e}") from None
    if shape is not None and a.shape != shape:
        raise ValueError(f"{where}: an array of {' x '.join(map(str, shape))} is needed, not {_shape_in_words(found)}")
    return a


def integers(value: Any, where: str, shape: tuple[int, ...] | None = None) -> Ints:
    _refuse_masked(value, where)
    try:
        a = np.asarray(value)
    except ValueError as e:
        raise TypeError(f"{where}: an array of whole numbers is needed: {e}") from None
    if a.size == 0:
        a = a.astype(np.int32)
    if a.dtype.kind not in "iu":
        raise TypeError(f"{where}: whole numbers are needed, not {a.dtype}")
    if a.size and (a.max() > 2**31 - 1 or a.min() < -(2**31)):
        raise ValueError(f"{where}: whole numbers of 32 bits are needed")
    a = np.ascontiguousarray(a, np.int32)
    if shape is not None and (a.ndim != len(shape) or any(n >= 0 and n != m for n, m in zip(shape, a.shape))):
        wanted = " x ".join("n" if n < 0 else str(n) for n in shape)
        raise ValueError(f"{where}: an array of {wanted} is needed, not {_shape_in_words(a)}")
    return a


def pointer_to(a: NDArray[Any] | None, ctype: str | None = None) -> Any:
    """A C pointer to an array's memory; the array must outlive its use."""
    if a is None:
        return ffi.NULL
    kinds = {"f8": "double *", "i4": "int *"}
    return ffi.cast(ctype or kinds[a.dtype.str[1:]], a.ctypes.data)


def pointer_to_records(a: Records, ctype: str) -> Any:
    return ffi.cast(f"{ctype} *", a.ctypes.data)


def vector(value: Any, where: str) -> Any:
    a = floats(value, (3,), where)
    return ffi.new("double[3]", a.tolist())


def view(pointer: Any, shape: tuple[int, ...], form: Any = np.float64, writeable: bool = False) -> NDArray[Any]:
    """The library's memory as an array, without a copy. It is pinned: it outlives the world, and what the world makes
    anew, for as long as the array, or one made of it, is used."""
    form = np.dtype(form)
    count = 1
    for n in shape:
        count *= n
    if count == 0 or not pointer:
        return np.zeros(shape, form)
    pinned = lib.vvpy_pin(pointer)
    if not pinned:
        raise MemoryError("visviva: no memory for an array's record")
    held = ffi.gc(pinned, lib.vvpy_unpin)
    memory = memoryview(ffi.buffer(held, count * form.itemsize))
    # of memory that is not for writing, no array can be made writable
    return np.frombuffer(memory if writeable else memory.toreadonly(), form).reshape(shape)


def copied(pointer: Any, shape: tuple[int, ...], form: Any = np.float64) -> NDArray[Any]:
    form = np.dtype(form)
    count = int(np.prod(shape))
    if count == 0 or not pointer:
        return np.zeros(shape, form)
    return np.frombuffer(ffi.buffer(pointer, count * form.itemsize), form).reshape(shape).copy()


NUMBERS = {"double": "f8", "int": "i4", "int32_t": "i4", "int64_t": "i8", "uint32_t": "u4", "uint64_t": "u8",
           "_Bool": "?", "bool": "?", "size_t": "u8", "unsigned int": "u4", "unsigned char": "u1"}


@lru_cache(None)
def dtype(name: str) -> np.dtype[np.void]:
    """The dtype of a struct of numbers, with the struct's own layout; members that are no numbers are left out."""
    names, formats, offsets = [], [], []
    kind: Any
    shape: tuple[int, ...]
    for member, f in ffi.typeof(name).fields:
        kind, shape = f.type, ()
        while kind.kind == "array":
            kind, shape = kind.item, (*shape, kind.length)
        if kind.kind == "enum":
            form: Any = "i4"
        elif kind.kind == "struct":
            form = dtype(name_of(kind))
        elif kind.cname in NUMBERS:
            form = NUMBERS[kind.cname]
        else:
            continue
        names.append(snake(member))
        formats.append((form, shape) if shape else form)
        offsets.append(f.offset)
    layout: Any = {"names": names, "formats": formats, "offsets": offsets, "itemsize": ffi.sizeof(name)}
    return np.dtype(layout)


# ---- results ----------------------------------------------------------------------------------------------------------


def values_of(struct: Any, world: Any = None) -> dict[str, Any]:
    """A struct's members as Python values: numbers, text, arrays (copies), words of enumerators, objects of ids."""
    kind = ffi.typeof(struct)
    if kind.kind == "pointer":
        struct, kind = struct[0], kind.item
    return {snake(member): value_of(getattr(struct, member), f.type, world) for member, f in kind.fields
            if member not in INTERNAL and not _is_hidden(f.type)}


def record(struct: Any, world: Any = None) -> Any:
    """A struct as an object of its class in _generated; a definition as a dict, which may be given back."""
    kind = ffi.typeof(struct)
    made = RESULTS.get(name_of(kind.item if kind.kind == "pointer" else kind))
    values = values_of(struct, world)
    return made(**values) if made else values


def _is_hidden(kind: Any) -> bool:
    return kind.kind == "pointer" and name_of(kind.item) != "char"


HANDLES = ("vvBodyId", "vvObstacleId", "vvAttachId", "vvJointId", "vvDragId")


def value_of(value: Any, kind: Any, world: Any) -> Any:
    if kind.kind == "struct":
        if name_of(kind) in HANDLES:
            return world._handle(name_of(kind), value) if world is not None else (value.index1, value.generation)
        return record(value, world)
    if kind.kind == "enum":
        return enum_word(name_of(kind), value if isinstance(value, int) else int(ffi.cast("int", value)))
    if kind.kind == "pointer":
        return text(value)
    if kind.kind == "array":
        return array_of(value, kind, world)
    return value


def array_of(value: Any, kind: Any, world: Any) -> Any:
    if kind.item.cname == "char":
        return text(value)
    if kind.item.kind in ("struct", "pointer"):
        return [value_of(v, kind.item, world) for v in value]
    form = kind
    shape: tuple[int, ...] = ()
    while form.kind == "array":
        form, shape = form.item, (*shape, form.length)
    return np.frombuffer(ffi.buffer(value), NUMBERS[form.cname]).reshape(shape).copy()


def new_error() -> Any:
    return ffi.new("vvError *")


def thread_allocator() -> None:
    """What this thread makes from now on comes from memory that arrays may pin."""
    error = new_error()
    check(lib.vvpy_thread_allocator(error), error)
