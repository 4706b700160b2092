import { fileURLToPath } from 'node:url';

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** The folder of Markdown articles. */
export const SAMPLE_KNOWLEDGE_BASE = pathOf('./knowledge-base');
/** The intents of the support desk, as JSON. */
export const SAMPLE_TAXONOMY = pathOf('./taxonomy.json');
/** Questions about the articles, as JSON. */
export const SAMPLE_QUESTIONS = pathOf('./questions.json');
/** A web page with the answer box; `{{gateway}}` and `{{key}}` are to be filled in. */
export const SAMPLE_PAGE = pathOf('./shop-page.html');
/** Labelled tickets, as JSON. */
export const SAMPLE_TICKETS = pathOf('./tickets.json');
