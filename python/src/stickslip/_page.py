"""The command `stickslip`, which makes the pages of records."""
from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import tempfile

from ._core import Error


class PageError(Error):
    """The page cannot be made: the command or its viewer is not there."""


def command() -> str:
    """The command of this package: in the wheel, in the build or the prefix it is installed in, or in PATH."""
    package = pathlib.Path(__file__).resolve().parent
    places = [package / "_prefix", package.parents[1], *package.parents[2:4]]
    found = next((place / "bin" / "stickslip" for place in places if (place / "bin" / "stickslip").is_file()), None)
    if found:
        if not os.access(found, os.X_OK):  # pip keeps no modes of files
            found.chmod(0o755)
        return str(found)
    found_in_path = shutil.which("stickslip")
    if not found_in_path:
        raise PageError("the command `stickslip`, which makes pages, is neither beside the package nor in PATH")
    return found_in_path


def make(record: str) -> str:
    """The page of a record."""
    with tempfile.TemporaryDirectory(prefix="stickslip-") as folder:
        page = pathlib.Path(folder) / "page.html"
        done = subprocess.run([command(), "view", os.path.abspath(record), "-o", page], capture_output=True, text=True, check=False)
        if done.returncode:
            raise PageError(done.stderr.strip().removeprefix("stickslip: "))
        return page.read_text(encoding="utf-8")
