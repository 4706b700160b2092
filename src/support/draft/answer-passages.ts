import { RETRIEVAL_MIN_SCORE } from '../../contract/knowledge-retrieval.ts';
import type { ParsedQuestion } from '../../grounding/parse-question.ts';
import { hasPromptInjection, isInjectionName } from '../../grounding/prompt-injection.ts';
import { type Piece, stemsOf } from '../../grounding/sections.ts';
import type { UnitPart } from '../../grounding/units.ts';
import { isPublicAddress } from '../../knowledge/public-address.ts';
import { escapeMarkdown } from '../../knowledge/rendering/escape-markdown.ts';
import type { Evidence } from '../../knowledge/retrieval/knowledge.ts';
import { escapeHtml } from '../../runtime/escape-html.ts';
import { detectLanguage } from '../../text/detect-language.ts';
import { splitSentences } from '../../text/split-sentences.ts';
import { type AlreadyTried, wasTried } from '../ticket/already-tried.ts';
import { phrasesOf } from '../ticket/languages.ts';
import { isProhibition } from './prohibitions.ts';
import { deviceFilter, type RankedUnit, type TicketUnits } from './ticket-units.ts';

/** A part of an article that a draft quotes as a whole. */
export interface AnswerPassage {
  title: string;
  url: string;
  /** Markdown, its heading included; nothing in it runs or loads anything. */
  markdown: string;
  /** The same as a model reads it: under headings, and as the article writes it. */
  text: string;
  /** BCP 47; undefined where it is too short to tell. */
  language: string | undefined;
  /** What the agent may recommend, one step each, as Markdown. */
  steps: readonly string[];
}

/** What a draft may quote. */
export interface Answer {
  /** Best first; empty where no source is sure to answer. */
  passages: readonly AnswerPassage[];
  /** Which of them warns of the customer's case, whatever answers. */
  warning?: AnswerPassage | undefined;
  /** A text in a source speaks to a model instead of a reader: it was left out. */
  hasPromptInjection: boolean;
}

export interface AnswerOptions {
  /** The customer's; undefined where none is named. */
  product: string | undefined;
  /** Which product it is is known. */
  isProductExact: boolean;
  alreadyTried: AlreadyTried;
}

/** An article that is about another intent must be this sure. */
const OTHER_INTENT_FROM = 0.75;
/** Of a code that the customer names and articles explain (`E40`), only what names it answers, and that is sure from here on. */
const CODE_FROM = 0.02;
/** The first passage needs this share of the likeliest one's probability, which may have been tried, or be for other devices. */
const FIRST_SHARE = 0.1;
/** A second passage needs this share of the first one's. */
const SECOND_SHARE = 0.55;
/** Visible characters of all passages together; a single procedure may be longer. */
const MAX_SIZE = 1100;

/**
 * Picks what answers a ticket from the articles that are sure to: whole sections, procedures from their introduction to their end, tables
 * with their head. Nothing that is about other devices than the customer's, and nothing again that was tried.
 */
