import { join } from 'node:path';
import type { SupportResponse } from '../../src/contract/wire/support-response.ts';
import { createRetriever } from '../../src/knowledge/search/retrieve.ts';
import { createMask } from '../../src/language/privacy/mask.ts';
import { readMaskKinds } from '../../src/language/privacy/mask-settings.ts';
import { originate } from '../../src/platform/context/request-context.ts';
import { type AnalysisParts, type AnalysisScope, analyze } from '../../src/support/analyze.ts';
import { openClassifier } from '../../src/support/intents/classifier.ts';
import { createKnowledgeRetriever } from '../../src/support/retrieval/retrieve-knowledge.ts';
import { keptModel } from '../../tools/release/kept-models.ts';
import { shippedWordVectors } from '../../tools/run/shipped-word-vectors.ts';
import { SAMPLE_KNOWLEDGE_BASE } from '../../tools/sample/files.ts';
import { openFolder } from './answer-bases.ts';
import { judgeDraft } from './judge-draft.ts';
import { type JudgedBy, judgeReply } from './judge-reply.ts';
import { readSampleTickets, requestOf } from './read-tickets.ts';
import {
  addReplies,
  readRecording,
  recordedModel,
  writeOpenPrompts,
  writeRecording,
} from './recorded-model.ts';
import type { Measure } from './retrieval.ts';

export interface RecordedTicketsOptions {
  /** Folder for prompts without a reply, in `tickets/prompts` below it. */
  open?: string | undefined;
  /** New replies, in `tickets/replies` below it; they are added to the recording. */
  replies?: string | undefined;
}

/** Whether there is anything to replay, or to record. */
export function hasRecordedTickets({ open, replies }: RecordedTicketsOptions): boolean {
  return (
    open !== undefined ||
    replies !== undefined ||
    Object.keys(readRecording('tickets').replies).length > 0
  );
}

/**
 * Analyses every sample ticket in process with recorded replies. A ticket asks its model up to four times (intent, search queries, answer,
 * judge), each time after the reply before: prompts are written and replies added until none is left.
 */
export async function evaluateRecordedTickets(
  { open, replies }: RecordedTicketsOptions,
  by: JudgedBy,
): Promise<Measure[]> {
  const before = readRecording('tickets');
  const today = new Date().toISOString().slice(0, 10);
  const recording =
    replies === undefined ? before : addReplies(before, join(replies, 'tickets', 'replies'), today);
  const model = recordedModel(recording);
  const parts = partsFor(by);
  const drafts: SupportResponse['draft'][] = [];
  const unsupported: string[] = [];
  let repeated = 0;
  for (const ticket of readSampleTickets()) {
    model.startQuestion();
    const reply = await analyze(requestOf(ticket), { ...evalScope(), ai: model }, parts);
    drafts.push(reply.draft);
    unsupported.push(
      ...judgeDraft(reply.draft, by).unsupported.map((each) => `${ticket.id}: ${each}`),
    );
    repeated += judgeReply(ticket, reply, by).repeated.length;
  }
  if (replies !== undefined) writeRecording('tickets', recording, model.used);
  if (open !== undefined) writeOpenPrompts(join(open, 'tickets', 'prompts'), model.open);
  console.log(
    `tickets: ${model.used.size} replies used, ${model.open.size} prompts without a reply`,
  );
  for (const each of unsupported) console.log(`  to read: ${each}`);
  const share = (isSo: (draft: SupportResponse['draft']) => boolean) =>
    drafts.filter(isSo).length / drafts.length;
  const sum = (of: (call: (typeof model.calls)[number]) => number) =>
    model.calls.reduce((total, call) => total + of(call), 0) / drafts.length;
  return [
    {
      name: 'drafts with statements of the model',
      value: share(({ written_by }) => written_by === 'model'),
      note: `calls ${sum(() => 1).toFixed(2)}, input characters ${sum(({ promptLength }) => promptLength).toFixed(0)}, output ${sum(({ replyLength }) => replyLength).toFixed(0)} a ticket`,
    },
    {
      name: 'drafts with quotes',
      value: share(
        ({ written_by, references = [] }) => written_by === 'template' && references.length > 0,
      ),
    },
    // In a model's own words: each is to be read.
    { name: 'statements in other words than the sources', value: unsupported.length },
    { name: 'steps recommended twice', value: repeated },
  ];
}

export function evalScope(): AnalysisScope {
  return {
    context: originate({
      self: 'support',
      subject: 'user:eval',
      workspace: 'eval',
      authentication: 'key',
      now: Date.now(),
      capabilities: ['kb:read', 'support:analyze'],
    }),
    waitUntil: () => {},
    timeLeftMs: () => 60_000,
    now: Date.parse('2026-11-22'),
  };
}

/** What an analysis of the sample's tickets takes, in process. */
export function partsFor({ taxonomy }: Pick<JudgedBy, 'taxonomy'>): AnalysisParts {
  const { edition } = openFolder('sample', SAMPLE_KNOWLEDGE_BASE);
  const mask = createMask(readMaskKinds({}));
  const onFault = (where: string, error: unknown) => console.log(`Failed: ${where}`, error);
  const at = { taxonomy, classifier: openClassifier(keptModel(taxonomy), taxonomy) };
  const retrieve = createRetriever({ wordVectors: shippedWordVectors, onFault });
  return {
    taxonomyFor: async () => at,
    retrieveKnowledge: createKnowledgeRetriever({
      editionFor: async () => edition,
      retrieve,
      mask: mask.mask,
      // The clock stands still: on a busy machine retrieval would run out of time.
      now: () => 0,
      onFault,
    }),
    mask,
    wordVectors: shippedWordVectors,
    onFault,
  };
}
