"""What is wanted of filtered search, each as lines { criterion, scene, measured, wanted, ok }; ok is None where chance hides the answer
or a number is only reported."""
import math
import os
import re
import tempfile

from cases import BY_NAME, OURS
from common import call, measure_ledger, scene_path
from converged import error_of

G = 9.8


def line(criterion, scene, measured, wanted, ok):
    return {"criterion": criterion, "scene": scene, "measured": measured, "wanted": wanted, "ok": ok}


def number(value, digits=3):
    return "-" if value is None or math.isnan(value) else "%.*g" % (digits, value)


def spread(result, path, digits=3):
    mean, sd = result.mean(path), result.mean(path, "sd")
    if math.isnan(mean):
        return "-"
    if known(result):
        return number(mean, digits) + " ± " + number(doubt(result, path), 2)
    return number(mean, digits) + (" ± " + number(sd, 2) if result.done > 1 and sd > 0 else "")


def error(result, path):
    """Of the mean."""
    if known(result):
        return doubt(result, path)
    sd, runs = result.mean(path, "sd"), result.mean(path, "runs")
    return sd / math.sqrt(runs) if runs > 1 and not math.isnan(sd) else 0


def known(truth):
    """Whether it says how good it is."""
    return hasattr(truth, "file")


def doubt(truth, path):
    """By how much such a truth may be off; 0 of others."""
    node = truth.find(path) if known(truth) else None
    return error_of(node) if isinstance(node, dict) else 0


def within(low, high, limit):
    """Of something that lies between `low` and `high`: is it at most the limit? None: that depends on where."""
    return True if high <= limit else False if low > limit else None


# ---- what is known of a scene's bodies ---------------------------------------------------------------------------------


