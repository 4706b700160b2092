import { messageClassifier } from './classify-message.ts';
import MODELS from './message-models.json' with { type: 'json' };
import { smallTalkIn, withoutSmallTalk } from './small-talk.ts';
import { splitSentences } from './split-sentences.ts';

/** What is known about a mail besides its text. Every member may be missing. */
export interface MailSigns {
  /** Header fields by name, in any case; a field that occurs several times as a list. */
  headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** Sender: an address, `Name <address>`, or a name. */
  from?: string | undefined;
  subject?: string | undefined;
  /** The tool itself recognised an automatic mail. */
  isAutomatic?: boolean | undefined;
}

/** Kinds of automatic mail, as they are listed. */
const KIND = {
  reply: 'an automatic reply',
  bounce: 'a delivery report',
  acknowledgement: 'an acknowledgement of another desk',
  list: 'mail of a list',
  generated: 'automatic mail',
  noReply: 'mail from an address that takes no replies',
} as const;
export type AutomaticMail = (typeof KIND)[keyof typeof KIND];

/** UTF-16 units of a text that are read, of a subject, and of a header field. */
const MAX_TEXT = 4000;
const MAX_FIELD = 1000;

/**
 * What kind of automatic mail a message is: an absence note, a bounce or other delivery report, an acknowledgement of another desk, mail
 * of a list. Undefined for what a person wrote, also where it mentions such mail. No one waits for an answer to automatic mail, and one
 * that is answered may answer back.
 *
 * One sign decides that no person makes: header fields by RFC 3834 and RFC 3464, a sender such as mailer-daemon, a subject that mail
 * programs write. Signs that people make as well (`X-Auto-Response-Suppress`, the words of the text) count only together with another.
 *
 * @param text As the sender wrote it; may be empty.
 */
export const automaticMail = (signs: MailSigns, text = ''): AutomaticMail | undefined => {
  const header = headerReader(signs.headers ?? {});
  const subject = (signs.subject ?? header('subject') ?? '').slice(0, MAX_FIELD).replace(/\s+/g, ' ').trim();
  const from = signs.from ?? header('from') ?? header('sender') ?? '';
  return (
    byHeaders(header) ??
    bySender(from, header('reply-to')) ??
    (signs.isAutomatic === true ? KIND.reply : undefined) ??
    byWords(text, { subject, isSuppressed: header('x-auto-response-suppress') !== undefined })
  );
};

type HeaderReader = (name: string) => string | undefined;

const headerReader = (headers: NonNullable<MailSigns['headers']>): HeaderReader => {
  const fields = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase().trim(), value]));
  return (name) => {
    const value = fields.get(name);
    const text = typeof value === 'string' ? value : value?.join(', ');
    return text?.slice(0, MAX_FIELD).trim();
  };
};

