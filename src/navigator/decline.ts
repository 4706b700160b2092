import type { NavigatorResponse } from '../contract/navigator-response.ts';
import type { AnsweringModel } from '../knowledge/answering-model.ts';
import type { Decision } from '../knowledge/decide-answer.ts';
import type { SearchOutcome } from '../knowledge/search-edition.ts';
import { oneLine } from './compose-answer.ts';
import { escapeHtml } from './escape-html.ts';

/** What is said when nothing is quoted. */
export type Declination = Pick<
  NavigatorResponse,
  'answer' | 'confidence' | 'confidenceReason' | 'relatedTopics' | 'outOfDomain'
>;

interface DeclineInput {
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
  const isSure = decision.domain < model.domainThreshold / 2;
  return {
    answer:
      `This question seems to be outside my domain: I don't have information about ${subjectOf(question)}. ${domainOf(model)}`.trim(),
    confidence: isSure ? 'high' : 'medium',
    confidenceReason: `${isSure ? 'High' : 'Medium'} confidence: ${unknownWords(outcome)}, and ${fitOf(outcome)}.`,
    relatedTopics: model.topics.slice(0, 3),
    outOfDomain: true,
  };
};

const declineSubject = ({ question, outcome, model, related, articleCount }: DeclineInput): Declination => ({
  answer: `I don't have information about ${subjectOf(question)} in my knowledge base. ${domainOf(model)}`.trim(),
  confidence: outcome.coverage < 0.5 ? 'high' : 'medium',
  confidenceReason: `${outcome.coverage < 0.5 ? 'High' : 'Medium'} confidence: all ${articleCount} articles were searched; ${unknownWords(outcome)}, and no passage covers enough of the question.`,
  relatedTopics: related,
  outOfDomain: false,
});

const declineWords = ({ question, outcome, model, articleCount }: DeclineInput): Declination => {
  const isEmpty = outcome.query.terms.length === 0;
  const why = isEmpty
    ? "I don't have information to go by: the question has no word that I could search for."
    : `I don't have information about ${subjectOf(question)}: none of its words occurs in my knowledge base.`;
  return {
    answer: `${why} Please ask again in other words, naming the thing that it is about. ${domainOf(model)}`.trim(),
    confidence: isEmpty ? 'low' : 'high',
    confidenceReason: isEmpty
      ? 'Low confidence: the question contains no searchable words, so that nothing could be looked up.'
      : `High confidence: all ${articleCount} articles were searched, and no word of the question occurs in any of them.`,
    relatedTopics: model.topics.slice(0, 3),
    outOfDomain: false,
  };
};

/** The question as it may be repeated: one line, inert, cut short. */
const subjectOf = (question: string): string => `"${escapeHtml(oneLine(question, 120)).replaceAll('"', "'")}"`;

/** "My knowledge base is about Apollo II, firmware and pools." Empty when nothing is known of it. */
const domainOf = ({ topics }: Pick<AnsweringModel, 'topics'>): string => {
  if (topics.length === 0) return '';
  const named = topics.slice(0, 6).map((topic) => escapeHtml(oneLine(topic, 60)));
  const list = named.length > 1 ? `${named.slice(0, -1).join(', ')} and ${named.at(-1)}` : named[0];
  return `My knowledge base is about subjects such as ${list}.`;
};

const fitOf = ({ hits }: SearchOutcome): string =>
  hits.length === 0
    ? 'no passage shares a word with the question'
    : 'the best passage fits the question no better than it fits foreign questions';

const unknownWords = ({ query }: SearchOutcome): string => {
  const unknown = query.terms
    .filter(({ postings }) => postings.length === 0)
    .map(({ word }) => `"${oneLine(word, 40)}"`);
  if (unknown.length === 0) return 'the words of the question occur, but not together';
  return `the knowledge base does not contain ${unknown.slice(0, 3).join(', ')}`;
};
