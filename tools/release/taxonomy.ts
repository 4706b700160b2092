/** `npx constellation taxonomy`: checks a file of intents and trains a classifier from its examples. */
import { readFileSync, writeFileSync } from 'node:fs';
import { WorkspaceId } from '../../src/contract/core/names.ts';
import { MAX_ARTICLE_BYTES } from '../../src/contract/routes/http-route.ts';
import type { Taxonomy, TaxonomyPut } from '../../src/contract/wire/taxonomy.ts';
import { encodeBase64url } from '../../src/platform/encoding.ts';
import {
  countExamples,
  isTrainedAtLoad,
  readTaxonomy,
  TOO_LARGE_AT_LOAD,
} from '../../src/support/intents/current-taxonomy.ts';
import { holdOut } from '../../src/support/intents/hold-out.ts';
import { fail, failUsage, readCommandLine } from '../command-line.ts';
import { describeHoldOut } from './describe-hold-out.ts';
import { trainAhead } from './train-ahead.ts';

const HELP = `Checks a file of intents, trains a classifier from its examples, and reports how good it is by cross-validation.

  npx constellation taxonomy <taxonomy.json> [options]

  --out <file>      write the trained classifier, with the threshold below which a message has no intent. A file that ends
                    with .json is the body of PUT /v1/support/taxonomy, up to 3 MB; any other file is the packed model
                    alone, for KV. The commands that put it into place are printed
  --workspace <id>  the workspace in the printed commands (default default)
  --seed <number>   the same seed gives the same model, byte for byte (default 1)
  --help            this text
`;

const { values, positionals } = readCommandLine(HELP, {
  options: {
    out: { type: 'string' },
    workspace: { type: 'string', default: 'default' },
    seed: { type: 'string', default: '1' },
  },
  maxPositionals: 1,
});

const readFile = (file: string): Taxonomy => {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return fail(`Cannot read ${file}: ${error instanceof Error ? error.message : 'it is no JSON'}`);
  }
  const read = readTaxonomy(json);
  if (read.ok) return read.value;
  return fail(
    [
      `Cannot use ${file}:`,
      ...read.issues.map(({ path, message }) => `  ${path || 'the file'}: ${message}`),
    ].join('\n'),
  );
};

const [file] = positionals;
if (file === undefined) failUsage('Cannot check: the file of intents is missing');
const workspace = WorkspaceId.safeParse(values.workspace);
const seed = Number(values.seed);
if (!workspace.success)
  fail(`Cannot print commands: --workspace ${workspace.error?.issues[0]?.message}`);
if (!Number.isSafeInteger(seed)) fail('Cannot train: --seed is no whole number');

const taxonomy = readFile(file ?? '');
const examples = countExamples(taxonomy);
console.log(`${taxonomy.name}: ${taxonomy.intents.length} intents, ${examples} examples`);
const isSmall = isTrainedAtLoad(taxonomy);
console.log(
  isSmall
    ? 'It is small enough to be trained where it runs; a model made here has a threshold of its own.'
    : `It is too large to be trained where it runs (${TOO_LARGE_AT_LOAD}): it needs the model made here.`,
);
console.log(`\n${describeHoldOut(holdOut(taxonomy, { seed }))}`);

if (values.out !== undefined) {
  const { packed, threshold, hash } = trainAhead(taxonomy, { seed });
  console.log(
    `\nBelow a confidence of ${threshold.toFixed(2)} a message is of no intent. Content ${hash}.`,
  );
  if (values.out.endsWith('.json')) {
    const body = JSON.stringify({ taxonomy, model: encodeBase64url(packed) } satisfies TaxonomyPut);
    writeFileSync(values.out, body);
    console.log(`Wrote ${values.out}, ${kib(body.length)}. Put it into place:\n`);
    console.log(
      `  curl -X PUT -H "authorization: Bearer $KEY" -H "content-type: application/json" \\`,
    );
    console.log(
      `       --data-binary @${values.out} "$URL/v1/support/taxonomy?workspace_id=${values.workspace}"`,
    );
    if (Buffer.byteLength(body) > MAX_ARTICLE_BYTES)
      console.log(
        `\nIt is longer than ${kib(MAX_ARTICLE_BYTES)} and will be refused: name an --out without .json.`,
      );
  } else {
    writeFileSync(values.out, packed);
    const put =
      'npx wrangler kv key put --remote --config functions/support/wrangler.toml --binding TAXONOMIES';
    console.log(
      `Wrote ${values.out}, ${kib(packed.length)}. Put it into place, the model first:\n`,
    );
    console.log(`  ${put} "model/${values.workspace}/${hash}" --path ${values.out}`);
    console.log(`  ${put} "taxonomy/${values.workspace}" --path ${file}`);
  }
}

function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(0)} KiB`;
}
