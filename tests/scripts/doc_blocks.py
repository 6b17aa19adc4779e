"""Runs the fenced blocks of the documentation, for tests/scripts/test_docs.py and tests/scripts/test_install.sh.

A block's first line says what becomes of it:

    ```sh runnable            run, page by page, in a folder that has scenes/ (and all of the tree, where the page has a checkout block)
    ```sh runnable needs=X    the same where the program X is found, else reported; blender and paraview run without a window
    ```sh checkout            commands in a checkout: run in a stand-in of it, in which long things are made short (STANDINS)
    ```sh installed           run by tests/scripts/test_install.sh, with the library installed to an empty home folder
    ```LANGUAGE file=NAME     what the reader saves as NAME: put there before the blocks that follow
    ```python needs=MODULE    run by python3 where it has the module; compiled in any case
    ```c source               a file of tests/, to the letter, which a test compiles with the library's own headers
    ```math                   a formula, for the reader

    doc_blocks.py PAGE.md     prints the "installed" blocks of a page as one shell script, with its files
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
KINDS = {"runnable", "checkout", "installed", "source"}
LANGUAGES = {"sh", "c", "json", "python", "cmake", "html", "math", ""}
END = "END-OF-THE-FILE"


def blocks(text):
    """(first line number, language, extra words, content) of each fenced block."""
    for match in FENCE.finditer(text):
        words = match.group(1).split() or [""]
        yield text[:match.start()].count("\n") + 1, words[0], words[1:], match.group(2)


def value(extra, key):
    """What follows KEY= in the extra words, or None."""
    return next((word[len(key) + 1:] for word in extra if word.startswith(key + "=")), None)


def check_tags(page, text):
    """No block without somebody who runs it."""
    installed = (ROOT / "tests/scripts/test_install.sh").read_text()
    for line, language, extra, content in blocks(text):
        kinds = [word for word in extra if word in KINDS]
        odd = [word for word in extra if word not in KINDS and not re.fullmatch(r"(needs|file)=[\w.-]+", word)]
        if language not in LANGUAGES:
            yield f"line {line}: blocks of {language} are run by nothing"
        if odd:
            yield f"line {line}: {odd[0]} is no tag (tests/scripts/doc_blocks.py)"
        if "source" in kinds and language != "c":
            yield f"line {line}: the tag source is for C"
        if language == "sh" and len(kinds) != 1:
            yield f"line {line}: a sh block bears one tag of: {', '.join(sorted(KINDS - {'source'}))}"
        if language == "cmake" and kinds != ["installed"] and not value(extra, "file"):
            yield f"line {line}: a cmake block bears the tag installed, or file=NAME"
        if language == "html" and not value(extra, "file"):
            yield f"line {line}: a html block bears the tag file=NAME"
        if "installed" in kinds and not re.search(rf"\b{page.stem}\b", installed):
            yield f"line {line}: tests/scripts/test_install.sh does not run this page"
        if language == "python":
            try:
                compile(content, "listing", "exec")
            except SyntaxError as reason:
                yield f"line {line}: python listing: {reason}"


# ---- a stand-in of a checkout ------------------------------------------------------------------------------------------------

# What a test cannot do for real: installing packages, compiling everything, running the tests inside of a test, writing to /usr.
STANDINS = {
    # the packages are there, or this test would not run; the names of the sections are checked
    "scripts/setup": 'for s; do grep -qx "\\[$s\\]" "$ROOT/scripts/packages.txt" || { echo "no section $s" >&2; exit 2; }; done',
    "scripts/build.sh": "vv_build() { [ -x build/visviva ]; }",
    # test_python builds and installs the package; here python is its `python -m visviva`
    "scripts/python-venv": """mkdir -p build-python/bin
printf '#!/bin/sh\\n[ "$1 $2" = "-m visviva" ] && shift 2 && exec visviva "$@"\\n' >build-python/bin/python
chmod +x build-python/bin/python
echo "PATH=$PWD/build-python/bin:\\$PATH" >build-python/bin/activate""",
    # ./test runs this test
    "test": 'exec "$ROOT/test" --help',
    # configures in a folder of its own for real; a build is planned to its last command, not done
    "bin/cmake": """case $1 in
--preset) exec "$CMAKE" -S "$ROOT" -B "$WORK/configured" "$@" ;;
--build) [ "$2" != --preset ] || set -- --build "$WORK/configured"
         exec "$CMAKE" "$@" -- -n ;;
