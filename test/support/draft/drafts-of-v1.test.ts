import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { unavailableRetrieval } from '../../../src/contract/knowledge.ts';
import { Taxonomy } from '../../../src/contract/taxonomy.ts';
import { createDraftGenerator } from '../../../src/support/draft/generate-draft.ts';

/** The templates of v1.0; those of the sample may change. */
const taxonomy = Taxonomy.parse(
  JSON.parse(readFileSync(new URL('../fixtures/v1.0/templates.json', import.meta.url), 'utf8')),
);
const generateDraft = createDraftGenerator({ taxonomy });

const INTENTS = [...taxonomy.intents.map(({ id }) => id), 'unknown'];
const NAMES = [undefined, 'Dana Whitfield'];
const PRODUCTS = [undefined, 'Apollo II'];

/** Drafts of v1.0 with its templates, for each name and product; recorded once and never updated. */
const draftsOf = (intent: string, ...rest: [] | [ReturnType<typeof unavailableRetrieval> | undefined]) =>
  NAMES.flatMap((name) =>
    PRODUCTS.map((product) => {
      const classification = { primary_intent: intent, confidence: 0.92 };
      const metadata = product === undefined ? undefined : { product };
      return { name, product, draft: generateDraft(classification, name, metadata, ...rest) };
    }),
  );

describe('drafts without knowledge', () => {
  it.each(INTENTS)('are identical to those of v1.0: %s', async (intent) => {
    const recorded = `../fixtures/v1.0/${intent}.json`;
    await expect(`${JSON.stringify(draftsOf(intent), undefined, 2)}\n`).toMatchFileSnapshot(recorded);
  });
  it.each(INTENTS)('are the same with empty sources: %s', (intent) => {
    expect(draftsOf(intent, unavailableRetrieval())).toEqual(draftsOf(intent));
    expect(draftsOf(intent, undefined)).toEqual(draftsOf(intent));
  });
});
