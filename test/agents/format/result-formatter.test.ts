import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';
import { describe, expect, it } from 'vitest';
import { validateAgentResponse } from '../../../src/agents/agent-response.ts';
import { resultFormatter } from '../../../src/agents/format/result-formatter.ts';
import { type AgentResponse, type DisplayBlock, DisplayModel } from '../../../src/contract/agent-response.ts';
import { ANSWERS } from '../agents-for-test.ts';
import CASES from './result-formatter.json' with { type: 'json' };

/** An analytics answer of these rows, valid by the contract. */
const analytics = (rows: Record<string, unknown>[], interpretation = 'Counted.') =>
  valid({
    ...ANSWERS.analytics,
    result: {
      ...{ sql_query: 'SELECT 1', columns: Object.keys(rows[0] ?? {}), row_count: rows.length },
      ...{ rows, interpretation },
    },
  });

const valid = (value: unknown): AgentResponse => {
  const read = validateAgentResponse(value);
  if (!read.ok) throw new Error(JSON.stringify(read.issues));
  return read.value;
};

const blockOf = <Kind extends DisplayBlock['kind']>(response: AgentResponse, kind: Kind) =>
  resultFormatter
    .toDisplay(response)
    .blocks.find((block): block is Extract<DisplayBlock, { kind: Kind }> => block.kind === kind);

const FOUND = { documents: [{}], summary: '', document_count: 1, similarity_threshold: 0.7 };

interface Node {
  type: string;
  url?: string;
  children?: Node[];
}

const treeOf = (markdown: string): Node[] => {
  const nodes: Node[] = [
    fromMarkdown(markdown, { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] }) as Node,
  ];
  for (let at = 0; at < nodes.length; at++) nodes.push(...(nodes[at]?.children ?? []));
  return nodes;
};

describe('toMarkdown()', () => {
  it.each(['analytics', 'semantic', 'web_search', 'hybrid'] as const)('shows the answer of type %s', (type) => {
    expect(resultFormatter.toMarkdown(ANSWERS[type]).split('\n')).toEqual(CASES.markdown[type]);
  });

  it('does not turn the text before a list entry with only a tag into a heading', () => {
    const synthesis = 'Do this first:\n- <script>\nThen the rest.';
    const markdown = resultFormatter.toMarkdown(
      valid({ ...ANSWERS.hybrid, result: { ...ANSWERS.hybrid.result, synthesis } }),
    );
    expect(treeOf(markdown).filter(({ type }) => type === 'heading')).toEqual([]);
    expect(markdown).toMatch(/^Do this first:\n\nThen the rest\./);
  });

  it('shows a failure with its code and advice, in both formats', () => {
    const metadata = { error_code: 'SERVICE_UNAVAILABLE', suggestion: 'Sync a knowledge base first' };
    const failed = { success: false, result: [], source_attribution: [], metadata, error: 'Cannot search' };
    const failure = valid({ ...ANSWERS.semantic, ...failed });
    const [shown, suggested] = ['Cannot search (SERVICE_UNAVAILABLE)', 'Sync a knowledge base first'];
    expect(resultFormatter.toMarkdown(failure)).toBe(`${shown}\n\n${suggested}`);
    expect(resultFormatter.toText(failure)).toBe(`${shown}\n${suggested}`);
  });

  it('states how many rows it omits', () => {
    const rows = Array.from({ length: 500 }, (_, at) => ({ name: `Part ${at}`, quantity: at }));
    const markdown = resultFormatter.toMarkdown(analytics(rows));
    expect(markdown.match(/^\| Part/gm)).toHaveLength(50);
    expect(markdown).toContain('… and 450 more rows');
    expect(resultFormatter.toMarkdown(analytics(rows), { rows: 10 })).toContain('… and 490 more rows');
  });

  it.each(Object.entries(CASES.cells))('escapes or shortens %s in a cell', (_, { value, shown }) => {
    expect(resultFormatter.toMarkdown(analytics([{ name: value }, { name: 'x' }]))).toContain(`| ${shown} |`);
  });

  it('links to pages only, and keeps an address within its link', () => {
    const document = (url: string) => ({ content: 'Text', score: 0.8, metadata: { title: 'T]', url } });
    const answer = (url: string) => valid({ ...ANSWERS.semantic, result: { ...FOUND, documents: [document(url)] } });
    expect(resultFormatter.toMarkdown(answer('https://a.example/x(1)?a=1&lt;=2'))).toContain(
      '- [T\\]](https://a.example/x%281%29?a=1&amp;lt;=2) (0.80): Text',
    );
    expect(resultFormatter.toMarkdown(answer('/docs/a.md#top'))).toContain('[T\\]](/docs/a.md#top)');
    for (const url of ['javascript:alert(1)', 'data:text/html,x', '//evil.example/x', 'x) [y](http://b.example']) {
      expect(resultFormatter.toMarkdown(answer(url))).not.toContain('](');
    }
  });

  it('starts no heading, list, quote, rule or code at the beginning of a line', () => {
    expect(resultFormatter.toMarkdown(analytics([], '2.8 % of the orders'))).toMatch(/^2\.8 % of the orders/);
    for (const text of ['# a', '> a', '+ a', '=== ', '12) a', '---', ':-:', '    a', '1234. a', '~~~', '```']) {
      const kinds = treeOf(resultFormatter.toMarkdown(analytics([], `a\n${text}\n\n${text}`))).map(({ type }) => type);
      expect(kinds.filter((kind) => !['root', 'paragraph', 'text', 'list', 'listItem'].includes(kind))).toEqual([]);
    }
  });

  it('shortens texts beyond the maximum length', () => {
    const long = analytics([{ name: 'x' }], 'word '.repeat(10_000));
    expect(resultFormatter.toMarkdown(long, { maxLength: 2000 }).length).toBeLessThanOrEqual(2000);
    expect(resultFormatter.toMarkdown(long)).toContain('…');
  });
});

