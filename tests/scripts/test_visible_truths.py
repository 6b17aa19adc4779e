#!/usr/bin/env python3
"""experiments/visible-energy with truths that say how good they are: which verdicts stand within their errors, and what a recount prints."""
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "experiments/visible-energy"
sys.dont_write_bytecode = True
sys.path.insert(0, str(FOLDER))
import converged  # noqa: E402
import criteria  # noqa: E402
from cases import BY_NAME, OURS, Case  # noqa: E402
from common import Result, Store  # noqa: E402

STEP = 1 / 120


def spread(mean, sd=0.0, runs=8):
    return {"mean": mean, "sd": sd, "min": mean - sd, "max": mean + sd, "runs": runs}


def tree(top, visible, elastic, sd=0.0, second=None):
    apexes = [{"time": spread(0.5), "height": spread(h, sd)} for h in ([top] if second is None else [top, second])]
    return {"time_end": spread(2), "status": "done", "ledger": {"friction": spread(1.0), "scale": spread(10.0), "mean_target_error": spread(0.0)},
            "energy": {"second_half": {"visible": {p: spread(visible) for p in ("total", "centre", "rotation", "deformation")},
                                       "elastic": spread(elastic, sd), "kinetic": spread(visible)}},
            "bodies": [{"name": "ball", "apexes": apexes}]}


def truth(folder, top=(0.2, 0.004), visible=(1.0, 0.1), elastic=(1.0, 0.05), until=2.0, frame=STEP):
    """A file of visviva truth --converge, with (value, error)."""
    path = folder / "truth.json"
    figures = [{"path": p, "value": v, "error": e, "settled": e < 0.01} for p, (v, e) in (
        ("bodies.0.apexes.0.height", top), ("energy.second_half.visible.total", visible), ("energy.second_half.elastic", elastic))]
    level = {"substeps": 4, "time_step": frame / 4, "search": tree(9, 9, 9, second=0.5), "tr_bdf2": tree(9, 9, 9, second=0.7)}
    path.write_text(json.dumps({"scene": "ball", "until": until, "frame": frame, "runs": 8, "processor": 5, "figures": figures, "levels": [level]}))
    return converged.Converged(str(path))


def ours(top, visible=1.0, elastic=1.0, sd=0.0):
    return Result({"figures": tree(top, visible, elastic, sd), "each": [], "marks": [], "runs": 8, "done": 8, "wall": 0}, [])


def check_converged(folder):
    t = truth(folder)
    assert t.mean("bodies.0.apexes.0.height") == 0.2 and criteria.error(t, "bodies.0.apexes.0.height") == 0.004
    assert criteria.spread(t, "energy.second_half.elastic") == "1 ± 0.05"
    # where the file has no figure: the mean of the witnesses, and how far they are apart
    assert math.isclose(t.mean("bodies.0.apexes.1.height"), 0.6) and math.isclose(criteria.error(t, "bodies.0.apexes.1.height"), 0.2)
    assert [round(h, 9) for h, _ in t.apexes()] == [0.2, 0.6]
    assert criteria.doubt(ours(0.2), "energy.second_half.elastic") == 0 and not criteria.known(ours(0.2))


def check_enough():
    made = lambda **more: types.SimpleNamespace(file=dict({"runs": 8, "settled": False, "cap": 100}, **more))  # noqa: E731
    assert not converged.is_enough(None, 100, 8)
    assert [converged.is_enough(made(), cap, starts) for cap, starts in ((100, 8), (101, 8), (100, 9))] == [True, False, False]
    assert converged.is_enough(made(settled=True), 1000, 8)


def first_apex(truth_height, height, search=0.1):
    case = Case("ball", "bouncing-ball", STEP, 2)
    store = types.SimpleNamespace(find=lambda *a, **k: types.SimpleNamespace(done=1, mean=lambda path: 1.0))  # frames show all of it
    return criteria.apex_lines(store, case, {"truth": truth_height, OURS: ours(height), "search": ours(search)}, False)


