import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { splitFrontMatter } from '../../../../src/documents/front-matter.ts';
import { documentReader } from '../../../../src/documents/node/document-reader.ts';
import { openFolder } from '../../../../src/documents/node/folder/open-folder.ts';
import {
  describeScan,
  type FolderOptions,
  scanFolder,
} from '../../../../src/documents/node/folder/scan-folder.ts';
import {
  assignedValues,
  exportedValue,
} from '../../../../src/documents/node/folder/sites/literal-values.ts';
import { readDocument } from '../../../../src/documents/read-document.ts';
import { temporaryFolder, writeFiles } from '../../../tools/folder-for-test.ts';
import cases from './sites.json' with { type: 'json' };

const all = temporaryFolder();
const folderWith = (files: Readonly<Record<string, string>>): string => {
  const folder = mkdtempSync(join(all, 'one-'));
  writeFiles(folder, files);
  return folder;
};

const articlesOf = async (folder: string, options: FolderOptions = {}) => {
  const opened = openFolder(folder, options);
  const documents = documentReader();
  const { files } = await opened.scan();
  const read = await Promise.all(files.map((file) => opened.read(file, documents)));
  await documents.close();
  return read.flatMap((each) => ('article' in each ? [each.article] : []));
};
const textOf = async (folder: string, path: string) => {
  const article = (await articlesOf(folder)).find(({ id }) => id === path);
  return readDocument(splitFrontMatter(article?.content ?? '').body, { path, base: article?.url })
    .text;
};

describe.each(cases)(
  'a checkout of $generator',
  ({ files, pages, skipped, languages, order, text, titles }) => {
    const folder = folderWith(files as unknown as Record<string, string>);
    it('has the addresses, languages, titles and order of its pages', async () => {
      const scan = await scanFolder(folder);
      expect(Object.fromEntries(scan.files.map(({ path, url }) => [path, url]))).toEqual(pages);
      expect(
        Object.fromEntries(
          scan.files.flatMap(({ path, language }) => (language ? [[path, language]] : [])),
        ),
      ).toEqual(languages ?? {});
      if (order) expect(scan.files.map(({ path }) => path)).toEqual(order);
      const named = (await articlesOf(folder)).flatMap(({ id, title }) =>
        titles && id in titles ? [[id, title]] : [],
      );
      expect(Object.fromEntries(named)).toEqual(titles ?? {});
    });
    it('leaves out what the generator publishes as no page, with its reason', async () => {
      const { skipped: found } = await scanFolder(folder);
      const reasons = found
        .filter(({ why }) => !why.startsWith('articles are'))
        .map(({ path, why }) => [path, why]);
      expect(Object.fromEntries(reasons)).toEqual(skipped);
    });
    it('is filled in with included parts, values and addresses', async () => {
      for (const [path, expected] of Object.entries(text as Record<string, string>))
        expect(await textOf(folder, path)).toBe(expected);
    });
  },
);

