import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { AnswerReplay, ReplayedAnswer, StatementChange } from '../../../contract/answers.ts';
import type { EditionSummary } from '../../../contract/editions.ts';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/fields.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { Failure } from '../../parts/states.tsx';
import { client, librarians, may } from '../../session/deployment.ts';
import { useLoaded, useRunning } from '../../session/loaded.ts';
import { count, formatDollars, formatMoment, formatMs, formatNumber, formatShare, t } from '../../texts/texts.ts';
import { Verdict } from './answer-list.tsx';

/** The librarian that answered before. */
const SAME = '';
const CONCIERGE = 'concierge';
/** The one that answers from editions. */
const NAVIGATOR = 'navigator';
/** The articles as they are now. */
const NOW = '';

/** Asks a kept question again, of another edition or librarian or without a model, and shows what is different. */
export const Replay = ({ id, edition: answeredFrom }: { id: string; edition: string | null }) => {
  const edition = useSignal<string>(NOW);
  const librarian = useSignal<string>(SAME);
  const withModel = useSignal(true);
  const replay = useSignal<AnswerReplay | undefined>(undefined);
  const { start, failure, isLoading } = useRunning();
  const ask = (): void => {
    const asked = {
      ...(edition.value !== NOW
        ? { edition: edition.value }
        : librarian.value === SAME
          ? {}
          : { librarian: librarian.value }),
      ...(withModel.value ? {} : { model: false }),
    };
    start(
      (signal) => client.answers.replay(id, asked, { signal }),
      (found) => {
        replay.value = found;
      },
    );
  };
  const others = [CONCIERGE, ...librarians.value.map(({ id }) => id).filter((id) => id !== CONCIERGE)];
  return (
    <section class="replay">
      <h2>{t('replay.title')}</h2>
      <p class="quiet small">{t('replay.text')}</p>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          ask();
        }}
      >
        <EditionChoice
          value={edition.value}
          answeredFrom={answeredFrom}
          onChoose={(chosen) => {
            edition.value = chosen;
          }}
        />
        <Choice
          label={t('replay.librarian')}
          value={edition.value === NOW ? librarian.value : NAVIGATOR}
          onChoose={(chosen) => {
            librarian.value = chosen;
          }}
          options={
            edition.value === NOW
              ? [{ value: SAME, label: t('replay.same') }, ...others.map((name) => ({ value: name, label: name }))]
              : [{ value: NAVIGATOR, label: NAVIGATOR }]
          }
        />
        <label class="check">
          <input
            type="checkbox"
            checked={withModel.value}
            onChange={(event) => {
              withModel.value = event.currentTarget.checked;
            }}
          />
          {t('replay.model')}
        </label>
        <Button type="submit" icon="retry" disabled={isLoading}>
          {t(isLoading ? 'replay.running' : 'replay.action')}
        </Button>
      </form>
      {failure === undefined ? null : <Failure error={failure} retry={ask} />}
      <div role="status">
        {replay.value === undefined || isLoading ? null : <p>{summaryOf(replay.value.difference)}</p>}
      </div>
      {replay.value === undefined ? null : <Compared replay={replay.value} />}
    </section>
  );
};

interface EditionChoiceProps {
  value: string;
  answeredFrom: string | null;
  onChoose: (edition: string) => void;
}

/** The editions that are kept, also those that cannot be asked any more. */
const EditionChoice = ({ value, answeredFrom, onChoose }: EditionChoiceProps) => {
  const { value: list } = useLoaded(
    async (signal) =>
      may('kb:read') === true ? await client.editions.list({ signal }).catch(() => undefined) : undefined,
    [],
  );
  const earlier = list?.editions.filter((edition) => !edition.is_current) ?? [];
  if (earlier.length === 0) return null;
  const label = ({ id, published_at: at, is_stored: isStored }: EditionSummary): string =>
    [
      formatMoment(new Date(at)),
      id,
      ...(id === answeredFrom ? [t('replay.edition_answered')] : []),
      ...(isStored ? [] : [t('replay.edition_gone')]),
    ].join(' · ');
  return (
    <Choice
      label={t('answers.edition')}
      value={value}
      onChoose={onChoose}
      options={[
        { value: NOW, label: t('replay.edition_now') },
        ...earlier.map((each) => ({ value: each.id, label: label(each), isDisabled: !each.is_stored })),
      ]}
    />
  );
};

