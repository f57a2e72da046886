"""Files for ParaView: well-formed, complete, and the numbers of the record; read by VTK itself where it is installed."""
import base64
import struct
import unittest
import xml.etree.ElementTree as xml

import h5py
import numpy as np

from command import CommandTest

try:
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError:
    vtk = None

SCENE = """
name: pile
systems:
  ball: {type: body, position: [0.3, 0, 0.25], velocity: [1, 0, 0, 0, 0, 0]}
  box: {type: body, position: [0, 0, 0.11], rotation: [0, 0, 1, 0.5]}
shapes:
  floor: {type: plane, extent: 2}
  ball: {type: sphere, radius: 0.1, on: ball, density: 1000}
  box: {type: box, size: [0.2, 0.3, 0.2], on: box, density: 1000}
elements:
  contact: {type: contact, laws: {gap: {type: unilateral}, slip: {type: friction, mu: 0.3}}}
forces: {weight: {type: gravity, acceleration: [0, 0, -9.81]}}
simulation: {type: constant, step: 1e-3, end: 0.3}
record: {every: 60, contacts_every: 2}
"""
TYPES = {"Float64": "<f8", "Int32": "<i4", "Int64": "<i8"}


def arrays(path):
    """Everything in a file, by hand: {section: {name: array}}, with the counts of the piece checked."""
    piece = xml.parse(path).getroot().find("PolyData/Piece")
    found = {}
    for section in piece:
        for array in section:
            data = base64.b64decode(array.text)
            (length,) = struct.unpack("<Q", data[:8])
            assert length == len(data) - 8
            values = np.frombuffer(data[8:], TYPES[array.get("type")])
            width = int(array.get("NumberOfComponents"))
            found.setdefault(section.tag, {})[array.get("Name")] = values.reshape(-1, width) if width > 1 else values
    points = int(piece.get("NumberOfPoints"))
    cells = int(piece.get("NumberOfVerts")) + int(piece.get("NumberOfPolys"))
    assert len(found["Points"]["Points"]) == points
    assert all(len(values) == points for values in found.get("PointData", {}).values())
    assert all(len(values) == cells for values in found.get("CellData", {}).values())
    return found


class Vtk(CommandTest):
    def setUp(self):
        super().setUp()
        with open(self.path("pile.yaml"), "w", encoding="utf-8") as file:
            file.write(SCENE)
        self.run_command("run", "pile.yaml", "-q", "--no-plots")
        self.run_command("export", "pile.h5", "--vtk", "out")
        self.file = h5py.File(self.path("pile.h5"))
        self.addCleanup(self.file.close)

    def part(self, what, row):
        return self.path(f"out/pile_{what}_{row:06d}.vtp")

    def test_collection(self):
        sets = xml.parse(self.path("out/pile.pvd")).getroot().findall("Collection/DataSet")
        times = sorted({float(entry.get("timestep")) for entry in sets})
        np.testing.assert_array_equal(times, self.file["time"][:])
        for entry in sets:
            arrays(self.path("out/" + entry.get("file")))
        self.assertEqual(sum(entry.get("name") == "contacts" for entry in sets), 3)

    def test_sphere(self):
        names = list(self.file["names/q"].asstr())
        for row in range(len(self.file["time"])):
            found = arrays(self.part("spheres", row))
            first = names.index("ball.x")
            np.testing.assert_array_equal(found["Points"]["Points"][0], self.file["q"][row, first:first + 3])
            np.testing.assert_allclose(found["PointData"]["quaternion"][0], self.file["q"][row, first + 3:first + 7], atol=1e-12)
            np.testing.assert_array_equal(found["PointData"]["velocity"][0], self.file["u"][row, :3])
            self.assertEqual(found["PointData"]["radius"], [0.1])

    def test_box(self):
        """At the start its lowest corners are 0.01 above the floor, and turned by half a radian."""
        found = arrays(self.part("bodies", 0))
        points = found["Points"]["Points"]
        box = points[np.unique(found["Polys"]["connectivity"].reshape(-1, 3)[found["CellData"]["shape"] == 2])]
        self.assertAlmostEqual(box[:, 2].min(), 0.01, places=12)
        self.assertAlmostEqual(box[:, 2].max(), 0.21, places=12)
        self.assertAlmostEqual(box[:, 0].max(), 0.1 * np.cos(0.5) + 0.15 * np.sin(0.5), places=12)

    def test_forces(self):
        row = 4
        found = arrays(self.part("contacts", row))["PointData"]
        first, count = self.file["contacts/first"][row], self.file["contacts/count"][row]
        forces = self.file["contacts/impulse"][first:first + count] / self.file["dt"][row]
        np.testing.assert_array_equal(found["force"], forces)
        weight = (4 / 3 * np.pi * 0.1**3 + 0.2 * 0.3 * 0.2) * 1000 * 9.81
        self.assertAlmostEqual(found["force"][:, 2].sum() / weight, 1, places=3)
        np.testing.assert_array_equal(found["mode"] > 0, self.file["contacts/mode"][first:first + count, 0] == 1)

    def test_no_shapes(self):
        with open(self.path("bare.yaml"), "w", encoding="utf-8") as file:
            file.write("systems: {a: {type: point, dim: 1, mass: 1}}\nsimulation: {step: 0.5, end: 1}\n")
        self.run_command("run", "bare.yaml", "-q", "--no-plots")
        self.refuse("export", "bare.h5", "--vtk", "out", says="no shapes")

    @unittest.skipIf(vtk is None, "VTK is not installed")
    def test_read_by_vtk(self):
        for what, row in (("bodies", 3), ("spheres", 3), ("contacts", 4)):
            reader = vtk.vtkXMLPolyDataReader()
            reader.SetFileName(str(self.part(what, row)))
            reader.Update()
            data, own = reader.GetOutput(), arrays(self.part(what, row))
            self.assertGreater(data.GetNumberOfCells(), 0)
            np.testing.assert_array_equal(vtk_to_numpy(data.GetPoints().GetData()), own["Points"]["Points"])
            holder = data.GetCellData() if what == "bodies" else data.GetPointData()
            for name, values in own["CellData" if what == "bodies" else "PointData"].items():
                np.testing.assert_array_equal(vtk_to_numpy(holder.GetArray(name)), values)


if __name__ == "__main__":
    unittest.main()
