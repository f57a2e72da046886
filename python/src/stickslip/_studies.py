"""Studies: many runs of a scene, by the command of this package."""
from __future__ import annotations

import html
import json
import os
import pathlib
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _page
from ._core import Error, InputError, dumped

if TYPE_CHECKING:
    import pandas


class StudyError(Error):
    """A study could not be made: what the command says."""


def _text(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, float, np.integer, np.floating)):
        return repr(float(value)) if isinstance(value, (float, np.floating)) else str(int(value))
    return str(value)


def _values(values: Any) -> str:
    """What stands behind NAME= on the command line."""
    if isinstance(values, (str, int, float, np.integer, np.floating)):
        return _text(values)
    texts = [_text(value) for value in values]
    return f"{texts[0]}:{texts[0]}:1" if len(texts) == 1 and not isinstance(values[0], str) else ",".join(texts)


def _options(**given: Any) -> list[str]:
    words: list[str] = []
    for name, value in given.items():
        if value is None or value is False:
            continue
        option = "--" + name.replace("_", "-")
        if value is True:
            words.append(option)
        else:
            words += [option, _text(value)]
    return words


def _repeated(option: str, values: Mapping[str, Any] | None) -> list[str]:
    return [word for key, value in (values or {}).items() for word in (option, f"{key}={_values(value)}")]


def _results(results: Mapping[str, str] | Sequence[str] | None) -> list[str]:
    if results is None:
        return []
    texts = [f"{name}={text}" for name, text in results.items()] if isinstance(results, Mapping) else list(results)
    return [word for text in texts for word in ("--result", text)]


def _run(command: str, scene: Any, words: list[str], good: tuple[int, ...], folder: str | os.PathLike[str]) -> dict[str, Any]:
    """Runs the command and reads what it prints."""
    if isinstance(scene, Mapping):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", dir=os.fspath(folder) or None, encoding="utf-8") as file:
            file.write(dumped({"name": "scene", **scene}, str(scene.get("name", "scene"))))
            file.flush()
            return _run(command, file.name, words, good, folder)
    done = subprocess.run([_page.command(), command, os.fspath(scene), *words, "--json"], capture_output=True, check=False,
                          stdin=subprocess.DEVNULL, text=True, encoding="utf-8")
    if done.returncode in good and done.stdout.startswith("{"):
        return json.loads(done.stdout)
    message = done.stderr.strip().removeprefix("stickslip: ")
    raise (InputError if done.returncode == 2 else StudyError)(message or f"the command ended with {done.returncode}")


def _shown(plot: pathlib.Path | None, words: str) -> str:
    """The picture for a notebook."""
    if plot is None or plot.suffix != ".svg" or not plot.is_file():
        return f"<p>{html.escape(words)}</p>"
    picture = plot.read_text(encoding="utf-8")
    return picture[picture.index("<svg"):]


