/** `npx constellation keys`: the keys that functions sign their calls with, and the directory of all keys. */
import { readCommandLine } from '../command-line.ts';
import { functionConfigs, idOfFunction } from '../functions.ts';
import {
  addPartner,
  createKeyring,
  removePartner,
  renewDirectory,
  retireKeys,
  rotateKey,
} from './keyring.ts';

const HELP = `Manages the keys that functions sign their calls with, and the directory that says whose key is whose.

  npx constellation keys [command] [options]

  (none)           makes a keyring in keys/
  rotate <id>      gives one function a new key beside its old one
  retire <id>      drops its old keys, once the new one is deployed everywhere
  renew            signs the directory for another year
  add <id> --x <public key> [--host <host>] [--workspaces <list>] [--capabilities <list>] [--only-in <list>]
                   adds a partner's librarian: the host where it is asked, the workspaces in which it may ask on its
                   own behalf, the capabilities that it has at most, and the workspaces in which it has any
  remove <id>      removes a partner's librarian

  --folder <name>  another folder than keys/
  --help           this text
`;

const { values, positionals } = readCommandLine(HELP, {
  options: {
    folder: { type: 'string', default: 'keys' },
    x: { type: 'string' },
    host: { type: 'string' },
    workspaces: { type: 'string' },
    capabilities: { type: 'string' },
    'only-in': { type: 'string' },
  },
  maxPositionals: 2,
});
const { unstable_readConfig } = await import('wrangler');
const [command = 'create', id = ''] = positionals;
const { folder } = values;
const options = { now: Date.now() };

try {
  if (command === 'create') await createKeyring(folder, options);
  else if (command === 'rotate') await rotateKey(folder, id, options);
  else if (command === 'retire') await retireKeys(folder, id, options);
  else if (command === 'renew') await renewDirectory(folder, options);
  else if (command === 'add') await addPartner(folder, id, { ...options, ...partnerOf(values) });
  else if (command === 'remove') await removePartner(folder, id, options);
  else
    throw new Error(
      `Cannot ${command}: the commands are rotate, retire, renew, add and remove, or none`,
    );
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

console.log(
  `Wrote ${folder}/. Keep root.key offline: whoever has it can speak for every function.\n`,
);
if (command === 'create' || command === 'rotate') {
  console.log('Give each function its key:\n');
  for (const file of functionConfigs()) {
    const name = idOfFunction(unstable_readConfig({ config: file }).name ?? '');
    if (command === 'create' || name === id) {
      console.log(
        `  npx wrangler secret put CONTEXT_SIGNING_KEY --config ${file} < ${folder}/${name}.key`,
      );
    }
  }
}
console.log('\nnpm run deploy then publishes the directory with every function.');

function partnerOf({ x, host, workspaces, capabilities, 'only-in': onlyIn }: typeof values) {
  if (x === undefined)
    throw new Error(`Cannot add ${id}: its public key is missing, give it as --x`);
  return {
    x,
    ...(host === undefined ? {} : { host }),
    ...(workspaces === undefined ? {} : { ws: workspaces.split(',') }),
    ...(capabilities === undefined ? {} : { cap: capabilities.split(',') }),
    ...(onlyIn === undefined ? {} : { workspaces: onlyIn.split(',') }),
  };
}
