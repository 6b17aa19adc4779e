"""Reads the public headers: what is declared, and what its comment says.

One source for the declarations that cffi compiles, for the keywords and results of the typed layer
(visviva/_generated.py), for its docstrings, and for the tests that nothing is unbound or undocumented.
"""
import pathlib
import re
import subprocess
import tempfile
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parent
HEADERS = ROOT.parent / "include" / "visviva"


@dataclass
class Member:
    name: str
    type: str  # of C, without the array's sizes: "double", "const char *"
    sizes: tuple  # of an array
    comment: str


@dataclass
class Struct:
    name: str
    members: list
    comment: str
    header: str


@dataclass
class Enum:
    name: str  # "" of one that has none
    values: dict  # name: comment
    comment: str
    header: str


@dataclass
class Function:
    name: str
    returns: str
    parameters: list  # of (type, name, sizes)
    comment: str
    header: str
    own: bool = True  # the comment is its own, not that of the declaration before it


@dataclass
class Api:
    functions: dict = field(default_factory=dict)
    structs: dict = field(default_factory=dict)
    enums: list = field(default_factory=list)
    opaque: list = field(default_factory=list)
    callbacks: list = field(default_factory=list)
    version: tuple = (0, 0, 0)


def header_files(folder=HEADERS):
    """In the order in which each comes after what it includes."""
    done = []

    def visit(path):
        for name in re.findall(r'^#include "(\w+\.h)"', path.read_text(), re.M):
            if path.with_name(name) not in done:
                visit(path.with_name(name))
        if path not in done:
            done.append(path)

    visit(pathlib.Path(folder) / "visviva.h")
    return [p for p in done if p.name != "visviva.h"]


def plain(comment):
    """The text of a comment, in lines of one paragraph or list item each."""
    text = re.sub(r"^/\*|\*/$", "", comment.strip())
    lines = [re.sub(r"^\s*\*? ?", "", line).rstrip() for line in text.splitlines()]
    out = []
    for line in lines:
        line = line.strip() if not out or not out[-1].startswith("-") else line
        if not line.strip() or re.fullmatch(r"-+.*-*", line) and "--" in line:
            out.append("")
        elif out and out[-1] and not line.startswith("- "):
            out[-1] += " " + line.strip()
        else:
            out.append(line.strip())
    return "\n".join(out).strip("\n")


def join(*comments):
    return "\n".join(c for c in comments if c)


def strip_banners(text):
    """Without preprocessor lines, and without the comments that only rule off a section ("/* ---- bodies ---- */")."""
    text = re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*$", "", text, flags=re.M)
    text = re.sub(r'extern "C" \{', "", text)
    return re.sub(r"/\*\s*-{4}.*?\*/", "/*=*/", text, flags=re.S)


class Scanner:
    """Statements of a header, each with the comment before it and those inside or behind it."""

    def __init__(self, text):
        self.pieces = re.findall(r"/\*.*?\*/|[{};]|\n|[^/{};\n]+|/", strip_banners(text), re.S)
        self.at = 0

    def statements(self):
        before, code, inside, depth, blank, gap = "", "", [], 0, 0, False
        while self.at < len(self.pieces):
            piece = self.pieces[self.at]
            self.at += 1
            if piece.startswith("/*"):
                if not code.strip():
                    before = "" if piece == "/*=*/" else piece
                    inside, blank = [], 0
                else:
                    inside.append(piece)
                    code += f" @{len(inside) - 1}@ "
                continue
            if piece == "\n":
                if not code.strip():
                    blank += 1
                    if blank > 1:
                        before, gap = "", True
                code += "\n"
                continue
            if piece.strip():
                blank = 0
            code += piece
            depth += {"{": 1, "}": -1}.get(piece, 0)
            if piece == ";" and depth == 0:
                behind = self.behind()
                yield code.strip(), before, inside, behind, gap
                before, code, inside, blank, gap = "", "", [], 0, False
            elif depth < 0:  # the end of extern "C"
                depth, code = 0, ""

    def behind(self):
        """The comment that follows on the same line."""
        at = self.at
        while at < len(self.pieces) and not self.pieces[at].strip() and self.pieces[at] != "\n":
            at += 1
        if at < len(self.pieces) and self.pieces[at].startswith("/*") and self.pieces[at] != "/*=*/":
            self.at = at + 1
            return self.pieces[at]
        return ""


