"""Robots in URDF and MJCF: what scenes they become, that these run, and what is refused."""
import math
import os
import re
import unittest

from command import SOURCE, CommandTest

import yaml

ROBOTS = os.path.join(SOURCE, "tests", "cli", "robots")
LEG = os.path.join(ROBOTS, "leg.urdf")
QUADRUPED = os.path.join(ROBOTS, "quadruped.xml")


class ImportTest(CommandTest):
    def imported(self, path):
        """The scene, and what was said."""
        out, err = self.run_command("import", path)
        return yaml.safe_load(out), err

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def urdf(self, inner, name="robot.urdf"):
        return self.write(name, f'<robot name="r">\n{inner}\n</robot>\n')

    def mjcf(self, inner, name="robot.xml"):
        return self.write(name, f'<mujoco>\n{inner}\n</mujoco>\n')


class UrdfTest(ImportTest):
    def setUp(self):
        super().setUp()
        self.scene, self.said = self.imported(LEG)
        self.links = self.scene["systems"]["leg_1"]["links"]

    def test_inertia_is_turned_into_the_axes_of_the_link(self):
        self.assertEqual(self.links["base"]["inertia"], [0.3, 0.2, 0.1, 0.01, -0.02, 0.03])
        self.assertEqual(self.links["base"]["centre"], [0, 0, 0.1])
        turned = self.links["thigh"]["inertia"]  # by 90° about z: xx and yy change places
        for value, wanted in zip(turned, [0.02, 0.01, 0.03, 0, 0, 0]):
            self.assertAlmostEqual(value, wanted, delta=1e-15)

    def test_joints(self):
        thigh = self.links["thigh"]
        self.assertEqual((thigh["parent"], thigh["joint"], thigh["coordinate"]), ("base", "hinge", "hip_y"))
        self.assertEqual((thigh["limits"], thigh["damping"], thigh["friction"]), ([0.2, 1.5], 0.3, 0.1))
        self.assertEqual(thigh["start"], 0.2)  # the nearest to zero that is allowed
        self.assertEqual(thigh["rotation"], [0, 0, 1, math.pi / 2])
        self.assertEqual(self.links["foot"]["joint"], "fixed")
        self.assertEqual((self.links["cart"]["joint"], self.links["cart"]["axis"]), ("slide", [2, 0, 0]))
        self.assertEqual([self.links[name]["joint"] for name in ("table_x", "table_y", "puck")],
                         ["slide", "slide", "hinge"])

    def test_mimic_is_a_constraint(self):
        self.assertIn("leg_1.knee - (-2) * leg_1.hip_y - (0.1)", self.scene["elements"]["knee_mimics"]["gap"])
        self.assertAlmostEqual(self.links["shank"]["start"], -2 * 0.2 + 0.1)
        out, _ = self.run_command("run", LEG, "--set", "simulation.end=0.3",
                                  "--set", "forces.gravity.acceleration=[0, -9.81, 0]", "-o", self.path("leg.h5"))
        hip, knee = (float(re.search(rf"leg_1\.{name} += (\S+)", out).group(1)) for name in ("hip_y", "knee"))
        self.assertNotAlmostEqual(hip, 0.2, delta=0.01)
        self.assertAlmostEqual(knee, -2 * hip + 0.1, delta=1e-8)

    def test_shapes(self):
        self.assertEqual(self.scene["shapes"]["trunk"], {"type": "box", "size": [0.4, 0.2, 0.1], True: "leg_1.base",
                                                          "material": "robot"})  # YAML 1.1 reads `on` as true
        self.assertEqual(self.scene["shapes"]["thigh_1"]["material"], "visual")
        self.assertNotIn("base_1", self.scene["shapes"])  # what collides is drawn

    def test_what_is_left_out_is_said_once(self):
        self.assertEqual(self.said.count("left out:"), 1)
        for words in ("<transmission> (line 53)", "effort and velocity", "leg/missing.stl"):
            self.assertIn(words, self.said)

    def test_a_base_is_let_go(self):
        scene = self.urdf('<link name="a"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
                          '<link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
                          '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>')
        out, _ = self.run_command("run", scene, "--set", "systems.r.links.a.joint=free", "--set", "simulation.end=1",
                                  "-o", self.path("free.h5"))
        z = float(re.search(r"r\.z += (\S+)", out).group(1))
        self.assertAlmostEqual(z, -9.81 / 2, delta=0.01)

    def test_a_floating_joint(self):
        scene, _ = self.imported(self.urdf(
            '<link name="world"/><link name="b"><inertial><mass value="1"/></inertial></link>'
            '<joint name="j" type="floating"><parent link="world"/><child link="b"/><origin xyz="1 2 3"/></joint>'))
        self.assertEqual(scene["systems"]["r"]["links"], {"b": {"joint": "free", "at": [1, 2, 3], "mass": 1}})

    def test_meshes_of_packages(self):
        os.makedirs(self.path("pkg/urdf"))
        os.makedirs(self.path("pkg/meshes"))
        tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
        self.write("pkg/meshes/foot.obj", tetrahedron)
        self.write("pkg/urdf/foot.obj", tetrahedron)
        text = ('<link name="a"/><link name="b"><inertial><mass value="1"/></inertial><collision><geometry>'
                '<mesh filename="%s" scale="0.1 0.1 -0.1"/></geometry></collision></link>'
                '<joint name="j" type="prismatic"><parent link="a"/><child link="b"/></joint>')
        inside = self.urdf(text % "package://pkg/urdf/foot.obj", "pkg/urdf/inside.urdf")
        os.rename(inside, self.path("pkg/inside.urdf"))
        scene, said = self.imported(self.path("pkg/inside.urdf"))
        self.assertEqual((scene["shapes"]["b_1"]["type"], scene["shapes"]["b_1"]["file"]), ("hull", "urdf/foot.obj"))
        self.assertEqual(scene["shapes"]["b_1"]["scale"], [0.1, 0.1, -0.1])
        self.run_command("run", self.path("pkg/inside.urdf"), "--set", "simulation.end=0.01", "-o", self.path("a.h5"))
        above = self.write("above.yaml", "include: pkg/inside.urdf\nsimulation: {step: 1e-3, end: 0.01}\n")
        out, _ = self.run_command("check", "--text", above)
        self.assertIn("pkg/urdf/foot.obj", out)
        self.run_command("run", above, "-o", self.path("b.h5"))
        outside = self.urdf(text % "package://pkg/meshes/foot.obj", "pkg/urdf/outside.urdf")
        scene, said = self.imported(outside)
        self.assertNotIn("shapes", scene)
        self.assertIn("--allow-outside", said)
        out, _ = self.run_command("import", outside, "--allow-outside")
        self.assertIn("../meshes/foot.obj", out)


