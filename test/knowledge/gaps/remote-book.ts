import type { GapBook, RemoteGapBook } from '../../../src/knowledge/gaps/gap-book.ts';

/** The asynchronous interface of a book, as other functions call it. */
export function asRemote(book: GapBook): RemoteGapBook {
  return {
    record: async (...given) => book.record(...given),
    read: async (...given) => book.read(...given),
    remove: async (...given) => book.remove(...given),
    erasePerson: async (...given) => book.erasePerson(...given),
    list: async (...given) => book.list(...given),
    records: async (...given) => book.records(...given),
    restore: async (...given) => book.restore(...given),
    toCheck: async (...given) => book.toCheck(...given),
    audienceLists: async () => book.audienceLists(),
    noteChecked: async (...given) => book.noteChecked(...given),
  };
}
