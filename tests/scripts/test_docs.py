#!/usr/bin/env python3
"""The documentation tells the truth: README.md and the pages of docs/.

- a C listing with a main() is the file of examples/ that its first words name, one with the tag "source" a file of tests/; others compile
  (test_doc_listings runs them)
- JSON listings parse, and those of scenes, and parts of scenes, pass `visviva check`; links lead somewhere, every page can be reached from README.md
- every `visviva ...` line names a subcommand and options that exist
- every block of commands is run: here, or by tests/scripts/test_install.sh (tests/scripts/doc_blocks.py says how)
- the tables of schemes, policies, obstacles and ledger columns are complete
- docs/gallery.md lists every shipped scene with how long it takes; where that is minutes, with how long what the picture shows takes
- docs/theory/: every section has its number once, comments and pages cite those that there are, and they name all that `visviva list` does
- formulas: braces and delimiters are balanced, no macro that GitHub refuses

$VISVIVA is the program; without it nothing is run; with it, all cores are busy. VV_DOCS_RUN=0 or VV_TEST_SIZE=quick runs no blocks. In ./test blocks
of half of the pages run, another turn those of the others ($VV_TEST_TURN repeats one; VV_TEST_SIZE=full: all). "test_docs.py PAGE..." checks these pages alone.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import doc_listings
from doc_blocks import FENCE, ROOT, blocks, check_tags, run_page

SEPARATORS = {"&&", "||", "|", ";"}


def commands(script):
    """The simple commands of a shell script, as word lists; comments and redirections dropped."""
    # a quoted program over several lines (awk) is one word
    script = re.sub(r"'[^']*'", lambda quoted: quoted.group().replace("\n", " "), script.replace("\\\n", " "))
    for line in script.splitlines():
        command = []
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            yield ["(unbalanced quotes)", line]
            continue
        for word in words:
            if word in SEPARATORS:
                yield command
                command = []
            else:
                command.append(word)
        if command:
            yield command


def check_links(page, text):
    prose = FENCE.sub("", text)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        if not file.exists():
            yield f"link to {target}, which is not there"
        elif anchor and anchor not in anchors(file.read_text()):
            yield f"link to {target}: no such heading"


def check_paths(text):
    """Files of the repository that the prose names in backticks."""
    for path in re.findall(r"`((?:src|cli|tests|scripts|include|scenes|examples|docs)/[\w./-]*\w)`", FENCE.sub("", text)):
        if "NAME" not in path and "SUBJECT" not in path and not (ROOT / path).exists():
            yield f"{path} is not there"


def anchors(text):
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.replace("`", "").lower()).strip().replace(" ", "-") for h in headings}


def check_c(text):
    for line, language, extra, content in blocks(text):
        if language != "c":
            continue
        if "source" in extra:
            if content not in [source.read_text() for source in (ROOT / "tests").rglob("*.c")]:
                yield f"line {line}: the listing is no file of tests/"
            continue
        if "int main(" in content:
            if content not in [example.read_text() for example in (ROOT / "examples").glob("*.c")]:
                yield f"line {line}: the listing is no file of examples/"
            continue
        source = doc_listings.PRELUDE + doc_listings.function("listing", content)
        result = subprocess.run(["gcc", "-std=c17", "-Wall", "-Werror", "-Wno-unused", "-fsyntax-only", f"-I{ROOT}/include", "-xc", "-"],
                                input=source, capture_output=True, text=True)
        if result.returncode:
            yield f"line {line}: C listing: {result.stderr.strip().splitlines()[-1]}"


def parsed_json(content):
    """A listing, or its lines as members of an object; a ValueError where it is neither."""
    try:
        return json.loads(content)
    except ValueError:
        return json.loads("{" + content.strip().rstrip(",") + "}")


def check_json(text):
    for line, language, _, content in blocks(text):
        try:
            parsed_json(content) if language == "json" else None
        except ValueError as reason:
            yield f"line {line}: JSON listing: {reason}"


TETRAHEDRON = "v 0 0 0\nv 0.001 0 0\nv 0 0.001 0\nv 0 0 0.001\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
BOX = {"box": {"size": [0.01, 0.01, 0.01]}}


def scene_of(listing):
    """The scene that a listing is, or is part of: keys of a scene, of a body, or what a body holds. None: it is something else."""
    if "visviva" in listing or "runs" in listing:
        return listing if "visviva" in listing else None
    if "mesh" in listing or "attach" in listing:
        mesh = {"file": str(ROOT / "meshes/bracket.msh")} if '"group"' in json.dumps(listing) else BOX
        return {"visviva": 1, "bodies": [{"mesh": mesh, **listing}]}
    bodies = [{"name": name, "mesh": BOX, "place": {"translate": [0, y, 0]}} for name, y in (("die", 100), ("tray", 110))]
    return {"visviva": 1, "bodies": bodies, "obstacles": [{"plane": {}}], **listing}


def check_scenes(text, program):
    """Files that the reader has are stood in for."""
    with tempfile.TemporaryDirectory(prefix="test-docs-") as folder:
        place = pathlib.Path(folder)
        shutil.copy(ROOT / "meshes/cactus_5k.msh", place / "coarse.msh")
        shutil.copy(ROOT / "meshes/bracket.msh", place / "clip.msh")
        (place / "valley.pgm").write_text("P2 3 3 9 0 1 2 3 4 5 6 7 8\n")
        for name in ("fine.obj", "model.obj", "hand_000.obj", "hand_001.obj"):
            (place / name).write_text(TETRAHEDRON)
        for line, language, extra, content in blocks(text):
            listing = parsed_json(content) if language == "json" else None
            scene = scene_of(listing) if isinstance(listing, dict) else None
            if scene is None:
                continue
            (place / "scene.json").write_text(json.dumps(scene))
            done = subprocess.run([program.path, "check", str(place / "scene.json")], capture_output=True, text=True)
            if done.returncode:
                yield f"line {line}: visviva check refuses the scene: {done.stderr.strip()}"


class Program:
    def __init__(self, path):
        self.path = path
        self.helps = {}

    def help(self, *command):
        """What `visviva COMMAND --help` prints; None where there is no such command."""
        if command not in self.helps:
            result = subprocess.run([self.path, *command, "--help"], capture_output=True, text=True)
            self.helps[command] = result.stdout if result.returncode == 0 else None
        return self.helps[command]

    def check(self, words):
        """words: what follows "visviva"."""
        if not words or words[0] in ("--help", "--version") or re.fullmatch(r"[A-Z.…]+", words[0]):
            return
        text = self.help(words[0], *(["--cost"] if "--cost" in words else []))  # that has options of its own
        if text is None:
            yield f"visviva {words[0]}: no such command"
            return
        for word in words[1:]:
            option = word.split("=")[0]
            if re.match(r"-{1,2}[a-z]", option) and not re.search(r"(^|[\s,])" + re.escape(option) + r"\b", text):
                yield f"visviva {words[0]} {option}: no such option"


def check_commands(text, program):
    made = set()  # by the commands of the page: "-o NAME"
    for line, language, _, content in blocks(text):
        if language not in ("sh", "bash"):
            continue
        for words in commands(content):
            first = words[0]
            made.update("./" + name for option, name in zip(words, words[1:]) if option == "-o")
            made.update(words[words.index("-B") + 1] + "/" + name for name in re.findall(r"add_executable\((\w+)", text) if "-B" in words)
            if first in ("visviva", "build/visviva") and program:
                yield from (f"line {line}: {p}" for p in program.check(words[1:]))
            elif first == "./run":
                scene = words[1] if len(words) > 1 else "--list"
                if not scene.startswith("-") and not (ROOT / "scenes" / f"{scene}.json").exists() and not (ROOT / scene).exists():
                    yield f"line {line}: ./run {scene}: no such scene"
                elif program and len(words) > 2:
                    yield from (f"line {line}: {p}" for p in program.check(["run"] + words[2:]))
            elif "/" in first and not first.startswith("build") and first not in made and not (ROOT / first).exists():
                yield f"line {line}: {first} is not there"
            elif "/" not in first and not shutil.which(first) and first not in (".", "visviva", "cd", "sudo", "export", "blender", "npm", "paraview"):
                yield f"line {line}: {first}: no such command"
    if program:
        for span in re.findall(r"(?<!`)`visviva ([a-z][^`\n]*)`(?!`)", FENCE.sub("", text)):
            yield from program.check(span.split())


def first_cells(text):
    return {cell for row in re.findall(r"^\| (.*?) \|", text, re.MULTILINE) for cell in re.findall(r"`([^`]+)`", row)}


def check_tables():
    """Names in the source that a page must list."""
    schemes = re.findall(r'^    \{ \{ "([a-z0-9-]+)"', (ROOT / "src/step/schemes/schemes.c").read_text(), re.MULTILINE)
    page = first_cells((ROOT / "docs/integrators.md").read_text())
    yield from (f"docs/integrators.md: scheme {name} is missing" for name in schemes if name not in page)
    if len(schemes) < 10:
        yield "docs/integrators.md: the test reads src/step/schemes/schemes.c wrongly"
    policies = [name for file in (ROOT / "src/step").rglob("*.c")
                for name in re.findall(r'vv_policy_ops \w+ = \{\s*\.info = \{ "([a-z0-9-]+)"', file.read_text())]
    text = (ROOT / "docs/integrators.md").read_text()
    yield from (f"docs/integrators.md: policy {name} is missing" for name in policies if f"- `{name}`" not in text)
    if len(policies) < 3:
        yield "docs/integrators.md: the test reads src/step/ wrongly"
    obstacles = (ROOT / "docs/obstacles.md").read_text()
    for file in sorted((ROOT / "src/contact/obstacles").glob("*.c")):
        source = file.read_text()
        row = re.search(rf"^\| `{file.stem.replace('_', '-')}` \|(.*)$", obstacles, re.MULTILINE)
        for name in re.findall(r'^    \{ "(\w+)", "', source, re.MULTILINE):
            if not row or f"`{name}`" not in row.group(1):
                yield f"docs/obstacles.md: {file.stem}: parameter {name} is missing"
    header = (ROOT / "include/visviva/ledger.h").read_text()
    body = re.sub(r"/\*.*?\*/", "", re.search(r"typedef struct vvLedgerRow \{(.*?)\} vvLedgerRow;", header, re.DOTALL).group(1), flags=re.DOTALL)
    fields = [re.sub(r"\[.*", "", f.strip()) for d in re.findall(r"(?:int64_t|double|int)\s+([^;]*);", body) for f in d.split(",")]
    columns = first_cells((ROOT / "docs/ledger.md").read_text())
    yield from (f"docs/ledger.md: column {name} is missing" for name in fields if name not in columns)
    yield from (f"docs/ledger.md: column {name} is not in vvLedgerRow" for name in columns - set(fields))


NUMBERS = {5: "five", 15: "fifteen", 16: "sixteen", 17: "seventeen", 18: "eighteen", 19: "nineteen", 20: "twenty"}


def check_readme(text, program):
    """What README.md counts and lists is what the program lists; the newest heading of docs/changes.md is the program's version."""
    def listed(what):
        said = subprocess.run([program.path, "list", what, "--json"], capture_output=True, text=True).stdout
        return [row["name"] for row in json.loads(said)[what]]
    schemes = NUMBERS.get(len(listed("schemes")), str(len(listed("schemes"))))
    if f"{schemes} schemes" not in " ".join(text.split()):
        yield f"README.md does not say \"{schemes} schemes\""
    found = re.search(r"analytic obstacles \(([^)]*)\)", text)
    named = set(re.findall(r"`([\w-]+)`", found.group(1))) if found else set()
    if named != set(listed("obstacles")):
        yield f"README.md names other obstacles: {', '.join(sorted(named ^ set(listed('obstacles'))))}"
    version = subprocess.run([program.path, "--version"], capture_output=True, text=True).stdout.split()[1]
    newest = re.search(r"^## (\S+)", (ROOT / "docs/changes.md").read_text(), re.MULTILINE).group(1)
    if version != newest:
        yield f"docs/changes.md begins with {newest}, and the program is {version}"


