import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AgentResponse,
  type DisplayBlock,
  DisplayModel,
} from '../../../../src/contract/wire/agent-response.ts';
import { validateAgentResponse } from '../../../../src/librarians/agents/agent-response.ts';
import { resultFormatter } from '../../../../src/librarians/agents/format/result-formatter.ts';
import { ANSWERS, markdownNodes } from '../agents-for-test.ts';
import CASES from './result-formatter.json' with { type: 'json' };

/** An analytics answer of these rows, valid by the contract. */
const analytics = (rows: Record<string, unknown>[], interpretation = 'Counted.') =>
  valid({
    ...ANSWERS.analytics,
    result: {
      sql_query: 'SELECT 1',
      columns: Object.keys(rows[0] ?? {}),
      row_count: rows.length,
      rows,
      interpretation,
    },
  });

const valid = (value: unknown): AgentResponse => {
  const read = validateAgentResponse(value);
  if (!read.ok) throw new Error(JSON.stringify(read.issues));
  return read.value;
};

const blockOf = <Kind extends DisplayBlock['kind']>(response: AgentResponse, kind: Kind) =>
  toDisplay(response).blocks.find(
    (block): block is Extract<DisplayBlock, { kind: Kind }> => block.kind === kind,
  );

/** An answer with these members of its result, and the blocks that it is shown as. */
interface Display {
  type: keyof typeof ANSWERS;
  result: object;
  metadata?: object;
  details?: object;
  blocks: object[];
}

const { toMarkdown, toText, toDisplay } = resultFormatter;

/** An answer of a type whose result has other members. */
const withResult = (type: keyof typeof ANSWERS, change: object, more: object = {}) =>
  valid({ ...ANSWERS[type], result: { ...ANSWERS[type].result, ...change }, ...more });

/** A semantic answer that found this document. */
const ofDocument = (document: object, summary = '') =>
  withResult('semantic', { documents: [document], document_count: 1, summary });

describe('toMarkdown()', () => {
  it.each(['analytics', 'semantic', 'web_search', 'hybrid'] as const)(
    'shows the answer of type %s',
    (type) => {
      expect(toMarkdown(ANSWERS[type]).split('\n')).toEqual(CASES.markdown[type]);
    },
  );
  it('does not turn the text before a list entry with only a tag into a heading', () => {
    const markdown = toMarkdown(
      withResult('hybrid', { synthesis: 'Do this first:\n- <script>\nThen the rest.' }),
    );
    expect(markdownNodes(markdown).filter(({ type }) => type === 'heading')).toEqual([]);
    expect(markdown).toMatch(/^Do this first:\n\nThen the rest\./);
  });
  it('shows a failure with its code and advice, in both formats', () => {
    const metadata = {
      error_code: 'SERVICE_UNAVAILABLE',
      suggestion: 'Sync a knowledge base first',
    };
    const failed = {
      success: false,
      result: [],
      source_attribution: [],
      metadata,
      error: 'Cannot search',
    };
    const failure = valid({ ...ANSWERS.semantic, ...failed });
    const [shown, suggested] = [
      'Cannot search (SERVICE_UNAVAILABLE)',
      'Sync a knowledge base first',
    ];
    expect(toMarkdown(failure)).toBe(`${shown}\n\n${suggested}`);
    expect(toText(failure)).toBe(`${shown}\n${suggested}`);
  });
  it('states how many rows it omits', () => {
    const rows = Array.from({ length: 500 }, (_, at) => ({ name: `Part ${at}`, quantity: at }));
    const markdown = toMarkdown(analytics(rows));
    expect(markdown.match(/^\| Part/gm)).toHaveLength(50);
    expect(markdown).toContain('… and 450 more rows');
    expect(toMarkdown(analytics(rows), { rows: 10 })).toContain('… and 490 more rows');
  });
  it.each(Object.entries(CASES.cells))(
    'escapes or shortens %s in a cell',
    (_, { value, shown }) => {
      expect(toMarkdown(analytics([{ name: value }, { name: 'x' }]))).toContain(`| ${shown} |`);
    },
  );
  it('links to pages only, and keeps an address within its link', () => {
    const shown = (url: string) =>
      toMarkdown(ofDocument({ content: 'Text', score: 0.8, metadata: { title: 'T]', url } }));
    expect(shown('https://a.example/x(1)?a=1&lt;=2')).toContain(
      '- [T\\]](https://a.example/x%281%29?a=1&amp;lt;=2) (0.80): Text',
    );
    expect(shown('/docs/a.md#top')).toContain('[T\\]](/docs/a.md#top)');
    for (const url of [
      'javascript:alert(1)',
      'data:text/html,x',
      '//evil.example/x',
      'x) [y](http://b.example',
    ])
      expect(shown(url)).not.toContain('](');
  });
  it('starts no heading, list, quote, rule or code at the beginning of a line', () => {
    expect(toMarkdown(analytics([], '2.8 % of the orders'))).toMatch(/^2\.8 % of the orders/);
    for (const text of [
      '# a',
      '> a',
      '+ a',
      '=== ',
      '12) a',
      '---',
      ':-:',
      '    a',
      '1234. a',
      '~~~',
      '```',
    ]) {
      const kinds = markdownNodes(toMarkdown(analytics([], `a\n${text}\n\n${text}`))).map(
        ({ type }) => type,
      );
      expect(
        kinds.filter((kind) => !['root', 'paragraph', 'text', 'list', 'listItem'].includes(kind)),
      ).toEqual([]);
    }
  });

  it('shortens texts beyond the maximum length', () => {
    const long = analytics([{ name: 'x' }], 'word '.repeat(10_000));
    expect(toMarkdown(long, { maxLength: 2000 }).length).toBeLessThanOrEqual(2000);
    expect(toMarkdown(long)).toContain('…');
  });
});

