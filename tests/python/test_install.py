"""The package from pip, as a wheel, and from an installation."""
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest
from scenes import BUILD, SOURCE, WOODPECKER

ENVIRONMENT = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "LD_LIBRARY_PATH")}
PROGRAM = f"""
import stickslip
record = stickslip.load({str(WOODPECKER)!r}, settings={{"simulation.end": 0.02}}).run()
print(stickslip.__file__)
print(stickslip.__version__, len(record), record.finished)
"""


def run(*words, **environment):
    done = subprocess.run(list(map(str, words)), env={**ENVIRONMENT, **environment}, cwd="/", capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def venv(tmp_path_factory):
    folder = tmp_path_factory.mktemp("venv")
    run(sys.executable, "-m", "venv", "--system-site-packages", folder)
    return folder / "bin"


def check(python, below):
    place, rest = run(python, "-B", "-c", PROGRAM).splitlines()
    assert pathlib.Path(place).is_relative_to(below)
    version, states, finished = rest.split()
    assert int(states) > 100 and finished == "True"
    return version


def test_pip_install(venv):
    before = subprocess.run(["git", "status", "--short", "--ignored", SOURCE / "python"], cwd=SOURCE, capture_output=True,
                            text=True, check=False).stdout
    run(venv / "pip", "install", "--no-build-isolation", "--no-index", SOURCE / "python", STICKSLIP_BUILD=BUILD)
    version = check(venv / "python3", venv.parent)
    after = subprocess.run(["git", "status", "--short", "--ignored", SOURCE / "python"], cwd=SOURCE, capture_output=True,
                           text=True, check=False).stdout
    assert before == after  # nothing is written beside the sources
    assert run(venv / "python3", "-m", "stickslip", "--version").strip() == f"stickslip {version}"
    listed = run(venv / "pip", "show", "-f", "stickslip")
    assert f"Version: {version}" in listed and "_native.abi3.so" in listed


def test_wheel_carries_the_library(venv, tmp_path):
    run(venv / "pip", "wheel", "--no-build-isolation", "--no-index", "--no-deps", "-w", tmp_path, SOURCE / "python",
        STICKSLIP_BUILD=BUILD)
    wheel, = tmp_path.glob("*.whl")
    assert "-cp311-abi3-linux_" in wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    assert sum("libstickslip.so" in name for name in names) == 1 and "stickslip/_prefix/bin/stickslip" in names
    assert "stickslip/py.typed" in names
    moved = tmp_path / "moved"
    run(venv / "pip", "install", "--no-index", "--no-deps", "--target", moved, wheel)
    program = f"import sys; sys.path.insert(0, {str(moved)!r})\n{PROGRAM}\nprint(len(record.page()) > 0)"
    if not (BUILD / "share" / "stickslip" / "viewer.html").exists():
        program = program.rsplit("\n", 1)[0]
    shown = run(sys.executable, "-B", "-c", program)
    assert shown.startswith(str(moved))
    used = run("ldd", moved / "stickslip" / "_native.abi3.so")
    line, = (line for line in used.splitlines() if "libstickslip" in line)
    assert str(moved) in line


def test_installed_package(tmp_path):
    """What `make install` installs, in a prefix that was moved."""
    folder = [line.split("=", 1)[1] for line in (BUILD / "CMakeCache.txt").read_text(encoding="utf-8").splitlines()
              if line.startswith("STICKSLIP_PYTHON_FOLDER:")][0]
    run("cmake", "--install", BUILD / "python", "--prefix", tmp_path / "prefix")
    library, = (p for p in (BUILD / "lib").glob("libstickslip.so.*") if p.is_symlink())
    target = tmp_path / "prefix" / "lib" / library.name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(library, target)
    moved = tmp_path / "moved"
    (tmp_path / "prefix").rename(moved)
    program = f"import sys; sys.path.insert(0, {str(moved / folder)!r})\n{PROGRAM}"
    assert run(sys.executable, "-B", "-c", program).startswith(str(moved))
    used = run("ldd", moved / folder / "stickslip" / "_native.abi3.so")
    line, = (line for line in used.splitlines() if "libstickslip" in line)
    assert str(moved) in os.path.realpath(line.split("=>")[1].split("(")[0].strip())
