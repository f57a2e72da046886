"""Random scenes, by families. A family is a function of a random generator that returns a `Scene` of sizes near 1 (m, s, kg)."""
import dataclasses
import math
import random

from quantities import (Q, Vector, X, acceleration, axial, damping, direction, force, free_point, inertia, length,
                        mass, number, of_body, point, pose, rate, rotation, speed, stiffness, time, torque, twist, twist3,
                        velocity)

G = 9.81
FAMILIES = {}


@dataclasses.dataclass
class Scene:
    tree: dict            # systems, shapes, elements, forces
    end: float = 1.
    soluble: bool = True  # False: there is no motion, every run must say so
    dims: dict = dataclasses.field(default_factory=dict)  # powers of length of a lagrange system's coordinates
    frame: bool = True    # may be turned and mirrored
    shift: bool = True    # may begin at any of its instants
    family: str = ""
    seed: int = 0


def family(make):
    FAMILIES[make.__name__] = make
    return make


def scene(name, seed):
    s = FAMILIES[name](random.Random(f"{name}/{seed}"))
    s.family, s.seed = name, seed
    return s


def weight(dim, g=G):
    return {"type": "gravity", "acceleration": acceleration([0.] * (dim - 1) + [-g])}


def unilateral(eps=0.):
    return {"type": "unilateral", **({"restitution": round(eps, 2)} if eps else {})}


def friction(mu):
    return {"type": "friction", "mu": number(round(mu, 3))}


def bound(f):
    return {"type": "friction", "bound": force(f)}


def restitution(r):
    return r.choice([0., 0., r.uniform(0.1, 0.9), 1.])


def pin(system, at, to=None, to_at=(0, 0), **laws):
    """A hinge of planar bodies."""
    e = {"type": "joint", "system": system, "point": of_body(*at), "laws": {"gap": {"type": "bilateral"}, **laws}}
    if to:
        return {**e, "to": to, "to_point": of_body(*to_at)}
    return {**e, "to_point": point(*to_at)}


def load(on, *parts):
    return {"type": "load", "on": on, "force": Vector(*parts)}


@family
def linkage(r):
    """A crank that drives a slider with friction through its dead centres."""
    radius, rod = 0.3, r.uniform(0.5, 1.2)
    a, w = r.uniform(0.2, 2.5), r.choice([-1, 1]) * r.uniform(2, 6)
    if r.random() < 0.4:
        rotor = {"type": "lagrange", "coordinates": ["phi"], "position": a, "velocity": rate(w),
                 "kinetic": X("0.5*{}*phi'^2 + 0.5*{}*({}*sin(phi)*phi')^2", inertia(0.5), mass(r.uniform(0.1, 1)), length(radius))}
        guide = {"type": "expression", "slip": X("-{}*sin(phi)*phi'", length(radius)), "laws": {"slip": bound(r.uniform(0, 0.6))}}
        return Scene({"systems": {"rotor": rotor}, "elements": {"guide": guide}}, 2., dims={"rotor": [0]}, frame=False)
    b = math.asin(-radius * math.sin(a) / rod)
    x = radius * math.cos(a) + rod * math.cos(b)
    wb = -radius * math.cos(a) * w / (rod * math.cos(b))
    vx = -radius * math.sin(a) * w - rod * math.sin(b) * wb
    mid = (radius * math.cos(a) + rod * math.cos(b) / 2, rod * -math.sin(b) / 2)
    vm = (-radius * math.sin(a) * w - rod * math.sin(b) * wb / 2, rod * -math.cos(b) * wb / 2)
    systems = {
        "crank": {"type": "planar_body", "mass": mass(1.), "inertia": inertia(r.uniform(0.1, 1)), "position": pose(0, 0, a),
                  "velocity": twist(0, 0, w)},
        "rod": {"type": "planar_body", "mass": mass(0.5), "inertia": inertia(0.04), "position": pose(*mid, b),
                "velocity": twist(*vm, wb)},
        "slider": {"type": "point", "dim": 2, "mass": mass(r.uniform(0.2, 1)), "position": point(x, 0), "velocity": velocity(vx, 0)}}
    elements = {
        "axle": pin("crank", (0, 0), **({"turn": {"type": "friction", "bound": torque(0.05)}} if r.random() < 0.3 else {})),
        "crank_pin": pin("rod", (-rod / 2, 0), "crank", (radius, 0)),
        "wrist": {"type": "joint", "system": "rod", "point": of_body(rod / 2, 0), "to": "slider", "laws": {"gap": {"type": "bilateral"}}},
        "guide": {"type": "plane", "system": "slider", "normal": direction(0, 1), "through": point(0, 0),
                  "laws": {"gap": {"type": "bilateral"}, "slip": friction(r.choice([0, 0.1, 0.3]))}}}
    forces = {"weight": weight(2)} if r.random() < 0.5 else {}
    return Scene({"systems": systems, "elements": elements, "forces": forces}, 1.5)


