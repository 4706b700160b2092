import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  hasPromptInjection,
  isInjectionName,
} from '../../../src/answering/model/prompt-injection.ts';
import { parseBlocks } from '../../../src/documents/markdown/blocks.ts';
import sentences from './injection-sentences.json' with { type: 'json' };
import ordinarySentences from './ordinary-sentences.json' with { type: 'json' };

/** Sentences of help pages, security notices, forms and customer letters, with words that occur in prompt injections. */
const ORDINARY = Object.values(ordinarySentences).flat();

it.each([...sentences.injections, ...sentences.disguised])('detects %j', (text) =>
  expect(hasPromptInjection(text)).toBe(true),
);
it.each(sentences.harmless)('accepts %j', (text) => expect(hasPromptInjection(text)).toBe(false));
it('reports at most 2 of 96 ordinary sentences, alone or wrapped', () => {
  expect(new Set(ORDINARY).size).toBe(96);
  const wrapped = ORDINARY.map((sentence) => sentence.replace(/(.{25}\S*) /g, '$1\n'));
  for (const texts of [ORDINARY, wrapped])
    expect(texts.filter(hasPromptInjection).length).toBeLessThanOrEqual(2);
});
it('accepts every block and name of the sample knowledge base', () => {
  const root = 'tools/sample/knowledge-base/';
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.md'),
  );
  const found = files.flatMap((file) => {
    const text = readFileSync(root + file, 'utf8');
    const blocks = parseBlocks(text).map(({ start, end }) => text.slice(start, end));
    return [...(isInjectionName(file) ? [file] : []), ...blocks.filter(hasPromptInjection)];
  });
  expect(files.length).toBeGreaterThan(20);
  expect(found).toEqual([]);
});