export const answerPassages = (evidence: Evidence, found: TicketUnits, options: AnswerOptions): Answer => {
  const { edition, intents } = evidence;
  const { question, units, relevance } = found;
  // Marked as code, or what a row of a table is about.
  const codes = question.terms.flatMap(({ word, isKnown, isLiteral, weight }) =>
    isKnown && isLiteral && weight === 1 ? [`\`${word}\``, `\n| ${word} |`] : [],
  );
  const hasCode = ({ unit }: RankedUnit) =>
    unit.parts.some((part) => {
      const text = textOf(part).toLowerCase();
      return codes.some((code) => text.includes(code));
    });
  const isSure = (each: RankedUnit) => {
    const { source } = each;
    const isAbout =
      intents.length === 0 || source.intents.length === 0 || source.intents.some((intent) => intents.includes(intent));
    const from = isAbout ? RETRIEVAL_MIN_SCORE : OTHER_INTENT_FROM;
    const probable = relevance.get(source.index) ?? 0;
    return probable >= from || (probable >= CODE_FROM && hasCode(each));
  };
  const sure = units.filter(isSure);
  const onCode = sure.filter(hasCode);
  const ranked = onCode.length > 0 ? onCode : sure;
  const warning = warningFor(evidence, found);
  if (ranked.length === 0) return { passages: [], warning: warning?.passage, hasPromptInjection: false };
  const { done } = phrasesOf(evidence.language ?? '');
  const showing = { question, done, alreadyTried: options.alreadyTried };
  const isForDevice = deviceFilter({ ...options, devices: edition.devices() });
  const fitting = { isForDevice, warnedBy: warning?.article };
  const picked: { ranked: RankedUnit; passage: AnswerPassage }[] = [];
  let isScreened = false;
  let size = 0;
  for (const each of ranked) {
    const [first] = picked;
    const least =
      first === undefined ? FIRST_SHARE * (ranked[0]?.probability ?? 0) : SECOND_SHARE * first.ranked.probability;
    if (each.probability < least) break;
    if (picked.length === 2) break;
    if (first !== undefined && (size + each.unit.size > MAX_SIZE || overlap(first.ranked, each))) continue;
    if (!isFitting(each, fitting) || pointsOn(each, ranked)) continue;
    if (speaksToModel(each)) {
      isScreened = true;
      continue;
    }
    const passage = passageOf(each, showing);
    if (passage === undefined) continue;
    picked.push({ ranked: each, passage });
    size += each.unit.size;
  }
  // Of one article in its own order.
  const inOrder = picked.toSorted(({ ranked: one }, { ranked: other }) =>
    one.source.index === other.source.index ? placeOf(one) - placeOf(other) : 0,
  );
  const hasSeveralArticles = new Set(inOrder.map(({ ranked: { source } }) => source.index)).size > 1;
  const titled = { ...showing, isTitled: true };
  const passages = inOrder.map(
    ({ ranked: each, passage }) => (hasSeveralArticles ? passageOf(each, titled) : undefined) ?? passage,
  );
  const isSaid = passages.some(({ markdown }) => warning !== undefined && markdown.includes(warning.passage.markdown));
  return {
    passages: warning === undefined || isSaid ? passages : [warning.passage, ...passages],
    warning: warning?.passage,
    hasPromptInjection: isScreened,
  };
};

/** "Go on with *Lamp two stays dark*": what another article that is sure to answer has, stands there. */
const pointsOn = ({ unit, source }: RankedUnit, ranked: readonly RankedUnit[]): boolean => {
  const text = unit.parts.map(textOf).join('\n').toLowerCase();
  return ranked.some((other) => other.source !== source && text.includes(other.source.title.toLowerCase()));
};

const placeOf = ({ unit: { parts } }: RankedUnit): number => {
  const [{ section, pieces }] = parts;
  return section.start + (pieces[0]?.start ?? 0);
};

const overlap = (one: RankedUnit, other: RankedUnit): boolean =>
  one.source.index === other.source.index &&
  one.unit.parts.some((part) =>
    other.unit.parts.some(
      ({ section, pieces }) =>
        section === part.section &&
        pieces.some((piece) => part.pieces.some(({ start, end }) => piece.start < end && start < piece.end)),
    ),
  );

/**
 * A procedure that ends in the article, not in the unit, may do harm, and so may one where another article warns of the customer's case.
 */
const isFitting = (
  { unit, source }: RankedUnit,
  { isForDevice, warnedBy }: { isForDevice: ReturnType<typeof deviceFilter>; warnedBy: number | undefined },
): boolean => {
  const isProcedure = unit.parts.some(({ pieces }) => pieces.some(({ isStep }) => isStep));
  const isWarnedOf = warnedBy !== undefined && warnedBy !== source.index;
  if (isProcedure && (isWarnedOf || unit.isCut)) return false;
  return unit.parts.every(({ section: { path } }) => isForDevice({ path, source }));
};

/** What warns of a customer's case has this share of the message's words, and two of them at least. */
const WARNED_SHARE = 0.2;
/** Articles less likely than this are about something else. */
const WARNING_FROM = 0.2;

interface Warning {
  /** Place of its article in the edition. */
  article: number;
  passage: AnswerPassage;
}

/**
 * What forbids something in the customer's case: "Do not cut the power while the LED is blue." It is quoted first, whatever else answers, and
 * procedures of other articles are not.
 */
const warningFor = (
  { intents, language }: Evidence,
  { units, question, relevance }: TicketUnits,
): Warning | undefined => {
  const terms = question.terms.filter(({ isKnown, weight }) => isKnown && weight === 1);
  const total = terms.reduce((sum, { idf }) => sum + idf, 0);
  let best: { share: number; warning: Warning } | undefined;
  for (const { unit, source } of units) {
    const isAbout = source.intents.some((intent) => intents.includes(intent));
    if (!isAbout || (relevance.get(source.index) ?? 0) < WARNING_FROM) continue;
    for (const { section, pieces } of unit.parts)
      for (const piece of pieces)
        for (const { start, end } of splitSentences(section.text, piece)) {
          const sentence = section.text.slice(start, end).replace(/^\s*(?:[-*+]|\d{1,9}[.)])\s+/, '');
          if (!isProhibition(sentence, language ?? '')) continue;
          const stems = new Set(stemsOf(sentence));
          const found = terms.filter(({ forms }) => [...forms].some((form) => stems.has(form)));
          const share = found.reduce((sum, { idf }) => sum + idf, 0) / total;
          if (found.length < 2 || share < WARNED_SHARE || share <= (best?.share ?? 0) || hasPromptInjection(sentence))
            continue;
          const text = readable(sentence);
          const passage = {
            title: source.title,
            url: source.url,
            markdown: escapeHtml(text),
            text,
            language: detectLanguage(sentence),
            steps: [sentence],
          };
          best = { share, warning: { article: source.index, passage } };
        }
  }
  return best?.warning;
};

