import { afterAll, beforeAll, expect, it } from 'vitest';
import { examineHosts } from '../../../tools/release/examine-host.ts';
import { serveHost } from '../../functions/library/served-library.ts';
import { hostArticle } from '../../knowledge/library/library-for-test.ts';

let host: Awaited<ReturnType<typeof serveHost>>;
let answer = { ignoresFilter: false, delayMs: 0, status: 200 };
beforeAll(async () => {
  host = await serveHost(async (request, response) => {
    await new Promise((resolve) => setTimeout(resolve, answer.delayMs));
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    const isFiltered = request.url?.includes('updated_since=') === true && !answer.ignoresFilter;
    const articles = isFiltered ? [] : [hostArticle('a.md', 'Some text.')];
    response.end(JSON.stringify({ articles, total: articles.length }));
  });
});
afterAll(() => host.stop());

const live = (more: object = {}) =>
  examineHosts({ ...host.variables, KB_FRESHNESS: 'live', ...more });

it('says nothing when hosts are not asked before answers', async () => {
  expect(await examineHosts(host.variables)).toEqual([]);
});
it('says how long a host takes to tell what it has changed', async () => {
  answer = { ignoresFilter: false, delayMs: 80, status: 200 };
  expect(await live()).toMatchObject([
    {
      what: 'freshness',
      state: 'worth knowing',
      reported: expect.stringMatching(/default: the host says in \d+ ms .*50 ms/),
    },
  ]);
});
it('names a host that ignores updated_since', async () => {
  answer = { ignoresFilter: true, delayMs: 0, status: 200 };
  expect(await live()).toMatchObject([
    { state: 'worth knowing', reported: expect.stringContaining('ignores updated_since') },
  ]);
});
it.each([
  ['a host that fails', {}, /503|status/],
  ['no host', { KB_URL: '' }, /names a host/],
  [
    'an unknown value',
    { KB_FRESHNESS: 'always' },
    /KB_FRESHNESS: it is not one of `synced`, `live`/,
  ],
])('finds %s wrong', async (_, more, says) => {
  answer = { ignoresFilter: false, delayMs: 0, status: 403 };
  expect(await live(more)).toMatchObject([
    { state: 'wrong', reported: expect.stringMatching(says) },
  ]);
});
