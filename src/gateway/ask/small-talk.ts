import * as z from 'zod';
import { parseJson } from '../../contract/core/json-object.ts';
import { WebUrl, WorkspaceId } from '../../contract/core/names.ts';
import type { LibrarianResponse } from '../../contract/core/response.ts';
import type { Danger } from '../../language/danger.ts';
import { detectLanguage } from '../../language/detect-language.ts';
import { reportedDanger } from '../../language/reported-danger.ts';
import { type SmallTalk, smallTalkIn } from '../../language/small-talk.ts';
import {
  readSettings,
  type SettingsSchema,
  type Variables,
} from '../../platform/settings/settings.ts';
import { setting } from '../../platform/settings/values.ts';
import {
  type handoverSettings,
  readHandoverTargets,
} from '../../support/tickets/handover-target.ts';
import SAFETY from './safety.json' with { type: 'json' };
import REPLIES from './small-talk.json' with { type: 'json' };

/** How somebody who asks in a workspace reaches a person. */
export interface WaysToPerson {
  /** Whether `POST /v1/support/requests` hands over to a person. */
  handsOver: boolean;
  /** An http, https or mailto address. */
  contact?: string | undefined;
}

/** The ways to a person by workspace. */
export type PersonWays = (workspace: string) => WaysToPerson;

/**
 * Replies to a message that asks nothing of the articles, in its language. `metadata.small_talk` says what kind it is; of a request for a
 * person, `metadata.handover` whether clients can offer `POST /v1/support/requests`, and `metadata.contact` the link.
 *
 * @param options.hasForm Whether the client shows a form for handing over: otherwise the sentence about it would lead nowhere.
 */
export function replyTo(
  { kind, language }: SmallTalk,
  { handsOver, contact }: WaysToPerson,
  { hasForm = false }: { hasForm?: boolean } = {},
): LibrarianResponse {
  const texts = textsIn(language);
  if (kind !== 'person') return response(texts[kind], { small_talk: kind });
  const link =
    contact === undefined
      ? []
      : [texts.contact.replace('{link}', () => `[${texts.link}](${contact})`)];
  const ways = [...(handsOver && hasForm ? [texts.handover] : []), ...link];
  return response(ways.length === 0 ? texts.person : ways.join('\n\n'), {
    small_talk: kind,
    handover: handsOver,
    ...(contact === undefined ? {} : { contact }),
  });
}

/**
 * Replies to a message that reports danger, before anything is looked up: what keeps people safe, in the language of the words that report it,
 * and the way to a person. No article, step or link to one.
 */
const replyToDanger = (
  { language }: Danger,
  ways: WaysToPerson,
  options: { hasForm?: boolean } = {},
): LibrarianResponse => {
  const { answer = '', metadata } = replyTo({ kind: 'person', language }, ways, options);
  const safety: Readonly<Record<string, string>> = SAFETY;
  return response(`${safety[language] ?? SAFETY.en}\n\n${answer}`, { ...metadata, danger: true });
};

/** A reply to a message that no librarian is asked about. */
export interface FixedReply {
  response: LibrarianResponse;
  /** Primary tag of BCP 47. */
  language: string;
  /** Why no article was searched, as the confidence reason of a reply. */
  reason: string;
}

/**
 * The reply to a message that reports danger, or that asks nothing of the articles; undefined for a question. Every entrance of the gateway
 * asks here before it asks a librarian. Danger comes first.
 *
 * @param options.before The previous message of the same person.
 */
export function fixedReply(
  message: string,
  ways: WaysToPerson = { handsOver: false },
  { before, ...client }: { before?: string | undefined; hasForm?: boolean } = {},
): FixedReply | undefined {
  const danger = reportedDanger(message);
  const found = danger ?? smallTalkIn(message, before);
  if (found === undefined) return undefined;
  // Languages share words of danger.
  const own = 'kind' in found ? undefined : detectLanguage(message);
  const language = own !== undefined && Object.hasOwn(SAFETY, own) ? own : found.language;
  const reply =
    'kind' in found
      ? replyTo(found, ways, client)
      : replyToDanger({ ...found, language }, ways, client);
  return { response: reply, language, reason: textsIn(language).reason };
}

const response = (
  answer: string,
  metadata: Readonly<Record<string, unknown>>,
): LibrarianResponse => ({
  answer,
  sources: [],
  // Nothing in it is a statement of an article.
  metadata: { ...metadata, statements: [] },
});

type Texts = (typeof REPLIES)['en'];
const BY_LANGUAGE: Readonly<Record<string, Texts>> = REPLIES;
const textsIn = (language: string): Texts => BY_LANGUAGE[language] ?? REPLIES.en;

const Contact = z.union([WebUrl, z.string().regex(/^mailto:\S+@\S+$/)]);
const Contacts = z.record(WorkspaceId, Contact);
/** A link for all workspaces, or one for each. */
const ContactWays = z
  .string()
  .transform((link) =>
    link.startsWith('{') ? { byWorkspace: parseJson(link) } : { everywhere: link },
  )
  .pipe(
    z.union([z.strictObject({ everywhere: Contact }), z.strictObject({ byWorkspace: Contacts })]),
  );

/** How a person is reached, beside the handover. */
export const contactSettings = {
  CONTACT_URL: setting(ContactWays, {
    what: 'A link for who [asks for a person](conversations.md#thanks-greetings-and-people)',
    allowed: 'an http, https or mailto address, or JSON by workspace: `{"default": "https://…"}`',
  }),
} satisfies SettingsSchema;

/**
 * Reads by which ways a person can be reached.
 *
 * @throws {SettingRefused} For a contact that is no http, https or mailto address.
 */
export function readPersonWays(
  variables: Variables<typeof contactSettings & typeof handoverSettings>,
): PersonWays {
  const { CONTACT_URL: ways } = readSettings(contactSettings, variables);
  const handoverTo = readHandoverTargets(variables);
  return (workspace) => ({
    handsOver: handoverTo(workspace) !== undefined,
    contact: ways && ('everywhere' in ways ? ways.everywhere : ways.byWorkspace[workspace]),
  });
}
