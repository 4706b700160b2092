import type { VocabularySource } from './loaded-encoding.ts';

/** The vocabulary of gpt-4, gpt-3.5 and text-embedding-3: 1.1 MB, read on first need. */
export const cl100k: VocabularySource = {
  encoding: 'cl100k_base',
  load: async () => (await import('js-tiktoken/ranks/cl100k_base')).default,
};
