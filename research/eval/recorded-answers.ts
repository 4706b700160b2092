import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LibrarianResponse } from '../../src/contract/core/response.ts';
import type { Edition } from '../../src/knowledge/edition/open-edition.ts';
import type { Turn } from '../../src/knowledge/search/analyse-query.ts';
import { createRetriever } from '../../src/knowledge/search/retrieve.ts';
import {
  type AnswerMetadata,
  answerQuestion,
} from '../../src/librarians/navigator/answer-question.ts';
import { asLibrarianResponse } from '../../src/librarians/navigator/navigator-librarian.ts';
import { shippedWordVectors } from '../../tools/run/shipped-word-vectors.ts';
import { SAMPLE_KNOWLEDGE_BASE } from '../../tools/sample/files.ts';
import { openFolder, openSupportDocs, plainText } from './answer-bases.ts';
import { readLines } from './eval-data.ts';
import {
  addReplies,
  readRecording,
  recordedModel,
  writeOpenPrompts,
  writeRecording,
} from './recorded-model.ts';
import type { Measure } from './retrieval.ts';

/** A question as a customer types it, with what a good answer holds (eval/customer-questions/README.md). */
interface CustomerQuestion {
  id: string;
  kb: KnowledgeBase;
  question: string;
  kind: string;
  lang: string;
  history?: Turn[];
  answerable: boolean;
  /** Articles that answer, without the ending of their file. */
  articles: string[];
  /** One phrase of each list must be in the answer. */
  must: string[][];
}

type KnowledgeBase = 'sample' | 'support-docs';

export interface RecordedOptions {
  /** Folder of the evaluation data. */
  folder: string;
  /** Folder for prompts without a reply, one folder for each knowledge base below it. */
  open?: string | undefined;
  /** New replies, in folders as `open` has them; they are added to the recordings. */
  replies?: string | undefined;
  /** Prints each answer with a mark below this. */
  showBelow?: number | undefined;
}

/**
 * Asks the development questions of customers through the navigator with recorded replies, in process, and marks the answers as
 * `score.mjs` of the evaluation data does.
 */
export async function evaluateRecorded(options: RecordedOptions): Promise<Measure[]> {
  const questions = readLines<CustomerQuestion>(
    options.folder,
    'customer-questions/questions.jsonl',
  );
  const measures: Measure[] = [];
  const all: Marked[] = [];
  for (const kb of ['sample', 'support-docs'] as const) {
    const marked = await evaluateBase(
      kb,
      questions.filter((question) => question.kb === kb),
      options,
    );
    all.push(...marked);
    measures.push(...measuresOf(kb, marked));
  }
  return [...measures, ...measuresOf('both', all)];
}

const evaluateBase = async (
  kb: KnowledgeBase,
  questions: readonly CustomerQuestion[],
  { folder, open, replies, showBelow = 0 }: RecordedOptions,
): Promise<Marked[]> => {
  const before = readRecording(kb);
  const today = new Date().toISOString().slice(0, 10);
  const recording =
    replies === undefined ? before : addReplies(before, join(replies, kb, 'replies'), today);
  const model = recordedModel(recording);
  const edition = openBase(kb, folder);
  const retrieve = createRetriever({ wordVectors: shippedWordVectors });
  const marked: Marked[] = [];
  for (const question of questions) {
    model.startQuestion();
    const { answer, metadata } = await answerQuestion(edition, question.question, {
      ai: model,
      retrieve,
      wordVectors: shippedWordVectors,
      history: question.history,
      timeLeftMs: () => 60_000,
    });
    marked.push(markOf(question, asLibrarianResponse(answer, metadata), metadata));
  }
  if (replies !== undefined) writeRecording(kb, recording, model.used);
  if (open !== undefined) writeOpenPrompts(join(open, kb, 'prompts'), model.open);
  console.log(`${kb}: ${model.used.size} replies used, ${model.open.size} prompts without a reply`);
  for (const each of marked.filter(({ mark }) => mark < showBelow)) console.log(described(each));
  return marked;
};

const openBase = (kb: KnowledgeBase, folder: string): Edition =>
  kb === 'sample'
    ? openFolder(kb, SAMPLE_KNOWLEDGE_BASE).edition
    : openSupportDocs(folder, { withProducts: true }).edition;

interface Marked {
  question: CustomerQuestion;
  response: LibrarianResponse;
  metadata: AnswerMetadata;
  /** 0 to 1. */
  mark: number;
  isDeclined: boolean;
  isCited: boolean;
}

const LONG_ANSWER = 1500;

