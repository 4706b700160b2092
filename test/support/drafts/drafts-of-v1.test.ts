import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { unavailableRetrieval } from '../../../src/contract/wire/knowledge.ts';
import { Taxonomy } from '../../../src/contract/wire/taxonomy.ts';
import { createDraftGenerator } from '../../../src/support/drafts/generate-draft.ts';

/** The templates of v1.0; those of the sample may change. */
const taxonomy = Taxonomy.parse(
  JSON.parse(readFileSync(new URL('../fixtures/v1.0/templates.json', import.meta.url), 'utf8')),
);
const generateDraft = createDraftGenerator({ taxonomy });

/** The drafts of an intent, for each name and product. */
const draftsOf = (
  intent: string,
  ...rest: [] | [ReturnType<typeof unavailableRetrieval> | undefined]
) =>
  [undefined, 'Dana Whitfield'].flatMap((name) =>
    [undefined, 'Apollo II'].map((product) => {
      const classification = { primary_intent: intent, confidence: 0.92 };
      const metadata = product === undefined ? undefined : { product };
      return { name, product, draft: generateDraft(classification, name, metadata, ...rest) };
    }),
  );

describe.each([...taxonomy.intents.map(({ id }) => id), 'unknown'])(
  'drafts without knowledge: %s',
  (intent) => {
    it('are identical to those of v1.0, recorded once and never updated', async () => {
      const recorded = `../fixtures/v1.0/${intent}.json`;
      await expect(`${JSON.stringify(draftsOf(intent), undefined, 2)}\n`).toMatchFileSnapshot(
        recorded,
      );
    });
    it('are the same with empty sources', () => {
      for (const sources of [unavailableRetrieval(), undefined])
        expect(draftsOf(intent, sources)).toEqual(draftsOf(intent));
    });
  },
);