const byHeaders = (header: HeaderReader): AutomaticMail | undefined => {
  const type = header('content-type')?.toLowerCase() ?? '';
  if (/^multipart\/report\b/.test(type)) return KIND.bounce;
  // The reply of a calendar to an invitation (RFC 6047).
  if (/^text\/calendar\b.*\bmethod="?(?:reply|counter|refresh)/.test(type)) return KIND.generated;
  if (header('x-failed-recipients')) return KIND.bounce;
  // RFC 5321: only reports of mail servers have no return path.
  if (header('return-path')?.replace(/\s/g, '') === '<>') return KIND.bounce;
  const submitted = header('auto-submitted')?.toLowerCase();
  if (submitted !== undefined && submitted !== '' && !/^no\b/.test(submitted))
    return submitted.startsWith('auto-replied') ? KIND.reply : KIND.generated;
  if (REPLY_FIELDS.some((name) => isYes(header(name)))) return KIND.reply;
  const precedence = header('precedence')?.toLowerCase();
  if (precedence === 'auto_reply' || precedence === 'auto-reply') return KIND.reply;
  // A group that forwards to the desk is no list: its mail is that of customers.
  if (header('x-google-group-id') !== undefined) return undefined;
  const isList =
    precedence === 'bulk' || precedence === 'junk' || precedence === 'list' || header('list-id') !== undefined;
  return isList ? KIND.list : undefined;
};

const REPLY_FIELDS = [
  'x-autoreply',
  'x-auto-reply',
  'x-autorespond',
  'x-autoresponder',
  'x-autoreply-from',
  'x-mail-autoreply',
];

const isYes = (value: string | undefined): boolean => value !== undefined && !/^(?:no|false|0|)$/i.test(value);

const SYSTEM_NAME = /^"?(?:mail delivery (?:sub)?system|mailer-daemon|postmaster)"?$/i;

/** An address that no one reads, unless replies go to another one: forms of web pages write so. */
const bySender = (from: string, replyTo: string | undefined): AutomaticMail | undefined => {
  // With a comment at its end as in "MAILER-DAEMON (Mail Delivery System)" (RFC 5322, section 3.2.2).
  const sender = from
    .slice(0, MAX_FIELD)
    .replace(/\([^()]*\)\s*$/, '')
    .trim();
  const address = addressIn(sender);
  const name = sender.replace(/<[^<>]*>\s*$/, '').trim();
  const isSystem = SYSTEM_NAME.test(name) || DAEMON.test(localPart(address));
  if (isSystem) return KIND.bounce;
  if (!NO_REPLY.test(localPart(address))) return undefined;
  const other = replyTo === undefined ? '' : addressIn(replyTo);
  return other !== '' && other !== address && !NO_REPLY.test(localPart(other)) ? undefined : KIND.noReply;
};

const DAEMON =
  /^(?:mailer?-?daemon|mail\.daemon|post-?master|mail-?delivery(?:-?(?:sub)?system)?|microsoftexchange[0-9a-f]{32})$/i;

const addressIn = (text: string): string => (/<([^<>\s]+)>\s*$/.exec(text)?.[1] ?? text).toLowerCase();
const localPart = (address: string): string => address.split('@', 1)[0] ?? '';

/** Local parts by which senders say that no one reads the address, as they are customary. */
const NO_REPLY = new RegExp(
  `^(?:${[
    'bounces?(?:[-+._].*)?',
    'auto-?(?:reply|responder|response|answer|notify|notification)s?',
    '(?:.*[-+._])?(?:no|not|non|donot|dont|do-not|don-t|do_not|never)[-._]?repl(?:y|ies)(?:[-+._].*)?',
    '(?:.*[-+._])?(?:nicht[-._]?antworten|keine[-._]?antwort|ne[-._]?pas[-._]?repondre|no[-._]?responder)(?:[-+._].*)?',
    '(?:.*[-+._])?(?:nao[-._]?respond[ae]r?|non[-._]?rispondere|niet[-._]?beantwoorden|geen[-._]?antwoord)(?:[-+._].*)?',
  ].join('|')})$`,
  'i',
);

const classify = messageClassifier(MODELS.mail);

type Kind = 'absence' | 'delivery' | 'acknowledgement';

const REASON: Readonly<Record<Kind, AutomaticMail>> = {
  absence: KIND.reply,
  delivery: KIND.bounce,
  acknowledgement: KIND.acknowledgement,
};

/** How much a sentence, or a subject behind the mark that the model was fitted with, is of each kind of automatic mail. */
const evidenceOf = (text: string): ReadonlyMap<Kind, number> => {
  const chances = classify(text);
  // The kinds of the model are these and `personal`.
  return new Map(
    MODELS.mail.kinds.flatMap((kind, at) => (kind === 'personal' ? [] : [[kind as Kind, chances[at] ?? 0]])),
  );
};

const total = (evidence: ReadonlyMap<Kind, number>): number =>
  [...evidence.values()].reduce((sum, one) => sum + one, 0);

/** Probability from which a text is none that a person writes; of a subject that stands alone or against its text. */
const LEAST = 0.6;
const LEAST_OF_SUBJECT = 0.9;
const LEAST_ALONE = 0.9;
const MAX_SENTENCES = 40;

/**
 * By the words of subject and text. A subject that only mail programs write suffices unless the text asks something; otherwise two
 * sentences have to be those of automatic mail, or one where subject or header agree, and most of the text.
 */
const byWords = (
  text: string,
  { subject, isSuppressed }: { subject: string; isSuppressed: boolean },
): AutomaticMail | undefined => {
  const plain = text.slice(0, MAX_TEXT).replace(/\s+/g, ' ');
  const sentences = splitSentences(plain)
    .flatMap(({ start, end }) => plain.slice(start, end).split(/(?<=[。！？])/))
    .slice(0, MAX_SENTENCES)
    .filter((sentence) => smallTalkIn(sentence) === undefined)
    .map(withoutSmallTalk);
  const isAsked = /[?？]\s*$/.test(subject);
  const [head = ''] = subject.split(/[:：–—]/, 1);
  const ofSubject = [subject, head].map((part) => evidenceOf(`subject ${isAsked ? '' : part}`));
  const signs = sentences.map(evidenceOf).filter((evidence) => total(evidence) >= LEAST);
  const byProbability = (a: ReadonlyMap<Kind, number>, b: ReadonlyMap<Kind, number>) => total(b) - total(a);
  const [best = new Map<Kind, number>()] = ofSubject.toSorted(byProbability);
  const isMost = signs.length * 2 >= sentences.length;
  const asks = /[?？]/.test(plain);
  const isSure = total(best) >= LEAST_OF_SUBJECT ? !asks || (signs.length > 2 && isMost) : false;
  const evidence = isSure || total(best) >= LEAST ? [best, ...signs] : signs;
  const isWhole = sentences.length === 1 && signs.some((each) => total(each) >= LEAST_ALONE);
  const isEnough = !asks && isMost && signs.length > 0 && (evidence.length >= 2 || isSuppressed || isWhole);
  if (!isSure && !isEnough) return undefined;
  const sums = (['absence', 'delivery', 'acknowledgement'] as const).map((kind) => ({
    kind,
    sum: evidence.reduce((sum, each) => sum + (each.get(kind) ?? 0), 0),
  }));
  const [kind] = sums.toSorted((a, b) => b.sum - a.sum);
  return kind === undefined ? undefined : REASON[kind.kind];
};