class MjcfTest(ImportTest):
    def setUp(self):
        super().setUp()
        self.scene, self.said = self.imported(QUADRUPED)
        self.links = self.scene["systems"]["quadruped"]["links"]

    def test_bodies_joints_and_the_keyframe(self):
        self.assertEqual((self.links["trunk"]["joint"], self.links["trunk"]["at"]), ("free", [0, 0, 0.335]))
        self.assertEqual((self.links["front"]["parent"], self.links["front_of"]["parent"]), ("front_of", "trunk"))
        self.assertAlmostEqual(self.links["front_of"]["limits"][1], math.radians(60))
        self.assertEqual((self.links["front_of"]["start"], self.links["front"]["start"]), (0.1, -0.2))
        self.assertEqual(self.links["front_of"]["pivot"], [0, 0, 0.01])
        self.assertEqual((self.links["front"]["damping"], self.links["front"]["armature"]), (2, 0.01))
        rear = self.links["rear"]  # counts from ref = 0.1
        self.assertAlmostEqual(rear["start"], 0.02)
        self.assertAlmostEqual(rear["limits"][0], -0.15)
        self.assertEqual(self.links["front"]["apart"], ["rear"])

    def test_inertia_of_geoms(self):
        r, length, density = 0.02, 0.3, 2000
        mass = density * (math.pi * r**2 * length + 4 / 3 * math.pi * r**3)
        self.assertAlmostEqual(self.links["front"]["mass"], 2 * mass, delta=1e-12)
        cylinder, ball = density * math.pi * r**2 * length, density * 4 / 3 * math.pi * r**3
        axial = cylinder * r**2 / 2 + ball * 2 / 5 * r**2
        self.assertAlmostEqual(self.links["front"]["inertia"][2], 2 * (axial + mass * 0.1**2), delta=1e-12)
        box = [5 / 12 * (0.2**2 + 0.1**2), 5 / 12 * (0.4**2 + 0.1**2), 5 / 12 * (0.4**2 + 0.2**2)]
        for value, wanted in zip(self.links["trunk"]["inertia"], box):
            self.assertAlmostEqual(value, wanted, delta=1e-12)

    def test_contacts(self):
        laws = self.scene["elements"]["quadruped_on_floor"]["laws"]
        self.assertEqual(laws["slip"], {"type": "friction", "mu": 0.9})  # the larger of both
        self.assertEqual(self.scene["shapes"]["bob"]["material"], "visual")

    def test_masks_priority_and_condim(self):
        scene, _ = self.imported(self.mjcf(
            '<worldbody><geom name="g0" type="plane" contype="2" conaffinity="4"/>'
            '<body><freejoint/><geom name="g1" size="1" contype="4" conaffinity="1" condim="6" priority="1" '
            'friction="0.1 0.2 0.3"/></body>'
            '<body><freejoint/><geom name="g2" size="1" contype="8" conaffinity="8"/></body>'
            '<body><freejoint/><geom name="g3" size="1" contype="1" conaffinity="2" condim="1"/></body></worldbody>'))
        rules = scene["elements"]
        self.assertEqual(set(rules), {"g1_on_g0", "g2_on_g2", "g3_on_g1", "g3_on_g0"})
        self.assertEqual({k: v.get("mu") for k, v in rules["g1_on_g0"]["laws"].items()},
                         {"gap": None, "slip": 0.1, "spin": 0.2, "roll": 0.3})
        self.assertEqual(rules["g3_on_g0"]["laws"]["slip"]["mu"], 1)  # the larger condim, 3

    def test_drives(self):
        self.assertEqual(self.scene["parameters"], {"ctrl_servo": 0.1, "ctrl_pull": 0})
        self.assertEqual(self.scene["forces"]["servo"]["force"],
                         ["min(max(80*ctrl_servo - 80*quadruped.left_front, -20), 20)"])
        self.assertEqual(self.scene["forces"]["pull"]["force"], ["1.5*(ctrl_pull)", "-6*(ctrl_pull)"])
        self.assertIn("<muscle>", self.said)
        self.assertIn("impratio", self.said)

    def test_it_runs_and_is_included(self):
        self.run_command("run", QUADRUPED, "ctrl_servo=0.2", "--set", "simulation.end=0.05", "-o", self.path("q.h5"))
        folder = os.path.join(self.folder, "robots")
        os.makedirs(folder)
        for name in ("quadruped.xml", "defaults.xml"):
            with open(os.path.join(ROBOTS, name)) as file:
                self.write("robots/" + name, file.read())
        mine = self.write("robots/mine.yaml", "include: quadruped.xml\nsimulation: {step: 2e-3, end: 0.02}\n")
        out, _ = self.run_command("run", mine, "-o", self.path("mine.h5"))
        self.assertIn("after 10 steps", out)

    def test_a_loop_is_closed(self):
        scene = self.mjcf(
            '<option gravity="0 0 0"/><compiler angle="radian"/><worldbody>'
            '<body name="a"><joint name="ja" axis="0 1 0"/><geom size="0.1" fromto="0 0 0 1 0 0" type="capsule"/></body>'
            '<body name="b" pos="1 0 1"><joint name="jb" axis="0 1 0"/><inertial mass="1" pos="0 0 -0.5" '
            'diaginertia="0.1 0.1 0.1"/></body></worldbody>'
            '<equality><connect body1="a" body2="b" anchor="1 0 0"/></equality>')
        text, _ = self.imported(scene)
        self.assertEqual(text["elements"]["connect_1"],
                         {"type": "spherical", "system": "robot_1.a", "to": "robot_1.b", "point": [1, 0, 0]})
        self.run_command("run", scene, "--set", "simulation.end=0.01", "-o", self.path("loop.h5"))

    def test_orientations_agree(self):
        turn = ('quat="0.5 0.5 0.5 0.5"', 'axisangle="1 1 1 120"', 'euler="0 90 90"', 'xyaxes="0 1 0 0 0 1"')
        for how in turn:
            scene, _ = self.imported(self.mjcf(
                f'<worldbody><body name="a" {how}><joint name="j"/><geom size="1"/></body></worldbody>'))
            rotation = scene["systems"]["robot_1"]["links"]["a"]["rotation"]
            for value, wanted in zip(rotation, [3**-0.5] * 3 + [2 * math.pi / 3]):
                self.assertAlmostEqual(value, wanted, delta=1e-12, msg=how)


