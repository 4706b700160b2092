import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import MarkdownIt from 'markdown-it';
import { beforeAll, describe, expect, it } from 'vitest';
import { copyTexts } from '../../../tools/packages/package-texts.ts';
import { temporaryFolder } from '../folder-for-test.ts';

const folder = temporaryFolder();
const read = (page: string) => readFileSync(join(folder, page), 'utf8');

describe('copyTexts()', () => {
  beforeAll(() => copyTexts(folder));

  it('leaves no relative link of a page without its file', () => {
    const files = new Set(globSync('**', { cwd: folder }));
    const pages = [...files].filter((file) => file.endsWith('.md'));
    const links = pages.flatMap((page) =>
      targetsOf(read(page))
        .filter((target) => !/^(?:[a-z]+:|#)/.test(target))
        .map((target) => ({
          page,
          file: normalize(join(dirname(page), target.replace(/#.*/, ''))),
        })),
    );
    expect(links.length).toBeGreaterThan(300);
    expect(links.filter(({ file }) => !files.has(file))).toEqual([]);
  });
  it('brings the decisions, the designs and the pictures that pages link to', () => {
    expect(read('docs/client.md')).toContain('](adr/0025-three-packages.md)');
    expect(read('docs/console.md')).toMatch(/!\[[^\]]+\]\(screenshots\//);
  });
});

/** The addresses of the links and pictures of a page. */
const targetsOf = (markdown: string): string[] => {
  const tokens = new MarkdownIt().parse(markdown, {}).flatMap(({ children }) => children ?? []);
  return tokens.flatMap((token) => token.attrGet('href') ?? token.attrGet('src') ?? []).map(String);
};
