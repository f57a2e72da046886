"""Makes a wheel of the package with the library and the command inside, by CMake.

The tree is built in ../build/release unless STICKSLIP_BUILD names a folder where it is built already.
"""
import os
import pathlib
import re
import shutil
import subprocess

from setuptools import Command, Distribution, setup
from setuptools.command.build import build
from setuptools.command.install_lib import install_lib
from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent
HEADER = (SOURCE / "include" / "stickslip" / "base.h").read_text(encoding="utf-8")
VERSION = ".".join(re.search(rf"#define SS_VERSION_{part} (\d+)", HEADER).group(1) for part in ("MAJOR", "MINOR", "PATCH"))
TARGETS = ["python", "stickslip"]
WORK = SOURCE / "build" / "pip"  # nothing is written beside the sources


def run(*words):
    subprocess.run([str(word) for word in words], cwd=SOURCE, check=True)


def tree() -> pathlib.Path:
    """Where everything is built."""
    given = os.environ.get("STICKSLIP_BUILD")
    if given:
        return pathlib.Path(given).resolve()
    folder = SOURCE / "build" / "release"
    run("cmake", "--preset", "release", "--log-level=WARNING")
    run("cmake", "--build", folder, "--parallel", os.cpu_count() or 1, "--target", *TARGETS)
    # The page of notebooks; without npm, or a way to its registry, the package goes without.
    subprocess.run(["cmake", "--build", folder, "--target", "viewer"], cwd=SOURCE, check=False, capture_output=True)
    return folder


class BuildByCMake(Command):
    """The package as CMake installs it, without links: wheels have none."""

    build_lib = None
    editable_mode = False

    def initialize_options(self):
        pass

    def finalize_options(self):
        self.set_undefined_options("build", ("build_lib", "build_lib"))

    def run(self):
        package = pathlib.Path(self.build_lib) / "stickslip"
        shutil.rmtree(package, ignore_errors=True)
        run("cmake", "--install", tree(), "--component", "wheel", "--prefix", package.parent.resolve())
        libraries = list((package / "_prefix" / "lib").glob("libstickslip.so.*"))
        for library in libraries:
            if library.is_symlink():  # the name that the extension module asks for
                whole = library.resolve()
                library.unlink()
                whole.rename(library)

    def get_source_files(self):
        return []

    def get_outputs(self):
        return []

    def get_output_mapping(self):
        return {}


class Build(build):
    sub_commands = [("build_by_cmake", None)]


class InstallAll(install_lib):
    """What is built is installed as it is."""

    def build(self):
        self.run_command("build_by_cmake")

    def byte_compile(self, files):
        pass


class Wheel(bdist_wheel):
    """The extension module keeps to the stable interface: one wheel for every Python from 3.11 on."""

    def finalize_options(self):
        self.py_limited_api = "cp311"
        super().finalize_options()
        self.root_is_pure = False


class Binary(Distribution):
    def has_ext_modules(self):
        return True


WORK.mkdir(parents=True, exist_ok=True)
setup(
    version=VERSION,
    distclass=Binary,
    packages=[],
    cmdclass={"build": Build, "build_by_cmake": BuildByCMake, "install_lib": InstallAll, "bdist_wheel": Wheel},
    options={"build": {"build_base": str(WORK)}, "egg_info": {"egg_base": str(WORK)}},
)
