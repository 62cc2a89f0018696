"""hoofbeat studio: ride the horse in the browser."""

from __future__ import annotations

from typing import Annotated

import typer

from hoofbeat.cli.console import note, say, working
from hoofbeat.methods.catalog import DEFAULT, method_info


def studio(
    port: Annotated[int, typer.Option("--port", help="Port to listen on; 0 = any free one.")] = 8123,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on; other than this machine needs a token.")
    ] = "127.0.0.1",
    token: Annotated[
        str | None,
        typer.Option("--token", help="Secret that lets people in; made up where one is needed."),
    ] = None,
    browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = True,
    method: Annotated[str, typer.Option("--method", help="Method of new rides.")] = DEFAULT,
    keep: Annotated[bool, typer.Option("--keep/--no-keep", help="Keep rides and recordings on disk.")] = True,
) -> None:
    """Open the studio: ride, record and export in the browser, or by script through /api.

    hoofbeat studio --port 0 --no-open
    """
    # Imports of the library stand inside commands, see hoofbeat/cli/__init__.py.
    import secrets
    import webbrowser

    from hoofbeat.studio.settings import Settings, StudioError, is_loopback, user_folder

    method_info(method)
    if token is None and not is_loopback(host):
        token = secrets.token_urlsafe(24)
    settings = Settings(host, port, token, method, user_folder() if keep else None)
    try:
        from hoofbeat.studio.web.server import STATIC, run, warm
    except ModuleNotFoundError as problem:
        raise StudioError(
            f"the studio needs {problem.name}, which is not installed: pip install 'hoofbeat[studio]'"
        ) from None
    if not (STATIC / "index.html").is_file():
        note("the page is not built (make web); scripts can ride through /api all the same")

    def ready(address: str) -> None:
        say(f"hoofbeat studio at {address}")
        say("Ctrl-C ends it" + ("" if settings.folder is None else f"; rides are kept in {settings.folder}"))
        if browser:
            webbrowser.open(address)

    with working("getting the horses ready"):
        facts = warm()
    run(settings, facts, ready)
