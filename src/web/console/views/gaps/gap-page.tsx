import type { KnowledgeGap } from '../../../../contract/wire/knowledge.ts';
import { navigate } from '../../navigation/router.ts';
import { Chart } from '../../parts/chart.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { client, may } from '../../session/deployment.ts';
import { useAwaited, useLoaded } from '../../session/loaded.ts';
import { formatDate, t } from '../../texts/texts.ts';
import { Actions, Details, Facts, State } from './gap.tsx';

/** One question that customers ask and no article answers. */
export function GapPage({ id, isWritten }: { id: string; isWritten: boolean }) {
  const { value, failure, isLoading, load } = useLoaded(
    (signal) => client.gaps.get(id, { signal }),
    [id],
  );
  // An article has been written: its questions are asked again with the next edition.
  const isAwaited = isWritten && value?.state === 'open';
  useAwaited(isAwaited, { load, isLoading });
  return (
    <div class="gaps">
      <p class="small">
        <a href="/gaps">{t('gaps.back')}</a>
      </p>
      {failure === undefined ? null : (
        <>
          <h1>{t('view.gaps')}</h1>
          <Failure error={failure} retry={load} />
        </>
      )}
      {isAwaited ? (
        <p class="banner small" role="status">
          {t('gaps.awaited')}
        </p>
      ) : null}
      {value !== undefined ? (
        <OneGap gap={value} />
      ) : failure === undefined ? (
        <>
          <h1>{t('view.gaps')}</h1>
          <Loading lines={8} />
        </>
      ) : null}
    </div>
  );
}

const WEEK_MS = 604_800_000;

const OneGap = ({ gap }: { gap: KnowledgeGap }) => (
  <>
    <div class="title">
      <h1>{gap.gap}</h1>
      <State gap={gap} />
    </div>
    <Facts gap={gap} />
    {may('kb:write') === true ? <Actions gap={gap} onDeleted={() => navigate('/gaps')} /> : null}
    <Details gap={gap} />
    <Chart
      form="bar"
      title={t('gaps.trend')}
      label={t('gaps.week')}
      labels={gap.weeks.map((_, at) =>
        formatDate(new Date(Date.now() - (gap.weeks.length - at) * WEEK_MS + WEEK_MS / 7), false),
      )}
      series={[{ name: t('gaps.asked'), values: gap.weeks }]}
    />
  </>
);
