import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  checkStatement,
  compareSentence,
  type Features,
  prepareEvidence,
  type StatementCheck,
} from '../../src/answering/check/check-statement.ts';
import { statementSpans } from '../../src/answering/check/statement-words.ts';
import { readLines } from './eval-data.ts';

/** An answer that people judged against its source. */
export interface JudgedAnswer {
  set: string;
  question: string;
  answer: string;
  title: string;
  source: string;
  isSupported: boolean;
  /** On which half it is; answers with one source are on one half. Weights are fitted on `tuning` alone. */
  half: 'tuning' | 'held-out';
}

/** An answer with what is measured of each of its sentences; undefined of one that stands literally in the source. */
export interface MeasuredAnswer extends JudgedAnswer {
  sentences: (Features | undefined)[];
}

export const SUPPORT_SETS = [
  'rag-answers',
  'begin',
  'fever-symmetric',
  'fool-me-twice',
  'summedits',
] as const;

/** Which files of the evaluation data `folder` lacks. */
export function missingSupportFiles(folder: string): string[] {
  return SUPPORT_SETS.map((set) => `truth-dev/${set}.jsonl`).filter(
    (file) => !existsSync(join(folder, file)),
  );
}

export function readJudgedAnswers(folder: string): JudgedAnswer[] {
  return SUPPORT_SETS.flatMap((set) =>
    readLines<SourceLine>(folder, `truth-dev/${set}.jsonl`).map(
      ({ source, title = '', question = '', answer, label, group }) => ({
        set,
        question,
        answer,
        title,
        // A source with a title begins with it.
        source: source.startsWith(title) ? source.slice(title.length).trim() : source,
        isSupported: label === 'supported',
        half: halfOf(group ?? source),
      }),
    ),
  );
}

interface SourceLine {
  source: string;
  title?: string;
  question?: string;
  answer: string;
  label: 'supported' | 'unsupported' | 'contradicted';
  group?: string;
}

const halfOf = (group: string): JudgedAnswer['half'] =>
  (createHash('sha256').update(group).digest()[0] ?? 0) % 2 === 0 ? 'tuning' : 'held-out';

const evidenceOf = ({ source, title }: JudgedAnswer) =>
  prepareEvidence([{ text: source, headings: title === '' ? [] : [title] }]);

/** What the product measures of an answer, before any weight. */
export function measureAnswer(judged: JudgedAnswer): MeasuredAnswer {
  const evidence = evidenceOf(judged);
  const sentences = statementSpans(judged.answer).flatMap(({ start, end }) => {
    const comparison = compareSentence(judged.answer.slice(start, end), evidence);
    return comparison === undefined ? [] : [comparison.features];
  });
  return { ...judged, sentences };
}

/** The check of each sentence of an answer, as the product makes it. */
export function checkAnswer(judged: JudgedAnswer): StatementCheck[] {
  const evidence = evidenceOf(judged);
  return statementSpans(judged.answer).map(({ start, end }) =>
    checkStatement(judged.answer.slice(start, end), evidence, judged.question),
  );
}

const MAX_SURE = 4;
const MIN_SURE = 7;
/** The more the worst sentence counts, the more a long answer suffers from false alarms. */
const WORST_SHARE = 0.3;

/** The log odds against a whole answer, from those against its sentences. */
export function againstAnswer(odds: readonly number[]): number {
  if (odds.length === 0) return -MAX_SURE;
  const bounded = odds.map((each) => Math.min(MIN_SURE, Math.max(-MAX_SURE, each)));
  const mean = bounded.reduce((sum, each) => sum + each, 0) / bounded.length;
  return WORST_SHARE * Math.max(...bounded) + (1 - WORST_SHARE) * mean;
}

/** Log odds against a sentence that stands literally in its source. */
export const LITERAL_QUOTE = -9;
