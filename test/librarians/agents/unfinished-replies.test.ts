import { expect, it } from 'vitest';
import type { AICompletion } from '../../../src/contract/core/librarian.ts';
import { cachedChunk } from '../../../src/knowledge/edition/open-edition.ts';
import { proposeSplit } from '../../../src/librarians/hybrid/split-query.ts';
import { modelSummary } from '../../../src/librarians/semantic/summaries.ts';
import { summariseResults } from '../../../src/librarians/web-search/answer.ts';
import { webResult } from '../../../src/librarians/web-search/web-search.ts';
import { scriptedModel } from '../../answering/write/scripted-model.ts';
import { openSmallKb } from '../../answering/write/small-kb.ts';

const { signal } = new AbortController();
const chunk = cachedChunk(openSmallKb().edition, 0);
const sentence = `${chunk.text.split('. ')[0]}.`;
const SNIPPET = 'The mixer is safe for children only under supervision of an adult.';
const found = webResult(
  { title: 'Acme mixer', snippet: SNIPPET, url: 'https://a.example/x' },
  'us',
);
const QUESTION = 'orders of last week and the returns policy';
const SPLIT = { sub_queries: [{ type: 'semantic', query: QUESTION }] };

/** One statement, quoted from the first passage. */
const stating = (text: string, quote = text) =>
  JSON.stringify({
    parts: [],
    statements: [{ part: 1, quotes: [{ passage: 'p1', quote }], text }],
    missing: '',
    related: [],
  });

const ended = (text: string, finish: AICompletion['finish']) => ({
  ...scriptedModel(),
  complete: async () => ({ text, ...(finish === undefined ? {} : { finish }) }),
});

type IsAccepted = (finish: AICompletion['finish']) => Promise<boolean>;
const FINISHES = ['stop', undefined, 'length', 'filtered', 'refused'] as const;
const limits = { signal, timeoutMs: 5000, timeMs: 5000 };
const passage = { chunk, score: 1, rank: 1, isNear: false } as never; // the fields that are read
const findings = { results: found === undefined ? [] : [found], isAboutPrice: false };

const CALLS = Object.entries<IsAccepted>({
  'modelSummary()': async (finish) =>
    'text' in
    (await modelSummary('boiler', [passage], { ai: ended(stating(sentence), finish), ...limits })),
  'summariseResults()': async (finish) => {
    const options = { ai: ended(stating(SNIPPET), finish), ...limits };
    return (
      (await summariseResults('Is the Acme mixer safe?', findings, options)).summary !== undefined
    );
  },
  'proposeSplit()': async (finish) =>
    (await proposeSplit(QUESTION, { ai: ended(JSON.stringify(SPLIT), finish), ...limits })) !==
    undefined,
});
it.each(CALLS)(
  '%s accepts a complete reply, and none that was cut off, filtered or refused',
  async (_, isAccepted) => {
    const outcomes = await Promise.all(FINISHES.map(isAccepted));
    expect(outcomes).toEqual([true, true, false, false, false]);
  },
);
