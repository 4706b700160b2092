import { confidenceOf, HIGH_FROM, levelOf } from '../contract/confidence.ts';
import type { NavigatorResponse } from '../contract/navigator-response.ts';
import type { Decision } from '../grounding/decide-answer.ts';
import { escapeHtml, escapeText } from '../runtime/escape-html.ts';
import type { AnsweringModel } from '../search/answering-model.ts';
import type { SearchOutcome } from '../search/search-edition.ts';
import { listOf, oneLine } from './compose-answer.ts';

/** What is said when nothing is quoted. */
export interface Declination
  extends Pick<NavigatorResponse, 'answer' | 'confidence' | 'confidenceReason' | 'relatedTopics' | 'outOfDomain'> {
  /** That declining is right, 0 to 1; `confidence` is its reading. */
  probability: number;
}

interface DeclineInput {
  /** Empty where it must not be repeated. */
  question: string;
  outcome: SearchOutcome;
  decision: Decision;
  model: AnsweringModel;
  /** Articles searched. */
  articleCount: number;
  /** Headings that come closest, offered as a way on. */
  related: string[];
}

/** Says honestly that there is no answer, and which kind of silence it is (seed 004, patterns 4 and 5). */
export const decline = (input: DeclineInput): Declination => {
  if (input.decision.verdict === 'no-words') return declineWords(input);
  return input.decision.verdict === 'out-of-domain' ? declineDomain(input) : declineSubject(input);
};

/** The two silences overlap (a quarter of in-domain questions without an answer land here), hence "seems". */
const declineDomain = ({ question, outcome, decision, model }: DeclineInput): Declination => {
  // A question half of whose words are at home here may be a customer's in other words.
  const probability = atMost(1 - decision.domain, knownShare(outcome) >= 0.5);
  return {
    answer:
      `This question seems to be outside my domain: I don't have information about ${subjectOf(question)}. ${domainOf(model)}`.trim(),
    ...withReason(probability, `${unknownWords(outcome)}, and ${fitOf(outcome)}`),
    relatedTopics: model.topics.slice(0, 3).map((topic) => escapeText(topic, 200)),
    outOfDomain: true,
  };
};

/** Where every word is known, the answer may be there in words that the question does not use. */
const declineSubject = ({ question, outcome, decision, model, related, articleCount }: DeclineInput): Declination => {
  const searched = articleCount === 1 ? 'the only article was searched' : `all ${articleCount} articles were searched`;
  const reason = `${searched}; ${unknownWords(outcome)}, and no passage covers enough of the question`;
  return {
    answer: `I don't have information about ${subjectOf(question)} in my knowledge base. ${domainOf(model)}`.trim(),
    ...withReason(atMost(1 - decision.answer, outcome.coverage >= 0.5 || knownShare(outcome) === 1), reason),
    relatedTopics: related,
    outOfDomain: false,
  };
};

const declineWords = ({ question, outcome, model }: DeclineInput): Declination => {
  const isEmpty = outcome.query.terms.length === 0;
  const why = isEmpty
    ? "I don't have information to go by: the question has no word that I could search for."
    : `I don't have information about ${subjectOf(question)}: none of its words occurs in my knowledge base.`;
  return {
    answer: `${why} Please ask again in other words, naming the thing that it is about. ${domainOf(model)}`.trim(),
    ...(isEmpty
      ? withReason(confidenceOf('low'), 'the question has no searchable word, so nothing could be looked up')
      : withReason(1, 'all articles were searched, and no word of the question occurs in any of them')),
    relatedTopics: model.topics.slice(0, 3).map((topic) => escapeText(topic, 200)),
    outOfDomain: false,
  };
};

const withReason = (probability: number, reason: string) => {
  const confidence = levelOf(probability);
  const word = `${confidence[0]?.toUpperCase()}${confidence.slice(1)}`;
  return { confidence, probability, confidenceReason: escapeText(`${word} confidence: ${reason}.`, 1000) };
};

/** Less than high where there is room for doubt. */
const atMost = (probability: number, isDoubtful: boolean): number =>
  isDoubtful ? Math.min(probability, HIGH_FROM - 0.01) : probability;

/** Share of the question's words that the knowledge base has as they were typed. */
const knownShare = ({ query }: SearchOutcome): number => {
  const own = query.terms.filter(({ origin }) => origin === 'question');
  return own.filter(({ isKnown }) => isKnown).length / Math.max(1, own.length);
};

/** The question as it may be repeated: one line, inert, cut short. */
const subjectOf = (question: string): string =>
  question === '' ? 'this' : `"${escapeHtml(oneLine(question, 120)).replaceAll('"', "'")}"`;

/** "My knowledge base is about subjects such as Apollo II, firmware and pools." Empty when nothing is known of it. */
const domainOf = ({ topics }: Pick<AnsweringModel, 'topics'>): string => {
  if (topics.length === 0) return '';
  const named = topics.slice(0, 6).map((topic) => escapeHtml(oneLine(topic, 60)));
  return `My knowledge base is about subjects such as ${listOf(named, 'and')}.`;
};

const fitOf = ({ hits }: SearchOutcome): string =>
  hits.length === 0
    ? 'no passage shares a word with the question'
    : 'the best passage fits no better than passages fit questions on other subjects';

const unknownWords = ({ query }: SearchOutcome): string => {
  const unknown = query.terms
    .filter(({ postings }) => postings.length === 0)
    .map(({ word }) => `"${oneLine(word, 40)}"`);
  if (unknown.length === 0) return 'the words of the question occur, but not together';
  return `the knowledge base does not contain ${listOf(unknown.slice(0, 3), 'or')}`;
};
