import type { VocabularySource } from './loaded-encoding.ts';

/** The vocabulary of gpt-4o, gpt-4.1, gpt-5 and the o-series: 2.3 MB, read on first need. Twice the bundle of `cl100k`. */
export const o200k: VocabularySource = {
  encoding: 'o200k_base',
  load: async () => (await import('js-tiktoken/ranks/o200k_base')).default,
};
