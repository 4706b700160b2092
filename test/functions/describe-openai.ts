import { createOpenAI } from '@ai-sdk/openai';
import { streamText } from 'ai';
import OpenAI from 'openai';
import { expect, it } from 'vitest';
import type { Product } from '../../tools/run/product.ts';

/** `/v1/chat/completions` and `/v1/models`, called by official clients. */
export function describeOpenAI(productOf: () => Product): void {
  const messages = [
    { role: 'system' as const, content: 'Answer with the word BANANA and nothing else.' },
    { role: 'user' as const, content: 'How loud is the Apollo III in Turbo mode?' },
  ];
  const client = (apiKey = productOf().key) =>
    new OpenAI({ apiKey, baseURL: new URL('/v1', productOf().url).href, maxRetries: 0 });

  it('answers the official client with text, citations and usage, complete and streamed', async () => {
    const { data } = await client().models.list();
    expect(data.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['constellation', 'navigator', 'analytics']),
    );
    const whole = await client().chat.completions.create({ model: 'constellation', messages });
    const [choice] = whole.choices;
    expect(choice?.message.content).toMatch(
      /\| Turbo \| 49 \| 47 \| 45 \|[\s\S]*\[1\][\s\S]*Sources\n\n1\. \[/,
    );
    expect(choice?.message.content).not.toContain('BANANA');
    const [citation] = choice?.message.annotations ?? [];
    expect(citation?.url_citation.url).toMatch(/^https:/);
    const { start_index: from, end_index: to } = citation?.url_citation ?? {
      start_index: 0,
      end_index: 0,
    };
    expect(choice?.message.content?.slice(from, to)).toContain('| Turbo |');
    let text = '';
    let annotations: unknown;
    const options = {
      model: 'constellation',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    } as const;
    for await (const { choices, usage } of await client().chat.completions.create(options)) {
      text += choices[0]?.delta.content ?? '';
      annotations ??= (choices[0]?.delta as { annotations?: unknown } | undefined)?.annotations;
      if (choices.length === 0) expect(usage?.total_tokens).toBe(0);
    }
    expect([text, annotations]).toEqual([choice?.message.content, choice?.message.annotations]);
  });

  it('reads the earlier messages, and declines as text', async () => {
    const create = async (contents: string[]) => {
      const turns = contents.map((content, at) => ({
        role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
        content,
      }));
      const { choices } = await client().chat.completions.create({
        model: 'navigator',
        messages: turns,
      });
      return choices[0]?.message.content;
    };
    expect(
      await create(['How loud is the Apollo III in Eco mode?', '30 dBA.', 'And in Turbo?']),
    ).toContain('| 45 |');
    expect(await create(['Who won the football match yesterday?'])).toMatch(
      /don't have information/,
    );
  });

  it('answers a third-party client for OpenAI', async () => {
    const provider = createOpenAI({
      baseURL: new URL('/v1', productOf().url).href,
      apiKey: productOf().key,
    });
    const streamed = streamText({
      model: provider.chat('constellation:annotated'),
      messages: messages.slice(1),
    });
    expect(await streamed.text).toContain('| Turbo | 49 | 47 | 45 |');
    expect(await streamed.text).not.toContain('Sources');
    const [source] = await streamed.sources;
    expect(source).toMatchObject({ sourceType: 'url', url: expect.stringMatching(/^https:/) });
  });

  it('retrieves nothing for the background tasks of chat front ends', async () => {
    const content =
      '### Task:\nWrite a title for the chat about how loud the Apollo III is in Turbo mode.';
    const task = { model: 'constellation', messages: [{ role: 'user' as const, content }] };
    const { choices, ...rest } = await client().chat.completions.create(task);
    expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { annotations: [] } });
    expect(choices[0]?.message.content).toMatch(/^This model answers questions/);
    expect(rest).toMatchObject({ constellation: { sources: [], partial: true } });
    expect(JSON.stringify(rest)).not.toContain('hops');
  });

  it.each<[string, Record<string, unknown>, object]>([
    ['an unknown model', { model: 'gpt-4' }, { status: 404, code: 'model_not_found' }],
    [
      'several answers',
      { n: 2 },
      { status: 400, code: 'invalid_value', error: { info: { code: 'INVALID_QUERY' } } },
    ],
    [
      'an image',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
      { status: 400 },
    ],
    ['no question', { messages: [{ role: 'system', content: 'Be kind.' }] }, { status: 400 }],
  ])('refuses %s in its own form', async (_, change, error) => {
    const body = { model: 'constellation', messages, ...change } as Parameters<
      OpenAI['chat']['completions']['create']
    >[0];
    await expect(client().chat.completions.create(body)).rejects.toMatchObject(error);
  });

  it('refuses an unknown key in its own form', async () => {
    await expect(client('ck_0123456789abcdef').models.list()).rejects.toMatchObject({
      status: 401,
      code: 'invalid_api_key',
    });
  });
}