def check_summary(program):
    """docs/json.md names the keys of a run's summary, and no others."""
    with tempfile.TemporaryDirectory(prefix="test-docs-") as folder:
        file = pathlib.Path(folder) / "summary.json"
        subprocess.run([program.path, "run", str(ROOT / "scenes/rotating-cube.json"), "-o", f"{folder}/run.vtkhdf", "--quiet", "--until", "0.05",
                        "--summary", str(file)], check=True)
        keys = set(json.loads(file.read_text()))
    table = (ROOT / "docs/json.md").read_text().split("## The summary of a run")[1]
    named = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?) \|", table, re.MULTILINE))))
    yield from (f"docs/json.md: key {key} of the summary {'is missing' if key in keys else 'is not there'}" for key in sorted(keys ^ named))


def check_formats(program):
    """The table of mesh formats is what the program lists."""
    said = subprocess.run([program.path, "list", "mesh-formats"], capture_output=True, text=True).stdout
    names = set(re.findall(r"^  ([a-z][\w-]*) ", said, re.MULTILINE))
    page = (ROOT / "docs/mesh-files.md").read_text()
    table = {cell for cell in re.findall(r"^\| `([\w-]+)` \|[^|]*\|[^|]*\|[^|]*\|$", page, re.MULTILINE)}
    yield from (f"docs/mesh-files.md: the format {name} is missing" for name in sorted(names - table))
    yield from (f"docs/mesh-files.md: there is no format {name}" for name in sorted(table - names))


