import { useSignal } from '@preact/signals';
import type { KnowledgeRetrieval } from '../../../contract/knowledge-retrieval.ts';
import type { SupportResponse } from '../../../contract/support-response.ts';
import { type Answer, type Closest, closestOf } from '../../answers/answer.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { SourceLink } from '../../parts/source-link.tsx';
import { Failure } from '../../parts/states.tsx';
import { call } from '../../session/deployment.ts';
import { t } from '../../texts/texts.ts';

/** Articles that come close to a question. */
export const ClosestArticles = ({ closest }: { closest: readonly Closest[] }) =>
  closest.length === 0 ? null : (
    <>
      <h4>{t('declined.closest')}</h4>
      <ul>
        {closest.map(({ title, url, heading }) => (
          <li key={`${title}${heading}`}>
            <SourceLink url={url}>{title}</SourceLink>
            {heading === undefined ? null : <span class="quiet"> › {heading}</span>}
          </li>
        ))}
      </ul>
    </>
  );

/** An answer that may be none says so above its statements. */
export const Doubt = () => (
  <p class="doubt">
    <Icon name="unknown" /> {t('answer.doubt')}
  </p>
);

/** What helps where an answer may be none. */
export const InDoubt = ({ answer }: { answer: Answer }) => (
  <section class="in-doubt">
    <ClosestArticles closest={closestOf(answer.response)} />
    <ReportGap query={answer.query} />
  </section>
);

/** Reports the question as one that the knowledge base should answer, and says what was noted. */
export const ReportGap = ({ query }: { query: string }) => {
  const checked = useSignal<KnowledgeRetrieval | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const report = (): void => {
    failure.value = undefined;
    const body = { message: query };
    call<SupportResponse>('POST /v1/support/analyze', { knowledge_retrieval: 'object' }, { body }).then(
      ({ knowledge_retrieval: retrieval }) => {
        checked.value = retrieval;
      },
      (error: unknown) => {
        failure.value = error;
      },
    );
  };
  if (failure.value !== undefined) return <Failure error={failure.value} retry={report} />;
  if (checked.value === undefined)
    return (
      <Button icon="gaps" onClick={report}>
        {t('declined.report')}
      </Button>
    );
  const { gaps, degraded = [] } = checked.value;
  // Gaps are found by a search, which may not have ended in its time.
  if (degraded.some((why) => why !== 'embeddings'))
    return (
      <p class="row" role="status">
        {t('declined.late')}
        <Button icon="retry" onClick={report}>
          {t('try_again')}
        </Button>
      </p>
    );
  return (
    <p role="status">{gaps.length === 0 ? t('declined.not_noted') : t('declined.noted', { gap: gaps.join(' · ') })}</p>
  );
};
