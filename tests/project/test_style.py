"""Rules for C sources that no compiler checks: what a file begins with, how long functions are, how many parameters they have,
and that elementary functions are those of la/elementary.h, whose values do not depend on the machine.

style_exceptions.txt lists what breaks a rule for now. An entry whose fault is gone fails the test, so the list only shrinks;
STICKSLIP_UPDATE=1 removes such entries.
"""
import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(os.environ["STICKSLIP_SOURCE"])
EXCEPTIONS = pathlib.Path(__file__).with_name("style_exceptions.txt")
LONGEST_FUNCTION = 60  # lines, from the first line of its head to the closing brace
MOST_PARAMETERS = 7

NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*', re.S | re.M)
# Braces of functions stand in the first column (.clang-format), and nothing else that follows a ')' does.
FUNCTION = re.compile(r"^(?P<head>[A-Za-z_][^;{}=]*?\))\n\{\n(?P<body>.*?)^\}", re.S | re.M)
LIBM = re.compile(r"(?<![\w.>])(?:a?(?:sin|cos|tan)h?|atan2|exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|hypot)\(")
NAME = re.compile(r"(\w+)\s*\(")


def code_of(text):
    """A file without comments, texts and preprocessor lines; every line stays where it was."""
    return NOT_CODE.sub(lambda m: '""' if m[0][0] in "\"'" else "\n" * m[0].count("\n"), text)


def parameters(head):
    """How many parameters the function with this head has."""
    inside = head[head.index("(") + 1:head.rindex(")")]
    depth, count = 0, 1
    for c in inside:
        depth += (c in "([") - (c in ")]")
        count += c == "," and depth == 0
    return 0 if inside.strip() in ("", "void") else count


def functions(text):
    """(name, lines, parameters) of every function that a file defines."""
    for m in FUNCTION.finditer(code_of(text)):
        head = re.sub(r"__attribute__\(\(.*?\)\)\s*", "", m["head"])
        yield NAME.search(head)[1], m.group().count("\n") + 1, parameters(head)


def files(*folders):
    return sorted(path for folder in folders for path in (SOURCE / folder).rglob("*.[ch]"))


def faults():
    """'RULE PATH[:FUNCTION]' → what is wrong, for everything that breaks a rule."""
    found = {}
    for path in files("src", "cli", "include", "bench", "examples", "tests"):
        name = path.relative_to(SOURCE).as_posix()
        text = path.read_text(encoding="utf-8")
        first = text.split("\n", 1)[0]
        named = re.match(r"/\* (\S+\.[ch])\b", first)
        if named and named[1] != path.name:
            found[f"name {name}"] = f"{name}:1: the first comment names {named[1]}"
        elif path.suffix == ".c" and name.startswith(("src/", "cli/")) and not re.match(rf"/\* {re.escape(path.name)}: \S", first):
            found[f"begin {name}"] = f"{name}:1: must begin with '/* {path.name}: what it is'"
        if name.startswith("src/"):
            for m in LIBM.finditer(NOT_CODE.sub(lambda m: "\n" * m[0].count("\n"), text) if path.suffix == ".c" else ""):
                found[f"libm {name}:{m[0]}"] = f"{name}: {m[0]}…) of the C library depends on the machine; la/elementary.h has its own"
        if name.startswith("tests/"):
            continue
        for function, lines, count in functions(text):
            if lines > LONGEST_FUNCTION:
                found[f"length {name}:{function}"] = f"{name}: {function} has {lines} lines; at most {LONGEST_FUNCTION}"
            if count > MOST_PARAMETERS:
                found[f"parameters {name}:{function}"] = f"{name}: {function} has {count} parameters; at most {MOST_PARAMETERS}"
    return found


SAMPLE = r"""/* int no(void)
{
} */
#define M(x) \
    (x)
static const int t[] = {
    1,
};
static int f(int a, int (*g)(int, int),
             const char *b)
{
    return a ? "}\"{" : '{';
}

void ss_g(void)
{
}
"""


class Reader(unittest.TestCase):
    def test_functions(self):
        self.assertEqual(list(functions(SAMPLE)), [("f", 5, 3), ("ss_g", 3, 0)])


class Style(unittest.TestCase):
    def test_style(self):
        found = faults()
        lines = EXCEPTIONS.read_text(encoding="utf-8").splitlines()
        known = [line for line in lines if not line.startswith("#")]
        gone = [line for line in known if line not in found]
        if gone and os.environ.get("STICKSLIP_UPDATE"):
            EXCEPTIONS.write_text("".join(line + "\n" for line in lines if line not in gone), encoding="utf-8")
            gone = []
        new = [text for key, text in sorted(found.items()) if key not in known]
        self.assertEqual(new, [], "\n" + "\n".join(new))
        self.assertEqual(gone, [], "\nno longer needed in style_exceptions.txt (STICKSLIP_UPDATE=1 removes them):\n" + "\n".join(gone))


if __name__ == "__main__":
    unittest.main()