def picture_ends():
    """How far scripts/gallery runs a scene that it does not run to its end, as text."""
    script = (ROOT / "scripts/gallery").read_text()
    found = dict(re.findall(r'^    \[([\w-]+)\]="([\d.]+) [\d.]+ --', script, re.MULTILINE))
    found.update(re.findall(r"\[([\w-]+)\]=([\d.]+)", re.search(r"^declare -A until=\(([^)]*)\)$", script, re.MULTILINE).group(1)))
    return found


def check_gallery(text, scenes, ends):
    """Rows "| names | what | times |": a time for each name, ", " between them, then "; the picture TIME (`--until S`)"."""
    listed = []
    for cell, times in re.findall(r"^\| (\[?`.*?) \|.*\| ([^|]*) \|$", text, re.MULTILINE):
        names = re.findall(r"`([\w-]+)`", cell)
        whole, _, picture = times.partition("; ")
        listed += names
        if len(whole.split(", ")) != len(names) or not all(re.fullmatch(r"[1-9]0* (s|min)", time) for time in whole.split(", ")):
            yield f"{', '.join(names)}: \"{whole}\" is not a time for each, \"20 s\" or \"3 min\""
        shown = re.fullmatch(r"the picture ([1-9]0* s|[12] min) \(`--until ([\d.]+)`\)", picture)
        if picture and (not shown or shown.group(2) != ends.get(names[0])):
            yield f"{names[0]}: \"{picture}\" is not \"the picture 20 s (`--until {ends.get(names[0], 'S')}`)\", as scripts/gallery makes it"
        if " min" in whole and not picture:
            yield f"{names[0]}: takes minutes, and nothing says how long what its picture shows takes"
    yield from (f"the scene {name} is missing" for name in scenes if name not in listed)
    yield from (f"there is no scene {name}" for name in listed if name not in scenes)


