import { type KindReader, readKind } from './message-kind.ts';

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
 * One sign decides that no person makes: header fields by RFC 3834 and RFC 3464, a sender such as mailer-daemon. Otherwise the words of
 * subject and text are classified; `X-Auto-Response-Suppress`, which mail of people has as well, makes less of them suffice.
 *
 * @param text As the sender wrote it; may be empty.
 */
export function automaticMail(signs: MailSigns, text = ''): AutomaticMail | undefined {
  const header = headerReader(signs.headers ?? {});
  const subject = (signs.subject ?? header('subject') ?? '')
    .slice(0, MAX_FIELD)
    .replace(/\s+/g, ' ')
    .trim();
  const from = signs.from ?? header('from') ?? header('sender') ?? '';
  return (
    byHeaders(header) ??
    bySender(from, header('reply-to')) ??
    (signs.isAutomatic === true ? KIND.reply : undefined) ??
    (isAutomaticText(text, {
      subject,
      isSuppressed: header('x-auto-response-suppress') !== undefined,
    })
      ? KIND.generated
      : undefined)
  );
}

type HeaderReader = (name: string) => string | undefined;

const headerReader = (headers: NonNullable<MailSigns['headers']>): HeaderReader => {
  const fields = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase().trim(), value]),
  );
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
    precedence === 'bulk' ||
    precedence === 'junk' ||
    precedence === 'list' ||
    header('list-id') !== undefined;
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

const isYes = (value: string | undefined): boolean =>
  value !== undefined && !/^(?:no|false|0|)$/i.test(value);

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
  if (!UNREAD.test(localPart(address))) return undefined;
  const other = replyTo === undefined ? '' : addressIn(replyTo);
  return other !== '' && other !== address && !UNREAD.test(localPart(other))
    ? undefined
    : KIND.noReply;
};

const DAEMON =
  /^(?:mailer?-?daemon|mail\.daemon|post-?master|mail-?delivery(?:-?(?:sub)?system)?|microsoftexchange[0-9a-f]{32})$/i;

const addressIn = (text: string): string =>
  (/<([^<>\s]+)>\s*$/.exec(text)?.[1] ?? text).toLowerCase();
const localPart = (address: string): string => address.split('@', 1)[0] ?? '';

/** Names of addresses that no one reads, as programs have them in any language. */
const UNREAD =
  /^(?:(?:.*[-+._])?(?:no|not|non|do-?not|don-?t|never)[-._]?repl(?:y|ies)(?:[-+._].*)?|bounces?(?:[-+._].*)?|auto-?(?:reply|responder|response|answer|notify|notification)s?)$/i;

/** Least probability of automatic mail: of a text alone, and of one with another sign. A customer whose message is taken for it gets no answer. */
const LEAST = 0.77;
const LEAST_SUPPRESSED = 0.4;
/** The same for a mail with a subject whose words before the colon ("Automatic reply: …") are those of automatic mail by themselves. */
const LEAST_HEADED = 0.08;
const LEAST_HEAD = 0.8;

/** Whether the words are those of automatic mail; a text that asks something is a person's. */
export function isAutomaticText(
  text: string,
  { subject = '', isSuppressed = false }: { subject?: string; isSuppressed?: boolean } = {},
  read: KindReader = readKind,
): boolean {
  if (/[?？]/.test(subject) || /[?？]/.test(text.slice(0, MAX_TEXT))) return false;
  const [, head = ''] = /^([^:：]+)[:：]/.exec(subject) ?? [];
  const isHeaded = head !== '' && read(head).automatic >= LEAST_HEAD;
  const least = isHeaded ? LEAST_HEADED : isSuppressed ? LEAST_SUPPRESSED : LEAST;
  return read(`${subject}\n${text.slice(0, MAX_TEXT)}`.trim()).automatic >= least;
}
