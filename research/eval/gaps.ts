import { parseBlocks } from '../../src/documents/markdown/blocks.ts';
import type { EditionEntry } from '../../src/knowledge/articles/article.ts';
import { takeInArticle } from '../../src/knowledge/articles/normalise-article.ts';
import { buildEdition } from '../../src/knowledge/edition/build-edition.ts';
import { type Edition, openEdition } from '../../src/knowledge/edition/open-edition.ts';
import { createRetriever } from '../../src/knowledge/search/retrieve.ts';
import { wordsOf } from '../../src/language/analyse-text.ts';
import { splitSentences } from '../../src/language/split-sentences.ts';
import type { Knowledge, KnowledgeQuestion } from '../../src/support/retrieval/knowledge.ts';
import { retrieveKnowledge } from '../../src/support/retrieval/retrieve-knowledge.ts';
import { closesGaps } from './closes-gaps.ts';
import { readSupportDocs } from './eval-data.ts';
import { readSampleTickets, type SampleTicket } from './read-tickets.ts';
import type { Measure } from './retrieval.ts';
import { sampleEntries } from './sample.ts';

/**
 * Measures whether missing documentation is reported. An article is hidden, and asked for: by its title, a colon and its first sentence
 * of five content words or more, as one question, with its first intent, and its product where it is about one alone. A gap must be
 * reported. Then the article is restored: the gap must close, and the same question against all articles must report none.
 *
 * Every second article, in the order of their ids, is for development and the others are held out; nothing was tuned on those. Of the
 * public set every second article of each half is asked for. In addition, customers' own words: the sample tickets, reported without a
 * target, since a third of those that an article answers share hardly a word with it.
 */
export async function evaluateGaps(folder: string): Promise<Measure[]> {
  const sample = sampleEntries();
  const docs = supportEntries(folder);
  return [
    ...(await hideEach('sample', sample, { step: 1 })),
    ...(await hideEach('support-docs', docs, { step: 2 })),
    ...(await askTickets(editionOf(sample))),
  ];
}

const retrieve = createRetriever({});

const editionOf = (entries: readonly EditionEntry[], number = 1): Edition => {
  const id = `e${String(number).padStart(6, '0')}-00000000`;
  // Not fitted: what is fitted decides about questions without a product and without an intent, and there are none here.
  return openEdition(
    buildEdition([...entries], { id, workspace: 'eval', createdAt: '1970-01-01T00:00:00Z' }),
  );
};

interface Half {
  asked: number;
  reported: number;
  closed: number;
  false: number;
}

const hideEach = async (
  name: string,
  entries: readonly EditionEntry[],
  { step }: { step: number },
): Promise<Measure[]> => {
  const complete = editionOf(entries, 2);
  const halves: Record<'development' | 'held out', Half> = {
    development: { asked: 0, reported: 0, closed: 0, false: 0 },
    'held out': { asked: 0, reported: 0, closed: 0, false: 0 },
  };
  for (const [at, entry] of entries.entries()) {
    if (Math.floor(at / 2) % step !== 0) continue;
    const half = halves[at % 2 === 0 ? 'development' : 'held out'];
    const question = questionOf(entry);
    const without = editionOf(entries.filter((other) => other !== entry));
    const asked = await retrieveKnowledge(question, { edition: without, retrieve });
    const restored = await retrieveKnowledge(question, { edition: complete, retrieve });
    const isReported = (asked.foundGaps ?? []).length > 0;
    half.asked += 1;
    half.reported += isReported ? 1 : 0;
    half.closed +=
      isReported && (await closesGaps(question, { met: asked, edition: complete, retrieve }))
        ? 1
        : 0;
    half.false += (restored.foundGaps ?? []).length > 0 ? 1 : 0;
  }
  return Object.entries(halves).flatMap(([half, counted]): Measure[] => [
    {
      name: `${name}, ${half}: reported when hidden`,
      value: counted.reported / counted.asked,
      target: 0.9,
      note: `${counted.asked} articles`,
    },
    {
      name: `${name}, ${half}: closed when restored`,
      value: counted.closed / counted.reported,
      target: 0.9,
    },
    {
      name: `${name}, ${half}: reported though there`,
      value: counted.false / counted.asked,
      atMost: 0.05,
    },
  ]);
};

