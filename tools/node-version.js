/** Which versions of Node run what; JavaScript without a library, so that any Node can say so. */

/** Node runs TypeScript without a flag from these versions of its lines on (nodejs.org/api/typescript.html). */
const TYPESCRIPT = ['22.18', '23.6'];

/** Node has SQLite without a flag from these versions on (nodejs.org/api/sqlite.html); the state of the product is checked with it. */
const SQLITE = ['22.13', '23.4'];

/** Why a Node cannot run the sources; `undefined` when it can. */
export function sourcesProblem(version, path) {
  if (hasSince(version, TYPESCRIPT)) return undefined;
  return `This is Node ${version} (${path}), and the sources need ${textOf(TYPESCRIPT)}. npm ci installs one for the npm scripts, unless it was run with --ignore-scripts: run npm ci`;
}

/** Why a Node cannot run the published product; `undefined` when it can. */
export function productProblem(command, version, path) {
  if (hasSince(version, SQLITE)) return undefined;
  return `constellation ${command} needs Node ${textOf(SQLITE)} to run the product, and this is ${version} (${path}). Install a later one from https://nodejs.org, or run it with one: npx -p node@24 constellation ${command}`;
}

/** Whether a version has what each line of versions has from its first one on; earlier lines lack it, later ones have it. */
function hasSince(version, firsts) {
  const [major, minor] = numbersOf(version);
  const lines = firsts.map(numbersOf);
  const [, firstMinor] = lines.find(([line]) => line === major) ?? [];
  return firstMinor === undefined ? major > lines.at(-1)[0] : minor >= firstMinor;
}

function numbersOf(version) {
  return version.split('.').map(Number);
}

/** `22.18 or later (of 23, 23.6 or later)`. */
function textOf([first, exception]) {
  return `${first} or later (of 23, ${exception} or later)`;
}
