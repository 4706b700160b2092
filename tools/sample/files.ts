import { fileURLToPath } from 'node:url';

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** The folder of Markdown articles. */
export const SAMPLE_KNOWLEDGE_BASE = pathOf('./knowledge-base');
/** The intents of the support desk, as JSON. */
export const SAMPLE_TAXONOMY = pathOf('./taxonomy.json');
/** Questions that must be answered or declined, as JSONL. */
export const SAMPLE_CHECKS = pathOf('./checks.jsonl');
/** Questions about the articles, as JSON. */
export const SAMPLE_QUESTIONS = pathOf('./questions.json');
/** Labelled tickets, as JSON. */
export const SAMPLE_TICKETS = pathOf('./tickets.json');
