import { expect, it } from 'vitest';
import { readListing } from '../../../src/knowledge/library/fetch-host-listing.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

const read = (
  body: BodyInit,
  onArticle: (article: unknown) => void = () => undefined,
  maxBytes = 1_000_000,
) => readListing(new Response(body), { maxBytes, signal: new AbortController().signal, onArticle });

it('returns each article before the rest of the page has arrived', async () => {
  const first = Promise.withResolvers<unknown>();
  const stream = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      controller.enqueue(bytesOf('{"total": 2, "articles": [{"id": "a", "content": "Grüße"}, '));
      // Never resolves for a reader that waits for the end of the body.
      expect(await first.promise).toEqual({ id: 'a', content: 'Grüße' });
      controller.enqueue(bytesOf('{"id": "b"}], "next_cursor": "c2"}'));
      controller.close();
    },
  });
  const articles: unknown[] = [];
  const members = await read(stream, (article) => {
    articles.push(article);
    first.resolve(article);
  });
  expect(articles).toEqual([{ id: 'a', content: 'Grüße' }, { id: 'b' }]);
  expect(members).toEqual({ total: 2, articles: [], next_cursor: 'c2' });
});
it.each<[string, BodyInit, string]>([
  ['cut off within an article', '{"articles": [{"id": "a"}, {"id": ', 'not-json'],
  ['cut off after the last article', '{"articles": [{"id": "a"}], "total": 1', 'not-json'],
  ['empty', '', 'not-json'],
  ['two documents', '{"articles": []} {"articles": []}', 'not-json'],
  [
    'no UTF-8',
    new Uint8Array([...bytesOf('{"articles": [{"id": "'), 0xff, ...bytesOf('"}]}')]),
    'not-json',
  ],
  ['larger than allowed', `{"articles": ["${'a'.repeat(2_000_000)}"]}`, 'too-large'],
])('refuses a page that is %s', (_, body, kind) =>
  expect(read(body)).rejects.toMatchObject({ kind }),
);
it('returns no articles when they are not a list', async () => {
  expect(await read('{"articles": {"a": {"id": "a"}}}')).not.toEqual({ articles: [] });
  expect(await read('[{"articles": []}]')).toEqual({});
});
