import { describe } from 'vitest';
import { DisplayModel } from '../../src/contract/display-model.ts';
import { ABSENT, itRefuses, itTakes } from './it-refuses.ts';

const TABLE = {
  kind: 'table',
  columns: [{ label: 'Quantity', align: 'right', unit: 'units' }],
  rows: [['50']],
  row_count: 1,
  hidden_columns: 0,
};
const CHART = {
  kind: 'chart',
  form: 'line',
  label: 'Month',
  labels: ['2026-01', '2026-02'],
  series: [{ name: 'Orders', values: [3, null] }],
};
const LINKS = { kind: 'links', links: [{ title: 'A shop', url: 'https://shop.example' }], link_count: 1 };
const DOCUMENTS = {
  kind: 'documents',
  documents: [{ title: 'Returns', url: '/docs/returns', excerpt: 'Two weeks.', score: 0.9 }],
  document_count: 1,
};
const PRICES = { kind: 'price_comparison', internal_price: 10, currency: 'EUR', verdict: 'Our price is 10.00 EUR.' };
const ERROR = { kind: 'error', message: 'Cannot count', code: 'TIMEOUT' };
const MODEL = {
  type: 'hybrid',
  query: 'How many?',
  blocks: [{ kind: 'text', heading: 'Stock', text: 'There are 50.' }, TABLE, CHART, LINKS, DOCUMENTS, PRICES, ERROR],
  attribution: { icon: '🔀', primary_source: 'Mixed', confidence: 0.8, level: 'high', details: ['sources: a, b'] },
};

describe('DisplayModel', () => {
  itTakes(DisplayModel, {
    'every kind of block': MODEL,
    'a model without blocks or attribution': { type: 'semantic', query: 'x', blocks: [] },
  });

  itRefuses(DisplayModel, MODEL, [
    ['another kind of block', 'blocks.0.kind', 'html', /./],
    ['a text that is missing', 'blocks.0.text', ABSENT, /is missing/],
    ['51 rows', 'blocks.1.rows', Array.from({ length: 51 }, () => ['1']), /50/],
    ['a chart of one point', 'blocks.2.labels', ['2026-01'], />=2/],
    ['four series', 'blocks.2.series', Array.from({ length: 4 }, () => CHART.series[0]), /3/],
    ['a link of another scheme', 'blocks.3.links.0.url', 'javascript:alert(1)', /http/],
    ['a document link of another scheme', 'blocks.4.documents.0.url', 'data:text/html,x', /web address/],
    ['a score above 1', 'blocks.4.documents.0.score', 90, /<=1/],
    ['a currency in words', 'blocks.5.currency', 'euro', /currency/],
    ['a code that is not standard', 'blocks.6.code', 'SQL_ERROR', /./],
    ['a confidence in words alone', 'attribution.confidence', 'high', /number/],
  ]);
});