describe('toText()', () => {
  it('shows a table in columns, as plain text', () => {
    expect(resultFormatter.toText(ANSWERS.analytics).split('\n')).toEqual(CASES.text);
  });

  it('shows documents and links as lines, each address below its title', () => {
    expect(resultFormatter.toText(ANSWERS.semantic)).toContain(
      '\n\npolicies.pdf (0.92)\n  Our return policy allows returns within 14 days...\n\n',
    );
    expect(resultFormatter.toText(ANSWERS.web_search, { rows: 1 })).toContain(
      '\n\niPhone 17 on Amazon: 949.99\n  https://amazon.com/...\n… and 1 more links\n\n',
    );
  });

  it('keeps characters with a meaning in Markdown', () => {
    expect(resultFormatter.toText(analytics([{ name: 'a | *b* <c>' }, { name: 'd' }]))).toContain('a | *b* <c>');
  });
});

describe('toDisplay()', () => {
  it.each(Object.entries(CASES.charts))('draws %s', (_, { rows, chart }) => {
    expect(blockOf(analytics(rows), 'chart')).toEqual({ kind: 'chart', ...chart });
  });

  it.each<[string, Record<string, unknown>[]]>([
    ...Object.entries(CASES.noChart),
    ['51 rows', Array.from({ length: 51 }, (_, at) => ({ a: `x${at}`, b: at }))],
  ])('draws nothing for %s', (_, rows) => {
    expect(blockOf(analytics(rows), 'chart')).toBeUndefined();
  });

  it('labels a chart of counts by currency when no column is an amount', () => {
    const rows = [
      { currency: 'EUR', orders: 5 },
      { currency: 'USD', orders: 3 },
    ];
    expect(blockOf(analytics(rows), 'chart')).toMatchObject({ labels: ['EUR', 'USD'] });
  });

  it('shows amounts in units of their currency, and no unit that repeats its column', () => {
    const rows = [
      { product_id: 2, units: 1234, revenue_cents: 12_345_650, cents: 5, currency: 'EUR' },
      { product_id: 3, units: 1, revenue_cents: null, cents: -1, currency: 'EUR' },
    ];
    expect(blockOf(analytics(rows), 'table')).toMatchObject({
      columns: [
        { label: 'Product id' },
        { label: 'Units', align: 'right' },
        { label: 'Revenue', unit: 'EUR', align: 'right' },
        { label: 'Amount', unit: 'EUR' },
        { label: 'Currency' },
      ],
      rows: [
        ['2', '1234', '123,456.50', '0.05', 'EUR'],
        ['3', '1', '–', '-0.01', 'EUR'],
      ],
    });
    expect(blockOf(analytics(rows), 'table')?.columns[1]).not.toHaveProperty('unit');
    const mixed = blockOf(analytics([...rows, { ...rows[0], currency: 'USD' }]), 'table');
    expect([mixed?.columns[2], mixed?.rows[2]?.[2]]).toEqual([{ label: 'Revenue', align: 'right' }, '123,456.50']);
    // Without a currency, hundredths have no known unit.
    expect(blockOf(analytics([{ total_cents: 150 }, { total_cents: 1 }]), 'table')).toMatchObject({
      columns: [{ label: 'Total cents' }],
      rows: [['150'], ['1']],
    });
  });

  it('shows each text of a hybrid answer once, and no empty detail of its source', () => {
    const [first, second] = ['It has 50 units in stock.', 'Returns: within **14** days.'];
    const found = { ...ANSWERS.analytics.result, interpretation: first };
    const parts = [
      { type: 'analytics', query: 'Stock?', result: found },
      { type: 'semantic', query: 'Returns?', result: { ...FOUND, documents: [], document_count: 0, summary: second } },
      {
        type: 'semantic',
        query: 'Else?',
        result: { ...FOUND, documents: [], document_count: 0, summary: 'Not said.' },
      },
    ];
    const result = { sub_queries: parts, synthesis: `${first}\n\n${second}`, sources_used: [] };
    const source_attribution = { ...ANSWERS.hybrid.source_attribution, details: { sources: [] } };
    const { blocks, attribution } = resultFormatter.toDisplay(valid({ ...ANSWERS.hybrid, result, source_attribution }));
    expect(blocks.map(({ kind, heading }) => [kind, heading])).toEqual([
      ['text', undefined],
      ['table', 'Stock?'],
      ['text', 'Else?'],
    ]);
    expect(attribution?.details).toEqual([]);
  });

  it('compares prices in words', () => {
    expect(blockOf(ANSWERS.web_search, 'price_comparison')).toMatchObject({
      product: 'iPhone 17',
      difference: -50,
      verdict: 'Our price is 999.99, the cheapest found is 949.99: 50.00 (5.0 %) less than ours.',
    });
  });

  it('shows failed parts, and states that parts of another shape cannot be shown', () => {
    const part = { type: 'analytics', query: 'How many?', result: {} };
    const failed = { ...part, success: false, error: 'Cannot count', metadata: { error_code: 'TIMEOUT' } };
    const coded = { ...part, success: false, error: 'Cannot count', error_code: 'DATA_SOURCE_ERROR' };
    const odd = { ...part, type: 'semantic', result: { documents: 'many' } };
    const shown = { ...part, type: 'semantic', result: { summary: 'Two weeks.' } };
    const result = { sub_queries: [failed, coded, odd, shown], synthesis: '', sources_used: [] };
    expect(resultFormatter.toDisplay(valid({ ...ANSWERS.hybrid, result })).blocks).toEqual([
      { kind: 'error', heading: 'How many?', message: 'Cannot count', code: 'TIMEOUT' },
      { kind: 'error', heading: 'How many?', message: 'Cannot count', code: 'DATA_SOURCE_ERROR' },
      { kind: 'text', heading: 'How many?', text: 'The result has a form that cannot be shown.' },
      { kind: 'text', heading: 'How many?', text: 'Two weeks.' },
    ]);
  });

  it('starts a web search with the prose of its answer', () => {
    const answer = 'The [Apollo](https://a.example) costs **5 EUR**.\n\nFound on the web:\n\n- [x](https://b.example)';
    const response = valid({ ...ANSWERS.web_search, metadata: { answer } });
    expect(resultFormatter.toDisplay(response).blocks[0]).toEqual({ kind: 'text', text: 'The Apollo costs 5 EUR.' });
  });

  it('quotes the pages of a web search, and gives the price of the product in its currency', () => {
    const external_results = [{ title: 'A', price: 5, currency: 'EUR', snippet: 'We *like* it.' }];
    const result = {
      ...ANSWERS.web_search.result,
      external_results,
      urls: [],
      product_info: { price: 949.5, currency: 'EUR' },
    };
    const response = valid({ ...ANSWERS.web_search, result });
    expect(blockOf(response, 'links')?.links).toEqual([{ title: 'A', price: '5.00 EUR', snippet: 'We *like* it.' }]);
    expect(resultFormatter.toMarkdown(response)).toContain('\n- A: 5.00 EUR: “We \\*like\\* it.”\n');
    expect(resultFormatter.toText(response)).toContain('\nA: 5.00 EUR\n  We *like* it.\n');
    expect(blockOf(response, 'table')?.rows).toEqual([['price', '949.50 EUR']]);
  });

  it.each([
    [{ answer: 'The web search found nothing for this question.' }, 'The web search found nothing for this question.'],
    [{}, 'Nothing was found.'],
  ])('states once that nothing was found: %j', (metadata, text) => {
    const result = { product_info: [], external_results: [], price_comparison: [], urls: [] };
    const { blocks } = resultFormatter.toDisplay(valid({ ...ANSWERS.web_search, result, metadata }));
    expect(blocks).toEqual([{ kind: 'text', text }]);
  });

  it('shows the rows of a quoted table as lines', () => {
    const documents = [
      { content: '| Device | Fans |\n| --- | --- |\n| Apollo | one |\n| Apollo II | two |', score: 0.9 },
    ];
    const response = valid({ ...ANSWERS.semantic, result: { ...FOUND, documents } });
    expect(blockOf(response, 'documents')?.documents[0]?.excerpt).toBe('Apollo: one\nApollo II: two');
  });

  it('removes Markdown from quoted documents', () => {
    const content = '## Steps\n\n1. Hold **Rinse** and see [the page](https://a.example).\n\n```sh\nls <name>\n```';
    const documents = [{ content, score: 0.9 }];
    const response = valid({ ...ANSWERS.semantic, result: { ...FOUND, documents, summary: 'ls <name>' } });
    expect(blockOf(response, 'documents')?.documents[0]?.excerpt).toBe(
      'Steps\n\n1. Hold Rinse and see the page.\n\nls <name>',
    );
    expect(blockOf(response, 'text')?.text).toBe('ls <name>');
  });
});