const questionOf = ({ article }: EditionEntry): KnowledgeQuestion => {
  const { title, text, intents, devices } = article;
  const [product, ...more] = devices;
  return {
    intent: intents[0] ?? 'unknown',
    message: `${title}: ${firstSentence(text)}`,
    metadata: product === undefined || more.length > 0 ? {} : { product },
  };
};

const MIN_WORDS = 5;
const MAX_SENTENCE = 300;

const firstSentence = (text: string): string => {
  for (const block of parseBlocks(text)) {
    if (block.kind !== 'prose') continue;
    for (const { start, end } of splitSentences(text, block)) {
      const sentence = text.slice(start, end).replace(/\s+/g, ' ');
      if (wordsOf(sentence).length >= MIN_WORDS) return sentence.slice(0, MAX_SENTENCE);
    }
  }
  return '';
};

/** With their products as labels, which `product` of the set is. */
const supportEntries = (folder: string): EditionEntry[] =>
  readSupportDocs(folder).articles.map(({ id, title, url, text, devices }) => {
    const entry = takeInArticle({ id, title, url, content: text }, { articleUrl: () => '' });
    return { ...entry, article: { ...entry.article, devices } };
  });

/** Gaps reported for tickets that an article answers, the confidence of their sources, and the share of unanswered tickets with a gap. */
const askTickets = async (edition: Edition): Promise<Measure[]> => {
  const measures: Measure[] = [];
  for (const split of ['development', 'held out'] as const) {
    const tickets = readSampleTickets().filter((ticket) => ticket.split === split);
    const results: {
      expected: SampleTicket['expected'];
      knowledge: Knowledge;
      isRight: (source: { url: string }) => boolean;
    }[] = [];
    for (const { message, subject, customer_name, metadata, expected } of tickets) {
      const question = {
        intent: expected.intent,
        message,
        subject,
        customer_name,
        metadata: metadata ?? undefined,
      };
      // One after the other: many at once would not be answered in time.
      const knowledge = await retrieveKnowledge(question, { edition, retrieve });
      const isRight = ({ url }: { url: string }) =>
        expected.articles.some((id) => url.endsWith(id.replace(/\.md$/, '')));
      results.push({ expected, knowledge, isRight });
    }
    const answered = results.filter(
      ({ expected }) => expected.articles.length > 0 && expected.gap === undefined,
    );
    const missing = results.filter(({ expected }) => expected.gap === true);
    const best = results.flatMap(({ knowledge, isRight }) =>
      knowledge.sources_consulted.slice(0, 1).map(isRight),
    );
    const high = results.flatMap(({ knowledge, isRight }) =>
      knowledge.coverage === 'high' ? knowledge.sources_consulted.slice(0, 1).map(isRight) : [],
    );
    const hasGap = ({ knowledge }: (typeof results)[number]) => knowledge.gaps.length > 0;
    measures.push(
      {
        name: `tickets, ${split}: best source right, from 0.7`,
        value: share(best),
        note: `${best.length} of ${tickets.length}`,
      },
      {
        name: `tickets, ${split}: best source right, from 0.8`,
        value: share(high),
        note: `${high.length}`,
      },
      {
        name: `tickets, ${split}: gap reported of what none answers`,
        value: share(missing.map(hasGap)),
        note: `${missing.length}`,
      },
      {
        name: `tickets, ${split}: reported of what one answers`,
        value: share(answered.map(hasGap)),
        note: `${answered.length}`,
      },
    );
  }
  return measures;
};

const share = (values: readonly boolean[]): number =>
  values.filter(Boolean).length / Math.max(1, values.length);
