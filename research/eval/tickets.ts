import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SupportResponse } from '../../src/contract/wire/support-response.ts';
import { Taxonomy } from '../../src/contract/wire/taxonomy.ts';
import { splitFrontMatter } from '../../src/documents/front-matter.ts';
import { filesOf, scanFolder } from '../../src/documents/node/folder/scan-folder.ts';
import { type Product, startProduct } from '../../tools/run/product.ts';
import { SAMPLE_KNOWLEDGE_BASE, SAMPLE_TAXONOMY } from '../../tools/sample/files.ts';
import { judgeDraft, type SampleArticle } from './judge-draft.ts';
import { type JudgedBy, type JudgedReply, judgeReply } from './judge-reply.ts';
import { readSampleTickets, requestOf, type SampleTicket } from './read-tickets.ts';
import type { Measure } from './retrieval.ts';

/** A ticket, its reply, and the problems of the reply. */
interface Analysed {
  ticket: SampleTicket;
  reply: SupportResponse;
  wrong: JudgedReply;
  /** Number of statements of the draft that its sources and its template support. */
  statements: { fromSources: number; fromTemplate: number };
  /** Whether any of the expected articles is among the sources with weak ones allowed. */
  isFoundWeakly: boolean;
}

/**
 * Sends every sample ticket through `/v1/support/analyze`, one after the other, without a model. Failures of the development half are
 * listed, those of the held-out half counted only: nothing was tuned on it.
 */
export async function evaluateTickets(): Promise<Measure[]> {
  const logged: string[] = [];
  const product = await startProduct({
    kb: 'sample',
    port: 0,
    onLog: (line) => void logged.push(line),
  });
  try {
    await product.sync({ full: true });
    const by = await readSample();
    const analysed: Analysed[] = [];
    const failed: string[] = [];
    for (const ticket of readSampleTickets()) {
      const outcome = await analyse(product, ticket, by);
      if ('ticket' in outcome) analysed.push(outcome);
      else failed.push(`${ticket.id}: ${outcome.failed}`);
    }
    for (const each of failed) console.log(`Not analysed: ${each}`);
    tellFailures(analysed.filter(({ ticket }) => ticket.split === 'development'));
    return [
      ...(['development', 'held out'] as const).flatMap((split) => measuresOf(split, analysed)),
      ...commonMeasures(analysed, logged),
      { name: 'tickets that could not be analysed', value: failed.length, atMost: 0 },
    ];
  } finally {
    await product.stop();
  }
}

const analyse = async (
  product: Product,
  ticket: SampleTicket,
  by: JudgedBy,
): Promise<Analysed | { failed: string }> => {
  const request = requestOf(ticket);
  const reply = await ask(product, request);
  const weak = await ask(product, { ...request, include_weak: true });
  if (typeof reply === 'string' || typeof weak === 'string')
    return { failed: `${reply} ${weak}`.slice(0, 300) };
  const wanted = ticket.expected.articles.map(by.urlOf);
  const isFoundWeakly = weak.knowledge_retrieval.sources_consulted.some(({ url }) =>
    wanted.includes(url),
  );
  const statements = judgeDraft(reply.draft, by);
  return { ticket, reply, wrong: judgeReply(ticket, reply, by), statements, isFoundWeakly };
};

/** A reply, or what came instead of one. */
const ask = async (product: Product, body: object): Promise<SupportResponse | string> => {
  const response = await product.fetch('/v1/support/analyze', {
    method: 'POST',
    body: JSON.stringify(body),
  });
  if (!response.ok) return `status ${response.status}`;
  return SupportResponse.parse(await response.json());
};

/** What the sample knowledge base and its taxonomy say, read from their files. */
export async function readSample(): Promise<JudgedBy> {
  const taxonomy = Taxonomy.parse(JSON.parse(readFileSync(SAMPLE_TAXONOMY, 'utf8')));
  const articles = new Map<string, SampleArticle>();
  const urls = new Map<string, string>();
  for (const file of filesOf(SAMPLE_KNOWLEDGE_BASE, await scanFolder(SAMPLE_KNOWLEDGE_BASE)).map(
    ({ path }) => path,
  )) {
    const { front, body } = splitFrontMatter(
      readFileSync(join(SAMPLE_KNOWLEDGE_BASE, file), 'utf8'),
    );
    const { title = '', url = '' } = front;
    articles.set(url, { title, markdown: body });
    urls.set(file, url);
  }
  const urlOf = (file: string): string => {
    const url = urls.get(file);
    if (url === undefined) throw new Error(`Cannot judge the tickets: there is no article ${file}`);
    return url;
  };
  return { taxonomy, articles, urlOf };
}

const share = (of: readonly Analysed[], isSo: (each: Analysed) => boolean): number =>
  of.filter(isSo).length / Math.max(1, of.length);

