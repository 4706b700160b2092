import { describe, expect, it } from 'vitest';
import { createReportGaps, openQuestions } from '../../../src/gateway/history/report-gaps.ts';
import { signedClient } from '../../../src/platform/context/signed-client.ts';
import { identityOf, notebook } from '../../platform/context/callers.ts';
import { functionFor } from '../gateway-for-test.ts';

const ASKER = {
  workspace: 'acme',
  subject: 'user:k_1',
  audiences: [],
  traceId: 'a'.repeat(32),
  authentication: 'key' as const,
};
const QUESTIONS = ['Can I pay by invoice?', 'Do you ship to Mars?'].map((question) => ({
  question,
  why: 'declined' as const,
}));

/** A support function that gives these replies in turn, and the last one from then on. */
const reporting = async (replies: readonly ({ outcome: string } | number)[]) => {
  const asked: string[] = [];
  const capabilities: (readonly string[])[] = [];
  const waited: number[] = [];
  const support = await functionFor('support', (c) => {
    capabilities.push(c.get('context').capabilities);
    const reports = JSON.parse(new TextDecoder().decode(c.get('body'))) as { question: string }[];
    const reported = reports.map(({ question }) => {
      const reply = replies[Math.min(asked.length, replies.length - 1)] ?? 500;
      asked.push(question);
      return reply;
    });
    const failure = reported.find((reply) => typeof reply === 'number');
    return failure !== undefined
      ? c.json({ error: { code: 'INVALID_QUERY', message: 'none' } }, failure as 400)
      : c.json({
          reported: reported.map((reply) => ({ gap: null, ...(reply as { outcome: string }) })),
        });
  });
  const { lines, log } = notebook();
  const client = signedClient({ ...(await identityOf('gateway')), targets: { support }, log });
  const wait = async (ms: number): Promise<void> => void waited.push(ms);
  await createReportGaps({ client, log, wait })(ASKER, QUESTIONS);
  return {
    asked,
    capabilities,
    waited,
    faults: lines.filter((line) => JSON.stringify(line).includes('gaps')),
  };
};
const [FIRST, SECOND] = QUESTIONS.map(({ question }) => question);

/** Waits that are longer than reports wait for others. */
const repeats = (waited: readonly number[]): number[] => waited.filter((ms) => ms > 2000);

describe('createReportGaps()', () => {
  it('reports the questions of a moment in one call', async () => {
    const { asked, capabilities, waited, faults } = await reporting([{ outcome: 'new' }]);
    expect([asked, repeats(waited), faults]).toEqual([[FIRST, SECOND], [], []]);
    expect(capabilities).toHaveLength(1);
  });
  it('grants the right to read the articles, with which the question is compared', async () => {
    const { capabilities } = await reporting([{ outcome: 'new' }]);
    expect(capabilities).toEqual([['support:analyze', 'kb:read']]);
  });
  it('reports again later what could not be taken, and no other', async () => {
    const { asked, waited, faults } = await reporting([
      { outcome: 'unavailable' },
      { outcome: 'new' },
    ]);
    expect([asked, faults]).toEqual([[FIRST, SECOND, FIRST], []]);
    expect(repeats(waited)).toEqual([expect.toSatisfy((ms: number) => ms >= 5000 && ms < 20_000)]);
  });
  it('logs, without a word of the question, what could not be taken the second time', async () => {
    const { asked, faults } = await reporting([{ outcome: 'unavailable' }]);
    expect([asked, faults.length]).toEqual([[FIRST, SECOND, FIRST, SECOND], 1]);
    expect(JSON.stringify(faults)).not.toMatch(/invoice|Mars/);
    expect(JSON.stringify(faults)).toContain('SERVICE_UNAVAILABLE');
  });
  it('repeats nothing that was refused', async () => {
    const { asked, waited, faults } = await reporting([400]);
    expect([asked, repeats(waited), faults.length]).toEqual([[FIRST, SECOND], [], 1]);
  });
});

it('openQuestions() names the parts that nothing was found for, without the words that join them', () => {
  const declined = { librarian: 'navigator', sources: [], metadata: { closest: [] } };
  const parts = [
    { librarian: 'navigator', query: 'How loud is it?', answer: '45 dBA.', sources: [0] },
    { query: 'and what about the colour of the case?', answer: 'None.', ...declined },
    { query: 'Und welche Farbe hat das Kabel?', answer: 'Keine.', ...declined },
  ];
  const response = { answer: '45 dBA.', sources: [{ name: 'Noise' }], metadata: { parts } };
  const asked = openQuestions({ question: 'All of it?' }, response).map(({ question }) => question);
  expect(asked).toEqual(['the colour of the case?', 'welche Farbe hat das Kabel?']);
});
