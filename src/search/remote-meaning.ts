import { readAs } from '../contract/issue.ts';
import { MeaningReply, type MeaningRequest } from '../contract/meaning.ts';
import { DataSourceError } from '../runtime/error-info-of.ts';
import type { SignedClient } from '../runtime/signed-client.ts';
import { floatsOf } from './float-text.ts';
import type { MeaningOf } from './meaning.ts';

const SEMANTIC = 'semantic';
/** The largest vector there is, or a thousand hits. */
const MAX_ANSWER_BYTES = 262_144;

/**
 * Meanings asked of the semantic function, over calls that extend the context at hand with `kb:read` and nothing else: model, cache
 * and index, and the secrets that lead to them, are there alone.
 */
export const remoteMeaning =
  (client: SignedClient): MeaningOf =>
  async (text, { wants, signal, context }) => {
    if (context === undefined) throw new DataSourceError('Cannot ask for a meaning: there is no context to sign');
    const body = JSON.stringify({ text, wants } satisfies MeaningRequest);
    const call = { to: SEMANTIC, path: '/meaning', body, signal, maxAnswerBytes: MAX_ANSWER_BYTES };
    const answer = await client.call(context, { ...call, capabilities: ['kb:read'] });
    if (!answer.ok) throw new DataSourceError(`Cannot ask for a meaning: ${answer.error.code}`);
    if (answer.status !== 200) throw new DataSourceError(`Cannot ask for a meaning: status is ${answer.status}`);
    const reply = readAs(MeaningReply, answer.json());
    if (!reply.ok) throw new DataSourceError('Cannot ask for a meaning: the reply has another form');
    const { vector, ...meaning } = reply.value;
    return vector === undefined ? meaning : { ...meaning, vector: floatsOf(vector, meaning.dimensions) };
  };
