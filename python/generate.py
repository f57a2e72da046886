"""Writes the C source of the extension module that calls the library.

    generate.py COMPILER INCLUDE_DIR HELPERS OUT.c

The declarations are those of the public headers, read anew in each build: COMPILER preprocesses them, and what is left is
given to cffi. The C compiler then compares every struct and function with the headers once more.
"""
import pathlib
import re
import subprocess
import sys

import cffi

CALLBACK = re.compile(r"^/\* python: (.*?) \*/$", flags=re.M)


def preprocessed(compiler: str, include: pathlib.Path) -> str:
    """The public headers after preprocessing, without what they include from elsewhere."""
    run = subprocess.run([compiler, "-std=c17", "-E", "-D__attribute__(x)=", f"-I{include}", "-x", "c", "-"], input="#include <stickslip/stickslip.h>\n",
                         capture_output=True, text=True, check=True)
    ours, kept = False, []
    for line in run.stdout.splitlines():
        marker = re.match(r'# \d+ "(.*?)"', line)
        if marker:
            ours = pathlib.Path(marker.group(1)).parent == include / "stickslip"
        elif ours:
            kept.append(line)
    return "\n".join(kept)


def inline_as_declared(text: str) -> str:
    """`static inline … f(…) { … }` becomes a declaration."""
    return re.sub(r"static inline ([^{;]*?)\s*\{.*?\n\}", r"\1;", text, flags=re.S)


def constants(include: pathlib.Path) -> str:
    """Macros that are whole numbers."""
    names = re.findall(r"^#define (SS_\w+) \d+$", "".join(p.read_text(encoding="utf-8") for p in
                                                        sorted((include / "stickslip").glob("*.h"))), flags=re.M)
    return "".join(f"#define {name} ...\n" for name in names)


def declarations(compiler: str, include: pathlib.Path) -> str:
    """What cffi is told of the library."""
    standard = "typedef int... sig_atomic_t;\n"  # types of C's own headers that ours use, which cffi does not know
    return constants(include) + standard + inline_as_declared(preprocessed(compiler, include))


def extension(compiler: str, include: pathlib.Path, helpers: pathlib.Path) -> cffi.FFI:
    """The extension module, with the functions of HELPERS and the callbacks that it declares."""
    ffi = cffi.FFI()
    text = helpers.read_text(encoding="utf-8")
    ffi.cdef(declarations(compiler, include))
    for callback in CALLBACK.findall(text):
        ffi.cdef(f'extern "Python" {callback}')
    ffi.cdef("".join(f"{head};\n" for head in re.findall(r"^static ([^;{]*?\))\n\{", text, flags=re.M)))
    ffi.set_source("stickslip._native", f"#include <stickslip/stickslip.h>\n{text}")
    return ffi


def main() -> None:
    compiler, include, helpers, out = sys.argv[1:]
    extension(compiler, pathlib.Path(include).resolve(), pathlib.Path(helpers)).emit_c_code(out)


if __name__ == "__main__":
    main()
