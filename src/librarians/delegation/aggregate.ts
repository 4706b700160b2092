import { type AnswerPhrases, answerPhrases, filled } from '../../answering/write/answer-phrases.ts';
import { shortenAnswer } from '../../answering/write/shorten-answer.ts';
import { PARTIAL_BELOW } from '../../contract/core/confidence-level.ts';
import type { ErrorInfo } from '../../contract/core/error-info.ts';
import {
  ANSWER_ADVISED_LENGTH,
  type AnswerPart,
  isUnsure,
  type LibrarianResponse,
  type Source,
} from '../../contract/core/response.ts';
import { outsideCode } from '../../documents/markdown/blocks.ts';
import { idAsWords } from '../../language/id-as-words.ts';
import type { Branch } from '../../platform/context/delegates.ts';
import { errorInfo } from '../../platform/context/error-info-of.ts';
import { closestOf, isDeclined, joinFailures, whyMissing } from './abstention.ts';
import { fairShares } from './call.ts';
import { CODE_SPAN, containMarkdown, inertLine } from './contain-markdown.ts';

/** The size of `metadata.parts`; a fan-out is at most 8. */
const MAX_BRANCHES = 16;

/**
 * Combines the answers of several librarians into one Response (docs/aggregation.md). Pure, and never throws.
 *
 * - One branch: its response, unchanged.
 * - Several: their answers side by side, with all sources, `metadata.parts` and a combined confidence; `partial` when that is below 0.6,
 *   a part is partial, or a branch failed.
 * - No answer: an error, the one that all have in common or DELEGATION_FAILED.
 *
 * @param branches In the order of the requests; at most 16 are read.
 * @param options.language Of who asks; English when absent.
 * @param options.nameOf The name that a librarian registered with; its id as words when it is not known.
 */
export function aggregate(
  branches: readonly Branch[],
  {
    language,
    nameOf = () => undefined,
  }: { language?: string | undefined; nameOf?: NameOf | undefined } = {},
): LibrarianResponse {
  const [only] = branches;
  if (only !== undefined && branches.length === 1) return only.response;
  const read = branches.slice(0, MAX_BRANCHES).map((branch) => readBranch(branch, nameOf));
  const { sources, places } = mergeSources(
    read.map(({ text, response }) => (text === '' ? [] : (response.sources ?? []))),
  );
  const parts = fitParts(read.map((reply, index) => partOf(reply, places[index] ?? [])));
  if (read.every(({ text }) => text === '')) return allFailed(read, parts);
  const replies = read.map((reply, index) => ({
    ...reply,
    text: renumberCitations(reply.text, places[index] ?? []),
  }));
  const topics = arrangeTopics(replies);
  const confidence = combineConfidence(topics);
  const isPartial = isUnsure(confidence) || branches.length > MAX_BRANCHES || replies.some(hasGap);
  const declined = replies.filter((reply) => reply.isDeclined);
  return {
    answer: composeAnswer(topics, replies, answerPhrases(language)),
    ...(sources.length > 0 ? { sources } : {}),
    confidence,
    ...(isPartial ? { partial: true } : {}),
    metadata: {
      parts,
      ...(declined.length > 0
        ? { closest: closestOf(declined.map(({ response }) => response)) }
        : {}),
    },
  };
}

const hasGap = ({ error, isDeclined, response }: Reply): boolean =>
  error !== undefined || isDeclined || response.partial === true;

const allFailed = (replies: readonly Reply[], parts: AnswerPart[]): LibrarianResponse => {
  const failures = replies.flatMap(({ librarian, error }) =>
    error === undefined ? [] : [{ librarian, error }],
  );
  if (failures.length > 0) return { error: joinFailures(failures), metadata: { parts } };
  const message = 'Cannot answer: no librarian was asked';
  return { error: errorInfo('DELEGATION_FAILED', { message, recoverable: false }) };
};