@family
def cam(r):
    """A follower that a spring presses onto a cam; it may leave it."""
    e, w, n = r.uniform(0.02, 0.1), r.uniform(3, 12), r.choice([1, 1, 2])
    follower = {"type": "point", "dim": 1, "mass": mass(r.uniform(0.2, 1)), "position": point(e), "velocity": velocity(0)}
    gap = X("follower.x - {}*cos({}*t)", length(e), rate(n * w))
    spring = X("-{}*follower.x - {} - {}*follower.x'", stiffness(r.uniform(10, 100)), force(r.uniform(0, 8)), damping(r.uniform(0, 2)))
    elements = {"cam": {"type": "expression", "gap": gap, "laws": {"gap": unilateral(r.choice([0, 0, 0.5, 0.8]))}}}
    if r.random() < 0.5:
        elements["guide"] = {"type": "expression", "slip": "follower.x'", "laws": {"slip": bound(r.uniform(0.05, 0.5))}}
    return Scene({"systems": {"follower": follower}, "elements": elements,
                  "forces": {"spring": {"type": "load", "on": "follower.x", "force": spring}}}, 1.5, frame=False)


@family
def clearance(r):
    """A slider with play in its guide, or a bob in a loose bearing."""
    if r.random() < 0.35:
        L = r.uniform(0.2, 1)
        bob = {"type": "point", "dim": 2, "mass": mass(1.), "position": free_point(r.uniform(-0.5, 0.5) * L, r.uniform(-0.5, 0.2) * L),
               "velocity": velocity(r.uniform(-1, 1), r.uniform(-1, 1))}
        ring = {"type": "distance", "system": "bob", "to_point": point(0, 0), "length": X("{}", length(L)), "side": "inside",
                "laws": {"gap": unilateral(r.choice([0., 0.3, 0.7]))}}
        return Scene({"systems": {"bob": bob}, "elements": {"ring": ring}, "forces": {"weight": weight(2)}}, 1.)
    w, h, c = r.uniform(0.1, 0.4), r.uniform(0.05, 0.2), r.uniform(0.001, 0.02)
    eps, mu = r.choice([0, 0, 0.5]), r.choice([0, 0.1, 0.4])
    body = {"type": "planar_body", "mass": mass(1.), "inertia": inertia((w * w + h * h) / 12), "position": pose(0, 0, 0),
            "velocity": twist(r.uniform(0, 1), r.choice([0, r.uniform(-0.3, 0.3)]), r.choice([0, r.uniform(-1, 1)]))}
    elements = {}
    for i, (sx, sy) in enumerate([(-1, -1), (1, -1), (1, 1), (-1, 1)]):
        elements[f"corner_{i}"] = {"type": "plane", "system": "slider", "point": of_body(sx * w / 2, sy * h / 2),
                                   "normal": direction(0, -sy), "through": point(0, sy * (h / 2 + c)),
                                   "laws": {"gap": unilateral(eps), "slip": friction(mu)}}
    push = load(["slider.x", "slider.y"], X("{}", force(r.uniform(0, 5))), X("{}", force(r.uniform(-10, 10))))
    return Scene({"systems": {"slider": body}, "elements": elements, "forces": {"push": push}}, 0.6)


