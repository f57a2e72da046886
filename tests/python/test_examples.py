"""What the manual, the docstrings and the notebooks say is so."""
import ast
import doctest
import importlib
import json
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
import stickslip
from scenes import SOURCE

MODULES = ["_core", "_scene", "_record", "_inclusion", "_extend", "impact"]
NOTEBOOKS = sorted((SOURCE / "python" / "examples").glob("*.ipynb"))


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    module = importlib.import_module(f"stickslip.{name}")
    assert doctest.testmod(module, extraglobs={"np": np}).failed == 0


def test_everything_is_documented():
    missing = [name for name in stickslip.__all__ if name not in ("STOP", "__version__") and not getattr(stickslip, name).__doc__]
    for name in stickslip.__all__:
        thing = getattr(stickslip, name)
        if isinstance(thing, type):
            missing += [f"{name}.{key}" for key, value in vars(thing).items()
                        if not key.startswith("_") and (callable(value) or isinstance(value, property)) and not value.__doc__
                        and not any(hasattr(base, key) for base in thing.__mro__[1:])]
    assert missing == []


def test_everything_is_typed():
    missing = []
    for path in sorted((SOURCE / "python" / "src" / "stickslip").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                given = [*node.args.args, *node.args.kwonlyargs]
                missing += [f"{path.name}:{node.name}({a.arg})" for a in given if not a.annotation and a.arg not in ("self", "cls")]
                missing += [f"{path.name}:{node.name}"] if not node.returns else []
    assert missing == []


def run_cell(text, names):
    """Runs a cell; its last expression is shown, as a notebook would."""
    tree = ast.parse(text)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)  # pylint: disable=exec-used
    if last is None:
        return None
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # pylint: disable=eval-used
    html = getattr(value, "_repr_html_", None)
    return html() if html else repr(value)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook(path, monkeypatch):
    monkeypatch.chdir(path.parent)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4 and notebook["cells"][0]["cell_type"] == "markdown"
    names = {}
    shown = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
            shown.append(run_cell("".join(cell["source"]), names))
    assert len(shown) >= 5 and any(shown)


def test_five_notebooks():
    assert [path.stem for path in NOTEBOOKS] == ["bifurcation", "controller", "first_steps", "inclusion", "records"]


def test_manual(tmp_path, monkeypatch, capsys):
    """Its examples, one after the other."""
    text = (SOURCE / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.M | re.S)
    assert len(blocks) >= 10
    monkeypatch.chdir(tmp_path)
    pathlib.Path("scenes").symlink_to(SOURCE / "scenes")
    names = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)  # pylint: disable=exec-used
    printed = capsys.readouterr().out
    assert "0.452 s: floor.gap is closed" in printed or "0.453 s: floor.gap is closed" in printed
    assert "0.98 J lost" in printed and "mine 1" in printed and "mass" in printed


def test_readme(tmp_path, monkeypatch, capsys):
    text = (SOURCE / "README.md").read_text(encoding="utf-8")
    scene, = re.findall(r"^```yaml\n(.*?)^```", text, flags=re.M | re.S)
    program, = re.findall(r"^```python\n(.*?)^```", text, flags=re.M | re.S)
    monkeypatch.chdir(tmp_path)
    pathlib.Path("bounce.yaml").write_text(scene, encoding="utf-8")
    exec(compile(program, "README.md", "exec"), {})  # pylint: disable=exec-used
    assert capsys.readouterr().out == "0.98 J lost after 2 s\n"


def test_reference_is_made_from_the_docstrings(tmp_path):
    made = tmp_path / "reference.md"
    subprocess.run([sys.executable, "-B", SOURCE / "python" / "reference.py", made], check=True)
    kept = SOURCE / "docs" / "python-reference.md"
    assert made.read_text(encoding="utf-8") == kept.read_text(encoding="utf-8"), "run python/reference.py"
