import { detectLanguage } from './detect-language.ts';
import { type KindReader, type MessageKind, readKind, runsOf } from './message-kind.ts';

/**
 * What a message does that asks nothing of the articles: it thanks or says that the problem is solved, greets, says goodbye, or asks for a
 * person instead.
 */
export type SmallTalkKind = Extract<MessageKind, 'thanks' | 'greeting' | 'goodbye' | 'person'>;
const KINDS = ['thanks', 'greeting', 'goodbye', 'person'] as const satisfies readonly SmallTalkKind[];

export interface SmallTalk {
  kind: SmallTalkKind;
  /** Primary tag of BCP 47. */
  language: string;
}

/** A longer message says more. In UTF-16 units. */
const MAX_LENGTH = 200;
/**
 * Least probability of each kind. A question that gets "You're welcome" is worse than thanks that get an answer: of 612 unseen messages that ask
 * something, two thirds of them near misses, two are taken for small talk.
 */
const LEAST: Readonly<Record<SmallTalkKind, number>> = { thanks: 0.32, greeting: 0.15, goodbye: 0.4, person: 0.2 };
/** Words of a run, which has to be small talk by itself. A wish for a person begins like any other. */
const RUN: Readonly<Record<SmallTalkKind, number>> = { thanks: 2, greeting: 2, goodbye: 2, person: 4 };
/** Least probability of a run of words within a question that asks how a person is reached. */
const LEAST_MENTION = 0.9;

/**
 * Recognises a message that consists of small talk alone, in any language of the fitted messages. Each of its clauses and pairs of words has to
 * be small talk: "Thanks, but how?" is a question.
 *
 * @param before The previous message of the same person, whose language is taken when the message is too short to tell its own.
 */
export function smallTalkIn(message: string, before = ''): SmallTalk | undefined {
  const kind = smallTalkKind(message);
  if (kind === undefined) return undefined;
  return { kind, language: detectLanguage(message) ?? detectLanguage(before) ?? 'en' };
}

/** The kind of a message that is small talk. */
export function smallTalkKind(message: string, read: KindReader = readKind): SmallTalkKind | undefined {
  if (message.length > MAX_LENGTH || !SAYS_SOMETHING.test(message)) return undefined;
  const probabilities = read(message);
  const kind = KINDS.reduce((best, each) => (probabilities[each] > probabilities[best] ? each : best));
  // A question mark asks, unless it greets or asks for a person: "How are you?", "Can I talk to a person?"
  if (/[?？]/.test(message) && (kind === 'thanks' || kind === 'goodbye')) return undefined;
  if (probabilities[kind] < LEAST[kind]) return undefined;
  const parts = [...clausesOf(message), ...runsOf(message, RUN[kind])];
  const least = parts.length < 2 ? 1 : Math.min(...parts.map((part) => 1 - read(part).other));
  return probabilities[kind] * least >= LEAST[kind] ? kind : undefined;
}

/** Two letters, or an emoji: the "a" of a list says nothing. */
const SAYS_SOMETHING = /\p{L}.*\p{L}|\p{Extended_Pictographic}/su;

/** Whether a question may be a wish for a person, or about how one is reached. */
export function mentionsPerson(message: string): boolean {
  if (message.length > MAX_LENGTH) return false;
  return [message, ...runsOf(message, RUN.person)].some((run) => readKind(run).person >= LEAST_MENTION);
}

/** The message without what only thanks or greets before or behind its question: "Thanks, that helped. And …". */
export function withoutSmallTalk(message: string): string {
  const clauses = clausesOf(message.slice(0, MAX_READ));
  if (clauses.length < 2 || clauses.length > MAX_CLAUSES) return message;
  const isSaid = (clause: string): boolean => {
    const kind = smallTalkKind(clause);
    return kind !== undefined && kind !== 'person';
  };
  const first = clauses.findIndex((clause) => !isSaid(clause));
  if (first < 0) return message;
  const last = clauses.findLastIndex((clause) => !isSaid(clause));
  const rest = `${clauses.slice(first, last + 1).join('')}${last === clauses.length - 1 ? message.slice(MAX_READ) : ''}`;
  return rest.trim();
}

const MAX_READ = 2000;
const MAX_CLAUSES = 40;

const clausesOf = (message: string): string[] => message.split(/(?<=[.,;:!?…\n])(?=\s)|(?<=[。！？、，])/u);
