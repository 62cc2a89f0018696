"""Shaders: the programs that run for each vertex and pixel, GLSL 3.30. Colours are linear until the end."""

from __future__ import annotations

#: Linear light to sRGB, with a soft shoulder so that highlights do not clip.
FINISH = """
vec3 shoulder(vec3 c) {
    vec3 over = max(c - 0.65, 0.0);
    return min(c, 0.65) + over / (1.0 + over * 2.4);
}
vec3 finish(vec3 c) {
    // sRGB by square roots, which are quicker than powers: within half a step of eight bits but for black.
    c = shoulder(c);
    vec3 a = sqrt(max(c, 0.0)), b = sqrt(a), d = sqrt(b);
    return 0.662002687 * a + 0.684122060 * b - 0.323583601 * d - 0.0225411470 * c;
}
"""

#: Linear blend skinning; JOINTS is replaced by the number of joints. Rows of 3 x 4 matrices, world from rest.
SKIN = """
in vec3 in_place;
in vec3 in_normal;
in uvec4 in_joints;
in vec4 in_weights;
uniform vec4 bones[JOINTS * 3];

vec4 row(int i) {
    ivec4 at = ivec4(in_joints) * 3 + i;
    return in_weights.x * bones[at.x] + in_weights.y * bones[at.y]
         + in_weights.z * bones[at.z] + in_weights.w * bones[at.w];
}
vec3 skinned(out vec3 normal) {
    vec4 a = row(0), b = row(1), c = row(2), place = vec4(in_place, 1.0);
    normal = vec3(dot(a.xyz, in_normal), dot(b.xyz, in_normal), dot(c.xyz, in_normal));
    return vec3(dot(a, place), dot(b, place), dot(c, place));
}
"""

BODY_VERTEX = """
in vec4 in_colour;           // linear
uniform mat4 view_projection;
uniform mat4 light_projection;
uniform float bias;          // how far outside the skin its shadow is looked for
out vec3 place;
out vec3 normal;
out vec4 colour;
out vec3 in_light;
void main() {
    place = skinned(normal);
    colour = in_colour;
    vec4 lit = light_projection * vec4(place + normalize(normal) * bias, 1.0);
    in_light = lit.xyz * 0.5 + 0.5;
    gl_Position = view_projection * vec4(place, 1.0);
}
"""

BODY_FRAGMENT = """
in vec3 place;
in vec3 normal;
in vec4 colour;
in vec3 in_light;
uniform vec4 eye;            // w = 0: a direction, of a camera without perspective
uniform vec3 key_from;
uniform vec3 key, fill, sky, earth, rim;
uniform vec3 fill_from;
uniform float gloss;
uniform sampler2DShadow dark;
uniform float texel;
out vec4 shown;

float lit() {
    vec3 at = vec3(in_light.xy, in_light.z - 0.003);
    float sum = texture(dark, at + vec3(texel, 0.3 * texel, 0.0));
    sum += texture(dark, at + vec3(-0.7 * texel, 0.8 * texel, 0.0));
    sum += texture(dark, at + vec3(-0.3 * texel, -texel, 0.0));
    return sum * 0.3333333;
}
void main() {
    vec3 n = normalize(normal);
    vec3 to_eye = normalize(eye.xyz - place * eye.w);
    // A normal that looks away from the eye belongs to the far side of a smooth edge.
    float facing = dot(n, to_eye);
    float front = dot(n, key_from);
    float shade = front > -0.2 ? lit() : 0.0;
    // Hair lets a little light round the edge of a form.
    float direct = clamp((front + 0.15) / 1.15, 0.0, 1.0) * shade;
    float side = clamp(dot(n, fill_from) * 0.6 + 0.4, 0.0, 1.0);
    float up = 0.5 + 0.5 * n.y;
    // The ground hides the sky from what is low and looks down, and the body hides it from the belly.
    float open = mix(0.5, 1.0, smoothstep(-0.9, 0.5, n.y)) * mix(0.75, 1.0, smoothstep(0.0, 0.35, place.y));
    vec3 light = key * direct + fill * side * side + mix(earth, sky, up) * open;
    vec3 seen = colour.rgb * light;
    vec3 middle = normalize(key_from + to_eye);
    float near2 = max(dot(n, middle), 0.0), near4, near8;
    near2 *= near2; near4 = near2 * near2; near8 = near4 * near4;
    float shine = near8 * near8 * near8 * direct, broad = near8 * direct;
    seen += gloss * key * (0.05 * shine + 0.03 * broad * (0.4 + colour.rgb));
    float edge = 1.0 - clamp(facing, 0.0, 1.0);
    edge *= edge; edge *= edge;
    seen += rim * edge * open * (0.25 + colour.rgb) * smoothstep(-0.4, 0.6, n.y);
    shown = vec4(finish(seen), 1.0);
}
"""

#: Depth alone: what the key light sees of the animal's plain form, which is already in its pose.
DEPTH_VERTEX = """
in vec3 in_place;
uniform mat4 light_projection;
void main() {
    gl_Position = light_projection * vec4(in_place, 1.0);
}
"""
DEPTH_FRAGMENT = "void main() {}"

