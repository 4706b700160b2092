import { useSignal } from '@preact/signals';
import type { LibrarianResponse } from '../../../../contract/core/response.ts';
import type { KnowledgeGap } from '../../../../contract/wire/knowledge.ts';
import { lacksAnything, storedIdOf } from '../../answers/answer.ts';
import { KeepAnswer } from '../../checks/keep-answer.tsx';
import { answersAddress, articleAddress } from '../../navigation/router.ts';
import { Button, Icon } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/states.tsx';
import { Age } from '../../parts/values.tsx';
import { client, may } from '../../session/deployment.ts';
import { useLoaded, useRunning } from '../../session/loaded.ts';
import { intentTitle } from '../../support/intent-titles.ts';
import { count, formatNumber, formatShare, t } from '../../texts/texts.ts';

interface GapProps {
  gap: KnowledgeGap;
  onDeleted: () => void;
}

/** A gap: what is missing, how often it was asked for, whether it is closed, and what can be done about it. */
export function Gap({ gap, onDeleted }: GapProps) {
  const isOpen = useSignal(false);
  const id = `gap-${gap.id}`;
  return (
    <li class="gap">
      <div class="row between">
        <h2>
          <a href={`/gaps/${gap.id}`}>{gap.gap}</a>
        </h2>
        <State gap={gap} />
      </div>
      <Facts gap={gap} />
      <button
        type="button"
        class="button quiet unfold"
        aria-expanded={isOpen.value}
        aria-controls={id}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        <Icon name={isOpen.value ? 'down' : 'right'} />
        <span>{count('gaps.examples', gap.example_queries.length)}</span>
      </button>
      <div id={id} hidden={!isOpen.value}>
        {isOpen.value ? <Details gap={gap} /> : null}
      </div>
      {may('kb:write') === true ? <Actions gap={gap} onDeleted={onDeleted} /> : null}
    </li>
  );
}

/** How often and when it was asked, and what it is about. */
export function Facts({ gap }: { gap: KnowledgeGap }) {
  return (
    <p class="row small quiet">
      <span>
        <b>{count('gaps.times', gap.count)}</b>
        {gap.count === 1 ? null : ` · ${frequency(gap)}`}
      </span>
      {gap.count === 1 ? null : (
        <span>
          {t('gaps.first')} <Age of={gap.first_seen} />
        </span>
      )}
      <span>
        {t('gaps.last')} <Age of={gap.last_seen} />
      </span>
      {gap.kind === 'question' ? null : <span class="pill">{t(`gaps.kind_${gap.kind}`)}</span>}
      {gap.product === null ? null : <span class="pill">{gap.product}</span>}
      {gap.intent === null ? null : <span class="pill">{intentTitle(gap.intent)}</span>}
    </p>
  );
}

export function State({ gap: { state, closed_at: closedAt } }: { gap: KnowledgeGap }) {
  return state === 'open' ? (
    <span class="support weak state-mark">
      <Icon name="gaps" /> {t('gaps.open')}
    </span>
  ) : (
    <span class="support sure state-mark">
      <Icon name="check" /> {t('gaps.closed')} {closedAt === null ? null : <Age of={closedAt} />}
    </span>
  );
}

const DAY_MS = 86_400_000;

/** How often it was asked for since it was first seen. */
const frequency = ({ count: times, first_seen: first, last_seen: last }: KnowledgeGap): string => {
  const days = (Date.parse(last) - Date.parse(first)) / DAY_MS;
  // The rate of a single day would promise a week that has not been observed.
  if (days < 1) return t('gaps.within_a_day');
  return t('gaps.a_week', {
    number: formatNumber((times / days) * 7, { maximumSignificantDigits: 2 }),
  });
};

/** Characters of the filter `text` of `GET /v1/answers`. */
const MAX_WORDS = 200;

/** Each question leads to the answers that were given to it. */
export function Details({ gap: { id, gap, example_queries: examples } }: { gap: KnowledgeGap }) {
  const query = examples[0] ?? gap;
  return (
    <div class="gap-details">
      <ul>
        {examples.map((example) => (
          <li key={example}>
            {may('answers:read') === true ? (
              <a href={answersAddress({ text: example.slice(0, MAX_WORDS) })}>{example}</a>
            ) : (
              example
            )}
          </li>
        ))}
      </ul>
      <Nearest query={query} gapId={id} />
      <AskAgain query={query} />
    </div>
  );
}

