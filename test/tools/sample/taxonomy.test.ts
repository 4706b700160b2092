import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSampleTickets } from '../../../research/eval/read-tickets.ts';
import { MAX_ARTICLE_BYTES } from '../../../src/contract/routes/http-route.ts';
import { type Intent, Taxonomy } from '../../../src/contract/wire/taxonomy.ts';
import { encodeBase64url } from '../../../src/platform/encoding.ts';
import { escalationOf } from '../../../src/support/guidance/guide-agent.ts';
import { openClassifier } from '../../../src/support/intents/classifier.ts';
import { readTaxonomy } from '../../../src/support/intents/current-taxonomy.ts';
import { trainClassifier } from '../../../src/support/intents/train-classifier.ts';
import { getsNoReply } from '../../../src/support/message/intent-rules.ts';
import { SAMPLE_KNOWLEDGE_BASE, SAMPLE_TAXONOMY } from '../../../tools/sample/files.ts';
import sentences from './taxonomy-sentences.json' with { type: 'json' };

const file: unknown = JSON.parse(readFileSync(SAMPLE_TAXONOMY, 'utf8'));
const articles = globSync('**/*.md', { cwd: SAMPLE_KNOWLEDGE_BASE }).map((path) =>
  readFileSync(join(SAMPLE_KNOWLEDGE_BASE, path), 'utf8'),
);
const intentsOfArticles = new Set(
  articles.flatMap((text) => /^intent: \[(.*)\]$/m.exec(text)?.[1]?.split(', ') ?? []),
);

const templatesOf = (template: string | Record<string, string>): string[] =>
  typeof template === 'string' ? [template] : Object.values(template);

describe('the sample taxonomy', () => {
  const taxonomy = Taxonomy.parse(file);
  const trained = trainClassifier(taxonomy);
  const templates = [
    ...taxonomy.intents.flatMap(({ reply_template: template = {} }) => templatesOf(template)),
    ...templatesOf(taxonomy.general_template),
  ];
  const others = taxonomy.intents.flatMap(
    ({ fallback_template: fallback = {}, auto_send: { template = {} } }) => [
      ...templatesOf(fallback),
      ...templatesOf(template),
    ],
  );

  const escalationFor = (intent: Intent, message: string) =>
    escalationOf(taxonomy, intent, {
      ticket: { message, subject: undefined, question: message, customerMessages: [message] },
      classification: { primary_intent: intent.id, confidence: 0.9, secondary_intents: [] },
      coverage: 'high',
    });
  it('is a valid taxonomy', () => {
    expect(readTaxonomy(file)).toMatchObject({ ok: true });
  });
  it.each(sentences.facts)(
    'recognises the fact $id in the words of customers',
    ({ id, given, missing }) => {
      const facts = taxonomy.intents.flatMap(({ required_facts: own }) => own);
      const patterns = facts.findLast((fact) => fact.id === id)?.patterns ?? [];
      const states = (text: string) =>
        patterns.some((pattern) => new RegExp(pattern, 'iu').test(text));
      expect([given.filter(states), missing.filter(states)]).toEqual([given, []]);
    },
  );
  it('lists exactly the intents that the articles of the sample knowledge base name', () => {
    const answered = taxonomy.intents.filter(({ no_reply }) => no_reply === undefined);
    expect(answered.map(({ id }) => id).sort()).toEqual([...intentsOfArticles].sort());
  });
  it('leaves only spam without a reply', () => {
    const classifier = openClassifier(trained, taxonomy);
    const unanswered = readSampleTickets().filter(({ subject = '', message }) => {
      const classification = classifier.classify(`${subject}\n${message}`);
      const intent = taxonomy.intents.find(({ id }) => id === classification.primary_intent);
      return getsNoReply(classification, intent);
    });
    const spam = readSampleTickets().filter(({ expected }) => expected.intent === 'spam');
    expect(spam).toHaveLength(3);
    expect(unanswered.map(({ id }) => id)).toEqual(spam.map(({ id }) => id));
  });
  it('has at least 16 examples per intent, none of them twice', () => {
    const examples = taxonomy.intents.flatMap(({ examples: own }) =>
      own.map((text) => text.toLowerCase()),
    );
    for (const intent of taxonomy.intents)
      expect(intent.examples.length, intent.id).toBeGreaterThanOrEqual(16);
    expect(examples.filter((text, index) => examples.indexOf(text) !== index)).toEqual([]);
  });
  it('fits into a request with its trained model', () => {
    const model = encodeBase64url(trained);
    expect(JSON.stringify({ taxonomy, model }).length).toBeLessThan(MAX_ARTICLE_BYTES);
  });
  it('has templates with the knowledge on a separate line and only known placeholders', () => {
    for (const template of templates) {
      expect(template.split('\n')).toContain('{knowledge}');
      const placeholders = [...template.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name);
      expect(['customer_name', 'product', 'subject', 'knowledge', 'missing_information']).toEqual(
        expect.arrayContaining(placeholders),
      );
    }
  });
  it('promises neither refund nor replacement nor a date nor a price', () => {
    const promise =
      /\bwe (?:will|shall|can) (?:refund|replace|exchange|send|ship|repair|pay|credit)|\bfree of charge|[€$£]|\bwithin \d|\bguarantee/i;
    for (const template of [...templates, ...others]) expect(template).not.toMatch(promise);
  });
  it('sends automatically only where the template answers every question', () => {
    const sent = taxonomy.intents
      .filter(({ auto_send: autoSend }) => autoSend.allowed)
      .map(({ id }) => id);
    expect(sent.sort()).toEqual(['backup_restore']);
  });
  it.each(sentences.dangers)(
    'escalates danger to the safety team for every intent: %s',
    (message) => {
      for (const intent of taxonomy.intents)
        expect(escalationFor(intent, message).to, intent.id).toBe('Safety team');
    },
  );
  it('escalates no message about a red light to the safety team', () => {
    for (const intent of taxonomy.intents.filter(({ id }) => id !== 'safety'))
      expect(
        escalationFor(intent, 'The LED burns red and my Apollo is hot').to,
        intent.id,
      ).not.toBe('Safety team');
  });
});
