import type { TextVectors } from '../../answering/understand/parse-question.ts';
import { searchEdition } from '../../knowledge/search/search-edition.ts';
import { standalonePart } from '../../language/complete-question.ts';
import { sentencesOf } from '../../language/message-kind.ts';
import { questionPartsIn } from '../../language/split-questions.ts';
import type { TicketReading } from '../message/read-ticket.ts';
import type { Evidence } from '../retrieval/knowledge.ts';
import { problemText } from '../retrieval/problem-text.ts';
import { type Answer, type AnswerPart, answerPassages } from './answer-passages.ts';
import { rankTicketUnits } from './ticket-units.ts';

type AskedTicket = Pick<
  TicketReading,
  'message' | 'product' | 'isProductExact' | 'alreadyTried' | 'language'
>;

/** Hits of each question. */
const DEPTH = 20;

interface PartOptions {
  /** Whether the articles answer the message as a whole. */
  isCovered: boolean;
  vectors: TextVectors | undefined;
}

/**
 * Answers each question of a message by itself, since what fits all of them together often answers none. Undefined for a single question, and
 * when no question is answered. Questions in running text share a subject: where the articles answer them as a whole, they stay together.
 */
export function answerParts(
  evidence: Evidence,
  ticket: AskedTicket,
  { isCovered, vectors }: PartOptions,
): DividedAnswer | undefined {
  const { text: problem } = problemText(ticket.message);
  const items = askingItems(problem);
  const asks =
    items.length > 0 || isCovered ? items : questionPartsIn(problem).map(({ text }) => text);
  if (asks.length < 2) return undefined;
  const answers = asks.map((part, at, all) => {
    // "And how loud is it?" names its subject by what stands before it.
    const text = standalonePart(part, { earlier: all.slice(0, at) });
    return {
      words: wordsOf(part),
      ...answerPassages(...foundFor(evidence, { text, ticket, vectors }), ticket),
    };
  });
  const parts = withoutRepeats(answers);
  const passages = parts.flatMap((part) => part.passages);
  const hasPromptInjection = answers.some((answer) => answer.hasPromptInjection);
  return passages.length > 0 ? { parts, passages, hasPromptInjection } : undefined;
}

/** The answer to a message of several questions, without a warning. */
type DividedAnswer = Required<Omit<Answer, 'warning'>>;

/** Each passage once: a question whose best passage is quoted already joins the one above it, so that it does not look open. */
const withoutRepeats = (answers: readonly AnswerPart[]): AnswerPart[] => {
  const parts: AnswerPart[] = [];
  for (const { words, passages } of answers) {
    const quoted = new Set(parts.flatMap((part) => part.passages.map(({ markdown }) => markdown)));
    const further = passages.filter(({ markdown }) => !quoted.has(markdown));
    const at = parts.findIndex((part) =>
      part.passages.some(({ markdown }) => markdown === passages[0]?.markdown),
    );
    const same = parts[at];
    if (same === undefined) parts.push({ words, passages: further });
    else parts[at] = { words: `${same.words} ${words}`, passages: [...same.passages, ...further] };
  }
  return parts;
};

const foundFor = (
  { edition, language }: Evidence,
  {
    text,
    ticket: { product },
    vectors,
  }: { text: string; ticket: AskedTicket; vectors: TextVectors | undefined },
): [Evidence, ReturnType<typeof rankTicketUnits>] => {
  const devices = product === undefined ? [] : [product];
  const search = searchEdition(edition, text, { limit: DEPTH, devices });
  const articles = [...new Set(search.hits.map(({ article }) => article))];
  const evidence: Evidence = {
    edition,
    text,
    search,
    articles,
    relevance: new Map(articles.map((article) => [article, 0])),
    sentences: [],
    intents: [],
    language,
  };
  return [evidence, rankTicketUnits(evidence, { product, vectors })];
};

/** The numbered items of a text of which several ask; empty for others, such as steps that were done. */
export function askingItems(text: string): string[] {
  const items = itemsIn(text);
  return items.filter((item) => /[?？]/.test(item)).length > 1 ? items : [];
}

const MAX_ITEMS = 6;

/** What stands behind `1.`, `2)` and so on, each number once and in order. */
const itemsIn = (text: string): string[] => {
  const marks = [...text.matchAll(/(?<=^|\s)\(?([1-9])[.)]\s+/gu)].filter(
    ({ 1: number }, at) => Number(number) === at + 1,
  );
  if (marks.length < 2 || marks.length > MAX_ITEMS) return [];
  return marks.map(({ index, 0: mark }, at) =>
    text.slice(index + mark.length, marks[at + 1]?.index).trim(),
  );
};

const MAX_WORDS = 120;

/** The sentence that asks, or the last one, on one line. */
const wordsOf = (text: string): string => {
  const sentences = sentencesOf(text);
  const words = sentences.findLast((each) => /[?？]/.test(each)) ?? sentences.at(-1) ?? text;
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS).trimEnd()}…` : words;
};
