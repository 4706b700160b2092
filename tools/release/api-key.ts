/** `npx constellation api-key`: makes an API key. */
import { describeIssues, issuesOf } from '../../src/contract/core/error-info.ts';
import { ApiKeyRecord, hashApiKey } from '../../src/gateway/access/api-keys.ts';
import { covers } from '../../src/platform/context/capabilities.ts';
import { LOCAL_LIBRARIANS } from '../../src/platform/context/internal-librarians.ts';
import { fail, readCommandLine } from '../command-line.ts';
import { newApiKey } from '../new-api-key.ts';

const HELP = `Makes an API key. The key is printed once and stored nowhere; its hash is stored, with what the key may do.

  npx constellation api-key --name <name> [options]

  --name <name>          whose key it is
  --workspaces <list>    workspaces that it may use, separated by commas (default default)
  --capabilities <list>  what it may do, separated by commas (default kb:read)
  --audience <list>      audiences whose articles it may read and write, separated by commas; '*' for all (default
                         none: only articles for everybody)
  --rate <rate>          standard, high or unlimited (default standard)
  --expires <time>       when it ends, for instance 2027-01-01T00:00:00Z; without it never
  --origins <list>       makes a publishable key, for the answer box: pages of these origins may ask with it, and it may
                         do nothing else (docs/widget.md); for instance https://www.example.com
  --any-capability       allow capabilities that none of our functions has, such as those of a partner's librarian
  --help                 this text
`;

/** What keys can hold: the capabilities of our functions, without those that only the gateway hands down. */
const KEY_CAPABILITIES = [
  ...new Set(['metrics:read', ...Object.values(LOCAL_LIBRARIANS).flatMap(({ cap = [] }) => cap)]),
]
  .filter((capability) => capability.split(':').length === 2)
  .toSorted();
const isKnown = (capability: string): boolean =>
  KEY_CAPABILITIES.some((known) => covers([capability], known));

const { values } = readCommandLine(HELP, {
  options: {
    name: { type: 'string', default: '' },
    workspaces: { type: 'string', default: 'default' },
    capabilities: { type: 'string', default: 'kb:read' },
    audience: { type: 'string' },
    rate: { type: 'string', default: 'standard' },
    expires: { type: 'string' },
    origins: { type: 'string' },
    'any-capability': { type: 'boolean', default: false },
  },
});
const record = ApiKeyRecord.safeParse({
  name: values.name,
  workspaces: values.workspaces.split(','),
  capabilities: values.capabilities.split(','),
  ...(values.audience === undefined ? {} : { audiences: values.audience.split(',') }),
  rate: values.rate,
  ...(values.expires === undefined ? {} : { expires_at: values.expires }),
  ...(values.origins === undefined ? {} : { origins: values.origins.split(',') }),
});
if (!record.success) {
  console.error(`Cannot make the key: ${describeIssues(issuesOf(record.error))}`);
  process.exit(1);
}
const unknown = values['any-capability']
  ? []
  : record.data.capabilities.filter((capability) => !isKnown(capability));
if (unknown.length > 0) {
  fail(
    `Cannot make the key: no function has the capability ${unknown.join(', ')}. There are ${KEY_CAPABILITIES.join(', ')}, and wildcards such as kb:*. --any-capability allows others.`,
  );
}
const { origins, audience } = values;
if (
  origins !== undefined &&
  (values.capabilities !== 'kb:read' || values.rate !== 'standard' || audience !== undefined)
)
  fail(
    'Cannot make the key: a publishable key has the capability kb:read, the rate standard and no audience. Omit the options.',
  );
const key = newApiKey({ isPublishable: values.origins !== undefined });
const stored = JSON.stringify(record.data);
const quoted = `'${stored.replaceAll("'", "'\\''")}'`;
console.log(`key     ${key}   (shown only now)`);
console.log(`record  ${stored}\n`);
console.log('Store the record:\n');
console.log(
  `  npx wrangler kv key put --remote --binding API_KEYS --config wrangler.toml ${await hashApiKey(key)} ${quoted}`,
);
