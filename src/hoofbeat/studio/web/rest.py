"""REST: all that can be ridden from a script; `/api/openapi.json` describes it, docs/studio.md shows it.

The session's token in an address is the right to it. Bodies are the messages of the WebSocket.
"""

from __future__ import annotations

import asyncio
import re
import time
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Depends, HTTPException, Request, Response
from fastapi.responses import FileResponse, PlainTextResponse
from pydantic import Field

from hoofbeat.errors import HoofbeatError
from hoofbeat.formats.planfile import format_plan
from hoofbeat.gaits.breeds import DEFAULT_BREED
from hoofbeat.records import CLAMPS, FOOT_PHASES, REFUSALS
from hoofbeat.studio.facts import skin
from hoofbeat.studio.refusal import Refusal, check_breed, check_terrain
from hoofbeat.studio.rides.horse import HorseSpec
from hoofbeat.studio.rides.recording import RecordingError
from hoofbeat.studio.rides.session import Session
from hoofbeat.studio.rides.sessions import Sessions
from hoofbeat.studio.wire import messages
from hoofbeat.studio.wire.frame import FIELDS, FLAGS, decode
from hoofbeat.studio.wire.messages import COATS, Id, Message, Word

router = APIRouter(prefix="/api")
TYPES = {
    "glb": "model/gltf-binary",
    "bvh": "text/plain; charset=utf-8",
    "usda": "text/plain; charset=utf-8",
    "npz": "application/octet-stream",
    "webp": "image/webp",
    "mp4": "video/mp4",
}


def sessions(request: Request) -> Sessions:
    """All sessions of this server."""
    return request.app.state.sessions


async def session(token: Annotated[str, Field(max_length=64)], request: Request) -> Session:
    """The session of the token in the address."""
    found = await sessions(request).find(token)
    if found is None:
        raise HTTPException(404, "there is no such session; POST /api/sessions makes one")
    found[0].touched = time.monotonic()
    return found[0]


OneSession = Annotated[Session, Depends(session)]
AllSessions = Annotated[Sessions, Depends(sessions)]


#: Those of messages.COATS, as a type that the description of the interface can list.
Coat = Literal["bay", "chestnut", "black", "grey", "pinto"]


class NewSession(Message):
    """Which horse, and who moves the clock."""

    method: Word | None = None
    height: float | None = Field(default=None, ge=0.3, le=4.0, description="of the withers [m]")
    coat: Coat = COATS[0]
    terrain: Word = "flat"
    breed: Word = Field(default=DEFAULT_BREED, description="which gaits a speed chooses")
    seed: int = Field(default=0, ge=0, le=2**32 - 1)
    clock: Literal["server", "manual"] = Field(
        default="manual", description="manual: time passes by /steps alone, as fast as it is asked for"
    )


class NewRecording(Message):
    """A recording to begin."""

    name: messages.Name | None = None


class Change(Message):
    """What to change of a session; only what is given."""

    setup: messages.Setup | None = None
    clock: messages.Clock | None = None


class EditRecording(Message):
    """Name, trim, or end a recording; only what is given."""

    name: messages.Name | None = None
    first: int | None = Field(default=None, ge=0)
    last: int | None = Field(default=None, ge=0)
    done: Literal[True] | None = Field(default=None, description="end it")


class NewExport(Message):
    """A file to make of a recording."""

    format: messages.Format
    in_place: bool = False


class Steps(Message):
    """Ride on: under this command, if given, for so many frames."""

    ride: messages.Ride | None = None
    frames: int = Field(default=1, ge=1, le=messages.MAX_STEPS)


class SessionFacts(Message):
    """A session: its token, how the ride stands, and its frame."""

    session: str
    state: messages.State
    frame: dict[str, Any]


# ------------------------------------------------------------------------------------------- sessions


@router.get("/health")
async def health(all_: AllSessions) -> dict[str, Any]:
    """That the server runs, and how many ride."""
    active = all_.by_token.values()
    return {
        "version": all_.facts.version,
        "protocol": messages.PROTOCOL,
        "sessions": len(active),
        "clients": sum(one.reporter.listener is not None for one in active),
        "late_ticks": all_.late,
    }


