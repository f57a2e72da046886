"""Writes the reference of the package, docs/python-reference.md, from its docstrings.

    reference.py [FILE]

The package must be importable: PYTHONPATH=build/release/python.
"""
import inspect
import pathlib
import re
import sys

import stickslip
from stickslip import impact

GROUPS = [
    ("Scenes", ["load", "parse", "build", "read", "read_text", "Scene", "Model"]),
    ("Running", ["Simulation", "Inputs", "Outputs", "State", "Step", "Switch", "Statistics", "Energy", "SolveReport", "STOP"]),
    ("What a model has", ["ModelInfo", "System", "LawInfo", "InputInfo", "Sizes"]),
    ("Records", ["Record", "Event"]),
    ("Studies", ["sweep", "Sweep", "bifurcation", "Bifurcation", "Branch", "periodic_orbit", "Orbit"]),
    ("Sets, inclusions and solvers", ["solve", "Inclusion", "Block", "Set", "Solution"]),
    ("Impacts", ["impact"]),
    ("Forces, laws and controllers in Python", ["Force", "Law", "LawAt", "Controller", "controller", "OnSystem", "Number",
                                                "Integer", "Numbers", "Choice", "Text"]),
    ("Types", ["types", "Type", "Key"]),
    ("Failures", ["Error", "InputError", "UnknownNameError", "NotConvergedError", "NonFiniteError", "SingularError",
                  "UnsupportedError", "FileError", "OutOfMemoryError", "Stopped", "PageError", "StudyError", "OrbitError"]),
]
def parameters(thing):
    try:
        return [p for p in inspect.signature(thing).parameters.values() if p.name != "self"]
    except (TypeError, ValueError):
        return []


def signature(thing):
    """How it is called; annotations as the source has them, private parameters left out."""
    parts, star = [], False
    for p in parameters(thing):
        if p.name.startswith("_"):
            continue
        if p.kind == p.KEYWORD_ONLY and not star:
            parts.append("*")
        star = star or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        sign = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        kind = f": {p.annotation}" if p.annotation is not p.empty else ""
        default = f" = {p.default!r}" if p.default is not p.empty and kind else ""
        parts.append(f"{sign}{p.name}{kind}{default}")
    if parts and parts[-1] == "*":
        parts.pop()
    result = inspect.signature(thing).return_annotation if callable(thing) and not inspect.isclass(thing) else None
    arrow = f" -> {result}" if isinstance(result, str) and result != "None" else ""
    text = f"({', '.join(parts)}){arrow}"
    return text.replace("str | os.PathLike[str]", "path").replace("np.ndarray", "array").replace("ArrayLike", "array")


def attributes(thing):
    """Fields with the comments behind them."""
    rows = []
    for base in reversed(thing.__mro__[:-1]):
        if not base.__module__.startswith("stickslip"):
            continue
        for line in inspect.getsource(base).splitlines():
            found = re.match(r"\s+(?:self\.)?(\w+)(?:: ([^=#]+?))?(?: = [^#]+)?  #: (.+)$", line)
            plain = re.match(r"    (\w+): (\w[^=#]*?)(?: = [^#]+)?$", line)
            if found:
                rows.append((found.group(1), found.group(3)))
            elif plain and not plain.group(1).startswith("_") and plain.group(1) in getattr(base, "__annotations__", {}):
                rows.append((plain.group(1), ""))
    return rows


def described(thing, of=None):
    """The docstring, with a list of the parameters (of `of`, when it is a constructor's) and examples as code."""
    names = {p.name for p in parameters(of or thing)} if callable(of or thing) else set()
    lines, inside = [], False
    for line in (inspect.getdoc(thing) or "").splitlines():
        example = line.startswith((">>>", "...")) or (inside and bool(line.strip()))
        if example != inside:
            lines.append("```" if inside else "```python")
        inside = example
        word = re.match(r"((?:\w+)(?:, \w+)*(?: and \w+)?): ", line)
        if not inside and word and set(re.split(r", | and ", word.group(1))) <= names:
            line = f"* `{word.group(1)}`: {line[word.end():]}"
        elif not inside and line.startswith("    ") and lines and lines[-1].startswith(("* ", "  ")):
            line = "  " + line.strip()
        lines.append(re.sub(r"\s+# doctest: .*", "", line))
    return "\n".join(lines + ["```"] * inside)


def members(thing):
    """Methods and properties that have a docstring of their own."""
    for name, member in vars(thing).items():
        if name.startswith("_"):
            continue
        raw = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        if isinstance(member, property) and member.__doc__:
            yield f"**`{name}`**: {described(member)}\n"
        elif inspect.isfunction(raw) and raw.__doc__:
            yield f"**`{name}{signature(getattr(thing, name))}`**\n\n{described(raw)}\n"


def section(name):
    thing = getattr(stickslip, name)
    if name == "STOP":
        return "### STOP\n\nWhat an observer returns to end the run there.\n"
    if name == "impact":
        parts = [described(impact) + "\n"]
        parts += [f"### impact.{n}{signature(getattr(impact, n))}\n\n{described(getattr(impact, n))}\n" for n in sorted(impact.__all__)]
        return "\n".join(parts)
    if not inspect.isclass(thing):
        return f"### {name}\n\n`{name}{signature(thing)}`\n\n{described(thing)}\n"
    parts = [f"### {name}\n", described(thing) + "\n"]
    if issubclass(thing, Exception):
        parts[1] += f"\nIs a {', '.join(f'`{base.__name__}`' for base in thing.__bases__)}.\n"
    own = vars(thing).get("__init__")
    if own is not None and own.__doc__ and "__dataclass_fields__" not in vars(thing):
        parts.append(f"**`{name}{signature(thing)}`**\n\n{described(own, thing)}\n")
    rows = attributes(thing)
    if rows:
        parts.append("\n".join(f"* `{field}`{': ' + text if text else ''}" for field, text in rows) + "\n")
    return "\n".join(parts + list(members(thing)))


def reference():
    known = {name for _, names in GROUPS for name in names}
    missing = set(stickslip.__all__) - known - {"__version__"}
    assert not missing, f"reference.py does not know {missing}"
    pages = ["# The Python package: reference\n",
             "Made from the docstrings of the package by `python/reference.py`; `help(stickslip)` says the same.\n"
             "[python.md](python.md) is the manual.\n"]
    for heading, names in GROUPS:
        pages.append(f"## {heading}\n")
        pages += [section(name) for name in names]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(pages))


if __name__ == "__main__":
    default = pathlib.Path(__file__).resolve().parents[1] / "docs" / "python-reference.md"
    pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else default).write_text(reference(), encoding="utf-8")