@family
def belt(r):
    """A mass on a spring on a moving belt; friction constant, falling with speed, or a curve."""
    v, k = r.uniform(0.2, 1.), r.uniform(5, 60)
    if r.random() < 0.5:
        law = r.choice([bound(r.uniform(1, 6)),
                        {"type": "stribeck", "bound": force(r.uniform(1, 6)), "delta": Q(r.uniform(0.5, 4), -1, 1, vary=True)}])
        block = {"type": "point", "dim": 1, "mass": mass(1.), "position": point(0.), "velocity": velocity(r.choice([0., v]))}
        pull = X("-{}*block.x", stiffness(k))
        return Scene({"systems": {"block": block},
                      "elements": {"belt": {"type": "expression", "slip": X("block.x' - {}", speed(v)), "laws": {"slip": law}}},
                      "forces": {"spring": {"type": "load", "on": "block.x", "force": pull}}}, 3., frame=False)
    law = r.choice([friction(r.uniform(0.1, 0.6)), {"type": "characteristic", "mu": [0.5, 0.3, 0.25],
                                                     "speed": [Q(0., 1, -1), Q(0.3, 1, -1), Q(1., 1, -1)]}])
    block = {"type": "point", "dim": 2, "mass": mass(r.uniform(0.5, 2)), "position": point(0, 0), "velocity": velocity(0, 0)}
    surface = {"type": "plane", "system": "block", "normal": direction(0, 1), "velocity": velocity(v, 0), "through": point(0, 0),
               "laws": {"gap": unilateral(), "slip": law}}
    spring = {"type": "spring", "system": "block", "to_point": point(-0.5, r.choice([0, 0.1])), "stiffness": stiffness(k), "length": length(0.5)}
    return Scene({"systems": {"block": block}, "elements": {"belt": surface}, "forces": {"spring": spring, "weight": weight(2)}}, 2.)


@family
def clutch(r):
    """Rotors coupled by dry friction, with a torque that jumps and a brake."""
    n = r.choice([2, 2, 3])
    systems = {f"disk_{i}": {"type": "point", "dim": 1, "mass": mass(r.uniform(0.3, 2)),
                             "velocity": velocity(r.choice([0, 0, r.uniform(-3, 3)]))} for i in range(n)}
    elements = {f"lining_{i}": {"type": "expression", "slip": f"disk_{i+1}.x' - disk_{i}.x'", "laws": {"slip": bound(r.uniform(0.5, 3))}}
                for i in range(n - 1)}
    elements["brake"] = {"type": "expression", "slip": f"disk_{n-1}.x'", "laws": {"slip": bound(r.uniform(0.2, 2))}}
    f = [force(r.uniform(-4, 6)) for _ in range(2)]
    engine = X("t < {} ? {} : {}", time(r.uniform(0.3, 1.2)), *f)
    if r.random() < 0.4:
        engine = X("{}*sin({}*t)", force(r.uniform(2, 8)), rate(r.uniform(2, 8)))
    return Scene({"systems": systems, "elements": elements,
                  "forces": {"engine": {"type": "load", "on": "disk_0.x", "force": engine}}}, 2., frame=False)


def stand(r, n, mu, h, name="body"):
    """A body on n feet around it."""
    feet, a0 = {}, r.uniform(0, 2)
    for i in range(n):
        a, d = a0 + 2 * math.pi * i / n + r.uniform(-0.3, 0.3), r.uniform(0.2, 0.5)
        feet[f"foot_{i}"] = {"type": "plane", "system": name, "point": of_body(d * math.cos(a), d * math.sin(a), -h),
                             "normal": direction(0, 0, 1), "through": point(0, 0, 0),
                             "laws": {"gap": unilateral(), "slip": friction(mu)}}
    body = {"type": "body", "mass": mass(1.), "inertia": [inertia(0.05), inertia(0.06), inertia(0.08)], "position": point(0, 0, h)}
    return {name: body}, feet