const partOf = (
  { librarian, question, response, error }: Reply,
  places: readonly (number | undefined)[],
): AnswerPart => {
  const { answer, confidence, partial } = response;
  const { trace: _trace, ...metadata } = response.metadata ?? {};
  const cited = [...new Set(places)].filter((place) => place !== undefined);
  return {
    librarian,
    query: question.slice(0, 4000),
    ...(answer === undefined ? {} : { answer }),
    ...(cited.length > 0 ? { sources: cited } : {}),
    ...(confidence === undefined ? {} : { confidence }),
    ...(partial === undefined ? {} : { partial }),
    ...(error === undefined ? {} : { error }),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
};

/** Limit of all parts together, in the units of the contract's metadata limit (256,000); the rest is for other metadata. */
const MAX_PARTS_SIZE = 240_000;
/** Maximum depth of a part's own metadata, which is nested three levels deep; the contract allows 16. */
const MAX_DEPTH = 13;

/**
 * Drops what does not fit into `metadata` of a Response: first metadata of parts, largest first, then answers, largest first (the joined
 * answer repeats their text up to its limit).
 */
const fitParts = (parts: readonly AnswerPart[]): AnswerPart[] => {
  const fitted = parts.map((part): AnswerPart => {
    const { metadata, ...rest } = part;
    return metadata === undefined || sizeOf(metadata, MAX_DEPTH) === Number.POSITIVE_INFINITY
      ? rest
      : part;
  });
  const sizes = fitted.map(({ metadata, answer, ...rest }) => ({
    metadata: metadata === undefined ? 0 : sizeOf(metadata, MAX_DEPTH),
    answer: answer?.length ?? 0,
    rest: sizeOf(rest, MAX_DEPTH),
  }));
  let left = MAX_PARTS_SIZE;
  for (const { metadata, answer, rest } of sizes) left -= metadata + answer + rest + OVERHEAD;
  for (const member of ['metadata', 'answer'] as const) {
    const largestFirst = sizes
      .map((size, index) => ({ index, size: size[member] }))
      .toSorted((a, b) => b.size - a.size);
    for (const { index, size } of largestFirst) {
      if (left >= 0 || size === 0) break;
      const part = fitted[index];
      if (part !== undefined) delete part[member];
      left += size;
    }
  }
  return fitted;
};

/** Upper bound of the names and values around a part. */
const OVERHEAD = 100;

/** Counted as `jsonObject` does; infinite when nested deeper than `depth`, or larger than the limit. */
const sizeOf = (value: unknown, depth: number): number => {
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' ? value.length + 1 : 1;
  if (depth === 0) return Number.POSITIVE_INFINITY;
  let size = 1;
  for (const [key, member] of Object.entries(value)) {
    size += sizeOf(member, depth - 1) + (Array.isArray(value) ? 0 : key.length);
    if (size > MAX_PARTS_SIZE) return Number.POSITIVE_INFINITY;
  }
  return size;
};

/**
 * The joined answer as Markdown: each question with its answers, most confident first, under the names of their librarians; then what is
 * missing. Only this function writes headings of level 1 to 3 (`containMarkdown`), so that no part can imitate another.
 *
 * @returns At most 4,000 characters, unless headings and gaps alone have more. A part that is shortened says so, and links its sources.
 */
const composeAnswer = (
  topics: readonly Topic[],
  replies: readonly Reply[],
  phrases: AnswerPhrases,
): string => {
  const ending = gapsText(topics, replies, phrases);
  const sections = topics
    .filter(({ isInformed }) => isInformed)
    .flatMap((topic) => sectionsOf(topic, { hasHeading: topics.length > 1, phrases }));
  const fixed =
    [ending, ...sections.map(({ intro }) => intro)].join('').length +
    SEPARATOR_LENGTH * sections.length;
  const limits = fairShares(
    sections.map(({ text }) => text.length),
    Math.max(ANSWER_ADVISED_LENGTH - fixed, LEAST_OF_PART * sections.length),
  );
  const parts = sections.map(({ intro, text, sources }, index) => {
    const shown = shortenAnswer(text, sources, { limit: limits[index] ?? 0, phrases });
    return `${intro}${shown}`;
  });
  return [...parts, ending].filter((part) => part !== '').join('\n\n');
};

/** Characters of each part, whatever the headings and gaps need. */
const LEAST_OF_PART = 300;
/** Between parts, on both sides. */
const SEPARATOR_LENGTH = 4;

interface Section {
  intro: string;
  text: string;
  sources: readonly Source[] | undefined;
}

const sectionsOf = (
  { question, answers, replies }: Topic,
  { hasHeading, phrases }: { hasHeading: boolean; phrases: AnswerPhrases },
): Section[] => {
  const heading = hasHeading ? `## ${inertLine(question, 200)}\n\n` : '';
  const declined = replies.filter((reply) => reply.isDeclined);
  const note =
    declined.length > 0 ? `; ${filled(phrases.nothingFrom, { names: namesOf(declined) })}` : '';
  return answers.map((group, index) => {
    const librarians = namesOf(group);
    const lead = filled(phrases.source, { title: `${librarians}${note}` });
    const intro = index === 0 ? `${heading}*${lead}*\n\n` : `### ${librarians}\n\n`;
    return { intro, text: group[0].text, sources: group[0].response.sources };
  });
};

const namesOf = (replies: readonly Reply[]): string => replies.map(({ name }) => name).join(', ');

/** The name of a librarian by its id, as in its description. */
export type NameOf = (id: string) => string | undefined;

/** As it registered, else its id as words. */
const spokenName = (id: string, name = idAsWords(id)): string => inertLine(name, 48);

/** Questions that no one answered, and answers that lack something. */
const gapsText = (
  topics: readonly Topic[],
  replies: readonly Reply[],
  phrases: AnswerPhrases,
): string => {
  const declined = topics.flatMap(({ question, answers, isInformed, replies: members }) => {
    if (answers.length === 0 || isInformed) return [];
    const closest = closestOf(members.map(({ response }) => response));
    const links = closest.map(({ title, url }) => linkTo(title, url)).join(', ');
    const about = filled(phrases.nothingAbout, { question: `“${inertLine(question, 200)}”` });
    return [links === '' ? `- ${about}` : `- ${about} ${phrases.closest} ${links}.`];
  });
  const failed = replies.flatMap(({ name, question: whole, error, text }) => {
    if (error === undefined) return [];
    const question = `“${inertLine(whole, 120)}”`;
    const phrase = text === '' ? phrases.noAnswerFrom : phrases.partMissing;
    return [`- ${filled(phrase, { question, name, why: whyMissing(error.code, phrases) })}`];
  });
  const gaps = [...declined, ...failed];
  return gaps.length === 0 ? '' : `## ${phrases.notAnswered}\n\n${gaps.join('\n')}`;
};

/** The title as a link, if its address is one of the web. */
const linkTo = (title: string, url: string | undefined): string => {
  const text = inertLine(title, 120);
  return url !== undefined && /^https?:\/\/[^\s()<>]+$/.test(url)
    ? `[${text}](${url})`
    : `“${text}”`;
};

/** The sources of several answers as one list. */
interface MergedSources {
  /** Each once, best first, those without a relevance last; at most 50. */
  sources: Source[];
  /** The index in `sources` of each source of each answer; `undefined` for one beyond the limit. */
  places: (number | undefined)[][];
}

const MAX_SOURCES = 50;

/**
 * Merges lists of sources. Two are the same if the same librarian vouches for them, and they have the same url, or neither has one and they have the same name (a file
 * with its section): what an external librarian says of an address never becomes a source of ours. The highest relevance is kept, with the name that came with it.
 */
const mergeSources = (lists: readonly (readonly Source[])[]): MergedSources => {
  const merged = new Map<string, Source>();
  for (const source of lists.flat()) {
    const key = keyOf(source);
    const known = merged.get(key);
    merged.set(key, known === undefined ? { ...source } : better(known, source));
  }
  const sorted = [...merged]
    .toSorted(([, one], [, other]) => rankOf(other) - rankOf(one))
    .slice(0, MAX_SOURCES);
  const placeOf = new Map(sorted.map(([key], place) => [key, place]));
  return {
    sources: sorted.map(([, source]) => source),
    places: lists.map((list) => list.map((source) => placeOf.get(keyOf(source)))),
  };
};

const keyOf = ({ name, url, reported_by: reporter = '' }: Source): string =>
  `${reporter} ${url === undefined ? `name ${name}` : `url ${url}`}`;

const rankOf = ({ relevance }: Source): number => relevance ?? -1;

const better = (known: Source, other: Source): Source =>
  rankOf(other) > rankOf(known) ? { ...known, ...other } : { ...other, ...known };

/**
 * Renumbers citations such as `[2]`, the second source of a part, to the position in the joined list, from 1. If a text has such a
 * number beyond its sources, none of them is a citation, and all stay. A citation of a source beyond the limit is removed.
 *
 * @param places The index of each source of the part in the joined list, from 0.
 */
const renumberCitations = (text: string, places: readonly (number | undefined)[]): string => {
  const numbers = [...text.matchAll(CITATION)].flatMap(({ groups }) => groups?.number ?? []);
  if (
    numbers.length === 0 ||
    numbers.some((number) => Number(number) < 1 || Number(number) > places.length)
  )
    return text;
  const renumber = (line: string): string =>
    line.replace(CITATION, (whole, _span, number: string | undefined) => {
      if (number === undefined) return whole;
      const place = places[Number(number) - 1];
      return place === undefined ? '' : `[${place + 1}]`;
    });
  return outsideCode(text, renumber);
};

const CITATION = new RegExp(`${CODE_SPAN}|(?<!\\\\)\\[(?<number>\\d{1,2})\\](?![(:\\\\])`, 'g');

/** The outcome of one branch, as it is joined with others. */
interface Reply {
  librarian: string;
  /** For readers. */
  name: string;
  question: string;
  response: LibrarianResponse;
  /** The answer as Markdown that stays within its part; empty if there is none. */
  text: string;
  /** An answer that only says that there is none. */
  isDeclined: boolean;
  /** Why there is no answer, or what is missing beside it. */
  error: ErrorInfo | undefined;
}

/** Reads a branch; a reply without visible text counts as failed. */
const readBranch = ({ to, query, response }: Branch, nameOf: NameOf): Reply => {
  const contained = containMarkdown(response.answer ?? '');
  const text = VISIBLE.test(contained) ? contained : '';
  const error =
    response.error ?? (text === '' ? errorInfo('DELEGATION_FAILED', { librarian: to }) : undefined);
  return {
    librarian: to,
    name: spokenName(to, nameOf(to)),
    question: query,
    response,
    text,
    isDeclined: isDeclined({ ...response, answer: text }),
    error,
  };
};

const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Cs}]/u;

