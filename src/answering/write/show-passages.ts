import { escapeHtml, escapeText } from '../../documents/markdown/escape-html.ts';
import {
  type AnswerPassage,
  type FoundAnswer,
  lengthOf,
  shortened,
} from '../passages/find-answer.ts';
import { passageMarkdown } from '../passages/render-passage.ts';
import { cellAskedFor } from '../passages/units.ts';
import { type AnswerPhrases, filled } from './answer-phrases.ts';
import { leadTo, linkTo, oneLine, otherDevices, othersIn } from './cite-sources.ts';
import type { ClosestArticle } from './navigator-answer.ts';

/** Maximum length of an answer's text, in UTF-16 units. */
const MAX_LENGTH = 1495;

interface ShowOptions {
  isDoubtful: boolean;
  closest: readonly ClosestArticle[];
  /** Parts of the question that no passage answers, as asked. */
  open?: readonly string[];
  phrases: AnswerPhrases;
}

interface PassagesText {
  /** Markdown, safe to render as HTML. */
  text: string;
  /** The lines of it that no article holds. */
  frame: string[];
  /** The passages that are in it. */
  shown: readonly AnswerPassage[];
}

/**
 * The passages as Markdown, each below its article, section and headings. A doubtful answer begins with a warning and ends with the
 * closest articles. When it is too long, the articles lose their addresses, then they are dropped, then the least probable passages are
 * dropped.
 */
export function showPassages(
  { passages, question }: Pick<FoundAnswer, 'passages' | 'question'>,
  { isDoubtful, closest, open = [], phrases }: ShowOptions,
): PassagesText {
  const isOther = passages.length > 0 && passages.every(({ isOtherDevice }) => isOtherDevice);
  const opening = [
    ...(isOther ? [otherDevices(question.devices, phrases)] : []),
    ...(isDoubtful ? [phrases.hedge] : []),
    ...open.map((text) => filled(phrases.nothingAbout, { question: `“${oneLine(text, 200)}”` })),
  ];
  const endings =
    closest.length === 0
      ? [[]]
      : [[othersIn(closest, phrases, true)], [othersIn(closest, phrases, false)], []];
  let shown: readonly AnswerPassage[] = passages;
  for (;;) {
    const own = shown.flatMap((passage, at) => [
      ...leadAbove(passage, { before: shown[at - 1], phrases }),
      ...blocksOf(passage, { question, phrases }),
    ]);
    let ending: string[] = [];
    let text = '';
    for (ending of endings) {
      text = escapeHtml([...opening, ...own, ...ending].join('\n\n'));
      if (text.length <= MAX_LENGTH) break;
    }
    const smaller =
      text.length <= MAX_LENGTH ? undefined : withLess(shown, text.length - MAX_LENGTH);
    if (smaller === undefined) {
      const further = shown.flatMap((passage) => frameOf(passage, phrases));
      return { text, shown, frame: [...opening, ...further, ...ending] };
    }
    shown = smaller;
  }
}

/** Without the least probable passage, or with less of the only one; undefined when nothing can be left out. */
const withLess = (
  passages: readonly AnswerPassage[],
  excess: number,
): readonly AnswerPassage[] | undefined => {
  const [only, ...others] = passages;
  if (only === undefined) return undefined;
  if (others.length > 0) {
    const least = Math.min(...passages.map(({ share }) => share));
    const at = passages.findIndex(({ share }) => share === least);
    return passages.toSpliced(at, 1);
  }
  const length = lengthOf(only.unit);
  const unit = shortened(only.unit, length - excess);
  return lengthOf(unit) === length ? undefined : [{ ...only, unit }];
};

interface Showing {
  question: FoundAnswer['question'];
  phrases: AnswerPhrases;
}

/** A passage below its headings, as Markdown. */
export function passageText(passage: AnswerPassage, showing: Showing): string {
  return blocksOf(passage, showing).join('\n\n');
}

const blocksOf = (passage: AnswerPassage, { question, phrases }: Showing): string[] => {
  const cell = cellAskedFor(passage.unit, question);
  return [
    ...headingAbove(passage.unit.parts[0].section.path),
    ...(cell === undefined ? [] : [escapeText(oneLine(cell), 400)]),
    passageMarkdown(passage.unit),
    ...goesOn(passage, phrases),
  ];
};

/** What stands around the words of a passage: its article, its headings, and where it goes on. */
const frameOf = (passage: AnswerPassage, phrases: AnswerPhrases): string[] => [
  ...leadAbove(passage, { before: undefined, phrases }),
  ...headingAbove(passage.unit.parts[0].section.path),
  ...passage.unit.parts.map(({ section }) => `**${section.path.at(-1)}**`),
  ...goesOn(passage, phrases),
];

/** Names each article once. */
const leadAbove = (
  { source }: AnswerPassage,
  { before, phrases }: { before: AnswerPassage | undefined; phrases: AnswerPhrases },
): string[] => (before?.source.index === source.index ? [] : [leadTo(source, phrases)]);

/** The headings above a passage in one line. */
export function headingAbove(path: readonly string[]): string[] {
  const heading = path.map((each) => oneLine(each, 120)).join(' › ');
  return heading === '' ? [] : [`**${escapeText(heading, 600)}**`];
}

const goesOn = ({ source, unit }: AnswerPassage, phrases: AnswerPhrases): string[] =>
  unit.isCut && unit.kind === 'procedure'
    ? [filled(phrases.goesOn, { title: linkTo(source) })]
    : [];
