"""What is said of contact under A-search and of friction, measured: each claim becomes rows of numbers with what is wanted."""
import math

from common import faults, simulate

G = 9.8


def row(claim, case, measured, wanted, ok):
    return {"claim": claim, "case": case, "measured": measured, "wanted": wanted, "ok": ok}


# ---- bounces -----------------------------------------------------------------------------------------------------------


class Bounces:
    """Contacts of a ball that falls straight, from its ledger: heights and speeds of its centre of mass."""

    def __init__(self, ledger, h):
        self.t, self.h = ledger["time"], h
        mass = -ledger["momentum_y"][1] / (G * h)  # the first step is free fall
        self.y = [e / (mass * G) for e in ledger["gravity"]]
        self.v = [p / mass for p in ledger["momentum_y"]]
        self.error = [(a - b) / s if s > 0 else math.nan for a, b, s in zip(ledger["total"], ledger["target"], ledger["scale"])]
        touching = [c > 0 for c in ledger["contact"]]
        self.contacts = []  # [first, last] step of each
        for i, touch in enumerate(touching):
            if touch and self.contacts and i - self.contacts[-1][1] <= 3:
                self.contacts[-1][1] = i
            elif touch:
                self.contacts.append([i, i])
        self.contacts = [c for c in self.contacts if c[1] + 1 < len(self.t)]

    def speeds(self, contact):
        """Before and after, both for the height at which it began. Of the parabola on which the positions lie: backward Euler's
        v_n is its slope half a step before t_n, too slow by gh/2 on the way down and too fast by as much on the way up."""
        first, last = contact
        level, half = self.y[first - 1], 0.5 * G * self.h
        after = (self.v[last + 1] - half) ** 2 + 2 * G * (self.y[last + 1] - level)
        return half - self.v[first - 1], math.sqrt(max(0.0, after))

    def apex(self, k):
        """Highest point between contact k and the next, as a part of the first fall; None where it is not reached."""
        if k + 1 >= len(self.contacts):
            return None
        floor = min(self.y)
        top = max(self.y[self.contacts[k][1]:self.contacts[k + 1][0] + 1])
        return (top - floor) / (self.y[0] - floor)


def ball(method, young, until, sets=(), h=1 / 120):
    run = simulate("bouncing-ball-mesh", method, ["materials.ball.young=%g" % young, "time.step=%.17g" % h] + list(sets), until, ledger=True)
    return run, Bounces(run.ledger, h) if run.ledger and len(run.ledger["time"]) > 2 else None


def bouncing(quick):
    rows, until = [], 1.5 if quick else 5
    for young in (1e5, 1e6, 1e7):
        tops = {}
        for method in ("bdf2", "search"):
            run, b = ball(method, young, until)
            wrong = faults(run)
            tops[method] = b.apex(1) if b else None
            if wrong:
                rows.append(row("the ball bounces", "E = %g, %s" % (young, method), "; ".join(wrong), "no faults", False))
        rows.append(row("A-search bounces where BDF2 dies", "E = %g" % young,
                        "height after the second contact: %s of the first fall, BDF2 %s" %
                        tuple("%.2f" % tops[m] if tops[m] is not None else "none" for m in ("search", "bdf2")),
                        "A-search higher", bool(tops["search"] and tops["search"] > (tops["bdf2"] or 0))))
    return rows


