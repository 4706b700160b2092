import { chmodSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ArticlePreview,
  previewArticle,
} from '../../../client/command-line/preview-article.ts';
import { pdfOf } from '../../documents/node/documents-for-test.ts';
import { temporaryFolder, writeFiles } from '../../tools/folder-for-test.ts';
import { runCommand } from '../../tools/node-for-test.ts';

const folder = temporaryFolder();
const PAGE = `<!doctype html><html lang="de"><head><title>Lampe | Hilfe</title>
  <meta property="article:modified_time" content="2024-05-02T00:00:00Z"><script>go()</script></head>
  <body><nav><a href="/a">Produkte</a><a href="/b">Hilfe</a></nav><main><h1>Lampe entkalken</h1><!-- Jan fragen -->
  <p hidden>Alt</p><p>Halten Sie <b>Pin 4</b> gedrückt. <a href="x">Mehr</a></p><img src="/img/lamp.png"></main></body></html>`;

describe('a file', () => {
  it('is read with its title, language, dates, text, and what was left out', async () => {
    writeFiles(folder, {
      'a.mdx': `---\ntitle: Back up\nlang: de\nurl: https://docs.example.com/a\nlast_updated: 2024-03-05\nintent: [backup]\n---\nimport X from './x';\n\n<X />\n\nDrücken Sie **OK**. {/* ask Jan */}\n\n%% draft note %%\n\n[//]: # (old text)\n\n{# jinja #}\n\n\`\`\`mermaid\ngraph\n\`\`\`\n`,
    });
    const preview = await previewArticle(join(folder, 'a.mdx'));
    expect(preview).toMatchObject({
      id: 'a.mdx',
      title: 'Back up',
      url: 'https://docs.example.com/a',
      language: 'de',
      intents: ['backup'],
      last_updated: '2024-03-05T00:00:00.000Z',
      text: 'Drücken Sie **OK**.',
    });
    const counts = preview.left_out.map(({ kind, count, samples }) => [
      kind,
      count,
      samples[0] ?? '',
    ]);
    expect(counts).toEqual([
      ['code', 2, "import X from './x';"],
      ['comment', 3, 'draft note'],
      ['diagram', 1, 'graph'],
    ]);
  });
  it('is named a draft, and says what its encoding or length forbids', async () => {
    writeFiles(folder, {
      'draft.md': '---\ndraft: true\n---\n\nSoon.\n',
      'long.md': 'x'.repeat(500_001),
      'bytes.txt': Buffer.from([0, 1, 2, 0x89, 0xff]),
      'empty.md': '<!-- nothing -->\n',
      'x.png': 'png',
    });
    expect((await previewArticle(join(folder, 'draft.md'))).warnings).toEqual([
      'It is a draft: a folder leaves it out',
    ]);
    const problem = (name: string) =>
      previewArticle(join(folder, name)).catch(({ message }: Error) => message);
    expect(await problem('long.md')).toMatch(/: content is longer than 500000 characters$/);
    expect(await problem('bytes.txt')).toMatch(/: it is no text, or its encoding is in doubt/);
    expect(await problem('empty.md')).toMatch(/: content is empty$/);
    expect(await problem('x.png')).toMatch(/: articles are \.md/);
    expect(await problem('none.md')).toMatch(/^Cannot read .*none\.md: there is no such file$/);
    expect(await problem('.')).toMatch(/it is a folder/);
    chmodSync(join(folder, 'draft.md'), 0);
    if (process.getuid?.() !== 0) expect(await problem('draft.md')).toMatch(/no permission/);
  });
});