describe('For any answer,', () => {
  const piece = fc.constantFrom(...CASES.pieces, '\ud83d');
  const text = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.array(piece, { minLength: 300, maxLength: 900 }).map((parts) => parts.join('')),
  );
  const textOf = (maxLength: number) => text.map((each) => each.slice(0, maxLength));
  const filled = (maxLength: number) => textOf(maxLength).map((each) => (/\S/.test(each) ? each : 'x'));
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
  const analyticsResult = fc.tuple(columns, upTo(60, upTo(14, cell)), text).map(([columns, table, interpretation]) => {
    const rows = table.map((cells) => Object.fromEntries(columns.map((name, at) => [name, cells[at] ?? null])));
    return { sql_query: 'SELECT 1', columns, rows, row_count: rows.length, interpretation };
  });
  const place = fc.record({ title: text, url: fc.oneof(text, fc.webUrl()), heading: text });
  const semanticResult = fc
    .tuple(upTo(25, fc.record({ content: text, score, metadata: place })), text)
    .map(([documents, summary]) => ({ ...FOUND, documents, summary, document_count: documents.length }));
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
  const typed = Object.entries<fc.Arbitrary<unknown>>({ ...results, hybrid: hybridResult }).map(([type, result]) =>
    fc.tuple(fc.constant(type), result),
  );
  const answers = fc
    .tuple(fc.oneof(...typed), filled(4000), attribution, fc.option(filled(2000)))
    .map(([[type, result], query, source_attribution, error]) => ({
      ...{ success: error === null, metadata: {}, error },
      ...{ type, query, result, source_attribution },
    }))
    .filter((value) => validateAgentResponse(value).ok);

  it('the display model is valid and all its texts are plain', () => {
    const showsPlainly = fc.property(answers, (answer) => {
      const model = resultFormatter.toDisplay(valid(answer));
      expect(DisplayModel.safeParse(model).error?.issues).toBeUndefined();
      expect(JSON.stringify(model)).not.toMatch(/\\u0000|\u202e/);
    });
    fc.assert(showsPlainly, { numRuns: 300 });
  });

  it('its Markdown contains no tag, image or unsafe link, and its tables keep their rows and columns', () => {
    const isInert = fc.property(answers, (answer) => {
      const response = valid(answer);
      const markdown = resultFormatter.toMarkdown(response);
      expect(markdown.length).toBeLessThanOrEqual(64_000);
      expect(markdown).not.toContain('<');
      const nodes = treeOf(markdown);
      const isUnsafeLink = ({ type, url = '' }: Node) => type === 'link' && !/^(?:https?:\/\/|[^:]*$)/.test(url);
      expect(nodes.filter((node) => CASES.liveNodes.includes(node.type) || isUnsafeLink(node))).toEqual([]);
      const tables = resultFormatter.toDisplay(response).blocks.filter((block) => block.kind === 'table');
      const shapes = nodes
        .filter(({ type }) => type === 'table')
        .map(({ children = [] }) => children.map((row) => row.children?.length));
      if (/… and \d+ more parts?$/m.test(markdown)) return;
      expect(shapes.map((rows) => new Set(rows))).toEqual(tables.map(({ columns }) => new Set([columns.length])));
      if (markdown.length < 30_000)
        expect(shapes.map((rows) => rows.length - 1)).toEqual(tables.map(({ rows }) => rows.length));
    });
    fc.assert(isInert, { numRuns: 500 });
  });

  it('its Markdown and plain text respect the maximum length', () => {
    const isShort = fc.property(answers, fc.integer({ min: 1000, max: 5000 }), (answer, maxLength) => {
      expect(resultFormatter.toMarkdown(valid(answer), { maxLength }).length).toBeLessThanOrEqual(maxLength);
      expect(resultFormatter.toText(valid(answer), { maxLength }).length).toBeLessThanOrEqual(maxLength);
    });
    fc.assert(isShort, { numRuns: 200 });
  });
});
