"""Plots: drawn by gnuplot, safe against any text, small whatever the record's length."""
import os
import struct
import unittest
import xml.dom.minidom

from command import BALL, CommandTest


class Plots(CommandTest):
    def setUp(self):
        super().setUp()
        self.run_command("run", BALL, "-q", "--no-plots")

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def texts(self, name):
        """All texts in an SVG picture."""
        document = xml.dom.minidom.parseString(self.read(name))
        return ["".join(node.data for node in text.childNodes if node.nodeType == node.TEXT_NODE).strip()
                for text in document.getElementsByTagName("text")]

    def test_signals_over_time(self):
        out, _ = self.run_command("plot", "ball.h5", "x'", "ball.y", "-o", "sub/a.svg")
        self.assertEqual(out, "sub/a.svg\n")
        texts = self.texts("sub/a.svg")
        self.assertIn("x'", texts)
        self.assertIn("ball.y", texts)
        self.assertIn("t in s", texts)

    def test_png(self):
        self.run_command("plot", "ball.h5", "--phase", "y", "y'", "-o", "a.png")
        data = self.read("a.png")
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", data[16:24])
        self.assertGreater(width, 800)
        self.assertGreater(height, 400)

    def test_lanes_have_the_names_of_laws(self):
        self.run_command("plot", "ball.h5", "y", "--modes", "-o", "a.svg")
        texts = self.texts("a.svg")
        self.assertIn("floor.gap", texts)
        self.assertIn("floor.slip", texts)

    def test_texts_are_taken_as_they_are(self):
        title = "it's <b>\"A_1^2\"</b> & `contact oops` $(contact oops) @x \\ {/*2 %d"
        self.run_command("plot", "ball.h5", "y", "--title", title, "--y-label", "'; system('contact oops'); '",
                         "-o", "a.svg")
        texts = self.texts("a.svg")
        self.assertIn(title, texts)
        self.assertIn("'; system('contact oops'); '", texts)
        self.assertNotIn("oops", os.listdir(self.folder))

    def test_names_of_files_are_taken_as_they_are(self):
        for name in ("|contact oops.svg", "a'b\"$(contact oops)`.svg", "two words.png"):
            self.run_command("plot", "ball.h5", "y", "-o", name)
            self.assertIn(name, os.listdir(self.folder))
        self.assertNotIn("oops", os.listdir(self.folder))
        self.assertNotIn("oops.svg", os.listdir(self.folder))

    def test_range(self):
        self.run_command("plot", "ball.h5", "y", "--from", "0.5", "--to", "0.75", "-o", "a.svg")
        texts = self.texts("a.svg")
        self.assertIn("0.5", texts)
        self.assertNotIn("0.8", texts)
        self.assertNotIn("0.4", texts)

    def test_the_scene_s_plots_again(self):
        out, _ = self.run_command("plot", "ball.h5")
        self.assertEqual(out, "ball/\n")
        self.assertEqual(sorted(os.listdir(self.path("ball"))), ["all.svg", "height.svg", "phase.svg"])

    def test_long_records_give_small_pictures(self):
        self.run_command("run", BALL, "-q", "--no-plots", "--set", "simulation.step=2e-5", "-o", "long.h5")
        for words in (("y", "y'", "--modes"), ("--phase", "y", "y'")):
            self.run_command("plot", "long.h5", *words, "-o", "long.svg")
            self.assertLess(len(self.read("long.svg")), 300000)

    def test_what_is_refused(self):
        self.refuse("plot", "ball.h5", "z", says="z")
        self.refuse("plot", "ball.h5", "ball.yy", says="did you mean 'ball.y'")
        self.refuse("plot", "ball.h5", "y", "-o", "a.pdf", says="must end with .svg or .png")
        self.refuse("plot", "ball.h5", "--phase", "y", says="two signals")
        self.refuse("plot", "ball.h5", "--phase", "y", "x", "--modes", says="cannot go with --phase")
        self.refuse("plot", "ball.h5", "y", "--from", "3", says="nothing to draw")
        self.refuse("plot", "ball.h5", "y", "--from", "now", says="it must be a time in s")
        self.refuse("plot", "ball.h5", "y", "-o", "/proc/a.svg", says="cannot create '/proc/a.svg'")


class WithoutGnuplot(CommandTest):
    def test_a_run_succeeds_and_says_so(self):
        env = dict(os.environ, PATH="/nowhere")
        out, err = self.run_command("run", BALL, env=env)
        self.assertIn("gnuplot is not installed", err)
        self.assertIn("3 not drawn", out)
        self.assertEqual(os.listdir(self.folder), ["ball.h5"])

    def test_plot_fails(self):
        env = dict(os.environ, PATH="/nowhere")
        self.run_command("run", BALL, "-q", "--no-plots")
        _, err = self.run_command("plot", "ball.h5", "y", env=env, code=2)
        self.assertIn("gnuplot is not installed", err)


if __name__ == "__main__":
    unittest.main()
