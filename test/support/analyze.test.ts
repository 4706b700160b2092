import { describe, expect, it } from 'vitest';
import { unavailableRetrieval } from '../../src/contract/knowledge.ts';
import { type IntentClassification, SupportResponse } from '../../src/contract/support-response.ts';
import { composeNote } from '../../src/helpdesk/compose-note.ts';
import type { KnowledgeRetriever } from '../../src/knowledge/retrieval/retrieve-knowledge.ts';
import { createMask } from '../../src/runtime/privacy/mask.ts';
import { analyze } from '../../src/support/analyze.ts';
import { userContext } from '../signing/callers.ts';
import { taxonomy } from './draft/tickets.ts';

/** The analysis of a message with this classification, and the options of the knowledge search. */
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
  return { response, searched };
};

it('also searches the articles of an intent that is nearly as likely', async () => {
  const articleIntentsFor = async (second: number) => {
    const secondary_intents = [{ intent: 'overheating', confidence: second }];
    return (await analysed({ primary_intent: 'noise', confidence: 0.8, secondary_intents })).searched?.articleIntents;
  };
  expect(await articleIntentsFor(0.7)).toEqual(['care', 'overheating']);
  expect(await articleIntentsFor(0.6)).toEqual(['care']);
});

describe('a message that looks like spam', () => {
  const spam = (confidence: number, message?: string) => analysed({ primary_intent: 'spam', confidence }, message);

  it('gets no draft and no search, and the guidance names the reason', async () => {
    const { response, searched } = await spam(0.9);
    const { draft, agent_guidance: guidance } = SupportResponse.parse(response);
    expect([draft.text, draft.markdown, draft.html, draft.auto_send, searched]).toEqual(['', '', '', false, undefined]);
    expect(guidance.summary).toBe('Looks like "Spam or phishing" (90 % sure): no reply is proposed.');
    expect(guidance.auto_send).toEqual({ allowed: false, reasons: [expect.stringContaining('Spam or phishing')] });
    const { note, draft: saved } = composeNote(response, { marker: 'cnote0123456789abcdef0123' });
    expect(note.text).toContain(guidance.summary);
    expect(saved).toBeUndefined();
  });
  it('gets no draft but a search when the classification is uncertain and no article answers', async () => {
    const { response, searched } = await spam(0.58);
    const { draft, agent_guidance: guidance } = SupportResponse.parse(response);
    expect([draft.text, draft.auto_send, searched]).toMatchObject(['', false, {}]);
    expect(guidance.summary).toBe('Looks like "Spam or phishing" (58 % sure): no reply is proposed.');
    expect(guidance.risks).toEqual([expect.stringContaining('It may be from a customer all the same')]);
    expect(guidance.auto_send.allowed).toBe(false);
    expect(composeNote(response, { marker: 'cnote0123456789abcdef0123' }).draft).toBeUndefined();
  });
  it.each([
    ['spam is unlikely', { primary_intent: 'spam', confidence: 0.45 }],
    [
      'another intent is nearly as likely',
      { primary_intent: 'spam', confidence: 0.6, secondary_intents: [{ intent: 'noise', confidence: 0.55 }] },
    ],
  ])('gets the general reply when %s', async (_, classification) => {
    const { response } = await analysed(classification);
    const text = expect.stringContaining('thank you for writing');
    expect(response.draft).toMatchObject({ template: 'general', text });
    expect(response.agent_guidance.auto_send.allowed).toBe(false);
  });
  it('gets a reply when it reports danger', async () => {
    const { response } = await spam(0.99, 'There is smoke coming out of my Apollo.');
    expect(response.draft.text).not.toBe('');
  });
});
