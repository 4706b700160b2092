import { useSignal } from '@preact/signals';
import type { KnowledgeRetrieval } from '../../../contract/knowledge-retrieval.ts';
import { type Answer, closestOf, navigatorOf } from '../../answers/answer.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { SourceLink } from '../../parts/source-link.tsx';
import { Failure } from '../../parts/states.tsx';
import { call } from '../../session/deployment.ts';
import { t } from '../../texts/texts.ts';

/** A finished "no": what is lacking and why, and the articles that come closest. */
export const Declined = ({ answer, onAsk }: { answer: Answer; onAsk: (query: string) => void }) => {
  const reply = navigatorOf(answer.response);
  const closest = closestOf(answer.response);
  const [says = ''] = (answer.response?.answer ?? '').split('\n\n');
  return (
    <section class="declined">
      <h3>
        <Icon name="unknown" /> {t(reply?.outOfDomain === true ? 'declined.off_topic' : 'declined.unknown')}
      </h3>
      <Markdown text={says} />
      {reply === undefined ? null : <p class="quiet small">{reply.confidenceReason}</p>}
      {closest.length === 0 ? null : (
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
      )}
      {(reply?.relatedTopics ?? []).length === 0 ? null : (
        <>
          <h4>{t('declined.topics')}</h4>
          <p class="row">
            {reply?.relatedTopics?.slice(0, 5).map((topic) => (
              <button key={topic} type="button" class="button suggestion" onClick={() => onAsk(topic)}>
                {topic}
              </button>
            ))}
          </p>
        </>
      )}
      <ReportGap query={answer.query} />
    </section>
  );
};

/** Reports the question as one that the knowledge base should answer, and says what was noted. */
const ReportGap = ({ query }: { query: string }) => {
  const noted = useSignal<readonly string[] | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const report = (): void => {
    failure.value = undefined;
    const body = { message: query };
    call<{ knowledge_retrieval: KnowledgeRetrieval }>(
      'POST /v1/support/analyze',
      { knowledge_retrieval: 'object' },
      { body },
    ).then(
      ({ knowledge_retrieval: { gaps } }) => {
        noted.value = gaps;
      },
      (error: unknown) => {
        failure.value = error;
      },
    );
  };
  if (failure.value !== undefined) return <Failure error={failure.value} retry={report} />;
  if (noted.value === undefined)
    return (
      <Button icon="gaps" onClick={report}>
        {t('declined.report')}
      </Button>
    );
  return (
    <p role="status">
      {noted.value.length === 0 ? t('declined.not_noted') : t('declined.noted', { gap: noted.value.join(' · ') })}
    </p>
  );
};
