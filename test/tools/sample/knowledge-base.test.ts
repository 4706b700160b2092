import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  SAMPLE_KNOWLEDGE_BASE,
  SAMPLE_QUESTIONS,
  SAMPLE_TAXONOMY,
} from '../../../tools/sample/files.ts';
import facts from './knowledge-base-facts.json' with { type: 'json' };

const Device = z.enum(['Apollo', 'Apollo II', 'Apollo III']);

const { intents } = JSON.parse(readFileSync(SAMPLE_TAXONOMY, 'utf8')) as {
  intents: { id: string }[];
};
const Intent = z.enum(intents.map(({ id }) => id));

const FrontMatter = z.strictObject({
  title: z.string().min(1).max(200),
  url: z.url({ protocol: /^https$/, hostname: /^docs\.example\.com$/ }).max(500),
  intent: z.array(Intent).min(1),
  device: z.array(Device).min(1),
  last_updated: z.iso.datetime(),
  author: z.string().min(1),
});

/**
 * Facts that all articles share: [TH/s, W at the wall, dBA at 1 m] of each mode; topics that are omitted on purpose, so that "I don't have
 * information" can be shown; and outdated pages that contradict current ones.
 */
const { modes, omitted, conflicts: CONFLICTS } = facts;
const MODES = modes as unknown as Record<string, Record<string, [number, number, number]>>; // JSON has no tuples
const OMITTED = Object.fromEntries(
  Object.entries(omitted).map(([topic, pattern]) => [topic, new RegExp(pattern)]),
);

const Question = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('answerable'),
    question: z.string().min(10).max(200),
    article: z.string(),
    /** Other articles with the same statement. */
    also: z.array(z.string()).min(1).optional(),
    must_contain: z.array(z.string().min(1).max(60)).min(1),
  }),
  z.strictObject({
    kind: z.literal('no-information'),
    question: z.string().min(10).max(200),
    topic: z.enum([...Object.keys(OMITTED), 'apollo-iii-wifi']),
  }),
  z.strictObject({ kind: z.literal('out-of-domain'), question: z.string().min(10).max(200) }),
]);

const readArticle = (id: string) => {
  const [, yaml = '', text = ''] =
    /^---\n(.*?)\n---\n\n(.*)$/s.exec(readFileSync(join(SAMPLE_KNOWLEDGE_BASE, id), 'utf8')) ?? [];
  const tree = fromMarkdown(text, {
    extensions: [gfmTable()],
    mdastExtensions: [gfmTableFromMarkdown()],
  });
  return { id, text, tree, meta: FrontMatter.parse(load(yaml)) };
};

const articles = globSync('**/*.md', { cwd: SAMPLE_KNOWLEDGE_BASE }).sort().map(readArticle);
const everything = articles.map(({ meta, text }) => `${meta.title}\n${text}`).join('\n');
const questions = z.array(Question).parse(JSON.parse(readFileSync(SAMPLE_QUESTIONS, 'utf8')));

const textOf = (id: string) => {
  const article = articles.find((candidate) => candidate.id === id);
  if (!article)
    throw new Error(`Cannot find the article ${id}: it is not in the sample knowledge base`);
  return article.text;
};

/** The rows of all tables of an article that begin with these cells. */
const rowsOf = (id: string, ...first: string[]) =>
  textOf(id)
    .split('\n')
    .filter((line) => line.startsWith(`| ${first.join(' | ')} |`))
    .map((line) => line.slice(2, -2).split(' | '));

const matches = (pattern: RegExp, text = everything) =>
  [...text.matchAll(pattern)].map((match) => match[1] ?? '');

describe('sample knowledge base', () => {
  it('has at least 25 articles in folders, each with a title and an address of its own', () => {
    expect(articles.length).toBeGreaterThanOrEqual(25);
    expect(new Set(articles.map(({ meta }) => meta.title)).size).toBe(articles.length);
    expect(new Set(articles.map(({ meta }) => meta.url)).size).toBe(articles.length);
    for (const { id, meta } of articles)
      expect(`${new URL(meta.url).pathname.slice(1)}.md`).toBe(id);
  });
  it('covers every intent and every device', () => {
    expect(new Set(articles.flatMap(({ meta }) => meta.intent))).toEqual(
      new Set(Intent.options.filter((id) => id !== 'spam')),
    );
    expect(new Set(articles.flatMap(({ meta }) => meta.device))).toEqual(new Set(Device.options));
  });
  it.each(articles)(
    '$id has 150 to 900 words, sections and well-formed tables',
    ({ text, tree }) => {
      const words = text.split(/\s+/).length;
      const headings = tree.children.filter((node) => node.type === 'heading');
      const isWithin = words >= 150 && words <= 900;
      expect([isWithin, headings.length >= 3, headings.every(({ depth }) => depth > 1)]).toEqual([
        true,
        true,
        true,
      ]);
      for (const table of tree.children.filter((node) => node.type === 'table'))
        expect(new Set(table.children.map((row) => row.children.length)).size).toBe(1);
    },
  );
  it('refers only to articles that exist', () => {
    const referred = matches(
      /(?:[Ss]ee|ontinue with|Follow|(?:details|steps|checks|table) in) \*([A-Z][^*]+)\*/g,
    );
    expect(referred.length).toBeGreaterThanOrEqual(15);
    for (const title of referred) {
      expect(
        articles.filter(({ meta }) => meta.title.startsWith(title)).length,
        title,
      ).toBeGreaterThanOrEqual(1);
    }
  });
  it.each(CONFLICTS)(
    'keeps the outdated $old.id beside $current.id, which contradicts it',
    ({ old, current }) => {
      expect(textOf(old.id)).toContain(old.says);
      expect(textOf(current.id)).toContain(current.says);
      const updated = (id: string) =>
        articles.find((article) => article.id === id)!.meta.last_updated;
      expect(Date.parse(updated(old.id))).toBeLessThan(Date.parse(updated(current.id)));
    },
  );
  it.each(Object.entries(OMITTED))('says nothing about %s', (_, pattern) => {
    expect(everything).not.toMatch(pattern);
  });
  it('says nothing about Wi-Fi on Apollo III', () => {
    const wifi = articles.filter(({ text }) => /wi-?fi|wlan/i.test(text));
    expect(wifi.map(({ id }) => id)).toEqual(['network/wifi.md']);
    expect(wifi[0]!.meta.device).toEqual(['Apollo', 'Apollo II']);
    expect(wifi[0]!.text).not.toContain('Apollo III');
  });
});

