"""Picture: a clip as .png, .webp, .gif or .mp4, of the skinned animal where that can be had, else drawn.

The rule: `figure="auto"` shows the skin where one is shipped for the skeleton and OpenGL can be had without a
screen, and the drawn figure elsewhere. "skin" wants the skin and says what is missing; "drawn" is drawn.
A coat, or a camera that only the studio has, wants the skin too.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from hoofbeat.body.clip import Clip
from hoofbeat.body.mesh.shipped import dress_of
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import UnknownName
from hoofbeat.render.draw.camera import VIEWS, Ground
from hoofbeat.render.draw.scene import need_frames
from hoofbeat.render.draw.theme import PictureError
from hoofbeat.render.files import save_png, target_of
from hoofbeat.render.film.encode import ENDINGS, Progress, write_moving
from hoofbeat.render.film.film import Film, Setting, skin_of
from hoofbeat.render.film.moving import moving_picture
from hoofbeat.render.gl.context import GraphicsError, missing
from hoofbeat.render.gl.cutout import Cutout
from hoofbeat.render.gl.lens import CAMERAS, camera_preset
from hoofbeat.render.pages.sheet import contact_sheet, draw_pose

#: What can be asked for.
FIGURES = ("auto", "skin", "drawn")
#: Sizes (width, height) [px] by file ending, where none is asked for.
SIZES = {".png": (1280, 720), ".webp": (640, 360), ".gif": (480, 270), ".mp4": (1280, 720)}
#: Poses of a .png, where no number is asked for.
POSES = 8
#: The view of a drawn picture, where no camera is asked for.
DRAWN_VIEW = "both"


class UnknownFigure(UnknownName):
    """A figure that cannot be asked for."""

    kind = "figure"


@dataclass(frozen=True)
class Wish:
    """How a picture is wanted. figure as in the module; camera by name ("" = three-quarter, or side and front
    where it is drawn); coat and level of detail of the skin; size (width, height) [px], None = by the ending;
    theme "light" or "dark"; smooth edges; fps and slow of a moving picture; poses of a .png, 1 = one large
    picture of the middle of the clip; ground: height [m] over world x, z [m], None = level at 0."""

    figure: str = "auto"
    camera: str = ""
    coat: str = ""
    level: str = "medium"
    size: tuple[int, int] | None = None
    theme: str = "light"
    smooth: bool = True
    fps: float = 30.0
    slow: float = 1.0
    poses: int = POSES
    ground: Ground | None = None


def write_picture(
    clip: Clip, path: str | PathLike[str], progress: Progress | None = None, **wishes: Any
) -> Path:
    """As `save_picture`, with the fields of a Wish by name."""
    return save_picture(clip, path, Wish(**wishes), progress)


def save_picture(
    clip: Clip, path: str | PathLike[str], wish: Wish | None = None, progress: Progress | None = None
) -> Path:
    """Draw a clip in the format of the file's ending; returns the path.

    .webp and .gif repeat for ever; .mp4 needs the extra `render`; .png is a page of poses.
    progress(done, total) is called after every frame of a moving picture.
    """
    wish = wish or Wish()
    ending = target_of(path, (".png", *ENDINGS))
    need_frames(clip)
    page = ending == ".png" and wish.poses != 1
    if wish.ground is not None and not page:
        wish = _without_skin(clip.skeleton, wish)
    if not shows_skin(clip.skeleton, wish):
        return _drawn(clip, path, wish, progress)
    if page:
        _check_view(wish)
        with dressed(clip.skeleton, wish) as dress:
            view = wish.camera or DRAWN_VIEW
            return contact_sheet(
                clip, path, wish.poses, view, theme=wish.theme, ground=wish.ground, dress=dress
            )
    setting = Setting(
        wish.camera or "three-quarter",
        wish.size or SIZES[ending],
        wish.coat,
        wish.level,
        wish.theme,
        wish.smooth,
    )
    moments = [(len(clip) - 1) // 2] if ending == ".png" else None
    with Film(clip, setting, wish.fps, wish.slow, moments) as film:
        if ending == ".png":
            return save_png(film.frame(0), path)
        return write_moving(film, path, progress)


def shows_skin(skeleton: Skeleton, wish: Wish) -> bool:
    """Whether a picture of this skeleton shows the skin, by the rule of this module; a wish that cannot be
    met is a GraphicsError."""
    if wish.figure not in FIGURES:
        raise UnknownFigure(wish.figure, FIGURES)
    if wish.camera and wish.camera not in (*CAMERAS, *VIEWS):
        camera_preset(wish.camera)
    only_skin = bool(wish.coat) or wish.camera in set(CAMERAS) - set(VIEWS)
    if wish.figure == "drawn" and only_skin:
        what = f"coat {wish.coat!r}" if wish.coat else f"camera {wish.camera!r}"
        raise GraphicsError(
            f"{what} is for the skin, and the drawn figure was asked for; leave one of them out"
        )
    if wish.figure == "drawn":
        return False
    wanted = wish.figure == "skin" or only_skin
    if dress_of(skeleton, "low") is None:
        if wanted:
            skin_of(skeleton, wish.level, wish.coat)
        return False
    if reason := missing():
        if wanted:
            raise GraphicsError(reason)
        return False
    return True


@contextmanager
def dressed(skeleton: Skeleton, wish: Wish) -> Generator[Cutout | None]:
    """What paints the skin into plates and sheets while the block runs; None where the figure is drawn."""
    if not shows_skin(skeleton, wish):
        yield None
        return
    skin, plain = (skin_of(skeleton, level, wish.coat) for level in (wish.level, "low"))
    cutout = Cutout(skin, plain, wish.theme)
    try:
        yield cutout
    finally:
        cutout.release()


def _check_view(wish: Wish) -> None:
    if wish.camera and wish.camera not in VIEWS:
        known = ", ".join(VIEWS)
        raise PictureError(
            f"a page of poses has no camera {wish.camera!r}, only the flat views {known}; "
            "ask for 1 pose, or leave the camera out"
        )


def _without_skin(skeleton: Skeleton, wish: Wish) -> Wish:
    """The same picture drawn: the studio that films the skin has level ground only."""
    plain = replace(wish, figure="drawn", camera=wish.camera if wish.camera in VIEWS else "", coat="")
    if wish.figure == "skin" or replace(plain, figure=wish.figure) != wish:
        shows_skin(skeleton, wish)  # what is unknown is reported first
        raise GraphicsError(
            "the skin is filmed on level ground only, and this ground is not; leave out the coat, cameras "
            f"other than {', '.join(VIEWS)} and the figure, or ask for a .png of several poses"
        )
    return plain


def _drawn(clip: Clip, path: str | PathLike[str], wish: Wish, progress: Progress | None) -> Path:
    view, ending = wish.camera or DRAWN_VIEW, Path(path).suffix.lower()
    width = (wish.size or SIZES[ending])[0]
    if ending != ".png":
        size = width if wish.size else 640
        return moving_picture(
            clip,
            path,
            view,
            wish.fps,
            size,
            slow=wish.slow,
            theme=wish.theme,
            ground=wish.ground,
            progress=progress,
        )
    if wish.poses == 1:
        middle = (len(clip) - 1) // 2
        return save_png(draw_pose(clip, middle, view, width, theme=wish.theme, ground=wish.ground), path)
    return contact_sheet(clip, path, wish.poses, view, theme=wish.theme, ground=wish.ground)