@router.post("/sessions", status_code=201)
async def new_session(asked: NewSession, all_: AllSessions) -> SessionFacts:
    """A new ride, standing at the origin."""
    check_terrain(asked.terrain)
    check_breed(asked.breed)
    method = asked.method or all_.settings.method
    spec = HorseSpec(method, asked.height, asked.terrain, asked.seed, asked.breed)
    try:
        all_.facts.method(method)
        made = await all_.new(spec, asked.coat, manual=asked.clock == "manual")
    except Refusal:
        raise
    except HoofbeatError as problem:
        raise Refusal("setup", str(problem)) from problem
    return _facts(made)


@router.get("/sessions/{token}")
async def get_session(one: OneSession) -> SessionFacts:
    """How a ride stands."""
    return _facts(one)


@router.get("/sessions/{token}/hello")
async def get_hello(one: OneSession) -> messages.Hello:
    """What this horse can do: skeleton, gaits, ranges."""
    return one.hello("kept")


@router.patch("/sessions/{token}")
async def change_session(asked: Change, one: OneSession) -> SessionFacts:
    """Another horse or coat under the rider, pause, slow motion; answers when it is done."""
    for message in (asked.setup, asked.clock):
        if message is not None:
            one.handle(message)
    await one.settled()
    return _facts(one)


@router.delete("/sessions/{token}", status_code=204)
async def delete_session(one: OneSession, all_: AllSessions) -> None:
    """End a ride for good, with its recordings."""
    all_.delete(one)


@router.put("/sessions/{token}/command")
async def command(asked: messages.Ride, one: OneSession) -> SessionFacts:
    """What the rider wants from now on."""
    one.handle(asked)
    return _facts(one)


@router.post("/sessions/{token}/steps")
async def steps(asked: Steps, one: OneSession) -> SessionFacts:
    """Ride on by whole frames of 1/60 s; for a session with a manual clock, or one that is paused."""
    if not (one.manual or one.clock.paused):
        raise Refusal(
            "command", "the server's clock moves this ride; pause it, or make one with a manual clock"
        )
    if asked.ride is not None:
        one.handle(asked.ride)
    for done in range(0, asked.frames, 60):
        one.advance(min(60, asked.frames - done))
        await asyncio.sleep(0)  # let the clock of the others beat
    return _facts(one)


@router.post("/sessions/{token}/reset")
async def reset(one: OneSession) -> SessionFacts:
    """Back to the origin, standing."""
    one.handle(messages.Reset())
    return _facts(one)


@router.get("/sessions/{token}/frame", response_class=Response)
async def frame_block(one: OneSession) -> Response:
    """The present frame as bytes, as it goes over the WebSocket."""
    return Response(one.block(), media_type="application/octet-stream")


# ---------------------------------------------------------------------------------------------- plans


@router.get("/sessions/{token}/plan", response_class=PlainTextResponse)
async def saved_plan(one: OneSession) -> Response:
    """What was ridden so far, as a plan file."""
    return _download(one.plan_text(), "ride.yaml")


@router.put("/sessions/{token}/plan")
async def ride_plan(
    text: Annotated[str, Body(media_type="text/plain", max_length=messages.MAX_PLAN)], one: OneSession
) -> SessionFacts:
    """Ride a plan file (YAML, the body) from here; /steps or the clock move it."""
    one.handle(messages.PlanText(text=text))
    await one.settled()
    return _facts(one)


@router.delete("/sessions/{token}/plan")
async def end_plan(one: OneSession) -> SessionFacts:
    """Leave the plan; its last command holds."""
    one.handle(messages.PlanText(text=None))
    return _facts(one)


# ------------------------------------------------------------------------------------------ recordings


@router.get("/sessions/{token}/recordings")
async def recordings(one: OneSession) -> messages.Recordings:
    """All recordings of a ride."""
    return one.library.facts()


@router.post("/sessions/{token}/recordings", status_code=201)
async def begin_recording(asked: NewRecording, one: OneSession) -> messages.RecordingFacts:
    """Begin to record."""
    if one.library.open is not None:
        raise Refusal("recording", "a recording is running; end it first")
    one.handle(messages.RecordSwitch(on=True, name=asked.name))
    assert one.library.open is not None
    return one.library.open.facts()