def restitution(quick):
    rows = []
    for young in (1e7, 1e8):
        run, b = ball("search", young, 1.5 if quick else 5)
        pairs = [b.speeds(c) for c in b.contacts] if b else []
        ratio = pairs[0][1] / pairs[0][0] if pairs else math.nan
        rows.append(row("speed after / before a contact", "E = %g, A-search, the first contact: nothing vibrates yet" % young,
                        "%.3f" % ratio, "0.97 to 1.02", 0.97 <= ratio <= 1.02))
        own = [out / into for into, out in pairs[1:]] or [math.nan]
        rows.append(row("speed after / before a contact", "E = %g, A-search, the contacts that follow" % young,
                        "%.3f to %.3f in %d contacts" % (min(own), max(own), len(own)), "0.97 to 1.02", min(own) >= 0.97 and max(own) <= 1.02))
        back = [b.error[c[1] + 1] for c in b.contacts] if b else []
        rows.append(row("the energy returns to its target", "E = %g, first step after each contact" % young,
                        "%.2f%% to %.2f%%" % (100 * min(back), 100 * max(back)) if back else "none", "within 1%",
                        bool(back and max(abs(e) for e in back) <= 0.01)))
    return rows


def decay(quick):
    tau, rows = 2.0, []
    for young in (1e5, 1e7):
        run, b = ball("search", young, 2 if quick else 6, ["integrator.decay_time=%g" % tau])
        if not b or not b.contacts:
            rows.append(row("the energy decays as told", "E = %g" % young, run.message, "a run", False))
            continue
        led = run.ledger
        ground, top = led["ground_energy"][0], led["target"][0]
        worst = 0.0
        for c in b.contacts:
            i = c[1] + 1
            worst = max(worst, abs((led["total"][i] - ground) / (top - ground) - math.exp(-b.t[i] / tau)))
        rows.append(row("the energy decays as told", "E = %g, tau = %g s, after each contact" % (young, tau),
                        "at most %.2f%% of the start's off the exponential, after %d contacts" % (100 * worst, len(b.contacts)), "within 1%", worst <= 0.01))
    return rows


def decaying(quick):
    """The scenes whose energy is to die away (A-search paper, Fig. 6 and the dice), to their own ends."""
    rows = []
    for scene, tau in (("dice-roll-decay", 6.0), ("bunny-stairs-decay", 2.0), ("bunny-stairs-decay", 1.0)):
        run = simulate(scene, "search", ["integrator.decay_time=%g" % tau], 0.2 if quick else None)
        wrong = faults(run)
        off = mean = math.nan
        if run.summary:
            energy = run.summary["energy"]
            off = abs(energy["end"]["total"] - energy["target_end"]) / energy["scale"]
            mean = energy["mean_target_error"]
        rows.append(row("energy dies away as it is told, and nothing intersects", "%s, tau = %g s" % (scene, tau),
                        "; ".join(wrong) or "|H - T|/S %.2f%% on average, %.3f%% at the end" % (100 * mean, 100 * off),
                        "within 1% at the end", not wrong and off < 0.01))
    return rows


def stiffness(quick):
    """Reported only: what the barrier's stiffness does to the bounce."""
    rows = []
    for kappa in (1e4, 1e5, 1e6, 1e7):
        run, b = ball("search", 1e7, 1.0 if quick else 3, ["contact.stiffness=%g" % kappa])
        ratios = [out / into for into, out in map(b.speeds, b.contacts) if into > 0.5] if b else []
        s = run.summary
        text = "; ".join(faults(run))
        if s and ratios:
            text = "speeds %.3f to %.3f, gap %.2g mm, mean |H - T| %.2f%%, %d Newton iterations%s" % (
                min(ratios), max(ratios), 1e3 * (s["min_gap"] or 0), 100 * s["energy"]["mean_target_error"], s["newton_iterations"],
                "; " + text if text else "")
        rows.append(row("barrier stiffness", "kappa = %g Pa, E = 1e7" % kappa, text, "reported", s is not None and not faults(run)))
    return rows


# ---- friction ----------------------------------------------------------------------------------------------------------


def slope_sets(tangent):
    angle = math.atan(tangent)
    return ["gravity=[%.17g,%.17g,0]" % (G * math.sin(angle), -G * math.cos(angle))]


