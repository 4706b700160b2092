import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Statement } from '../../../../contract/core/ask.ts';
import type {
  AnswerReplay,
  KeptAnswer,
  ReplayedAnswer,
  StatementChange,
} from '../../../../contract/wire/answers.ts';
import type { EditionSummary } from '../../../../contract/wire/editions.ts';
import { type CitedSource, citedSources } from '../../answers/answer.ts';
import { Evidence, ReportedBy, supportOf } from '../../answers/evidence.tsx';
import { Feedback, giveFeedbackOn } from '../../answers/feedback.tsx';
import { learnReporters } from '../../answers/reporters.ts';
import { KeepAnswer } from '../../checks/keep-answer.tsx';
import { answersAddress, articleAddress, navigate } from '../../navigation/router.ts';
import { Button, CopyButton, Icon } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Choice } from '../../parts/fields.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { Problem } from '../../parts/problem.tsx';
import { SourceLink } from '../../parts/source-link.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { Age } from '../../parts/values.tsx';
import { client, librarians, may } from '../../session/deployment.ts';
import { useLoaded, useRunning } from '../../session/loaded.ts';
import type { ViewProps } from '../../shell/view-entry.ts';
import {
  count,
  formatDollars,
  formatMoment,
  formatMs,
  formatNumber,
  formatShare,
  t,
} from '../../texts/texts.ts';
import { AnswerList, Verdict } from './answer-list.tsx';
import { ConversationPage } from './conversation-page.tsx';
import { OpenQuestion } from './open-question.tsx';

/** The answers that the deployment has kept; one of them, and one conversation, at an address that stays. */
const AnswersView = ({ parts: [id, conversation], query }: ViewProps) => {
  if (id === 'conversation' && conversation !== undefined)
    return <ConversationPage key={conversation} id={conversation} />;
  return id === undefined ? <AnswerList query={query} /> : <KeptAnswerPage key={id} id={id} />;
};

/** A kept answer, at an address that others with the right can open, too. */
export function KeptAnswerPage({ id }: { id: string }) {
  const { value, failure, load } = useLoaded((signal) => client.answers.get(id, { signal }), [id]);
  return (
    <div class="answers-view kept">
      <div class="title">
        <h1>{value?.question ?? t('answers.single')}</h1>
        <a href="/answers">{t('answers.back')}</a>
      </div>
      {failure === undefined ? null : <Failure error={failure} retry={load} />}
      {value !== undefined ? (
        <Kept answer={value} />
      ) : failure === undefined ? (
        <Loading lines={10} />
      ) : null}
    </div>
  );
}

const Kept = ({ answer }: { answer: KeptAnswer }) => (
  <>
    <Facts answer={answer} />
    <section>
      <h2>{t('answers.answer')}</h2>
      {answer.error === undefined ? null : (
        <div class="failure">
          <Icon name="warning" />
          <div>
            <Problem {...answer.error} />
          </div>
        </div>
      )}
      {answer.statements.length > 0 ? (
        <Statements {...answer} />
      ) : answer.answer === null ? null : (
        <Markdown text={answer.answer} />
      )}
      {answer.omitted === undefined ? null : (
        <p class="quiet small">{t('answers.omitted', { parts: answer.omitted.join(', ') })}</p>
      )}
    </section>
    <Actions answer={answer} />
    <OpenQuestion answer={answer} />
    <Replay id={answer.id} edition={answer.edition} />
  </>
);