describe('a page', () => {
  let server: Server;
  let origin: string;
  const pdf = pdfOf(Buffer.from('BT /F1 12 Tf 72 700 Td (Hold pin 4.) Tj ET'));
  const answer: RequestListener = (request, response) => {
    const html = { 'content-type': 'text/html; charset=utf-8' };
    const path = request.url ?? '';
    if (path === '/lamp/') response.writeHead(200, html).end(PAGE);
    else if (path === '/lamp') response.writeHead(301, { location: '/lamp/' }).end();
    else if (path === '/old')
      response
        .writeHead(200, html)
        .end('<meta http-equiv=refresh content="0; url=/lamp/"><p>Moved');
    else if (path === '/a.md')
      response.writeHead(200, { 'content-type': 'text/markdown' }).end('# A\n\nText %% no %%.');
    else if (path === '/m.pdf')
      response.writeHead(200, { 'content-type': 'application/pdf' }).end(pdf);
    else if (path === '/image') response.writeHead(200, { 'content-type': 'image/png' }).end('png');
    else if (path === '/large') response.writeHead(200, html).end('x'.repeat(5_000_000));
    else response.writeHead(404, html).end('none');
  };
  beforeAll(async () => {
    server = createServer(answer).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  it('is read as a sync reads it, where redirects lead', async () => {
    const expected = {
      id: 'lamp',
      title: 'Lampe entkalken',
      url: `${origin}/lamp/`,
      language: 'de',
      last_updated: '2024-05-02T00:00:00.000Z',
      text: `# Lampe entkalken\n\nHalten Sie **Pin 4** gedrückt. [Mehr](${origin}/lamp/x)`,
    };
    for (const path of ['/lamp/', '/lamp', '/old']) {
      const preview = await previewArticle(origin + path);
      expect(preview).toMatchObject(expected);
      expect(preview.left_out.map(({ kind, samples }) => [kind, samples[0] ?? ''])).toEqual([
        ['surrounding', 'Produkte Hilfe'],
        ['comment', 'Jan fragen'],
        ['hidden', 'Alt'],
        ['image', 'lamp.png'],
      ]);
    }
    expect((await previewArticle(`${origin}/lamp`)).warnings).toEqual([
      `It leads to ${origin}/lamp/`,
    ]);
  });
  it('may be Markdown or a document', async () => {
    expect(await previewArticle(`${origin}/a.md`)).toMatchObject({
      title: 'A',
      url: `${origin}/a.md`,
    });
    const document = await previewArticle(`${origin}/m.pdf`);
    expect(document).toMatchObject({ id: 'm.pdf', url: `${origin}/m.pdf` });
    expect(document.text).toContain('Hold pin 4.');
  });
  it.each([
    ['/none', 'the server answered 404'],
    ['/image', 'it is no page (its type is image/png)'],
    ['/large', 'it is larger than 4 MiB'],
  ])('%s cannot be read: %s', async (path, why) => {
    await expect(previewArticle(origin + path)).rejects.toThrow(
      `Cannot read ${origin}${path}: ${why}`,
    );
  });
  it('cannot be read where no server answers', async () => {
    await expect(previewArticle('http://127.0.0.1:9/')).rejects.toThrow(
      'Cannot read http://127.0.0.1:9/: ',
    );
  });
});

describe('constellation read', () => {
  const run = (...args: string[]) =>
    runCommand(process.execPath, ['client/command-line/constellation.ts', 'read', ...args]);

  it('prints an article and what was left out, also as JSON', async () => {
    writeFiles(folder, { 'p.html': PAGE, 'plain.md': '# Plain\n\nText \u001b[31mred.\n' });
    const { status, stdout } = await run(join(folder, 'p.html'));
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/^title {5}Lampe entkalken\n.*^language {2}de$/ms),
    ]);
    expect(stdout).toMatch(/^Left out:\n {5}1 {2}menus, headers.*: Produkte Hilfe$/m);
    expect((await run(join(folder, 'plain.md'))).stdout).toMatch(
      /\n\nText \[31mred\.\n\nNothing was left out\.\n$/,
    );
    const json = JSON.parse((await run('--json', join(folder, 'p.html'))).stdout) as ArticlePreview;
    expect(json).toMatchObject({
      title: 'Lampe entkalken',
      left_out: [{ kind: 'surrounding', count: 1 }, {}, {}, {}],
    });
  }, 60_000);
  it('says what is wrong, with 1 for the file and 2 for the command line', async () => {
    expect(await run('none.md')).toMatchObject({
      status: 1,
      stderr: 'Cannot read none.md: there is no such file\n',
    });
    expect(await run()).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^The file or URL to read is missing/),
    });
    expect((await run('--help')).stdout).toMatch(/^Prints what a file or a web page becomes/);
  }, 60_000);
});
