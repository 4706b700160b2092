import { parseBlocks } from '../../documents/markdown/blocks.ts';
import { escapeHtml } from '../../documents/markdown/escape-html.ts';
import type { CachedChunk, Edition } from '../../knowledge/edition/open-edition.ts';
import { devicesNamedIn } from '../../knowledge/search/devices-named-in.ts';
import type { SearchOutcome } from '../../knowledge/search/search-edition.ts';
import type { CheckedAnswer } from '../check/checked-answer.ts';
import type { CheckedStatement } from '../check/decide-statements.ts';
import { ageOf } from '../model/page-age.ts';
import { placesInChunks, type ShownPassage } from '../passages/shown-passages.ts';
import { conflictsWith } from './alternatives.ts';
import { FOLLOW_UP_SHARE } from './answer-from-edition.ts';
import { type AnswerPhrases, filled } from './answer-phrases.ts';
import { knowledgeOf } from './citable-knowledge.ts';
import {
  type CitedStatement,
  citationOf,
  closestOf,
  oneLine,
  otherDevices,
  type Place,
  rounded,
  sectionOf,
} from './cite-sources.ts';
import { compareWithOthers } from './compare-sources.ts';
import { composeAnswer } from './compose-answer.ts';
import { assess, factorIf, type Rating } from './confidence.ts';
import {
  type AnswerViolation,
  type ClosestArticle,
  chooseHits,
  type NavigatorAnswer,
} from './navigator-answer.ts';
import { validateNavigatorResponse } from './validate-navigator-response.ts';

type Checked = CheckedStatement<ShownPassage>;

interface ModelAnswerParts {
  edition: Edition;
  question: string;
  /** Without prompt injections. */
  outcome: SearchOutcome;
  passages: readonly ShownPassage[];
  written: CheckedAnswer<ShownPassage>;
  phrases: AnswerPhrases;
  /** The time of the question. */
  now: Date;
  isFollowUp: boolean;
}

/**
 * The answer of checked statements. Only the statements are the model's, each paragraph followed by its references. An alternative that
 * breaks a rule of the contract is dropped, also one from an article that was not shown.
 *
 * @returns The answer, undefined when it breaks a rule itself; with the rules that were broken.
 */
export function composeModelAnswer(parts: ModelAnswerParts): {
  answer: NavigatorAnswer | undefined;
  violations: AnswerViolation[];
} {
  const { edition, passages, written } = parts;
  const answer = compose(parts);
  const { alternatives = [], ...response } = answer.response;
  const checked = [...written.statements.map(({ text }) => text), written.missing].map(escapeHtml);
  const breaches = validateNavigatorResponse(answer.response, knowledgeOf(passages, edition.id), {
    frame: answer.frame,
    checked,
  });
  const isBroken = breaches.some(({ alternative }) => alternative === undefined);
  const outcome = isBroken ? ('abstained' as const) : ('dropped' as const);
  const violations = [...new Set(breaches.map(({ rule }) => rule))].map((rule) => ({
    rule,
    outcome,
  }));
  if (isBroken) return { answer: undefined, violations };
  if (violations.length === 0) return { answer, violations };
  const valid = alternatives.filter((_, index) =>
    breaches.every(({ alternative }) => alternative !== index),
  );
  const rest = valid.length > 0 ? { ...response, alternatives: valid } : response;
  return { answer: { ...answer, response: rest, violations }, violations };
}

const HEDGED_BELOW = 0.4;

const compose = (parts: ModelAnswerParts): NavigatorAnswer => {
  const { edition, question, outcome, written, phrases } = parts;
  const chosen = chooseHits(edition, question, outcome.hits);
  const places = written.statements.flatMap(placesOf);
  const isOtherDevice =
    chosen.named.length > 0 && places.every(({ chunk }) => isAboutOthers(chunk, chosen.named));
  const comparisons = compareWithOthers(edition, places, chosen);
  const assessment = assess(ratingOf(parts), {
    comparisons,
    isOtherDevice,
    phrases,
  });
  const statements = written.statements.map((statement) =>
    citedStatement(statement, assessment.probability),
  );
  const open = openSentences(written, phrases);
  const lack = [written.missing, ...open].filter((sentence) => sentence !== '');
  // What is lacking is said more exactly than by a doubt about all.
  const isDoubtful = assessment.probability < HEDGED_BELOW && lack.length === 0;
  const opening = isOtherDevice
    ? otherDevices(chosen.named, phrases)
    : isDoubtful
      ? phrases.hedge
      : '';
  const { blocks, references } = referenced(statements, { dates: oldDates(parts), phrases });
  const files = new Set(places.map(({ chunk }) => chunk.source.id));
  return composeAnswer({
    edition,
    outcome,
    chosen,
    statements,
    removed: written.removed.length,
    assessment,
    alternatives: conflictsWith(places, {
      comparisons,
      edition,
      probability: assessment.probability,
      phrases,
    }),
    closest: linksToPassages(written.related)
      .filter(({ file }) => file === undefined || !files.has(file))
      .slice(0, MAX_RELATED),
    text: escapeHtml([opening, ...blocks, ...lack].filter((part) => part !== '').join('\n\n')),
    frame: [opening, ...references, ...open],
  });
};