class RefusedTest(ImportTest):
    def refused(self, path, says):
        err = self.refuse("import", path, says=says)
        self.refuse("run", path, says=says)
        self.assertRegex(err, r"\.(urdf|xml):\d+")

    def test_urdf(self):
        link = '<link name="%s"><inertial><mass value="1"/></inertial></link>'
        for inner, says in (
            ("", "it has no <link>"),
            (link % "a" + link % "a", "a second link 'a'"),
            (link % "a" + link % "b", "2 links are the child of no joint"),
            (link % "a" + '<joint name="j" type="hinge"><parent link="a"/><child link="b"/></joint>', "no link 'b'"),
            (link % "a" + link % "b" + '<joint name="j" type="hinge"><parent link="a"/><child link="b"/></joint>',
             "there is no type 'hinge'"),
            (link % "a" + link % "b" + '<joint name="j" type="fixed"><parent link="a"/></joint>', '<child link="…"/>'),
            ('<link name="a"><inertial><mass value="1kg"/></inertial></link>', "'value' wants numbers, not '1kg'"),
            ('<link name="a"><inertial><mass value="-1"/></inertial></link>', "must be a mass >= 0"),
            ('<link name="a"><collision/></link>', "<geometry>"),
            ('<link name="a"><collision><geometry><box size="1 2"/></geometry></collision></link>', "wants 3 numbers"),
            ('<link name="a"><collision><geometry><cone/></geometry></collision></link>', "no geometry of this kind"),
            (link % "a" + link % "b" + '<joint name="j" type="revolute"><parent link="a"/><child link="b"/>'
             '<axis xyz="0 0 0"/></joint>', "has no direction"),
            (link % "a" + link % "b" + '<joint name="j" type="revolute"><parent link="a"/><child link="b"/>'
             '<limit lower="1" upper="0"/></joint>', "'lower' (1) must be below 'upper' (0)"),
            (link % "a" + link % "b" + '<joint name="j" type="revolute"><parent link="a"/><child link="b"/>'
             '<mimic joint="k"/></joint>', "there is no joint 'k'"),
            (link % "a" + link % "b" + "".join(f'<joint name="{j}" type="fixed"><parent link="{p}"/><child link="{c}"/>'
                                               "</joint>" for j, p, c in (("j", "a", "b"), ("k", "b", "a"))),
             "lead in a circle"),
        ):
            with self.subTest(says):
                self.refused(self.urdf(inner), says)

    def test_mjcf(self):
        for inner, says in (
            ("", "no <worldbody>"),
            ("<worldbody/>", "no <worldbody>"),
            ('<worldbody><body><joint type="screw"/></body></worldbody>', "no joint of type 'screw'"),
            ('<worldbody><body><joint/><body><freejoint/></body></body></worldbody>', "a free joint is for bodies of the world"),
            ('<worldbody><body name="a"/><body name="a"/></worldbody>', "a second body 'a'"),
            ('<worldbody><body><joint/><geom type="box" size="1 1"/></body></worldbody>', "a box needs 3 sizes > 0"),
            ('<worldbody><body><joint/><geom type="mesh" mesh="m"/></body></worldbody>', "no mesh 'm'"),
            ('<worldbody><body><joint/><geom size="1" condim="2"/></body></worldbody>', "'condim' must be 1, 3, 4 or 6"),
            ('<worldbody><body quat="0 0 0 0"/></worldbody>', "'quat' has no direction"),
            ('<worldbody><body><joint axis="0 0 0"/></body></worldbody>', "'axis' has no direction"),
            ('<worldbody><body><joint range="1 0"/></body></worldbody>', "'range' must be"),
            ('<compiler coordinate="global"/><worldbody><body/></worldbody>', "global"),
            ('<worldbody><body/></worldbody><contact><exclude body1="x" body2="y"/></contact>', "no body 'x'"),
            ('<worldbody><body/></worldbody><actuator><motor joint="x"/></actuator>', "no joint 'x'"),
            ('<worldbody><body/></worldbody><keyframe><key qpos="1"/></keyframe>', "more than 0 numbers"),
            ('<include file="none.xml"/>', "cannot read"),
        ):
            with self.subTest(says):
                self.refused(self.mjcf(inner), says)

    def test_what_moves_nothing_is_refused_as_a_scene(self):
        self.refuse("run", self.mjcf('<worldbody><body/></worldbody>'), says="'links' has no joint that moves")

    def test_other_files_are_not_read(self):
        self.write("secret", "<a/>")
        os.makedirs(self.path("in"))
        up = self.mjcf('<include file="../secret"/><worldbody><body/></worldbody>', "in/up.xml")
        self.refused(up, "not below the folder")
        loop = self.mjcf('<include file="loop.xml"/>', "loop.xml")
        self.refused(loop, "more than 100 files are included")

    def test_document_types_are_refused(self):
        bomb = "".join(f'<!ENTITY a{i} "{f"&a{i-1};" * 10 if i else "ha"}">' for i in range(12))
        for kind in (f"<!DOCTYPE robot [{bomb}]>", '<!DOCTYPE robot SYSTEM "file:///etc/passwd">',
                     '<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]>'):
            path = self.write("bomb.urdf", f'<?xml version="1.0"?>\n{kind}\n<robot name="&a11;"><link name="a"/></robot>')
            self.refused(path, "document type")

    def test_truncated_files(self):
        for robot in (LEG, QUADRUPED):
            with open(robot, "rb") as file:
                whole = file.read()
            for k in range(0, len(whole) - 10, 97):
                name = self.path("cut" + os.path.splitext(robot)[1])
                with open(name, "wb") as file:
                    file.write(whole[:k])
                err = self.refuse("import", name, says="no XML that can be read")
                self.assertRegex(err, r"cut\.(urdf|xml):\d+")

    def test_other_roots_and_depth(self):
        self.refused(self.write("a.xml", "<sdf/>"), "no robot")
        deep = "<body><geom size='1'/>" * 400 + "</body>" * 400
        self.refused(self.mjcf(f"<worldbody>{deep}</worldbody>"), "")


if __name__ == "__main__":
    unittest.main()