@family
def feet(r):
    """A body on three to six feet, pulled and turned more and more."""
    n = r.choice([3, 3, 3, 4, 5, 6])
    systems, elements = stand(r, n, r.uniform(0.1, 0.5), r.uniform(0.02, 0.15))
    a, jerk = r.uniform(0, 6.28), r.uniform(2, 6)
    forces = {"weight": weight(3),
              "pull": load(["body.x'", "body.y'", "body.z'"], X("{}*t", Q(jerk * math.cos(a), 1, -3, 1, vary=True)),
                           X("{}*t", Q(jerk * math.sin(a), 1, -3, 1, vary=True)), X("0"))}
    if r.random() < 0.6:
        forces["couple"] = {"type": "load", "on": "body.wz", "force": X("{}*t", Q(r.uniform(-1, 1), 2, -3, 1, vary=True))}
    return Scene({"systems": systems, "elements": elements, "forces": forces}, 1.5, frame="couple" not in forces)


@family
def gripper(r):
    """Two fingers that hold a box and let go."""
    m, mu, size = r.uniform(0.2, 1), r.uniform(0.2, 0.6), [r.uniform(0.05, 0.2) for _ in range(3)]
    f0 = r.uniform(1.2, 2.5) * m * G / (2 * mu)
    f1 = f0 * r.uniform(0.5, 1.2)
    I = [m / 12 * (size[1]**2 + size[2]**2), m / 12 * (size[0]**2 + size[2]**2), m / 12 * (size[0]**2 + size[1]**2)]
    systems = {"box": {"type": "body", "mass": mass(m), "inertia": [inertia(i) for i in I], "position": point(0, 0, 0)}}
    shapes = {"box": {"type": "box", "on": "box", "size": [length(s) for s in size], "material": "box"}}
    elements = {"grip": {"type": "contact", "between": ["box", "finger"], "laws": {"gap": unilateral(), "slip": friction(mu)}}}
    forces = {"weight": weight(3)}
    for name, s in (("left", -1), ("right", 1)):
        x = s * (size[0] / 2 + 0.02)
        systems[name] = {"type": "body", "mass": mass(0.2), "inertia": inertia(1e-3), "position": point(x, 0, 0)}
        shapes[name] = {"type": "box", "on": name, "size": [length(0.04), length(0.05), length(0.05)], "material": "finger"}
        elements["rail_" + name] = {"type": "prismatic", "system": name, "at": point(x, 0, 0), "axis": direction(1, 0, 0)}
        forces["squeeze_" + name] = load([name + ".x'", name + ".y'", name + ".z'"],
                                         X("{} + {}*t", force(-s * f0), Q(s * f1, 1, -3, 1, vary=True)), X("0"), X("0"))
    return Scene({"systems": systems, "shapes": shapes, "elements": elements, "forces": forces}, 0.8, shift=False)


@family
def rocking(r):
    """A block that rocks on its two lower corners, or topples."""
    w, h = r.uniform(0.2, 0.6), r.uniform(0.4, 1.2)
    block = {"type": "planar_body", "mass": mass(1.), "inertia": inertia((w * w + h * h) / 12)}
    a = r.choice([0., r.uniform(0.02, 0.25)])
    corner = (-w / 2 * math.cos(a) + h / 2 * math.sin(a), -w / 2 * math.sin(a) - h / 2 * math.cos(a))
    omega = r.uniform(-1.5, 1.5)
    # It turns about its left corner, so that this corner rests on the ground.
    omega = abs(omega) if a == 0 else omega
    block["position"] = pose(-corner[0], -corner[1], a)
    block["velocity"] = twist(omega * corner[1], -omega * corner[0], omega)
    eps, mu = r.choice([0, 0, 0, r.uniform(0.1, 0.7)]), r.choice([0.05, r.uniform(0.2, 1), 1.5])
    elements = {f"corner_{i}": {"type": "plane", "system": "block", "point": of_body(s * w / 2, -h / 2), "normal": direction(0, 1),
                                "through": point(0, 0), "laws": {"gap": unilateral(eps), "slip": friction(mu)}}
                for i, s in enumerate([-1, 1])}
    forces = {"weight": weight(2)}
    if r.random() < 0.4:
        forces["push"] = load(["block.x", "block.y"], X("t < {} ? {} : 0", time(r.uniform(0.1, 0.4)), force(r.uniform(-6, 6))), X("0"))
    return Scene({"systems": {"block": block}, "elements": elements, "forces": forces}, r.uniform(0.4, 0.9))