describe('facts of the sample knowledge base', () => {
  const hashrate = (device: string, mode: string) => `${MODES[device]![mode]![0].toFixed(1)} TH/s`;
  const power = (device: string, mode: string) => `${MODES[device]![mode]![1]} W`;
  const noise = (device: string, mode: string) => String(MODES[device]![mode]![2]);

  it.each([
    ['mining/hashrate-expectations.md', hashrate],
    ['hardware/power-supply.md', power],
    ['hardware/fan-noise-and-temperature.md', noise],
  ])('%s gives the shared figures of each mode and device', (id, show) => {
    for (const mode of ['Quiet', 'Eco', 'Balanced', 'Turbo']) {
      const cells = Device.options.map((device) =>
        MODES[device]![mode] ? show(device, mode) : 'not available',
      );
      expect(rowsOf(id, mode)[0]).toEqual([mode, ...cells]);
    }
  });
  const MODE_ROWS = Object.entries(MODES).flatMap(([device, modes]) =>
    Object.keys(modes).map((mode) => [device, mode]),
  );
  it.each(MODE_ROWS)(
    'gives the figures of %s in %s, and the efficiency that results',
    (device = '', mode = '') => {
      const [terahashes, watts] = MODES[device]![mode]!;
      const [, , ...stated] = rowsOf('mining/power-modes-and-tuning.md', device, mode)[0]!;
      const efficiency = `${(watts / terahashes).toFixed(1)} J/TH`;
      expect(stated).toEqual([hashrate(device, mode), power(device, mode), efficiency]);
    },
  );
  it.each([
    ['Hashrate, Balanced', hashrate],
    ['Power, Balanced', power],
  ])('gives the same figures in the specifications: %s', (label, show) => {
    const cells = Device.options.map((device) => show(device, 'Balanced'));
    expect(rowsOf('hardware/technical-specifications.md', label)[0]).toEqual([label, ...cells]);
  });
  it('names the newest release as the current version', () => {
    const [newest] = matches(/^## (\d+\.\d+\.\d+) /gm, textOf('maintenance/release-notes.md'));
    expect(textOf('maintenance/firmware-update.md')).toContain(`The current version is ${newest}.`);
    const images = matches(/apollo-([\d.]+\d)\.(?:img|update)/g);
    expect(new Set(images)).toEqual(new Set([newest]));
  });
  it('explains every error code and every API path that it mentions', () => {
    const explained = matches(/^\| `(E\d\d)` \|/gm, textOf('troubleshooting/error-codes.md'));
    expect(explained.toSorted()).toEqual([...new Set(matches(/\b(E\d\d)\b/g))].sort());
    const endpoints = matches(/^\| [A-Z]+ \| `([^`]+)` \|/gm, textOf('developer/api-reference.md'));
    const mentioned = matches(/(\/api\/v2\/[a-z/]+)/g);
    expect([...new Set(endpoints)].sort()).toEqual([...new Set(mentioned)].sort());
  });
});

describe('sample questions', () => {
  const answerable = questions.filter((question) => question.kind === 'answerable');

  it('has enough questions of all three kinds, none twice', () => {
    expect(new Set(questions.map(({ question }) => question)).size).toBe(questions.length);
    expect(answerable.length).toBeGreaterThanOrEqual(40);
    for (const kind of ['no-information', 'out-of-domain']) {
      expect(questions.filter((question) => question.kind === kind).length).toBeGreaterThanOrEqual(
        8,
      );
    }
  });
  it.each(answerable)(
    'is answered by $article: $question',
    ({ question, article, also = [], must_contain }) => {
      for (const id of [article, ...also]) {
        for (const part of must_contain) expect(textOf(id)).toContain(part);
      }
      expect(everything).not.toContain(question);
    },
  );
  it('asks about every omitted topic', () => {
    const asked = questions.flatMap((question) =>
      question.kind === 'no-information' ? question.topic : [],
    );
    expect(asked.toSorted()).toEqual([...Object.keys(OMITTED), 'apollo-iii-wifi'].sort());
  });
  it('asks about every article that is not outdated', () => {
    const asked = new Set(answerable.flatMap(({ article, also = [] }) => [article, ...also]));
    const outdated = CONFLICTS.map(({ old }) => old.id);
    expect(articles.map(({ id }) => id).filter((id) => !asked.has(id))).toEqual(outdated);
  });
});
