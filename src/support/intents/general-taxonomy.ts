import type { Taxonomy } from '../../contract/taxonomy.ts';

/** What a workspace without a taxonomy has: no intent, so that every message is `unknown`, and one polite reply. */
export const GENERAL_TAXONOMY: Taxonomy = {
  version: 1,
  name: 'General',
  language: 'en',
  devices: [],
  intents: [],
  escalation: [],
  general_template: {
    en: [
      'Hello {customer_name},',
      'thank you for your message. We have received it.',
      '{knowledge}',
      'A member of our team will read it. If there is more that we should know, just reply to this message.',
    ].join('\n\n'),
    de: [
      'Hallo {customer_name},',
      'vielen Dank für deine Nachricht. Sie ist bei uns angekommen.',
      '{knowledge}',
      'Jemand aus unserem Team wird sie lesen. Wenn wir noch etwas wissen sollten, antworte einfach auf diese Nachricht.',
    ].join('\n\n'),
  },
  out_of_scope_examples: [],
};