describe('toText()', () => {
  it('shows a table in columns, as plain text', () => {
    expect(toText(ANSWERS.analytics).split('\n')).toEqual(CASES.text);
  });

  it('quotes the pages of a web search', () => {
    const external_results = [{ title: 'A', price: 5, currency: 'EUR', snippet: 'We *like* it.' }];
    const response = withResult('web_search', { external_results });
    expect(toMarkdown(response)).toContain('\n- A: 5.00 EUR: “We \\*like\\* it.”\n');
    expect(toText(response)).toContain('\nA: 5.00 EUR\n  We *like* it.\n');
  });

  it('shows documents and links as lines, each address below its title', () => {
    expect(toText(ANSWERS.semantic)).toContain(
      '\n\npolicies.pdf (0.92)\n  Our return policy allows returns within 14 days...\n\n',
    );
    expect(toText(ANSWERS.web_search, { rows: 1 })).toContain(
      '\n\niPhone 17 on Amazon: 949.99\n  https://amazon.com/...\n… and 1 more links\n\n',
    );
  });

  it('keeps characters with a meaning in Markdown', () => {
    expect(toText(analytics([{ name: 'a | *b* <c>' }, { name: 'd' }]))).toContain('a | *b* <c>');
  });
});

describe('toDisplay()', () => {
  it.each(Object.entries(CASES.charts))('draws %s', (_, { rows, chart }) => {
    expect(blockOf(analytics(rows), 'chart')).toEqual({ kind: 'chart', ...chart });
  });

  it.each<[string, Record<string, unknown>[]]>([
    ...Object.entries(CASES.noChart),
    ['51 rows', Array.from({ length: 51 }, (_, at) => ({ a: `x${at}`, b: at }))],
  ])('draws nothing for %s', (_, rows) =>
    expect(blockOf(analytics(rows), 'chart')).toBeUndefined(),
  );

  it.each(Object.entries(CASES.tables))('shows %s', (_, { rows, columns, cells }) => {
    const table = blockOf(analytics(rows), 'table');
    expect([table?.columns, table?.rows]).toEqual([columns, cells]);
  });

  const DISPLAYS = Object.entries(CASES.displays as unknown as Record<string, Display>);
  it.each(DISPLAYS)('shows %s', (_, { type, result, metadata = {}, details, blocks }) => {
    const attribution = { ...ANSWERS[type].source_attribution, ...(details ? { details } : {}) };
    const shown = toDisplay(
      withResult(type, result, { metadata, source_attribution: attribution }),
    );
    expect(shown.blocks).toMatchObject(blocks);
    if (details) expect(shown.attribution?.details).toEqual([]);
  });
});

const piece = fc.constantFrom(...CASES.pieces, '\ud83d');
const text = fc.oneof(
  fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.array(piece, { minLength: 300, maxLength: 900 }).map((parts) => parts.join('')),
);
const textOf = (maxLength: number) => text.map((each) => each.slice(0, maxLength));
const filled = (maxLength: number) =>
  textOf(maxLength).map((each) => (/\S/.test(each) ? each : 'x'));
