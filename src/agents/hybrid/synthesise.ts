import type { Contradiction } from '../../contract/joined-answer.ts';
import { inertLine, shorten } from '../../delegation/contain-markdown.ts';
import { WHY_MISSING } from '../../delegation/failures.ts';
import type { AnsweredPart, FailedPart, Part } from './part.ts';
import { SOURCES, SourceType } from './source-type.ts';

/**
 * What all parts found as one text in their order, with the citations of each; then what contradicts, and what is missing.
 *
 * @param options.unasked Parts that were too many to ask.
 * @param options.written What a model made of the findings, in their place.
 * @returns Markdown of at most 12,000 characters, so that it survives as a librarian's answer.
 */
export const synthesise = (
  parts: readonly Part[],
  {
    contradictions,
    unasked,
    written,
  }: { contradictions: readonly Contradiction[]; unasked: readonly string[]; written?: string | undefined },
): string => {
  const answered = parts.filter((part): part is AnsweredPart => part.ok);
  const share = Math.floor(ROOM_FOR_FINDINGS / Math.max(1, answered.length));
  const findings = answered.map(({ finding }) => shorten(finding, share));
  const notes = [
    ...contradictions.slice(0, MAX_NOTED).map(contradictionSentence),
    ...parts.filter((part): part is FailedPart => !part.ok).map(gapSentence),
    ...unasked
      .slice(0, MAX_NOTED)
      .map((query) => `Not asked, as a question can have ${MAX_PARTS} parts: “${inertLine(query, 120)}”.`),
  ];
  return [written ?? joined(findings), ...notes].filter((text) => text !== '').join('\n\n');
};

/** Sub-queries of one question at most. */
export const MAX_PARTS = 6;

const ROOM_FOR_FINDINGS = 8000;
const MAX_NOTED = 4;

/** Short sentences make one paragraph; lists, tables and long texts stand apart. */
const joined = (findings: readonly string[]): string => {
  const isPlain = findings.every((text) => text.length <= 400 && !/\n|^(?:[-+*>#|]|\d{1,9}[.)])\s?/.test(text));
  return isPlain ? findings.map(asSentence).join(' ') : findings.join('\n\n');
};

const asSentence = (text: string): string => (/[.!?:…)\]*_"”’]$/.test(text) ? text : `${text}.`);

const gapSentence = (part: FailedPart): string =>
  `Not answered: “${inertLine(part.query, 200)}” (${SOURCES[part.type].name}): ${whyMissing(part)}.`;

const whyMissing = ({ type, error, isAsked }: FailedPart): string => {
  if (!isAsked) return `asking it takes the capability ${SOURCES[type].capability}, which is not allowed here`;
  return error.code === 'NOT_FOUND'
    ? 'it found nothing that answers this; ask for it in other words'
    : WHY_MISSING[error.code];
};

const contradictionSentence = ({ statements, values }: Contradiction): string => {
  const said = statements.map(({ librarian, text }) => `${nameOf(librarian)} says “${text.slice(0, 250)}”`);
  return inertLine(`The sources disagree, ${values.join(' or ')}: ${said.join(', ')}.`, 2000);
};

const nameOf = (librarian: string): string => {
  const type = SourceType.options.find((each) => SOURCES[each].librarian === librarian);
  return type === undefined ? librarian : SOURCES[type].name;
};
