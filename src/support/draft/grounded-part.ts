import type { DraftReference } from '../../contract/support-response.ts';
import { escapeMarkdown } from '../../knowledge/rendering/escape-markdown.ts';
import { escapeHtml } from '../../runtime/escape-html.ts';
import type { Phrases } from './phrases.ts';
import type { PickedSteps } from './pick-steps.ts';

/** What a draft rests on: `[1]` is the first of the references. */
export interface GroundedPart {
  /** The quotes, in Markdown; empty where nothing is quoted. */
  steps: string;
  /** The list of what they rest on, or of what to see also; empty without knowledge. */
  sources: string;
  references: readonly DraftReference[];
}

/**
 * The quotes with their citations, and the list of their sources. Every quote keeps the article's words, its code, numbers
 * and addresses; raw HTML, images and odd links in it are made inert.
 *
 * @param seeAlso Sources to point at where nothing is quoted.
 */
export const groundedPart = (
  picked: readonly PickedSteps[],
  { phrases, seeAlso = [] }: { phrases: Phrases; seeAlso?: readonly DraftReference[] },
): GroundedPart => {
  const references: DraftReference[] = [];
  const placeOf = ({ title, url }: DraftReference): number => {
    const known = references.findIndex((each) => each.url === url && each.title === title);
    return known >= 0 ? known + 1 : references.push({ title: title.slice(0, 200), url: url.slice(0, 500) });
  };
  if (picked.length === 0) {
    for (const each of seeAlso) placeOf(each);
    const sources = references.length === 0 ? '' : `${phrases.seeAlso}\n\n${sourceList(references)}`;
    return { steps: '', sources, references };
  }
  const paragraphs: string[] = [];
  const headed = new Set<PickedSteps['passage']>();
  let before: PickedSteps | undefined;
  for (const steps of picked) {
    const mark = `[${placeOf(steps.passage)}]`;
    const isSame = before?.passage === steps.passage;
    const heading = headed.has(steps.passage) ? '' : sectionOf(steps.passage);
    const goesOn = isSame && before?.kind === 'code';
    const rendered = renderSteps(steps, { mark, phrases, heading, goesOn });
    if (steps.kind !== 'prose') headed.add(steps.passage);
    // Sentences of one passage read on; a list or table stands by itself.
    const joins = isSame && before?.kind === 'prose' && steps.kind === 'prose';
    if (joins) paragraphs.push(`${paragraphs.pop() ?? ''} ${rendered}`);
    else paragraphs.push(rendered);
    before = steps;
  }
  const steps = `${phrases.lead}\n\n${escapeHtml(paragraphs.join('\n\n'))}`;
  return { steps, sources: `${phrases.sources}\n\n${sourceList(references)}`, references };
};

interface Rendering {
  /** `[1]` */
  mark: string;
  /** What the section is called; empty where that was said before. */
  heading: string;
  phrases: Phrases;
  /** It stands right behind code of the same section. */
  goesOn?: boolean | undefined;
}

/** One group of quotes as Markdown, each cited. */
export const renderSteps = (
  { kind, isOrdered, intro, quotes, isCut, passage }: PickedSteps,
  { mark, heading, phrases, goesOn = false }: Rendering,
): string => {
  if (kind === 'prose') return quotes.map((quote) => cited(quote, mark)).join(' ');
  const opening = intro === undefined ? titleOf(heading, mark) : [cited(intro, mark)];
  const rest = isCut ? [`${phrases.more} ${mark}.`] : [];
  if (kind === 'code') {
    // A mark by itself would stand for nothing: what code is about, its section or its article says.
    const above = [opening, titleOf(sectionOf(passage), mark), titleOf(passage.title, mark)];
    const named = goesOn ? opening : (above.find((each) => each.length > 0) ?? []);
    return [...named, ...quotes, ...rest].join('\n\n');
  }
  if (kind === 'table') return [...opening, tableOf(quotes, mark), ...rest].join('\n\n');
  const items = quotes.map((quote, at) => listItem(cited(quote, mark), isOrdered ? `${at + 1}. ` : '- '));
  return [...opening, items.join('\n'), ...rest].join('\n\n');
};

/**
 * What the section of a passage is called. One that is called by names alone ("Apollo II", "Windows and macOS") says too little: it
 * goes with the section around it.
 */
export const sectionOf = ({ title, headingPath }: PickedSteps['passage']): string => {
  const own = headingPath.filter((each) => each !== title).map((each) => each.replace(/^\s*\d{1,2}[.)]\s+/, '').trim());
  const last = own.at(-1) ?? '';
  const both = own.slice(-2).join(': ');
  return NAMES_ALONE.test(last) && both.length <= MAX_SECTION ? both : last;
};

/** Capitals and numbers with at most a short word between: two names at least, or one with a sign. */
const NAMES_ALONE =
  /^(?=.*[ \d])(?!.*(?:Not?|Never|Kein|Nicht)\b)(?:[\p{Lu}\d][\p{L}\d.-]{0,30}|and|or|und|oder|et|ou|y|o|e|en|of)(?:[ ,/]{1,2}(?:[\p{Lu}\d][\p{L}\d.-]{0,30}|and|or|und|oder|et|ou|y|o|e|en|of)){0,9}$/u;

const MAX_SECTION = 120;

/** The heading in bold. What it says stands in the article, hence the mark. */
const titleOf = (heading: string, mark: string): string[] => {
  const words = heading.trim();
  return words === '' || words.length > MAX_SECTION ? [] : [`**${escapeMarkdown(words)}** ${mark}`];
};

/** The mark behind the first line, so that what hangs below it stays as it is. */
const cited = (quote: string, mark: string): string => {
  const end = quote.indexOf('\n');
  const line = end < 0 ? quote : quote.slice(0, end);
  // Two spaces or a backslash at the end of a line are a line break: the mark must not turn them into something else.
  return `${line.replace(/(?: {2,}|\\)$/, '')} ${mark}${end < 0 ? '' : quote.slice(end)}`;
};

const listItem = (quote: string, lead: string): string =>
  quote
    .split('\n')
    .map((line, at) => (at === 0 ? `${lead}${line}` : line === '' ? '' : `${' '.repeat(lead.length)}${line}`))
    .join('\n');

/** Each row is cited in its last cell. */
const tableOf = ([head = '', ...rows]: readonly string[], mark: string): string =>
  [head, ...rows.map((row) => row.replace(/\s*\|?\s*$/, ` ${mark} |`))].join('\n');

/** The sources as a list, each with the number that it is cited by. */
const sourceList = (references: readonly DraftReference[]): string =>
  references.map(({ title, url }, at) => `- [${at + 1}] ${linkTo(title, url)}`).join('\n');

const linkTo = (title: string, url: string): string => {
  const name = escapeMarkdown(title.replace(/[\p{Cc}\s]+/gu, ' ').trim());
  return /^https?:\/\/[^\s<>()\\`]+$/i.test(url) ? `[${name}](${url})` : name;
};
