"""Read a BVH file of any animal, say what is in it, and draw its poses.

    python examples/04_read_bvh.py [FILE.bvh] [metres per unit, 0.01 for centimetres]

Without a file it takes the horse that ships. The page of poses is left in `out`. Feet on the ground
are sought only where the skeleton's legs have known names (docs/skeletons.md).
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import hoofbeat as hb
from hoofbeat.body.contacts import leg_length, with_contacts
from hoofbeat.errors import HoofbeatError
from hoofbeat.formats.scenefile import THESIS_HORSE
from hoofbeat.render import contact_sheet

OUT = Path("out")


def describe(clip: hb.Clip) -> None:
    """What the file holds, in metres and seconds."""
    skeleton = clip.skeleton
    frames = "1 frame" if len(clip) == 1 else f"{len(clip)} frames"
    print(f"{clip.name}: {frames} at {clip.fps:g} a second, {clip.seconds:.2f} s")
    joints, ends = len(skeleton.joints), int(skeleton.ends.sum())
    print(f"  {joints} joints and {ends} end sites, root {skeleton.names[0]}")
    size = np.ptp(clip.positions[0], axis=0)
    print("  first pose: {:.2f} m wide (x), {:.2f} m high (y), {:.2f} m long (z)".format(*size))
    if size.max() > 20:
        print("  that is large for an animal; for a file in centimetres give 0.01 as second argument")
    length = np.linalg.norm(np.diff(clip.origins[:, [0, 2]], axis=0), axis=1).sum()
    print(f"  the root goes {length:.2f} m over the ground")
    if skeleton.legs:
        toes = ", ".join(f"{leg.name} {skeleton.names[leg.toe]}" for leg in skeleton.legs)
        print(f"  legs, each by its toe: {toes}")
        print(f"  hind legs are {leg_length(skeleton):.2f} m long along their bones")
    else:
        print("  legs: no known naming")


def on_its_ground(clip: hb.Clip) -> float:
    """Height of the ground [m]: where the lowest nodes of the clip are, a few stray frames left out."""
    return float(np.percentile(clip.positions[..., 1].min(axis=1), 5))


def main() -> None:
    path = sys.argv[1] if len(sys.argv) > 1 else THESIS_HORSE.parent / "horse.bvh"
    try:
        scale = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
        clip = hb.load(path, scale=scale)
    except (HoofbeatError, ValueError) as problem:
        sys.exit(f"cannot be read: {problem}")
    describe(clip)
    if clip.skeleton.legs and len(clip) > 1:
        clip = with_contacts(clip)
        shares = ", ".join(f"{share:.0%}" for share in np.asarray(clip.contacts).mean(axis=0))
        print(f"  on the ground (LF, RF, LH, RH): {shares} of the time")
    level = on_its_ground(clip)
    OUT.mkdir(exist_ok=True)
    page = OUT / f"{clip.name}-poses.png"
    contact_sheet(clip, page, frames=8, view="side", ground=lambda x, _: np.full_like(x, level))
    print(f"poses: {page.resolve()}")


if __name__ == "__main__":
    main()