/** Articles to read on about what is open. */
const MAX_RELATED = 3;

/** A checked statement with its evidence. */
export function citedStatement(statement: Checked, relevance: number): CitedStatement {
  return {
    text: statement.text,
    places: placesOf(statement),
    support: statement.probability,
    relevance,
  };
}

const placesOf = ({ quotes }: Checked): Place[] => {
  const places = quotes.flatMap(({ passage, span }) => placesInChunks(passage, span));
  const byPlace = places.map(
    (place) => [`${place.chunk.index} ${place.start} ${place.end}`, place] as const,
  );
  return [...new Map(byPlace).values()];
};

/** Its article is for other devices, and neither its headings nor its text name a requested one. */
const isAboutOthers = (
  { source, headingPath, text }: CachedChunk,
  named: readonly string[],
): boolean => {
  const wanted = named.map((device) => device.toLowerCase());
  const { devices, title } = source;
  if (devices.length === 0 || devices.some((device) => wanted.includes(device.toLowerCase())))
    return false;
  return devicesNamedIn([title, ...headingPath, text].join('\n'), wanted).length === 0;
};

/** Probability of an answer to all parts of the question, of which each statement is judged and none was removed (docs/navigator.md). */
const ANSWERED = 0.95;
/** What a part counts that is answered in part. */
const IN_PART = 0.6;
/** Factor when as many statements were removed as stayed. */
const REMOVED_WEIGHT = 0.5;
/** Factor without a judge: only whole sentences and rows of the articles are left then. */
const UNJUDGED_FACTOR = 0.8;

const ratingOf = ({ written, phrases, isFollowUp }: ModelAnswerParts): Rating => {
  const { statements, removed, parts, isJudged } = written;
  const answered = parts.filter(({ state }) => state === 'answered').length;
  const partly = parts.filter(({ state }) => state === 'in_part').length;
  const answeredShare = (answered + IN_PART * partly) / Math.max(1, parts.length);
  const support = Math.min(...statements.map(({ probability }) => probability));
  const removedShare = removed.length / Math.max(1, removed.length + statements.length);
  const judgeFactor = isJudged ? 1 : UNJUDGED_FACTOR;
  const followUpFactor = isFollowUp ? FOLLOW_UP_SHARE : 1;
  const removal = 1 - REMOVED_WEIGHT * removedShare;
  const count = (number: number) => ({ count: String(number) });
  return {
    probability: ANSWERED * answeredShare * support * removal * judgeFactor * followUpFactor,
    factors: [
      {
        name: 'parts',
        effect: answeredShare < 1 ? 'lowers' : 'sets',
        explanation: filled(phrases.partsAnswered, {
          ...count(answered + partly),
          total: String(parts.length),
        }),
      },
      {
        name: 'support',
        effect: isJudged ? 'raises' : 'lowers',
        explanation: filled(
          isJudged ? phrases.modelWrote : phrases.notJudged,
          count(statements.length),
        ),
      },
      ...factorIf(removed.length > 0, {
        name: 'removed',
        effect: 'lowers',
        explanation: filled(phrases.removed, count(removed.length)),
      }),
    ],
    components: { support: rounded(support), removed: rounded(removedShare) },
  };
};

/**
 * Names the parts that the answer leaves open, unless the model says so in words that are confirmed. Of a part about which statements were
 * removed, or which the model has forgotten, it is not said that nothing was found.
 */
