"""Tables: what is the same for every character of a network, built once; kernels get each as one argument."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.contacts import leg_length
from hoofbeat.body.labelled import Rig, in_root_space
from hoofbeat.body.legs.anatomy import leg_table
from hoofbeat.body.legs.bends import bent_nodes
from hoofbeat.maths import quat
from hoofbeat.maths.types import Bool, Floats, Int, Ints, Real, Rows
from hoofbeat.methods.neural.network import layout as names
from hoofbeat.methods.neural.network.description import Description
from hoofbeat.methods.neural.network.layout import FUTURE, NOW, POSE
from hoofbeat.methods.neural.state import DIRECTION
from hoofbeat.methods.shared.gait_choice import SpeedChange

#: Inputs may leave the range of the data by this part of it.
MARGIN = 0.15
#: How much faster than in its data a root may turn and go: beyond, the network has diverged.
FASTER = 1.25
#: The most that a joint turns in a frame [rad], and one of a leg: a fast horse's fetlock needs 0.75.
MOST_TURN, MOST_LEG_TURN = 0.3, 0.9

#: A modelled node, and the nodes above it that share its rotation.
LINK = np.dtype(
    [
        ("modelled", "i4"),  # its place among the modelled nodes
        ("above", "i4"),  # the node above those that share, -1 = the root's space
        ("first", "i4"),  # of the nodes that share, in `Body.shared`
        ("count", "i4"),
    ],
    align=True,
)

#: The bend of a leg at a joint, between the bone to a node and the one above, and its range [rad].
BEND = np.dtype([("node", "i4"), ("joint", "i4"), ("least", "f4"), ("most", "f4")], align=True)


class NetworkInputs(NamedTuple):
    """First column of each block of the network's inputs; actions: how many there are; low, high (n,): range
    of every column, margin included."""

    position: Int
    direction: Int
    velocity: Int
    speed: Int
    action: Int
    pose: Int
    actions: Int
    low: Floats
    high: Floats


class Outputs(NamedTuple):
    """First column of each block of the network's outputs; root: its velocity (3)."""

    position: Int
    direction: Int
    velocity: Int
    pose: Int
    root: Int


class NetworkBody(NamedTuple):
    """The animal. parents (J,), offsets (J, 3) [m]; links (L,) of LINK and the list of nodes that share;
    fastest (J,): the most that each joint turns in a frame [rad]; legs (4,) of LEG; toes (4,): their nodes,
    and modelled_toes (4,): their places among the modelled nodes; toe_heights (4,) of the standing animal
    [m]; leg_length [m]."""

    parents: Ints
    offsets: Floats
    links: Rows
    shared: Ints
    fastest: Floats
    legs: Rows
    toes: Ints
    modelled_toes: Ints
    toe_heights: Floats
    leg_length: Real


class PoseLimits(NamedTuple):
    """What a frame is held to. low, high (4, M, 3): range of the pose; velocity (3,): most sideways, forward
    [m/s] and turn [rad/s] of the root; bends (B,) of BEND."""

    low: Floats
    high: Floats
    velocity: Floats
    bends: Rows


class Stand(NamedTuple):
    """The animal at rest: pose (4, M, 3), rotations (J, 4) local, root_joint (3,) and toes (4, 3) in root
    space [m], the trajectory foreseen (FUTURE, 6), drift (3,) and action."""

    pose: Floats
    rotations: Floats
    root_joint: Floats
    toes: Floats
    foreseen: Floats
    drift: Floats
    action: Int


class Rules(NamedTuple):
    """By which a command becomes an action of the network.

    gaited: whether actions are gaits; gaits (G,): rows with `lead` and `other`; borders (G, 2): speeds
    between which each gait is chosen, or named [m/s]; gait_actions (G,) and named_actions (M,): the network's
    action of each gait and of each name that a command may say; moving, resting: those without a name;
    action_speeds (A, 2): least and greatest with each action [m/s]; change: acceleration and braking
    [m/s2]; max_turn [rad/s].
    """

    gaited: Bool
    gaits: Rows
    borders: Floats
    gait_actions: Ints
    named_actions: Ints
    moving: Int
    resting: Int
    action_speeds: Floats
    change: SpeedChange
    max_turn: Real


class Tables(NamedTuple):
    """All of them."""

    inputs: NetworkInputs
    outputs: Outputs
    body: NetworkBody
    limits: PoseLimits
    stand: Stand
    rules: Rules


def make_tables(description: Description, rules: Rules, bend_margin: float) -> Tables:
    """The tables of a network; bend_margin: how much farther than in its data the legs may bend [rad]."""
    inputs, stand = inputs_of(description), stand_of(description)
    return Tables(
        inputs,
        outputs_of(description),
        body_of(description.rig, stand.toes),
        limits_of(description, inputs, bend_margin),
        stand,
        rules,
    )


