#!/usr/bin/env python3
"""Contact, scene by scene and claim by claim. Writes results/scenes.json, results/claims.json and results/RESULTS.md.

    experiments/contact/run.py                      everything (an hour or two on two cores)
    experiments/contact/run.py --quick              the first moments of everything
    experiments/contact/run.py --only press tunnel  these scenes or groups of claims
"""
import argparse
import json
import os
import sys

sys.dont_write_bytecode = True
import claims
import scenes
from common import HERE, table


def load(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return json.load(file)


def merge(old, new, keys):
    """New rows take the place of old ones with the same keys."""
    fresh = {tuple(row[k] for k in keys) for row in new}
    return [row for row in old if tuple(row[k] for k in keys) not in fresh] + new


def write(folder, scene_rows, claim_rows):
    os.makedirs(folder, exist_ok=True)
    for name, rows in (("scenes", scene_rows), ("claims", claim_rows)):
        with open(os.path.join(folder, name + ".json"), "w") as file:
            json.dump(rows, file, indent=1)
            file.write("\n")
    with open(os.path.join(folder, "RESULTS.md"), "w") as file:
        file.write("# Contact: results\n\nWritten by `experiments/contact/run.py`; [README](../README.md) says what is run.\n\n")
        file.write("## Claims\n\n")
        file.write(table(["claim", "case", "measured", "wanted", ""],
                         [[r["claim"], r["case"], r["measured"], r["wanted"], "yes" if r["ok"] else "**no**"] for r in claim_rows]))
        file.write("\n## Scenes\n\n")
        file.write(scenes.markdown(scene_rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="short runs: does it work at all")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="of: " + ", ".join(list(scenes.SCENES) + list(claims.GROUPS)))
    parser.add_argument("--out", default=os.path.join(HERE, "results"))
    options = parser.parse_args()
    known = set(scenes.SCENES) | set(claims.GROUPS)
    for name in options.only:
        if name not in known:
            parser.error("there is no %s; there are: %s" % (name, ", ".join(sorted(known))))
    scene_path, claim_path = (os.path.join(options.out, n) for n in ("scenes.json", "claims.json"))
    wanted = [n for n in claims.GROUPS if not options.only or n in options.only]
    new_claims, new_scenes = [], []
    for name in wanted:
        rows = claims.GROUPS[name](options.quick)
        new_claims += rows
        for r in rows:
            print("%-3s %s, %s: %s (wanted: %s)" % ("ok" if r["ok"] else "NO", r["claim"], r["case"], r["measured"], r["wanted"]), flush=True)
        write(options.out, load(scene_path), merge(load(claim_path), new_claims, ("claim", "case")))
    if not options.only or any(n in scenes.SCENES for n in options.only):
        new_scenes = scenes.all_rows(options.only, options.quick, lambda line: print(line, flush=True))
    write(options.out, merge(load(scene_path), new_scenes, ("scene", "step", "method")), merge(load(claim_path), new_claims, ("claim", "case")))
    return 1 if any(not r["ok"] for r in new_claims) or any(r["faults"] for r in new_scenes) else 0


if __name__ == "__main__":
    sys.exit(main())
