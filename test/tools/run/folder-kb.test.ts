import { mkdtempSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ArticleListing } from '../../../src/contract/wire/host-article.ts';
import { describeScan, scanFolder } from '../../../src/documents/node/folder/scan-folder.ts';
import { type FolderKb, serveFolder } from '../../../tools/run/folder-kb.ts';
import { MANUAL, wordDocument } from '../../documents/node/documents-for-test.ts';
import { temporaryFolder, writeFiles } from '../folder-for-test.ts';

const all = temporaryFolder();
let folder: string;
let kb: FolderKb;
beforeEach(async () => {
  folder = mkdtempSync(join(all, 'one-'));
  kb = await serveFolder(folder, (id) => `https://kb.example.com/${id}`);
});
afterEach(() => kb.close());

const write = (path: string, content: string | Uint8Array, modified?: string): void => {
  writeFiles(folder, { [path]: content });
  if (modified !== undefined)
    utimesSync(join(folder, path), new Date(modified), new Date(modified));
};
const describeSkipped = async (root: string) => describeScan(await scanFolder(root));
const list = async (query = '') =>
  ArticleListing.parse(await (await fetch(`${kb.url}${query}`)).json());
const idsOf = (articles: readonly { id?: unknown }[]) => articles.map(({ id }) => id);

/** All pages: one with documents ends early on a busy machine. */
const listAll = async () => {
  const articles: Record<string, unknown>[] = [];
  for (let cursor: string | undefined = '0'; cursor !== undefined; ) {
    const reply = await fetch(`${kb.url}?cursor=${cursor}`);
    const page = (await reply.json()) as {
      articles: Record<string, unknown>[];
      next_cursor?: string;
    };
    articles.push(...page.articles);
    cursor = page.next_cursor;
  }
  return articles;
};

describe('serveFolder()', () => {
  it('lists an article as its front matter describes it', async () => {
    const described =
      'title: Loud fan\nurl: https://docs.example.com/fan\nintent: [noise]\ndevice: Apollo II';
    write(
      'help/fan.md',
      `---\n${described}\nlast_updated: 2025-02-03\nauthor: Support\n---\n\nClean it.\n`,
    );
    const metadata = { intent: ['noise'], device: ['Apollo II'], author: 'Support' };
    expect((await list()).articles).toEqual([
      {
        id: 'help/fan.md',
        title: 'Loud fan',
        url: 'https://docs.example.com/fan',
        content: expect.stringContaining('Clean it.'),
        metadata: { ...metadata, last_updated: '2025-02-03T00:00:00.000Z' },
      },
    ]);
  });
  it('falls back to heading or file name, address and file time without front matter', async () => {
    const last_updated = '2026-01-02T03:04:05.000Z';
    write('a.md', '# The heading\n\nText.\n', last_updated);
    write('how-to_reset.md', 'Text.\n');
    expect((await list()).articles).toMatchObject([
      { title: 'The heading', url: 'https://kb.example.com/a.md', metadata: { last_updated } },
      { title: 'How to reset' },
    ]);
  });
  it('reads broken front matter line by line, and passes the article on unchanged', async () => {
    const text = '---\ntitle: Fan: loud\nintent: [unclosed\n---\n\n# Still here\n';
    write('broken.md', text);
    expect((await list()).articles).toMatchObject([
      { id: 'broken.md', title: 'Fan: loud', content: text },
    ]);
  });
  it('pages by cursor and reports the total', async () => {
    for (let index = 0; index < 7; index++) write(`${index}.md`, `# ${index}\n`);
    const [first, last] = [await list('?limit=3'), await list('?limit=3&cursor=6')];
    expect([first.articles.length, first.total, first.next_cursor]).toEqual([3, 7, '3']);
    expect([last.articles.length, last.next_cursor]).toEqual([1, undefined]);
  });
  it('lists only articles changed since a date', async () => {
    write('old.md', '# Old\n', '2024-01-01T00:00:00Z');
    write('new.md', '# New\n', '2026-01-01T00:00:00Z');
    expect(idsOf((await list('?updated_since=2025-01-01')).articles)).toEqual(['new.md']);
  });
  it('omits hidden files, other file types and symbolic links', async () => {
    write('.git/notes.md', '# Hidden\n');
    write('.draft.md', '# Draft\n');
    write('image.png', 'png');
    write('node_modules/x/README.md', '# Not ours\n');
    symlinkSync('/etc/hostname', join(folder, 'link.md'));
    write('page.html', '<title>Page</title><p>Text</p>');
    expect((await list()).articles.map(({ id, title }) => [id, title])).toEqual([
      ['page.html', 'Page'],
    ]);
  });
  it('answers 500 in the documented form when the folder is gone', async () => {
    rmSync(folder, { recursive: true });
    const response = await fetch(kb.url);
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({
      error: 'Internal server error',
      message: expect.any(String),
    });
  });
  it('cuts an article that is too long, so that the library can name it and accept the others', async () => {
    write('a-huge.html', 'x'.repeat(5_000_000));
    write('b-long.md', 'y'.repeat(600_000));
    write('c.md', '# Fine\n');
    const lengths = (await listAll()).map(({ id, content }) => `${id} ${String(content).length}`);
    expect(lengths).toEqual(['a-huge.html 500001', 'b-long.md 500001', 'c.md 7']);
  });
  it('ends a page early when its articles are large', async () => {
    for (let index = 0; index < 12; index++)
      write(`${10 + index}.md`, `${index}${'x'.repeat(490_000)}`);
    const first = await list();
    expect([first.articles.length, first.total, first.next_cursor]).toEqual([10, 12, '10']);
    expect((await list('?cursor=10')).articles).toHaveLength(2);
  });
});

