// A ride on the core library as WebAssembly, for tests that compare it byte for byte:
//   node core.mjs MODULE TABLES NODES COUNT SEED COMMANDS OUT
// COMMANDS: for each step COUNT rows of hb_command, then the time step, a double [s].
// OUT: for each step COUNT rows of hb_frame, then the positions and then the rotations of all characters.
// Facts about the module and the time that a step takes go to stdout as JSON.
import fs from 'node:fs';

const COMMAND = 128, FRAME = 128; // of hb.h [bytes]
const PAGE = 65536;
const [moduleFile, tablesFile, ...rest] = process.argv.slice(2);
const [nodes, count, seed] = rest.slice(0, 3).map(Number);
const [commandsFile, outFile] = rest.slice(3);

const compiled = new WebAssembly.Module(fs.readFileSync(moduleFile));
const hb = new WebAssembly.Instance(compiled, {}).exports;
hb._initialize?.();

// Memory behind the module's own, a part at a time, each at a multiple of 64 bytes.
let end = hb.memory.buffer.byteLength;
function room(size) {
  const begin = Math.ceil(end / 64) * 64;
  end = begin + size;
  const missing = end - hb.memory.buffer.byteLength;
  if (missing > 0) hb.memory.grow(Math.ceil(missing / PAGE));
  return begin;
}

function textAt(address) {
  const bytes = new Uint8Array(hb.memory.buffer, address);
  return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
}

function check(code, what) {
  if (code) {
    process.stderr.write(`${what}: error ${code}, ${textAt(hb.hb_error(code))}\n`);
    process.exit(1);
  }
}

const tables = fs.readFileSync(tablesFile);
const blob = room(tables.length);
new Uint8Array(hb.memory.buffer).set(tables, blob);
check(hb.hb_tables_load(blob, tables.length), 'hb_tables_load');
const size = hb.hb_herd_size(blob, count);
const herd = room(size), command = room(COMMAND), frame = room(FRAME);
check(hb.hb_init(herd, size, blob, count, BigInt(seed)), 'hb_init');

const commands = fs.readFileSync(commandsFile), row = count * COMMAND + 8;
const steps = commands.length / row;
const part = { positions: nodes * 24, rotations: nodes * 16 };
const out = Buffer.alloc(steps * count * (FRAME + part.positions + part.rotations));
const memory = new Uint8Array(hb.memory.buffer); // nothing grows it from here on
let at = 0, spent = 0;
function copy(address, bytes) {
  out.set(memory.subarray(address, address + bytes), at);
  at += bytes;
}

for (let k = 0; k < steps; k++) {
  for (let i = 0; i < count; i++) {
    const begin = k * row + i * COMMAND;
    memory.set(commands.subarray(begin, begin + COMMAND), command);
    check(hb.hb_command_set(herd, i, command), 'hb_command_set');
  }
  const dt = commands.readDoubleLE(k * row + count * COMMAND), start = performance.now();
  check(hb.hb_step(herd, dt, 1), `step ${k}`);
  spent += performance.now() - start;
  for (let i = 0; i < count; i++) {
    check(hb.hb_frame_get(herd, i, frame), 'hb_frame_get');
    copy(frame, FRAME);
  }
  for (let i = 0; i < count; i++) copy(hb.hb_positions(herd, i), part.positions);
  for (let i = 0; i < count; i++) copy(hb.hb_rotations(herd, i), part.rotations);
}
fs.writeFileSync(outFile, out);
process.stdout.write(JSON.stringify({
  imports: WebAssembly.Module.imports(compiled),
  exports: WebAssembly.Module.exports(compiled).map((one) => one.name),
  stamp: textAt(hb.hb_stamp()),
  steps,
  microseconds: (1000 * spent) / steps,
}) + '\n');
