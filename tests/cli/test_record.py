"""The record as docs/record.md describes it, read with h5py and nothing of ours."""
import csv
import hashlib
import io
import os
import shutil
import unittest

import h5py
import numpy as np

from command import BALL, CommandTest

STEP, MASS, GRAVITY, RESTITUTION = 1e-3, 2.0, 9.81, 0.6


class Record(CommandTest):
    def setUp(self):
        super().setUp()
        self.run_command("run", BALL, "-q", "--no-plots")
        self.file = h5py.File(self.path("ball.h5"))
        self.addCleanup(self.file.close)

    def test_format(self):
        attributes = self.file.attrs
        self.assertEqual(attributes["format"], b"stickslip record")
        self.assertEqual(attributes["format_version"], 2)
        self.assertRegex(attributes["stickslip_version"].decode(), r"^\d+\.\d+\.\d+$")
        self.assertEqual(attributes["every"], 1)

    def test_other_formats(self):
        commands = (["info"], ["view"], ["plot", "t"], ["plot"], ["resume"], ["export", "--csv"], ["verify"])
        self.file.close()
        for format, version in (1, "0.1.0"), (99, "9.0.0"):
            with h5py.File(self.path("ball.h5"), "r+") as file:
                file.attrs.modify("format_version", np.uint64(format))
                file.attrs["stickslip_version"] = np.bytes_(version)
            for command, *more in commands:
                err = self.refuse(command, "ball.h5", *more, says="ball.h5")
                self.assertIn(f"was written by stickslip {version} (format {format}); this program reads format 2", err)

    def test_shapes_and_types(self):
        n = 1501
        shapes = {"time": (n,), "dt": (n,), "q": (n, 2), "u": (n, 2), "gap": (n, 2), "gamma": (n, 2),
                  "impulse": (n, 2), "force": (n, 2), "mode": (n, 2), "energy/kinetic": (n,),
                  "energy/potential": (n,), "energy/dissipated": (n,), "energy/load": (n,), "energy/balance": (n,),
                  "solver/iterations": (n,), "solver/residual": (n,), "solver/outcome": (n,), "order": (n,)}
        for name, shape in shapes.items():
            data = self.file[name]
            self.assertEqual(data.shape, shape, name)
            self.assertIn("unit", data.attrs)
            self.assertIn("description", data.attrs)
            if len(shape) == 2:
                self.assertEqual(len(self.file[data.attrs["columns"].decode()]), shape[1])
        self.assertEqual(self.file["mode"].dtype, np.int8)
        self.assertEqual(self.file["q"].dtype, np.float64)
        self.assertEqual(self.file["time"].attrs["unit"], b"s")
        self.assertEqual(self.file["energy/kinetic"].attrs["unit"], b"J")

    def test_names(self):
        names = {key: list(data.asstr()[:]) for key, data in self.file["names"].items()}
        self.assertEqual(names, {"inputs": [], "input_units": [], "outputs": [], "output_units": [],
                                 "q": ["ball.x", "ball.y"], "u": ["ball.x'", "ball.y'"],
                                 "laws": ["floor.gap", "floor.slip"], "rows": ["floor.gap", "floor.slip"]})
        laws = self.file["laws"]
        self.assertEqual(list(laws["first_row"]), [0, 1])
        self.assertEqual(list(laws["rows"]), [1, 1])
        self.assertEqual(list(laws["geometric"]), [1, 0])
        self.assertEqual(list(laws["type"].asstr()[:]), ["unilateral", "friction"])
        self.assertEqual(list(laws["constraint_word"].asstr()[:]), ["closed", "stick"])
        self.assertEqual(list(laws["impressed_word"].asstr()[:]), ["open", "slip"])

    def test_motion(self):
        f = self.file
        t, q, u = f["time"][:], f["q"][:], f["u"][:]
        np.testing.assert_allclose(t, STEP * np.arange(1501), atol=1e-12)
        impact = (2 * 0.3 / GRAVITY) ** 0.5
        falling = t < impact - STEP
        np.testing.assert_allclose(q[falling, 1], 0.3 - GRAVITY * t[falling] ** 2 / 2, atol=1e-12)
        np.testing.assert_allclose(u[falling, 1], -GRAVITY * t[falling], atol=1e-12)
        np.testing.assert_array_equal(f["gap"][:, 0], q[:, 1])
        self.assertTrue(np.isnan(f["gap"][:, 1]).all())
        np.testing.assert_array_equal(f["gamma"][:, 0], u[:, 1])
        np.testing.assert_allclose(np.abs(f["gamma"][:, 1]), np.abs(u[:, 0]), atol=1e-15)

    def test_impulses_balance_momentum(self):
        f = self.file
        P, u, dt = f["impulse"][1:, 0], f["u"][:, 1], f["dt"][1:]
        np.testing.assert_allclose(MASS * np.diff(u), P - MASS * GRAVITY * dt, atol=1e-12)
        np.testing.assert_array_equal(f["force"][1:], f["impulse"][1:] / dt[:, None])
        np.testing.assert_array_equal(f["force"][0], 0)

    def test_friction_obeys_coulomb(self):
        normal, tangential = np.abs(self.file["impulse"][:]).T
        self.assertTrue((tangential <= 0.3 * normal * (1 + 1e-9) + 1e-12).all())
        self.assertTrue((normal > 0).any())

    def test_energies(self):
        f, e = self.file, self.file["energy"]
        np.testing.assert_allclose(e["kinetic"][:], MASS / 2 * (f["u"][:] ** 2).sum(axis=1), atol=1e-13)
        np.testing.assert_allclose(e["potential"][:], MASS * GRAVITY * f["q"][:, 1], atol=1e-13)
        total = e["kinetic"][:] + e["potential"][:] + e["dissipated"][:] - e["load"][:]
        np.testing.assert_allclose(e["balance"][:], total - total[0], atol=1e-13)
        np.testing.assert_allclose(e["balance"][:], 0, atol=1e-10)

    def test_events_agree_with_modes(self):
        f, events = self.file, self.file["events"]
        mode, t = f["mode"][:], f["time"][:]
        expected = [(t[i], law) for i in range(1, len(t)) for law in range(2)
                    if (mode[i, law] == 0) != (mode[i - 1, law] == 0)]
        self.assertEqual(expected, list(zip(events["time"][:], events["law"][:])))
        self.assertGreater(len(expected), 4)
        for i, (time, law) in enumerate(expected):
            row = np.searchsorted(t, time)
            self.assertEqual(events["to"][i] == 0, mode[row, law] == 0)
            self.assertEqual(events["impulse"][i], abs(f["impulse"][row, law]))

    def test_scene(self):
        scene = self.file["scene"]
        self.assertEqual(scene["name"].asstr()[()], "ball")
        self.assertIn("restitution", scene["text"].asstr()[()])
        values = dict(zip(scene["parameters/name"].asstr()[:], scene["parameters/value"][:]))
        self.assertEqual(values, {"mu": 0.3, "height": 0.3})

    def test_statistics(self):
        s = self.file["statistics"].attrs
        self.assertEqual(s["steps"], 1500)
        self.assertEqual(s["switches"], len(self.file["events/time"]))
        self.assertEqual(s["failures"], 0)
        self.assertEqual(s["iterations"], self.file["solver/iterations"][:].sum())
        self.assertEqual(s["max_iterations"], self.file["solver/iterations"][:].max())
        self.assertEqual(s["worst_residual"], self.file["solver/residual"][:].max())

    def test_csv(self):
        out, _ = self.run_command("export", "ball.h5", "--csv")
        rows = list(csv.reader(io.StringIO(out)))
        self.assertEqual(len(rows), 1502)
        columns = {name: np.array([float(row[i]) for row in rows[1:]]) for i, name in enumerate(rows[0])}
        np.testing.assert_array_equal(columns["t"], self.file["time"][:])
        np.testing.assert_array_equal(columns["ball.y"], self.file["q"][:, 1])
        np.testing.assert_array_equal(columns["floor.slip.force"], self.file["force"][:, 1])
        np.testing.assert_array_equal(columns["energy.balance"], self.file["energy/balance"][:])
        self.run_command("export", "ball.h5", "--csv", "-o", "sub/all.csv")
        with open(self.path("sub/all.csv")) as file:
            self.assertEqual(file.read(), out)

    def test_csv_of_signals(self):
        out, _ = self.run_command("export", "ball.h5", "--csv", "t", "max(y, 0.1)", "ball.y - height")
        rows = list(csv.reader(io.StringIO(out)))
        self.assertEqual(rows[0], ["t", "max(y, 0.1)", "ball.y - height"])
        np.testing.assert_array_equal([float(r[1]) for r in rows[1:]], np.maximum(self.file["q"][:, 1], 0.1))
        np.testing.assert_array_equal([float(r[2]) for r in rows[1:]], self.file["q"][:, 1] - 0.3)
        self.refuse("export", "ball.h5", "--csv", "ball.z", says="ball.z")
        self.refuse("export", "ball.h5", "--csv", "-o", "/proc/x.csv", says="cannot create '/proc/x.csv'")

    def test_info(self):
        out, _ = self.run_command("info", "ball.h5")
        for part in ["2 positions, 2 velocities, 2 laws", "1501, one every 1 step", "height       = 0.3",
                     "t = 1.5 s after 1500 steps"]:
            self.assertIn(part, out)
        out, _ = self.run_command("info", "ball.h5", "--events")
        events = [line.split("\t") for line in out.splitlines()]
        self.assertEqual(len(events), len(self.file["events/time"]))
        self.assertEqual([float(e[0]) for e in events], list(self.file["events/time"][:]))
        self.assertEqual([float(e[4]) for e in events], list(self.file["events/impulse"][:]))
        self.assertEqual(events[0][1:4], ["floor.gap", "open", "closed"])
        out, _ = self.run_command("info", "ball.h5", "--columns")
        self.assertEqual(out.splitlines()[:3], ["t\ts", "dt\ts", "ball.x\tm or rad"])

    MESH = """name: tub
systems:
  ball: {type: body, mass: 1, inertia: 0.004, position: [0, 0, 0.5]}
shapes:
  tub: {type: mesh, file: tub.obj, thickness: 0.05, material: steel}
  ball: {type: sphere, radius: 0.1, on: ball, material: steel}
forces: {weight: {type: gravity, acceleration: [0, 0, -9.81]}}
elements:
  touch: {type: contact, between: [steel, steel], laws: {gap: {type: unilateral}}}
simulation: {type: constant, step: 1e-3, end: 0.4}
"""
    TUB = "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nf 1 2 3\nf 1 3 4\n"

    def test_a_record_holds_its_meshes(self):
        self.write("scene/tub.yaml", self.MESH)
        self.write("scene/tub.obj", self.TUB)
        self.run_command("run", "scene/tub.yaml", "-o", "whole.h5", "-q")
        self.run_command("run", "scene/tub.yaml", "-o", "half.h5", "-q", "--set", "simulation.end=0.2")
        with h5py.File(self.path("half.h5")) as f:
            self.assertEqual(list(f["scene/files/name"].asstr()), ["tub.obj"])
            self.assertEqual(f["scene/files/bytes"][:].tobytes(), self.TUB.encode())
            self.assertEqual(f["scene/files/sha256"].asstr()[0], hashlib.sha256(self.TUB.encode()).hexdigest())
        shutil.copy(self.path("half.h5"), self.path("changed.h5"))
        self.write("scene/tub.obj", self.TUB.replace("0\n", "0.1\n"))
        _, err = self.run_command("resume", "changed.h5", "--until", "0.4", "-q", "--allow-outside")
        self.assertIn("'tub.obj' has changed since the record was made", err)
        shutil.rmtree(self.path("scene"))
        self.run_command("resume", "half.h5", "--until", "0.4", "-q")
        with h5py.File(self.path("whole.h5")) as a:
            for name in ("half.h5", "changed.h5"):
                with h5py.File(self.path(name)) as b:
                    self.assertEqual(a["q"][:].tobytes(), b["q"][:].tobytes())
                    self.assertGreater(b["contacts/count"][:].sum(), 0)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as f:
            f.write(text)


if __name__ == "__main__":
    unittest.main()
