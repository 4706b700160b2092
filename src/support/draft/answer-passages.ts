import type { Intent, Taxonomy } from '../../contract/taxonomy.ts';
import type { Knowledge } from '../../knowledge/retrieval/knowledge.ts';
import { escapeHtml } from '../../runtime/escape-html.ts';
import type { DraftTicket } from './generate-draft.ts';
import { shapeOf } from './passage-shape.ts';
import { pickShownSteps } from './pick-shown-steps.ts';
import type { PickedSteps } from './pick-steps.ts';
import { otherProducts, usablePassages } from './usable-passages.ts';

/** A part of an article that a draft quotes as a whole. */
export interface AnswerPassage {
  title: string;
  url: string;
  /** Markdown, its heading included; nothing in it runs or loads anything. */
  markdown: string;
  /** The same part as the article has it. */
  source: string;
  /** BCP 47; undefined where it is too short to tell. */
  language: string | undefined;
  /** What the agent may recommend, one step each, as Markdown. */
  steps: readonly string[];
}

/** What a draft quotes to answer a ticket, best first; empty where no source is sure to answer. */
export const answerPassages = (
  knowledge: Knowledge,
  {
    taxonomy,
    intent,
    product,
    ticket,
  }: { taxonomy: Taxonomy; intent: Intent | undefined; product: string | undefined; ticket: DraftTicket },
): { passages: AnswerPassage[]; isPlanted: boolean } => {
  const products = [...taxonomy.devices, ...(intent?.devices ?? [])];
  const language = ticket.language ?? taxonomy.language;
  const { inSentence: isOfOthers } = otherProducts({ product, products });
  const usable = usablePassages(knowledge, { product, products, language });
  const about = [intent?.title, intent?.description].join('\n');
  const { picked, isPlanted } = pickShownSteps(usable, {
    ...{ text: ticket.text, intent: about, products, isOfOthers, tried: ticket.alreadyTried },
  });
  return { passages: picked.map(passageOf), isPlanted };
};

const passageOf = (steps: PickedSteps): AnswerPassage => {
  const { passage, kind, isOrdered, intro, quotes } = steps;
  const heading = passage.headingPath.filter((each) => each !== passage.title).join(': ');
  const body =
    kind === 'list'
      ? quotes.map((quote, at) => listItem(quote, isOrdered ? `${at + 1}. ` : '- ')).join('\n')
      : quotes.join(kind === 'prose' ? ' ' : '\n');
  const parts = [heading === '' ? '' : `**${heading}**`, intro ?? '', body].filter((part) => part !== '');
  return {
    title: passage.title,
    url: passage.url,
    markdown: escapeHtml(parts.join('\n\n')),
    source: passage.text,
    language: shapeOf(passage).language,
    steps: quotes,
  };
};

const listItem = (quote: string, lead: string): string =>
  quote
    .split('\n')
    .map((line, at) => (at === 0 ? `${lead}${line}` : line === '' ? '' : `${' '.repeat(lead.length)}${line}`))
    .join('\n');
