"""What Python knows of the library is what the public headers say."""
import os
import pathlib
import re
import subprocess
import sys

import pytest
from scenes import BUILD, SOURCE
from stickslip._core import ffi, lib

sys.path.insert(0, str(SOURCE / "python"))
import generate  # noqa: E402 # pylint: disable=wrong-import-position

HEADERS = SOURCE / "include"
COMPILER = os.environ["STICKSLIP_COMPILER"]


def test_every_exported_function_is_declared():
    library, = (BUILD / "lib").glob("libstickslip.so.*.*.*")
    listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    exported = {line.split()[-1].split("@")[0] for line in listed.splitlines() if " T " in line}
    assert len(exported) > 200
    assert {name for name in exported if not hasattr(lib, name)} == set()


def test_constants():
    found = generate.constants(HEADERS)
    assert "#define SS_ABI ..." in found and lib.SS_ABI >= 1
    version = ".".join(str(getattr(lib, f"SS_VERSION_{part}")) for part in ("MAJOR", "MINOR", "PATCH"))
    assert ffi.string(lib.ss_version()).decode() == version


def test_structs_are_those_of_the_headers():
    """Sizes and places of all members, by the C compiler."""
    structs = [name for name in ffi.list_types()[0] if name.startswith("ss_") and ffi.typeof(name).kind == "struct"
               and ffi.typeof(name).fields]
    assert len(structs) > 60
    lines, expected = [], []
    for name in structs:
        lines.append(f'printf("%zu\\n", sizeof({name}));')
        expected.append(ffi.sizeof(name))
        for member, field in ffi.typeof(name).fields:
            if member:
                lines.append(f'printf("%zu\\n", offsetof({name}, {member}));')
                expected.append(field.offset)
    program = "#include <stickslip/stickslip.h>\nint main(void) {\n" + "\n".join(lines) + "\nreturn 0; }\n"
    folder = pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / f"stickslip-structs-{os.getpid()}"
    try:
        subprocess.run([COMPILER, "-std=c17", f"-I{HEADERS}", "-x", "c", "-", "-o", folder], input=program, text=True, check=True)
        found = subprocess.run([folder], capture_output=True, text=True, check=True).stdout.split()
    finally:
        folder.unlink(missing_ok=True)
    assert list(map(int, found)) == expected


def changed(tmp_path, header, old, new):
    for path in (HEADERS / "stickslip").glob("*.h"):
        target = tmp_path / "stickslip" / path.name
        target.parent.mkdir(exist_ok=True)
        text = path.read_text(encoding="utf-8")
        if path.name == header:
            assert text.count(old) == 1
            text = text.replace(old, new)
        target.write_text(text, encoding="utf-8")
    return generate.declarations(COMPILER, tmp_path)


def test_declarations_follow_the_headers(tmp_path):
    now = generate.declarations(COMPILER, HEADERS)
    assert changed(tmp_path, "base.h", "SS_API ss_context_options ss_default_context(void);",
                   "SS_API ss_context_options ss_default_context(void); ") == now
    assert changed(tmp_path, "scene.h", "void ss_scene_destroy(ss_scene *scene)", "void ss_scene_release(ss_scene *scene)") != now
    more = changed(tmp_path, "solver.h", "int n_blocks, n_rows, n_u, n_factors;", "int n_blocks, n_rows, n_u, n_factors, n_more;")
    assert "n_more" in more


def test_made_from_the_headers_of_this_tree():
    """The module that is tested was made from the headers as they are now."""
    source = (BUILD / "python" / "_native.c").read_text(encoding="utf-8")
    names = re.findall(r"\b(ss_\w+)\(", generate.declarations(COMPILER, HEADERS))
    assert len(names) > 200 and all(f"_cffi_d_{name}" in source or f"_cffi_f_{name}" in source or f"_cffi_const_{name}" in source
                                    for name in names if hasattr(lib, name))


@pytest.mark.parametrize("name", ["ss_state", "ss_scene"])
def test_what_is_opaque_stays_so(name):
    with pytest.raises(ffi.error):
        ffi.sizeof(name)
