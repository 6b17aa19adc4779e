#!/usr/bin/env python3
"""Contact, scene by scene and claim by claim. Writes results/scenes.json, results/claims.json and results/RESULTS.md.

    experiments/contact/run.py                      everything (some three hours of processor time)
    experiments/contact/run.py --quick              the first moments of everything
    experiments/contact/run.py --only press tunnel  these scenes or groups of claims

Rows are written as they come, so that several of it may run at once, with scenes of their own.
"""
import argparse
import datetime
import fcntl
import json
import os
import sys

sys.dont_write_bytecode = True
import claims
import scenes
from common import HERE, table


def load(path):
    if not os.path.exists(path) or os.path.getsize(path) == 0:
        return []
    with open(path) as file:
        return json.load(file)


def merge(old, new, keys):
    """New rows, dated today, take the place of old ones with the same keys."""
    new = [dict(row, date=datetime.date.today().isoformat()) for row in new]
    fresh = {tuple(row[k] for k in keys) for row in new}
    return [row for row in old if tuple(row[k] for k in keys) not in fresh] + new


def write(folder, scene_rows, claim_rows):
    """Adds the rows to what is there."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "scenes.json"), "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        paths = [os.path.join(folder, n) for n in ("scenes.json", "claims.json")]
        scene_rows = scenes.ordered(merge(load(paths[0]), scene_rows, ("scene", "step", "method")))
        claim_rows = merge(load(paths[1]), claim_rows, ("claim", "case"))
        for path, rows in zip(paths, (scene_rows, claim_rows)):
            with open(path, "w") as file:
                json.dump(rows, file, indent=1)
                file.write("\n")
        with open(os.path.join(folder, "RESULTS.md"), "w") as file:
            file.write("# Contact: results\n\nWritten by `experiments/contact/run.py`; [README](../README.md) says what is run.\n\n")
            file.write("## Claims\n\n")
            file.write(table(["claim", "case", "measured", "wanted", "", "on"],
                             [[r["claim"], r["case"], r["measured"], r["wanted"], "yes" if r["ok"] else "**no**", r["date"]]
                              for r in claim_rows]))
            file.write("\n## Scenes\n\n")
            file.write(scenes.markdown(scene_rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="short runs: does it work at all")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="of: " + ", ".join(list(scenes.SCENES) + list(claims.GROUPS)))
    parser.add_argument("--threads", type=int, help="of each run of a scene; as many as there are cores")
    parser.add_argument("--out", default=os.path.join(HERE, "results"))
    options = parser.parse_args()
    known = set(scenes.SCENES) | set(claims.GROUPS)
    for name in options.only:
        if name not in known:
            parser.error("there is no %s; there are: %s" % (name, ", ".join(sorted(known))))
    wrong = 0
    for name in claims.GROUPS:
        if options.only and name not in options.only:
            continue
        rows = claims.GROUPS[name](options.quick)
        for r in rows:
            print("%-3s %s, %s: %s (wanted: %s)" % ("ok" if r["ok"] else "NO", r["claim"], r["case"], r["measured"], r["wanted"]), flush=True)
            wrong += not r["ok"]
        write(options.out, [], rows)

    def done(row):
        nonlocal wrong
        print("%-20s %-6s %-15s %s" % (row["scene"], row["step"], row["method"], "; ".join(row["faults"]) or "%.1f s" % row["cpu_seconds"]), flush=True)
        wrong += bool(row["faults"])
        write(options.out, [row], [])

    if not options.only or any(n in scenes.SCENES for n in options.only):
        scenes.all_rows(options.only, options.quick, options.threads, done)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