@family
def impacts(r):
    """Balls in a row, or in a plane, that hit each other."""
    if r.random() < 0.6:
        n, same = r.choice([2, 3, 3, 4, 5]), r.random() < 0.5
        systems, elements, x, eps = {}, {}, 0., r.uniform(0, 1)
        for i in range(n):
            systems[f"ball_{i}"] = {"type": "point", "dim": 1, "mass": mass(r.choice([1., r.uniform(0.3, 3)])), "position": point(x),
                                    "velocity": velocity(r.uniform(1, 2) if i == 0 else r.choice([0, 0, r.uniform(-1, 1)]))}
            x += 0.1 + r.choice([0, 0, 0.05, r.uniform(0, 0.1)])
            if i:
                e = unilateral(eps if same else r.choice([0, 1, r.random()]))
                elements[f"hit_{i}"] = {"type": "expression", "gap": X(f"ball_{i}.x - ball_{i-1}.x - {{}}", length(0.1)),
                                        "laws": {"gap": e}}
        if r.random() < 0.5:
            elements["wall"] = {"type": "expression", "gap": X(f"{{}} - ball_{n-1}.x", length(x + 0.1)), "laws": {"gap": unilateral(eps)}}
        return Scene({"systems": systems, "elements": elements}, 0.4, frame=False)
    systems, shapes, R = {}, {}, 0.1
    for i in range(r.choice([2, 3, 4])):
        at = (-0.4 - 0.3 * r.random(), r.choice([0, r.uniform(-0.1, 0.1)])) if i == 0 else (0.25 * (i - 1), r.choice([0, 0.1, r.uniform(-0.2, 0.2)]))
        v = (r.uniform(1, 3), 0, 0) if i == 0 else (0, 0, 0)
        systems[f"ball_{i}"] = {"type": "body", "mass": mass(r.choice([1., r.uniform(0.5, 2)])), "inertia": inertia(0.4 * R * R),
                                "position": free_point(*at, 0.), "velocity": twist3(v, [r.choice([0, r.uniform(-5, 5)]) for _ in range(3)])}
        shapes[f"ball_{i}"] = {"type": "sphere", "on": f"ball_{i}", "radius": length(R), "material": "ball"}
    elements = {"hit": {"type": "contact", "between": ["ball", "ball"], "laws": {
        "gap": unilateral(restitution(r)), "slip": friction(r.choice([0, 0.3]))}}}
    return Scene({"systems": systems, "shapes": shapes, "elements": elements}, 0.5)


