import { Taxonomy } from '../../../src/contract/taxonomy.ts';
import EXAMPLES from './small-taxonomy.json' with { type: 'json' };

/** Four intents with eight short examples each. */
export const smallTaxonomy = (changes: Partial<Taxonomy> = {}): Taxonomy => ({
  ...Taxonomy.parse({
    version: 1,
    name: 'Small',
    intents: Object.entries(EXAMPLES).map(([id, examples]) => ({
      id,
      title: id,
      examples,
      reply_template: 'Hello {customer_name},\n\n{knowledge}',
    })),
    general_template: 'Hello {customer_name},\n\n{knowledge}',
  }),
  ...changes,
});
