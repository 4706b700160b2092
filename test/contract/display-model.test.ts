import { describe } from 'vitest';
import { DisplayModel } from '../../src/contract/agent-response.ts';
import model from './examples/display-model.json' with { type: 'json' };
import { itRefuses, itTakes } from './it-refuses.ts';

describe('DisplayModel', () => {
  itTakes(DisplayModel, {
    'every kind of block': model,
    'a model without blocks or attribution': { type: 'semantic', query: 'x', blocks: [] },
  });

  itRefuses(DisplayModel, model, [
    ['51 rows', 'blocks.1.rows', Array(51).fill(['1']), /50/],
    ['a chart of one point', 'blocks.2.labels', ['2026-01'], />=2/],
    ['four series', 'blocks.2.series', Array(4).fill({ name: 'Orders', values: [3] }), /3/],
    ['a link of another scheme', 'blocks.3.links.0.url', 'javascript:alert(1)', /http/],
    ['a document link of another scheme', 'blocks.4.documents.0.url', 'data:text/html,x', /web address/],
    ['a score above 1', 'blocks.4.documents.0.score', 90, /<=1/],
    ['a currency in words', 'blocks.5.currency', 'euro', /currency/],
    ['a code that is not standard', 'blocks.6.code', 'SQL_ERROR', /./],
  ]);
});
