/**
 * `npm run keys`: the keys that functions sign their calls with, and the directory that says whose key is whose.
 *
 *   npm run keys                    makes a keyring in keys/
 *   npm run keys -- rotate <id>     gives one function a new key beside its old one
 *   npm run keys -- retire <id>     drops its old keys, once the new one is deployed everywhere
 *   npm run keys -- renew           signs the directory for another year
 *   npm run keys -- add <id> --x <public key> [--host <host>] [--workspaces <ids>] [--capabilities <list>]
 *                                   lets in a librarian of another team: at which host it is asked, in which
 *                                   workspaces it may ask of its own accord, and what for at most
 *   npm run keys -- remove <id>     takes it out again
 *
 *   --folder <folder>               another place than keys/
 */
import { parseArgs } from 'node:util';
import { unstable_readConfig } from 'wrangler';
import { functionConfigs, idOfFunction } from './functions.ts';
import { addNeighbour, createKeyring, removeNeighbour, renewDirectory, retireKeys, rotateKey } from './keyring.ts';

const { values, positionals } = parseArgs({
  options: {
    folder: { type: 'string', default: 'keys' },
    x: { type: 'string' },
    host: { type: 'string' },
    workspaces: { type: 'string' },
    capabilities: { type: 'string' },
  },
  allowPositionals: true,
});
const [command = 'create', id = ''] = positionals;
const { folder } = values;
const options = { now: Date.now() };

try {
  if (command === 'create') await createKeyring(folder, options);
  else if (command === 'rotate') await rotateKey(folder, id, options);
  else if (command === 'retire') await retireKeys(folder, id, options);
  else if (command === 'renew') await renewDirectory(folder, options);
  else if (command === 'add') await addNeighbour(folder, id, { ...options, ...neighbourOf(values) });
  else if (command === 'remove') await removeNeighbour(folder, id, options);
  else throw new Error(`Cannot ${command}: the commands are rotate, retire, renew, add and remove, or none`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

console.log(`Wrote ${folder}/. Keep root.key offline: whoever has it can speak for every function.\n`);
if (command === 'create' || command === 'rotate') {
  console.log('Give each function its key:\n');
  for (const file of functionConfigs()) {
    const name = idOfFunction(unstable_readConfig({ config: file }).name ?? '');
    if (command === 'create' || name === id) {
      console.log(`  npx wrangler secret put CONTEXT_SIGNING_KEY --config ${file} < ${folder}/${name}.key`);
    }
  }
}
console.log('\nnpm run deploy then publishes the directory with every function.');

function neighbourOf({ x, host, workspaces, capabilities }: typeof values) {
  if (x === undefined) throw new Error(`Cannot add ${id}: its public key is missing, give it as --x`);
  return {
    x,
    ...(host === undefined ? {} : { host }),
    ...(workspaces === undefined ? {} : { ws: workspaces.split(',') }),
    ...(capabilities === undefined ? {} : { cap: capabilities.split(',') }),
  };
}
