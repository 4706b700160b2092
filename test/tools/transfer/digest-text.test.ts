import { describe, expect, it } from 'vitest';
import type { AnswerSummary } from '../../../src/contract/wire/answers.ts';
import { HealthKind } from '../../../src/contract/wire/knowledge.ts';
import { markdownToHtml } from '../../../src/documents/markdown/render-markdown.ts';
import { type DigestData, digestText } from '../../../tools/transfer/digest-text.ts';

const none = { answered: 0, hedged: 0, declined: 0, clarifying: 0, closes: 0, person: 0, error: 0 };
const declined = (question: string): AnswerSummary => ({
  ...{ id: crypto.randomUUID(), asked_at: '2026-11-20T10:00:00Z', question, verdict: 'declined', confidence: 0.1 },
  ...{ interface: 'rest', librarians: ['navigator'], edition: 'e1', asked_by: 'user:a', duration_ms: 5 },
  ...{ tokens: 0, cost_usd: 0, cached: false, feedback: null },
});
const data = (changes: Partial<DigestData>): DigestData => ({
  ...{ from: '2026-11-13', to: '2026-11-20', verdicts: { now: none, before: none } },
  ...{ declined: [], unhelpful: [], openGaps: [], openGapCount: 0, closedGaps: [] },
  health: {
    ...{ edition: 'e1', created_at: '2026-11-20T10:00:00Z', articles: 3, findings: [] },
    counts: Object.fromEntries(HealthKind.options.map((kind) => [kind, 0])) as DigestData['health']['counts'],
  },
  ...changes,
});

describe('digestText()', () => {
  it('counts answers by verdict, with their share and the previous number', () => {
    const verdicts = { now: { ...none, answered: 3, declined: 1 }, before: { ...none, answered: 8 } };
    const written = digestText(data({ verdicts }));
    expect(written).toContain('4 questions, 8 in the days before.');
    expect(written).toContain('| answered | 3 | 75 % | 8 |');
    expect(written).toContain('| declined | 1 | 25 % | 0 |');
  });
  it('lists declined questions once each, most frequent first', () => {
    const asked = ['Do you ship to Brazil?', 'How loud is it?', 'how loud is it'].map(declined);
    expect(digestText(data({ declined: asked }))).toContain(
      '## Declined\n\n- How loud is it? (2 times)\n- Do you ship to Brazil?',
    );
  });
  it('lists ten questions, and how many more there are', () => {
    const asked = Array.from({ length: 14 }, (_, at) => declined(`What is part ${at} for?`));
    const written = digestText(data({ declined: asked }));
    expect(written.match(/^- What/gm)).toHaveLength(10);
    expect(written).toContain('- … and 4 more');
  });
  it('shows words of customers as text', () => {
    const written = digestText(data({ declined: [declined('<b>a</b> [b](https://evil.example.com)\n# c')] }));
    const page = markdownToHtml(written);
    expect(page).toContain('[b](https://evil.example.com) # c</li>');
    expect(page).not.toMatch(/<b>|<a |<h1> *c/);
  });
  it('reports that answers are not kept, and omits empty sections', () => {
    const written = digestText(data({ verdicts: undefined }));
    expect(written).toContain('are not kept');
    expect(written).not.toContain('##');
  });
});
