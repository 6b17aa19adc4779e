#!/usr/bin/env python3
"""Where the energy is, with filtered search, with A-search and in truth. Writes results/RESULTS.md, criteria.json and visible.svg.

    experiments/visible-energy/run.py                          everything that is not there yet: hours
    experiments/visible-energy/run.py --only two-balls tower   these scenes; --list shows them, and the groups rest, sliders and drift
    experiments/visible-energy/run.py --report                 runs nothing: writes what is there
    experiments/visible-energy/run.py --quick --out /tmp/a     one start and a few steps of everything: does it work at all

Runs are kept (out/visible-energy). The truth is run once; filtered search again whenever the program has changed, the others whenever
its version has (or with --fresh none search).
"""
import argparse
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True
import converged
import criteria
import picture
from cases import BY_NAME, CASES, METHODS, OURS, Case
from common import HERE, ROOT, Store, table

GROUPS = ["rest", "sliders", "drift"]
SLIDERS = [Case("slide", "../../contact/slide", 1 / 120, 2), BY_NAME["incline-stop"]]
QUICK = ["twisted-bar", "ball-stiff", "cube-soft", "free-spin", "two-balls", "free-pair", "dragged"]

ROWS = [
    ("mean |H − T| / S", "ledger.mean_target_error"),
    ("kinetic energy as booked, J", "energy.second_half.kinetic"),
    ("visible, J", "energy.second_half.visible.total"),
    ("centres, J", "energy.second_half.visible.centre"),
    ("rotation, J", "energy.second_half.visible.rotation"),
    ("deformation, J", "energy.second_half.visible.deformation"),
    ("elastic energy, J", "energy.second_half.elastic"),
    ("lost to friction, J", "ledger.friction"),
    ("turns of the first body", "bodies.0.turns"),
    ("Newton iterations a step", "cost.newton_per_step"),
]


def results_of(store, case, methods):
    """By method; runs what is in `methods`. What is not there is left out."""
    found = {}
    for method in ["truth"] + METHODS:
        result = store.find(case, method, starts=min(store.starts, case.starts) if method == "truth" else None, may_run=method in methods)
        if result is not None and result.done > 0:
            found[method] = result
    return found


def apexes_text(result):
    """Of a single body the first four, else the first of each of the first four bodies."""
    bodies = result.figures["bodies"]
    paths = ["bodies.0.apexes.%d.height" % k for k in range(4)] if len(bodies) == 1 else ["bodies.%d.apexes.0.height" % k for k in range(4)]
    return " ".join(criteria.number(result.mean(p)) for p in paths if result.find(p)) or "-"


def scene_table(case, found):
    order = [m for m in ["truth"] + METHODS if m in found]
    heads = ["%s (n = %d%s)" % (m, found[m].done, "" if found[m].done == found[m].starts else " of %d: the others failed" % found[m].starts) for m in order]
    rows = []
    for label, path in ROWS:
        cells = [criteria.spread(found[m], path) for m in order]
        if any(c not in ("-", "0") for c in cells):
            rows.append([label] + cells)
    rows.append(["apexes, m"] + [apexes_text(found[m]) for m in order])
    return "### %s, %.3g s\n\n" % (case.name, found[order[0]].data["until"]) + table([""] + heads, rows) + "\n"


def lines_table(lines):
    words = {True: "met", False: "**not met**", None: ""}
    return table(["criterion", "scene", "measured", "wanted", ""],
                 [[x["criterion"], x["scene"], x["measured"], x["wanted"], words[x["ok"]]] for x in lines])


def write_report(folder, tables, lines, missing, charted):
    old = [name for name, found in charted if not criteria.known(found["truth"])]
    os.makedirs(folder, exist_ok=True)
    order = list(dict.fromkeys(x["criterion"] for x in lines))
    lines = sorted(lines, key=lambda x: order.index(x["criterion"]))
    judged = [x for x in lines if x["ok"] is not None]
    with open(os.path.join(folder, "criteria.json"), "w") as file:
        json.dump(lines, file, indent=1)
        file.write("\n")
    with open(os.path.join(folder, "visible.svg"), "w") as file:
        file.write(picture.draw(charted))
    with open(os.path.join(folder, "RESULTS.md"), "w") as file:
        file.write("# Visible energy: results\n\nWritten by `experiments/visible-energy/run.py`; [README](../README.md) says what is measured and how to read it.\n\n")
        file.write("%d of %d criteria are met.\n\n" % (sum(x["ok"] for x in judged), len(judged)))
        if old:
            file.write("Judged by truths of h / 20, whose error nobody knows: %s.\n\n" % ", ".join(old))
        if missing:
            file.write("Missing, so not judged: %s.\n\n" % "; ".join(missing))
        file.write("![Energies of each scene as a multiple of truth's](visible.svg)\n\n## Criteria\n\n" + lines_table(lines) + "\n## Scenes\n\n" + "".join(tables))