@family
def joints(r):
    """A body on a joint with friction, stops, a motor, a spring; perhaps a second body on it."""
    kind = r.choice(["revolute", "prismatic", "cylindrical", "revolute", "spherical", "universal"])
    L = r.uniform(0.2, 0.6)
    arm = {"type": "body", "mass": mass(1.), "inertia": [inertia(0.01), inertia(0.02), inertia(0.025)], "position": point(L, 0, 0)}
    joint = {"type": kind, "system": "arm", "at": point(0, 0, 0)}
    laws = {}
    if kind != "spherical":
        joint["axis"] = {"prismatic": direction(1, 0, r.choice([0, 1])), "cylindrical": direction(1, 0, -1)}.get(kind, axial(0, 1, 0))
    if kind == "universal":
        joint["cross_axis"] = axial(1, 0, 0)
    turning = kind in ("revolute", "cylindrical")
    if turning:
        laws["turn"] = r.choice([{"type": "friction", "bound": torque(r.uniform(0.1, 2))},
                                 {"type": "motor", "speed": X("{}", rate(r.uniform(-4, 4))), "limit": torque(r.uniform(1, 9))},
                                 {"type": "motor", "speed": X("t < {} ? 0 : {}", time(0.3), rate(r.uniform(-4, 4)))},
                                 {"type": "joint_friction", "mu": number(r.uniform(0.05, 0.5)), "radius": length(0.02)}])
        if r.random() < 0.5:
            laws["angle"] = {"type": "stop", "lower": -r.uniform(0.2, 1), "upper": r.uniform(0.2, 1), "restitution": r.choice([0, 0.5])}
        if r.random() < 0.4:
            laws["drive"] = {"type": "spring_damper", "stiffness": torque(r.uniform(1, 20)), "damping": Q(r.uniform(0, 0.5), 2, -1, 1, vary=True)}
    if kind in ("prismatic", "cylindrical"):
        laws["slip"] = r.choice([bound(r.uniform(0.5, 5)), {"type": "joint_friction", "mu": number(r.uniform(0.05, 0.5))},
                                 {"type": "motor", "speed": X("{}*sin({}*t)", speed(0.5), rate(6)), "limit": force(r.uniform(2, 20))}])
        if r.random() < 0.5:
            laws["slide"] = {"type": "stop", "lower": length(-r.uniform(0.05, 0.3)), "upper": length(0.5), "restitution": r.choice([0, 0.5])}
    systems, elements = {"arm": arm}, {"joint": {**joint, **({"laws": laws} if laws else {})}}
    if r.random() < 0.4:
        systems["tip"] = {"type": "body", "mass": mass(0.3), "inertia": inertia(0.004), "position": point(L + 0.3, 0, 0)}
        elements["elbow"] = {"type": "revolute", "system": "tip", "to": "arm", "at": point(L + 0.1, 0, 0), "axis": axial(0, 1, 0)}
    return Scene({"systems": systems, "elements": elements, "forces": {"weight": weight(3)}}, 0.8, frame=not laws, shift=False)


@family
def driven(r):
    """Bodies on a table that is driven, and loads that jump."""
    a, w = r.uniform(0.005, 0.05), r.uniform(4, 20)
    if r.random() < 0.5:
        block = {"type": "point", "dim": 2, "mass": mass(1.), "position": point(0, 0), "velocity": velocity(r.choice([0, 1]), 0)}
        if r.random() < 0.5:
            gap, slip = X("block.y - {}*(1 - cos({}*t))", length(a), rate(w)), "block.x'"
        else:
            gap, slip = "block.y", X("block.x' - {}*sin({}*t)", speed(a * w), rate(w))
        table = {"type": "expression", "gap": gap, "slip": slip, "laws": {"gap": unilateral(r.choice([0, 0.4])), "slip": friction(r.uniform(0.05, 0.5))}}
        push = load(["block.x", "block.y"], X("t < {} ? {} : {}", time(r.uniform(0.2, 0.8)), force(r.uniform(-4, 4)), force(r.uniform(-4, 4))), X("0"))
        return Scene({"systems": {"block": block}, "elements": {"table": table}, "forces": {"weight": weight(2), "push": push}}, 1.5, frame=False)
    table = {"type": "body", "motion": Vector(X("{}*sin({}*t)", length(a), rate(w)), X("0"), X("{}*(1 - cos({}*t))", length(r.choice([0, a])), rate(w)))}
    ball = r.random() < 0.5
    top = {"type": "body", "mass": mass(1.), "inertia": inertia(0.004), "position": point(0, 0, 0.1), "velocity": twist3((0, r.choice([0, 0.5]), 0), (0, 0, 0))}
    shapes = {"table": {"type": "plane", "on": "table", "material": "table"},
              "top": {"type": "sphere", "radius": length(0.1), "on": "top", "material": "top"} if ball else
              {"type": "box", "size": [length(0.3), length(0.3), length(0.2)], "on": "top", "material": "top"}}
    rule = {"type": "contact", "between": ["table", "top"], "laws": {"gap": unilateral(), "slip": friction(r.uniform(0.05, 0.6))}}
    return Scene({"systems": {"table": table, "top": top}, "shapes": shapes, "elements": {"rule": rule}, "forces": {"weight": weight(3)}}, 0.8,
                 frame=False, shift=False)


