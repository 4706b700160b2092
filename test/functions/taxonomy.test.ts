import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SupportResponse } from '../../src/contract/support-response.ts';
import { Taxonomy, TaxonomyWritten } from '../../src/contract/taxonomy.ts';
import { type Product, startProduct } from '../../src/dev/run/product.ts';
import { encodeBase64url } from '../../src/signing/base64url.ts';
import { trainClassifier } from '../../src/support/intents/train-classifier.ts';

const PATH = '/v1/support/taxonomy';
const sample = Taxonomy.parse(
  JSON.parse(readFileSync(join(import.meta.dirname, '../../src/dev/sample/taxonomy.json'), 'utf8')),
);
/** Of each intent the first examples. */
const small: Taxonomy = {
  ...sample,
  intents: sample.intents.map((intent) => ({ ...intent, examples: intent.examples.slice(0, 16) })),
  out_of_scope_examples: [],
};

let product: Product;
beforeAll(async () => {
  product = await startProduct({
    kb: { folder: join(import.meta.dirname, '../../src/dev/sample/knowledge-base') },
    port: 0,
  });
});
afterAll(() => product?.stop());

const intentOf = async (message: string): Promise<string> => {
  const response = await product.fetch('/v1/support/analyze', { method: 'POST', body: JSON.stringify({ message }) });
  expect(response.status).toBe(200);
  return SupportResponse.parse(await response.json()).intent_classification.primary_intent;
};
const put = (body: unknown) => product.fetch(PATH, { method: 'PUT', body: JSON.stringify(body) });

describe('the taxonomy of a workspace, in workerd', () => {
  it('is none at first: every message is unknown', async () => {
    expect((await product.fetch(PATH)).status).toBe(404);
    expect(await intentOf('I forgot my dashboard password')).toBe('unknown');
  });

  it('decides at once after it is put, and is trained there when it is small', async () => {
    const written = await put({ taxonomy: small });
    expect(TaxonomyWritten.parse(await written.json())).toMatchObject({ intents: 23, trained: 'here' });
    expect(await intentOf('I forgot my dashboard password')).toBe('login_issue');
    expect(await (await product.fetch(PATH)).json()).toEqual({ taxonomy: small });
  });

  it('needs a packed model when it is large, and takes one of the same examples', async () => {
    expect((await put({ taxonomy: sample })).status).toBe(400);
    const model = encodeBase64url(trainClassifier(sample, { effort: 'quick', threshold: 0.999 }));
    expect(await (await put({ taxonomy: sample, model })).json()).toMatchObject({ trained: 'given' });
    expect(await intentOf('My machine is not all that fast')).toBe('unknown');
  });

  it('stays as it is when another is refused', async () => {
    const refused = await put({ taxonomy: { ...sample, intents: [] } });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('taxonomy.intents: are none');
    expect((await product.fetch(PATH)).status).toBe(200);
  });

  it('is gone at once when it is deleted', async () => {
    expect((await product.fetch(PATH, { method: 'DELETE' })).status).toBe(204);
    expect(await intentOf('I forgot my dashboard password')).toBe('unknown');
  });
});
