"""Build hook: a package without the studio's page is a broken one, so neither wheel nor sdist is made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGE = Path("src") / "hoofbeat" / "studio" / "static" / "index.html"


class PageHook(BuildHookInterface[Any]):
    """Looks for the built front end; an editable installation may do without."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the wheel is put together."""
        del build_data
        if version != "editable" and not (Path(self.root) / PAGE).is_file():
            raise FileNotFoundError(
                f"{PAGE.as_posix()} is missing: the studio's page is not built. Run `make web` first (it "
                "needs Node 20.19 or newer), or install in place with `pip install -e .`"
            )
