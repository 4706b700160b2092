import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import {
  KnowledgeRetrieval,
  unavailableRetrieval,
  WeakKnowledgeRetrieval,
} from '../../../src/contract/wire/knowledge.ts';
import { createRetriever, type SemanticUse } from '../../../src/knowledge/search/retrieve.ts';
import { searchEdition } from '../../../src/knowledge/search/search-edition.ts';
import { knowledgeBlock } from '../../../src/support/retrieval/knowledge.ts';
import { editionOf, entryOf, retrieved, SAMPLE, sampleEdition } from './sample-edition.ts';

const SEED = {
  intent: 'not_hashing',
  message: 'My Apollo shows 0 H/s for 3 days. Already tried restarting.',
};
const retrieve = createRetriever({});
const fails = () => {
  throw new Error('down');
};
/** Never returns. */
const never = () => new Promise<never>(() => undefined);
/** Lexical retrieval that says this of its embeddings. */
const withSemantic =
  (semantic: SemanticUse): typeof retrieve =>
  async (...given) => ({ ...(await retrieve(...given)), semantic });
const titlesOf = ({ sources_consulted }: Pick<KnowledgeRetrieval, 'sources_consulted'>) =>
  sources_consulted.map(({ title }) => title);

it('answers the example of the contract with high coverage, the right articles and no gap', async () => {
  const knowledge = await retrieved({
    ...SEED,
    metadata: { product: 'Apollo II', attachments: ['debug.log'] },
  });
  expect(KnowledgeRetrieval.parse(knowledgeBlock(knowledge))).toEqual(knowledgeBlock(knowledge));
  expect(knowledge).toMatchObject({ coverage: 'high', gaps: [], edition: sampleEdition.id });
  expect(titlesOf(knowledge)).toEqual(['Device is not hashing (0 H/s)', 'Apollo II not hashing']);
  expect(knowledge.sources_consulted[0]?.excerpt).toContain('0 H/s');
  expect(knowledge.evidence?.articles).toHaveLength(2);
});
it('returns a valid block for any input', async () => {
  const anything = fc.anything({
    withBigInt: true,
    withNullPrototype: true,
    withObjectString: true,
  });
  const word = fc.constantFrom(
    'Apollo II',
    '0 H/s',
    'Wi-Fi',
    '?',
    '\n',
    'fan',
    'Zigbee',
    '😀',
    '\ud83d',
    '|',
    '> ',
  );
  const words = fc.array(word, { maxLength: 40 }).map((all) => all.join(' '));
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), words, anything);
  const question = fc.record(
    {
      intent: fc.oneof(fc.constantFrom('not_hashing', 'unknown', 'none_such'), anything),
      message: text,
      subject: text,
      customer_name: text,
      include_weak: fc.oneof(fc.boolean(), anything),
      metadata: fc.oneof(fc.record({ product: text, attachments: anything }), anything),
    },
    { requiredKeys: [] },
  );
  const property = fc.asyncProperty(fc.oneof(question, anything), async (given) => {
    // Callers without type checks may pass anything.
    const block = knowledgeBlock(await retrieved(given as Parameters<typeof retrieved>[0]));
    expect(WeakKnowledgeRetrieval.parse(block)).toEqual(block);
    const isWeakShown =
      (given as { include_weak?: unknown } | null | undefined)?.include_weak === true;
    if (!isWeakShown) KnowledgeRetrieval.parse(block);
    for (const { excerpt, title } of block.sources_consulted)
      expect(`${excerpt}${title}`.isWellFormed()).toBe(true);
    expect(new Set(block.sources_consulted.map(({ url }) => url)).size).toBe(
      block.sources_consulted.length,
    );
    expect(block.gaps.length).toBeLessThanOrEqual(5);
  });
  await fc.assert(property, { numRuns: 300 });
});
it('answers a message of a million characters', async () => {
  const message = 'My Apollo shows 0 H/s. '.repeat(45_000);
  expect(await retrieved({ ...SEED, message })).toMatchObject({ coverage: 'high' });
});
it.each([
  ['an edition that does not load', { edition: never }, 'timeout'],
  ['an edition that fails', { edition: () => Promise.reject(new Error('down')) }, 'unavailable'],
  ['an edition that throws', { edition: fails }, 'unavailable'],
  ['an invalid edition', { edition: async () => ({}) as never }, 'unavailable'],
  ['a mask that throws', { mask: fails }, 'unavailable'],
] as const)('returns the documented block for %s, and the reason', async (_, options, why) => {
  const faults: string[] = [];
  const onFault = (where: string) => void faults.push(where);
  const knowledge = await retrieved(SEED, { ...options, timeoutMs: 30, onFault });
  expect([knowledge, faults]).toEqual([unavailableRetrieval(why), ['retrieve knowledge']]);
});
it.each<[string, typeof retrieve, string[] | undefined]>([
  ['never arrive', never, ['embeddings']],
  ['throw', () => Promise.reject(new Error('down')), ['embeddings']],
  ['are late', withSemantic('late'), ['embeddings']],
  ['fail', withSemantic('failed'), ['embeddings']],
  ['are used', withSemantic('used'), undefined],
  ['are absent', withSemantic('absent'), undefined],
])(
  'returns results when embeddings %s, and reports what is degraded',
  async (_, custom, degraded) => {
    const knowledge = await retrieved(SEED, { retrieve: custom });
    expect([knowledge.coverage, knowledge.degraded]).toEqual(['high', degraded]);
  },
);
it.each([
  ['the edition does not load', { edition: never }, 'timeout'],
  ['embeddings never arrive', { retrieve: never }, 'embeddings'],
])('answers within 100 ms when %s', async (_, options, reason) => {
  vi.useFakeTimers();
  try {
    const answered = retrieved(SEED, { ...options, now: Date.now });
    await vi.advanceTimersByTimeAsync(100);
    const { degraded, retrieval_time_ms } = await Promise.race([
      answered,
      Promise.reject(new Error('too late')),
    ]);
    expect(degraded).toEqual([reason]);
    expect(retrieval_time_ms).toBeLessThanOrEqual(100);
  } finally {
    vi.useRealTimers();
  }
});
it('finds an article by its embedding without a common word', async () => {
  const message = 'Mein Gerät tut gar nichts mehr';
  const chunk = sampleEdition.article(
    sampleEdition.findArticle('troubleshooting/not-hashing.md'),
  ).firstChunk;
  const near = [0.95, 0.3].map((similarity, at) => ({ chunk: at === 0 ? chunk : 0, similarity }));
  const custom: typeof retrieve = async (edition, question, options) => ({
    outcome: searchEdition(edition, question, options, { model: 'text-embedding-3-small', near }),
    semantic: 'used',
  });
  const question = { intent: 'not_hashing', message };
  expect(titlesOf(await retrieved(question))).toEqual([]);
  expect(titlesOf(await retrieved(question, { retrieve: custom }))[0]).toBe(
    'Device is not hashing (0 H/s)',
  );
});
it('returns the available results when the request is aborted', async () => {
  const signal = AbortSignal.abort();
  expect(await retrieved(SEED, { signal })).toMatchObject({
    coverage: 'high',
    degraded: ['embeddings'],
  });
  expect(await retrieved(SEED, { signal, edition: never })).toEqual(
    unavailableRetrieval('timeout'),
  );
});
it('measures the wait for the edition, and computation by a clock that stops while code runs', async () => {
  // As on Cloudflare: the clock shows the time of the last event.
  let clock = 0;
  const events = setInterval(() => (clock = performance.now()), 0);
  const edition = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return sampleEdition;
  };
  const onStep = (step: string) => {
    const end = performance.now() + 20;
    while (step === 'format' && performance.now() < end);
  };
  const begun = performance.now();
  clock = begun;
  const { retrieval_time_ms } = await retrieved(SEED, { edition, now: () => clock, onStep });
  clearInterval(events);
  expect(retrieval_time_ms).toBeGreaterThanOrEqual(40);
  expect(retrieval_time_ms).toBeLessThanOrEqual(Math.ceil(performance.now() - begun));
});
it.each([
  ['the sentences', 'query', false],
  ['the gaps', 'filter', true],
])(
  'omits the remaining work when the deadline passes before %s, and reports it',
  async (_, step, hasAllSources) => {
    let clock = 0;
    const message =
      'The fan is loud. The dashboard does not open. Can I pair my Apollo III with a Zigbee hub?';
    const question = { intent: 'general_info', message, include_weak: true };
    const whole = await retrieved(question);
    const onStep = (done: string) => {
      if (done === step) clock = 96;
    };
    const late = await retrieved(question, { now: () => clock, onStep });
    expect(late).toMatchObject({
      gaps: [],
      degraded: expect.arrayContaining(['timeout']),
      retrieval_time_ms: 96,
    });
    expect(whole.gaps).not.toEqual([]);
    const isSame =
      JSON.stringify(late.sources_consulted) === JSON.stringify(whole.sources_consulted);
    expect(isSame).toBe(hasAllSources);
  },
);
it.each([
  [500, 'https://docs.example.com/'.padEnd(500, 'x')],
  [501, 'fans.md'],
])('keeps an address of %i characters whole, or returns the id instead', async (length, shown) => {
  const entry = entryOf(
    'fans.md',
    { title: 'Fan noise' },
    'Clean the fan every month with compressed air.',
  );
  const url = 'https://docs.example.com/'.padEnd(length, 'x');
  const edition = editionOf([
    { ...entry, article: { ...entry.article, url } },
    ...SAMPLE.slice(0, 10),
  ]);
  const message = 'How do I clean the fan with compressed air every month?';
  const { sources_consulted } = await retrieved(
    { intent: 'x', message, include_weak: true },
    { edition },
  );
  expect(sources_consulted.find(({ title }) => title === 'Fan noise')?.url).toBe(shown);
});
it('reports whole milliseconds of the given clock, at least 1', async () => {
  const timeOf = async (now: () => number) =>
    (await retrieved({ intent: 'x', message: 'fan' }, { now })).retrieval_time_ms;
  const times = [0, 0];
  expect(await timeOf(() => times.shift() ?? 28.4)).toBe(28);
  expect(await timeOf(() => 5)).toBe(1);
});
it('masks personal data before search and embedding', async () => {
  const seen: string[] = [];
  const custom: typeof retrieve = (edition, question, options) => {
    seen.push(question);
    return retrieve(edition, question, options);
  };
  const mask = (text: string) => text.replaceAll('ann@example.org', '[email]');
  const message = 'Write to ann@example.org when the fan is quiet.';
  await retrieved(
    { intent: 'noise', message, subject: 'ann@example.org' },
    { retrieve: custom, mask },
  );
  expect(seen.join()).not.toContain('ann@example.org');
  expect(seen.join()).toContain('fan');
});
it('finds nothing by the placeholders of personal data', async () => {
  const weak = { intent: 'unknown', message: '[name]\n[email] [key]', include_weak: true };
  expect(await retrieved(weak)).toMatchObject({
    sources_consulted: [],
    coverage: 'none',
    gaps: [],
  });
  expect(titlesOf(await retrieved({ ...weak, message: 'name' }))).not.toEqual([]);
});
it('includes weak sources only on request', async () => {
  const question = { intent: 'network_issue', message: 'wifi on apollo 3?' };
  const [strict, weak] = [
    await retrieved(question),
    await retrieved({ ...question, include_weak: true }),
  ];
  expect([strict.sources_consulted, weak.coverage]).toEqual([[], strict.coverage]);
  expect(weak.sources_consulted.length).toBeGreaterThan(0);
  expect(weak.sources_consulted.every(({ relevance_score }) => relevance_score < 0.7)).toBe(true);
});
it('never counts an article on another device for the named one', async () => {
  const question = {
    intent: 'network_issue',
    message: 'How do I connect to Wi-Fi?',
    include_weak: true,
  };
  const title = 'Use Wi-Fi with Apollo and Apollo II';
  expect(titlesOf(await retrieved({ ...question, metadata: { product: 'Apollo II' } }))[0]).toBe(
    title,
  );
  const others = await retrieved({ ...question, metadata: { product: 'Apollo III' } });
  const found = others.sources_consulted.find((source) => source.title === title);
  expect(found?.relevance_score ?? 0).toBeLessThan(0.7);
});
it.each([2, 3, 5])(
  'lists weak sources best first, whatever product they are for: %i articles',
  async (count) => {
    const device = { title: 'Apollo II hashrate', devices: ['Apollo II'] };
    const text = 'If your Apollo shows 0 H/s for days, restart it, then check the pool.';
    const others = Array.from({ length: count - 1 }, (_, at) =>
      entryOf(
        `o${at}.md`,
        { title: `Note ${at}` },
        `The grinder number ${at} shows its speed on its lid.`,
      ),
    );
    const edition = editionOf([...others, entryOf('a.md', device, text)]);
    const question = { ...SEED, metadata: { product: 'Apollo III' }, include_weak: true };
    const { sources_consulted } = await retrieved(question, { edition });
    const scores = sources_consulted.map(({ relevance_score }) => relevance_score);
    expect(scores).toEqual(scores.toSorted((one, other) => other - one));
    expect(sources_consulted[0]?.title).toBe(device.title);
  },
);
it('lists sources best first for any message', async () => {
  const word = fc.constantFrom(
    'Apollo',
    'Apollo II',
    'Apollo III',
    '0 H/s',
    'Wi-Fi',
    'fan',
    'pool',
    'reset',
    'firmware 2.1',
  );
  const property = fc.asyncProperty(
    fc.array(word, { minLength: 1, maxLength: 12 }),
    word,
    async (words, product) => {
      const question = {
        intent: 'not_hashing',
        message: words.join(' '),
        metadata: { product },
        include_weak: true,
      };
      const scores = (await retrieved(question)).sources_consulted.map(
        ({ relevance_score }) => relevance_score,
      );
      expect(scores).toEqual(scores.toSorted((one, other) => other - one));
    },
  );
  await fc.assert(property, { numRuns: 200 });
});
/** A search that computes for so long, without waiting for anything. */
const computing =
  (ms: number): typeof retrieve =>
  (...given) => {
    const end = performance.now() + ms;
    while (performance.now() < end);
    return retrieve(...given);
  };