def check_version(text):
    """A page asks CMake for the version that this checkout installs."""
    header = (ROOT / "include/visviva/base.h").read_text()
    version = ".".join(re.search(rf"VV_VERSION_{part} (\d+)", header).group(1) for part in ("MAJOR", "MINOR"))
    for asked in re.findall(r"find_package\(visviva (\d[\d.]*)", text):
        if asked != version:
            yield f"find_package(visviva {asked}): this is version {version}"


SECTION = re.compile(r"^## (\d+(?:\.\d+)?)\.? ", re.MULTILINE)
CITATION = re.compile(r"theory §[\d.]+(?:(?:,| and| to) §[\d.]+)*")


def check_numbers(pages):
    """Sections are "## 1.1 Title", or "## 10. Title" in a chapter that has no others: ascending on a page, without gaps over all pages."""
    def key(number):
        return tuple(int(part) for part in number.split("."))
    found = []
    for text in pages:
        on_page = SECTION.findall(FENCE.sub("", text))
        yield from (f"section {after} stands after {before}" for before, after in zip(on_page, on_page[1:]) if key(after) <= key(before))
        found += on_page
    chapter = section = 0
    for number in sorted(found, key=key):
        parts = key(number)
        if len(parts) == 1 or parts[0] != chapter:
            chapter, section = chapter + 1, 0
        section += len(parts) > 1
        expected = f"{chapter}.{section}" if len(parts) > 1 else str(chapter)
        if number != expected:
            yield f"section {number} stands where {expected} should"
            chapter, section = parts[0], parts[-1] if len(parts) > 1 else 0