describe.each<[string, { files: Record<string, string>; original: string; translation: string }]>([
  [
    'MkDocs by suffix',
    {
      files: {
        'mkdocs.yml':
          'plugins: [{i18n: {languages: [{locale: en, default: true}, {locale: fil}]}}]',
      },
      original: 'docs/care.md',
      translation: 'docs/care.fil.md',
    },
  ],
  [
    'MkDocs by suffix of both',
    {
      files: {
        'mkdocs.yml': 'plugins: [{i18n: {languages: [{locale: en, default: true}, {locale: de}]}}]',
      },
      original: 'docs/care.en.md',
      translation: 'docs/care.de.md',
    },
  ],
  [
    'MkDocs by folder',
    {
      files: {
        'mkdocs.yml':
          'plugins: [{i18n: {docs_structure: folder, languages: [{locale: en, default: true}, {locale: zh-Hans-CN}]}}]',
      },
      original: 'docs/en/care.md',
      translation: 'docs/zh-Hans-CN/care.md',
    },
  ],
  [
    'MkDocs with an old plugin',
    {
      files: {
        'mkdocs.yml':
          'plugins: [{i18n: {default_language: en, languages: {en: English, fil: Filipino}}}]',
      },
      original: 'docs/care.md',
      translation: 'docs/care.fil.md',
    },
  ],
  [
    'Hugo by suffix',
    {
      files: { 'hugo.toml': "baseURL = 'https://x.example/'\n[languages.en]\n[languages.fil]\n" },
      original: 'content/care.md',
      translation: 'content/care.fil.md',
    },
  ],
  [
    'Docusaurus without an address',
    {
      files: {
        'docusaurus.config.js':
          "export default { i18n: { defaultLocale: 'en', locales: ['en', 'fil'] }, presets: [['classic', {}]] };",
      },
      original: 'docs/care.md',
      translation: 'i18n/fil/docusaurus-plugin-content-docs/current/care.md',
    },
  ],
  [
    'Starlight',
    {
      files: {
        'astro.config.mjs':
          "import starlight from '@astrojs/starlight';\nexport default defineConfig({ integrations: [starlight({ locales: { root: { lang: 'en' }, german: { lang: 'de' } } })] });",
      },
      original: 'src/content/docs/care.md',
      translation: 'src/content/docs/german/care.md',
    },
  ],
  [
    'VitePress',
    {
      files: {
        '.vitepress/config.js':
          "export default { lang: 'en', locales: { root: {}, german: { lang: 'de' } } };",
      },
      original: 'care.md',
      translation: 'german/care.md',
    },
  ],
  [
    'Nextra',
    {
      files: {
        'next.config.mjs':
          "import nextra from 'nextra';\nexport default nextra({})({ i18n: { locales: ['en', 'fil'], defaultLocale: 'en' } });",
      },
      original: 'content/en/care.mdx',
      translation: 'content/fil/care.mdx',
    },
  ],
])('translations in %s', (_, { files, original, translation }) => {
  it('have one key, and other pages none', async () => {
    const only = original.replace('care', 'only');
    const text = { [original]: '# Care\n', [translation]: '# Pflege\n', [only]: '# Only\n' };
    const articles = await articlesOf(folderWith({ ...files, ...text }));
    const keys = new Map(articles.map(({ id, metadata }) => [id, metadata.translation_key]));
    expect(keys.get(original)).toMatch(/^(?:docs\/default\/)?care\.mdx?$/);
    expect(keys.get(translation)).toBe(keys.get(original));
    expect(keys.get(only)).toBeUndefined();
    expect(keys.size).toBe(3);
  });
});

it('leaves out pages of HTML that lead elsewhere or do not exist, and reads the dates of others', async () => {
  const page = (title: string, head: string, body: string) =>
    `<!doctype html><html><head><title>${title}</title><style>${'p{}'.repeat(3000)}</style>${head}</head><body>${body}</body></html>`;
  const folder = folderWith({
    'old.html': page(
      'Moved',
      '<meta http-equiv="refresh" content="0; url=/new.html">',
      '<p>Go to /new.html',
    ),
    '404.html': page('Page not found', '', '<p>Sorry.'),
    'new.xhtml': page(
      'Set the clock',
      '<meta property="article:modified_time" content="2023-07-01">',
      '<p>Hold SET.',
    ),
  });
  const { skipped } = await scanFolder(folder);
  expect(skipped.map(({ path, why }) => [path, why])).toEqual([
    ['404.html', 'it says that it does not exist'],
    ['old.html', 'it only leads to /new.html'],
  ]);
  expect(await articlesOf(folder)).toMatchObject([
    { title: 'Set the clock', metadata: { last_updated: '2023-07-01T00:00:00.000Z' } },
  ]);
});