/** One question with the answers to it. */
interface Topic {
  question: string;
  replies: readonly Reply[];
  /** Most confident first; librarians with the same answer are grouped. Declined answers are included only if all declined. */
  answers: readonly (readonly [Reply, ...Reply[]])[];
  /** Whether any of them has information. */
  isInformed: boolean;
}

const arrangeTopics = (replies: readonly Reply[]): Topic[] =>
  [...Map.groupBy(replies, ({ question }) => normalised(question)).values()].map((members) => {
    const answered = members.filter(({ text }) => text !== '');
    const informed = answered.filter((reply) => !reply.isDeclined);
    const surestFirst = (informed.length > 0 ? informed : answered).toSorted(
      (one, other) => confidenceOf(other) - confidenceOf(one),
    );
    const answers = [...Map.groupBy(surestFirst, ({ text }) => wordingOf(text)).values()];
    return {
      question: members[0]?.question ?? '',
      replies: members,
      // A group has at least one member.
      answers: answers as [Reply, ...Reply[]][],
      isInformed: informed.length > 0,
    };
  });

/** Normalises case, white space, punctuation and Unicode form. */
const normalised = (question: string): string => {
  const words = question
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+|[^\s\p{P}]/gu);
  return words === null ? question : words.join(' ');
};

/** Normalises white space and removes citations. */
const wordingOf = (text: string): string =>
  text
    .replace(/\[\d{1,2}\]/g, '')
    .replace(/\s+/g, ' ')
    .trim();

