import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { KeptAnswer } from '../../../contract/answers.ts';
import type { Statement } from '../../../contract/ask-events.ts';
import { citedSources } from '../../answers/answer.ts';
import { Evidence, supportOf } from '../../answers/evidence.tsx';
import { Feedback, giveFeedbackOn } from '../../answers/feedback.tsx';
import { navigate } from '../../navigation/router.ts';
import { Button, CopyButton } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { Age } from '../../parts/time.tsx';
import { client, may } from '../../session/deployment.ts';
import { useLoaded, useRunning } from '../../session/loaded.ts';
import { formatDollars, formatMs, formatShare, t } from '../../texts/texts.ts';
import { Verdict } from './answer-list.tsx';
import { Replay } from './replay.tsx';

/** A kept answer, at an address that others with the right can open, too. */
export const KeptAnswerPage = ({ id }: { id: string }) => {
  const { value, failure, load } = useLoaded((signal) => client.answers.get(id, { signal }), [id]);
  return (
    <div class="answers-view kept">
      <div class="title">
        <h1>{value?.question ?? t('answers.single')}</h1>
        <a href="/answers">{t('answers.back')}</a>
      </div>
      {failure === undefined ? null : <Failure error={failure} retry={load} />}
      {value !== undefined ? <Kept answer={value} /> : failure === undefined ? <Loading lines={10} /> : null}
    </div>
  );
};

const Kept = ({ answer }: { answer: KeptAnswer }) => (
  <>
    <Facts answer={answer} />
    <section>
      <h2>{t('answers.answer')}</h2>
      {answer.error === undefined ? null : (
        <p class="failure">
          <Icon name="warning" />
          <span>
            <code>{answer.error.code}</code> {answer.error.message}
          </span>
        </p>
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
    <Replay id={answer.id} edition={answer.edition} />
  </>
);

const Facts = ({ answer }: { answer: KeptAnswer }) => {
  const { timings } = answer;
  const stages = (['understanding', 'routing', 'answering', 'first_statement'] as const).flatMap((stage) =>
    timings[stage] === undefined ? [] : [`${t(`stage.${stage}`)} ${formatMs(timings[stage])}`],
  );
  return (
    <dl class="facts">
      <Fact label={t('answers.verdict')}>
        <Verdict verdict={answer.verdict} code={answer.code} />
      </Fact>
      <Fact label={t('answers.confidence')}>{answer.confidence === null ? '–' : formatShare(answer.confidence)}</Fact>
      <Fact label={t('answers.asked')}>
        <Age of={answer.asked_at} />
      </Fact>
      <Fact label={t('answers.interface')}>{t(`interface.${answer.interface}`)}</Fact>
      <Fact label={t('answers.librarian')}>{answer.librarians.join(', ') || '–'}</Fact>
      <Fact label={t('answers.edition')}>{answer.edition ?? '–'}</Fact>
      <Fact label={t('answers.time')}>
        {formatMs(answer.duration_ms)}
        {stages.length === 0 ? null : <span class="quiet"> · {stages.join(', ')}</span>}
      </Fact>
      <Fact label={t('answers.cost')}>
        {formatDollars(answer.cost_usd)} <span class="quiet">· {t('answers.tokens', { count: answer.tokens })}</span>
      </Fact>
      {answer.understood_as === undefined ? null : (
        <Fact label={t('answers.understood_as')}>{answer.understood_as}</Fact>
      )}
      {answer.conversation_id === undefined ? null : (
        <Fact label={t('answers.conversation_id')}>
          <a href={`/answers?${new URLSearchParams({ conversation_id: answer.conversation_id })}`}>
            {t('answers.of_conversation')}
          </a>
        </Fact>
      )}
    </dl>
  );
};

const Fact = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

const Statements = ({ id, question, statements, edition }: KeptAnswer) => {
  const sources = citedSources(statements);
  const open = useSignal<number | undefined>(undefined);
  return (
    <ol class="statements">
      {statements.map((statement, index) => (
        <li key={`${index}-${statement.text.length}`} class="statement">
          <Markdown text={statement.text} />
          <EvidenceButton
            {...{ id: `evidence-${id}-${index}`, index, statement, query: question }}
            edition={edition ?? undefined}
            sources={sources.filter(({ citedBy }) => citedBy.includes(index))}
            isOpen={open.value === index}
            onToggle={() => (open.value = open.value === index ? undefined : index)}
          />
        </li>
      ))}
    </ol>
  );
};

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
          {t('evidence.label', { number: index + 1, articles: sources.map(({ name }) => name).join(', ') })}
        </span>
        <Icon name="down" />
      </button>
      {isOpen ? <Evidence {...evidence} /> : <div id={id} hidden />}
    </>
  );
};

const Actions = ({ answer: { id, feedback } }: { answer: KeptAnswer }) => {
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
        <CopyButton text={() => `${location.origin}/answers/${id}`}>{t('answers.copy_address')}</CopyButton>
        {may('answers:write') === true ? (
          <Button kind="quiet" icon="cross" disabled={isLoading} onClick={() => (isAsked.value = true)}>
            {t('answers.erase')}
          </Button>
        ) : null}
        <Feedback give={giveFeedbackOn(id)} before={feedback?.value} />
      </div>
      {feedback?.comment === undefined ? null : <blockquote class="quote">{feedback.comment}</blockquote>}
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
