"""Builds the extension with CMake; everything else is in pyproject.toml."""

import os
import pathlib
import re
import shlex
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent


def version():
    return re.search(r"project\(neuralts VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def pybind11_hint():
    """Where pybind11 is, when it came with pip rather than with the system."""
    try:
        import pybind11
    except ImportError:
        return []
    return [f"-Dpybind11_ROOT={pybind11.get_cmake_dir()}"]


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        build = pathlib.Path(self.build_temp).resolve()
        target = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve()
        settings = {
            "CMAKE_BUILD_TYPE": "Release",
            "Python_EXECUTABLE": sys.executable,
            "NEURALTS_BUILD_PYTHON": "ON",
            "NEURALTS_BUILD_TESTS": "OFF",
            "NEURALTS_BUILD_BENCH": "OFF",
            "NEURALTS_BUILD_CLI": "OFF",
            "NEURALTS_CUDA": "OFF",
            "NEURALTS_BUILD_CAPI": "OFF",
            "NEURALTS_FETCH": "OFF",  # the package fetches nothing: no libcurl
        }
        options = [f"-D{key}={value}" for key, value in settings.items()]
        options += shlex.split(os.environ.get("CMAKE_ARGS", ""))
        subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", *options, *pybind11_hint()], check=True)
        subprocess.run(["cmake", "--build", build, "--target", "neuralts_python"], check=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(build / "python" / "neuralts" / target.name), str(target))


setup(version=version(), ext_modules=[Extension("neuralts._core", sources=[])], cmdclass={"build_ext": CMakeBuild})