/** An answer without a stated confidence counts as not known to be unsure. */
const confidenceOf = ({ response }: Reply): number => response.confidence ?? PARTIAL_BELOW;

/** Librarians may draw on the same source, so each further one counts half. */
const WEIGHT_OF_AGREEMENT = 0.5;
/** Agreement alone raises the confidence no further. */
const MAX_BY_AGREEMENT = 0.95;

/**
 * The confidence of a joined answer, 0 to 1, rounded to three decimals.
 *
 * 1. A question has the confidence of its most confident answer, `c`; 0.6 if that states none.
 * 2. The same answer from others raises it: `1 - (1 - c) (1 - a/2) (1 - b/2) ...`, up to 0.95.
 * 3. The weakest answered question bounds the whole, which is scaled by the share of questions that were answered.
 */
const combineConfidence = (topics: readonly Topic[]): number => {
  // If no librarian has information, their confidence in that is reported.
  const isInformed = topics.some((topic) => topic.isInformed);
  const answered = topics.flatMap(({ answers: [best], ...topic }) =>
    best === undefined || topic.isInformed !== isInformed ? [] : [best],
  );
  if (answered.length === 0) return 0;
  const weakest = Math.min(
    ...answered.map(([leading, ...agreeing]) => {
      const doubt = agreeing.reduce(
        (product, reply) => product * (1 - WEIGHT_OF_AGREEMENT * confidenceOf(reply)),
        1 - confidenceOf(leading),
      );
      return Math.max(confidenceOf(leading), Math.min(1 - doubt, MAX_BY_AGREEMENT));
    }),
  );
  return Math.round(((weakest * answered.length) / topics.length) * 1000) / 1000;
};