def split(text, by=","):
    depth, parts = 0, [""]
    for c in text:
        depth += {"(": 1, ")": -1, "[": 1, "]": -1}.get(c, 0)
        if c == by and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts if p.strip()]


def declarator(text):
    """("const double *", "positions", ("3",)) of "const double *positions[3]"; of a function pointer its whole type."""
    text = " ".join(text.split())
    pointer = re.match(r"(.*?)\(\*(\w+)\)\((.*)\)$", text)
    if pointer:
        return f"{pointer[1].strip()} (*)({pointer[3]})", pointer[2], ()
    found = re.match(r"(.*?[\s*])(\w+)((?:\[[^\]]*\])*)$", text)
    if not found:
        return text, "", ()
    kind = re.sub(r"\s*\*\s*", " *", found[1]).strip().replace("* *", "**")
    return kind, found[2], tuple(re.findall(r"\[([^\]]*)\]", found[3]))


def declare(text):
    parts = split(" ".join(text.split()))
    kind, name, sizes = declarator(parts[0])
    out = [(name, kind, sizes)]
    base = re.sub(r"\s*\*+$", "", kind)
    for part in parts[1:]:
        stars, name, sizes = re.match(r"(\**)\s*(\w+)((?:\[[^\]]*\])*)$", part).groups()
        out.append((name, base + (" " + stars if stars else ""), tuple(re.findall(r"\[([^\]]*)\]", sizes))))
    return out


def struct_members(body, comments):
    """Line by line: a comment that begins behind a declaration on the same line is that one's; one that stands before a
    declaration, on lines of its own or within it, is that of what follows."""
    out, text, lead, fresh = [], "", [], False
    for piece in re.findall(r"@\d+@|;|\n|[^@;\n]+", body):
        note = re.fullmatch(r"@(\d+)@", piece)
        if note:
            comment = plain(comments[int(note[1])])
            if fresh and out:
                out[-1][1].append(comment)
            else:
                lead.append(comment)
        elif piece == ";":
            out.append([declare(text), lead])
            text, lead, fresh = "", [], True
        elif piece == "\n":
            fresh = False
            text += " "
        elif piece.strip():
            text += piece
    return [Member(name, kind, sizes, " ".join(c for c in notes if c))
            for kinds, notes in out for name, kind, sizes in kinds]


def enum_values(body, comments):
    out, last, fresh, lead = {}, None, False, ""
    for piece in re.findall(r"@\d+@|,|\n|[^@,\n]+", body):
        note = re.fullmatch(r"@(\d+)@", piece)
        if note:
            comment = plain(comments[int(note[1])])
            if last and (fresh or not lead) and not out[last]:
                out[last] = comment
            else:
                lead = comment
        elif piece.strip() and piece != ",":
            name = piece.split("=")[0].strip()
            out[name], lead, last, fresh = lead, "", name, True
        elif piece == "\n":
            fresh = False
    return out


def parse(folder=HEADERS):
    api = Api()
    for path in header_files(folder):
        text = path.read_text()
        if path.name == "base.h":
            api.version = tuple(int(re.search(rf"#define VV_VERSION_{part} (\d+)", text)[1])
                                for part in ("MAJOR", "MINOR", "PATCH"))
        read(api, path.name, Scanner(text.split("*/", 1)[1]))
    return api


