import { describe, expect, it } from 'vitest';
import { unavailableRetrieval } from '../../src/contract/knowledge.ts';
import { type IntentClassification, SupportResponse } from '../../src/contract/support-response.ts';
import { composeNote } from '../../src/helpdesk/compose-note.ts';
import type { KnowledgeRetriever } from '../../src/knowledge/retrieval/retrieve-knowledge.ts';
import { createMask } from '../../src/runtime/privacy/mask.ts';
import { analyze } from '../../src/support/analyze.ts';
import { userContext } from '../signing/callers.ts';
import { taxonomy } from './draft/tickets.ts';

/** The analysis of a message with this classification, its note, and the options of the knowledge search. */
const analysed = async (classification: IntentClassification, message = 'The fan is loud and hot.') => {
  let searched: Parameters<KnowledgeRetriever>[1] | undefined;
  const response = await analyze(
    { message },
    { context: userContext(), waitUntil: () => {}, timeLeftMs: () => 1000, now: 0 },
    {
      taxonomyFor: async () => ({
        taxonomy: { ...taxonomy, intents: taxonomy.intents.map((each) => ({ ...each, article_intents: ['care'] })) },
        classifier: { threshold: 0.4, classify: () => classification, likeliest: () => [] },
      }),
      retrieveKnowledge: async (_, options) => {
        searched = options;
        return unavailableRetrieval();
      },
      mask: createMask([]),
    },
  );
  const { draft, agent_guidance: guidance } = SupportResponse.parse(response);
  return { draft, guidance, searched, saved: composeNote(response, { marker: 'cnote0123456789abcdef0123' }) };
};

it.each([
  [0.7, ['care', 'overheating']],
  [0.6, ['care']],
])('also searches the articles of an intent that is nearly as likely: %d', async (confidence, articleIntents) => {
  const secondary_intents = [{ intent: 'overheating', confidence }];
  const { searched } = await analysed({ primary_intent: 'noise', confidence: 0.8, secondary_intents });
  expect(searched?.articleIntents).toEqual(articleIntents);
});

describe('a message that looks like spam', () => {
  it.each([
    [0.9, undefined, [expect.stringContaining('nothing was looked up')]],
    // No article answers.
    [0.58, expect.anything(), [expect.stringContaining('It may be from a customer all the same')]],
  ])('gets no draft, and a search only when the classification is uncertain: %d', async (...row) => {
    const [confidence, isSearched, risks] = row;
    const { draft, guidance, searched, saved } = await analysed({ primary_intent: 'spam', confidence });
    expect([draft.text, draft.markdown, draft.html, draft.auto_send]).toEqual(['', '', '', false]);
    expect(searched).toEqual(isSearched);
    const percent = Math.round(confidence * 100);
    expect(guidance.summary).toBe(`Looks like "Spam or phishing" (${percent} % sure): no reply is proposed.`);
    expect(guidance.auto_send).toEqual({ allowed: false, reasons: [expect.stringContaining('Spam or phishing')] });
    expect(guidance.risks).toEqual(risks);
    expect(saved.note.text).toContain(guidance.summary);
    expect(saved.draft).toBeUndefined();
  });
  it.each([
    ['spam is unlikely', 0.45, []],
    ['another intent is nearly as likely', 0.6, [{ intent: 'noise', confidence: 0.55 }]],
  ])('gets the general reply when %s', async (_, confidence, secondary_intents) => {
    const { draft, guidance } = await analysed({ primary_intent: 'spam', confidence, secondary_intents });
    expect(draft).toMatchObject({ template: 'general', text: expect.stringContaining('thank you for writing') });
    expect(guidance.auto_send.allowed).toBe(false);
  });
  it('gets a reply when it reports danger', async () => {
    const spam = { primary_intent: 'spam', confidence: 0.99 };
    expect((await analysed(spam, 'There is smoke coming out of my Apollo.')).draft.text).not.toBe('');
  });
});