/** The rule of `score.mjs`: phrases of a right answer, halved for a long one; refusals and open hedges on questions without an answer. */
const markOf = (
  question: CustomerQuestion,
  response: LibrarianResponse,
  metadata: AnswerMetadata,
): Marked => {
  const { answer = '', sources = [], error } = response;
  const isDeclined = (error !== undefined && answer === '') || sources.length === 0;
  const isCited = cites(JSON.stringify([sources, response.metadata?.navigator]), question);
  return {
    question,
    response,
    metadata,
    isDeclined,
    isCited,
    mark: pointsOf(question, response, { isDeclined, isCited }),
  };
};

const pointsOf = (
  question: CustomerQuestion,
  { answer = '', partial, confidence = 1, metadata }: LibrarianResponse,
  { isDeclined, isCited }: Pick<Marked, 'isDeclined' | 'isCited'>,
): number => {
  if (!question.answerable) {
    const isHedged =
      /not sure|may not answer|closest/i.test(answer) || (partial === true && confidence < 0.6);
    return isDeclined ? 1 : isHedged ? 0.5 : 0;
  }
  if (isDeclined)
    return cites(`${JSON.stringify(metadata?.closest ?? '')}${answer}`, question) ? 0.25 : 0;
  const said = plainText(answer);
  const met = question.must.filter((any) =>
    any.some((phrase) => said.includes(plainText(phrase).trim())),
  ).length;
  const mark =
    met === 0
      ? isCited
        ? 0.3
        : 0
      : met === question.must.length
        ? 1
        : (0.6 * met) / question.must.length;
  return answer.length >= LONG_ANSWER ? mark / 2 : mark;
};

const cites = (text: string, { articles }: CustomerQuestion): boolean =>
  articles.some((id) => text.includes(id));

const measuresOf = (name: string, marked: readonly Marked[]): Measure[] => {
  const answerable = marked.filter(({ question }) => question.answerable);
  const others = marked.filter(({ question }) => !question.answerable);
  const share = (rows: readonly Marked[], holds: (row: Marked) => boolean) =>
    rows.filter(holds).length / Math.max(1, rows.length);
  const mean = (rows: readonly Marked[]) =>
    rows.reduce((sum, { mark }) => sum + mark, 0) / Math.max(1, rows.length);
  const percent = (value: number) => `${(100 * value).toFixed(0)} %`;
  const by = (what: string) =>
    marked.filter(({ metadata }) => (metadata.model_refused ?? '') === what).length;
  const reasons = [...new Set(marked.map(({ metadata }) => metadata.model_refused ?? ''))].sort();
  const usage = marked.flatMap(({ metadata }) =>
    metadata.usage === undefined ? [] : [metadata.usage],
  );
  const perAnswer = (of: (each: (typeof usage)[number]) => number) =>
    (usage.reduce((sum, each) => sum + of(each), 0) / Math.max(1, usage.length)).toFixed(1);
  return [
    {
      name: `${name}: answerable, mark`,
      value: mean(answerable),
      note: `n ${answerable.length}, full ${percent(share(answerable, ({ mark }) => mark === 1))}, right article cited ${percent(share(answerable, ({ isCited }) => isCited))}, declined ${percent(share(answerable, ({ isDeclined }) => isDeclined))}`,
    },
    {
      name: `${name}: unanswerable, mark`,
      value: mean(others),
      note: `n ${others.length}, declined ${percent(share(others, ({ isDeclined }) => isDeclined))}`,
    },
    {
      name: `${name}: answered by the model`,
      value: by('') / Math.max(1, marked.length),
      note: `${reasons
        .filter(Boolean)
        .map((reason) => `${reason} ${by(reason)}`)
        .join(
          ', ',
        )}; calls ${perAnswer(({ calls }) => calls)}, input tokens ${perAnswer(({ input_tokens }) => input_tokens)}, output ${perAnswer(({ output_tokens }) => output_tokens)}`,
    },
  ];
};

const described = ({ question, response, metadata, mark }: Marked): string =>
  [
    `\n${question.id} ${question.kind} ${mark.toFixed(2)} ${question.question}`,
    `   must ${JSON.stringify(question.must)}`,
    `   ${metadata.answered_by} ${metadata.model_refused ?? ''} ${JSON.stringify(metadata.removed ?? [])}`,
    `   -> ${(response.answer ?? '').replace(/\s+/g, ' ').slice(0, 500)}`,
  ].join('\n');

/** Files of the evaluation data that this part reads and `folder` lacks. */
export function missingRecordedFiles(folder: string): string[] {
  return ['customer-questions/questions.jsonl', 'support-docs/articles.jsonl'].filter((file) => {
    try {
      readFileSync(join(folder, file));
      return false;
    } catch {
      return true;
    }
  });
}
