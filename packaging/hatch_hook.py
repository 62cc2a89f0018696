"""Build hook: the studio's page has to be there, and the core library is built for this platform.

HOOFBEAT_CORE=0 leaves the library out; kernels are then compiled by Numba when they are first used, as
they are where it cannot be built. HOOFBEAT_CORE=all builds it for every level of processor, as for a wheel
that others install; else it is built for this one.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGE = Path("src") / "hoofbeat" / "studio" / "static" / "index.html"
CORE = Path("src") / "hoofbeat" / "core"
MANIFEST = "core.json"
#: What kernels are compiled with, in the environment of the build.
COMPILER = ["numpy>=1.26", "numba>=0.61", "pyyaml>=6.0"]
#: A build that takes longer is given up [s].
LONGEST = 1800


class PackageHook(BuildHookInterface[Any]):
    """Looks for the built front end and builds the core library; an editable installation needs neither."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What a wheel is built with: nothing more where the library is there."""
        if self.target_name != "wheel" or not self._is_wanted() or self._is_ready():
            return []
        linker = [] if any(map(shutil.which, ("cc", "gcc", "clang"))) or os.environ.get("CC") else ["ziglang"]
        return COMPILER + linker

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the wheel or the source archive is put together."""
        if version == "editable":
            return
        if not (Path(self.root) / PAGE).is_file():
            raise FileNotFoundError(
                f"{PAGE.as_posix()} is missing: the studio's page is not built. Run `make web` first (it "
                "needs Node 20.19 or newer), or install in place with `pip install -e .`"
            )
        if self.target_name == "wheel" and self._is_wanted() and self._build():
            # Any Python 3 of this platform may load it.
            build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
            build_data["pure_python"] = False
            for path in (Path(self.root) / CORE / MANIFEST, *self._libraries()):
                build_data["force_include"][str(path)] = f"hoofbeat/core/{path.name}"

    def _is_wanted(self) -> bool:
        return os.environ.get("HOOFBEAT_CORE", "1") != "0"

    def _is_for_all(self) -> bool:
        return os.environ.get("HOOFBEAT_CORE") == "all"

    def _is_ready(self) -> bool:
        return self._is_built() and not self._is_for_all()

    def _is_built(self) -> bool:
        """Whether a whole library of these sources, for this platform, is there."""
        manifest, sources = self._manifest(), self._sources()
        try:
            own = (manifest["sources"], manifest["c"], manifest["builder"])
            if own != (sources.runtime_hash(), sources.c_hash(), sources.builder_hash()):
                return False
            if (manifest["system"], manifest["machine"]) != (sys.platform, platform.machine()):
                return False
            return all(
                hashlib.sha256(path.read_bytes()).hexdigest() == one["sha256"]
                for path, one in zip(self._libraries(), manifest["libraries"].values(), strict=True)
            )
        except (OSError, KeyError):
            return False

    def _manifest(self) -> dict[str, Any]:
        """What core.json says; nothing where it cannot be read."""
        try:
            return json.loads((Path(self.root) / CORE / MANIFEST).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}

    def _libraries(self) -> list[Path]:
        """The libraries that core.json names; one of an earlier build may lie beside them."""
        return [Path(self.root) / CORE / one["file"] for one in self._manifest()["libraries"].values()]

    def _sources(self) -> Any:
        """maths/jit/cache.py by itself: the package's own dependencies may be missing here."""
        place = Path(self.root) / "src" / "hoofbeat" / "maths" / "jit" / "cache.py"
        spec = importlib.util.spec_from_file_location("hoofbeat_cache", place)
        assert spec is not None and spec.loader is not None
        cache = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(cache)
        return cache

    def _build(self) -> bool:
        """Build the library beside the sources; whether there is one now."""
        if self._is_ready():
            return True
        # What pip installed for the build is found by PYTHONPATH too.
        paths = [str(Path(self.root) / "src"), os.environ.get("PYTHONPATH", "")]
        settings = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        command = [sys.executable, "-m", "hoofbeat.offline.core.build"]
        command += ["--force", "--level", "all"] if self._is_for_all() else []
        try:
            done = subprocess.run(command, cwd=self.root, env=settings, timeout=LONGEST, check=False)
        except (OSError, subprocess.SubprocessError) as problem:
            self.app.display_warning(f"the core library could not be built ({problem})")
            return False
        if done.returncode:
            self.app.display_warning("the core library could not be built; Numba compiles at the first use")
        return done.returncode == 0