const number = fc.double({ noNaN: true, noDefaultInfinity: true });
const score = fc.double({ min: 0, max: 1, noNaN: true });
const nested = fc.constant({ a: ['<b>|'] });
const cell = fc.oneof(text, number, fc.boolean(), fc.constant(null), nested);
const key = fc.string({ maxLength: 9 }).filter((name) => name !== '__proto__');
const upTo = <T>(maxLength: number, each: fc.Arbitrary<T>) => fc.array(each, { maxLength });
const columns = fc.uniqueArray(
  textOf(300).filter((name) => name !== '__proto__'),
  { maxLength: 14 },
);
const analyticsResult = fc
  .tuple(columns, upTo(60, upTo(14, cell)), text)
  .map(([columns, table, interpretation]) => {
    const rows = table.map((cells) =>
      Object.fromEntries(columns.map((name, at) => [name, cells[at] ?? null])),
    );
    return { sql_query: 'SELECT 1', columns, rows, row_count: rows.length, interpretation };
  });
const place = fc.record({ title: text, url: fc.oneof(text, fc.webUrl()), heading: text });
const semanticResult = fc
  .tuple(upTo(25, fc.record({ content: text, score, metadata: place })), text)
  .map(([documents, summary]) => ({
    documents,
    summary,
    document_count: documents.length,
    similarity_threshold: 0.7,
  }));
const webResult = fc.record({
  product_info: fc.dictionary(key, cell, { maxKeys: 4 }),
  external_results: upTo(
    25,
    fc.record({
      title: textOf(1000),
      price: fc.option(number),
      url: fc.webUrl({ withFragments: true, withQueryParameters: true }),
      currency: text,
    }),
  ),
  price_comparison: fc.record({ internal_price: number, difference: fc.option(number) }),
  urls: upTo(5, fc.webUrl()),
});
const partOf = ([type, result]: [string, fc.Arbitrary<unknown>]) =>
  fc.record({
    type: fc.constant(type),
    query: filled(4000),
    result: fc.oneof(result, fc.constant({}), fc.constant({ summary: '<b>|' })),
    error: fc.option(text),
  });
const results = { analytics: analyticsResult, semantic: semanticResult, web_search: webResult };
const hybridResult = fc.record({
  sub_queries: upTo(4, fc.oneof(...Object.entries<fc.Arbitrary<unknown>>(results).map(partOf))),
  synthesis: text,
  sources_used: fc.constant([]),
});
const attribution = fc.record({
  primary_source: filled(200),
  icon: textOf(32),
  details: fc.dictionary(key, text, { maxKeys: 9 }),
  confidence: score,
});
const typed = Object.entries<fc.Arbitrary<unknown>>({ ...results, hybrid: hybridResult }).map(
  ([type, result]) => fc.tuple(fc.constant(type), result),
);
const answers = fc
  .tuple(fc.oneof(...typed), filled(4000), attribution, fc.option(filled(2000)))
  .map(([[type, result], query, source_attribution, error]) => ({
    success: error === null,
    metadata: {},
    error,
    type,
    query,
    result,
    source_attribution,
  }))
  .filter((value) => validateAgentResponse(value).ok);

it('For any answer, every format is valid, bounded and inert, and its tables keep their rows and columns', () => {
  const isInert = fc.property(
    answers,
    fc.integer({ min: 1000, max: 5000 }),
    (answer, maxLength) => {
      const response = valid(answer);
      const model = toDisplay(response);
      expect(DisplayModel.safeParse(model).error?.issues).toBeUndefined();
      expect(JSON.stringify(model)).not.toMatch(/\\u0000|\u202e/);
      for (const write of [toMarkdown, toText])
        expect(write(response, { maxLength }).length).toBeLessThanOrEqual(maxLength);
      const markdown = toMarkdown(response);
      expect(markdown.length).toBeLessThanOrEqual(64_000);
      expect(markdown).not.toContain('<');
      const nodes = markdownNodes(markdown);
      const isUnsafe = ({ type, url = '' }: (typeof nodes)[number]) =>
        CASES.liveNodes.includes(type) || (type === 'link' && !/^(?:https?:\/\/|[^:]*$)/.test(url));
      expect(nodes.filter(isUnsafe)).toEqual([]);
      if (/… and \d+ more parts?$/m.test(markdown)) return;
      const tables = model.blocks.filter((block) => block.kind === 'table');
      const shapes = nodes.flatMap(({ type, children = [] }) =>
        type === 'table' ? [children.map((row) => row.children?.length)] : [],
      );
      expect(shapes.map((rows) => new Set(rows))).toEqual(
        tables.map(({ columns }) => new Set([columns.length])),
      );
      if (markdown.length < 30_000)
        expect(shapes.map((rows) => rows.length - 1)).toEqual(
          tables.map(({ rows }) => rows.length),
        );
    },
  );
  fc.assert(isInert, { numRuns: 300 });
});
