/**
 * `node tools/with-node.js <script> [options]`: runs a script, unless this Node is too old to read it or the packages are
 * missing. JavaScript, so that any Node can say so.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { sourcesProblem } from './node-version.js';

const isInstalled = existsSync(fileURLToPath(new URL('../node_modules/zod', import.meta.url)));
if (!isInstalled) end('The packages are missing. Run: npm ci');
const problem = sourcesProblem(process.versions.node, process.execPath);
if (problem !== undefined) end(problem);

process.argv.splice(1, 1);
await import(pathToFileURL(process.argv[1]).href);

/** @param {string} problem */
function end(problem) {
  console.error(problem);
  process.exit(1);
}
