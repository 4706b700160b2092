import type { Contradiction } from '../../contract/joined-answer.ts';
import { subjectOf } from '../../knowledge/questions/carry-subject.ts';
import type { AnsweredPart, Part } from './part.ts';
import { sentencesOf } from './sentences-of.ts';
import { SOURCES } from './source-type.ts';

/**
 * Where the shop database counts a product in stock and another source says that it is not made or sold any more.
 * Only statements that name the product of the question count.
 */
export const availabilityConflicts = (parts: readonly Part[]): Contradiction[] => {
  const answered = parts.filter((part): part is AnsweredPart => part.ok && part.isInformed);
  const stocked = answered.filter(({ type }) => type === 'analytics').flatMap(verdictsOf);
  const others = answered.filter(({ type }) => type !== 'analytics');
  return stocked.flatMap((ours) => {
    const opposed = others
      .flatMap((part) => verdictsOf(part, ours.name))
      .find(({ isAvailable }) => isAvailable !== ours.isAvailable);
    if (opposed === undefined) return [];
    const statements = [ours, opposed].map(({ librarian, text }) => ({ librarian, text: text.slice(0, 2000) }));
    return [{ statements, values: [wordFor(ours), wordFor(opposed)] }];
  });
};

interface Verdict {
  librarian: string;
  text: string;
  name: string;
  isAvailable: boolean;
}

const MAX_READ = 8000;

const verdictsOf = (part: AnsweredPart, wanted?: unknown): Verdict[] => {
  const name = typeof wanted === 'string' ? wanted : subjectOf(part.query)?.noun.toLowerCase();
  if (name === undefined) return [];
  const { librarian } = SOURCES[part.type];
  return sentencesOf(part.finding.slice(0, MAX_READ)).flatMap((text) => {
    if (!names(text, name)) return [];
    const isAvailable = availabilityIn(text, part.type === 'analytics');
    return isAvailable === undefined ? [] : [{ librarian, text, name, isAvailable }];
  });
};

/** `apollo ii` stands in `Apollo II miner`, not in `Apollo III`. */
const names = (text: string, name: string): boolean => ` ${words(text)} `.includes(` ${words(name)} `);

const words = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');

/** Other shops have stock of their own: of them only counts that a product is gone for good. */
const availabilityIn = (text: string, isOurs: boolean): boolean | undefined => {
  if (/\bdiscontinued\b|\bno longer (?:sold|available|made|produced|offered)\b|\bend of (?:life|sale)\b/i.test(text))
    return false;
  if (!isOurs) return undefined;
  if (/\b(?:sold out|out of stock|not in stock|no stock|none left)\b/i.test(text)) return false;
  if (!/\b(?:in stock|left|available|units?)\b/i.test(text)) return undefined;
  const counts = (
    text.match(/(?<![\p{L}\d.,-])\d{1,9}(?![\d.,]*\d)(?= (?:units?|pieces?|items?|in stock|left|are|is)\b)/gu) ?? []
  ).map(Number);
  return counts.length === 0 ? undefined : counts.some((count) => count > 0);
};

const wordFor = ({ isAvailable }: Verdict): string => (isAvailable ? 'available' : 'not available');