const Facts = ({ answer }: { answer: KeptAnswer }) => {
  const { timings } = answer;
  const stages = (['understanding', 'routing', 'answering', 'first_statement'] as const).flatMap(
    (stage) =>
      timings[stage] === undefined ? [] : [`${t(`stage.${stage}`)} ${formatMs(timings[stage])}`],
  );
  return (
    <>
      <dl class="facts">
        <Fact label={t('answers.verdict')}>
          <Verdict verdict={answer.verdict} code={answer.code} />
        </Fact>
        <Fact label={t('answers.confidence')}>
          {answer.confidence === null ? '–' : formatShare(answer.confidence)}
        </Fact>
        <Fact label={t('answers.asked')}>
          <Age of={answer.asked_at} />
        </Fact>
        <Fact label={t('answers.interface')}>{t(`interface.${answer.interface}`)}</Fact>
        {answer.person_id === undefined ? null : (
          <Fact label={t('answers.person_id')}>
            <a href={answersAddress({ person_id: answer.person_id })}>{answer.person_id}</a>
          </Fact>
        )}
        {answer.understood_as === undefined ? null : (
          <Fact label={t('answers.understood_as')}>{answer.understood_as}</Fact>
        )}
        {answer.conversation_id === undefined ? null : (
          <Fact label={t('answers.conversation_id')}>
            <a href={`/answers/conversation/${encodeURIComponent(answer.conversation_id)}`}>
              {t('answers.of_conversation')}
            </a>
          </Fact>
        )}
      </dl>
      <details>
        <summary class="small">{t('answers.technical')}</summary>
        <dl class="facts">
          <Fact label={t('answers.librarian')}>
            {answer.librarians.map(librarianName).join(', ') || '–'}
          </Fact>
          <Fact label={t('answers.edition')}>{answer.edition ?? '–'}</Fact>
          <Fact label={t('answers.time')}>
            {formatMs(answer.duration_ms)}
            {stages.length === 0 ? null : <span class="quiet"> · {stages.join(', ')}</span>}
          </Fact>
          <Fact label={t('answers.cost')}>
            {formatDollars(answer.cost_usd)}{' '}
            <span class="quiet">· {t('answers.tokens', { count: answer.tokens })}</span>
          </Fact>
        </dl>
      </details>
    </>
  );
};

const librarianName = (id: string): string =>
  librarians.value.find((each) => each.id === id)?.name ?? id;

const Fact = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

const Statements = ({ id, question, statements, metadata }: KeptAnswer) => {
  learnReporters(metadata);
  const sources = citedSources(statements);
  const open = useSignal<number | undefined>(undefined);
  return (
    <>
      <ol class="statements">
        {statements.map((statement, index) => (
          <li key={`${index}-${statement.text.length}`} class="statement">
            <Markdown text={statement.text} />
            <EvidenceButton
              id={`evidence-${id}-${index}`}
              index={index}
              statement={statement}
              query={question}
              sources={sources.filter(({ citedBy }) => citedBy.includes(index))}
              isOpen={open.value === index}
              onToggle={() => (open.value = open.value === index ? undefined : index)}
            />
          </li>
        ))}
      </ol>
      <Articles sources={sources} />
    </>
  );
};

/** The articles that an answer cites, by the numbers that its statements show. */
const Articles = ({ sources }: { sources: readonly CitedSource[] }) =>
  sources.length === 0 ? null : (
    <ul class="cited-articles small" aria-label={t('answers.articles')}>
      {sources.map(({ number, name, url, file, reportedBy }) => (
        <li key={number}>
          <span class="number">{number}</span>{' '}
          {file === undefined || reportedBy !== undefined || may('kb:read') !== true ? (
            <SourceLink url={url}>{name}</SourceLink>
          ) : (
            <a href={articleAddress(file)}>{name}</a>
          )}
          <ReportedBy id={reportedBy} />
        </li>
      ))}
    </ul>
  );

type EvidenceProps = Parameters<typeof Evidence>[0];

const EvidenceButton = ({
  isOpen,
  onToggle,
  ...evidence
}: EvidenceProps & { statement: Statement; isOpen: boolean; onToggle: () => void }) => {
  const { id, index, statement, sources } = evidence;
  return (
    <>
      <button
        type="button"
        class={`chip ${supportOf(statement)}`}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={onToggle}
      >
        {sources.map(({ number }) => (
          <span key={number} class="number">
            {number}
          </span>
        ))}
        <span>{t(`support.${supportOf(statement)}`)}</span>
        <span class="visually-hidden">
          {t('evidence.label', {
            number: index + 1,
            articles: sources.map(({ name }) => name).join(', '),
          })}
        </span>
        <Icon name="down" />
      </button>
      {isOpen ? <Evidence {...evidence} /> : <div id={id} hidden />}
    </>
  );
};

