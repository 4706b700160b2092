import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { documentReader } from '../../src/documents/node/document-reader.ts';
import { openFolder } from '../../src/documents/node/folder/open-folder.ts';
import type { EditionEntry } from '../../src/knowledge/articles/article.ts';
import { takeInArticle } from '../../src/knowledge/articles/normalise-article.ts';
import type { Edition } from '../../src/knowledge/edition/open-edition.ts';
import { createRetriever } from '../../src/knowledge/search/retrieve.ts';
import { answerQuestion } from '../../src/librarians/navigator/answer-question.ts';
import { asLibrarianResponse } from '../../src/librarians/navigator/navigator-librarian.ts';
import { shippedWordVectors } from '../../tools/run/shipped-word-vectors.ts';
import { openEntries, plainText } from './answer-bases.ts';
import { areaUnderCurve } from './decision-metrics.ts';
import {
  type RecordedModel,
  readReplies,
  recordedModel,
  writeOpenPrompts,
} from './recorded-model.ts';
import type { Measure } from './retrieval.ts';

/** A public documentation that nothing in the product was fitted to (`foreign/<name>.json`). */
interface ForeignBase {
  name: string;
  /** On GitHub: `owner/name`. */
  repository: string;
  commit: string;
  /** Path of the documentation in the repository. */
  folder: string;
  /** Globs of the files that are taken; empty for all. */
  include: string[];
  exclude: string[];
  language: string;
}

/** What somebody wants to know of its product (`foreign/<name>.jsonl`), with what an answer needs. */
interface ForeignQuestion {
  id: string;
  question: string;
  kind: string;
  answerable: boolean;
  /** Paths in the documentation. */
  articles: string[];
  /** One phrase of each list is needed. */
  must: string[][];
  note: string;
}

export interface ForeignOptions {
  /** Holds a copy of each documentation as `<name>/docs`; one that lacks is not measured. */
  bases: string;
  /** Measures answers of a model with the replies of this folder, `<name>/replies/<key>.json`. */
  replies?: string | undefined;
  /** Folder for prompts without a reply, one folder for each base below it. */
  open?: string | undefined;
  /** Folder for the answers, one file for each base. */
  answers?: string | undefined;
  /** Ids of the questions to ask end with one of these; all when absent. */
  only?: readonly string[] | undefined;
}

const HERE = join(import.meta.dirname, 'foreign');

/** Asks what people want to know of documentations that nothing in the product was fitted to, and compares the answers with the needed facts. */
export async function evaluateForeign(options: ForeignOptions): Promise<Measure[]> {
  const measures: Measure[] = [];
  const all: Answered[] = [];
  for (const base of basesIn(options.bases)) {
    const answered = await askBase(base, options);
    measures.push(...measuresOf(base.name, answered));
    all.push(...answered);
  }
  return [...measures, ...measuresOf('all', all)];
}

/** The documentations of which the folder has a copy. */
export function basesIn(folder: string): ForeignBase[] {
  return readdirSync(HERE)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(join(HERE, file), 'utf8')) as ForeignBase)
    .filter(({ name, repository, commit, folder: place }) => {
      const hasCopy = existsSync(join(folder, name, 'docs'));
      if (!hasCopy)
        console.log(`${name}: no ${name}/docs (${place} of ${repository} at ${commit})`);
      return hasCopy;
    });
}

interface Answered {
  question: ForeignQuestion;
  answer: string;
  /** The lists of needed phrases of which one is in the answer. */
  facts: number;
  isDeclined: boolean;
  isUnsure: boolean;
  isCited: boolean;
  probability: number;
  milliseconds: number;
  calls: number;
  inputTokens: number;
}

const askBase = async (
  base: ForeignBase,
  { bases, replies, open, answers, only = [''] }: ForeignOptions,
): Promise<Answered[]> => {
  const { name } = base;
  const edition = await openDocumentation(base, join(bases, name, 'docs'));
  const questions = readQuestions(name).filter(({ id }) =>
    only.some((ending) => id.endsWith(ending)),
  );
  const isModel = replies !== undefined || open !== undefined;
  const model = isModel
    ? recordedModel(readReplies(join(replies ?? '', name, 'replies')))
    : undefined;
  const answered: Answered[] = [];
  for (const question of questions) answered.push(await ask(edition, question, model));
  if (open !== undefined && model !== undefined)
    writeOpenPrompts(join(open, name, 'prompts'), model.open);
  if (model !== undefined) console.log(`${name}: ${model.open.size} prompts without a reply`);
  if (answers !== undefined) {
    mkdirSync(answers, { recursive: true });
    const lines = answered.map((each) =>
      JSON.stringify({ ...each.question, ...each, question: each.question.question }),
    );
    writeFileSync(join(answers, `${name}.jsonl`), `${lines.join('\n')}\n`);
  }
  return answered;
};