@dataclass
class Sweep:
    """The runs of a sweep. `sweep["mu"]` is a column: of what was varied, or a result; NaN where there is none."""

    folder: pathlib.Path  #: has table.csv, table.h5 and the plot
    plot: pathlib.Path | None
    parameters: list[str]  #: what was varied
    results: list[str]  #: what was taken from each run
    runs: list[dict[str, Any]] = field(repr=False)  #: as the command's --json prints them

    def __len__(self) -> int:
        return len(self.runs)

    def __getitem__(self, name: str) -> np.ndarray:
        for part in ("parameters", "results"):
            if self.runs and name in self.runs[0][part]:
                values = [run[part][name] for run in self.runs]
                return np.array([np.nan if value is None else value for value in values])
        if self.runs and name in self.runs[0]:
            return np.array([run[name] for run in self.runs])
        raise KeyError(name)

    def _repr_html_(self) -> str:
        return _shown(self.plot, repr(self))

    @property
    def trusted(self) -> np.ndarray:
        """Of every run, whether it came to its end and is trusted."""
        return np.array([run["verdict"] == "trusted" for run in self.runs], dtype=bool)

    @property
    def failed(self) -> dict[int, str]:
        """Runs that are not trusted, with their verdicts and reasons."""
        return {run["run"]: f"{run['verdict']}: {run['reason']}" for run in self.runs if run["verdict"] != "trusted"}

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each run (Debian: python3-pandas)."""
        import pandas as pd
        return pd.DataFrame([{**run["parameters"], **run["results"],
                              **{key: run[key] for key in ("end", "steps", "events", "verdict", "reason")}} for run in self.runs])


def sweep(scene: Any, varied: Mapping[str, Any] | None = None, *, over: Mapping[str, Any] | None = None,
          results: Mapping[str, str] | Sequence[str] | None = None, parameters: Mapping[str, Any] | None = None,
          settings: Mapping[str, Any] | None = None, sample: str = "grid", seed: int | None = None, jobs: int | None = None,
          out: str | os.PathLike[str], folder: str | os.PathLike[str] = "", keep_records: bool = False, plots: bool = True,
          allow: Iterable[str] = ()) -> Sweep:
    """Runs a scene for many values of its parameters, several at a time, as `stickslip sweep` does.

    scene: a file, or a dict (`folder`: what its relative paths refer to).
    varied: parameters with their values: lists, arrays, or texts "0.1:0.5:9", "1:100:5:log". over: settings by their paths.
    results: {"peak": "max:abs(x)", "x": "last:x"}; all positions and velocities at the end when not given.
    sample: "grid", "list" or "latin" (of ranges, with `seed`).
    jobs: runs at a time; results do not depend on it.
    out: folder for tables and plot. A sweep that was interrupted goes on there.

    >>> s = sweep("scenes/slope.yaml", {"mu": [0.2, 0.4]}, results={"x": "last:x"}, out="slope-sweep")     # doctest: +SKIP
    >>> s["mu"], s["x"]                                                                                 # doctest: +SKIP
    """
    words = [f"{name}={_values(values)}" for name, values in {**(varied or {}), **(parameters or {})}.items()]
    words += _repeated("--over", over) + _repeated("--set", settings) + _results(results)
    words += _options(sample=sample, seed=seed, jobs=jobs, output=os.fspath(out), keep_records=keep_records,
                      no_plots=not plots, allow=",".join(allow) or None)
    said = _run("sweep", scene, words, (0, 1), folder)
    runs = said["runs"]
    return Sweep(pathlib.Path(said["folder"]), pathlib.Path(said["plot"]) if said["plot"] else None,
                 list(runs[0]["parameters"]) if runs else [], list(runs[0]["results"]) if runs else [], runs)


@dataclass
class Branch:
    """The points of one value of the parameter."""

    carry: str  #: "forward", "backward" or "none"
    value: Any  #: of the parameter; None: none was varied
    points: np.ndarray = field(repr=False)  #: a row for each point: t and the signals
    period: int | None  #: after how many points they repeat, up to 32
    exponent: float | None  #: largest Lyapunov exponent, 1/s, when asked for
    reason: str  #: why it failed; "" when it did not


@dataclass
class Bifurcation:
    """A bifurcation diagram, or the section of one motion: `diagram["x"]` are the values of a signal at all points, and
    `diagram.at` those of the parameter."""

    folder: pathlib.Path  #: has points.csv, points.h5, values.csv and the plot
    plot: pathlib.Path | None
    columns: list[str]  #: of `Branch.points`: "t", then the signals
    branches: list[Branch] = field(repr=False)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.columns:
            raise KeyError(name)
        index = self.columns.index(name)
        return np.concatenate([branch.points[:, index] for branch in self.branches])

    def _repr_html_(self) -> str:
        return _shown(self.plot, repr(self))

    @property
    def at(self) -> np.ndarray:
        """The value of the parameter at each point."""
        return np.concatenate([np.full(len(branch.points), branch.value) for branch in self.branches])


def bifurcation(scene: Any, varied: Mapping[str, Any] | None = None, *, over: Mapping[str, Any] | None = None,
                period: str | float | None = None, section: str | None = None, points: int = 300, skip: int | None = None,
                signals: Sequence[str] = (), carry: str | None = None, lyapunov: bool = False,
                parameters: Mapping[str, Any] | None = None, settings: Mapping[str, Any] | None = None,
                jobs: int | None = None, out: str | os.PathLike[str], folder: str | os.PathLike[str] = "",
                plots: bool = True) -> Bifurcation:
    """Takes a motion where it passes a section, for each value of a parameter, as `stickslip bifurcation` does.

    varied: one parameter with its values; none: a Poincaré section of one motion.
    period: of what drives the scene, an expression of its parameters: points are taken after each.
    section: instead "LAW closed", an event, or an expression that passes zero ("up:", "down:" or "both:" before it).
    carry: "both" (default), "forward", "backward" or "none": where each value begins.
    """
    words = [f"{name}={_values(values)}" for name, values in {**(varied or {}), **(parameters or {})}.items()]
    words += _repeated("--over", over) + _repeated("--set", settings)
    words += [word for signal in signals for word in ("--signal", signal)]
    words += _options(period=period, section=section, points=points, skip=skip, carry=carry, lyapunov=lyapunov, jobs=jobs,
                      output=os.fspath(out), no_plots=not plots)
    said = _run("bifurcation", scene, words, (0, 1), folder)
    width = len(said["columns"])
    branches = [Branch(v["carry"], v["value"], np.array(v["points"], dtype=float).reshape(-1, width), v["period"],
                       v["exponent"], v["reason"]) for v in said["values"]]
    return Bifurcation(pathlib.Path(said["folder"]), pathlib.Path(said["plot"]) if said["plot"] else None, said["columns"],
                       branches)