const openSentences = (
  { parts, missing }: CheckedAnswer<ShownPassage>,
  phrases: AnswerPhrases,
): string[] => {
  const open = parts.filter(({ state, isLost }) => state === 'open' && (isLost || missing === ''));
  const sentences = open.map(({ asked, isLost }) => {
    if (asked === '') return phrases.partOpen;
    const name = `“${oneLine(asked, 200)}”`;
    return isLost
      ? phrases.partOpen.replace(/[.。]?$/u, (mark) => `: ${name}${mark}`)
      : filled(phrases.nothingAbout, { question: name });
  });
  return [...new Set(sentences)];
};

/** The articles of passages, each once. */
export function linksToPassages(passages: readonly ShownPassage[]): ClosestArticle[] {
  return [...Map.groupBy(passages, ({ source }) => source)].map(([source, own]) =>
    closestOf(source, own[0]?.headings[0]),
  );
}

/** The dates of articles that are old beside the others that were shown, by id. */
const oldDates = ({
  passages,
  now,
}: Pick<ModelAnswerParts, 'passages' | 'now'>): ReadonlyMap<string, string> => {
  const others = passages.flatMap(({ updated }) => updated ?? []);
  return new Map(
    passages.flatMap(({ source, updated }) =>
      updated !== undefined && ageOf(updated, { now, others })?.isOld
        ? [[source.id, updated.slice(0, 10)]]
        : [],
    ),
  );
};

/** A paragraph of an answer, a list, a table or a block of code with what leads to it. */
interface Paragraph {
  text: string;
  places: readonly Place[];
  /** The sections and the articles that it is from. */
  sections: string;
  articles: string;
  isBlock: boolean;
}

interface ReferenceOptions {
  dates: ReadonlyMap<string, string>;
  phrases: AnswerPhrases;
}

/** Statements as Markdown. Prose from the same sections is one paragraph; paragraphs from the same articles share one reference at their end. */
const referenced = (
  statements: readonly CitedStatement[],
  options: ReferenceOptions,
): { blocks: string[]; references: string[] } => {
  const paragraphs = paragraphsOf(statements);
  const references: string[] = [];
  let run: Place[] = [];
  const blocks = paragraphs.map(({ text, places, articles }, at) => {
    run.push(...places);
    if (paragraphs[at + 1]?.articles === articles) return text;
    const reference = `(${referenceTo(run, options)})`;
    references.push(reference);
    run = [];
    const isBlock = parseBlocks(text).at(-1)?.kind !== 'prose';
    return `${text}${isBlock ? '\n\n' : ' '}${reference}`;
  });
  return { blocks, references };
};

const paragraphsOf = (statements: readonly CitedStatement[]): Paragraph[] => {
  const paragraphs: Paragraph[] = [];
  for (const { text, places } of statements) {
    const sections = keyOf(places, ({ chunk }) => `${chunk.source.id}\n${sectionOf(chunk)}`);
    const isBlock = parseBlocks(text).some(({ kind }) => kind !== 'prose');
    const last = paragraphs.at(-1);
    const isSame = last !== undefined && last.sections === sections;
    // What leads to a list stands directly above it.
    const isLed = isSame && last.text.endsWith(':');
    if (isLed || (isSame && !isBlock && !last.isBlock)) {
      last.text = `${last.text}${isLed ? '\n\n' : ' '}${text}`;
      last.places = [...last.places, ...places];
      last.isBlock ||= isBlock;
    } else {
      const articles = keyOf(places, ({ chunk }) => chunk.source.id);
      paragraphs.push({ text, places, sections, articles, isBlock });
    }
  }
  return paragraphs;
};

const keyOf = (places: readonly Place[], nameOf: (place: Place) => string): string =>
  [...new Set(places.map(nameOf))].join('\n\n');

/** Articles that a reference names; the statements have all. */
const MAX_NAMED = 3;

/** Each article once, with its date where it is old, and the first sections of it. */
const referenceTo = (places: readonly Place[], { dates, phrases }: ReferenceOptions): string => {
  const articles = Map.groupBy(places, ({ chunk }) => chunk.source);
  const citations = [...articles].slice(0, MAX_NAMED).map(([source, own]) => {
    const day = dates.get(source.id);
    const citation = citationOf(own.map(({ chunk }) => chunk));
    return day === undefined ? citation : `${citation}, ${filled(phrases.asOf, { day })}`;
  });
  return citations.join('; ');
};
