import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { answerPhrases } from '../../src/answering/write/answer-phrases.ts';
import { statesLackOfInformation } from '../../src/contract/core/lack-of-information.ts';
import { NavigatorResponse } from '../../src/contract/core/navigator-response.ts';
import { ROOT } from '../../tools/functions.ts';
import type { Product } from '../../tools/run/product.ts';
import { send } from './product-for-test.ts';

interface LabelledQuestion {
  question: string;
  kind: 'answerable' | 'no-information' | 'out-of-domain';
  article?: string;
  also?: string[];
}

export const QUESTIONS = JSON.parse(
  readFileSync(join(ROOT, 'tools/sample/questions.json'), 'utf8'),
) as LabelledQuestion[];

export async function navigate(product: Product, query: string): Promise<NavigatorResponse> {
  return NavigatorResponse.parse(
    await (await send(product, 'POST /v1/navigate', { query })).json(),
  );
}

/** Asks all of them; expects every excerpt in its article, and the same form of every refusal. */
export async function answerLabelledQuestions(product: Product) {
  const right = { answerable: 0, 'no-information': 0, 'out-of-domain': 0 };
  const answeredBy = new Set<unknown>();
  const texts = new Map<string, string>();
  const textOf = async (file: string): Promise<string> => {
    const path = file.split('/').map(encodeURIComponent).join('/');
    const read = async () =>
      ((await (await send(product, `GET /api/kb/text/${path}`)).json()) as { text: string }).text;
    const text = texts.get(file) ?? (await read());
    texts.set(file, text);
    return text;
  };
  for (const { question, kind, article, also = [] } of QUESTIONS) {
    const { sources, metadata, outOfDomain, answer, confidence } = await navigate(
      product,
      question,
    );
    if (sources.length > 0) answeredBy.add(metadata?.answered_by ?? 'quotes');
    else {
      const expected = [question, outOfDomain ? 'high' : 'low', true];
      expect([question, confidence, statesLackOfInformation(answer)]).toEqual(expected);
    }
    if (outOfDomain) expect([question, sources]).toEqual([question, []]);
    for (const { file, excerpts = [] } of sources) {
      const text = await textOf(file);
      expect(excerpts.map(({ start, end }) => text.slice(start, end))).toEqual(
        excerpts.map(({ quote }) => quote),
      );
    }
    const isRight =
      kind === 'answerable'
        ? sources.some(({ file }) => file === article || also.includes(file))
        : sources.length === 0 || answer.startsWith(answerPhrases('en').hedge);
    if (isRight) right[kind] += 1;
  }
  return { right, answeredBy };
}
