"""Every scene with every method and time step: no intersections, no inversions, finite numbers."""
from common import METHODS, faults, simulate, table

# scene: (end of the runs at 1/120 and 1/30 s; None: the scene's own), end of the run at 1/1000 s, which has all that the scene is
# about for the first time: s
SCENES = {
    "bouncing-ball-mesh": (3, 0.7),
    "dice-roll": (None, 0.4),
    "bunny-stairs": (None, 0.5),
    "splash": (None, 0.35),
    "cards": (None, 0.3),
    "pile": (None, 0.35),
    "press": (None, 1.5),
    "tunnel": (None, 0.05),
}
STEPS = {"1/120": 0, "1/30": 0, "1/1000": 1}


def one(scene, method, step, until=None):
    end = until if until is not None else SCENES[scene][STEPS[step]]
    run = simulate(scene, method, ["time.step=" + step], end)
    row = {"scene": scene, "method": method, "step": step, "faults": faults(run)}
    if run.summary:
        s = run.summary
        row.update(
            end=s["time_end"], steps=s["steps"], seconds=s["wall"]["total"], phases=s["wall"]["phases"], newton=s["newton_iterations"],
            solves=s["linear_solves"], failed_steps=s["failed_steps"], min_gap=s["min_gap"], min_J=s["min_J"],
            energy_scale=s["energy"]["scale"], mean_target_error=s["energy"]["mean_target_error"],
            numerical_error=s["energy"]["numerical_error"], peak_memory_bytes=s["peak_memory_bytes"])
    return row


def all_rows(only, quick, report):
    rows = []
    for scene in SCENES:
        if only and scene not in only:
            continue
        for step in STEPS:
            for method in METHODS:
                row = one(scene, method, step, 0.1 if quick else None)
                rows.append(row)
                report("%-20s %-6s %-15s %s" % (scene, step, method, "; ".join(row["faults"]) or "%.1f s" % row["seconds"]))
    return rows


def markdown(rows):
    def cells(row):
        if "seconds" not in row:
            return [row["scene"], row["step"], row["method"], "", "", "", "", "", "; ".join(row["faults"])]
        return [row["scene"], row["step"], row["method"], "%.3g" % row["end"], row["newton"], "%.1f" % row["seconds"],
                "%.2g" % (1e3 * row["min_gap"]) if row["min_gap"] is not None else "",
                "%.2g" % row["min_J"] if row["min_J"] is not None else "", "; ".join(row["faults"]) or "none"]
    return table(["scene", "h", "method", "end (s)", "Newton iterations", "seconds", "smallest gap (mm)", "smallest J", "faults"],
                 [cells(row) for row in rows])