def read(api, header, scanner):
    last = None
    for code, before, inside, behind, gap in scanner.statements():
        last = None if gap else last
        flat = " ".join(re.sub(r"@\d+@", "", code).split())
        comment = join(plain(before) if before else "", plain(behind) if behind else "")
        body = re.match(r"(?:typedef )?(struct|enum)\s*(\w*)\s*\{(.*)\}\s*(\w*)\s*;$", code, re.S)
        if body and body[1] == "struct":
            api.structs[body[4]] = Struct(body[4], struct_members(body[3], inside), comment, header)
        elif body:
            api.enums.append(Enum(body[4], enum_values(body[3], inside), comment, header))
        elif flat.startswith("VV_API"):
            kind, name, parameters = re.match(r"VV_API (.*?[ *])(vv\w+)\((.*)\);$", flat).groups()
            listed = [declarator(p) for p in split(parameters) if p != "void"]
            notes = join(comment, *[plain(c) for c in inside])
            own = bool(notes)
            if not own and last is not None:  # directly below another: one comment for both
                notes = last.comment
            last = api.functions[name] = Function(name, kind.strip(), listed, notes, header, own)
            continue
        elif re.match(r"typedef struct \w+ \w+;$", flat):
            api.opaque.append(flat.split()[-1].rstrip(";"))
        elif flat.startswith("typedef"):
            api.callbacks.append(flat)
        last = None


def declarations(folder=HEADERS):
    """The headers as the preprocessor leaves them, for cffi."""
    with tempfile.TemporaryDirectory() as empty:
        for name in ("stdbool.h", "stddef.h", "stdint.h"):
            (pathlib.Path(empty) / name).touch()
        command = ["cc", "-E", "-P", "-nostdinc", "-I", empty, "-x", "c", str(pathlib.Path(folder) / "visviva.h")]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return text.replace('__attribute__((visibility("default")))', "")


# ---- the convention, checked (base.h says what it is) ----------------------------------------------------------------

ELEMENTS = r"(?:double|int|vvLedgerRow|vvVisible|vvContactPoint|vvIntersection|vvRunIntersection|vvBodyId|vvJointId|vvRestAngle|vvParam)"
# single values that a function writes: no arrays
SINGLE = {"count", "firstNode", "valueCount", "energy", "largest", "smallest", "body", "joint", "row", "whole", "param", "steps", "fraction"}


def arrays_of(comment):
    """{"positions": "nodeCount x 3", "returns": ...}"""
    found = re.search(r"Arrays: ([^.]*)\.", comment)
    return dict(re.findall(r"(\w+)\[([^\]]*)\]", found[1])) if found else {}


def faults(api):
    """What has no comment or no shape."""
    for f in api.functions.values():
        if not f.comment:
            yield f"{f.header}: {f.name} has no comment"
        wanted = [name for kind, name, sizes in f.parameters if not sizes and name not in SINGLE and
                  re.fullmatch(rf"(const )?({ELEMENTS} \*\*?|char \*const \*)", kind)]
        if re.fullmatch(rf"const {ELEMENTS} \*", f.returns):
            wanted.append("returns")
        said = arrays_of(f.comment)
        for name in wanted:
            if name not in said:
                yield f"{f.header}: {f.name}: the shape of {name} is not said (\"Arrays: {name}[n x 3].\")"
        if f.own:
            for name in said:
                if name not in wanted:
                    yield f"{f.header}: {f.name}: a shape is said of {name}, which is no array of it"
    for s in api.structs.values():
        for m in s.members:
            if not m.comment:
                yield f"{s.header}: {s.name}.{m.name} has no comment"
            kind = m.type.replace("const ", "")
            if re.fullmatch(r"(double|int|unsigned char|vv\w+) \*", kind) and kind not in ("vvMesh *", "vvWorld *") and not m.comment.startswith("["):
                yield f"{s.header}: {s.name}.{m.name}: its comment does not begin with its shape ([n x 3])"
    for e in api.enums:
        for name, comment in e.values.items():
            if not comment:
                yield f"{e.header}: {name} has no comment"


if __name__ == "__main__":
    wrong = list(faults(parse()))
    print("\n".join(wrong) or "headers: every function, member and enumerator has its comment, every array its shape")
    raise SystemExit(bool(wrong))
