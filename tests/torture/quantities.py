"""Numbers that know their unit and their frame, so that one scene can be written in other units and frames.

A scene is a tree of maps and lists. Its leaves are plain values, which no change of units or frame touches, `Q` (numbers with
a unit) or `X` (expressions with such numbers in them).
"""
import math

import numpy


class Q:
    """A number, or a list of numbers, in kg^M m^L s^T; `kind` says how a frame changes it.

    Kinds: scalar; point, vector, axial (of space); body (a point of a body, in its own axes); rotation, body_rotation (axis
    and angle, of space or of a body); pose, twist (x, y, phi of a planar body); twist3 (three velocities, three rates);
    angle, rate (of the plane).
    """

    def __init__(self, value, L=0, T=0, M=0, kind="scalar", vary=False):
        self.value, self.L, self.T, self.M, self.kind, self.vary = value, L, T, M, kind, vary


class X:
    """An expression: `{}` in its text stands for the numbers `args`, `t` for the time."""

    def __init__(self, text, *args):
        self.text, self.args = text, args


class Vector:
    """A vector of space whose components are expressions."""

    def __init__(self, *parts):
        self.parts = parts


def number(x): return Q(x, vary=True)
def length(x): return Q(x, 1)
def time(x): return Q(x, 0, 1)
def rate(x): return Q(x, 0, -1, vary=True)
def speed(x): return Q(x, 1, -1, vary=True)
def mass(x): return Q(x, 0, 0, 1, vary=True)
def inertia(x): return Q(x, 2, 0, 1, vary=True)
def force(x): return Q(x, 1, -2, 1, vary=True)
def torque(x): return Q(x, 2, -2, 1, vary=True)
def stiffness(x): return Q(x, 0, -2, 1, vary=True)
def damping(x): return Q(x, 0, -1, 1, vary=True)
def acceleration(x): return Q(x, 1, -2, kind="vector", vary=True)
def point(*x): return Q(list(x), 1, kind="point")
def free_point(*x): return Q(list(x), 1, kind="point", vary=True)
def direction(*x): return Q(list(x), kind="vector")
def axial(*x): return Q(list(x), kind="axial")
def of_body(*x): return Q(list(x), 1, kind="body")
def velocity(*x): return Q(list(x), 1, -1, kind="vector", vary=True)
def pose(x, y, phi): return Q([x, y, phi], 1, kind="pose")
def twist(x, y, phi): return Q([x, y, phi], 1, -1, kind="twist", vary=True)
def twist3(v, w): return Q([*v, *w], 1, -1, kind="twist3", vary=True)
def rotation(axis, angle): return Q([*axis, angle], kind="rotation")
def body_rotation(axis, angle): return Q([*axis, angle], kind="body_rotation")


def matrix_of(axis, angle):
    a = numpy.array(axis, float) / numpy.linalg.norm(axis)
    K = numpy.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    return numpy.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


def quaternion_of(A):
    """Euler parameters of a rotation, by the largest of them (Shepperd)."""
    t = [numpy.trace(A), A[0, 0], A[1, 1], A[2, 2]]
    k = int(numpy.argmax(t))
    if k == 0:
        e = [1 + t[0], A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]]
    else:
        i, j, m = [(0, 1, 2), (1, 2, 0), (2, 0, 1)][k - 1]
        e = [A[m, j] - A[j, m], 0, 0, 0]
        e[1 + i] = 1 + 2 * A[i, i] - t[0]
        e[1 + j], e[1 + m] = A[j, i] + A[i, j], A[m, i] + A[i, m]
    return numpy.array(e) / numpy.linalg.norm(e)


def rotation_of(e):
    e0, e1, e2, e3 = numpy.array(e) / numpy.linalg.norm(e)
    return numpy.array([[1 - 2 * (e2**2 + e3**2), 2 * (e1 * e2 - e0 * e3), 2 * (e1 * e3 + e0 * e2)],
                        [2 * (e1 * e2 + e0 * e3), 1 - 2 * (e1**2 + e3**2), 2 * (e2 * e3 - e0 * e1)],
                        [2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1), 1 - 2 * (e1**2 + e2**2)]])


