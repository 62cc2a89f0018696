"""Messages: everything that is sent over the WebSocket besides frame blocks, declared once.

A message is a JSON object with a `type`. Those in CLIENT come from the page, those in SERVER go to it;
`hoofbeat.studio.wire.typescript` writes both as TypeScript, and REST uses the same models. Wrong
names, types, or values out of bounds are refused before anything sees them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter

from hoofbeat.body.size import HEIGHTS

#: Version of the protocol: a page of another one asks for a reload.
PROTOCOL = 2
#: Frames a second of the server's clock.
RATE = 60
#: How fast time runs in slow motion. Each is one over a whole number, so that recordings stay at RATE.
TIME_SCALES = (0.125, 0.25, 0.5, 1.0)
#: Largest text message [bytes]; plans are the longest.
MAX_MESSAGE = 64 * 1024
MAX_PLAN = 48 * 1024
#: Bounds of what a command may say; what the method can do is narrower and clamps.
MOST_SPEED, MOST_TURN, MOST_HEADING = 100.0, 100.0, 1e6
#: Longest names of gaits and the like, and of recordings.
WORD, NAME = 40, 80
#: Frames of one recording: ten minutes.
MAX_FRAMES = 10 * 60 * RATE
#: Steps that one message asks for.
MAX_STEPS = 600
COATS = ("bay", "chestnut", "black", "grey", "pinto")
#: Ground that the page can draw; the engine knows more.
TERRAINS = ("flat",)


def _time_scale(value: float) -> float:
    if value not in TIME_SCALES:
        raise ValueError(f"time_scale is one of {', '.join(map(str, TIME_SCALES))}, given {value}")
    return value


Id = Annotated[str, Field(pattern=r"^[0-9a-f]{8,64}$")]
Word = Annotated[str, Field(min_length=1, max_length=WORD, pattern=r"^[A-Za-z0-9_-]+$")]
Name = Annotated[str, Field(min_length=1, max_length=NAME)]
TimeScale = Annotated[float, AfterValidator(_time_scale)]
#: File endings that a recording can be exported to.
Format = Literal["glb", "bvh", "usda", "npz", "webp", "mp4"]
Count = Annotated[int, Field(ge=0, le=2**32 - 1)]


class Message(BaseModel):
    """Base of all: frozen, no unknown keys, no guessing of types, no NaN."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


# ------------------------------------------------------------------------------------- from the page


class Jump(Message):
    """A leap: height and distance [m]."""

    height: float = Field(ge=0, le=3)
    distance: float = Field(ge=0, le=12)


class Ride(Message):
    """What the rider wants, whole; the latest one holds. `number` grows; an older one is left aside."""

    type: Literal["ride"] = "ride"
    number: Count = 0
    speed: float = Field(default=0.0, ge=-MOST_SPEED, le=MOST_SPEED, description="[m/s]")
    turn: float = Field(default=0.0, ge=-MOST_TURN, le=MOST_TURN, description="[rad/s], left positive")
    heading: float | None = Field(
        default=None, ge=-MOST_HEADING, le=MOST_HEADING, description="[rad], instead of turn; 0 = +Z"
    )
    gait: Word | None = Field(default=None, description="pins a gait of the method; null = chosen by speed")
    extension: float = Field(default=0.0, ge=-1, le=1, description="-1 collected, 1 extended")
    action: Word | None = Field(default=None, description="of the method's actions")
    jump: Jump | None = Field(
        default=None, description="asked for once: a message with the next number ends it"
    )


class Setup(Message):
    """Change the horse under the rider; only what is given. It keeps its place, heading and speed."""

    type: Literal["setup"] = "setup"
    method: Word | None = None
    height: float | None = Field(default=None, ge=HEIGHTS[0], le=HEIGHTS[1], description="of the withers [m]")
    breed: Word | None = Field(default=None, description="which gaits a speed chooses: `hello.breeds`")
    coat: Word | None = None
    terrain: Word | None = None


class Clock(Message):
    """Pause or go on, and how fast time runs; only what is given."""

    type: Literal["clock"] = "clock"
    paused: bool | None = None
    time_scale: TimeScale | None = Field(default=None, description="one of `hello.time_scales`, 1 = real")


class Step(Message):
    """Go on by so many frames and stay paused."""

    type: Literal["step"] = "step"
    frames: int = Field(default=1, ge=1, le=MAX_STEPS)


class Reset(Message):
    """Back to the origin, standing; a plan and a recording end."""

    type: Literal["reset"] = "reset"


class RecordSwitch(Message):
    """Begin or end a recording."""

    type: Literal["record"] = "record"
    on: bool
    name: Name | None = None


class Edit(Message):
    """Name, trim or delete a recording; only what is given. Frames first to last are kept."""

    type: Literal["edit"] = "edit"
    recording: Id
    name: Name | None = None
    first: int | None = Field(default=None, ge=0, le=MAX_FRAMES)
    last: int | None = Field(default=None, ge=0, le=MAX_FRAMES)
    delete: bool = False


class Export(Message):
    """Make a file of a recording; `export` messages report its progress."""

    type: Literal["export"] = "export"
    recording: Id
    format: Format
    in_place: bool = Field(default=False, description="without the travel over the ground")


class PlanText(Message):
    """Ride a plan file (YAML); null ends the one that is ridden."""

    type: Literal["plan"] = "plan"
    text: Annotated[str, Field(min_length=1, max_length=MAX_PLAN)] | None = None


class Acknowledge(Message):
    """The newest frame the page has. Once one was sent, no more than WINDOW frames go out before the next."""

    type: Literal["acknowledge"] = "acknowledge"
    frame: Count


class Ping(Message):
    """Answered by `pong` with the same number."""

    type: Literal["ping"] = "ping"
    number: float = Field(ge=0, le=1e15)


