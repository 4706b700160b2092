/**
 * `node tools/with-node.js <script> [options]`: runs a script, unless this Node is too old to read it or the packages are
 * missing. JavaScript, so that any Node can say so.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** From here on Node runs TypeScript without a flag (nodejs.org/api/typescript.html). */
const [MAJOR, MINOR] = [22, 18];

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isInstalled = existsSync(fileURLToPath(new URL('../node_modules/zod', import.meta.url)));
if (!isInstalled) end('The packages are missing. Run: npm ci');
if (major < MAJOR || (major === MAJOR && minor < MINOR))
  end(
    `This is Node ${process.versions.node} (${process.execPath}), and the sources need ${MAJOR}.${MINOR} or later. npm ci installs one for the npm scripts, unless it was run with --ignore-scripts: run npm ci`,
  );

process.argv.splice(1, 1);
await import(pathToFileURL(process.argv[1]).href);

/** @param {string} problem */
function end(problem) {
  console.error(problem);
  process.exit(1);
}
