#!/usr/bin/env python3
"""Writes a C program of the listings in docs/*.md: each in a function of its own, with what the pages take for granted.

    doc_listings.py OUTPUT.c PAGE.md...

Listings with the tag "source" are files of tests/ and not for here. Taken for granted: a `world` that has a ground plane and a body `ball` above it, `mesh` (the ball's), `error`, and a file bunny.obj. Listings with a
main() are files of examples/ and not for here. The program runs each listing in a new world, and fails where one leaves an error.
"""
import pathlib
import re
import sys

FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

PRELUDE = """/* Made by tests/scripts/doc_listings.py: the C listings of the documentation. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <visviva/visviva.h>

static vvError error;
static vvMesh mesh;
"""

MAIN = """
static vvWorld *make(vvBodyId *ball)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.integrator.groundMode = VV_GROUND_NONE; /* quicker */
    vvObstacleDef ground = vvDefaultObstacleDef();
    vvBodyDef body = vvDefaultBodyDef();
    vvWorld *world = NULL;
    body.name = "ball";
    body.mesh = &mesh;
    body.translate[1] = 0.2;
    if (vvWorldCreate(&def, &world, &error) || vvWorldAddObstacle(world, &ground, NULL, &error) ||
        vvWorldAddBody(world, &body, ball, &error) || vvWorldStep(world, NULL, &error))
        return NULL;
    return world;
}

int main(void)
{
    int failed = 0;
    if (vvMeshGenerate("ball", NULL, 0, &mesh, &error) || vvMeshWrite(&mesh, "bunny.obj", NULL, &error))
        return 1;
    for (int i = 0; i < (int)(sizeof listings / sizeof *listings); i++) {
        vvBodyId ball;
        error = (vvError){ VV_OK, "" };
        vvWorld *world = make(&ball);
        printf("%s\\n", listings[i].place);
        if (world)
            listings[i].run(world, ball);
        if (!world || error.status != VV_OK) {
            printf("  %s\\n", error.message);
            failed++;
        }
        vvWorldDestroy(world);
    }
    vvMeshDestroy(&mesh);
    printf("%d listings, %d failed\\n", (int)(sizeof listings / sizeof *listings), failed);
    return failed != 0;
}
"""


def function(name, content):
    body = "".join("    " + line + "\n" if line else "\n" for line in content.splitlines())
    return (f"\nstatic void {name}(vvWorld *world, vvBodyId ball)\n{{\n    (void)world;\n    (void)ball;\n"
            f"    {{\n{body}    }}\n}}\n")


def program(pages):
    """pages: (name, text) pairs. The whole program; None where there is no listing."""
    functions, rows = "", ""
    for page, text in pages:
        for match in FENCE.finditer(text):
            words = match.group(1).split()
            if words[:1] != ["c"] or "source" in words or "int main(" in match.group(2):
                continue
            line = text[:match.start()].count("\n") + 1
            name = f"listing_{re.sub(r'[^a-z0-9]', '_', pathlib.Path(page).stem)}_{line}"
            functions += function(name, match.group(2))
            rows += f'    {{ "{page}, line {line}", {name} }},\n'
    if not rows:
        return None
    return (PRELUDE + functions + "\nstatic const struct {\n    const char *place;\n    void (*run)(vvWorld *world, vvBodyId ball);\n"
            "} listings[] = {\n" + rows + "};\n" + MAIN)


if __name__ == "__main__":
    output, pages = sys.argv[1], sys.argv[2:]
    pathlib.Path(output).write_text(program([(page, pathlib.Path(page).read_text()) for page in pages]))
