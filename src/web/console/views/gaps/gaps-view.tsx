import type { KnowledgeGap, KnowledgeGapsResponse } from '../../../../contract/wire/knowledge.ts';
import { navigate } from '../../navigation/router.ts';
import { Button } from '../../parts/button.tsx';
import { Chart } from '../../parts/chart.tsx';
import { Choice } from '../../parts/fields.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { client, may } from '../../session/deployment.ts';
import { useAwaited, useLoaded, usePages } from '../../session/loaded.ts';
import type { ViewProps } from '../../shell/view-entry.ts';
import { count, formatDate, t } from '../../texts/texts.ts';
import { Actions, Details, Facts, Gap, State } from './gap.tsx';

const STATES = ['open', 'closed', 'all'] as const;
type StateFilter = (typeof STATES)[number];
/** Offered beside the one of the address. */
const DAYS = [1, 7, 28];
const MAX_DAYS = 28;
const PAGE = 50;

/** `7` -> 7; undefined without a whole number from 1 to 28. */
const daysIn = (query: URLSearchParams): number | undefined => {
  const text = query.get('days') ?? '';
  const days = Number(text);
  return /^[1-9]\d?$/.test(text) && days <= MAX_DAYS ? days : undefined;
};

/** What people ask and no article answers; one question at `/gaps/<id>`. */
const GapsView = ({ parts: [id], query }: ViewProps) =>
  id === undefined ? (
    <GapList query={query} />
  ) : (
    <GapPage id={id} isWritten={query.has('written')} />
  );

const addressOf = (state: StateFilter, days: number | undefined): string => {
  const filters = [
    ['state', state === 'open' ? '' : state],
    ['days', String(days ?? '')],
  ].filter(([, value]) => value !== '');
  return `/gaps${filters.length === 0 ? '' : `?${new URLSearchParams(filters)}`}`;
};

/** Most frequent first. */
const GapList = ({ query }: { query: URLSearchParams }) => {
  const state = STATES.find((each) => each === query.get('state')) ?? 'open';
  const days = daysIn(query);
  const { items, last, failure, isLoading, load, more, drop } = usePages<
    KnowledgeGap,
    KnowledgeGapsResponse
  >(
    (cursor, signal) => {
      const filter = {
        state,
        cursor,
        limit: PAGE,
        ...(days === undefined ? {} : { days }),
      };
      return client.gaps.list(filter, { signal });
    },
    { itemsOf: ({ gaps }) => gaps, inputs: [state, String(days)] },
  );
  return (
    <div class="gaps">
      <div class="title">
        <h1>{t('view.gaps')}</h1>
        <div class="row">
          <DaysChoice
            days={days}
            onChoose={(chosen) => navigate(addressOf(state, chosen), { replace: true })}
          />
          <Choice<StateFilter>
            label={t('gaps.state')}
            value={state}
            onChoose={(chosen) => navigate(addressOf(chosen, days), { replace: true })}
            options={STATES.map((each) => ({ value: each, label: t(`gaps.${each}`) }))}
          />
        </div>
      </div>
      {failure === undefined ? null : (
        <Failure error={failure} retry={items.length === 0 ? load : more} />
      )}
      {last === undefined ? (
        failure === undefined ? (
          <Loading lines={8} />
        ) : null
      ) : items.length === 0 ? (
        <Empty icon="gaps" title={t(state === 'closed' ? 'gaps.none_closed' : 'gaps.none')}>
          <p>{t(state === 'closed' ? 'gaps.none_closed_text' : 'gaps.none_text')}</p>
        </Empty>
      ) : (
        <>
          <p class="quiet small">{count('gaps.found', last.total)}</p>
          <ul class="gap-list">
            {items.map((gap) => (
              <Gap key={gap.id} gap={gap} onDeleted={() => drop(({ id }) => id === gap.id)} />
            ))}
          </ul>
          {more === undefined ? null : (
            <p>
              <Button onClick={more} disabled={isLoading}>
                {t('table.more')}
              </Button>
            </p>
          )}
        </>
      )}
    </div>
  );
};

interface DaysChoiceProps {
  days: number | undefined;
  onChoose: (days: number | undefined) => void;
}

const DaysChoice = ({ days, onChoose }: DaysChoiceProps) => {
  const offered = [...new Set([...DAYS, ...(days === undefined ? [] : [days])])];
  return (
    <Choice
      label={t('gaps.days')}
      value={String(days ?? 0)}
      onChoose={(chosen) => onChoose(Number(chosen) || undefined)}
      options={[
        { value: '0', label: t('gaps.days.any') },
        ...offered
          .toSorted((one, other) => one - other)
          .map((each) => ({ value: String(each), label: count('gaps.days', each) })),
      ]}
    />
  );
};

export default GapsView;

/** One question that customers ask and no article answers. */
function GapPage({ id, isWritten }: { id: string; isWritten: boolean }) {
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