def judge_cases(store, names, methods):
    """Tables, lines, what is missing, and what the picture shows, of all cases; runs the methods for those in `names`."""
    tables, lines, missing, charted = [], [], [], []
    for case in CASES:
        found = results_of(store, case, methods if case.name in names else [])
        absent = [m for m in ["truth"] + METHODS if m not in found]
        if found:
            tables.append(scene_table(case, found))
        if absent:
            missing.append("%s (%s)" % (case.name, ", ".join(absent)))
            continue
        lines += criteria.judge(store, case, found, "truth" in methods)
        charted.append((case.name, found))
    return tables, lines, missing, charted


def judge_groups(store, names, run, quick):
    """Lines of rest, sliders and drift, and what is missing of them."""
    lines, missing = [], []
    rests, steps = (["ball-stiff"], 10) if quick else (list(criteria.RESTS), 1000)
    for name in rests:
        found = store.note("rest", [name, steps], lambda name=name: criteria.rest_line(name, steps), run and "rest" in names)
        lines, missing = lines + [found] * bool(found), missing + ["rest of " + name] * (not found)
    for case in SLIDERS[:1] if quick else SLIDERS:
        found = criteria.slider_line(store, case, run and "sliders" in names)
        lines, missing = lines + [found] * bool(found), missing + ["slider " + case.name] * (not found)
    for case in [BY_NAME["free-pair"]] if quick else [c for c in CASES if c.long]:
        found = criteria.drift_line(store, case, 40 if quick else 10000, run and "drift" in names)
        lines, missing = lines + [found] * bool(found), missing + ["drift of " + case.name] * (not found)
    return lines, missing


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="scenes or groups to run; the others are reported as they are")
    parser.add_argument("--list", action="store_true", help="the names of scenes and groups")
    parser.add_argument("--methods", nargs="+", default=["truth"] + METHODS, metavar="METHOD", choices=["truth"] + METHODS,
                        help="only these are run: of truth, " + ", ".join(METHODS))
    parser.add_argument("--report", action="store_true", help="runs nothing")
    parser.add_argument("--quick", action="store_true", help="one start, few steps, some scenes; runs are kept only with --cache")
    parser.add_argument("--runs", type=int, default=8, metavar="N", help="starts of each method; default: 8")
    parser.add_argument("--shift", type=float, default=1e-6, metavar="METRES", help="start k is moved by k times this; default: 1e-6")
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="runs at a time; default: as many as there are cores")
    parser.add_argument("--fresh", nargs="+", default=[], metavar="METHOD", choices=["truth"] + METHODS, help="run these again")
    parser.add_argument("--old-truth", action="store_true", help="that of h / 20, also where truths/ has one with errors")
    parser.add_argument("--cache", metavar="FOLDER", help="where runs are kept; default: out/visible-energy")
    parser.add_argument("--out", default=os.path.join(HERE, "results"), metavar="FOLDER", help="where the report goes")
    options = parser.parse_args()
    known = list(BY_NAME) + GROUPS
    for name in options.only:
        if name not in known:
            parser.error("there is no %s; there are: %s" % (name, " ".join(known)))
    if options.quick and options.out == os.path.join(HERE, "results"):
        parser.error("--quick needs --out: it would overwrite the results")
    return options, options.only or (QUICK + GROUPS if options.quick else known)


def work(options, names, cache):
    tell = lambda text: print(text, flush=True)  # noqa: E731
    store = Store(cache, 1 if options.quick else options.runs, options.jobs, substeps=3 if options.quick else 20, shift=options.shift, fresh=options.fresh, say=tell,
                  quick=options.quick, truths=None if options.quick or options.old_truth else converged.load)
    tables, lines, missing, charted = judge_cases(store, names, [] if options.report else options.methods)
    more, absent = judge_groups(store, names, not options.report and OURS in options.methods, options.quick)
    lines, missing = lines + more, missing + absent
    for x in lines:
        print("%-3s %s, %s: %s (wanted: %s)" % ({True: "ok", False: "NO", None: ""}[x["ok"]], x["criterion"], x["scene"], x["measured"], x["wanted"]))
    write_report(options.out, tables, lines, missing, charted)
    print("%s; missing: %s" % (os.path.join(options.out, "RESULTS.md"), "; ".join(missing) or "nothing"))
    return 1 if not options.quick and any(x["ok"] is False for x in lines) else 0


def main():
    options, names = read_options()
    if options.list:
        print("\n".join(list(BY_NAME) + GROUPS))
        return 0
    if not options.quick or options.cache:
        return work(options, names, options.cache or os.path.join(ROOT, "out", "visible-energy"))
    with tempfile.TemporaryDirectory(prefix="visviva-visible-") as cache:
        return work(options, names, cache)


if __name__ == "__main__":
    sys.exit(main())
