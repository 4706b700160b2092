import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  addReplies,
  recordedModel,
  writeOpenPrompts,
} from '../../../research/eval/recorded-model.ts';
import type { AIMessage } from '../../../src/contract/core/librarian.ts';
import { temporaryFolder, writeFiles } from '../../tools/folder-for-test.ts';

const messages = (content: string): AIMessage[] => [{ role: 'user', content }];
const schema = { name: 'answer', schema: { type: 'object' } };
const keyOf = (content: string) =>
  createHash('sha256')
    .update(JSON.stringify(messages(content)) + schema.name)
    .digest('hex')
    .slice(0, 12);
const empty = { recorded: '', by: '', replies: {} };
const [prompts, replies] = [temporaryFolder(), temporaryFolder()];

describe('a model with recorded replies', () => {
  it('replies to a recorded prompt, and counts its tokens', async () => {
    const model = recordedModel({ ...empty, replies: { [keyOf('one')]: { verdict: 'answer' } } });
    const { text, usage } = await model.complete(messages('one'), { schema });
    expect(JSON.parse(text)).toEqual({ verdict: 'answer' });
    expect(usage?.outputTokens).toBeGreaterThan(0);
    expect([...model.used]).toEqual([keyOf('one')]);
    await expect(model.complete(messages('one!'), { schema })).rejects.toThrow(
      'No reply is recorded',
    );
  });
  it('lists only the first open prompt of a question, since the others depend on its reply', async () => {
    const model = recordedModel(empty);
    for (const content of ['queries', 'answer'])
      await model.complete(messages(content), { schema }).catch(() => undefined);
    model.startQuestion();
    await model.complete(messages('next'), { schema }).catch(() => undefined);
    expect([...model.open.keys()]).toEqual([keyOf('queries'), keyOf('next')]);
  });
  it('writes open prompts, and imports replies, also malformed ones', async () => {
    const model = recordedModel(empty);
    await model.complete(messages('one'), { schema }).catch(() => undefined);
    writeOpenPrompts(prompts, model.open);
    const file = `${keyOf('one')}.json`;
    expect(readdirSync(prompts)).toEqual([file]);
    const prompt = { key: keyOf('one'), schema, messages: messages('one') };
    expect(JSON.parse(readFileSync(join(prompts, file), 'utf8'))).toEqual(prompt);
    writeFiles(replies, { [file]: '{"verdict":"answer"}\n', '0123456789ab.json': '{"verdict":' });
    expect(addReplies(empty, replies, '2026-11-22')).toEqual({
      recorded: '2026-11-22',
      by: '',
      replies: { [keyOf('one')]: { verdict: 'answer' }, '0123456789ab': '{"verdict":' },
    });
  });
});