#: That form flattened onto the ground along `along`: how dark it makes the ground, by its height there.
CAST_VERTEX = """
in vec3 in_place;
uniform vec3 along;          // towards the light, y = 1
uniform float half_side;     // of the sheet
out float height;
void main() {
    height = max(in_place.y, 0.0);
    gl_Position = vec4((in_place.xz - along.xz * height) / half_side, 0.0, 1.0);
}
"""
CAST_FRAGMENT = """
in float height;
uniform float reach;         // at this height the shadow has gone down to a third
uniform vec2 lane;
out vec4 shown;
void main() {
    shown = vec4(lane * exp(-height / reach), 0.0, 0.0);
}
"""

#: A whole-picture triangle.
FLAT_VERTEX = """
out vec2 at;
void main() {
    at = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
    gl_Position = vec4(at * 2.0 - 1.0, 0.0, 1.0);
}
"""

#: One direction of a Gaussian; the two lanes have their own width.
BLUR_FRAGMENT = """
in vec2 at;
uniform sampler2D source;
uniform vec2 toward;
out vec4 shown;
void main() {
    vec2 sum = texture(source, at).xy * 0.2270270;
    vec2 one = toward * 1.3846154, two = toward * 3.2307692;
    sum += (texture(source, at + one).xy + texture(source, at - one).xy) * 0.3162162;
    sum += (texture(source, at + two).xy + texture(source, at - two).xy) * 0.0702703;
    shown = vec4(sum, 0.0, 1.0);
}
"""

#: The same with a ray into the world for each corner; what is homogeneous and linear is interpolated exactly.
RAY_VERTEX = """
uniform mat4 world_from_clip;
out vec4 near;
out vec4 far;
void main() {
    vec2 at = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2) * 2.0 - 1.0;
    near = world_from_clip * vec4(at, -1.0, 1.0);
    far = world_from_clip * vec4(at, 1.0, 1.0);
    gl_Position = vec4(at, 0.0, 1.0);
}
"""

#: A grain of half a step hides the bands of a soft gradient in eight bits.
GRAIN = """
vec4 grained(vec3 c) {
    float grain = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
    return vec4(c + grain / 255.0, 1.0);
}
"""

#: The backdrop, above the horizon.
WALL_FRAGMENT = """
in vec4 near;
in vec4 far;
uniform vec3 backdrop, zenith;
out vec4 shown;
void main() {
    vec3 ray = far.xyz / far.w - near.xyz / near.w;
    float rise = ray.y * inversesqrt(dot(ray, ray));
    shown = grained(mix(backdrop, zenith, smoothstep(0.0, 0.55, rise)));
}
"""

#: The ground with its squares and the animal's shadows, passing into the backdrop. It is flat and large, so
#: its few colours are mixed as they are shown (sRGB): three powers a pixel would be most of a frame.
FLOOR_FRAGMENT = """
in vec4 near;
in vec4 far;
uniform vec3 ground, backdrop, line;
uniform float inverse_patch; // one over the side of the shadows' sheet
uniform vec2 shift;          // where the squares begin
uniform float inverse_reach; // one over half the animal's size
uniform vec2 strength;       // of contact and cast shadow
uniform vec2 squares;        // of the fine and the heavy lines
uniform sampler2D fallen;
out vec4 shown;

float lines(vec2 p, vec2 width, float half_line) {
    vec2 away = abs(fract(p - 0.5) - 0.5);
    // Covers half_line, and is never thinner than a pixel: then it is paler instead.
    vec2 w = max(width, 1e-6);
    vec2 cover = clamp((half_line + 0.5 * w - away) / w, 0.0, 1.0) * min(2.0 * half_line / w, 1.0);
    cover *= clamp(1.4 - 2.8 * w, 0.0, 1.0);
    return max(cover.x, cover.y);
}
void main() {
    vec3 from = near.xyz / near.w, ray = far.xyz / far.w - from;
    vec2 p = from.xz - ray.xz * (from.y / min(ray.y, -1e-6));
    float off = length(p) * inverse_reach;
    vec3 seen = ground * (1.02 - 0.04 * clamp(off * 0.25, 0.0, 1.0));
    vec2 w = fwidth(p);
    float drawn = max(lines(p + shift, w, 0.006) * squares.x,
                      lines((p + shift) * 0.2, w * 0.2, 0.0024) * squares.y);
    seen = mix(seen, line, drawn * clamp(1.3 - off * 0.145, 0.0, 1.0));
    vec2 shadow = texture(fallen, p * inverse_patch + 0.5).xy * strength;
    seen *= (1.0 - shadow.x) * (1.0 - shadow.y);
    shown = grained(mix(seen, backdrop, smoothstep(3.5, 16.0, off)));
}
"""

#: A picture laid over another; `share` of the source is filled.
LAY_FRAGMENT = """
in vec2 at;
uniform sampler2D source;
uniform vec2 share;
out vec4 shown;
void main() {
    shown = texture(source, at * share);
}
"""


def program_text(*parts: str, joints: int = 0) -> str:
    """One shader of several parts."""
    return "#version 330\n" + "\n".join(parts).replace("JOINTS", str(joints))