ClientMessage = Annotated[
    Ride | Setup | Clock | Step | Reset | RecordSwitch | Edit | Export | PlanText | Acknowledge | Ping,
    Field(discriminator="type"),
]
CLIENT = (Ride, Setup, Clock, Step, Reset, RecordSwitch, Edit, Export, PlanText, Acknowledge, Ping)
_CLIENT: TypeAdapter[Any] = TypeAdapter(ClientMessage)


def read_message(text: str | bytes) -> Any:
    """A message of CLIENT from its JSON; pydantic's ValidationError says what is wrong."""
    return _CLIENT.validate_json(text)


# ------------------------------------------------------------------------------------------- to the page


class LegFacts(Message):
    """Node indices of one leg, from shoulder or hip to the tip that touches the ground."""

    name: str
    top: int
    mid: int
    low: int
    pastern: int = Field(description="-1 = none")
    toe: int


class SkeletonFacts(Message):
    """The tree of nodes. Offsets [m] are of an animal of `height`; scale by the frame's height over it."""

    names: list[str]
    parents: list[int]
    offsets: list[tuple[float, float, float]]
    ends: list[bool] = Field(description="end sites: a position, no rotation of their own")
    legs: list[LegFacts]
    height: float = Field(description="of the withers [m]")
    hip: float = Field(description="hip height [m]")


class Band(Message):
    """A gait of a method: the speeds [m/s] that a pinned one is held to, and those at which it is chosen
    where none is pinned (null: it never is); the other lead of a gait that is chosen has the same."""

    gait: str
    low: float
    high: float
    chosen_from: float | None
    chosen_to: float | None


class MethodFacts(Message):
    """What a method can do with this horse. Speeds and turns are for its present height."""

    name: str
    title: str = Field(description="what it is, in one line")
    breeds: list[str] = Field(description="breeds that change its choice of gaits; empty = it knows none")
    gaits: list[Band] = Field(description="slowest first; the first stands")
    actions: list[str]
    max_speed: float
    max_turn: float
    extends: bool
    jumps: bool
    terrain: bool
    sideways: bool
    backwards: bool


class MissingFormat(Message):
    """A file ending that cannot be exported here until an extra of the package is installed."""

    format: str
    extra: str


class Limits(Message):
    """Bounds the page should keep to."""

    message_bytes: int
    messages_per_second: int
    plan_bytes: int
    recording_frames: int
    recordings: int
    name_length: int
    window: int = Field(description="frames that go out unacknowledged")


class Hello(Message):
    """First message, and again whenever method, breed or height have changed."""

    type: Literal["hello"] = "hello"
    protocol: int
    version: str
    session: str = Field(description="secret: give it as ?session= to come back to this ride")
    resumed: Literal["new", "kept", "restored"] = Field(
        description="kept: as it was left; restored: from disk, standing where it was"
    )
    rate: int
    skeleton: SkeletonFacts
    gaits: list[str] = Field(description="all gaits of all methods; frames give indices into it")
    methods: list[MethodFacts]
    method: str = Field(description="the present one")
    breed: str = Field(description="the present one")
    breeds: list[str]
    coats: list[str]
    terrains: list[str]
    heights: tuple[float, float]
    time_scales: list[float]
    formats: list[str] = Field(description="file endings that can be exported here, without the dot")
    missing_formats: list[MissingFormat]
    skin: str = Field(
        description="address of a .glb of this skeleton at rest with its body; with ?coat= and ?level="
    )
    limits: Limits


class State(Message):
    """How the ride stands; sent when any of it changes."""

    type: Literal["state"] = "state"
    method: str
    breed: str
    height: float
    coat: str
    terrain: str
    paused: bool
    time_scale: float
    recording: str | None = Field(description="id of the recording that is being made")
    recorded: int = Field(description="frames of it so far")
    plan: str | None = Field(description="name of the plan that is ridden")
    segment: int = Field(description="its segment, from 1; 0 = none")
    segments: int
    switching: bool = Field(description="another horse is being made ready")


class RecordingFacts(Message):
    """One recording. first and last are the frames that are kept; frames is how many there are."""

    id: str
    name: str
    frames: int
    first: int
    last: int
    rate: int
    method: str
    done: bool
    saved: bool = Field(description="on disk, so that it outlives the server")


class Recordings(Message):
    """All recordings of the session, oldest first; sent when one is added, edited or deleted."""

    type: Literal["recordings"] = "recordings"
    recordings: list[RecordingFacts]


class ExportFacts(Message):
    """How an export goes. `url` is where to fetch it once it is done."""

    type: Literal["export"] = "export"
    id: str
    recording: str
    format: str
    in_place: bool
    state: Literal["waiting", "running", "done", "failed"]
    progress: float = Field(ge=0, le=1)
    bytes: int
    url: str | None
    error: str | None


class Problem(Message):
    """Something was refused; nothing was changed. `about` is the type of the message it answers."""

    type: Literal["problem"] = "problem"
    code: Literal["message", "rate", "command", "setup", "recording", "export", "plan", "limit", "server"]
    text: str
    about: str


class Pong(Message):
    """The answer to `ping`."""

    type: Literal["pong"] = "pong"
    number: float


class Bye(Message):
    """Last message before the server closes: the ride goes on elsewhere, or why not."""

    type: Literal["bye"] = "bye"
    reason: Literal["elsewhere", "shutdown", "deleted", "idle"]


SERVER = (Hello, State, Recordings, ExportFacts, Problem, Pong, Bye)
#: Models inside the others.
PARTS = (Jump, LegFacts, SkeletonFacts, Band, MethodFacts, MissingFormat, Limits, RecordingFacts)
