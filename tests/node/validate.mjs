// Runs the Khronos glTF validator on the files given and prints one JSON object: file -> its report.
// Usage: node validate.mjs FILE...

import { readFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import validator from "gltf-validator";

const reports = {};
for (const file of process.argv.slice(2)) {
  const beside = async (uri) => new Uint8Array(await readFile(resolve(dirname(file), decodeURIComponent(uri))));
  const bytes = new Uint8Array(await readFile(file));
  try {
    reports[file] = await validator.validateBytes(bytes, {
      uri: basename(file),
      maxIssues: 0,
      externalResourceFunction: beside,
    });
  } catch (problem) {
    reports[file] = { failed: String(problem) };
  }
}
process.stdout.write(JSON.stringify(reports));
