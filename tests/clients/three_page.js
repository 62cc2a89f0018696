// Loads every .glb, .gltf and .bvh of the manifest with three.js and reports where the joints are.
import { AnimationMixer, Camera, Color, LoopOnce, MeshBasicMaterial, REVISION, Scene, Vector3, WebGLRenderer } from "three";
import { BVHLoader } from "three/addons/loaders/BVHLoader.js";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

// A scene to play in, the bones, and the clips by name.
async function loadGltf(url) {
  const gltf = await new GLTFLoader().loadAsync(url);
  let bones = [];
  gltf.scene.traverse((node) => {
    if (node.isSkinnedMesh) bones = node.skeleton.bones;
  });
  return { scene: gltf.scene, bones, clips: new Map(gltf.animations.map((clip) => [clip.name, clip])) };
}

// A BVH names no clip, so the manifest's name is used. End sites are bones too, all named ENDSITE.
async function loadBvh(url, names) {
  const { skeleton, clip } = await new BVHLoader().loadAsync(url);
  const scene = new Scene().add(skeleton.bones[0]);
  const bones = skeleton.bones.filter((bone) => bone.name !== "ENDSITE");
  return { scene, bones, clips: new Map([[names[0], clip]]) };
}

// World positions [frame][joint][x, y, z]. Each clip has a mixer of its own, so none mixes into another.
function sample(scene, bones, clip, take) {
  const mixer = new AnimationMixer(scene);
  const action = mixer.clipAction(clip).setLoop(LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  const found = take.frames.map((frame) => {
    // A time past the last key is held there; just before it lies within float32 of it.
    mixer.setTime(Math.min(frame / take.fps, clip.duration));
    scene.updateMatrixWorld(true);
    return bones.map((bone) => bone.getWorldPosition(new Vector3()).toArray());
  });
  mixer.stopAllAction();
  return found;
}

// Silhouettes: the skinned mesh white on black through the given cameras, as data addresses by picture.
function shadows(scene, clips, entry) {
  const renderer = new WebGLRenderer({ antialias: false, preserveDrawingBuffer: true });
  renderer.setSize(entry.size[0], entry.size[1], false);
  scene.traverse((node) => {
    if (!node.isSkinnedMesh) return;
    node.material = new MeshBasicMaterial({ color: 0xffffff });
    node.frustumCulled = false;
  });
  const stage = new Scene().add(scene);
  stage.background = new Color(0);
  const camera = new Camera(); // at the origin: the matrix takes the world straight to the picture
  const found = {};
  for (const point of entry.shadows) {
    const mixer = new AnimationMixer(scene);
    mixer.clipAction(clips.get(point.clip)).play();
    mixer.setTime(point.frame / point.fps);
    camera.projectionMatrix.fromArray(point.camera);
    camera.projectionMatrixInverse.copy(camera.projectionMatrix).invert();
    renderer.render(stage, camera);
    found[point.key] = renderer.domElement.toDataURL("image/png");
    mixer.stopAllAction();
  }
  renderer.dispose();
  return found;
}

const files = [];
const manifest = await (await fetch("/files/manifest.json")).json();
for (const entry of manifest.filter((entry) => entry.format !== "usd")) {
  const started = performance.now();
  const load = entry.format === "bvh" ? loadBvh : loadGltf;
  const { scene, bones, clips } = await load(`/files/${entry.file}`, entry.clips.map((take) => take.name));
  const positions = {};
  for (const take of entry.clips) {
    if (clips.has(take.name)) positions[take.name] = sample(scene, bones, clips.get(take.name), take);
  }
  const seconds = (performance.now() - started) / 1000;
  const joints = bones.map((bone) => bone.name);
  const seen = entry.shadows.length ? { shadows: shadows(scene, clips, entry) } : {};
  files.push({ file: entry.file, joints, clips: [...clips.keys()], positions, seconds, ...seen });
}
await report({ version: `three.js r${REVISION}`, files });
