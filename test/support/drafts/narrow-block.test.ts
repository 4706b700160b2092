import { expect, it } from 'vitest';
import { narrowBlock } from '../../../src/support/drafts/quote-passage.ts';
import cases from './narrow-block.json' with { type: 'json' };

/** The question as its stems, each a term of full weight. */
const narrowing = (product: string | undefined, ...stems: readonly string[]) => ({
  question: { terms: stems.map((stem) => ({ forms: new Set([stem]), weight: 1 })) as never },
  product,
  devices: ['lumen', 'lumen two'],
});

interface Case {
  fact: string;
  kind: 'rows' | 'items';
  block: string[];
  product?: string;
  stems: string[];
  shown: string[];
}

it.each(cases as Case[])('$fact', ({ kind, block, product, stems, shown }) => {
  const narrowed = narrowBlock(block.join('\n'), kind, narrowing(product, ...stems));
  expect(narrowed.split('\n')).toEqual(shown);
});