@router.patch("/sessions/{token}/recordings/{recording}")
async def edit_recording(recording: Id, asked: EditRecording, one: OneSession) -> messages.RecordingFacts:
    """Name, trim or end a recording."""
    found = one.library.find(recording)
    if asked.done and found is one.library.open:
        one.handle(messages.RecordSwitch(on=False))
    edit = messages.Edit(
        recording=recording, name=asked.name, first=asked.first, last=asked.last, delete=False
    )
    one.handle(edit)
    return one.library.find(recording).facts()


@router.delete("/sessions/{token}/recordings/{recording}", status_code=204)
async def delete_recording(recording: Id, one: OneSession) -> None:
    """Delete a recording."""
    one.handle(messages.Edit(recording=recording, name=None, first=None, last=None, delete=True))


@router.get("/sessions/{token}/recordings/{recording}/plan", response_class=PlainTextResponse)
async def recorded_plan(recording: Id, one: OneSession) -> Response:
    """What was commanded during a recording, as a plan file."""
    try:
        return _download(format_plan(one.library.find(recording).plan()), "ride.yaml")
    except RecordingError as problem:
        raise Refusal("plan", str(problem)) from problem


@router.get("/sessions/{token}/recordings/{recording}/frames", response_class=Response)
async def recorded_frames(recording: Id, one: OneSession) -> Response:
    """The frame blocks of a recording, one after the other, those that were trimmed left out."""
    found = one.library.find(recording)
    facts, size = found.facts(), found.tape.size
    blocks = await asyncio.to_thread(found.tape.read)
    return Response(
        blocks[facts.first * size : (facts.last + 1) * size], media_type="application/octet-stream"
    )


# -------------------------------------------------------------------------------------------- exports


@router.post("/sessions/{token}/recordings/{recording}/exports", status_code=202)
async def begin_export(recording: Id, asked: NewExport, one: OneSession) -> messages.ExportFacts:
    """Make a file of a recording, in a process of its own."""
    export = messages.Export(recording=recording, format=asked.format, in_place=asked.in_place)
    return one.start_export(export)


@router.get("/sessions/{token}/exports/{export}")
async def get_export(export: Id, one: OneSession) -> messages.ExportFacts:
    """How an export goes."""
    return one.library.job(export).facts()


@router.get("/sessions/{token}/exports/{export}/file", response_class=FileResponse)
async def export_file(export: Id, one: OneSession) -> Response:
    """The file, once it is done."""
    job = one.library.job(export)
    if job.state != "done" or not job.path.is_file():
        raise HTTPException(409, f"the export is {job.state}")
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", job.name).strip("-")[:60] or "ride"
    return FileResponse(job.path, media_type=TYPES[job.format], filename=f"{name}.{job.format}")


@router.get("/skins/{method}.glb", response_class=Response)
async def get_skin(
    method: Word,
    all_: AllSessions,
    coat: Coat = COATS[0],
    level: Literal["low", "medium", "high"] = "medium",
) -> Response:
    """The body of a method's horse at rest, to be moved by frames."""
    if method not in all_.facts.methods:
        raise HTTPException(404, f"methods: {', '.join(all_.facts.methods)}")
    data = await asyncio.to_thread(skin, all_.facts.method(method).skeleton, coat, level)
    return Response(data, media_type=TYPES["glb"], headers={"cache-control": "max-age=3600"})


def _download(text: str, name: str) -> Response:
    head = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="application/yaml", headers=head)


def _facts(one: Session) -> SessionFacts:
    return SessionFacts(session=one.token, state=one.state(), frame=frame_facts(one))


def frame_facts(one: Session) -> dict[str, Any]:
    """The header of the present frame, with names for numbers; positions and rotations are in /frame."""
    head = decode(one.block())["head"]
    found: dict[str, Any] = {
        field.name: head[field.name].tolist()
        for field in FIELDS
        if field.name not in ("kind", "version", "pad")
    }
    for key in ("gait", "going_to"):
        found[key] = one.facts.gaits[found[key]]
    found["foot_phase"] = [FOOT_PHASES[phase] for phase in found["foot_phase"]]
    found["refused"] = REFUSALS[found["refused"]]
    for key, names in (("flags", FLAGS), ("clamps", CLAMPS)):
        found[key] = [name for k, name in enumerate(names) if found[key] >> k & 1]
    return found
