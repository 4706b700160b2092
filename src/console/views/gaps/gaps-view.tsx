import type { KnowledgeGap, KnowledgeGapsResponse } from '../../../contract/knowledge-gaps.ts';
import { navigate } from '../../navigation/router.ts';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/fields.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { client } from '../../session/deployment.ts';
import { usePages } from '../../session/loaded.ts';
import type { ViewProps } from '../../shell/view-entry.ts';
import { count, t } from '../../texts/texts.ts';
import { Gap } from './gap.tsx';

const STATES = ['open', 'closed', 'all'] as const;
type State = (typeof STATES)[number];
const PAGE = 50;

/** What people ask and no article answers, most frequent first. */
const GapsView = ({ query }: ViewProps) => {
  const state = STATES.find((each) => each === query.get('state')) ?? 'open';
  const { items, last, failure, isLoading, load, more, drop } = usePages<KnowledgeGap, KnowledgeGapsResponse>(
    (cursor, signal) => client.gaps.list({ state, cursor, limit: PAGE }, { signal }),
    { itemsOf: ({ gaps }) => gaps, inputs: [state] },
  );
  return (
    <div class="gaps">
      <div class="title">
        <h1>{t('view.gaps')}</h1>
        <Choice
          label={t('gaps.state')}
          value={state}
          onChoose={(chosen: State) =>
            navigate(chosen === 'open' ? '/gaps' : `/gaps?state=${chosen}`, { replace: true })
          }
          options={STATES.map((each) => ({ value: each, label: t(`gaps.${each}`) }))}
        />
      </div>
      {failure === undefined ? null : <Failure error={failure} retry={items.length === 0 ? load : more} />}
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
          <p class="quiet small">
            {count('gaps.found', last.total)}
            {last.edition === null ? null : ` · ${t('evidence.edition', { edition: last.edition })}`}
          </p>
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