const speaksToModel = ({ unit, source }: RankedUnit): boolean =>
  [source.id, source.title].some(isInjectionName) ||
  unit.parts.some((part) => hasPromptInjection([part.section.path.at(-1) ?? '', textOf(part)].join('\n')));

const textOf = ({ section, pieces }: UnitPart): string =>
  pieces.map(({ start, end }) => section.text.slice(start, end)).join('\n\n');

interface Showing extends Pick<AnswerOptions, 'alreadyTried'> {
  question: ParsedQuestion;
  /** What is said behind a step that was tried. */
  done: string;
  /** Under the title of the article too: "Switch it on" beside a passage of another article does not say what. */
  isTitled?: boolean;
}

/** Undefined where nothing of it is left that was not tried. */
const passageOf = ({ unit, source }: RankedUnit, showing: Showing): AnswerPassage | undefined => {
  const { title } = source;
  const parts = unit.parts.map((part) => shownPart(part, { title, ...showing }));
  if (parts.some((part) => part === undefined)) return undefined;
  const shown = parts.flatMap((part) => part ?? []);
  const [first] = shown;
  if (showing.isTitled && first !== undefined)
    first.heading = [title, first.heading].filter((each) => each !== '').join(': ');
  const under = (write: (heading: string) => string) =>
    readable(
      shown
        .flatMap(({ heading, blocks }) => (heading === '' ? blocks : [write(heading), ...blocks]))
        .filter((each) => each !== '')
        .join('\n\n'),
    );
  const markdown = under((heading) => `**${escapeMarkdown(heading)}**`);
  return {
    title,
    url: source.url,
    markdown: escapeHtml(markdown),
    text: under((heading) => `## ${heading}`),
    // Names and figures are in no language.
    language: detectLanguage(markdown.replace(/^\|.*$/gm, ' ')),
    steps: shown.flatMap(({ steps }) => steps),
  };
};

interface ShownPart {
  heading: string;
  blocks: string[];
  steps: string[];
}

const shownPart = (
  { section, pieces }: UnitPart,
  { title, question, alreadyTried, done }: Showing & { title: string },
): ShownPart | undefined => {
  const heading = headingOf(section.path, title);
  const raw = (piece: Piece) => section.text.slice(piece.start, piece.end);
  const kept = pieces.some(({ kind }) => kind === 'row') ? rowsFor(pieces, question) : pieces;
  // "Fill in the fields:" needs all of them.
  const isProcedure = pieces.some(({ isStep }) => isStep);
  const blocks: string[] = [];
  const steps: string[] = [];
  // Items of one list are one text again, and so are rows of one table.
  for (const group of Map.groupBy(kept, ({ block }) => block).values()) {
    const [piece] = group;
    if (piece === undefined) continue;
    const whole = group.map(raw).join('\n');
    const shown = isProcedure ? whole : focused(whole, piece, question);
    const text = withoutTried(shown, piece, { heading, title, alreadyTried, done });
    if (text === undefined) return undefined;
    if (text === '') continue;
    blocks.push(text);
    steps.push(...stepsIn(text, piece).filter((step) => !step.endsWith(`*${done}*`)));
  }
  return blocks.length === 0 ? undefined : { heading, blocks, steps };
};

