import { Taxonomy } from '../../../src/contract/wire/taxonomy.ts';
import EXAMPLES from './small-taxonomy.json' with { type: 'json' };

/** Four intents with eight short examples each. */
export function smallTaxonomy(changes: Partial<Taxonomy> = {}): Taxonomy {
  return {
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
  };
}

/** The small taxonomy with its first intent changed. */
export function withFirstIntent(change: object, changes: Partial<Taxonomy> = {}): Taxonomy {
  const taxonomy = smallTaxonomy(changes);
  const [first, ...rest] = taxonomy.intents as [Taxonomy['intents'][number]];
  return { ...taxonomy, intents: [{ ...first, ...change }, ...rest] };
}
