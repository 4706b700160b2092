import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { markWords } from '../../../src/web/console/parts/matched-words.ts';

const CONSOLE = new URL('../../../src/web/console/', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, CONSOLE), 'utf8');
const textsIn = (file: string): Record<string, string> => JSON.parse(read(`texts/${file}.json`));
const textsOf = (language: string) => ({ ...textsIn(language), ...textsIn(`${language}-views`) });
const valuesIn = (text: string | undefined): string[] => (text?.match(/\{\w+\}/g) ?? []).sort();

describe('the texts of the console', () => {
  it('exist in every language, with the same values', () => {
    const [english, german] = [textsOf('en'), textsOf('de')];
    expect(Object.keys(german).sort()).toEqual(Object.keys(english).sort());
    for (const [key, text] of Object.entries(english))
      expect([key, valuesIn(german[key])]).toEqual([key, valuesIn(text)]);
    for (const key of Object.keys(english).filter((each) => each.endsWith('.one')))
      expect(english).toHaveProperty([key.replace(/\.one$/, '.other')]);
    for (const language of ['en', 'de']) {
      const both = Object.keys(textsIn(language)).filter(
        (key) => key in textsIn(`${language}-views`),
      );
      expect(both).toEqual([]);
    }
  });

  it('of the first view are loaded with it', async () => {
    const { metafile } = await build({
      entryPoints: ['main.tsx', 'views/home/home-view.tsx'].map((file) =>
        fileURLToPath(new URL(file, CONSOLE)),
      ),
      bundle: true,
      splitting: true,
      format: 'esm',
      write: false,
      metafile: true,
      outdir: 'none',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      absWorkingDir: fileURLToPath(CONSOLE),
    });
    const reached = new Set<string>();
    const reach = (file: string): void => {
      if (reached.has(file)) return;
      reached.add(file);
      // Any files of the first view, and none of another one.
      for (const { path, kind } of metafile.inputs[file]?.imports ?? [])
        if (!(kind === 'dynamic-import' && /^views\/(?!home)/.test(path))) reach(path);
    };
    for (const file of ['main.tsx', 'views/home/home-view.tsx']) reach(file);
    const own = [...reached].filter((file) => /^[a-z].*\.tsx?$/.test(file));
    expect(own).toContain('parts/values.tsx');
    const late = Object.keys(textsIn('en-views')).flatMap((key) => [
      key,
      key.replace(/\.other$/, ''),
    ]);
    for (const file of own) {
      const named = new Set(
        [...read(file).matchAll(/'([a-z_]+\.[a-z_.\d]+)'/g)].map(([, key]) => key),
      );
      expect([file, late.filter((key) => named.has(key))]).toEqual([file, []]);
    }
  });
});

describe('markWords()', () => {
  it('marks forms of the words, joins adjacent ones, and skips short words', () => {
    const parts = markWords('Resetting the password: a password reset at 88 °C.', [
      'reset the password at 88',
    ]);
    expect(parts.map(({ text }) => text).join('')).toBe(
      'Resetting the password: a password reset at 88 °C.',
    );
    expect(parts.filter(({ isMarked }) => isMarked).map(({ text }) => text)).toEqual([
      ...['Resetting', 'password', 'password reset', '88'],
    ]);
  });
});
