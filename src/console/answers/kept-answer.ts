import type { KeptAnswer } from '../../contract/answers.ts';
import { client } from '../session/deployment.ts';
import type { Answer } from './answer.ts';

/** An answer that the deployment has kept, in the form of those of this tab. */
export const readKeptAnswer = async (id: string): Promise<Answer> => asAnswer(await client.answers.get(id));

const asAnswer = (kept: KeptAnswer): Answer => ({
  ...{
    id: kept.id,
    query: kept.question,
    conversation: kept.conversation_id ?? '',
    askedAt: Date.parse(kept.asked_at),
  },
  ...{ phase: kept.answer === null ? 'failed' : 'done', routed: [], passages: [], removed: [] },
  edition: kept.edition ?? undefined,
  statements: kept.statements,
  response: {
    ...(kept.answer === null ? {} : { answer: kept.answer }),
    ...(kept.confidence === null ? {} : { confidence: kept.confidence }),
    ...(kept.error === undefined ? {} : { error: kept.error }),
    sources: kept.sources,
    metadata: { ...kept.metadata, closest: kept.closest, trace: kept.trace, answer_id: kept.id },
  },
  error: kept.error,
});