def shape(r, kind, size):
    s = lambda: length(size * r.uniform(0.6, 1.4))
    return {"sphere": lambda: {"type": kind, "radius": s()}, "box": lambda: {"type": kind, "size": [s(), s(), s()]},
            "capsule": lambda: {"type": kind, "radius": s(), "length": s()}, "cylinder": lambda: {"type": kind, "radius": s(), "length": s()},
            "ellipsoid": lambda: {"type": kind, "axes": [s(), s(), s()]},
            "hull": lambda: {"type": kind, "points": [of_body(*(size * r.uniform(0.6, 1.2) * x for x in c)) for c in
                             [(1, 1, 1), (-1, -1, 1), (-1, 1, -1), (1, -1, -1), (0, 0, 1.3)]]}}[kind]()


CONVEX = ["sphere", "box", "capsule", "cylinder", "ellipsoid", "hull"]


@family
def shapes(r):
    """A shape of every kind falls on one of every kind."""
    spin = lambda: ([r.gauss(0, 1) for _ in range(3)], r.uniform(0, 3))
    falling, ground = r.choice(CONVEX), r.choice(CONVEX + ["plane", "plane"])
    body = {"type": "body", "mass": mass(1.), "inertia": [inertia(0.01), inertia(0.012), inertia(0.015)],
            "position": free_point(r.uniform(-0.05, 0.05), r.uniform(-0.05, 0.05), 0.), "rotation": rotation(*spin()),
            "velocity": twist3((r.uniform(-0.5, 0.5), r.uniform(-0.5, 0.5), -1), [r.uniform(-2, 2) for _ in range(3)])}
    top = {**shape(r, falling, 0.1), "on": "body", "material": "a"}
    if ground == "plane":
        base, body["position"].value[2] = {"type": "plane", "at": point(0, 0, 0), "material": "b"}, 0.35
    else:
        base = {**shape(r, ground, 0.3), "at": point(0, 0, 0), "rotation": rotation(*spin()), "material": "b"}
        body["position"].value[2] = 0.9
    rule = {"type": "contact", "between": ["a", "b"], "laws": {"gap": unilateral(restitution(r)), "slip": friction(r.choice([0, 0.2, 0.6]))}}
    return Scene({"systems": {"body": body}, "shapes": {"top": top, "base": base}, "elements": {"rule": rule}, "forces": {"weight": weight(3)}},
                 r.uniform(0.2, 0.45))


@family
def redundant(r):
    """More supports than needed: a table that slides, a door on two hinges, a bar between three rods."""
    pick = r.random()
    if pick < 0.4:
        systems, elements = stand(r, 4, r.uniform(0.05, 0.3), r.uniform(0.02, 0.1))
        systems["body"]["velocity"] = twist3((r.uniform(0.5, 2), r.uniform(-1, 1), 0), (0, 0, r.choice([0, r.uniform(-2, 2)])))
        return Scene({"systems": systems, "elements": elements, "forces": {"weight": weight(3)}}, 0.8)
    if pick < 0.7:
        door = {"type": "body", "mass": mass(5.), "inertia": [inertia(1.), inertia(0.4), inertia(1.2)], "position": point(0.5, 0, 0),
                "velocity": twist3((0, 0.5, 0), (0, 0, 1))}
        hinge = lambda z: {"type": "revolute", "system": "door", "at": point(0, 0, z), "axis": axial(0, 0, 1)}
        elements = {"upper": hinge(0.5), "lower": hinge(-0.5)}
        if r.random() < 0.5:
            elements["upper"]["laws"] = {"turn": {"type": "friction", "bound": torque(r.uniform(0.1, 1))}}
        return Scene({"systems": {"door": door}, "elements": elements, "forces": {"weight": weight(3)}}, 1.5, shift=False)
    L, a = r.uniform(0.5, 1), r.uniform(-1, 1)
    w = r.uniform(-2, 2)
    bar = {"type": "planar_body", "mass": mass(1.), "inertia": inertia(0.1), "position": pose(L * math.sin(a), -L * math.cos(a), 0),
           "velocity": twist(L * math.cos(a) * w, L * math.sin(a) * w, 0)}
    elements = {f"rod_{i}": {"type": "distance", "system": "bar", "point": of_body(x, 0), "to_point": point(x, 0), "length": X("{}", length(L)),
                             "laws": {"gap": {"type": "bilateral"}}} for i, x in enumerate((-0.3, 0.1, 0.4))}
    return Scene({"systems": {"bar": bar}, "elements": elements, "forces": {"weight": weight(2)}}, 1.5)


