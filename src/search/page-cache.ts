import type { PageSource } from './chunk-texts.ts';
import type { TextPage } from './text-pages.ts';

/** What the pages of all editions may take in an isolate: some 100 pages, those of about five questions. */
export const MAX_CACHED_PAGE_BYTES = 8 * 1024 * 1024;

/** Pages of several editions in memory; the least recently read are dropped first. */
export interface PageCache {
  /** The pages of one edition. @param fetchPage Throws when a page cannot be had intact. */
  of(edition: string, fetchPage: (page: number) => Promise<TextPage>): PageSource;
}

export const pageCache = (maxBytes: number): PageCache => {
  const pages = new Map<string, TextPage>();
  let bytes = 0;
  const drop = (key: string): void => {
    bytes -= sizeOf(pages.get(key));
    pages.delete(key);
  };
  const add = (key: string, page: TextPage, wanted: ReadonlySet<string>): void => {
    drop(key);
    pages.set(key, page);
    bytes += sizeOf(page);
    for (const oldest of pages.keys()) {
      if (bytes <= maxBytes) return;
      // What one piece of work needs together stays together, whatever the limit.
      if (!wanted.has(oldest)) drop(oldest);
    }
  };
  return {
    of: (edition, fetchPage) => {
      const keyOf = (page: number) => `${edition}/${page}`;
      return {
        get: (page) => {
          const key = keyOf(page);
          const found = pages.get(key);
          if (found === undefined) return undefined;
          pages.delete(key);
          pages.set(key, found);
          return found;
        },
        // Not shared between requests: a Worker may not wait for the network on behalf of another one.
        load: async (numbers, keep) => {
          const wanted = new Set([...keep].map(keyOf));
          const failed = await Promise.all(
            numbers.map(async (number) => {
              try {
                add(keyOf(number), await fetchPage(number), wanted);
                return [];
              } catch {
                return [number];
              }
            }),
          );
          return failed.flat();
        },
      };
    },
  };
};

const sizeOf = (page: TextPage | undefined): number =>
  page === undefined ? 0 : page.texts.bytes.byteLength + page.words.bytes.byteLength;