def incline(_quick):
    """Friction 0.5: below the critical slope the block rests, above it slides with g (sin - mu cos)."""
    rows, mu, until = [], 0.5, 2.0
    for tangent in (0.495, 0.505):
        run = simulate("incline", "backward-euler", slope_sets(tangent), until, ledger=True)
        wrong = faults(run)
        if wrong or not run.ledger:
            rows.append(row("incline", "slope %.3f" % tangent, "; ".join(wrong), "a run", False))
            continue
        t, angle = run.ledger["time"], math.atan(tangent)
        mass = 1000 * 0.1 * 0.05 * 0.1
        v = [p / mass for p in run.ledger["momentum_x"]]
        mid = len(t) // 2
        pull = G * (math.sin(angle) - mu * math.cos(angle))
        if tangent < mu:
            rows.append(row("static friction holds", "slope 1% below friction",
                            "speed %.2g m/s at the end" % v[-1], "at most epsilon_v = 1e-4 m/s", abs(v[-1]) <= 1e-4))
        else:
            a = (v[-1] - v[mid]) / (t[-1] - t[mid])
            rows.append(row("it slides above the critical slope", "slope 1% above friction", "%.4f m/s2" % a,
                            "%.4f m/s2, to 0.1%% of friction" % pull, abs(a - pull) <= 1e-3 * mu * G))
    return rows


GROUNDS = {"a mesh": [], "two triangles": ["obstacles[0].mesh.ground.size=[6,0.6]", "obstacles[0].mesh.ground.cells=[1,1]"],
           "a plane": ['obstacles=[{"name":"ground","plane":{"point":[0,0,0],"normal":[0,1,0]}}]']}


def sliding(_quick):
    rows, mu = [], 0.3
    for ground, method in [(g, m) for g in GROUNDS for m in ("backward-euler", "bdf2", "search")]:
        run = simulate("slide", method, ["integrator.ground_energy=none"] + GROUNDS[ground], None, ledger=True)
        wrong, case = faults(run), "%s on %s" % (method, ground)
        if wrong or not run.ledger:
            rows.append(row("kinetic friction", case, "; ".join(wrong), "a run", False))
            continue
        t, mass = run.ledger["time"], 1000 * 0.1 * 0.05 * 0.1
        v = [p / mass for p in run.ledger["momentum_x"]]
        first = next(i for i, x in enumerate(v) if x <= 1.5)  # it has come to rest on the ground by then
        last = next(i for i, x in enumerate(v) if x <= 0.1)
        a = (v[first] - v[last]) / (t[last] - t[first])
        rows.append(row("kinetic friction", case, "deceleration %.4f m/s2" % a, "mu g = %.4f m/s2 within 2%%" % (mu * G),
                        abs(a / (mu * G) - 1) <= 0.02))
    return rows


def standing(quick):
    """The highest point of what stands by friction alone comes down by no more than it settles."""
    rows = []
    for scene, what, drop in (("cards", "a house of five cards", 3e-3), ("stack", "a stack of cubes", 2e-3)):
        for method in ("backward-euler", "bdf2"):
            run = simulate(scene, method, [], 1 if quick else None)
            wrong = faults(run)
            s = run.summary
            down = s["bounds_start"][1][1] - s["bounds_end"][1][1] if s else math.nan
            side = max(abs(s["bounds_end"][k][c] - s["bounds_start"][k][c]) for k in (0, 1) for c in (0, 2)) if s else math.nan
            rows.append(row("it stands", "%s, %s, %.3g s" % (what, method, s["time_end"] if s else 0),
                            "; ".join(wrong) or "top %.2f mm lower, sides moved %.2f mm" % (1e3 * down, 1e3 * side),
                            "less than %g mm each" % (1e3 * drop), not wrong and abs(down) < drop and side < drop))
    return rows


GROUPS = {"bouncing": bouncing, "restitution": restitution, "decay": decay, "decaying": decaying, "stiffness": stiffness, "incline": incline,
          "sliding": sliding, "standing": standing}
