import type { KnowledgeGap, KnowledgeGapsResponse } from '../../../../contract/wire/knowledge.ts';
import { navigate } from '../../navigation/router.ts';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/fields.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { client } from '../../session/deployment.ts';
import { usePages } from '../../session/loaded.ts';
import type { ViewProps } from '../../shell/view-entry.ts';
import { count, t } from '../../texts/texts.ts';
import { Gap } from './gap.tsx';
import { GapPage } from './gap-page.tsx';

const STATES = ['open', 'closed', 'all'] as const;
type StateFilter = (typeof STATES)[number];
const DAYS = ['any', '1', '7', '28'] as const;
type DaysFilter = (typeof DAYS)[number];
const PAGE = 50;

/** What people ask and no article answers; one question at `/gaps/<id>`. */
const GapsView = ({ parts: [id], query }: ViewProps) =>
  id === undefined ? (
    <GapList query={query} />
  ) : (
    <GapPage id={id} isWritten={query.has('written')} />
  );

const addressOf = (state: StateFilter, days: DaysFilter): string => {
  const filters = [
    ['state', state === 'open' ? '' : state],
    ['days', days === 'any' ? '' : days],
  ].filter(([, value]) => value !== '');
  return `/gaps${filters.length === 0 ? '' : `?${new URLSearchParams(filters)}`}`;
};

/** Most frequent first. */
const GapList = ({ query }: { query: URLSearchParams }) => {
  const state = STATES.find((each) => each === query.get('state')) ?? 'open';
  const days = DAYS.find((each) => each === query.get('days')) ?? 'any';
  const { items, last, failure, isLoading, load, more, drop } = usePages<
    KnowledgeGap,
    KnowledgeGapsResponse
  >(
    (cursor, signal) => {
      const filter = {
        state,
        cursor,
        limit: PAGE,
        ...(days === 'any' ? {} : { days: Number(days) }),
      };
      return client.gaps.list(filter, { signal });
    },
    { itemsOf: ({ gaps }) => gaps, inputs: [state, days] },
  );
  return (
    <div class="gaps">
      <div class="title">
        <h1>{t('view.gaps')}</h1>
        <div class="row">
          <Choice<DaysFilter>
            label={t('gaps.days')}
            value={days}
            onChoose={(chosen) => navigate(addressOf(state, chosen), { replace: true })}
            options={DAYS.map((each) => ({
              value: each,
              label: each === 'any' ? t('gaps.days.any') : t(`home.days.${each}`),
            }))}
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

export default GapsView;
