import { answerPhrases, filled } from '../../answering/write/answer-phrases.ts';
import { oneLine } from '../../answering/write/cite-sources.ts';
import type { NavigatorAnswer } from '../../answering/write/navigator-answer.ts';
import type { LibrarianInfo } from '../../contract/core/librarian.ts';
import { escapeText } from '../../documents/markdown/escape-html.ts';
import { oncePer } from '../../platform/once-per.ts';
import { candidatesCache, chooseLibrarian } from '../concierge/librarian-routing.ts';

/** The other librarians that a question may be for. */
export interface OtherLibrarians {
  /** The navigator's own description, with which theirs are compared. */
  self: LibrarianInfo;
  /** By their latest descriptions; the same array until one changes. */
  all: readonly LibrarianInfo[];
  /** Librarians that the question passed through. */
  chain: readonly string[];
}

const MAX_TOPICS = 20;

/**
 * Names the librarian whose description and examples clearly match a question without an answer, as the first
 * related topic, and in the answer to a question that is out of domain. Whether the caller may ask
 * it is decided when it is asked: a navigator gets no more rights than it needs, so it does not
 * know the caller's others.
 */
export function withWhomToAsk(
  answer: NavigatorAnswer,
  question: string,
  others: OtherLibrarians,
  language?: string,
): NavigatorAnswer {
  const { self, all, chain } = others;
  const phrases = answerPhrases(language);
  const candidates = all.filter(({ id }) => id !== self.id && !chain.includes(id));
  if (answer.verdict === 'answer' || candidates.length === 0) return answer;
  const { to } = chooseLibrarian(
    question,
    indexesOf(all)(self)([self, ...candidates]).index,
    self.id,
  );
  const target = candidates.find(({ id }) => id === to);
  if (target === undefined) return answer;
  // A partner chooses its name, which must not become a link.
  const name = oneLine(target.name, 100).replace(/[[\]]/g, '');
  const topic = escapeText(filled(phrases.ask, { name }), 200);
  const { response } = answer;
  const relatedTopics = [topic, ...(response.relatedTopics ?? [])].slice(0, MAX_TOPICS);
  const text = response.outOfDomain
    ? `${response.answer}\n\n${escapeText(filled(phrases.askOther, { name }), 200)}`
    : response.answer;
  return { ...answer, response: { ...response, answer: text, relatedTopics } };
}

/** Rebuilt when a description changes. */
const indexesOf = oncePer((_: readonly LibrarianInfo[]) =>
  oncePer(({ id }: LibrarianInfo) => candidatesCache(id)),
);
