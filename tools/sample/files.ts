import { fileURLToPath } from 'node:url';

const pathOf = (url: URL): string => fileURLToPath(url);

/** The folder of Markdown articles. */
export const SAMPLE_KNOWLEDGE_BASE = pathOf(new URL('./knowledge-base', import.meta.url));
/** The intents of the support desk, as JSON. */
export const SAMPLE_TAXONOMY = pathOf(new URL('./taxonomy.json', import.meta.url));
/** Questions that must be answered or declined, as JSONL. */
export const SAMPLE_CHECKS = pathOf(new URL('./checks.jsonl', import.meta.url));
/** Questions about the articles, as JSON. */
export const SAMPLE_QUESTIONS = pathOf(new URL('./questions.json', import.meta.url));
/** Labelled tickets, as JSON. */
export const SAMPLE_TICKETS = pathOf(new URL('./tickets.json', import.meta.url));