it.each([
  ['moves while code runs', Date.now, undefined],
  ['stands still while code runs', undefined, undefined],
  ['stands still, after a wait', undefined, 20],
] as const)(
  'lets no source leave after 100 ms, by a clock that %s',
  async (_, given, editionTakesMs) => {
    let clock = performance.now();
    const events = setInterval(() => (clock = performance.now()), 0);
    const edition = async () => {
      if (editionTakesMs !== undefined)
        await new Promise((resolve) => setTimeout(resolve, editionTakesMs));
      return sampleEdition;
    };
    try {
      const now = given ?? (() => clock);
      const late = await retrieved(SEED, {
        edition,
        retrieve: computing(130),
        now,
        onFault: () => undefined,
      });
      expect(late).toEqual(unavailableRetrieval('timeout'));
    } finally {
      clearInterval(events);
    }
  },
);
it('lets no source leave when the last step ends after 100 ms', async () => {
  let clock = 0;
  const onStep = (done: string) => {
    if (done === 'format') clock = 101;
  };
  const late = await retrieved(SEED, { now: () => clock, onStep, onFault: () => undefined });
  expect(late).toEqual(unavailableRetrieval('timeout'));
  clock = 0;
  const inTime = (done: string) => {
    if (done === 'format') clock = 100;
  };
  expect(await retrieved(SEED, { now: () => clock, onStep: inTime })).toMatchObject({
    retrieval_time_ms: 100,
  });
});
it.each(['Brewer 1', 'Brewer 9'])(
  'applies an article without devices to every device: %s',
  async (product) => {
    const text = 'Descale the boiler every 60 days with citric acid.';
    const grinder = { title: 'Clean the grinder', devices: ['Brewer 1'] };
    const other = entryOf('x.md', grinder, 'Empty the grinder and brush it.');
    const edition = editionOf([
      entryOf('general.md', { title: 'Descale the boiler' }, text),
      other,
    ]);
    const message = 'How often must the boiler be descaled with citric acid?';
    const knowledge = await retrieved(
      { intent: 'unknown', message, metadata: { product } },
      { edition },
    );
    expect([titlesOf(knowledge), knowledge.gaps]).toEqual([['Descale the boiler'], []]);
  },
);
it.each([
  ['pairing', 'Lamp and button'],
  ['reset', 'Button and lamp'],
])('ranks an article with the label of the intent first: %s', async (intent, title) => {
  const text = 'Hold the button for five seconds until the lamp blinks.';
  const edition = editionOf([
    entryOf('a.md', { title: 'Lamp and button', intents: ['pairing'] }, text),
    entryOf('b.md', { title: 'Button and lamp', intents: ['reset'] }, text),
    ...SAMPLE.slice(0, 10),
  ]);
  const message = 'How long do I hold the button until the lamp blinks?';
  expect(titlesOf(await retrieved({ intent, message, include_weak: true }, { edition }))[0]).toBe(
    title,
  );
});
it('returns nothing for an edition without articles', async () => {
  const knowledge = await retrieved({ intent: 'x', message: 'fan' }, { edition: editionOf([]) });
  expect(knowledge).toMatchObject({ sources_consulted: [], coverage: 'none', gaps: [] });
});
