import { readdirSync } from 'node:fs';
import { Tiktoken } from 'js-tiktoken/lite';
import { cl100k, loadTokenizer, o200k, type Tokenizer } from '../../src/ai/tokenizer.ts';
import { readLines } from './eval-data.ts';
import type { Measure } from './retrieval.ts';

/** Whether every text of the evaluation data has the tokens that js-tiktoken gives it, one by one, with both vocabularies. */
export async function evalTokens(folder: string): Promise<Measure[]> {
  const texts = textsIn(folder);
  const cl100kRanks = (await import('js-tiktoken/ranks/cl100k_base')).default;
  const o200kRanks = (await import('js-tiktoken/ranks/o200k_base')).default;
  return [
    measure('cl100k_base', texts, {
      ours: await loadTokenizer('gpt-4', [cl100k]),
      tiktoken: new Tiktoken(cl100kRanks),
    }),
    measure('o200k_base', texts, {
      ours: await loadTokenizer('gpt-4o', [o200k]),
      tiktoken: new Tiktoken(o200kRanks),
    }),
  ];
}

const measure = (
  name: string,
  texts: readonly string[],
  { ours, tiktoken }: { ours: Tokenizer; tiktoken: Tiktoken },
): Measure => {
  let same = 0;
  let tokens = 0;
  for (const text of texts) {
    const expected = tiktoken.encode(text, [], []);
    const encoded = ours.encode(text);
    tokens += expected.length;
    const isSame =
      encoded.length === expected.length && encoded.every((token, at) => token === expected[at]);
    if (isSame && ours.count(text) === expected.length && ours.decode(encoded) === text) same += 1;
  }
  const note = `${texts.length} texts, ${tokens} tokens`;
  return {
    name: `texts with the tokens of js-tiktoken, ${name}`,
    value: same / texts.length,
    target: 1,
    note,
  };
};

/** Every text in every line of every file, each once. */
const textsIn = (folder: string): string[] => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.jsonl'),
  );
  const texts = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value === 'string') texts.add(value);
    else if (typeof value === 'object' && value !== null)
      for (const member of Object.values(value)) collect(member);
  };
  for (const file of files) for (const line of readLines<unknown>(folder, file)) collect(line);
  return [...texts];
};
