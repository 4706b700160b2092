import type { Constellation } from '../../../../client/constellation.ts';
import type { KnowledgeCheckInput } from '../../../contract/wire/checks.ts';

export interface AnswerToKeep {
  question: string;
  /** The article that its answer cites first; null where it was declined. Absent: the question is asked. */
  cites?: string | null | undefined;
}

/** The check that was stored, that there is one of the question, or that no article answers it now. */
export type KeptCheck = KnowledgeCheckInput | 'exists' | 'unanswered';

/** Makes a check of a good answer. One of the question that there is stays as it is, with its fact. */
export async function keepAsCheck(
  checks: Pick<Constellation['checks'], 'put' | 'try'>,
  { question, cites }: AnswerToKeep,
  signal: AbortSignal,
): Promise<KeptCheck> {
  const article = cites === undefined ? await currentArticle(checks, question, signal) : cites;
  if (article === undefined) return 'unanswered';
  const check: KnowledgeCheckInput =
    article === null ? { question, declined: true } : { question, cites: article };
  const { added } = await checks.put([check], { onlyNew: true, signal });
  return added > 0 ? check : 'exists';
}

/** Id of the article that the answer to the question cites first. */
const currentArticle = async (
  checks: Pick<Constellation['checks'], 'try'>,
  question: string,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const { answer } = await checks.try({ question, declined: true }, { signal });
  return answer.cites[0]?.id;
};