const CHANGES = ['kept', 'changed', 'added', 'removed'] as const;

/** `2 statements kept, 1 added` */
const summaryOf = (difference: readonly StatementChange[]): string =>
  difference.length === 0
    ? t('replay.no_statements')
    : CHANGES.flatMap((change) => {
        const number = difference.filter((each) => each.change === change).length;
        return number === 0 ? [] : [count(`replay.${change}`, number)];
      }).join(', ');

const Compared = ({ replay: { before, after, difference } }: { replay: AnswerReplay }) => (
  <>
    <div class="scrolls table">
      <table>
        <caption class="visually-hidden">{t('replay.compared')}</caption>
        <thead>
          <tr>
            <td />
            <th scope="col">{t('replay.before')}</th>
            <th scope="col">{t('replay.after')}</th>
          </tr>
        </thead>
        <tbody>
          {FACTS.map(([label, show]) => (
            <tr key={label}>
              <th scope="row">{t(label)}</th>
              <td>{show(before)}</td>
              <td>{show(after)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    {difference.length === 0 ? (
      <div class="both">
        <Whole label={t('replay.before')} answer={before.answer} />
        <Whole label={t('replay.after')} answer={after.answer} />
      </div>
    ) : (
      <ol class="difference">
        {difference.map((each) => (
          <Changed
            key={`${each.before}-${each.after}`}
            change={each.change}
            before={each.before === undefined ? undefined : before.statements[each.before]?.text}
            after={each.after === undefined ? undefined : after.statements[each.after]?.text}
          />
        ))}
      </ol>
    )}
  </>
);

const FACTS: readonly [
  label: `answers.${'verdict' | 'confidence' | 'librarian' | 'edition' | 'time' | 'tokens_label' | 'cost'}`,
  show: (answer: ReplayedAnswer) => ComponentChildren,
][] = [
  ['answers.verdict', ({ verdict, code }) => <Verdict verdict={verdict} code={code} />],
  ['answers.confidence', ({ confidence }) => (confidence === null ? '–' : formatShare(confidence))],
  ['answers.librarian', ({ librarians: those }) => those.join(', ') || '–'],
  ['answers.edition', ({ edition }) => edition ?? '–'],
  ['answers.time', ({ duration_ms: ms }) => formatMs(ms)],
  ['answers.tokens_label', ({ tokens }) => formatNumber(tokens)],
  ['answers.cost', ({ cost_usd: cost }) => formatDollars(cost)],
];

const Whole = ({ label, answer }: { label: string; answer: string | null }) => (
  <div>
    <h3>{label}</h3>
    {answer === null ? <p>–</p> : <Markdown text={answer} />}
  </div>
);

interface ChangedProps {
  change: StatementChange['change'];
  before: string | undefined;
  after: string | undefined;
}

/** A statement before on the left, and now on the right. */
const Changed = ({ change, before, after }: ChangedProps) => (
  <li class={change}>
    <p class="quiet small">{t(`replay.is_${change}`)}</p>
    {change === 'kept' ? (
      <Markdown text={after ?? ''} />
    ) : (
      <div class="both">
        <div>{before === undefined ? null : <Said as="del" text={before} />}</div>
        <div>{after === undefined ? null : <Said as="ins" text={after} />}</div>
      </div>
    )}
  </li>
);

const Said = ({ as: Element, text }: { as: 'del' | 'ins'; text: string }) => (
  <Element>
    <Markdown text={text} />
  </Element>
);
