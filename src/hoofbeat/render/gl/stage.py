"""Stage: one skin on the graphics card, and the passes that make a picture of it.

    1  the key light's own view of the animal (depth), for shadows on itself
    2  the animal flattened onto the ground along the light and straight down, blurred
    3  ground and backdrop over the whole picture
    4  the animal, smoothed at its edges, in the part of the picture that it fills

Everything is drawn about the animal's place on the ground: far from the origin, float32 is too coarse.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.mesh.skin import Skin
from hoofbeat.formats.gltf.writer.mesh import linear
from hoofbeat.render.gl import shaders
from hoofbeat.render.gl.context import open_context
from hoofbeat.render.gl.lens import Camera, look_at
from hoofbeat.render.gl.light import Light

Floats = NDArray[np.float64]

#: Pixels of the key light's view and of the sheet with the ground's shadows.
DEPTH_PIXELS, CAST_PIXELS = 640, 176
#: Half the side of that sheet, in parts of the animal's reach.
PATCH = 1.7
#: How high a part still darkens the ground below it, and the ground in its cast shadow, in parts of reach.
CONTACT_HEIGHT, CAST_HEIGHT = 0.055, 0.75
#: Width of the shadows' blur, in texels.
BLUR = 1.3
#: The plain form differs from the skin by about this part of the animal's reach; shadows begin beyond it.
BIAS = 0.012
#: Samples a pixel at the edges where smooth edges are asked for.
SAMPLES = 4
#: Targets for the animal's part of the picture are made in steps of so many pixels.
GRANULARITY = 64


@dataclass(frozen=True)
class StagePose:
    """One moment, about the animal's place on the ground: bones (J, 3, 4), world from rest; form (V, 3):
    the vertices of the plain form in this pose; shift (2,) [m]: x and z of that place in the world."""

    bones: Floats
    form: NDArray[np.float32]
    shift: Floats


class Stage:
    """A skin and its lights in a picture of `size` (width, height); `release` gives the card back.

    `plain` is the same skin with few triangles: it casts the shadows.
    """

    def __init__(
        self, skin: Skin, plain: Skin, size: tuple[int, int], light: Light, smooth: bool = True
    ) -> None:
        self.size, self.light, self.smooth = size, light, smooth
        self.reach = float(np.linalg.norm(np.ptp(plain.vertices, axis=0))) / 2
        #: How far the skin may be outside the plain form [m].
        self.slack = slack_of(skin, plain)
        gl: Any = open_context()
        self._ctx = gl
        self._joints = int(skin.joints.max()) + 1
        self._programs = _programs(gl, self._joints)
        self._body = _mesh(gl, self._programs["body"], skin)
        self._form = gl.buffer(reserve=plain.vertices.size * 4, dynamic=True)
        faces = gl.buffer(plain.triangles.astype("u4").tobytes())
        self._plain = {
            name: gl.vertex_array(self._programs[name], [(self._form, "3f", "in_place")], faces)
            for name in ("depth", "cast")
        }
        flat = ("blur", "wall", "floor", "lay")
        self._flat = {name: gl.vertex_array(self._programs[name], []) for name in flat}
        self._dark = gl.depth_texture((DEPTH_PIXELS, DEPTH_PIXELS))
        self._dark.compare_func = "<="
        self._dark.repeat_x = self._dark.repeat_y = False
        self._dark_target = gl.framebuffer(depth_attachment=self._dark)
        self._cast, self._spare = (gl.texture((CAST_PIXELS, CAST_PIXELS), 2) for _ in range(2))
        for sheet in (self._cast, self._spare):
            sheet.repeat_x = sheet.repeat_y = False
        self._cast_buffers = [gl.framebuffer([sheet]) for sheet in (self._cast, self._spare)]
        self._picture = gl.framebuffer([gl.renderbuffer(size, 4)])
        self._targets: _Targets | None = None

    def release(self) -> None:
        """Give everything back."""
        self._ctx.release()

    def picture(self, pose: StagePose, camera: Camera) -> NDArray[np.uint8]:
        """The animal in the studio: (height, width, 4) RGBA, the first row on top."""
        toward = self._light_axes(camera)
        self._set_pose(pose)
        light_projection = self._shade(toward)
        self._cast_shadow(toward)
        # Upside down, so that the first row of the bytes is the top of the picture.
        flipped = Camera(np.diag([1.0, -1.0, 1.0, 1.0]) @ camera.clip_from_world, camera.eye)
        self._picture.use()
        self._studio(flipped, pose)
        self._animal(flipped, pose, toward, light_projection)
        data = bytearray(self.size[0] * self.size[1] * 4)
        self._picture.read_into(data, components=4)
        return np.frombuffer(data, np.uint8).reshape(self.size[1], self.size[0], 4)

    def cutout(self, pose: StagePose, camera: Camera) -> NDArray[np.uint8]:
        """The animal alone on nothing, without its shadow on the ground: (height, width, 4) RGBA."""
        toward = self._light_axes(camera)
        self._set_pose(pose)
        light_projection = self._shade(toward)
        flipped = Camera(np.diag([1.0, -1.0, 1.0, 1.0]) @ camera.clip_from_world, camera.eye)
        self._picture.use()
        self._picture.clear(0.0, 0.0, 0.0, 0.0)
        self._animal(flipped, pose, toward, light_projection)
        data = self._picture.read(components=4)
        return np.frombuffer(data, np.uint8).reshape(self.size[1], self.size[0], 4)

    def _light_axes(self, camera: Camera) -> dict[str, Floats]:
        """Towards the lamps: they stand about the camera, so that every view is well lit."""
        toward = camera.eye[:3] / np.linalg.norm(camera.eye[:3])
        level = np.array([toward[0], 0.0, toward[2]])
        size = float(np.linalg.norm(level))
        level = level / size if size > 0.05 else np.array([-1.0, 0.0, 0.0])
        axes = np.stack([np.cross([0.0, 1.0, 0.0], level), [0.0, 1.0, 0.0], level])
        found = {"key_from": np.array(self.light.key_from), "fill_from": np.array(self.light.fill_from)}
        return {name: (axis / np.linalg.norm(axis)) @ axes for name, axis in found.items()}

    def _set_pose(self, pose: StagePose) -> None:
        self._programs["body"]["bones"].write(
            np.ascontiguousarray(pose.bones[: self._joints], "f4").tobytes()
        )
        self._form.write(np.ascontiguousarray(pose.form, "f4").tobytes())

    def _shade(self, toward: dict[str, Floats]) -> Floats:
        """Depth from the key light; returns clip from world of that light."""
        gl, reach = self._ctx, 1.15 * self.reach
        middle = np.array([0.0, 0.45 * reach, 0.0])
        view = look_at(middle + 2 * reach * toward["key_from"], middle, np.array([0.0, 1.0, 0.0]))
        flat = np.diag([1 / reach, 1 / reach, -1 / (2 * reach), 1.0])
        flat[2, 3] = -1.0
        projection = flat @ view
        self._dark_target.use()
        self._dark_target.clear(depth=1.0)
        gl.enable_only(gl.DEPTH_TEST)
        _set(self._programs["depth"], light_projection=projection)
        self._plain["depth"].render()
        return projection

    def _cast_shadow(self, toward: dict[str, Floats]) -> None:
        """Both shadows on the ground, each in a colour of one sheet, the lowest part winning; blurred."""
        gl, program = self._ctx, self._programs["cast"]
        self._cast_buffers[0].use()
        self._cast_buffers[0].clear()
        gl.enable_only(gl.BLEND)
        gl.blend_equation, gl.blend_func = gl.MAX, (gl.ONE, gl.ONE)
        key, down = toward["key_from"], np.array([0.0, 1.0, 0.0])
        for lane, along, height in (((1, 0), down, CONTACT_HEIGHT), ((0, 1), key / key[1], CAST_HEIGHT)):
            _set(program, along=along, half_side=PATCH * self.reach, reach=height * self.reach, lane=lane)
            self._plain["cast"].render()
        gl.blend_equation = gl.FUNC_ADD
        gl.enable_only(0)
        directions = np.array([[BLUR, 0.0], [0.0, BLUR]]) / CAST_PIXELS
        for target, source, axis in zip(
            self._cast_buffers[::-1], (self._cast, self._spare), directions, strict=True
        ):
            target.use()
            source.use(0)
            _set(self._programs["blur"], source=0, toward=axis)
            self._flat["blur"].render(vertices=3)

    def _studio(self, camera: Camera, pose: StagePose) -> None:
        """Wall above the horizon, ground below it; the picture is upside down."""
        gl, light, whole = self._ctx, self.light, (0, 0, *self.size)
        gl.enable_only(0)
        self._cast.use(0)
        rays = np.linalg.inv(camera.clip_from_world)
        _set(self._programs["wall"], world_from_clip=rays, backdrop=light.backdrop, zenith=light.zenith)
        floor = self._programs["floor"]
        _set(floor, world_from_clip=rays, ground=light.ground, backdrop=light.backdrop, line=light.line)
        _set(floor, inverse_patch=0.5 / PATCH / self.reach, inverse_reach=1 / self.reach, fallen=0)
        _set(floor, shift=pose.shift % 5.0, strength=light.shadow, squares=light.squares)
        edge = self._horizon(camera)
        for name, first, last in (("wall", 0, edge), ("floor", edge, self.size[1])):
            if last > first:
                self._picture.scissor = (0, first, self.size[0], last - first)
                self._flat[name].render(vertices=3)
        self._picture.scissor = whole

    def _horizon(self, camera: Camera) -> int:
        """The row of the picture at which the ground ends, from its top."""
        ahead = -camera.eye[:3] * np.array([1.0, 0.0, 1.0])
        if camera.eye[3] == 0 or np.linalg.norm(ahead) < 1e-6:
            return 0
        far = camera.clip_from_world @ np.append(ahead / np.linalg.norm(ahead), 0.0)
        row = (far[1] / far[3] * 0.5 + 0.5) * self.size[1] if far[3] > 0 else 0.0
        return int(np.clip(np.ceil(row), 0, self.size[1]))

    def _animal(
        self, camera: Camera, pose: StagePose, toward: dict[str, Floats], light_projection: Floats
    ) -> None:
        """The animal over what the picture holds, with its own targets of several samples a pixel."""
        gl, light, program = self._ctx, self.light, self._programs["body"]
        _set(program, light_projection=light_projection, eye=camera.eye, dark=0, texel=1.3 / DEPTH_PIXELS)
        _set(program, bias=BIAS * self.reach)
        _set(program, key=light.key, fill=light.fill, sky=light.sky, earth=light.earth, rim=light.rim)
        _set(program, gloss=light.gloss, **toward)
        left, bottom, width, height = self._box(camera, pose)
        if width <= 0 or height <= 0:
            return
        targets = self._targets_for(width, height)
        # The part of the picture, blown up to the targets.
        part = np.eye(4)
        part[0, 0], part[1, 1] = self.size[0] / width, self.size[1] / height
        part[0, 3] = (self.size[0] - 2 * left - width) / width
        part[1, 3] = (self.size[1] - 2 * bottom - height) / height
        _set(program, view_projection=part @ camera.clip_from_world)
        targets.samples.use()
        targets.samples.viewport = (0, 0, width, height)
        targets.samples.clear(0.0, 0.0, 0.0, 0.0, depth=1.0)
        # The picture is upside down, so what faces the camera is wound in reverse.
        gl.enable_only(gl.DEPTH_TEST | gl.CULL_FACE)
        gl.front_face = "cw"
        self._dark.use(0)
        self._body.render()
        gl.front_face = "ccw"
        if targets.plain is not targets.samples:
            gl.copy_framebuffer(targets.plain, targets.samples)
        self._picture.use()
        self._picture.viewport = (left, bottom, width, height)
        gl.enable_only(gl.BLEND)
        gl.blend_func = gl.ONE, gl.ONE_MINUS_SRC_ALPHA
        targets.texture.use(0)
        share = np.array([width, height]) / np.array(targets.texture.size)
        _set(self._programs["lay"], source=0, share=share)
        self._flat["lay"].render(vertices=3)
        self._picture.viewport = (0, 0, *self.size)

    def _box(self, camera: Camera, pose: StagePose) -> tuple[int, int, int, int]:
        """Left, bottom, width and height [px] of the part of the picture that can hold the animal."""
        flat = camera.pixels(pose.form.astype(np.float64), self.size)
        pad = 2 + (BIAS + self.slack / self.reach) * float(np.ptp(flat, axis=0).max())
        low = np.clip(np.floor(flat.min(axis=0)) - pad, 0, self.size).astype(int)
        high = np.clip(np.ceil(flat.max(axis=0)) + pad, 0, self.size).astype(int)
        return int(low[0]), int(low[1]), int(high[0] - low[0]), int(high[1] - low[1])

    def _targets_for(self, width: int, height: int) -> _Targets:
        """Targets of at least this size; they grow in steps."""
        have = (0, 0) if self._targets is None else self._targets.texture.size
        if self._targets is None or have[0] < width or have[1] < height:
            size = tuple(
                GRANULARITY * (-(-max(a, b) // GRANULARITY))
                for a, b in zip(have, (width, height), strict=True)
            )
            self._targets = _make_targets(self._ctx, size, self.smooth)
        return self._targets


def slack_of(skin: Skin, plain: Skin) -> float:
    """How far [m] a skin reaches beyond its plain form: fewer triangles cut off ears and tips."""
    above = skin.vertices.max(axis=0) - plain.vertices.max(axis=0)
    below = plain.vertices.min(axis=0) - skin.vertices.min(axis=0)
    return max(float(above.max()), float(below.max()), 0.0)


@dataclass(frozen=True)
class _Targets:
    """Where the animal is drawn: with several samples a pixel, and as plain pixels."""

    samples: Any
    plain: Any
    texture: Any


def _make_targets(gl: Any, size: tuple[int, ...], smooth: bool) -> _Targets:
    texture = gl.texture(size, 4)
    texture.filter = gl.NEAREST, gl.NEAREST
    samples = min(SAMPLES, gl.max_samples) if smooth else 0
    if not samples:
        plain = gl.framebuffer([texture], gl.depth_renderbuffer(size))
        return _Targets(plain, plain, texture)
    many = gl.framebuffer(
        [gl.renderbuffer(size, 4, samples=samples)], gl.depth_renderbuffer(size, samples=samples)
    )
    return _Targets(many, gl.framebuffer([texture]), texture)


def _programs(gl: Any, joints: int) -> dict[str, Any]:
    texts = {
        "body": ((shaders.SKIN, shaders.BODY_VERTEX), (shaders.FINISH, shaders.BODY_FRAGMENT)),
        "depth": ((shaders.DEPTH_VERTEX,), (shaders.DEPTH_FRAGMENT,)),
        "cast": ((shaders.CAST_VERTEX,), (shaders.CAST_FRAGMENT,)),
        "blur": ((shaders.FLAT_VERTEX,), (shaders.BLUR_FRAGMENT,)),
        "wall": ((shaders.RAY_VERTEX,), (shaders.GRAIN, shaders.WALL_FRAGMENT)),
        "floor": ((shaders.RAY_VERTEX,), (shaders.GRAIN, shaders.FLOOR_FRAGMENT)),
        "lay": ((shaders.FLAT_VERTEX,), (shaders.LAY_FRAGMENT,)),
    }
    return {
        name: gl.program(
            vertex_shader=shaders.program_text(*vertex, joints=joints),
            fragment_shader=shaders.program_text(*fragment),
        )
        for name, (vertex, fragment) in texts.items()
    }


def _mesh(gl: Any, program: Any, skin: Skin) -> Any:
    """The skin's arrays as the inputs of a program."""
    inputs = {
        "in_place": ("3f", skin.vertices.astype("f4")),
        "in_normal": ("3f", skin.normals.astype("f4")),
        "in_colour": ("4f", linear(skin.colours).astype("f4")),
        "in_joints": ("4u2", skin.joints.astype("u2")),
        "in_weights": ("4f", skin.weights.astype("f4")),
    }
    content = [
        (gl.buffer(np.ascontiguousarray(values).tobytes()), form, name)
        for name, (form, values) in inputs.items()
    ]
    return gl.vertex_array(program, content, gl.buffer(skin.triangles.astype("u4").tobytes()))


def _set(program: Any, **values: Any) -> None:
    """Uniforms by name; matrices are turned to columns. A driver drops those a shader does not need."""
    for name, value in values.items():
        if name not in program:
            continue
        if isinstance(value, int):
            program[name].value = value
        else:
            array = np.asarray(value, "f4")
            program[name].write(np.ascontiguousarray(array.T if array.ndim == 2 else array).tobytes())
