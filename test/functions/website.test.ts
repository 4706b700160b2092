import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Product } from '../../tools/run/product.ts';
import { type LocalSite, pageOf, startSite } from '../knowledge/sources/local-site.ts';
import { ask, startEmbedded } from './product-for-test.ts';

const PAGES = 300;

let site: LocalSite;
let product: Product;
beforeAll(async () => {
  site = await startSite();
  for (let number = 0; number < PAGES; number += 1)
    site.pages.set(
      `/guides/${number}`,
      pageOf(`Valve V${number}`, `The valve V${number} opens at ${1000 + number} millibar.`),
    );
  site.sitemap();
  product = await startEmbedded({
    kb: { site: `${site.origin}/` },
    functions: ['library', 'sources', 'navigator'],
  });
});
afterAll(async () => {
  await product?.stop();
  await site?.stop();
});

const pressureOf = async (valve: string) =>
  (await ask(product, `At what pressure does the valve ${valve} open?`)).reply;

/** A new edition is read some seconds after it was published. */
const soon = (valve: string) =>
  expect.poll(async () => (await pressureOf(valve)).answer, { timeout: 60_000, interval: 500 });

describe(`a web site of ${PAGES} pages`, () => {
  it('is indexed, and answers with the addresses of its pages', async () => {
    const { articles, last_report } = await product.sync({ full: true });
    expect([articles, last_report]).toEqual([
      PAGES,
      expect.objectContaining({ outcome: 'published', added: PAGES }),
    ]);
    const reply = await pressureOf('V217');
    expect(reply.answer).toContain('1217 millibar');
    expect(reply.sources?.[0]).toMatchObject({
      name: 'Valve V217',
      url: `${site.origin}/guides/217`,
    });
  });

  it('is updated: pages that change, are added and removed', async () => {
    site.pages.set('/guides/217', pageOf('Valve V217', 'The valve V217 opens at 9999 millibar.'));
    site.pages.set('/guides/new', pageOf('Valve X1', 'The valve X1 opens at 4321 millibar.'));
    for (let number = 0; number < 40; number += 1) site.pages.delete(`/guides/${number}`);
    site.sitemap();
    const { articles, last_report } = await product.sync({ full: true });
    expect([articles, last_report]).toEqual([
      261,
      expect.objectContaining({ added: 1, changed: 1, removed: 40 }),
    ]);
    await soon('V217').toContain('9999 millibar');
    expect((await pressureOf('X1')).answer).toContain('4321 millibar');
    expect(JSON.stringify((await pressureOf('V17')).sources ?? [])).not.toContain('/guides/17"');
  });

  it('keeps the article of a page that fails, and names it', async () => {
    site.pages.set('/guides/290', { status: 500 });
    const { articles, last_report } = await product.sync({ full: true });
    expect(articles).toBe(261);
    expect(JSON.stringify(last_report)).toContain('the server answers 500');
    expect((await pressureOf('V290')).answer).toContain('1290 millibar');
  });
});
