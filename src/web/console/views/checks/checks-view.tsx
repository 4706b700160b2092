import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { KnowledgeCheck, KnowledgeChecks } from '../../../../contract/wire/checks.ts';
import { CheckForm } from '../../checks/check-form.tsx';
import { BreakingChange, Expectation, Outcome } from '../../checks/check-texts.tsx';
import { articleAddress, navigate } from '../../navigation/router.ts';
import { Button, Icon, type IconName } from '../../parts/button.tsx';
import { Confirm, Dialog } from '../../parts/dialog.tsx';
import { Choice } from '../../parts/fields.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Age } from '../../parts/values.tsx';
import { client, may } from '../../session/deployment.ts';
import { usePages, useRunning } from '../../session/loaded.ts';
import type { ViewProps } from '../../shell/view-entry.ts';
import { count, formatMoment, type TextKey, t } from '../../texts/texts.ts';
import { CheckFiles } from './check-files.tsx';

const STATES = ['all', 'red', 'not_run', 'green'] as const;
type StateFilter = (typeof STATES)[number];
const PAGE = 50;
/** How often the list is read while checks run. */
const LOOK_MS = 2000;

/** Questions that must be answered or declined, red ones first. */
const ChecksView = ({ query }: ViewProps) => {
  const state = STATES.find((each) => each === query.get('state')) ?? 'all';
  const pages = usePages<KnowledgeCheck, KnowledgeChecks>(
    (cursor, signal) => client.checks.list({ state, cursor, limit: PAGE }, { signal }),
    { itemsOf: ({ checks }) => checks, inputs: [state] },
  );
  const { items, last, failure, isLoading, load, more, drop } = pages;
  useEffect(() => {
    // A list of several pages stays as it is until it is read again.
    if (last?.running !== true || items.length > PAGE) return;
    const timer = setTimeout(load, LOOK_MS);
    return () => clearTimeout(timer);
  }, [last]);
  return (
    <div class="checks">
      <div class="title">
        <h1>{t('view.checks')}</h1>
        <Choice
          label={t('gaps.state')}
          value={state}
          onChoose={(chosen: StateFilter) =>
            navigate(chosen === 'all' ? '/checks' : `/checks?state=${chosen}`, { replace: true })
          }
          options={STATES.map((each) => ({ value: each, label: t(`checks.state_${each}`) }))}
        />
      </div>
      <p class="quiet">{t('checks.text')}</p>
      {may('kb:write') === true ? <Actions onChanged={load} /> : null}
      {failure === undefined ? null : (
        <Failure error={failure} retry={items.length === 0 ? load : more} />
      )}
      {last !== undefined ? (
        <List
          items={items}
          last={last}
          state={state}
          more={more}
          isLoading={isLoading}
          onChanged={load}
          drop={drop}
        />
      ) : failure === undefined ? (
        <Loading lines={8} />
      ) : null}
    </div>
  );
};

interface ListProps {
  items: readonly KnowledgeCheck[];
  last: KnowledgeChecks;
  state: StateFilter;
  more: (() => void) | undefined;
  isLoading: boolean;
  onChanged: () => void;
  drop: (isDropped: (check: KnowledgeCheck) => boolean) => void;
}

const List = ({ items, last, state, more, isLoading, onChanged, drop }: ListProps) => (
  <>
    <Summary of={last} />
    {items.length === 0 ? (
      <Empty icon="checks" title={t(state === 'all' ? 'checks.none' : 'checks.none_in_state')}>
        <p>{t(state === 'all' ? 'checks.none_text' : 'checks.none_in_state_text')}</p>
      </Empty>
    ) : (
      <ul class="check-list">
        {items.map((check) => (
          <Check
            key={check.id}
            check={check}
            onChanged={onChanged}
            onDeleted={() => drop(({ id }) => id === check.id)}
          />
        ))}
      </ul>
    )}
    {more === undefined ? null : (
      <p>
        <Button onClick={more} disabled={isLoading}>
          {t('table.more')}
        </Button>
      </p>
    )}
  </>
);

const ICONS: Readonly<Record<KnowledgeCheck['state'], { icon: IconName; tone: string }>> = {
  red: { icon: 'cross', tone: 'unsure' },
  not_run: { icon: 'unknown', tone: 'weak' },
  green: { icon: 'check', tone: 'sure' },
};
const ORDER = ['red', 'not_run', 'green'] as const;

interface SummaryProps {
  of: KnowledgeChecks;
}

/** How many have which state, each number a link to its checks; how far the run is, or when it ended. */
const Summary = ({ of: { counts, running, pending, last_ran_at: lastRunAt } }: SummaryProps) => (
  <p class="row check-summary" role="status">
    {ORDER.filter((state) => counts[state] > 0).map((state) => (
      <a
        key={state}
        class={`support ${ICONS[state].tone} state-mark`}
        href={`/checks?state=${state}`}
      >
        <Icon name={ICONS[state].icon} /> {count(`checks.count_${state}`, counts[state])}
      </a>
    ))}
    {running ? (
      <span class="quiet">{t('checks.running', progressOf(counts, pending))}</span>
    ) : lastRunAt === null ? null : (
      <span class="quiet">
        {t('checks.last_run')} <Age of={lastRunAt} />
      </span>
    )}
  </p>
);

