import { describe, expect, it } from 'vitest';
import { openEdition } from '../../../src/knowledge/edition/open-edition.ts';
import { searchEdition } from '../../../src/knowledge/search/search-edition.ts';
import { hostArticle, hostWith, libraryForTest, syncNow, workThrough } from './library-for-test.ts';

const PORTS = hostArticle('ports.md', 'Open port 8333 on the router.');
const SECRET = hostArticle('secret.md', 'The safe is behind the picture.', {
  metadata: { intent: [], device: [], last_updated: '2026-01-01T00:00:00Z', audience: ['staff'] },
});
const put = { title: 'Ports', content: 'Open port 8433 on the router.' };

const opened = async (options: Parameters<typeof libraryForTest>[1] = {}) => {
  const test = libraryForTest(hostWith([PORTS, SECRET]), options);
  await syncNow(test.library);
  await workThrough(test);
  return test.library;
};

describe('an edition for an article that is not written', () => {
  it('has the text as it would be, beside the others, and changes nothing', async () => {
    const library = await opened();
    const before = library.currentEdition();
    const draft = library.draftEdition('ports.md', put);
    const edition = openEdition(draft as Uint8Array);
    expect(edition.articleCount).toBe(2);
    const [hit] = searchEdition(edition, 'which port', { limit: 1 }).hits;
    expect(hit && edition.chunk(hit.chunk).text).toContain('8433');
    expect([library.currentEdition(), library.readText('ports.md')?.text]).toEqual([
      before,
      'Open port 8333 on the router.',
    ]);
    expect(library.dueAt()).toBeUndefined();
  });

  it('has a new article', async () => {
    const draft = (await opened()).draftEdition('more/new.md', put, ['staff']);
    expect(openEdition(draft as Uint8Array).findArticle('more/new.md')).toBeGreaterThanOrEqual(0);
  });

  it('is refused where the article would be', async () => {
    const library = await opened();
    expect(library.draftEdition('ports.md', { ...put, content: '---\n---\n' })).toMatchObject({
      refused: /./,
    });
    const audience = { ...put, metadata: { audience: ['board'] } };
    expect(library.draftEdition('ports.md', audience)).toMatchObject({
      refused: expect.stringMatching(/audiences/),
    });
    expect(library.draftEdition('secret.md', put)).toMatchObject({
      refused: expect.stringMatching(/none of that id/),
    });
    expect(library.draftEdition('secret.md', put, ['staff'])).toBeInstanceOf(Uint8Array);
  });

  it('is refused for a free id as for a taken one, where some articles are hidden', async () => {
    const library = await opened();
    const refused = expect.stringMatching(/none of that id/);
    for (const id of ['secret.md', 'free.md'])
      expect([id, library.draftEdition(id, put)]).toEqual([id, { refused }]);
  });

  it('is refused where the knowledge base is too large', async () => {
    const library = await opened({ maxDraftTextBytes: 20 });
    expect(library.draftEdition('ports.md', put)).toMatchObject({
      refused: expect.stringMatching(/too large/),
    });
  });
});
