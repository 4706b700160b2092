import { expect, it, vi } from 'vitest';
import { KnowledgeGapsResponse } from '../../src/contract/wire/knowledge.ts';
import type { SupportRequest } from '../../src/contract/wire/support-response.ts';
import { textsInRedis } from './look-into-services.ts';
import { send, startOnServices } from './product-for-test.ts';
import { analyze, retrieve } from './support-for-test.ts';

/** All invented: example domains, numbers reserved for fiction and payment tests, an unowned wallet. */
const PERSONAL = {
  email: 'dorothy.winkler+miner@mailbox.example',
  phone: '+1 (415) 555-0137',
  card: '4111 1111 1111 1111',
  wallet: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  key: '5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLyTJ',
};

/** About a device without an article, so that a gap is stored. */
const TICKET: SupportRequest = {
  customer_name: 'Dorothy Winkler',
  subject: `Apollo IV, write to ${PERSONAL.email}`,
  message:
    `My Apollo IV blinks pink and hums since I moved the coins to ${PERSONAL.wallet}. Call me at ${PERSONAL.phone} or ` +
    `write to ${PERSONAL.email}. I paid with ${PERSONAL.card}, and the private key is ${PERSONAL.key}.`,
  metadata: { product: `Apollo IV, call ${PERSONAL.phone}`, contact: PERSONAL.email },
  history: [
    {
      from: 'customer',
      text: `Hello, my number is ${PERSONAL.phone}, the wallet is ${PERSONAL.wallet}.`,
    },
    { from: 'agent', text: `Thank you. Is ${PERSONAL.email} your address?` },
  ],
};

/** Answered by articles, so that a model smooths the draft. */
const ANSWERED: SupportRequest = {
  customer_name: 'Dorothy Winkler',
  message:
    `My Apollo II blinks pink and shows 0 H/s, what can I do? My number is ${PERSONAL.phone}, my address ${PERSONAL.email}, ` +
    `the wallet is ${PERSONAL.wallet}, the card was ${PERSONAL.card}, the private key is ${PERSONAL.key}.`,
  metadata: { product: `Apollo II, call ${PERSONAL.phone}` },
};

/** Everything that a ticket leaves behind, by place. */
const leaveTraces = async (allVars: Record<string, string>) => {
  const logged: string[] = [];
  const { product, services, stop } = await startOnServices({
    functions: ['support', 'library'],
    allVars,
    onLog: (line) => void logged.push(line),
  });
  const { openai, redis } = services;
  await product.sync({ full: true });
  openai.forgetRequests();
  logged.length = 0;
  const responses = [await analyze(product, TICKET)];
  // A search that times out gives a draft without a model.
  const answer = async () => {
    responses.push(await analyze(product, ANSWERED));
    return openai.sent('/chat/completions').length > 0;
  };
  await vi.waitUntil(answer, { timeout: 60_000, interval: 500 });
  const { message } = TICKET;
  const listed = async () =>
    KnowledgeGapsResponse.parse(await (await send(product, 'GET /v1/knowledge/gaps')).json()).gaps;
  // Gaps are stored after the answer; a search that times out stores none.
  const ask = async () => {
    await retrieve(product, { intent: 'not_hashing', message, metadata: { product: 'Apollo IV' } });
    return (await listed()).length > 0;
  };
  await vi.waitUntil(ask, { timeout: 60_000, interval: 500 });
  const [embedded = '', asked = ''] = ['/embeddings', '/chat/completions'].map((path) =>
    JSON.stringify(openai.sent(path)),
  );
  const gaps = JSON.stringify(await listed());
  const kept = (await textsInRedis(redis)).join('\n');
  return { stop, responses, gaps, logs: logged.join('\n'), embedded, asked, kept };
};

const found = (text: string): string[] =>
  Object.entries(PERSONAL).flatMap(([kind, value]) =>
    [value, value.replace(/[^0-9A-Za-z]/g, '')].some((form) => text.includes(form)) ? [kind] : [],
  );

it('personal data in a ticket is masked in logs, models, gaps and Redis; the question and the customer name are not', async () => {
  const { stop, responses, ...seen } = await leaveTraces({});
  await stop();
  for (const [place, text] of Object.entries(seen))
    expect([place, found(text)]).toEqual([place, []]);
  for (const place of ['embedded', 'asked', 'gaps'] as const)
    expect(seen[place], place).toContain('blinks pink');
  expect(seen.logs.length).toBeGreaterThan(0);
  expect(seen.logs).not.toMatch(/blinks pink|Winkler/);
  expect(seen.gaps).not.toContain('Winkler');
  for (const { draft } of responses) {
    for (const form of [draft.text, draft.markdown, draft.html])
      expect(form).toContain('Dorothy Winkler');
    expect(found(JSON.stringify(draft))).toEqual([]);
  }
});

it('personal data with PRIVACY_MASK=none reaches models and gaps unmasked, and still no log line', async () => {
  const { stop, ...seen } = await leaveTraces({ PRIVACY_MASK: 'none' });
  await stop();
  expect(found(seen.embedded)).toEqual(Object.keys(PERSONAL));
  expect(found(seen.asked)).toEqual(Object.keys(PERSONAL));
  expect(found(seen.gaps)).toContain('wallet');
  expect(found(seen.logs)).toEqual([]);
});