/** An entry that has this share of the message's words is what it asks for; others have nearly as much, or answer something else. */
const TELLING_SHARE = 0.3;
/** An item for one case of several: "**No e-mail:** look into the spam folder". */
const CASE = /^\s*[-*+]\s+(?:\*\*|`)[^\n]{1,120}[:：]/;
/** A table with more rows is one to look something up in, and so is a list of cases: an entry needs this share. */
const SHORT_TABLE = 4;
const LOOKED_UP_SHARE = 0.1;
const NEARLY = 0.6;

/** Of a list in no order, or a table, the entries that the message is about, where one clearly is. */
const focused = (text: string, { kind, isStep }: Piece, { terms }: ParsedQuestion): string => {
  if (isStep || (kind !== 'list' && kind !== 'table')) return text;
  const lines = kind === 'table' ? text.split('\n').filter((line) => line.trim() !== '') : itemsOf(text);
  const head = kind === 'table' ? lines.slice(0, 2) : [];
  const entries = lines.slice(head.length);
  const own = terms.filter(({ weight }) => weight === 1);
  const total = own.reduce((sum, { idf }) => sum + idf, 0);
  const shares = entries.map((entry) => {
    const stems = new Set(stemsOf(entry));
    const found = own.filter(({ forms }) => [...forms].some((form) => stems.has(form)));
    return found.reduce((sum, { idf }) => sum + idf, 0) / total;
  });
  const best = Math.max(0, ...shares);
  const isLookedUp = kind === 'table' ? entries.length > SHORT_TABLE : entries.every((entry) => CASE.test(entry));
  if (best < (isLookedUp ? LOOKED_UP_SHARE : TELLING_SHARE)) return text;
  return [...head, ...entries.filter((_, at) => (shares[at] ?? 0) >= NEARLY * best)].join('\n');
};

/**
 * Items of a list that were tried go; numbered steps only at its beginning and end: in the middle, where others lean on them, they are marked.
 * Undefined where what is left is of no use.
 */
const withoutTried = (
  text: string,
  piece: Piece,
  { heading, title, alreadyTried, done }: Pick<Showing, 'alreadyTried' | 'done'> & { heading: string; title: string },
): string | undefined => {
  const isTried = (item: string) => wasTried(item, alreadyTried, { under: heading, title });
  if (piece.kind === 'text') return isTried(text) ? '' : text;
  if (piece.kind !== 'list' && piece.kind !== 'item') return text;
  const items = itemsOf(text);
  const left = items.filter((item) => !isTried(item));
  if (left.length === items.length) return text;
  if (left.length * 2 < items.length) return undefined;
  if (!piece.isStep) return left.join('\n');
  // Whoever did what an agent advised did the whole of it.
  const advised = { ...alreadyTried, reported: [] };
  if (items.some((item) => wasTried(item, advised, { under: heading, title }))) return undefined;
  const from = items.indexOf(left[0] ?? '');
  const steps = items.slice(from, items.indexOf(left.at(-1) ?? '') + 1);
  return steps
    .map((item, at) => item.replace(/^\s*\d{1,9}/, String(at + 1)))
    .map((item, at) => (left.includes(steps[at] ?? '') ? item : `${item.trimEnd()} *${done}*`))
    .join('\n');
};

const itemsOf = (list: string): string[] => list.split(/\n(?=(?:[-*+]|\d{1,9}[.)])\s)/);

const stepsIn = (text: string, { kind }: Piece): string[] => {
  if (kind === 'list' || kind === 'item')
    return itemsOf(text).map((item) => item.replace(/^\s*(?:[-*+]|\d{1,9}[.)])\s+/, ''));
  if (kind === 'table' || kind === 'row' || kind === 'head') return [];
  return /[:：][*_]{0,3}\s*$/.test(text) ? [] : [text];
};

/** The head of a table and the rows that have most of the question. */
const rowsFor = (pieces: readonly Piece[], { terms }: Showing['question']): readonly Piece[] => {
  const shareOf = ({ stems }: Piece) => {
    const words = new Set(stems);
    return terms.reduce((sum, { forms, idf }) => ([...forms].some((form) => words.has(form)) ? sum + idf : sum), 0);
  };
  const best = Math.max(...pieces.map((piece) => (piece.kind === 'row' ? shareOf(piece) : 0)));
  return pieces.filter((piece) => piece.kind !== 'row' || (best > 0 && shareOf(piece) >= ROW_SHARE * best));
};
const ROW_SHARE = 0.7;

/** Where a passage stands in its article; its title too, where that names the devices that it is for. */
const headingOf = (path: readonly string[], title: string): string =>
  path
    .filter((each) => each !== title)
    .map((each) => each.replace(/^\s*\d{1,2}[.)]\s+/, '').trim())
    .join(': ');

/** Links to what a customer can open stay; of others, and of pictures, the words do. */
const readable = (markdown: string): string =>
  markdown
    .replace(/!\[([^\]\n]{0,300})\]\([^)\n]{0,1000}\)/g, '$1')
    .replace(/\[([^\]\n]{0,300})\]\(\s*<?([^)\s>]{0,1000})>?[^)\n]{0,300}\)/g, (link, words, url) =>
      isPublicAddress(url) ? link : words,
    )
    .replace(/<!--[\s\S]{0,4000}?-->/g, '');
