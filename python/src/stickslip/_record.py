"""Records as NumPy arrays."""
from __future__ import annotations

import html
import os
import shutil
import tempfile
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _page
from ._core import DOUBLES, Context, InputError, ffi, lib, own, text
from ._scene import CONTACT, Statistics, read_text, statistics_of

if TYPE_CHECKING:
    import pandas
    import xarray


class Event(NamedTuple):
    """A law that switched its mode."""

    t: float  #: end of the step in which it was seen, s
    law: str
    before: str  #: "open"
    after: str  #: "closed"
    constraint: bool  #: whether it switched to constraint mode
    P: float  #: magnitude of the law's impulse in that step, N s


def temporary(name: str) -> tuple[str, str]:
    """The path of a record that nobody asked to keep, and its folder."""
    folder = tempfile.mkdtemp(prefix="stickslip-")
    return os.path.join(folder, "".join(c if c.isalnum() else "_" for c in name) + ".h5"), folder


class Record:
    """What a run left behind.

    `record["y"]`, `record["abs(y')"]`: a column, or an expression of columns and of the scene's parameters, as an array with
    one value for each recorded state. `record.columns` are the names; short names work where they are unique.
    """

    def __init__(self, path: str | os.PathLike[str], *, _keep: str | None = None) -> None:
        """path: a file that a run wrote."""
        self.path = os.fspath(path)
        self._context = Context()
        made = ffi.new("ss_record **")
        with self._context.locked:
            self._context.check(lib.ss_record_open(self._context.c, os.fsencode(path), made))
        self._c, self._life = own(made[0], lib.ss_record_close, self._context.life)
        if _keep:
            weakref.finalize(self, shutil.rmtree, _keep, ignore_errors=True)

    def __len__(self) -> int:
        return lib.ss_record_length(self._c)

    @property
    def columns(self) -> list[str]:
        """Names of the columns: t, dt, positions, velocities, laws, energies, solver."""
        return [text(lib.ss_record_column_name(self._c, i)) for i in range(lib.ss_record_column_count(self._c))]

    @property
    def units(self) -> dict[str, str]:
        """The unit of each column; "" for pure numbers."""
        return {name: text(lib.ss_record_column_unit(self._c, i)) for i, name in enumerate(self.columns)}

    def __getitem__(self, expression: str) -> np.ndarray:
        values = np.empty(len(self))
        given = expression.encode()
        pointer = ffi.new("char[]", given)
        wanted = ffi.new("ss_text *", {"text": pointer})
        with self._context.locked:
            self._context.check(lib.ss_record_evaluate(self._c, wanted, ffi.from_buffer(DOUBLES, values)))
        return values

    @property
    def t(self) -> np.ndarray:
        """Times of the recorded states, s."""
        return self["t"]

    def array(self, first: int = 0, count: int | None = None) -> np.ndarray:
        """All columns of the states from `first` on, one row for each state."""
        count = len(self) - first if count is None else count
        if first < 0 or count < 0 or first + count > len(self):
            raise InputError(f"states {first} to {first + count}: the record has {len(self)}")
        values = np.empty((count, lib.ss_record_column_count(self._c)))
        if values.size:
            with self._context.locked:
                self._context.check(lib.ss_record_states(self._c, first, count, ffi.from_buffer(DOUBLES, values)))
        return values

    @property
    def events(self) -> list[Event]:
        """All switches of laws, in the order of time, with those between recorded states."""
        found = (lib.ss_record_event_at(self._c, i) for i in range(lib.ss_record_event_count(self._c)))
        return [Event(e.t, text(e.law), text(getattr(e, "from")), text(e.to), bool(e.constraint), e.P) for e in found]

    def contacts(self, row: int) -> np.ndarray | None:
        """Contacts of shapes in a recorded state, a structured array as State.contacts; None: they were not recorded."""
        count = lib.ss_record_contact_count(self._c, self._row(row))
        if count < 0:
            return None
        found = np.empty(count, CONTACT)
        if count:
            pointer = ffi.cast("ss_contact *", ffi.from_buffer(found))
            with self._context.locked:
                self._context.check(lib.ss_record_read_contacts(self._c, self._row(row), pointer))
        return found

    def _row(self, row: int) -> int:
        if not -len(self) <= row < len(self):
            raise IndexError(f"state {row}: the record has {len(self)}")
        return row % len(self)

    @property
    def shapes(self) -> list[str]:
        """Names of the shapes, as contacts have their numbers."""
        return [text(lib.ss_record_shape(self._c, i).name) for i in range(lib.ss_record_shape_count(self._c))]

    @property
    def laws(self) -> list[str]:
        """Names of the laws."""
        return [text(lib.ss_record_law(self._c, i).name) for i in range(lib.ss_record_law_count(self._c))]

    @property
    def parameters(self) -> dict[str, float]:
        """The scene's parameters."""
        return {text(lib.ss_record_parameter_name(self._c, i)): lib.ss_record_parameter_value(self._c, i)
                for i in range(lib.ss_record_parameter_count(self._c))}

    @property
    def name(self) -> str:
        """The scene's name."""
        return text(lib.ss_record_scene_name(self._c))

    @property
    def scene_text(self) -> str:
        """The scene as one text, so that it can be run again: stickslip.parse(record.scene_text, folder=record.scene_folder)."""
        return text(lib.ss_record_scene_text(self._c))

    @property
    def scene_folder(self) -> str:
        """What relative paths in `scene_text` refer to."""
        return text(lib.ss_record_scene_folder(self._c))

    @property
    def scene(self) -> dict[str, Any]:
        """The scene as a dict."""
        return read_text(self.scene_text, self.name)

    @property
    def finished(self) -> bool:
        """Whether the run had reached its end."""
        return bool(lib.ss_record_finished(self._c))

    @property
    def note(self) -> str:
        """Why the run ended early; "" when it did not."""
        return text(lib.ss_record_note(self._c))

    @property
    def version(self) -> str:
        """Of the stickslip that wrote it."""
        return text(lib.ss_record_version(self._c))

    @property
    def statistics(self) -> Statistics:
        """Sums over the run."""
        return statistics_of(lib.ss_record_statistics(self._c))

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """All columns as comma-separated values."""
        with self._context.locked:
            self._context.check(lib.ss_record_export_csv(self._c, os.fsencode(path)))

    def to_pandas(self) -> pandas.DataFrame:
        """All columns as a DataFrame with the time as index (Debian: python3-pandas)."""
        import pandas as pd
        frame = pd.DataFrame(self.array(), columns=self.columns).set_index("t")
        frame.attrs = {"units": self.units, "name": self.name, **self.parameters}
        return frame

    def to_xarray(self) -> xarray.Dataset:
        """All columns as a Dataset over the time, with their units (Debian: python3-xarray)."""
        import xarray as xr
        values, units = self.array(), self.units
        data = {name: ("t", values[:, i], {"units": units[name]}) for i, name in enumerate(self.columns)}
        time = data.pop("t")
        return xr.Dataset(data, coords={"t": time}, attrs={"name": self.name, **self.parameters})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Copies the record: a temporary one goes with this object."""
        shutil.copyfile(self.path, path)

    def page(self) -> str:
        """The page that replays the record in any browser, one HTML text."""
        return _page.make(self.path)

    def _repr_html_(self) -> str:
        """Shows the page in a notebook; where there is none, the summary says why."""
        try:
            page = self.page()
        except _page.PageError as error:
            rows = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(v)}</td></tr>" for k, v in self._summary())
            return f"<table>{rows}</table><p>{html.escape(str(error))}</p>"
        return f'<iframe srcdoc="{html.escape(page)}" style="width:100%;height:640px;border:0"></iframe>'

    def _summary(self) -> list[tuple[str, str]]:
        s = self.statistics
        return [("record", self.name), ("states", str(len(self))), ("end", f"{self.t[-1]:.9g} s" if len(self) else "–"),
                ("steps", str(s.steps)), ("switches", str(s.switches)), ("failures", str(s.failures)),
                ("finished", "yes" if self.finished else f"no: {self.note}" if self.note else "no")]

    def __repr__(self) -> str:
        return f"<record '{self.name}': {len(self)} states of {self.statistics.steps} steps, {len(self.columns)} columns>"
