import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { MESSAGE_KINDS } from '../../src/language/message-kind.ts';

/** A labelled message. */
export const MessageRow = z.strictObject({
  kind: z.enum(MESSAGE_KINDS),
  /** Primary tag of BCP 47. */
  language: z.string(),
  text: z.string().min(1),
});
export type MessageRow = z.infer<typeof MessageRow>;

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const linesOf = (path: string): unknown[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));

/** SHA-256 of the messages and phrases that are fitted: the model holds it, so that a test sees when one of them changed alone. */
export function digestOfFitted(): string {
  return ['messages/train.jsonl', 'messages/phrases.json']
    .reduce((hash, name) => hash.update(readFileSync(here(name))), createHash('sha256'))
    .digest('hex');
}

/** `train`: what is fitted. `unseen`: other messages by other people, which only measure. */
export function readMessages(half: 'train' | 'unseen'): MessageRow[] {
  return z.array(MessageRow).parse(linesOf(here(`messages/${half}.jsonl`)));
}

const Phrases = z.record(z.string(), z.partialRecord(z.enum(MESSAGE_KINDS), z.array(z.string())));

/** Short phrases by language and kind: most messages hold few of the words that people use for danger. */
export function readPhrases(): MessageRow[] {
  return Object.entries(
    Phrases.parse(JSON.parse(readFileSync(here('messages/phrases.json'), 'utf8'))),
  ).flatMap(([language, kinds]) =>
    Object.entries(kinds).flatMap(([kind, texts]) =>
      texts.map((text) => MessageRow.parse({ kind, language, text })),
    ),
  );
}

const Question = z.object({ question: z.string() });
const Halved = z.array(z.object({ question: z.string(), half: z.string() }));
const Texts = z.array(z.object({ text: z.string() }));

const Taxonomy = z.object({
  intents: z.array(
    z.object({
      id: z.string(),
      examples: z.array(z.string()),
    }),
  ),
});

/** Examples of the sample's intents, but for those that report heat, burning or danger among others. */
const readExamples = (): string[] =>
  Taxonomy.parse(JSON.parse(readFileSync(here('../../tools/sample/taxonomy.json'), 'utf8')))
    .intents.filter(({ id }) => id !== 'safety' && id !== 'power_issue' && id !== 'overheating')
    .flatMap(({ examples }) => examples);

/** A part of the many questions to one bank. */
const BANK_SHARE = 2;
/** Every second question to an encyclopedia is fitted; the others measure. */
const PUBLIC_SHARE = 2;

/**
 * Questions of the evaluation sets on which anything is fitted, and every second one to an encyclopedia, without their answers.
 *
 * @param data The folder of evaluation data.
 */
export function readQuestions(data: string): string[] {
  const folders = ['foreign', 'answer-questions'].map((name) => here(`${name}/`));
  const files = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .toSorted()
      .map((name) => join(folder, name)),
  );
  const routing = z
    .array(Question)
    .parse(JSON.parse(readFileSync(here('routing-questions-dev.json'), 'utf8')));
  const parts = Halved.parse(JSON.parse(readFileSync(here('split-questions.json'), 'utf8')));
  const bank = Texts.parse(linesOf(resolve(data, 'banking77/train.jsonl')));
  const facts = [
    ...Texts.parse(linesOf(resolve(data, 'nq-wiki/queries.jsonl'))).map(({ text }) => text),
    ...z
      .array(Question)
      .parse(linesOf(resolve(data, 'squad2-kb/questions.jsonl')))
      .map(({ question }) => question),
  ];
  const questions = [
    ...files
      .flatMap((path) => z.array(Question).parse(linesOf(path)))
      .map(({ question }) => question),
    ...routing.map(({ question }) => question),
    ...parts.filter(({ half }) => half === 'development').map(({ question }) => question),
    ...readExamples(),
    ...bank.filter((_, at) => at % BANK_SHARE === 0).map(({ text }) => text),
    ...facts.filter((_, at) => at % PUBLIC_SHARE === 0),
  ];
  // The name of the sample's product stands in so many questions that it would tell them from reports of danger.
  return questions.map((text) => text.replace(/\bApollo(?: I+)?\b/gi, 'device'));
}
