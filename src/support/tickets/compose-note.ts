import type { SupportResponse } from '../../contract/wire/support-response.ts';
import { escapeLines, escapeMarkdown } from '../../documents/markdown/escape-markdown.ts';
import { markdownToHtml, markdownToText } from '../../documents/markdown/render-markdown.ts';
import { randomHex, utf8 } from '../../platform/encoding.ts';
import { isPublicAddress } from '../../platform/http/public-address.ts';
import type { DraftReply, Note } from '../tools/helpdesk-tool.ts';

/** UTF-8 bytes of a note in any format: Zendesk accepts 64 KiB, the others more. */
const MAX_BYTES = 60_000;

/** How much of an analysis is shown; the first that fits is used. Only unusual drafts need the second. */
const AMOUNTS: readonly Amount[] = [
  { draft: 48_000, items: 20, item: 1000 },
  { draft: 12_000, items: 10, item: 300 },
  { draft: 3000, items: 4, item: 200 },
];

interface Amount {
  /** Characters of the draft. */
  draft: number;
  /** Entries of each list, and characters of each entry. */
  items: number;
  item: number;
}

/** A marker that cannot be guessed, so that a customer cannot fake a note; 25 characters. */
export function newMarker(): string {
  return `cnote${randomHex(10)}`;
}

/**
 * The internal note: what the customer wants and with which confidence, whether the draft may be sent automatically and why, the draft,
 * the articles that it quotes or the closest ones, questions for the customer, knowledge gaps. The marker is in the last line. At most
 * 60,000 bytes in each format. No draft where support proposes no reply.
 */
export function composeNote(
  response: SupportResponse,
  { marker }: { marker: string },
): { note: Note; draft: DraftReply | undefined } {
  const { text, markdown = escapeLines(text), html = markdownToHtml(markdown) } = response.draft;
  return {
    note: noteOf(response, marker),
    draft: text.trim() === '' ? undefined : { text, markdown, html },
  };
}

const noteOf = (response: SupportResponse, marker: string): Note => {
  const notes = AMOUNTS.values().map((amount) => {
    const markdown = `${sectionsOf(response, amount).join('\n\n')}\n\n*Constellation · ${marker}*`;
    return { marker, markdown, html: markdownToHtml(markdown), text: markdownToText(markdown) };
  });
  let note: Note | undefined;
  for (const candidate of notes) {
    note = candidate;
    if ([note.markdown, note.html, note.text].every((form) => utf8(form).length <= MAX_BYTES))
      break;
  }
  if (note === undefined) throw new Error('Cannot compose the note: no amount is given');
  return note;
};

const sectionsOf = (response: SupportResponse, amount: Amount): string[] => {
  const { agent_guidance: guidance, knowledge_retrieval: knowledge, draft } = response;
  const { escalation } = guidance;
  const said = (text: string) => escapeMarkdown(cut(text, amount.item));
  const list = (title: string, items: readonly string[]) =>
    items.length === 0 ? [] : [`**${title}**\n\n${items.slice(0, amount.items).join('\n')}`];
  const bullets = (items: readonly string[]) => items.map((item) => `- ${said(item)}`);
  // The references of the draft are those that the customer can open.
  const quoted = guidance.quoted_articles ?? draft.references ?? [];
  const escalated = escalation.needed
    ? list(`Escalate${escalation.to === undefined ? '' : ` to ${said(escalation.to)}`}`, [
        ...(escalation.reasons.length === 0
          ? ['- The rules of the intent ask for it']
          : bullets(escalation.reasons)),
      ])
    : [];
  return [
    ...headOf(response, said),
    ...escalated,
    ...list('Before sending', bullets(guidance.risks)),
    draftOf(response, amount),
    ...list(
      'The draft quotes',
      quoted.map(
        ({ title, url }, at) => `${at + 1}. ${linkTo(title, url)}${relevanceOf(title, knowledge)}`,
      ),
    ),
    ...list(
      'Closest articles, not quoted',
      (guidance.closest_articles ?? []).map(
        ({ title, url, relevance_score }, at) =>
          `${at + 1}. ${linkTo(title, url)}, ${percent(relevance_score)}`,
      ),
    ),
    // Without questions that the draft asks already.
    ...list(
      'Ask the customer',
      bullets(guidance.missing_information.filter((question) => !draft.text.includes(question))),
    ),
    ...list('Missing in the knowledge base', bullets(knowledge.gaps)),
  ];
};

const relevanceOf = (
  title: string,
  { sources_consulted: sources }: SupportResponse['knowledge_retrieval'],
): string => {
  const found = sources.find((source) => source.title === title);
  return found === undefined ? '' : `, ${percent(found.relevance_score)}`;
};

const headOf = (response: SupportResponse, said: (text: string) => string): string[] => {
  const { intent_classification: intent, agent_guidance: guidance } = response;
  const { allowed, reasons } = guidance.auto_send;
  const summary =
    guidance.summary ?? `${intent.primary_intent} (${percent(intent.confidence)} sure)`;
  return [
    `**${said(summary)}**`,
    `${allowed ? 'May be sent without a person' : 'Not to be sent without a person'}: ${reasons.map(said).join(' ')}`,
  ];
};

const draftOf = ({ draft }: SupportResponse, amount: Amount): string => {
  const markdown = withoutSideEffects(draft.markdown ?? escapeLines(draft.text));
  const shown = cut(markdown, amount.draft);
  const quoted = shown
    .trim()
    .split(/\r\n|\n|\r/)
    .map((line) => (line.trim() === '' ? '>' : `> ${line}`))
    .join('\n');
  const title = shown.length < markdown.length ? 'Draft reply, shortened' : 'Draft reply';
  return `**${title}**\n\n${quoted === '>' ? 'There is none.' : quoted}`;
};

/**
 * Tools that render the Markdown themselves would load images for every reader, and notify the agent in Chatwoot's `mention://` links:
 * an image becomes a link, as in HTML, and mentions are escaped.
 */
const withoutSideEffects = (markdown: string): string =>
  markdown.replace(/!(?=\[)/g, '').replace(/mention:(?=\/\/)/gi, 'mention\\:');

/** A link where the URL is public, the title alone otherwise. */
const linkTo = (title: string, url: string | undefined): string => {
  const label = escapeMarkdown(title);
  if (url === undefined || !isPublicAddress(url)) return label;
  const address = new URL(url).href.replace(/[()<>\\\s]/g, (character) =>
    encodeURIComponent(character),
  );
  return `[${label}](${address.replace(/[()]/g, (bracket) => (bracket === '(' ? '%28' : '%29'))})`;
};

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** Without half of a surrogate pair at the end. */
const cut = (text: string, maxLength: number): string =>
  text.length <= maxLength
    ? text
    : `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