export function readQuestions(name: string): ForeignQuestion[] {
  return readFileSync(join(HERE, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ForeignQuestion);
}

/** A documentation as `npm start -- --kb` reads it. */
export async function openDocumentation(
  { name, include, exclude }: Pick<ForeignBase, 'name' | 'include' | 'exclude'>,
  place: string,
): Promise<Edition> {
  const folder = openFolder(realpathSync(place), { include, exclude });
  const documents = documentReader();
  const entries: EditionEntry[] = [];
  for (const file of (await folder.scan()).files) {
    const result = await folder.read(file, documents);
    if ('problem' in result) continue;
    for (const article of [result.article, ...(result.others ?? [])]) {
      try {
        entries.push(
          takeInArticle({ ...article, url: article.url ?? '' }, { articleUrl: () => '' }),
        );
      } catch {
        // An article without text is named by the sync; here it cannot answer.
      }
    }
  }
  await documents.close();
  return openEntries(name, entries).edition;
}

const retrieve = createRetriever({ wordVectors: shippedWordVectors });

const ask = async (
  edition: Edition,
  question: ForeignQuestion,
  model: RecordedModel | undefined,
): Promise<Answered> => {
  model?.startQuestion();
  const startedAt = performance.now();
  const { answer, metadata } = await answerQuestion(edition, question.question, {
    ai: model,
    retrieve,
    wordVectors: shippedWordVectors,
    timeLeftMs: () => 60_000,
  });
  const milliseconds = performance.now() - startedAt;
  const response = asLibrarianResponse(answer, metadata);
  const sources = JSON.stringify(response.sources ?? []) + JSON.stringify(answer.response.sources);
  const text = plainText(response.answer ?? '');
  const isDeclined = (response.sources ?? []).length === 0;
  return {
    question,
    answer: response.answer ?? '',
    facts: question.must.filter((any) =>
      any.some((phrase) => text.includes(plainText(phrase).trim())),
    ).length,
    isDeclined,
    isUnsure: !isDeclined && response.partial === true,
    isCited: question.articles.some((path) => sources.includes(path)),
    probability: answer.probability,
    milliseconds,
    calls: metadata.usage?.calls ?? 0,
    inputTokens: metadata.usage?.input_tokens ?? 0,
  };
};

const measuresOf = (name: string, answered: readonly Answered[]): Measure[] => {
  const answerable = answered.filter(({ question }) => question.answerable);
  const others = answered.filter(({ question }) => !question.answerable);
  const share = (rows: readonly Answered[], holds: (row: Answered) => boolean) =>
    rows.filter(holds).length / Math.max(1, rows.length);
  const percent = (value: number) => `${(100 * value).toFixed(0)} %`;
  const middle = (values: readonly number[]) =>
    values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;
  const isWhole = ({ question, facts }: Answered) => facts === question.must.length;
  const replies = answerable.filter(({ isDeclined }) => !isDeclined);
  const modelCalls = answered.filter(({ calls }) => calls > 0);
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  return [
    {
      name: `${name}: answerable, every needed fact shown`,
      value: share(answerable, isWhole),
      note: `n ${answerable.length}, a fact ${percent(share(answerable, ({ facts }) => facts > 0))}, right article ${percent(share(answerable, ({ isCited }) => isCited))}, declined ${percent(share(answerable, ({ isDeclined }) => isDeclined))}, unsure ${percent(share(answerable, ({ isUnsure }) => isUnsure))}`,
    },
    {
      name: `${name}: unanswerable, declined`,
      value: share(others, ({ isDeclined }) => isDeclined),
      note: `n ${others.length}, or unsure ${percent(share(others, ({ isDeclined, isUnsure }) => isDeclined || isUnsure))}`,
    },
    {
      name: `${name}: answerable from not, area`,
      value: areaUnderCurve(
        answerable.map(({ probability }) => probability),
        others.map(({ probability }) => probability),
      ),
      note: `characters ${middle(replies.map(({ answer }) => answer.length))}, milliseconds ${middle(answered.map(({ milliseconds }) => milliseconds)).toFixed(1)}, calls ${mean(modelCalls.map(({ calls }) => calls)).toFixed(2)}, input tokens ${mean(modelCalls.map(({ inputTokens }) => inputTokens)).toFixed(0)}`,
    },
  ];
};
