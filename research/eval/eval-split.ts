import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { SourceType, splitQuery } from '../../src/librarians/hybrid/split-query.ts';
import type { Measure } from './retrieval.ts';

const Labelled = z.object({
  question: z.string(),
  /** The kinds of source of its parts, in order. */
  kinds: z.array(SourceType).min(1),
  /** The unseen ones are about another shop, written after the rules and before they were measured; the last ones are in six other languages. */
  half: z.enum(['development', 'held-out', 'unseen English', 'unseen others']),
});

/** Splits labelled questions without a model. Right means: as many parts as labelled, each for the labelled kind of source. */
export function evaluateSplit(): Measure[] {
  const text = readFileSync(join(import.meta.dirname, 'split-questions.json'), 'utf8');
  const cases = z.array(Labelled).parse(JSON.parse(text));
  return Labelled.shape.half.options.map((half) => {
    const own = cases.filter((each) => each.half === half);
    const right = own.filter(({ question, kinds }) => {
      const parts = splitQuery(question);
      return (
        parts.length === kinds.length && parts.every(({ type }, place) => type === kinds[place])
      );
    });
    const target =
      half === 'held-out' ? { target: 0.9 } : half === 'unseen English' ? { target: 0.8 } : {};
    return {
      name: `${half}: right parts`,
      value: right.length / own.length,
      ...target,
      note: `${own.length} questions`,
    };
  });
}