class Frame:
    """Units and a frame: x' = o + R S x, S the mirror. Also the instant at which the scene's time begins."""

    def __init__(self, L=1., T=1., M=1., axis=(0, 0, 1), angle=0., offset=(0, 0, 0), mirror=False, start=0.):
        self.units = (L, T, M)
        self.angle, self.mirror, self.start = angle, mirror, start
        self.S = numpy.diag([-1., 1., 1.]) if mirror else numpy.eye(3)
        self.R = matrix_of(axis, angle) if angle else numpy.eye(3)
        self.offset = numpy.array(offset, float)
        self.plain = not (mirror or angle or any(offset))

    def unit(self, L, T, M):
        return self.units[0] ** L * self.units[1] ** T * self.units[2] ** M

    def scale(self, q):
        return self.unit(q.L, q.T, q.M)

    def turn(self, v, sign=1.):
        """A vector of space of two or three components."""
        n = len(v)
        return list(sign * (self.R @ self.S)[:n, :n] @ v) if n > 1 else list(v)

    def rotate(self, r, space):
        if self.plain:
            return list(r)
        A = self.S @ matrix_of(r[:3], r[3]) @ self.S
        e = quaternion_of(self.R @ A if space else A)
        n = numpy.linalg.norm(e[1:])
        return [*(e[1:] if n > 0 else (0, 0, 1)), 2 * math.atan2(n, e[0])]

    def write(self, q, factors):
        """The numbers of q in these units and this frame, each multiplied by one of `factors` if q may vary."""
        s, sign = self.scale(q), -1. if self.mirror else 1.
        many = isinstance(q.value, list)
        v = numpy.array(q.value if many else [q.value], float)
        if q.vary:
            v = v * [1 + next(factors) for _ in v]
        if q.kind == "scalar" or self.plain and q.kind in ("vector", "axial", "body", "point"):
            out = list(s * v)
        elif q.kind == "point":
            out = list(s * (numpy.array(self.turn(v)) + self.offset[:len(v)])) if len(v) > 1 else list(s * v)
        elif q.kind in ("vector", "axial"):
            out = [s * x for x in self.turn(v, sign if q.kind == "axial" else 1.)]
        elif q.kind == "body":
            out = list(s * (self.S[:len(v), :len(v)] @ v))
        elif q.kind in ("rotation", "body_rotation"):
            out = self.rotate(v, q.kind == "rotation")
        elif q.kind == "pose":
            out = [*(s * (numpy.array(self.turn(v[:2])) + self.offset[:2])), sign * v[2] + self.angle]
        elif q.kind == "twist":
            out = [*(s * numpy.array(self.turn(v[:2]))), sign * v[2] / self.units[1]]
        elif q.kind == "twist3":
            out = [*(s * numpy.array(self.turn(v[:3]))), *(numpy.array(self.turn(v[3:], sign)) / self.units[1])]
        out = [float(x) for x in out]
        return out if many else out[0]

    def expression(self, x, factors):
        text = x.text
        if self.start:
            text = _replace_time(text, f"(t + {self.start * self.units[1]!r})")
        return text.format(*[f"({self.write(a, factors)!r})" for a in x.args])

    def tree(self, node, factors):
        """The scene, written out."""
        if isinstance(node, Q):
            return self.write(node, factors)
        if isinstance(node, X):
            return self.expression(node, factors)
        if isinstance(node, Vector):
            parts = [self.expression(p, factors) for p in node.parts]
            if self.plain:
                return parts
            A, n = self.R @ self.S, len(parts)
            return [" + ".join(f"({float(A[i, j])!r})*({parts[j]})" for j in range(n)) for i in range(n)]
        if isinstance(node, dict):
            return {k: self.tree(v, factors) for k, v in node.items()}
        if isinstance(node, list):
            return [self.tree(v, factors) for v in node]
        return node

    def read(self, kind, q, u, dims):
        """Coordinates and velocities of a system of type `kind`, back in the original units and frame."""
        L, T, _ = self.units
        A, sign = self.R @ self.S, -1. if self.mirror else 1.
        q, u = numpy.array(q, float), numpy.array(u, float)
        if kind == "point":
            if len(q) == 1:
                return [*(q / L), *(u * T / L)]
            n = len(q)
            return [*(A[:n, :n].T @ (q / L - self.offset[:n])), *(A[:n, :n].T @ u * T / L)]
        if kind == "planar_body":
            return [*(A[:2, :2].T @ (q[:2] / L - self.offset[:2])), sign * (q[2] - self.angle), *(A[:2, :2].T @ u[:2] * T / L),
                    sign * u[2] * T]
        if kind == "body":
            B = self.R.T @ rotation_of(q[3:])
            return [*(A.T @ (q[:3] / L - self.offset)), *(self.S @ B @ self.S).ravel(), *(A.T @ u[:3] * T / L),
                    *(sign * A.T @ u[3:] * T)]
        return [*(q / L ** numpy.array(dims)), *(u * T / L ** numpy.array(dims))]


def _replace_time(text, by):
    """Replaces the name t, and nothing else that contains the letter."""
    out, word = [], ""
    for c in text + " ":
        if c.isalnum() or c in "_.'":
            word += c
            continue
        out.append((by if word == "t" else word) + c)
        word = ""
    return "".join(out)[:-1]