def check_citations(text, numbers):
    """numbers: of the sections that there are."""
    joined = re.sub(r"\s*\n[ \t]*(?:\*|//|#)?[ \t]*", " ", text)  # a comment may break its line within a citation
    for citation in CITATION.findall(joined):
        for number in re.findall(r"[\d.]*\d", citation):
            if number not in numbers:
                yield f"theory §{number}: docs/theory/ has no such section"


def check_length(text):
    """Pages stay short enough to be read at one sitting."""
    lines = text.count("\n")
    if lines > 400:
        yield f"{lines} lines: split the page by subject, at most 400"


def check_theory(program):
    texts = [file.read_text() for file in sorted((ROOT / "docs/theory").glob("*.md")) if file.name != "README.md"]
    page = "\n".join(texts)
    numbers = {number for number in SECTION.findall(FENCE.sub("", page))}
    numbers |= {number.split(".")[0] for number in numbers}
    if len(numbers) < 20:
        yield "docs/theory/: the test reads the headings wrongly"
    yield from (f"docs/theory/: {problem}" for problem in check_numbers(texts))
    cited = 0
    for folder in ("src", "cli", "include", "tests", "examples", "docs", "bench", "scripts", "experiments", "python", "web"):
        for file in sorted((ROOT / folder).rglob("*")):
            if file.is_file() and (file.suffix in (".c", ".h", ".py", ".sh", ".md", ".cmake", ".txt") or folder == "scripts"):
                text = file.read_text(errors="replace")
                cited += len(CITATION.findall(text))
                yield from (f"{file.relative_to(ROOT)}: {problem}" for problem in check_citations(text, numbers))
    if cited < 20:
        yield "docs/theory/: the test finds hardly any citation"
    spans = set(re.findall(r"(?<!\$)`([^`\n]+)`(?!\$)", FENCE.sub("", page)))
    for what in ("schemes", "policies", "solvers", "linear-solvers", "line-searches", "materials", "obstacles") if program else ():
        said = subprocess.run([program.path, "list", what], capture_output=True, text=True).stdout
        names = re.findall(r"^  ([a-z][\w-]*) ", said, re.MULTILINE)
        if not names:
            yield f"docs/theory/: the test reads visviva list {what} wrongly"
        yield from (f"docs/theory/: {name} of visviva list {what} is missing" for name in names if name not in spans)


REFUSED = ("\\operatorname", "\\newcommand", "\\def", "\\label", "\\require")  # by GitHub's MathJax