describe('a configuration', () => {
  it('is read without being run', () => {
    const text = `import { tail } from './x';\nconst o = { z: 1 };\nexport default wrap({ ...o, a: 'b' + "c", b: [1, -2, ...[3]], c: \`v\${o.z}\`,
      d: process.env.SITE || 'https://x.example', e: process.env.CI ? 1 : 2, f: o.z, g: evil(), get: () => 1, h: tail } as const);`;
    expect(exportedValue(text)).toMatchObject({
      name: 'wrap',
      args: [
        { z: 1, a: 'bc', b: [1, -2, 3], c: 'v1', d: 'https://x.example', e: 2, f: 1, h: undefined },
      ],
    });
    expect(
      exportedValue('export default async function f() { const q = 1; return { q }; }'),
    ).toEqual({ q: 1 });
    expect(exportedValue('const config = { a: 1 }; module.exports = config;')).toEqual({ a: 1 });
    expect(exportedValue('const a = { b: a, c: b }; const b = a; export default a;')).toMatchObject(
      { b: undefined },
    );
    expect(() =>
      exportedValue(`export default ${'['.repeat(5000)}${']'.repeat(5000)}`),
    ).not.toThrow();
    expect(
      assignedValues(
        "a = b = 'x' 'y'\nc = ['p', a]\nc += ['q']\nd = f'{a}'\ne = __import__('os').name",
      ),
    ).toEqual({
      a: 'xy',
      b: 'xy',
      c: ['p', 'xy', 'q'],
      d: undefined,
      e: undefined,
    });
  });
  it('is found above the folder in the same checkout', async () => {
    const folder = folderWith({
      'mkdocs.yml': 'site_url: https://docs.example.com/',
      'docs/a/b.md': '# B\n\nText.\n',
    });
    expect((await scanFolder(join(folder, 'docs'))).files).toMatchObject([
      { path: 'a/b.md', url: undefined },
    ]);
    mkdirSync(join(folder, '.git'));
    expect((await scanFolder(join(folder, 'docs'))).files).toMatchObject([
      { path: 'a/b.md', url: 'https://docs.example.com/a/b/' },
    ]);
  });
  it('without an address is named, and the address given counts', async () => {
    const files = { 'docs/conf.py': "extensions = ['x']", 'docs/a.md': '# A\n\nText.\n' };
    const folder = folderWith(files);
    const scan = await scanFolder(folder);
    expect(describeScan(scan).join('\n')).toMatch(
      /Sphinx site in .*: its configuration does not name its address/,
    );
    const [file] = (await scanFolder(folder, { publicUrl: 'https://x.example/en/' })).files;
    expect(file?.url).toBe('https://x.example/en/a.html');
  });
});

describe('included parts', () => {
  it('come from the folder alone, whatever links lead out of it', async () => {
    const outside = folderWith({ 'secret.md': 'The secret is 4711.\n' });
    const folder = folderWith({
      'a.mdx':
        "import S from './link.md';\nimport T from '../../etc/x.md';\n\n# A\n\n<S />\n\n<T />\n\nText.\n",
      'b.md': `# B\n\n<!--@include: ${join(outside, 'secret.md')}-->\n\n--8<-- "${join(outside, 'secret.md')}"\n\nText.\n`,
    });
    symlinkSync(join(outside, 'secret.md'), join(folder, 'link.md'));
    for (const path of ['a.mdx', 'b.md']) expect(await textOf(folder, path)).not.toContain('4711');
  });
  it('are not needed for references of Sphinx, which get the titles of other files', async () => {
    const outside = folderWith({ 'secret.rst': '.. _secret:\n\nThe 4711\n========\n\nText.\n' });
    const folder = folderWith({
      'conf.py': "extensions = []\nhtml_baseurl = 'https://x.example/'\n",
      'a.rst':
        'A\n=\n\nSee :ref:`set-up`, :doc:`guides/b`, :doc:`/guides/b`, :ref:`own`, :ref:`secret` and :ref:`none-such`.\n\n.. _own:\n\nOwn part\n--------\n\nText.\n',
      'guides/b.rst':
        'Use the ``pump``\n================\n\n.. _set-up:\n\nSet it up\n---------\n\nText.\n',
    });
    symlinkSync(join(outside, 'secret.rst'), join(folder, 'link.rst'));
    expect(await textOf(folder, 'a.rst')).toContain(
      'See Set it up, Use the pump, Use the pump, Own part, secret and none such.',
    );
  });
  it('that include themselves, or are too many, end', async () => {
    const folder = folderWith({
      'a.mdx': "import S from './_s.mdx';\n\n# A\n\n<S />\n\nText.\n",
      '_s.mdx': "import S from './_s.mdx';\n\nAgain.\n\n<S />\n<S />\n<S />\n<S />\n",
    });
    expect((await textOf(folder, 'a.mdx')).length).toBeLessThan(5000);
  });
});

