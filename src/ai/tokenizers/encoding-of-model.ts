/** How texts become tokens: two families of models, two vocabularies. */
export type EncodingName = 'cl100k_base' | 'o200k_base';

const FAMILIES: readonly { encoding: EncodingName; models: RegExp }[] = [
  { encoding: 'o200k_base', models: /^(?:o200k_base$|gpt-4o|gpt-4\.[15]|gpt-[5-9]|gpt-oss|chatgpt-|chat-latest|o\d)/ },
  { encoding: 'cl100k_base', models: /^(?:cl100k_base$|gpt-4|gpt-3\.5|gpt-35|text-embedding-(?:3|ada-002))/ },
];

/**
 * The encoding of a model of OpenAI: `gpt-4` -> `cl100k_base`; of a model made of one of them (`ft:gpt-4o:team::id`) the same.
 * Undefined for others, and for those from before 2022.
 */
export const encodingOfModel = (model: string): EncodingName | undefined => {
  const name = model.replace(/^ft:/, '');
  return FAMILIES.find(({ models }) => models.test(name))?.encoding;
};