def inputs_of(description: Description) -> NetworkInputs:
    """Columns and ranges of a network's inputs."""
    blocks, margin = description.layout.inputs, MARGIN * (description.high - description.low)
    low, high = (description.low - margin).astype(np.float32), (description.high + margin).astype(np.float32)
    # Positions and directions of the present are 0 and 1 by definition, actions 0 or 1 even where they never
    # occur.
    for name, least, most in ((names.DIRECTION, -1.0, 1.0), (names.ACTION, 0.0, 1.0)):
        part = blocks.part(name)
        low[part], high[part] = np.minimum(low[part], least), np.maximum(high[part], most)
    starts = blocks.starts
    return NetworkInputs(
        starts[names.POSITION],
        starts[names.DIRECTION],
        starts[names.VELOCITY],
        starts[names.SPEED],
        starts[names.ACTION],
        starts[POSE[0]],
        len(description.rig.actions),
        low,
        high,
    )


def outputs_of(description: Description) -> Outputs:
    """Columns of a network's outputs."""
    starts = description.layout.outputs.starts
    return Outputs(
        starts[names.POSITION],
        starts[names.DIRECTION],
        starts[names.VELOCITY],
        starts[POSE[0]],
        starts[names.STEP],
    )


def body_of(rig: Rig, toes: NDArray[np.float32]) -> NetworkBody:
    """The animal of a rig; toes (4, 3) [m] where it stands."""
    skeleton = rig.skeleton
    links, shared = links_of(rig)
    return NetworkBody(
        np.array(skeleton.parents),
        skeleton.offsets.astype(np.float32),
        links,
        shared,
        fastest_of(rig),
        leg_table(skeleton),
        np.array(rig.toes),
        np.array(rig.feet),
        toes[:, 1].astype(np.float64),
        leg_length(skeleton),
    )


def links_of(rig: Rig) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Links (L,) of LINK, those nearer the root first, and the list of nodes that share."""
    skeleton, modelled = rig.skeleton, rig.modelled.tolist()
    rows: list[tuple[int, int, int, int]] = []
    shared: list[int] = []
    for node in sorted(modelled):
        chain: list[int] = []
        up = node
        # Where paths part between modelled nodes, what the first has set stays as it is.
        while up >= 0 and up not in shared:
            if not skeleton.ends[up]:
                chain.append(up)
            up = int(skeleton.parents[up])
        if chain:
            rows.append((modelled.index(node), up, len(shared), len(chain)))
            shared += chain[::-1]
    return np.array(rows, LINK), np.array(shared, np.int64)


def fastest_of(rig: Rig) -> NDArray[np.float32]:
    """The most (J,) that each joint turns in a frame [rad]."""
    most = np.full(len(rig.skeleton), MOST_TURN, np.float32)
    for leg in rig.skeleton.legs:
        node = leg.toe
        while node != leg.top:
            most[node] = MOST_LEG_TURN
            node = int(rig.skeleton.parents[node])
        most[node] = MOST_LEG_TURN
    return most


def limits_of(description: Description, inputs: NetworkInputs, bend_margin: float) -> PoseLimits:
    """What a network's frames are held to."""
    blocks = description.layout.inputs
    low, high = (np.stack([blocks.view(edge, name) for name in POSE]) for edge in (inputs.low, inputs.high))
    edges = np.stack([inputs.low, inputs.high])
    velocity = np.abs(blocks.view(edges, names.VELOCITY)[:, NOW]).max(axis=0).astype(np.float64)
    return PoseLimits(
        low, high, FASTER * np.append(velocity, description.turn), bends_held(description, bend_margin)
    )


def bends_held(description: Description, margin: float) -> NDArray[Any]:
    """The bends that legs are held to, as rows (B,) of BEND, with a margin [rad] beyond those of the data."""
    skeleton = description.rig.skeleton
    nodes = bent_nodes(skeleton)
    rows = np.zeros(len(nodes), BEND)
    rows["node"], rows["joint"] = nodes, skeleton.parents[nodes]
    rows["least"] = np.maximum(description.bends[:, 0] - margin, 0)
    rows["most"] = np.minimum(description.bends[:, 1] + margin, np.pi)
    return rows


def stand_of(description: Description) -> Stand:
    """The animal at rest, as the description has it."""
    stand, rig = description.stand, description.rig
    places, turns = in_root_space(rig.skeleton, stand.rotations[None], stand.origin[None])
    modelled = turns[0, rig.modelled]
    ahead, up = (quat.rotate(modelled, np.array(axis, np.float32)) for axis in ((0, 0, 1), (0, 1, 0)))
    position = places[0, rig.modelled]
    pose: NDArray[np.float32] = np.stack([position, ahead, up, np.zeros_like(position)])
    foreseen = np.zeros((FUTURE, 6), np.float32)
    foreseen[:, DIRECTION + 1] = 1
    return Stand(
        pose,
        stand.rotations,
        stand.origin,
        places[0, list(rig.toes)],
        foreseen,
        np.zeros(3),
        stand.action,
    )
