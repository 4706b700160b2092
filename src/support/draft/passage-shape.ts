import { hasPromptInjection, isInjectionName } from '../../grounding/prompt-injection.ts';
import { type Reading, readPassage, type Words } from '../../grounding/read-passage.ts';
import { type PreparedSource, prepareSource } from '../../grounding/support/prepare-source.ts';
import type { KnowledgePassage } from '../../knowledge/retrieval/knowledge.ts';
import { splitBlocks } from '../../markup/split-blocks.ts';
import { detectLanguage } from '../../text/detect-language.ts';
import { groupsOf, type StepGroup } from './step-group.ts';

/** All of a passage that does not depend on the ticket. Each part is made when it is first asked for: some take a millisecond. */
export interface PassageShape {
  reading: Reading;
  /** The words of the headings that the passage stands under, else of the title, and of what they make it hold for alone. */
  heading: { words: Words; limits: Words };
  /** What can be quoted together, in order. */
  groups: readonly StepGroup[];
  /** What of it may be shown: all before the first block that speaks to a model instead of a reader; may be empty. */
  shown: string;
  /** Ready to check statements against. */
  source: PreparedSource;
  /** BCP 47; undefined where it is too short to tell. */
  language: string | undefined;
}

type PassageText = Pick<KnowledgePassage, 'articleId' | 'title' | 'headingPath' | 'text'>;

/** Of the passages that this isolate has seen last; one takes some 15 kB. */
const MAX_KEPT = 400;
const kept = new Map<string, PassageShape>();

/** The shape of a passage, made once for all tickets that it is found for. */
export const shapeOf = (passage: PassageText): PassageShape => {
  const key = [passage.articleId, passage.title, ...passage.headingPath, passage.text].join('\n');
  const known = kept.get(key);
  if (known !== undefined) return known;
  if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value ?? '');
  const made = makeShape(passage);
  kept.set(key, made);
  return made;
};

const makeShape = (passage: PassageText): PassageShape => {
  const { title, headingPath, text } = passage;
  const reading = once(() => withoutNumbers(readPassage({ text, title, headingPath }), text));
  const heading = once(() => headingOf(headingPath.length === 0 ? [title] : headingPath));
  const groups = once(() => groupsOf(text, reading()));
  const shown = once(() => shownOf(passage));
  const source = once(() => prepareSource({ text, title: [title, ...headingPath].join('\n') }));
  const language = once(() => detectLanguage(`${title}\n${text}`));
  return {
    get reading() {
      return reading();
    },
    get heading() {
      return heading();
    },
    get groups() {
      return groups();
    },
    get shown() {
      return shown();
    },
    get source() {
      return source();
    },
    get language() {
      return language();
    },
  };
};

const headingOf = (headings: readonly string[]): PassageShape['heading'] => ({
  // "Apollo II" says what it is about by the heading above it.
  words: readPassage({ text: '', title: '', headingPath: headings.slice(-2) }).above,
  limits: readPassage({ text: '', title: limitIn(headings.at(-1) ?? ''), headingPath: [] }).above,
});

/** The number of a step is no word of it: "4." has nothing of firmware 4. */
const withoutNumbers = (reading: Reading, text: string): Reading => ({
  ...reading,
  units: reading.units.map((unit) => {
    const isNumbered = unit.block === 'list' && /^\d{1,9}[.)]\s/.test(text.slice(unit.start, unit.start + 12));
    if (!isNumbered || !/^\d+$/.test(unit.words.words[0] ?? '')) return unit;
    const { words, stems, kinds } = unit.words;
    return { ...unit, words: { words: words.slice(1), stems: stems.slice(1), kinds: kinds.slice(1) } };
  }),
});

/** A heading that asks is about what it asks. */
const limitIn = (heading: string): string => (heading.endsWith('?') ? '' : (LIMITED.exec(heading)?.[1] ?? ''));

/** "Update without internet", "If the LED stays off". */
const LIMITED =
  /(?<!\p{L})(?:without|if|when|unless|ohne|wenn|falls|sans|si|quand|sin|cuando|senza|se|quando|sem|zonder|als|wanneer)\s(.{1,200})/iu;

const once = <Value>(make: () => Value): (() => Value) => {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

const shownOf = ({ articleId, title, headingPath, text }: PassageText): string => {
  if ([articleId, title, ...headingPath].some(isInjectionName)) return '';
  const heading = headingPath.at(-1) ?? '';
  // "### System:" above "You are ...": what a block is, its heading may tell.
  const planted = splitBlocks(text).find(({ start, end }, at) =>
    hasPromptInjection(`${at === 0 ? `${heading}\n` : ''}${text.slice(start, end)}`),
  );
  const end = planted?.start ?? (hasPromptInjection(text) ? 0 : text.length);
  return end === text.length ? text : text.slice(0, end).trimEnd();
};