def check_verdicts(folder):
    t = truth(folder)  # 0.2 m within 2%
    assert [first_apex(t, h)[0]["ok"] for h in (0.2, 0.204, 0.209, 0.213, 0.216)] == [True, True, None, None, False]
    assert "within truth's error" in first_apex(t, 0.209)[0]["wanted"]
    assert [first_apex(ours(0.2), h)[0]["ok"] for h in (0.2, 0.209, 0.211)] == [True, True, False]  # a truth without errors: as before
    # not below search's: only where truth's is not
    assert [first_apex(t, 0.15, search)[1]["ok"] for search in (0.1, 0.19, 0.21)] == [True, False, None]
    assert [first_apex(ours(0.2), 0.15, search)[1]["ok"] for search in (0.1, 0.21)] == [True, False]
    case = types.SimpleNamespace(name="ball", factor=1.5)
    seen = lambda v, t: criteria.visible_line(case, {"truth": t, OURS: ours(0.2, visible=v)})["ok"]  # noqa: E731
    assert [seen(v, t) for v in (1.0, 1.3, 1.45, 1.6, 1.7, 0.75, 0.7, 0.65, 0.5)] == [True, True, None, None, False, True, None, None, False]
    near = lambda o, s, sure: criteria.nearer_lines(case, {"truth": truth(folder, elastic=(1.0, sure)), OURS: ours(0.2, elastic=o), "search": ours(0.2, elastic=s)})[0]["ok"]  # noqa: E731
    assert (near(0.9, 0.5, 0.05), near(0.5, 0.9, 0.05), near(0.9, 0.5, 0.6)) == (True, False, None)


def check_balls(folder):
    """Every apex of all starts against truth's, as far as its error lets say."""
    case = types.SimpleNamespace(name="ball-soft", apexes=("truth", 1.034))
    t, heights = truth(folder, top=(0.5, 0.02)), {}
    t.apexes = lambda: [(0.5, 0.02)]
    kept, criteria.all_apexes = criteria.all_apexes, lambda ledger, start: heights["now"]
    try:
        found = []
        for height in (0.6, 0.53, 0.51, 0.49, 0.47, 1.04):
            heights["now"] = [height]
            found.append(criteria.ball_line(case, {"truth": t, OURS: types.SimpleNamespace(ledgers=[{}])})["ok"])
        assert found == [True, True, None, None, False, False], found
    finally:
        criteria.all_apexes = kept


def check_store(folder):
    case = BY_NAME["coarse-critter"]
    store = lambda t: Store(str(folder), 8, 1, truths=lambda name: t if name == case.name else None)  # noqa: E731
    t = truth(folder)
    assert store(t).find(case, "truth", may_run=False) is t
    assert store(t).find(BY_NAME["tower"], "truth", may_run=False) is None
    assert store(t).find(case, "truth", until=0.5, may_run=False) is None  # a shorter one is another
    for wrong in (truth(folder, until=1.5), truth(folder, frame=1 / 60)):
        try:
            store(wrong).find(case, "truth", may_run=False)
            raise AssertionError("a truth of another end or frame was taken")
        except RuntimeError as reason:
            assert "coarse-critter: the truth goes to" in str(reason)


def recount(*arguments, code=0):
    done = subprocess.run([sys.executable, str(FOLDER / "recount.py"), *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def check_recount(folder):
    line = lambda kind, scene, ok, measured="m": {"criterion": kind, "scene": scene, "measured": measured, "wanted": "w", "ok": ok}  # noqa: E731
    before, after, other = (folder / n for n in ("before.json", "after.json", "other.json"))
    before.write_text(json.dumps([line("a", "x", True), line("a", "y", False, "0.3"), line("b", "x", None), line("c", "x", True)]))
    after.write_text(json.dumps([line("a", "x", True), line("a", "y", True, "0.1"), line("b", "x", False), line("d", "x", True)]))
    other.write_text(json.dumps([line("z", "z", True)]))
    said = recount(before, after, "--names", "old", "new")
    for words in ("| met | old | new |", "| a | 1 of 2 | 2 of 2 |", "| b | 0 of 0 | 0 of 1 |", "| all | 2 of 3 | 3 of 4 |",
                  "| a | y | not met: 0.3 (wanted: w) | met: 0.1 (wanted: w) |", "| b | x | open: m (wanted: w) | not met: m (wanted: w) |",
                  "Only in the first: c, x.", "Only in the second: d, x."):
        assert words in said, f"{words}: {said}"
    assert "| a | x |" not in said
    assert "No verdict differs" in recount(before, before)
    assert "no criterion in common" in recount(before, other, code=1)
    kept = FOLDER / "results/criteria.json"
    assert "| all | " in recount(kept, kept)


def check_list():
    done = subprocess.run([sys.executable, str(FOLDER / "truths.py"), "--list", "--only", "tower", "ball-soft"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name, text in zip(("tower", "ball-soft"), done.stdout.splitlines()):
        there = (FOLDER / f"truths/{name}.json").exists()
        assert text.startswith(name) and ("figures settled" if there else "not there") in text, text


def main():
    check_list()
    check_enough()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for check in (check_converged, check_verdicts, check_balls, check_store, check_recount):
            check(folder)
    print("test_visible_truths: done")


if __name__ == "__main__":
    main()
