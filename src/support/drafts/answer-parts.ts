import type { RankedUnit } from '../../answering/passages/find-answer.ts';
import type { TextVectors } from '../../answering/understand/parse-question.ts';
import { searchEdition } from '../../knowledge/search/search-edition.ts';
import { standalonePart } from '../../language/complete-question.ts';
import { type Ask, asksIn, wordsOfAsk } from '../message/asks.ts';
import type { TicketReading } from '../message/read-ticket.ts';
import type { Evidence } from '../retrieval/knowledge.ts';
import { problemText } from '../retrieval/problem-text.ts';
import { type Answer, type AnswerPart, answerPassages } from './answer-passages.ts';
import type { AnswerPassage } from './quote-passage.ts';
import { rankTicketUnits } from './ticket-units.ts';

type AskedTicket = Pick<
  TicketReading,
  'message' | 'product' | 'isProductExact' | 'alreadyTried' | 'language'
>;

/** Questions that are searched; the agent reads of further ones. */
const MAX_ASKS = 6;
/** Hits of each question. */
const DEPTH = 20;

interface PartOptions {
  /** The passages that answer the message as a whole; empty when the articles do not. */
  passages: readonly AnswerPassage[];
  vectors: TextVectors | undefined;
}

/** The answer to a message of several questions, without a warning. */
type DividedAnswer = Required<Pick<Answer, 'parts' | 'passages' | 'hasPromptInjection'>>;

/** What becomes of the questions of a message. */
interface AnsweredParts {
  /** Absent for a single question, when none is answered, and when the passages of the whole answer each of them. */
  divided?: DividedAnswer;
  /** What may be a question, and has no answer of its own: the draft is silent about it. In the customer's words. */
  unclear: readonly string[];
}

/**
 * Answers each question of a message by itself, since what fits all of them together often answers only the first. Where the articles answer
 * the message as a whole, what they say stays: before the questions, when these follow a story, else under the question that it is nearest to.
 */
export function answerParts(
  evidence: Evidence,
  ticket: AskedTicket,
  { passages: shared, vectors }: PartOptions,
): AnsweredParts {
  const isCovered = shared.length > 0;
  const { asks, hasStory } = asksIn(problemText(ticket.message).text, { isCovered });
  if (asks.length < 2 && !hasStory) return { unclear: [] };
  const answers = asks.slice(0, MAX_ASKS).map((ask, at) => {
    const earlier = asks.slice(0, at).map(({ text }) => text);
    return answerAsk(ask, { evidence, ticket, vectors, shared, earlier });
  });
  const urls = new Set(shared.map(({ url }) => url));
  const lines = new Set(shared.flatMap(linesOf));
  const isInWhole = ({ passages }: AnswerPart): boolean =>
    passages.length > 0 &&
    passages.every((each) =>
      hasStory ? urls.has(each.url) : linesOf(each).every((line) => lines.has(line)),
    );
  const unclear = [
    ...answers.filter((each) => each.isUnsure && each.passages.length === 0),
    ...asks.slice(MAX_ASKS).map(({ text }) => ({ words: wordsOfAsk(text) })),
  ].map(({ words }) => words);
  const sure = answers.filter((each) => !each.isUnsure || each.passages.length > 0);
  if (sure.every(isInWhole)) return { unclear };
  const parts = hasStory
    ? [{ words: '', passages: shared }, ...sure.filter((each) => !isInWhole(each))]
    : sure;
  const divided = withoutRepeats(parts);
  const passages = divided.flatMap((part) => part.passages);
  // What is not answered by itself may be answered with the rest.
  if (passages.length === 0)
    return { unclear: isCovered && sure.length > 1 ? answers.map(({ words }) => words) : unclear };
  const hasPromptInjection = answers.some((each) => each.hasInjection);
  return { divided: { parts: divided, passages, hasPromptInjection }, unclear };
}

interface AnsweredAsk extends AnswerPart {
  isUnsure: boolean;
  hasInjection: boolean;
}

const answerAsk = (
  { text: part, isUnsure }: Ask,
  {
    evidence,
    ticket,
    vectors,
    shared,
    earlier,
  }: {
    evidence: Evidence;
    ticket: AskedTicket;
    vectors: TextVectors | undefined;
    shared: readonly AnswerPassage[];
    earlier: readonly string[];
  },
): AnsweredAsk => {
  // "And how loud is it?" names its subject by what stands before it.
  const text = standalonePart(part, { earlier });
  const [found, units] = foundFor(evidence, { text, ticket, vectors });
  const { passages, hasPromptInjection } = answerPassages(found, units, ticket);
  const [closest] = units.units;
  return {
    words: wordsOfAsk(part),
    isUnsure,
    passages:
      passages.length > 0
        ? passages
        : shared.filter((each) => closest !== undefined && isFrom(each, closest)),
    hasInjection: hasPromptInjection,
  };
};

/** Whether a passage is from the section of a unit. */
const isFrom = ({ url, text }: AnswerPassage, { source, unit }: RankedUnit): boolean => {
  const heading = unit.parts[0].section.path.at(-1) ?? '';
  const lines = text.split('\n');
  return (
    url === source.url && lines.some((line) => line.startsWith('## ') && line.endsWith(heading))
  );
};

/** What a passage says, without its headings, which differ with its neighbours. */
const linesOf = ({ text }: AnswerPassage): string[] =>
  text.split('\n').filter((line) => !line.startsWith('## '));

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
    else
      parts[at] = {
        words: `${same.words} ${words}`.trim(),
        passages: [...same.passages, ...further],
      };
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
