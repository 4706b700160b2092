import WORDS from './lists/automatic-mail.json' with { type: 'json' };

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
    bySubject(subject, text) ??
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
  if (!ready().sender.test(localPart(address))) return undefined;
  const other = replyTo === undefined ? '' : addressIn(replyTo);
  return other !== '' && other !== address && !ready().sender.test(localPart(other)) ? undefined : KIND.noReply;
};

const DAEMON =
  /^(?:mailer?-?daemon|mail\.daemon|post-?master|mail-?delivery(?:-?(?:sub)?system)?|microsoftexchange[0-9a-f]{32})$/i;

const addressIn = (text: string): string => (/<([^<>\s]+)>\s*$/.exec(text)?.[1] ?? text).toLowerCase();
const localPart = (address: string): string => address.split('@', 1)[0] ?? '';

type Lists = Readonly<Record<string, readonly string[]>>;

interface ReadyWords {
  /** Local part of an address. */
  sender: RegExp;
  /** The whole subject: "Re: Automatic reply …" answers one, and "Out of office hours?" is a question. */
  subject: RegExp;
  /** Subjects of receipts, which people write as well, and what the texts of receipts say. */
  receipt: RegExp;
  read: readonly RegExp[];
  acknowledgement: RegExp;
  /** Phrases of texts: what desks say, and what people who are away say. */
  says: readonly RegExp[];
  away: readonly RegExp[];
}

/** Compiled at the first mail. */
let compiled: ReadyWords | undefined;

const ready = (): ReadyWords => {
  const whole = (lists: Lists) => new RegExp(`^(?:${Object.values(lists).flat().join('|')})$`, 'iu');
  const phrases = (lists: Lists) =>
    Object.values(lists)
      .flat()
      .map((phrase) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${phrase})(?![\\p{L}\\p{N}])`, 'iu'));
  compiled ??= {
    sender: new RegExp(`^(?:${WORDS.senders.join('|')})$`, 'i'),
    subject: whole(WORDS.subjects),
    receipt: whole(WORDS.receipts),
    read: phrases(WORDS.read),
    acknowledgement: whole(WORDS.acknowledgements),
    says: phrases(WORDS.says),
    away: phrases(WORDS.away),
  };
  return compiled;
};

const BOUNCE =
  /undeliver|deliver|returned mail|failure notice|unzustellbar|zustell|remis|distribu|remise|entreg|recapit|bestelbaar|bezorgd|dostarcz|leverera|leveres|leveret|olevererbar|toimit|teslim|достав|送达|退信|配信|배달|전송|warning|delayed/iu;

const EXPLICIT = /auto|respuesta|risposta|resposta|r[ée]ponse|antwoord|odpowied|yan[ıi]t|авто|自动|自動|자동/iu;

/** A subject about an absence counts unless the text asks something: people write such subjects as well. */
const bySubject = (subject: string, text: string): AutomaticMail | undefined => {
  if (subject === '' || /[?？]\s*$/.test(subject)) return undefined;
  const words = ready();
  const plain = plainOf(text);
  const isReceipt =
    words.receipt.test(subject) && (plain.trim() === '' || words.read.some((phrase) => phrase.test(plain)));
  if (isReceipt) return KIND.bounce;
  if (!words.subject.test(subject)) return undefined;
  const [head = ''] = subject.split(/[:：–—]/, 1);
  if (BOUNCE.test(head)) return KIND.bounce;
  const isAsking = /[?？]/.test(plain) && words.away.filter((phrase) => phrase.test(plain)).length < 2;
  const isExplicit = head !== subject && EXPLICIT.test(head);
  return isAsking && !isExplicit ? undefined : KIND.reply;
};

const plainOf = (text: string): string => text.slice(0, MAX_TEXT).replace(/[’‘]/g, "'").replace(/\s+/g, ' ');

/** Two signs together; a text that asks something is a person's. */
const byWords = (
  text: string,
  { subject, isSuppressed }: { subject: string; isSuppressed: boolean },
): AutomaticMail | undefined => {
  const read = plainOf(text);
  if (/[?？]/.test(read)) return undefined;
  const words = ready();
  const away = words.away.filter((phrase) => phrase.test(read)).length;
  if (away >= 2 || (away === 1 && isSuppressed)) return KIND.reply;
  const says = words.says.filter((phrase) => phrase.test(read)).length;
  const isAcknowledged = words.acknowledgement.test(subject);
  return says >= 2 || (says === 1 && (isAcknowledged || isSuppressed)) ? KIND.acknowledgement : undefined;
};