const Actions = ({ answer }: { answer: KeptAnswer }) => {
  const { id, feedback } = answer;
  const isAsked = useSignal(false);
  const { start, failure, isLoading } = useRunning();
  const erase = (): void =>
    start(
      (signal) => client.answers.delete(id, { signal }),
      () => navigate('/answers'),
    );
  return (
    <section class="answer-footer">
      <div class="row">
        <a class="button quiet" href={`/trace/${id}`}>
          <Icon name="trace" /> {t('view.trace')}
        </a>
        <a class="button quiet" href={`/why/${id}`}>
          <Icon name="why" /> {t('view.why')}
        </a>
        <CopyButton text={() => `${location.origin}/answers/${id}`}>
          {t('answers.copy_address')}
        </CopyButton>
        {may('answers:write') === true ? (
          <Button
            kind="quiet"
            icon="cross"
            disabled={isLoading}
            onClick={() => (isAsked.value = true)}
          >
            {t('answers.erase')}
          </Button>
        ) : null}
        <Feedback give={giveFeedbackOn(id)} before={feedback?.value} />
        {CHECKABLE_VERDICTS.includes(answer.verdict) ? (
          <KeepAnswer
            question={answer.understood_as ?? answer.question}
            cites={citedFirst(answer)}
          />
        ) : null}
      </div>
      {feedback?.comment === undefined ? null : (
        <blockquote class="quote">{feedback.comment}</blockquote>
      )}
      {failure === undefined ? null : <Failure error={failure} retry={erase} />}
      {isAsked.value ? (
        <Confirm
          title={t('answers.erase_title')}
          action={t('answers.erase')}
          onConfirm={erase}
          onClose={() => (isAsked.value = false)}
        >
          <p>{t('answers.erase_text')}</p>
        </Confirm>
      ) : null}
    </section>
  );
};

/** What came of a question that may be expected of it. */
const CHECKABLE_VERDICTS: readonly KeptAnswer['verdict'][] = ['answered', 'hedged', 'declined'];

/** The article that an answer cites first; null when it was declined. */
const citedFirst = ({ verdict, statements }: KeptAnswer): string | null | undefined => {
  if (verdict === 'declined') return null;
  return statements.flatMap(({ sources }) => sources.flatMap(({ file }) => file ?? [])).at(0);
};

/** The librarian that answered before. */
const SAME = '';
const CONCIERGE = 'concierge';
/** The one that answers from editions. */
const NAVIGATOR = 'navigator';
/** The articles as they are now. */
const NOW = '';

/** Asks a kept question again, of another edition or librarian or without a model, and shows what is different. */
export function Replay({ id, edition: answeredFrom }: { id: string; edition: string | null }) {
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
  const others = [
    CONCIERGE,
    ...librarians.value.map(({ id }) => id).filter((id) => id !== CONCIERGE),
  ];
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
              ? [
                  { value: SAME, label: t('replay.same') },
                  ...others.map((name) => ({ value: name, label: name })),
                ]
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
        {replay.value === undefined || isLoading ? null : (
          <p>{summaryOf(replay.value.difference)}</p>
        )}
      </div>
      {replay.value === undefined ? null : <Compared replay={replay.value} />}
    </section>
  );
}

interface EditionChoiceProps {
  value: string;
  answeredFrom: string | null;
  onChoose: (edition: string) => void;
}

/** The editions that are kept, also those that cannot be asked any more. */
const EditionChoice = ({ value, answeredFrom, onChoose }: EditionChoiceProps) => {
  const { value: list } = useLoaded(
    async (signal) =>
      may('kb:read') === true
        ? await client.editions.list({ signal }).catch(() => undefined)
        : undefined,
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
        ...earlier.map((each) => ({
          value: each.id,
          label: label(each),
          isDisabled: !each.is_stored,
        })),
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

export default AnswersView;
