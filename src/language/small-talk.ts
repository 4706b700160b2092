import { detectLanguage } from './detect-language.ts';
import {
  type KindProbabilities,
  type KindReader,
  type MessageKind,
  readKind,
  runsOf,
} from './message-kind.ts';

/**
 * What a message does that asks nothing of the articles: it thanks or says that the problem is solved, greets, says goodbye, or asks for a
 * person instead.
 */
type SmallTalkKind = Extract<MessageKind, 'thanks' | 'greeting' | 'goodbye' | 'person'>;
const KINDS = [
  'thanks',
  'greeting',
  'goodbye',
  'person',
] as const satisfies readonly SmallTalkKind[];

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
const LEAST: Readonly<Record<SmallTalkKind, number>> = {
  thanks: 0.32,
  greeting: 0.15,
  goodbye: 0.4,
  person: 0.2,
};
/** Words of a run, which has to be small talk by itself. A wish for a person begins like any other. */
const RUN: Readonly<Record<SmallTalkKind, number>> = {
  thanks: 2,
  greeting: 2,
  goodbye: 2,
  person: 4,
};
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
export function smallTalkKind(
  message: string,
  read: KindReader = readKind,
): SmallTalkKind | undefined {
  if (message.length > MAX_LENGTH || !SAYS_SOMETHING.test(message)) return undefined;
  const probabilities = read(message);
  const kind = likeliest(probabilities);
  if (isQuestion(message, kind) || probabilities[kind] < LEAST[kind]) return undefined;
  const parts = [...clausesOf(message), ...runsOf(message, RUN[kind])];
  const least = parts.length < 2 ? 1 : Math.min(...parts.map((part) => 1 - read(part).other));
  return probabilities[kind] * least >= LEAST[kind] ? kind : undefined;
}

/** Two letters, or an emoji: the "a" of a list says nothing. */
const SAYS_SOMETHING = /\p{L}.*\p{L}|\p{Extended_Pictographic}/su;

/** Least probability of small talk in a message that the articles do not answer, all its kinds together. */
const LEAST_UNANSWERED = 0.4;

/**
 * The small talk that a message most likely is when no article answers it: "Thanks, you have been a great help!", or a question about how a
 * person is reached. A mistake costs less here than in `smallTalkIn`, since the message gets no answer in any case. On the unseen messages it
 * finds 41 % of thanks, 83 % of goodbyes and 75 % of wishes for a person, where `smallTalkIn` finds 18, 56 and 54, and takes eight of 612 others
 * for small talk, most of them ironic thanks.
 */
export function unansweredSmallTalk(message: string): SmallTalk | undefined {
  const kind = unansweredKind(message);
  return kind === undefined ? undefined : { kind, language: detectLanguage(message) ?? 'en' };
}

function unansweredKind(message: string): SmallTalkKind | undefined {
  const sure = smallTalkKind(message);
  if (sure !== undefined || message.length > MAX_LENGTH || !SAYS_SOMETHING.test(message))
    return sure;
  if (
    [message, ...runsOf(message, RUN.person)].some((run) => readKind(run).person >= LEAST_MENTION)
  )
    return 'person';
  const probabilities = readKind(message);
  const kind = likeliest(probabilities);
  if (isQuestion(message, kind)) return undefined;
  return KINDS.reduce((sum, each) => sum + probabilities[each], 0) >= LEAST_UNANSWERED
    ? kind
    : undefined;
}

/** A longer message has more to say than thanks. In UTF-16 units. */
const MAX_SETTLING_LENGTH = 300;
/** Least probability that a message thanks or takes leave. */
const LEAST_SETTLING = 0.5;

/**
 * Whether a message to a support desk thanks, says that the problem is solved, or takes leave, and asks nothing: no one has to answer it. On the
 * unseen messages it finds 35 % of thanks and 81 % of goodbyes; of 1,026 others three, ironic thanks, are taken for it.
 */
export function settles(message: string): boolean {
  if (message.length > MAX_SETTLING_LENGTH || /[?？]/.test(message)) return false;
  const { thanks, goodbye } = readKind(message);
  return thanks + goodbye >= LEAST_SETTLING;
}

const likeliest = (probabilities: KindProbabilities): SmallTalkKind =>
  KINDS.reduce((best, each) => (probabilities[each] > probabilities[best] ? each : best));

/** A question mark asks, unless it greets or asks for a person: "How are you?", "Can I talk to a person?" */
const isQuestion = (message: string, kind: SmallTalkKind): boolean =>
  /[?？]/.test(message) && (kind === 'thanks' || kind === 'goodbye');

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

const clausesOf = (message: string): string[] =>
  message.split(/(?<=[.,;:!?…\n])(?=\s)|(?<=[。！？、，])/u);
