import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../tools/functions.ts';

const PAGES = globSync('docs/design/*.md', { cwd: ROOT });
const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** Paths in backticks that name one file; `<name>` and `*` stand for several. */
const FILE = /`((?:src|functions|client|tools|test|docs)\/[^`\s<*{…]+\.\w+)`/g;
const LINK = /\]\((?!https?:)([^)#\s]+)(?:#([^)\s]*))?\)/g;

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (page: string): string[] =>
  [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

describe.each(PAGES)('%s', (page) => {
  it('names files that exist', () => {
    const files = [...textOf(page).matchAll(FILE)].map(([, file = '']) => file);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('links to pages and headings that exist', () => {
    const broken = [...textOf(page).matchAll(LINK)].filter(([, to = '', anchor]) => {
      const target = join(dirname(page), to);
      if (!existsSync(join(ROOT, target))) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it('keeps its paragraphs within 100 columns', () => {
    const prose = textOf(page).replaceAll(/^```.*?^```/gms, '');
    const long = prose.split('\n').filter((line) => !line.startsWith('|') && line.length > 100);
    expect(long).toEqual([]);
  });
});
