import { messageClassifier } from './classify-message.ts';
import { detectLanguage } from './detect-language.ts';
import MODELS from './message-models.json' with { type: 'json' };

/**
 * What a message does that asks nothing of the articles: it thanks or says that the problem is solved, greets, says goodbye, or asks for a
 * person instead.
 */
export type SmallTalkKind = 'thanks' | 'greeting' | 'goodbye' | 'person';

export interface SmallTalk {
  kind: SmallTalkKind;
  /** Primary tag of BCP 47. */
  language: string;
}

/** A longer message says more. In UTF-16 units. */
const MAX_LENGTH = 200;

/** Probability from which a message is small talk: a question that is not answered costs more than thanks that are searched for. */
const LEAST = 0.7;
/** The same for a clause beside a question, of which nothing may be lost. */
const LEAST_OF_CLAUSE = 0.8;

const classify = messageClassifier(MODELS.talk);
const classifyLanguage = messageClassifier(MODELS.language);

/**
 * Recognises a message that consists of small talk alone, in the languages of the model. "Thanks, but how?" and "How do I talk to a person
 * about a refund?" are questions.
 *
 * @param before The previous message of the same person, which tells the language of "ok".
 */
export function smallTalkIn(message: string, before = ''): SmallTalk | undefined {
  const kind = kindOf(message);
  if (kind === undefined || kind === 'matter') return undefined;
  // A question mark asks, unless the message greets or asks for a person: "How are you?", "Can I talk to a person?"
  if (/[?？]/.test(message) && (kind === 'thanks' || kind === 'goodbye')) return undefined;
  return { kind, language: languageOf(message, before) };
}

/** Whether a message asks how a person is reached, or for one about a matter that it names: articles may answer that. */
export function mentionsPerson(message: string): boolean {
  const kind = kindOf(message);
  return kind === 'matter' || kind === 'person';
}

const kindOf = (message: string, least = LEAST): SmallTalkKind | 'matter' | undefined => {
  if (message.length > MAX_LENGTH) return undefined;
  const chances = classify(message);
  const best = chances.findIndex((chance) => chance >= least);
  const kind = MODELS.talk.kinds[best];
  // The kinds of the model are these and `question`.
  return kind === 'question' ? undefined : (kind as SmallTalkKind | 'matter' | undefined);
};

/** The model was fitted to messages in which `detectLanguage` sees no language. Words of several languages tell less than `LEAST`. */
const languageOf = (message: string, before: string): string => {
  const chances = classifyLanguage(message);
  const language = MODELS.language.kinds[chances.findIndex((chance) => chance >= LEAST)];
  return detectLanguage(message) ?? language ?? detectLanguage(before) ?? 'en';
};

/** The message without what only thanks or greets before or behind its question: "Thanks, that helped. And …". */
export function withoutSmallTalk(message: string): string {
  const clauses = message.slice(0, MAX_READ).split(/(?<=[.,;:!?…\n])(?=\s)|(?<=[。！？、，])/u);
  if (clauses.length < 2 || clauses.length > MAX_CLAUSES) return message;
  const asks = (clause: string): boolean => {
    const kind = kindOf(clause, LEAST_OF_CLAUSE);
    return kind === undefined || kind === 'person' || kind === 'matter' || /[?？]/.test(clause);
  };
  const first = clauses.findIndex(asks);
  if (first < 0) return message;
  const last = clauses.findLastIndex(asks);
  const rest = last === clauses.length - 1 ? message.slice(MAX_READ) : '';
  return `${clauses.slice(first, last + 1).join('')}${rest}`.trim();
}

const MAX_READ = 2000;
const MAX_CLAUSES = 40;