describe('a folder of mixed files', () => {
  it.each<[string, Uint8Array]>([
    ['UTF-8', new TextEncoder().encode('# Café\n')],
    ['UTF-16, little end first', Buffer.from('\uFEFF# Café\n', 'utf16le')],
    ['UTF-16, big end first', Buffer.from('\uFEFF# Café\n', 'utf16le').swap16()],
    ['UTF-16 without a mark', Buffer.from('# Café\n', 'utf16le')],
    ['UTF-16 without a mark, big end first', Buffer.from('# Café\n', 'utf16le').swap16()],
    ['Latin-1', Buffer.from('# Café\n', 'latin1')],
  ])('is read in %s', async (_, bytes) => {
    write('menu.md', bytes);
    expect((await list()).articles).toMatchObject([{ title: 'Café' }]);
  });
  it.each<[string, number[]]>([
    [
      'in an encoding that is in doubt',
      [0x23, 0x20, 0x81, 0x8d, 0xff, 0xfe, 0x90, 0x9d, 0x81, 0x80],
    ],
    ['not text', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d]],
  ])('names a file that is %s, and reads the others', async (_, bytes) => {
    write('a.md', Buffer.from(bytes));
    write('b.md', '# Fine\n');
    const problem = /^not readable: it is no text, or its encoding is in doubt. Save it as UTF-8$/;
    expect(await listAll()).toMatchObject([
      { id: 'a.md', problem: expect.stringMatching(problem) },
      { id: 'b.md' },
    ]);
  });
  it('also has .mdx and .txt files', async () => {
    for (const name of ['a.mdx', 'b.txt']) write(name, `# Hello ${name}\n`);
    expect(idsOf((await list()).articles)).toEqual(['a.mdx', 'b.txt']);
  });
  it('also has Word documents, titled by their only first-level heading, their properties or their file name', async () => {
    const line = '<w:p><w:r><w:t>Quack.</w:t></w:r></w:p>';
    write('a.docx', await wordDocument(MANUAL, 'Properties'));
    write('b.docx', await wordDocument(line, 'On ducks'));
    write('c-d.DOCX', await wordDocument(line, 'Document1.docx'));
    const articles = await listAll();
    expect(articles.map(({ title }) => title)).toEqual(['Pump manual', 'On ducks', 'C d']);
    expect(articles[0]?.content).toContain('| Lid | 4 Nm |');
  });
  it('names a document that cannot be read, and reads the others', async () => {
    write('a.pdf', 'no PDF');
    write('b.md', '# Fine\n');
    const unreadable = { id: 'a.pdf', problem: 'not readable: it is damaged or no PDF' };
    expect(await listAll()).toMatchObject([unreadable, { id: 'b.md' }]);
  });
  it('reports what is not read', async () => {
    expect(await describeSkipped(folder)).toEqual([
      expect.stringContaining('the folder holds no article: put .md'),
    ]);
    for (const name of ['a.pptx', 'b.ods', 'c.png', 'd/e.pptx', '.git/config', 'f.md', '~$a.docx'])
      write(name, 'x');
    symlinkSync(join(folder, 'f.md'), join(folder, 'g.md'));
    write('h.md', '---\ntitle: Soon\ndraft: true\n---\n\nNot yet.\n');
    write('i.md', '---\r\npublished: false\r\n---\r\n\r\nNot yet.\r\n');
    write('j.md', '---\ntitle: No draft\n---\n\ndraft: true\n');
    expect(await describeSkipped(folder)).toEqual([
      '2 articles; 3 left out: 1 symbolic links are not followed, 2 drafts',
      expect.stringMatching(/^not read: a\.pptx, b\.ods, c\.png and 1 more \(articles are \.md/),
      'not read: g.md (symbolic links are not followed)',
      'not read: h.md, i.md (a draft)',
    ]);
    expect(idsOf((await list()).articles)).toEqual(['f.md', 'j.md']);
  });
});