*) exec "$CMAKE" "$@" ;;
esac""",
    # says which tests it would run; none is a fault
    "bin/ctest": '"$CTEST" -N "$@" | grep -E "Total Tests: [1-9]"',
    "bin/sudo": 'DESTDIR="$WORK/root" exec "$@"',
    "bin/ldconfig": "exec true",
}


def make_checkout(here, work):
    """Everything of the tree by links, the build at hand as build/, a short default scene, and STANDINS."""
    build = pathlib.Path(os.environ.get("VV_BUILD_DIR", ROOT / "build")).resolve()
    for entry in ROOT.iterdir():
        if entry.name not in ("scripts", "scenes", "test", "out", ".git") and not entry.name.startswith("build"):
            (here / entry.name).symlink_to(entry)
    (here / "build").symlink_to(build)
    for folder in ("scripts", "scenes"):
        (here / folder).mkdir()
        for entry in (ROOT / folder).iterdir():
            if f"{folder}/{entry.name}" not in STANDINS:
                (here / folder / entry.name).symlink_to(entry)
    scene = here / "scenes/critter-drop.json"
    text = scene.read_text()
    scene.unlink()
    scene.write_text(re.sub(r'"end": [\d.]+', '"end": 0.05', text, count=1))
    (work / "bin").mkdir(exist_ok=True)
    for name, content in STANDINS.items():
        path = work / name if name.startswith("bin/") else here / name
        path.write_text("#!/usr/bin/env bash\n" + content + "\n")
        path.chmod(0o755)


# ---- programs with windows, and a server that would not end -----------------------------------------------------------------

SERVER = """
import functools, http.server, re, threading, urllib.request
server = http.server.ThreadingHTTPServer(("localhost", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
page = urllib.request.urlopen("http://localhost:%d/" % server.server_port).read().decode()
modules = re.search(r"importmap.>(.*?)</script>", page, re.DOTALL).group(1)
prefixes = __import__("json").loads(modules)["imports"]
for name in re.findall(r"from '(.*?)'", page) + re.findall(r"loadAsync\\('(.*?)'", page):
    prefix = max((p for p in prefixes if name == p or p.endswith("/") and name.startswith(p)), key=len, default="")
    path = prefixes.get(prefix, "") + name[len(prefix):]
    print(path, len(urllib.request.urlopen("http://localhost:%d/%s" % (server.server_port, path)).read()))
"""


def make_wrappers(work):
    """blender and paraview, word by word, but without a window; Python's web server serves what a page asks for, and ends."""
    (work / "serve.py").write_text(SERVER)
    (work / "bin/python3").write_text(f'#!/bin/sh\n[ "$*" != "-m http.server" ] || set -- {work}/serve.py\n'
                                      f'exec {shlex.quote(sys.executable)} "$@"\n')
    (work / "bin/python3").chmod(0o755)
    blender = shutil.which("blender")
    if blender:
        # a script given with --python must have made something that moves
        check = "import bpy; assert any(o.modifiers for o in bpy.data.objects), 'nothing moves'"
        (work / "bin/blender").write_text(f'#!/bin/sh\nexec {shlex.quote(blender)} --background --factory-startup --python-exit-code 3 '
                                          f'"$@" --python-expr {shlex.quote(check)}\n')
        (work / "bin/blender").chmod(0o755)
    if shutil.which("paraview") and shutil.which("pvpython"):
        (work / "bin/paraview").write_text("#!/bin/sh\nexec pvpython -c \"import sys; from paraview.simple import *; "
                                           "r = OpenDataFile(sys.argv[1]); r.UpdatePipeline()\" \"$1\"\n")
        (work / "bin/paraview").chmod(0o755)


def missing(what):
    """Why a block that needs WHAT cannot run here; None where it can."""
    tools = {"paraview": ["paraview", "pvpython"]}.get(what, [what])
    absent = next((f"{tool} is not here" for tool in tools if not shutil.which(tool)), None)
    if not absent and what == "npm" and run_command(["npm", "view", "three", "version", "--fetch-retries=0", "--fetch-timeout=15000"],
                                                    "/", os.environ).returncode:
        return "npm does not reach its registry"
    return absent


# options that a command gets unless the page has them
FASTER = {"render": ["--draft", "--size 640x360"], "sheet": ["--quality 1"], "compare": ["--quality 1"]}


def shortened(script):
    """Except in ./test --full, runs of a second and more end after a fifth of it, comparisons and truths after a twentieth; pictures are
    drafts, films half as wide."""
    if os.environ.get("VV_TEST_SIZE") == "full":
        return script
    lines = []
    for line in script.split("\n"):
        words = re.match(r"(?:build/)?visviva (\w+) ", line)
        command = words[1] if words else ""
        part = 20 if command in ("compare", "truth") else 5
        line = re.sub(r"(--until )([1-9]\d*)\b(?!\.)", lambda m: f"{m[1]}{int(m[2]) / part:g}", line)
        line = re.sub(r"(--from )(\d+)", lambda m: f"{m[1]}{int(m[2]) // 5}", line)
        line = line.replace(" --size 1920x1080", " --size 960x540")
        for options in ([] if line.endswith("\\") else FASTER.get(command, [])):
            if "--cost" in line.split():  # has no pictures of bodies
                continue
            line += "" if options.split()[0] in line else f" {options}"
        lines.append(line)
    return "\n".join(lines)


DONE = set()  # "./run" alone takes long and is on two pages: once is enough


def once(script):
    lines = script.splitlines(keepends=True)
    kept = "".join(line for line in lines if not (re.match(r"\./run\s*(#|$)", line) and "./run" in DONE))
    if any(re.match(r"\./run\s*(#|$)", line) for line in lines):
        DONE.add("./run")
    return kept


# ---- running -----------------------------------------------------------------------------------------------------------------

def run_command(command, where, environment):
    try:
        return subprocess.run(command, cwd=where, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", "not done in 300 s")


def run_page(text, program, left_out):
    """Runs the blocks of a page one after the other in one folder. Yields faults; left_out gets what could not be run here."""
    found = list(blocks(text))
    if not any(k in extra for _, _, extra, _ in found for k in ("runnable", "checkout")) and not any(l == "python" for _, l, _, _ in found):
        return
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        here = work / "here"
        here.mkdir()
        (work / "home").mkdir()
        (work / "bin").mkdir()
        (work / "bin/visviva").symlink_to(program)
        if any("checkout" in extra for _, _, extra, _ in found):
            make_checkout(here, work)
        else:
            (here / "scenes").symlink_to(ROOT / "scenes")
        make_wrappers(work)
        environment = dict(os.environ, PATH=f"{work}/bin:" + os.environ["PATH"], HOME=str(work / "home"), ROOT=str(ROOT), WORK=str(work),
                           CMAKE=shutil.which("cmake") or "cmake", CTEST=shutil.which("ctest") or "ctest", VISVIVA=program)
        for line, language, extra, content in found:
            if value(extra, "file"):
                (here / value(extra, "file")).unlink(missing_ok=True)  # it may be a link into the tree
                (here / value(extra, "file")).write_text(content)
            needs = value(extra, "needs")
            if language == "python":
                if needs and run_command(["python3", "-c", f"import {needs}"], here, environment).returncode:
                    left_out.append(f"line {line}: python3 has no module {needs}")
                    continue
                command = ["python3", "-c", content]
            elif language == "sh" and ("runnable" in extra or "checkout" in extra):
                if needs and missing(needs):
                    left_out.append(f"line {line}: {missing(needs)}")
                    continue
                command = ["bash", "-euo", "pipefail", "-c", shortened(once(content))]
            else:
                continue
            result = run_command(command, here, environment)
            if result.returncode:
                yield f"line {line}: runs to exit code {result.returncode}: {(result.stderr or result.stdout).strip()[-600:]}"


def installed_script(text):
    """The "installed" blocks of a page as a shell script. Fragments of CMake become a project that is configured."""
    script = ""
    for line, language, extra, content in blocks(text):
        name = value(extra, "file")
        if language == "cmake" and "installed" in extra:
            name, content = f"fragment-{line}/CMakeLists.txt", ("cmake_minimum_required(VERSION 3.22)\nproject(mine C CXX)\n"
                                                               "file(WRITE mine.c \"int main(void) { return 0; }\")\n"
                                                               "add_executable(mine mine.c)\n" + content)
        if name:
            script += f"mkdir -p {shlex.quote(os.path.dirname(name) or '.')}\ncat >{shlex.quote(name)} <<'{END}'\n{content}{END}\n"
        if language == "cmake" and "installed" in extra:
            script += f"ln -sfn \"$SOURCE\" fragment-{line}/visviva\ncmake -G Ninja -S fragment-{line} -B fragment-{line}/build\n"
        if language == "sh" and "installed" in extra:
            script += content
    return script


if __name__ == "__main__":
    sys.stdout.write(installed_script(pathlib.Path(sys.argv[1]).read_text()))