describe('what is taken of a folder', () => {
  const files = {
    'index.md': '# Home\n\nWelcome.\n',
    'guides/a.md': '# A\n\nText A.\n',
    'guides/b.mdx': '# B\n\nText B.\n',
    'guides/old/c.md': '# C\n\nText C.\n',
    'blog/d.md': '# D\n\nText D.\n',
    'blog/copy.md': '# A\n\nText A.\n',
    '_part.md': 'Part.\n',
  };
  const pathsOf = async (folder: string, options: FolderOptions = {}) =>
    (await scanFolder(folder, options)).files.map(({ path }) => path);

  it('is chosen by patterns and the file .constellationignore, each with its reason', async () => {
    const folder = folderWith(files);
    expect(await pathsOf(folder)).toEqual([
      'blog/d.md',
      'guides/a.md',
      'guides/b.mdx',
      'guides/old/c.md',
      'index.md',
    ]);
    expect(await pathsOf(folder, { include: ['guides/'] })).toEqual([
      'guides/a.md',
      'guides/b.mdx',
      'guides/old/c.md',
    ]);
    expect(await pathsOf(folder, { include: ['*.mdx', '/index.md'] })).toEqual([
      'guides/b.mdx',
      'index.md',
    ]);
    expect(await pathsOf(folder, { exclude: ['old', 'blog/**'] })).toEqual([
      'guides/a.md',
      'guides/b.mdx',
      'index.md',
    ]);
    writeFileSync(join(folder, '.constellationignore'), '# comment\nguides/*\n!guides/a.md\n');
    writeFileSync(join(folder, 'blog/.constellationignore'), 'd.md\n');
    // Its copy under blog/ is longer.
    expect(await pathsOf(folder)).toEqual(['guides/a.md', 'index.md']);
    expect(describeScan(await scanFolder(folder))).toEqual([
      '2 articles, 1 of them under guides/; 5 left out: 1 parts of other pages, 1 with the same text as another article, 3 by .constellationignore',
      'not read: _part.md (part of other pages)',
      'not read: blog/copy.md (as guides/a.md) (the same text as another article)',
      'not read: blog/d.md, guides/b.mdx, guides/old/ (by .constellationignore)',
    ]);
  });
  it('counts a text under two paths once, unless title, audience or parts differ', async () => {
    const one = { 'dupe-a.md': '---\ntitle: Ring\nurl: https://x.example/r\n---\nNine tones.\n' };
    const folder = folderWith({
      ...one,
      'dupe-b.md': '---\ntitle: Ring\nurl: https://x.example/r/\n---\n\nNine tones.\n\n',
      'other-title.md': '---\ntitle: Bell\n---\nNine tones.\n',
      'inner.md': '---\ntitle: Ring\naudience: staff\n---\nNine tones.\n',
      'a/x.mdx': "import S from './_s.mdx';\n\n<S />\n",
      'b/x.mdx': "import S from './_s.mdx';\n\n<S />\n",
    });
    expect(await pathsOf(folder)).toEqual([
      'a/x.mdx',
      'b/x.mdx',
      'dupe-a.md',
      'inner.md',
      'other-title.md',
    ]);
  });
  it('knows translations by path and front matter, but no folder that only looks like one', async () => {
    const folder = folderWith({
      'guide.md': '# Guide\n\nText.\n',
      'de/guide.md': '# Anleitung\n\nText de.\n',
      'i18n/pt-BR/guide.md': '# Guia\n\nTexto.\n',
      'setup.md': '# Setup\n\nSetup.\n',
      'setup.fr.md': '# Installer\n\nTexte.\n',
      'it/printers.md': '# Printers\n\nOf the department.\n',
      'notes.js.md': '# Notes\n\nNotes.\n',
      'es.md': '---\nlang: es\n---\n\n# Nota\n\nNota.\n',
    });
    const { files: found } = await scanFolder(folder);
    expect(
      Object.fromEntries(
        found.flatMap(({ path, language }) => (language ? [[path, language]] : [])),
      ),
    ).toEqual({
      'de/guide.md': 'de',
      'i18n/pt-BR/guide.md': 'pt-BR',
      'setup.fr.md': 'fr',
      'es.md': 'es',
    });
    const metadata = (await articlesOf(folder)).find(({ id }) => id === 'de/guide.md')?.metadata;
    expect(metadata).toMatchObject({ language: 'de' });
  });
  it('links to pages below a public address', async () => {
    const folder = folderWith({
      'a/index.md': '# A\n\n[B](../b.md#x) [C](https://c.example)\n',
      'b.md': '# B\n\nText.\n',
    });
    const articles = await articlesOf(folder, { publicUrl: 'https://docs.example.com' });
    expect(articles.map(({ url }) => url)).toEqual([
      'https://docs.example.com/a/',
      'https://docs.example.com/b',
    ]);
    expect(articles[0]?.content).toContain(
      '[B](https://docs.example.com/b#x) [C](https://c.example)',
    );
  });
});
