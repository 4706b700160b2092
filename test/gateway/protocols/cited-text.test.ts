import { expect, it } from 'vitest';
import PHRASES from '../../../src/answering/write/answer-phrases.json' with { type: 'json' };
import { answerPhrases, filled } from '../../../src/answering/write/answer-phrases.ts';
import type { StatementSource } from '../../../src/contract/core/ask.ts';
import { citedText } from '../../../src/gateway/protocols/cited-text.ts';

const FANS = { name: 'Fans', url: 'https://kb.example/fans', section: 'Noise' };
const PUMPS = { name: 'Pumps [old] (2019)', url: 'https://kb.example/pumps_(old)' };

const cited = (
  statements: [text: string, ...sources: StatementSource[]][],
  { listsSources = true, ...end } = {},
) => {
  const text = citedText({ listsSources });
  const pieces = statements.map(([words, ...sources], index) =>
    text.add({ type: 'statement', index, text: words, sources, support: 1, check: 'quoted' }),
  );
  pieces.push(text.end({ answer: '', confidence: 0.9, ...end }));
  expect(pieces.join('')).toBe(text.content());
  return { content: text.content(), annotations: text.annotations(), pieces };
};

it('numbers addresses by their first use, with the position of their first statement', () => {
  const { content, annotations } = cited([
    ['Fans are quiet.', FANS],
    ['Pumps are not.', PUMPS, { ...FANS, section: 'Other' }],
  ]);
  expect(content).toBe(
    'Fans are quiet. [1]\n\nPumps are not. [2][1]\n\nSources\n\n1. [Fans › Noise](https://kb.example/fans)\n2. [Pumps old (2019)](https://kb.example/pumps_%28old%29)',
  );
  expect(annotations).toMatchObject([
    {
      type: 'url_citation',
      url_citation: { url: FANS.url, title: 'Fans', start_index: 0, end_index: 15 },
    },
    { url_citation: { url: PUMPS.url, start_index: 21, end_index: 35 } },
  ]);
  expect(content.slice(21, 35)).toBe('Pumps are not.');
});
it('lists no sources for clients that show annotations', () => {
  expect(cited([['Fans are quiet.', FANS]], { listsSources: false }).content).toBe(
    'Fans are quiet. [1]',
  );
});
it('escapes bracketed numbers of articles, but not in code', () => {
  const text =
    'See [3], [1,2], [4#a] and [3](https://kb.example/3); not [a], `list[0]` or\n\n```\nx = list[1]\n```';
  expect(cited([[text, FANS]], { listsSources: false }).content).toBe(
    'See \\[3\\], \\[1,2\\], \\[4#a\\] and \\[3\\](https://kb.example/3); not [a], `list[0]` or\n\n```\nx = list[1]\n```\n\n[1]',
  );
});
it('has no citations in a declined answer', () => {
  const { content, annotations } = cited([['I found nothing.']]);
  expect([content, annotations]).toEqual(['I found nothing.', []]);
});

it.each(Object.keys(PHRASES))(
  'citedText() has no English words for somebody who asks in %s',
  (language) => {
    const { others, sources, withdrawn, reportedBy } = answerPhrases(language);
    const text = citedText({ listsSources: true, language });
    text.add({ type: 'routing', librarians: [{ id: 'partner.xq-7', name: 'Ωμέγα' }] });
    const source = { name: 'Α', url: 'https://kb.example/a', reported_by: 'partner.xq-7' };
    text.add({
      type: 'statement',
      index: 0,
      text: 'Β',
      sources: [source],
      support: 1,
      check: 'reported',
    });
    text.add({ type: 'removed', index: 0, text: 'Β', reason: 'Γ' });
    text.end({
      answer: 'Β',
      confidence: 0.3,
      metadata: { closest: [{ title: 'Δ' }], reported_by: 'partner.xq-7' },
    });
    const reported = filled(reportedBy, { name: 'Ωμέγα' });
    for (const each of [withdrawn, others, sources, reported])
      expect(text.content()).toContain(each);
    expect(text.content()).not.toContain('xq-7');
  },
);