def weights(scene, sets):
    """The sum of m g x diagonal over the bodies, with what `visviva check` says of them."""
    arguments = ["check", scene]
    for value in sets:
        arguments += ["--set", value]
    total, mass, last = 0.0, None, 0.0
    for text in call(arguments).stdout.splitlines():
        found = re.search(r"\bbody \".*?([0-9.e+-]+) kg", text)
        bounds = re.match(r"    bounds \((.*)\) to \((.*)\) m", text)
        same = re.match(r"    with the same mesh: (.*?)(?:\((\d+) bodies\))?$", text)
        if found:
            mass = float(found.group(1))
        elif bounds and mass is not None:
            low, high = ([float(x) for x in part.split(",")] for part in bounds.groups())
            last, mass = mass * G * math.dist(low, high), None
            total += last
        elif same:
            total += last * (int(same.group(2)) if same.group(2) else same.group(1).count('"') // 2)
    return total


# ---- apexes ------------------------------------------------------------------------------------------------------------


def all_apexes(ledger, start_height):
    """Every apex of a scene's only body, from its gravity energy: the mass is that of the fall in the first frame."""
    mass = -ledger["momentum_y"][1] / (G * ledger["time"][1])
    heights = [start_height + e / (mass * G) for e in ledger["gravity"]]
    least = 0.05 * (max(heights) - min(heights))
    apexes, low, top = [], heights[0], None
    for i in range(1, len(heights) - 1):
        low = min(low, heights[i])
        if top is None and heights[i] - low > least:
            top = i
        if top is not None and heights[i] > heights[top]:
            top = i
        if top is not None and heights[top] - heights[i] > least:
            a, b, c = heights[top - 1:top + 2]
            curve = a - 2 * b + c
            apexes.append(b - (a - c) ** 2 / (8 * curve) if curve < 0 else b)
            top, low = None, heights[i]
    return apexes


def first_apexes(result, tops=True):
    """(name, mean height, its error, mean time) of the first apex of each body that has one in all starts; `tops`: True, or which bodies."""
    found = []
    for k, body in enumerate(result.figures["bodies"]):
        if tops is not True and k not in tops:
            continue
        path = "bodies.%d.apexes.0.height" % k
        if result.mean(path, "runs") == result.done:
            found.append((body["name"], result.mean(path), error(result, path), result.mean("bodies.%d.apexes.0.time" % k)))
    return found


def resolved(store, case, truth, may_run):
    """How much of truth's kinetic energy its frames show from before the first contact to the first apex (in the second half of that
    time)."""
    tops = first_apexes(truth, case.tops)
    if not tops:
        return None
    end = max(case.step * 4, round(max(t[3] for t in tops) / case.step) * case.step)
    short = store.find(case, "truth", until=end, starts=1, may_run=may_run)
    if short is None or short.done == 0:
        return None
    return short.mean("energy.second_half.visible.total") / short.mean("energy.second_half.kinetic")


def apex_lines(store, case, results, may_run):
    truth = results["truth"]
    wanted = {name: (height, err, when) for name, height, err, when in first_apexes(truth, case.tops)}
    have, theirs = ({name: height for name, height, _, _ in first_apexes(results[m], case.tops)} for m in (OURS, "search"))
    both = [name for name in wanted if name in have]
    if not both:
        return []
    part, lines = resolved(store, case, truth, may_run), []
    off = {name: have[name] / wanted[name][0] - 1 for name in both}
    mean = sum(abs(x) for x in off.values()) / len(off)
    worst = max(both, key=lambda name: abs(off[name]))
    text = "%s: %.4g m, truth %.4g m, %+.1f%%" % (worst, have[worst], wanted[worst][0], 100 * off[worst])
    if len(both) > 1:
        text = "mean of %d bodies %.1f%%; farthest %s" % (len(both), 100 * mean, text)
    kept = part is not None and part >= 0.9
    text += "; truth shows %s of its kinetic energy until then" % ("-" if part is None else "%.0f%%" % (100 * part))
    doubts = {name: wanted[name][1] / wanted[name][0] if known(truth) else 0 for name in both}
    least, most = (sum(max(abs(off[n]) + sign * doubts[n], 0) for n in both) / len(both) for sign in (-1, 1))
    ok = within(least, most, 0.05) if kept else None
    lines.append(line("first apex as truth's", case.name, text, ("within 5%" if ok is not None else "within 5%; within truth's error") if kept else
                      "reported: not resolved", ok))
    shared = [name for name in both if name in theirs]
    if shared:
        low = min(shared, key=lambda name: have[name] / theirs[name])
        ratio = sum(have[n] for n in shared) / sum(theirs[n] for n in shared)
        above = all(theirs[n] > wanted[n][0] for n in shared)
        counts = not known(truth) or sum(wanted[n][0] for n in shared) >= sum(theirs[n] for n in shared)
        lines.append(line("first apex not below search's", case.name, "%.3f of search's; lowest %s: %.4g m, search %.4g m, truth %.4g m" %
                          (ratio, low, have[low], theirs[low], wanted[low][0]), ("at least 1" if counts else "reported: truth's are below search's") + (" (truth's are below search's)" if above and counts else ""),
                          ratio >= 0.995 if counts else None))
    return lines


# ---- single criteria ---------------------------------------------------------------------------------------------------


def nearer_lines(case, results):
    """Elastic energy and friction loss."""
    truth, ours, search = results["truth"], results[OURS], results["search"]
    lines = []
    for what, path in (("elastic energy", "energy.second_half.elastic"), ("friction loss", "ledger.friction")):
        t, o, s = (r.mean(path) for r in (truth, ours, search))
        if any(math.isnan(x) for x in (t, o, s)) or max(abs(t), abs(o), abs(s)) < 1e-4 * truth.mean("ledger.scale"):
            continue
        chance = math.hypot(error(truth, path), error(ours, path), error(search, path))
        gain = abs(s - t) - abs(o - t)
        ok = gain >= 0 if abs(gain) > chance else None
        text = "%s J, search %s, truth %s" % tuple(spread(r, path) for r in (ours, search, truth))
        lines.append(line(what + " nearer to truth than search's", case.name, text, "nearer" if ok is not None else "nearer; within chance", ok))
    return lines


def visible_line(case, results):
    parts = ("centre", "rotation", "deformation")
    o, t = ([r.mean("energy.second_half.visible." + p) for p in ("total",) + parts] for r in (results[OURS], results["truth"]))
    if not t[0] > 0:
        return None
    ratio = o[0] / t[0]
    text = "%.2f of truth's: %s J (%s), truth %s (%s)" % (ratio, number(o[0]), ", ".join(map(number, o[1:])), number(t[0]), ", ".join(map(number, t[1:])))
    if case.factor is None:
        return line("visible energy (centre, rotation, deformation)", case.name, text, "reported", None)
    off = doubt(results["truth"], "energy.second_half.visible.total")
    least, most = o[0] / (t[0] + off), o[0] / (t[0] - off) if t[0] > off else math.inf
    ok = within(max(1 / most, least), max(1 / least, most), case.factor)
    return line("visible energy (centre, rotation, deformation)", case.name, text,
                "within %g times" % case.factor + ("" if ok is not None else "; within truth's error"), ok)


def ball_line(case, results):
    low, high = case.apexes
    ours = [all_apexes(ledger, 1.05) for ledger in results[OURS].ledgers]
    truth = [all_apexes(ledger, 1.05) for ledger in results["truth"].ledgers]
    sure = results["truth"].apexes() if known(results["truth"]) else []
    every = [x for apexes in ours for x in apexes]
    if not every:
        return line("every apex in 10 s", case.name, "no apex", "some", False)
    text = "%d apexes of %d starts: %.4f to %.4f m" % (len(every), len(ours), min(every), max(every))
    if low == "truth":
        count = len(sure) if sure else min(len(a) for a in truth)
        means = [height for height, _ in sure] if sure else [sum(a[k] for a in truth) / len(truth) for k in range(count)]
        below = max((means[k] - x - err for a in ours for k, x in enumerate(a[:count]) for err in [sure[k][1] if sure else 0]), default=0)
        apart = max((means[k] - x + err for a in ours for k, x in enumerate(a[:count]) for err in [sure[k][1] if sure else 0]), default=0)
        ok = within(below, apart, 0) if max(every) <= high else False
        text += "; truth's: " + " ".join("%.3f" % x for x in means)
        return line("every apex in 10 s", case.name, text, "from truth's to %g m" % high, ok)
    others = [height for height, _ in sure] if sure else [x for apexes in truth for x in apexes]
    text += "; truth's %.4f to %.4f m" % (min(others), max(others)) if others else ""
    return line("every apex in 10 s", case.name, text, "%g to %g m" % (low, high), low <= min(every) and max(every) <= high)


def turns_line(case, results):
    low, high = case.turns
    path = "bodies.0.turns"
    mean = results[OURS].mean(path)
    return line("turns", case.name, "%s, search %s, truth %s" % tuple(spread(results[m], path) for m in (OURS, "search", "truth")),
                "%g to %g" % (low, high), low <= mean <= high)


def target_line(case, results):
    ours = results[OURS]
    scale, weight = ours.mean("ledger.scale"), weights(scene_path(case.scene), case.sets)
    text = "%s; search %s, truth %s; S = %s m g d" % (spread(ours, "ledger.mean_target_error"), number(results["search"].mean("ledger.mean_target_error")),
                                                    number(results["truth"].mean("ledger.mean_target_error"), 2), number(scale / weight, 2))
    counts = scale >= 0.1 * weight
    return line("mean |H - T| / S", case.name, text, "at most 0.04" if counts else "reported: S is small",
                ours.mean("ledger.mean_target_error") <= 0.04 if counts else None)


def cost_line(case, results):
    ours, search = (results[m].mean("cost.newton_per_step") for m in (OURS, "search"))
    limit = 2 / 3 if case.apexes else 1.1
    return line("Newton iterations a step", case.name, "%.2f of search's: %.2f, search %.2f, none %s" %
                (ours / search, ours, search, number(results["none"].mean("cost.newton_per_step")) if results.get("none") else "-"),
                "at most %s of search's" % ("2/3" if case.apexes else "1.1"), ours <= limit * search)


def fault_line(case, results):
    """Of all starts; the exact test ends a run whose surfaces intersect."""
    ours, wrong = results[OURS], []
    for k, tree in enumerate(ours.each):
        if tree["status"] != "done":
            wrong.append("start %d %s" % (k, tree["status"]))
        elif tree["min_J"] is not None and tree["min_J"] <= 0:
            wrong.append("start %d: det F %.2g" % (k, tree["min_J"]))
        elif tree["min_gap"] is not None and tree["min_gap"] <= 0:
            wrong.append("start %d: gap %.2g m" % (k, tree["min_gap"]))
        elif tree["cost"]["failed_steps"]:
            wrong.append("start %d: %d failed steps" % (k, tree["cost"]["failed_steps"]))
    low = [tree["min_J"] for tree in ours.each if tree.get("min_J") is not None]
    gaps = [tree["min_gap"] for tree in ours.each if tree.get("min_gap") is not None]
    text = "det F %s, gap %s mm; truth's det F %s" % (number(min(low, default=None)), number(1e3 * min(gaps)) if gaps else "-",
                                                     number(results["truth"].mean("min_J", "min")) if results.get("truth") else "-")
    return line("no intersection, no inversion", case.name, "; ".join(wrong + [text]), "none", not wrong)


def momentum_lines(case, results):
    if case.scene not in ("free-spin", "free-pair"):
        return []
    spin = case.name == "free-spin"
    key = "angular_centre_off" if spin else "angular_off"
    worst, other, truth = ([max((m[k] for m in results[method].marks), default=math.nan) for k in ("momentum_off", key)] for method in (OURS, "search", "truth"))
    what = "free spin, %d steps" % (results[OURS].marks[0]["rows"] - 1) if spin else "two free bodies that collide"
    rough = case.name == "free-pair-rough"  # friction's forces are a gap apart, which is a couple, whatever the method
    return [line(what + ": vector P", case.name, "off by %.2g; search %.2g, truth %.2g" % (worst[0], other[0], truth[0]), "within 1e-10, relative", worst[0] <= 1e-10),
            line(what + ": vector L", case.name, "off by %.2g; search %.2g, truth %.2g" % (worst[1], other[1], truth[1]), "reported" if rough else "within 1e-4, relative",
                 None if rough else worst[1] <= 1e-4)]


def judge(store, case, results, may_run):
    """All lines of a case whose methods and truth are there; further runs of truth may be needed."""
    lines = [fault_line(case, results)]
    if case.contact:
        lines += (apex_lines(store, case, results, may_run) if case.tops else []) + nearer_lines(case, results)
    lines += [visible_line(case, results)]
    if case.apexes:
        lines.append(ball_line(case, results))
    if case.turns:
        lines.append(turns_line(case, results))
    return [x for x in lines + [target_line(case, results), cost_line(case, results)] + momentum_lines(case, results) if x]


# ---- rest, sliders, many steps -----------------------------------------------------------------------------------------

RESTS = {"ball-soft": "bouncing-ball", "ball-stiff": "bouncing-ball-stiff", "coarse-critter": "critter-drop", "twisted-bar": "twisted-bar",
         "stretching-bar": "stretching-bar", "two blocks": "pusher", "hanging-pair": "hanging-pair", "carried-ball": "carried-ball", "tower": "tower"}


def rest(name, scene, sets, step, steps):
    """From `visviva settle`, on with filtered search."""
    path, criterion = scene_path(scene), "rest: visible energy of %d steps from settle" % steps
    with tempfile.TemporaryDirectory(prefix="visviva-rest-") as folder:
        settled, run, csv = (os.path.join(folder, n) for n in ("settled.vtkhdf", "run.vtkhdf", "run.csv"))
        overrides = []
        for value in sets:
            overrides += ["--set", value]
        done = call(["settle", path, "-o", settled] + overrides, may_fail=True)
        if done.returncode == 0:
            done = call(["run", settled, "--resume", "--until", repr(steps * step), "-o", run, "--quiet", "--set", "integrator.policy=" + OURS,
                         "--set", "integrator.decay_time=null"], may_fail=True)
        if done.returncode != 0:
            return line(criterion, name, (done.stderr.strip().splitlines() or ["failed"])[-1], "a run", False)
        call(["export", run, "-o", csv, "--quiet"])
        ledger, _ = measure_ledger(csv, 1)
    weight, seen, booked = weights(path, sets), max(ledger["visible"][1:]), max(ledger["kinetic"][1:])
    return line(criterion, name, "%.2g m g d; booked %.2g m g d" % (seen / weight, booked / weight), "at most 1e-6 m g d", seen <= 1e-6 * weight)


def rest_line(name, steps):
    case = BY_NAME.get(name) or BY_NAME["pusher"]
    sets = list(case.sets)
    if name == "two blocks":  # without the plate, which strikes them
        sets.append('obstacles=[{"name":"ground","plane":{"point":[0,0,0],"normal":[0,1,0]}}]')
    return rest(name, RESTS[name], sets, case.step, steps)


def slider_line(store, case, may_run):
    """A block that has come to a stop: what is still seen to move, on average over the second half of the run."""
    parts = {}
    for method in (OURS, "search", "truth"):
        result = store.find(case, method, may_run=may_run)
        if result is None:
            return None
        parts[method] = result.mean("energy.second_half.visible.total", "max") / result.mean("energy.start.kinetic")
    return line("a slider that has stopped: visible energy from 1 to 2 s, of the start's", case.name,
                "%.2g; search %.2g, truth %.2g" % tuple(parts[m] for m in (OURS, "search", "truth")), "at most 1e-3", parts[OURS] <= 1e-3)


def drift_line(store, case, steps, may_run):
    """One start, many steps."""
    result = store.find(case, OURS, until=steps * case.step, starts=1, may_run=may_run)
    if result is None:
        return None
    criterion = "no drift in %d steps" % steps
    if result.done == 0:
        return line(criterion, case.name, result.each[0]["status"], "a run", False)
    mark, each = result.marks[0], result.each[0]
    errors = mark["errors"]
    pace = 1e3 * each["cost"]["wall"] / each["cost"]["steps"]
    late, early = errors[-1], sorted(errors[1:])[len(errors) // 2]
    text = "mean |H - T| / S by tenths: %s; highest H - T %s S; %.0f ms a step" % (" ".join("%.2g" % e for e in errors), number(mark["above"], 2), pace)
    return line(criterion, case.name, text, "last tenth at most 1.2 of the middle one, or 0.004; H never 0.04 S above T",
                late <= max(0.004, 1.2 * early) and mark["above"] <= 0.04)
