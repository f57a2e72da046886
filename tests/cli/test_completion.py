"""Completion scripts: they parse, and bash completes with them."""
import shutil
import subprocess
import unittest

from command import STICKSLIP, CommandTest


class Completion(CommandTest):
    def complete(self, *words):
        """What bash would offer for the last of the words."""
        line = " ".join(f"'{word}'" for word in words)
        script = (f"source <('{STICKSLIP}' completion bash)\n"
                  f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}\n"
                  "_stickslip; printf '%s\\n' \"${COMPREPLY[@]}\"")
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [word for word in done.stdout.decode().split("\n") if word]

    def test_scripts_parse(self):
        for shell in ("bash", "zsh", "fish"):
            script, _ = self.run_command("completion", shell)
            if shutil.which(shell):
                done = subprocess.run([shell, "-n"], input=script.encode(), capture_output=True, timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, b""), shell)

    def test_commands(self):
        self.assertEqual(sorted(self.complete("stickslip", "re")), ["recover", "resume"])
        self.assertIn("--version", self.complete("stickslip", "--"))

    def test_options_and_values(self):
        self.assertEqual(self.complete("stickslip", "run", "--no"), ["--no-plots"])
        self.assertEqual(self.complete("stickslip", "run", "-f", ""), ["svg", "png"])
        self.assertEqual(self.complete("stickslip", "list", "sys"), ["systems"])

    def test_names_of_schemes_and_solvers(self):
        for command in ("compare", "convergence"):
            self.assertEqual(self.complete("stickslip", command, "--schemes", "mor"), ["moreau", "moreau_stabilized"])
            self.assertEqual(self.complete("stickslip", command, "--schemes", "moreau,ggl,pot"), ["moreau,ggl,potra"])
        self.assertEqual(self.complete("stickslip", "solve", "--solver", "sorp"), ["sorprox"])
        names = {line.split(":")[0].strip() for line in self.run_command("list", "schemes")[0].split("\n")
                 if line.startswith("  ") and ":" in line and not line.startswith("   ")}
        self.assertGreater(len(names), 10)
        self.assertLessEqual({name for name in names if " " not in name},
                             set(self.complete("stickslip", "compare", "--schemes", "")))
        for shell in ("zsh", "fish"):
            self.assertIn("generalized_alpha", self.run_command("completion", shell)[0])

    def test_files(self):
        for name in ("a.yaml", "b.h5", "c d.h5", "e.txt"):
            with open(self.path(name), "w"):
                pass
        self.assertEqual(self.complete("stickslip", "run", ""), ["a.yaml"])
        self.assertEqual(sorted(self.complete("stickslip", "info", "")), ["b.h5", "c d.h5"])


if __name__ == "__main__":
    unittest.main()
