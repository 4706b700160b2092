import { expect, it } from 'vitest';
import { unavailableRetrieval } from '../../src/contract/knowledge-retrieval.ts';
import type { IntentClassification } from '../../src/contract/support-response.ts';
import type { KnowledgeRetriever } from '../../src/knowledge/retrieval/knowledge-retriever.ts';
import { createMask } from '../../src/runtime/privacy/mask.ts';
import { analyze } from '../../src/support/analyze.ts';
import { userContext } from '../signing/callers.ts';
import { taxonomy } from './draft/tickets.ts';

/** Intents of articles that count as the ticket's own, besides the first one. */
const articleIntentsFor = async (second: number): Promise<readonly string[] | undefined> => {
  let asked: Parameters<KnowledgeRetriever>[1] | undefined;
  const classification: IntentClassification = {
    primary_intent: 'noise',
    confidence: 0.8,
    secondary_intents: [{ intent: 'overheating', confidence: second }],
  };
  await analyze(
    { message: 'The fan is loud and hot.' },
    { context: userContext(), waitUntil: () => {}, timeLeftMs: () => 1000, now: 0 },
    {
      taxonomyFor: async () => ({
        taxonomy: { ...taxonomy, intents: taxonomy.intents.map((each) => ({ ...each, article_intents: ['care'] })) },
        classifier: { threshold: 0.4, classify: () => classification, likeliest: () => [] },
      }),
      retrieveKnowledge: async (_, options) => {
        asked = options;
        return unavailableRetrieval();
      },
      mask: createMask([]),
    },
  );
  return asked?.articleIntents;
};

it('also searches the articles of an intent that is nearly as likely', async () => {
  expect(await articleIntentsFor(0.7)).toEqual(['care', 'overheating']);
  expect(await articleIntentsFor(0.6)).toEqual(['care']);
});
