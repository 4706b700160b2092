/**
 * `npm run api-key`: makes an API key. The key is printed once and stored nowhere; what is stored is its hash, with what
 * the key may do.
 *
 *   npm run api-key -- --name <whose> [--workspaces default] [--capabilities kb:read] [--rate standard|high|unlimited]
 *                      [--expires 2027-01-01T00:00:00Z]
 */
import { parseArgs } from 'node:util';
import { describeIssues, issuesOf } from '../contract/issue.ts';
import { ApiKeyRecord, hashApiKey } from '../gateway/api-keys.ts';
import { newApiKey } from './product.ts';

const { values } = parseArgs({
  options: {
    name: { type: 'string', default: '' },
    workspaces: { type: 'string', default: 'default' },
    capabilities: { type: 'string', default: 'kb:read' },
    rate: { type: 'string', default: 'standard' },
    expires: { type: 'string' },
  },
});
const record = ApiKeyRecord.safeParse({
  name: values.name,
  workspaces: values.workspaces.split(','),
  capabilities: values.capabilities.split(','),
  rate: values.rate,
  ...(values.expires === undefined ? {} : { expires_at: values.expires }),
});
if (!record.success) {
  console.error(`Cannot make the key: ${describeIssues(issuesOf(record.error))}`);
  process.exit(1);
}
const key = newApiKey();
const stored = JSON.stringify(record.data);
const quoted = `'${stored.replaceAll("'", "'\\''")}'`;
console.log(`key     ${key}   (shown only now)`);
console.log(`record  ${stored}\n`);
console.log('Store the record:\n');
console.log(
  `  npx wrangler kv key put --remote --binding API_KEYS --config wrangler.toml ${await hashApiKey(key)} ${quoted}`,
);
