import type { CheckBreak } from '../../contract/wire/checks.ts';
import { audiencesOfArticle } from '../edition/current-edition.ts';
import type { Edition } from '../edition/open-edition.ts';

/** Two numbers of 32 bits an article: a hash of its id and one of its contents. */
const NUMBERS = 2;

/**
 * What tells which articles another edition has changed: 8 bytes an article, sorted by the hash of its id. Texts count as far as they are
 * in memory; of an edition with its texts on pages, headings and dates do. Audiences count too.
 */
export function articleMarks(edition: Edition): Uint8Array<ArrayBuffer> {
  const fullEdition = edition.narrowed?.from ?? edition;
  const marks = Array.from({ length: fullEdition.articleCount }, (_, at) =>
    markOf(fullEdition, at),
  );
  marks.sort(([one], [other]) => one - other);
  return new Uint8Array(Uint32Array.from(marks.flat()).buffer);
}

/**
 * What became of an article since another edition.
 *
 * @param edition The later one, or what some audiences may read of it: what they may not read is removed.
 * @param earlierMarks `readMarks` of the earlier one.
 * @returns Undefined for an article that is the same in both, or in neither.
 */
export function changeSince(
  edition: Edition,
  earlierMarks: ArticleMarks,
  id: string,
): CheckBreak['articles'][number]['change'] | undefined {
  const fullEdition = edition.narrowed?.from ?? edition;
  const earlierMark = earlierMarks.get(hashOf(id));
  const place = fullEdition.findArticle(id);
  if (place < 0) return earlierMark === undefined ? undefined : 'removed';
  if (markOf(fullEdition, place)[1] === earlierMark) return undefined;
  if (edition.findArticle(id) < 0) return earlierMark === undefined ? undefined : 'removed';
  return earlierMark === undefined ? 'added' : 'changed';
}

/** By the hash of an article's id, the hash of its contents. */
export type ArticleMarks = ReadonlyMap<number, number>;

export function readMarks(marks: Uint8Array): ArticleMarks {
  const numbers = new Uint32Array(marks.slice().buffer);
  const contents = new Map<number, number>();
  for (let at = 0; at < numbers.length; at += NUMBERS)
    contents.set(numbers[at] ?? 0, numbers[at + 1] ?? 0);
  return contents;
}

const markOf = (edition: Edition, at: number): [id: number, contents: number] => {
  const { id, title, url, lastUpdated, intents, devices, firstChunk, endChunk } =
    edition.article(at);
  const audiences = audiencesOfArticle(edition, at);
  const isInMemory = edition.texts.paged === undefined;
  let contents = hashOf(
    JSON.stringify([
      title,
      url,
      isInMemory ? '' : lastUpdated,
      intents,
      devices,
      endChunk - firstChunk,
      // Marks of articles for everybody stay those of editions before.
      ...(audiences.length === 0 ? [] : [audiences]),
    ]),
  );
  for (let chunk = firstChunk; chunk < endChunk; chunk++) {
    contents = hashOf(edition.headingPath(chunk).join('\n'), contents);
    if (isInMemory) contents = hashOf(edition.texts.text(chunk), contents);
  }
  return [hashOf(id), contents];
};

/** FNV-1a, 32 bits. */
const hashOf = (text: string, start = 0x811c9dc5): number => {
  let hash = start;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
};
