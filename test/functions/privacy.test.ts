import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KnowledgeGapsResponse } from '../../src/contract/knowledge-gaps.ts';
import { type SupportRequest, SupportResponse } from '../../src/contract/support-response.ts';
import { BACK_ENDS, type RunningBackEnd, servicesOf } from './back-ends.ts';
import { textsInRedis } from './look-into-services.ts';

const production = BACK_ENDS.find(({ name }) => name === 'production');

/** All invented: names of example domains, numbers kept for fiction and for tests of payments, an address of nobody. */
const PERSONAL = {
  email: 'dorothy.winkler+miner@mailbox.example',
  phone: '+1 (415) 555-0137',
  card: '4111 1111 1111 1111',
  wallet: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  key: '5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLyTJ',
};

/** About a device that has no article, so that a gap is kept. */
const TICKET: SupportRequest = {
  customer_name: 'Dorothy Winkler',
  subject: `Apollo IV, write to ${PERSONAL.email}`,
  message:
    `My Apollo IV blinks pink and hums since I moved the coins to ${PERSONAL.wallet}. Call me at ${PERSONAL.phone} or ` +
    `write to ${PERSONAL.email}. I paid with ${PERSONAL.card}, and the private key is ${PERSONAL.key}.`,
  metadata: { product: `Apollo IV, call ${PERSONAL.phone}`, contact: PERSONAL.email },
  history: [
    { from: 'customer', text: `Hello, my number is ${PERSONAL.phone}, the wallet is ${PERSONAL.wallet}.` },
    { from: 'agent', text: `Thank you. Is ${PERSONAL.email} your address?` },
  ],
};

/** About something that articles answer, so that a model is asked to smooth the draft. */
const ANSWERED: SupportRequest = {
  customer_name: 'Dorothy Winkler',
  message:
    `My Apollo II blinks pink and shows 0 H/s, what can I do? My number is ${PERSONAL.phone}, my address ${PERSONAL.email}, ` +
    `the wallet is ${PERSONAL.wallet}, the card was ${PERSONAL.card}, the private key is ${PERSONAL.key}.`,
  metadata: { product: `Apollo II, call ${PERSONAL.phone}` },
};

interface Seen {
  responses: SupportResponse[];
  gaps: KnowledgeGapsResponse;
  logged: string[];
  embedded: string;
  asked: string;
  kept: string[];
}

/** Everything that a ticket leaves behind, by the place where it was found. */
const analyse = async (vars: Record<string, string>): Promise<{ running: RunningBackEnd; seen: Seen }> => {
  const logged: string[] = [];
  const running = await production?.start({ allVars: vars, onLog: (line) => void logged.push(line) });
  if (running === undefined) throw new Error('There is no production back end');
  const { product } = running;
  const { openai, redis } = servicesOf(running);
  await product.sync({ full: true });
  openai.forgetRequests();
  logged.length = 0;
  const responses: SupportResponse[] = [];
  for (const ticket of [TICKET, ANSWERED]) {
    const answered = await product.fetch('/v1/support/analyze', { method: 'POST', body: JSON.stringify(ticket) });
    expect(answered.status).toBe(200);
    responses.push(SupportResponse.parse(await answered.json()));
  }
  const retrieved = await product.fetch('/v1/knowledge/retrieve', {
    method: 'POST',
    body: JSON.stringify({ intent: 'not_hashing', message: TICKET.message, metadata: { product: 'Apollo IV' } }),
  });
  expect(retrieved.status).toBe(200);
  const gaps = await keptGaps(running);
  const sentTo = (path: string) => JSON.stringify(openai.sent(path));
  return {
    running,
    seen: {
      ...{ responses, gaps, logged },
      embedded: sentTo('/embeddings'),
      asked: sentTo('/chat/completions'),
      kept: await textsInRedis(redis),
    },
  };
};

/** They are kept after the answer. */
const keptGaps = async ({ product }: RunningBackEnd): Promise<KnowledgeGapsResponse> => {
  for (let attempt = 0; ; attempt += 1) {
    const listed = await product.fetch('/v1/knowledge/gaps');
    const gaps = KnowledgeGapsResponse.parse(await listed.json());
    if (gaps.gaps.length > 0 || attempt === 40) return gaps;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

const found = (text: string): string[] =>
  Object.entries(PERSONAL).flatMap(([kind, value]) =>
    [value, value.replace(/[^0-9A-Za-z]/g, '')].some((form) => text.includes(form)) ? [kind] : [],
  );

describe('personal data in a ticket', () => {
  let running: RunningBackEnd | undefined;
  let seen: Seen;
  beforeAll(async () => {
    ({ running, seen } = await analyse({}));
  }, 120_000);
  afterAll(() => running?.stop());

  it('is in no log line, and neither is the message', () => {
    expect(seen.logged.length).toBeGreaterThan(0);
    const lines = seen.logged.join('\n');
    expect(found(lines)).toEqual([]);
    expect(lines).not.toContain('blinks pink');
    expect(lines).not.toContain('Winkler');
  });

  it('is in no request for an embedding, though the question is', () => {
    expect(seen.embedded).toContain('blinks pink');
    expect(found(seen.embedded)).toEqual([]);
  });

  it('is in no prompt of a model, though the question is', () => {
    expect(seen.asked).toContain('blinks pink');
    expect(found(seen.asked)).toEqual([]);
  });

  it('is in no stored gap, though the question is', () => {
    const kept = JSON.stringify(seen.gaps);
    expect(kept).toContain('blinks pink');
    expect(found(kept)).toEqual([]);
    expect(kept).not.toContain('Winkler');
  });

  it('is in nothing that Redis stores', () => {
    expect(found(seen.kept.join('\n'))).toEqual([]);
  });

  it('does not keep the draft from addressing the customer by name', () => {
    for (const { draft } of seen.responses) {
      for (const form of [draft.text, draft.markdown ?? '', draft.html ?? ''])
        expect(form).toContain('Dorothy Winkler');
      expect(found(JSON.stringify(draft))).toEqual([]);
    }
  });
});

describe('personal data with PRIVACY_MASK=none', () => {
  let running: RunningBackEnd | undefined;
  let seen: Seen;
  beforeAll(async () => {
    ({ running, seen } = await analyse({ PRIVACY_MASK: 'none' }));
  }, 120_000);
  afterAll(() => running?.stop());

  it('goes to the models and into the gaps as it was written', () => {
    expect(found(seen.embedded)).toEqual(Object.keys(PERSONAL));
    expect(found(seen.asked)).toEqual(Object.keys(PERSONAL));
    expect(found(JSON.stringify(seen.gaps))).toContain('wallet');
  });

  it('is in no log line all the same', () => {
    expect(found(seen.logged.join('\n'))).toEqual([]);
  });
});
