import type {
  CheckAnswer,
  CheckLack,
  CheckResult,
  KnowledgeCheckInput,
} from '../../../contract/wire/checks.ts';
import { markdownToText } from '../../../documents/markdown/render-markdown.ts';

const MAX_SHOWN = 4000;

/** Whether an answer is what a check expects; what is stored of its text is cut. */
export function judgeCheck(
  { contains, cites, declined }: KnowledgeCheckInput,
  answer: CheckAnswer,
): CheckResult {
  const isAnswered = answer.outcome === 'answered' || answer.outcome === 'unsure';
  const lacks: CheckLack[] = [];
  if (declined === true && isAnswered) lacks.push('declined');
  if (declined !== true && !isAnswered) lacks.push('answer');
  if (contains !== undefined && isAnswered && !states(answer.text, contains))
    lacks.push('contains');
  if (cites !== undefined && isAnswered && !answer.cites.some(({ id }) => id === cites))
    lacks.push('cites');
  return {
    state: lacks.length === 0 ? 'green' : 'red',
    lacks,
    answer: { ...answer, text: answer.text.slice(0, MAX_SHOWN) },
  };
}

/**
 * Whether a text stands in an answer, whatever its Markdown, case, white space and kind of quotation mark. A number at its edge has to end
 * there: "3 hours" does not stand in "13 hours".
 *
 * @example
 * states('It takes **13 hours**.', '3 hours'); // false
 */
export function states(answer: string, fact: string): boolean {
  const [text, fragment] = [comparable(answer), comparable(fact)];
  if (fragment === '') return false;
  for (let at = text.indexOf(fragment); at >= 0; at = text.indexOf(fragment, at + 1)) {
    const [before, after] = [
      text.slice(Math.max(0, at - 2), at),
      text.slice(at + fragment.length, at + fragment.length + 2),
    ];
    const isInNumber =
      (/^\d/.test(fragment) && /\d[.,]?$/.test(before)) ||
      (/\d$/.test(fragment) && /^(?:\d|[.,]\d)/.test(after));
    if (!isInNumber) return true;
  }
  return false;
}

/** Plain words in lower case, with single spaces and one kind of quotation mark and dash. */
const comparable = (markdown: string): string =>
  markdownToText(markdown)
    // Before the normal form, which makes two primes of a double one.
    .replaceAll(/[“”„«»″]/g, '"')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\p{Cf}*_`|\\]/gu, '')
    .replaceAll(/[‘’‚′]/g, "'")
    .replaceAll(/\p{Pd}/gu, '-')
    .replaceAll(/\s+/g, ' ')
    .trim();