const measuresOf = (split: SampleTicket['split'], all: readonly Analysed[]): Measure[] => {
  const half = all.filter(({ ticket }) => ticket.split === split);
  const ours = half.filter(({ ticket }) => ticket.expected.intent !== 'unknown');
  const refused = ours.filter(
    ({ reply }) => reply.intent_classification.primary_intent === 'unknown',
  );
  const foreign = half.filter(({ ticket }) => ticket.expected.intent === 'unknown');
  const answered = half.filter(({ ticket }) => ticket.expected.articles.length > 0);
  const gaps = half.filter(({ ticket }) => ticket.expected.gap);
  const covered = half.filter(
    ({ ticket }) => !ticket.expected.gap && ticket.expected.articles.length > 0,
  );
  const shown = answered.filter(
    ({ reply }) => reply.knowledge_retrieval.sources_consulted.length > 0,
  );
  const first = (each: Analysed): boolean =>
    each.reply.intent_classification.primary_intent === each.ticket.expected.intent;
  const count = (what: keyof JudgedReply): number =>
    half.reduce((sum, { wrong }) => sum + wrong[what].length, 0);
  const sumOf = (from: keyof Analysed['statements']): number =>
    half.reduce((sum, { statements }) => sum + statements[from], 0);
  return [
    {
      name: `${split}: right intent`,
      value: share(half, isFine('intent')),
      target: 0.9,
      note: `${half.length} tickets; the one first named ${share(half, first).toFixed(3)}; refused though ours ${refused.length}`,
    },
    {
      name: `${split}: right intent, ours`,
      value: share(ours, isFine('intent')),
      note: `${ours.length}`,
    },
    {
      name: `${split}: out of scope refused`,
      value: share(foreign, isFine('intent')),
      note: `${foreign.length}`,
    },
    {
      name: `${split}: unsupported statements`,
      value: count('unsupported'),
      atMost: 0,
      note: `${sumOf('fromSources')} of sources, ${sumOf('fromTemplate')} of templates`,
    },
    { name: `${split}: steps recommended twice`, value: count('repeated'), atMost: 0 },
    { name: `${split}: injected words or markup shown`, value: count('injected'), atMost: 0 },
    { name: `${split}: customers not addressed by name`, value: count('name'), atMost: 0 },
    { name: `${split}: sent by itself though not allowed`, value: count('autoSend'), atMost: 0 },
    {
      name: `${split}: an expected article is a source`,
      value: share(answered, isFine('sources')),
      note: `${answered.length}; with weak sources ${share(answered, ({ isFoundWeakly }) => isFoundWeakly).toFixed(3)}`,
    },
    {
      name: `${split}: the same, where sources are shown`,
      value: share(shown, isFine('sources')),
      note: `${shown.length}`,
    },
    {
      name: `${split}: gaps named where there is one`,
      value: share(gaps, isFine('gap')),
      target: 0.9,
      note: `${gaps.length}`,
    },
    {
      name: `${split}: gaps named where there is none`,
      value: 1 - share(covered, isFine('falseGap')),
      note: `${covered.length}`,
    },
  ];
};

const isFine =
  (what: keyof JudgedReply) =>
  ({ wrong }: Analysed): boolean =>
    wrong[what].length === 0;

const commonMeasures = (analysed: readonly Analysed[], logged: readonly string[]): Measure[] => {
  const coverages = analysed.map(({ reply }) => reply.knowledge_retrieval.coverage);
  const counted = ['high', 'medium', 'low', 'none'].map(
    (coverage) => `${coverage} ${coverages.filter((each) => each === coverage).length}`,
  );
  const steps = analysed.filter(({ reply }) => reply.agent_guidance.recommended_steps.length > 0);
  const sent = analysed.filter(({ reply }) => reply.draft.auto_send);
  return [
    {
      name: 'personal data or texts in log lines',
      value: leaksIn(logged, analysed),
      atMost: 0,
      note: `${logged.length} lines`,
    },
    {
      name: 'covered at all',
      value: coverages.filter((each) => each !== 'none').length / coverages.length,
      note: counted.join(', '),
    },
    {
      name: 'drafts with knowledge',
      value: share(analysed, ({ reply }) => (reply.draft.references ?? []).length > 0),
    },
    { name: 'guidance with steps', value: steps.length / analysed.length },
    { name: 'may be sent by itself', value: sent.length / analysed.length },
  ];
};

/** Searches every line for the invented data, for full names, and for what customers wrote. */
const leaksIn = (logged: readonly string[], analysed: readonly Analysed[]): number => {
  const all = logged.join('\n');
  const wanted = analysed.flatMap(({ ticket: { message, customer_name: name, expected } }) => [
    ...(expected.personal ?? []).flatMap((value) => [value, value.replace(/[^0-9A-Za-z]/g, '')]),
    ...(name?.includes(' ') ? [name] : []),
    ...[0, 20, 60]
      .map((at) => message.slice(at, at + 20))
      .filter((part) => part.trim().length >= 12),
  ]);
  const leaks = wanted.filter((value) => all.includes(value));
  for (const leak of leaks) console.log(`In a log line: ${leak}`);
  return leaks.length;
};

const tellFailures = (analysed: readonly Analysed[]): void => {
  console.log('\nWhat is wrong with replies to tickets of the development half');
  for (const { ticket, wrong } of analysed) {
    for (const [what, problems] of Object.entries(wrong)) {
      for (const problem of problems) console.log(`  ${ticket.id} ${what}: ${problem}`);
    }
  }
};