const progressOf = (
  { red, not_run: notRun, green }: KnowledgeChecks['counts'],
  pending: number,
) => ({
  done: red + notRun + green - pending,
  total: red + notRun + green,
});

const Actions = ({ onChanged }: { onChanged: () => void }) => {
  const isOpen = useSignal(false);
  const { start, failure, isLoading } = useRunning();
  const run = (): void => start((signal) => client.checks.run({ signal }), onChanged);
  return (
    <>
      <div class="row">
        <Button kind="primary" icon="plus" onClick={() => (isOpen.value = true)}>
          {t('checks.add')}
        </Button>
        <Button icon="retry" disabled={isLoading} onClick={run}>
          {t('checks.run')}
        </Button>
        <CheckFiles onSaved={onChanged} />
      </div>
      {failure === undefined ? null : <Failure error={failure} retry={run} />}
      {isOpen.value ? (
        <Dialog title={t('checks.add')} onClose={() => (isOpen.value = false)}>
          <CheckForm
            onSaved={() => {
              isOpen.value = false;
              onChanged();
            }}
          />
        </Dialog>
      ) : null}
    </>
  );
};

interface CheckProps {
  check: KnowledgeCheck;
  onChanged: () => void;
  onDeleted: () => void;
}

/** A check: its question and state, what was expected, what came, and what broke it; of one that is not red the first two, until it is unfolded. */
const Check = ({ check, onChanged, onDeleted }: CheckProps) => {
  const { id, question, state } = check;
  const isOpen = useSignal(state === 'red');
  const details = `check-${id}`;
  return (
    <li class={`check-item ${state}`}>
      <div class="row between">
        <h2>{question}</h2>
        <State check={check} />
      </div>
      <button
        type="button"
        class="button quiet unfold"
        aria-expanded={isOpen.value}
        aria-controls={details}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        <Icon name={isOpen.value ? 'down' : 'right'} />
        <span>
          <Expectation check={check} answer={check.answer} />
        </span>
      </button>
      <div id={details} class="check-details" hidden={!isOpen.value}>
        {isOpen.value ? (
          <Details check={check} onChanged={onChanged} onDeleted={onDeleted} />
        ) : null}
      </div>
    </li>
  );
};

const State = ({ check: { state, ran_at: ranAt } }: { check: KnowledgeCheck }) => {
  const { icon, tone } = ICONS[state];
  return (
    <span class={`support ${tone} state-mark`}>
      <Icon name={icon} /> {t(`checks.state_${state}`)}
      {ranAt === null ? null : (
        <span class="quiet small">
          {t('checks.ran')} <Age of={ranAt} />
        </span>
      )}
    </span>
  );
};

const Details = ({ check, onChanged, onDeleted }: CheckProps) => {
  const { cites, answer, lacks, broken_by: broken, since, state } = check;
  return (
    <>
      {broken === null ? null : <BreakingChange of={broken} />}
      {answer === null ? (
        <p class="quiet">{t('checks.not_run_text')}</p>
      ) : (
        <Outcome result={{ answer, lacks }} />
      )}
      {since === null ? null : (
        <p class="quiet small">
          {t(`checks.since_${state}`, { moment: formatMoment(new Date(since)) })}
        </p>
      )}
      <div class="row">
        {may('kb:write') === true ? (
          <Changes check={check} onChanged={onChanged} onDeleted={onDeleted} />
        ) : null}
        {cites === undefined ? null : (
          <a href={articleAddress(cites)}>{t('checks.show_article')}</a>
        )}
      </div>
    </>
  );
};

const Changes = ({ check, onChanged, onDeleted }: CheckProps) => {
  const panel = useSignal<'form' | 'deletion' | undefined>(undefined);
  const { start, failure, isLoading } = useRunning();
  const remove = (): void =>
    start((signal) => client.checks.delete(check.id, { signal }), onDeleted);
  const close = (): void => {
    panel.value = undefined;
  };
  const labelOf = (key: TextKey) => `${t(key)}: ${check.question}`;
  return (
    <>
      <Button aria-label={labelOf('checks.change')} onClick={() => (panel.value = 'form')}>
        {t('checks.change')}
      </Button>
      <Button
        kind="quiet"
        icon="cross"
        aria-label={labelOf('checks.delete')}
        disabled={isLoading}
        onClick={() => (panel.value = 'deletion')}
      >
        {t('checks.delete')}
      </Button>
      {failure === undefined ? null : <Failure error={failure} retry={remove} />}
      {panel.value === 'form' ? (
        <Dialog title={t('checks.change')} onClose={close}>
          <CheckForm
            check={check}
            onSaved={() => {
              close();
              onChanged();
            }}
          />
        </Dialog>
      ) : null}
      {panel.value === 'deletion' ? (
        <Confirm
          title={t('checks.delete_title')}
          action={t('checks.delete')}
          onConfirm={remove}
          onClose={close}
        >
          <p>{check.question}</p>
        </Confirm>
      ) : null}
    </>
  );
};

export default ChecksView;