/** The article that comes closest, which may be the one to extend. */
const Nearest = ({ query, gapId }: { query: string; gapId: string }) => {
  const { value, failure, load } = useLoaded(
    (signal) => client.search({ query, limit: 1 }, { signal }),
    [query],
  );
  if (failure !== undefined) return <Failure error={failure} retry={load} />;
  const [hit] = value?.hits ?? [];
  return (
    <p class="small nearest">
      {t('gaps.nearest')}{' '}
      {value === undefined ? (
        t('loading')
      ) : hit === undefined ? (
        t('gaps.no_nearest')
      ) : (
        <>
          <a href={articleAddress(hit.article_id)}>{hit.title}</a>
          <span class="quiet"> {t('gaps.relevance', { share: formatShare(hit.relevance) })}</span>
          {may('kb:write') === true ? (
            <>
              {' · '}
              <a href={`${articleAddress(hit.article_id, { isEdited: true })}&gap=${gapId}`}>
                {t('gaps.extend')}
              </a>
            </>
          ) : null}
        </>
      )}
    </p>
  );
};

/** Asks the newest question again: whether it is answered now. */
const AskAgain = ({ query }: { query: string }) => {
  const reply = useSignal<LibrarianResponse | undefined>(undefined);
  const { start, failure, isLoading } = useRunning();
  const ask = (): void =>
    start(
      (signal) => client.ask({ query }, { signal }),
      (response) => {
        reply.value = response;
      },
    );
  return (
    <div class="again">
      <Button icon="retry" disabled={isLoading} onClick={ask}>
        {t(isLoading ? 'gaps.asking' : 'gaps.ask_again')}
      </Button>
      <div role="status">{reply.value === undefined ? null : <Outcome reply={reply.value} />}</div>
      {failure === undefined ? null : <Failure error={failure} retry={ask} />}
    </div>
  );
};

const Outcome = ({ reply }: { reply: LibrarianResponse }) => {
  const sources = reply.sources ?? [];
  const isAnswered = sources.length > 0 && !lacksAnything(reply);
  const stored = storedIdOf(reply);
  return (
    <p class="row">
      <span class={`support state-mark ${isAnswered ? 'sure' : 'weak'}`}>
        <Icon name={isAnswered ? 'check' : 'unknown'} />
        {isAnswered
          ? t('gaps.answered', {
              articles: [...new Set(sources.map(({ name }) => name))].join(', '),
            })
          : t('gaps.not_answered')}
      </span>
      {stored === undefined ? null : <a href={`/answers/${stored}`}>{t('gaps.show_answer')}</a>}
    </p>
  );
};

export function Actions({ gap, onDeleted }: GapProps) {
  const isAsked = useSignal(false);
  const { start, failure, isLoading } = useRunning();
  const remove = (): void => start((signal) => client.gaps.delete(gap.id, { signal }), onDeleted);
  return (
    <>
      <div class="row">
        <a class="button" href={`/knowledge?edit&gap=${gap.id}`}>
          <Icon name="plus" /> {t('gaps.write')}
        </a>
        <Button
          kind="quiet"
          icon="cross"
          disabled={isLoading}
          onClick={() => (isAsked.value = true)}
        >
          {t('gaps.delete')}
        </Button>
        {gap.state === 'closed' ? (
          <KeepAnswer question={gap.example_queries[0] ?? gap.gap} />
        ) : null}
      </div>
      {failure === undefined ? null : <Failure error={failure} retry={remove} />}
      {isAsked.value ? (
        <Confirm
          title={t('gaps.delete_title')}
          action={t('gaps.delete')}
          onConfirm={remove}
          onClose={() => (isAsked.value = false)}
        >
          <p>{gap.gap}</p>
          <p class="quiet">{t('gaps.delete_text')}</p>
        </Confirm>
      ) : null}
    </>
  );
}