def check_formula(formula):
    plain = re.sub(r"\\\\|\\[{}]", "", formula)
    depth = 0
    for sign in plain:
        depth += (sign == "{") - (sign == "}")
        if depth < 0:
            break
    if depth:
        yield "unbalanced braces"
    if len(re.findall(r"\\left(?![a-zA-Z])", plain)) != len(re.findall(r"\\right(?![a-zA-Z])", plain)):
        yield "\\left without \\right"
    if re.findall(r"\\begin\{(\w+)\}", plain) != re.findall(r"\\end\{(\w+)\}", plain):
        yield "\\begin without \\end"
    yield from (f"{macro} is refused by GitHub" for macro in REFUSED if re.search(re.escape(macro) + r"(?![a-z])", formula))


def check_math(text):
    """Formulas are ```math blocks and $`...`$; a | within one would end the cell of a table."""
    for line, language, _, content in blocks(text):
        if language == "math":
            yield from (f"line {line}: formula: {problem}" for problem in check_formula(content))
    prose = FENCE.sub(lambda block: "\n" * block.group().count("\n"), text)
    for line, row in enumerate(prose.split("\n"), 1):
        formulas = re.findall(r"\$`([^`]*)`\$", row)
        rest = re.sub(r"\$`[^`]*`\$|`[^`]*`", "", row)
        if "$`" in rest or "`$" in rest:
            yield f"line {line}: formula without an end in its line: {row.strip()[:60]}"
        for formula in formulas:
            yield from (f"line {line}: formula {formula}: {problem}" for problem in check_formula(formula))
            if row.startswith("|") and "|" in formula:
                yield f"line {line}: formula {formula}: a | within a table"


MADE_BY_PROGRAM = {"python-api.md", "scene-file.md"}


def check_page(page, text, program):
    yield from check_length(text) if page.name not in MADE_BY_PROGRAM else ()
    yield from check_tags(page, text)
    yield from check_links(page, text)
    yield from check_paths(text)
    yield from check_c(text)
    yield from check_json(text)
    yield from check_commands(text, program)
    yield from check_math(text)
    yield from check_version(text)


BAD = """# Bad
[gone](nowhere.md) [no heading](#absent) `visviva frobnicate x` `src/base/gone.c`
```c
int main(void) { return 1; }
```
```c
vvNoSuchType x;
```
```c source
int no_test_compiles_this;
```
```json
{ "a": }
```
```json
"contact": { "no_such_key": 1 }
```
```sh
visviva run a.json --no-such-option
./run no-such-scene
scripts/no-such-script
no-such-command-at-all
```
```sh runnable
false
```
```sh checkout
scripts/setup no-such-section
```
```sh runnable file=a.json needs=sh
test -s a.json
exit 17
```
```sh runnbale
true
```
```fish
true
```
```python
def
```
```cmake
project(x)
find_package(visviva 0.0)
```
```math
\\left( \\frac{1}{2 \\right)
```
```math
\\left( \\operatorname{tr} F
```
and $`\\sqrt{2`$, and $`without an end
| $`|x|`$ |
"""
EXPECTED = ["find_package(visviva 0.0):", "nowhere.md", "src/base/gone.c", "#absent", "frobnicate", "is no file of examples/", "is no file of tests/", "C listing", "JSON listing", "--no-such-option",
            "no-such-scene", "no-such-script", "visviva check refuses the scene", "no-such-command-at-all", "exit code 1:", "bears one tag", "no section no-such-section",
            "exit code 17", "runnbale is no tag", "fish are run by nothing", "python listing", "a cmake block bears",
            "formula: unbalanced braces", "\\left without", "is refused by GitHub",
            "section 1.3 stands where 1.2", "section 2.1 stands where 2.2", "section 2.1 stands after 3.1", "401 lines",
            "theory" + " §1.2:", "theory" + " §7:", "\\sqrt{2: unbalanced braces", "without an end", "a | within a table"]
BAD_GALLERY = """| scene | what it shows | time |
| --- | --- | --- |
| [`a`](#a) | x | 2 min |
| `b`, `c` | x | 3 s |
| `d` | x | 3 min; the picture 40 s (`--until 3`) |
| `f` | x | 25 s |
"""
EXPECTED += ["a: takes minutes", 'b, c: "3 s" is not', 'd: "the picture', "scene e is missing", "no scene f", 'f: "25 s"']
BAD_NUMBERS = ["## 1.1 First\n## 1.3 Third\n", "## 3.1 x\n## 2.1 x\n## 2.1 y\n"]
BAD_CITATIONS = "/* theory" + " §1.1, §1.2 */ and theory" + "\n * §7, and theory" + " §2."