@family
def jam(r):
    """A rod whose lower end slides on rough ground: stuck, sliding, or jammed (Painlevé)."""
    a, l = r.uniform(0.8, 1.3), 0.5
    v = r.choice([-1, 1]) * r.uniform(0.5, 2.5)
    rod = {"type": "planar_body", "mass": mass(1.), "inertia": inertia(l * l / 3), "position": pose(-l * math.cos(a), l * math.sin(a), -a),
           "velocity": twist(v, 0, 0)}
    tip = {"type": "plane", "system": "rod", "point": of_body(l, 0), "normal": direction(0, 1), "through": point(0, 0),
           "laws": {"gap": unilateral(), "slip": friction(r.choice([r.uniform(0.1, 1.2), r.uniform(1.35, 2.5)]))}}
    return Scene({"systems": {"rod": rod}, "elements": {"tip": tip}, "forces": {"weight": weight(2)}}, 0.15)


@family
def insoluble(r):
    """Laws that contradict each other."""
    pick = r.randrange(4)
    mass_1 = {"type": "point", "dim": 1, "mass": mass(r.uniform(0.5, 2))}
    if pick == 0:
        e = {"motor": {"type": "expression", "slip": "block.x'", "laws": {"slip": {"type": "motor", "speed": X("{}", speed(r.uniform(0.1, 1)))}}},
             "hold": {"type": "expression", "gap": "block.x", "laws": {"gap": {"type": "bilateral"}}}}
        return Scene({"systems": {"block": mass_1}, "elements": e}, 0.5, soluble=False, frame=False)
    if pick == 1:
        e = {f"wall_{i}": {"type": "expression", "gap": X(t, *a), "laws": {"gap": {"type": k}}} for i, (t, a, k) in enumerate([
            ("block.x", (), r.choice(["bilateral", "unilateral"])), ("{}*({} - t) - block.x", (speed(0.5), time(r.uniform(0.1, 0.3))), "unilateral")])}
        return Scene({"systems": {"block": mass_1}, "elements": e}, 0.5, soluble=False, frame=False)
    if pick == 2:
        ball = {"type": "body", "mass": mass(1.), "inertia": inertia(0.004), "position": point(0, 0, 0.1)}
        press = {"type": "body", "motion": Vector(X("0"), X("0"), X("{} - {}*t", length(0.32), speed(r.uniform(0.1, 0.5))))}
        sh = {"ball": {"type": "sphere", "radius": length(0.1), "on": "ball", "material": "a"}, "floor": {"type": "plane", "material": "a"},
              "press": {"type": "sphere", "radius": length(0.1), "on": "press", "material": "a"}}
        rule = {"type": "contact", "laws": {"gap": unilateral(), "slip": friction(r.choice([0, 0.3]))}}
        return Scene({"systems": {"ball": ball, "press": press}, "shapes": sh, "elements": {"rule": rule}, "forces": {"weight": weight(3)}}, 0.5,
                     soluble=False, frame=False)
    bob = {"type": "point", "dim": 2, "mass": mass(1.), "position": point(0, -1)}
    e = {f"rod_{i}": {"type": "distance", "system": "bob", "to_point": point(0, 0), "length": x, "laws": {"gap": {"type": "bilateral"}}}
         for i, x in enumerate([X("{}", length(1.)), X("{} + {}*t", length(1.), speed(r.uniform(0.1, 1)))])}
    return Scene({"systems": {"bob": bob}, "elements": e, "forces": {"weight": weight(2)}}, 0.5, soluble=False)