def self_test(program):
    """The checks see each fault of a bad page."""
    found = list(check_page(ROOT / "README.md", BAD, program)) + (list(run_page(BAD, program.path, [])) if program else [])
    found += list(check_scenes(BAD.replace('{ "a": }', "{}"), program)) if program else []
    found += [*check_numbers(BAD_NUMBERS), *check_length("x\n" * 401), *check_gallery(BAD_GALLERY, list("abcde"), {"d": "2"}), *check_citations(BAD_CITATIONS, {"1", "1.1", "2"})]
    needs_program = {"visviva check refuses the scene", "frobnicate", "--no-such-option", "exit code 1:", "exit code 17", "no section no-such-section"}
    return [f"self-test: a bad page passes: {e}" for e in EXPECTED
            if not any(e in f for f in found) and (program or e not in needs_program)]


def check_reachable(pages):
    """Every page is linked from another one, beginning with README.md."""
    reached, todo = set(), [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page in reached or page.suffix != ".md" or not page.exists():
            continue
        reached.add(page)
        todo += [(page.parent / target).resolve() for target in re.findall(r"\]\(([^)#\s:]+)", FENCE.sub("", page.read_text()))]
    yield from (f"{page.relative_to(ROOT)}: no link leads here" for page in pages if page not in reached)


def pages_to_run(pages, named):
    """Those of the pages whose blocks run this time."""
    size, turn = os.environ.get("VV_TEST_SIZE"), os.environ.get("VV_TEST_TURN")
    if os.environ.get("VV_DOCS_RUN") == "0" or size == "quick":
        return []
    if named or size == "full" or not turn:
        return pages
    print(f"blocks of half of the pages: VV_TEST_TURN={turn}")
    return pages[int(turn) % 2::2]


def try_page(page, program, runs):
    """Its faults, and what to tell: blocks that were not run, the time."""
    text, left_out, began = page.read_text(), [], time.monotonic()
    found = list(check_page(page, text, program))
    found += list(check_scenes(text, program)) if program and not any("JSON listing" in fault for fault in found) else []
    if program and runs:
        found += run_page(text, program.path, left_out)
    return found, [f"not run: {reason}" for reason in left_out] + [f"{time.monotonic() - began:.1f} s"]


def main():
    path = os.environ.get("VISVIVA", str(ROOT / "build/visviva"))
    program = Program(str(pathlib.Path(path).resolve())) if os.access(path, os.X_OK) else None
    pages = [ROOT / "README.md"] + sorted((ROOT / "docs").rglob("*.md"))
    problems = self_test(program) + list(check_tables()) + list(check_theory(program)) + list(check_reachable(pages))
    problems += [*check_formats(program), *check_summary(program), *check_readme((ROOT / "README.md").read_text(), program)] if program else []
    scenes = sorted(scene.stem for scene in (ROOT / "scenes").glob("*.json"))
    problems += [f"docs/gallery.md: {problem}" for problem in check_gallery((ROOT / "docs/gallery.md").read_text(), scenes, picture_ends())]
    chosen = [pathlib.Path(name).resolve() for name in sys.argv[1:]] or pages
    running = pages_to_run(chosen, sys.argv[1:])
    with concurrent.futures.ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        for page, (found, notes) in zip(chosen, pool.map(lambda page: try_page(page, program, page in running), chosen)):
            problems += [f"{page.relative_to(ROOT)}: {problem}" for problem in found]
            print(*(f"{page.relative_to(ROOT)}: {note}" for note in notes), sep="\n")
    for problem in problems:
        print(problem)
    print(f"test_docs: {len(pages)} pages, {len(problems)} faults" + ("" if program else "; no program: nothing was run"))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
