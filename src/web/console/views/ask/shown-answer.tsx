import { type Signal, useComputed, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { ConstellationError } from '../../../../../client/constellation-error.ts';
import type { Statement } from '../../../../contract/core/ask.ts';
import type { ErrorCode } from '../../../../contract/core/error-info.ts';
import type { Source } from '../../../../contract/core/response.ts';
import type { KnowledgeGapReported } from '../../../../contract/wire/knowledge.ts';
import {
  type Answer,
  agentIn,
  alsoRead,
  asMarkdown,
  type CitedSource,
  type Closest,
  citedSources,
  closestOf,
  isDeclined,
  isDoubtful,
  navigatorOf,
  reporterOf,
  type ShownError,
  storedIdOf,
} from '../../answers/answer.ts';
import { askAgain, loadDisplay, stop } from '../../answers/asked-questions.ts';
import {
  confidenceText,
  Evidence,
  ReportedBy,
  SourceLine,
  supportOf,
} from '../../answers/evidence.tsx';
import { Feedback, giveFeedbackOn } from '../../answers/feedback.tsx';
import { navigate } from '../../navigation/router.ts';
import { Button, CopyButton, Icon } from '../../parts/button.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { SourceLink } from '../../parts/source-link.tsx';
import { Failure } from '../../parts/states.tsx';
import { client } from '../../session/deployment.ts';
import { useRunning } from '../../session/loaded.ts';
import { count, type TextKey, t } from '../../texts/texts.ts';
import { Blocks } from './blocks.tsx';

/** A question with its answer: each statement with its evidence beside it, or below where there is no room. */
export function ShownAnswer({
  answer: shown,
  onAsk,
}: {
  answer: Signal<Answer>;
  onAsk: (query: string) => void;
}) {
  const answer = shown.value;
  /** The statement whose evidence is open. */
  const open = useSignal<number | undefined>(undefined);
  /** The source, by its number, or the statement that the pointer is on. */
  const lit = useSignal<{ source?: number; statement?: number }>({});
  const sources = citedSources(answer.statements);
  const isRunning = answer.phase === 'asking' || answer.phase === 'answering';
  return (
    <article class="turn" aria-busy={isRunning}>
      <h2 class="question">{answer.query}</h2>
      <div class="answer">
        <div class="body">
          <p class="progress" role="status">
            {progressOf(answer)}
          </p>
          <Reported by={reporterOf(answer.response)} />
          <Body answer={answer} sources={sources} open={open} lit={lit} onAsk={onAsk} />
          {answer.error === undefined ? null : (
            <Failure error={errorOf(answer.error)} retry={() => askAgain(shown)} />
          )}
          {answer.phase === 'stopped' ? (
            <Button icon="retry" onClick={() => askAgain(shown)}>
              {t('try_again')}
            </Button>
          ) : null}
          {isRunning ? (
            <Button kind="quiet" icon="stop" onClick={() => stop(answer.id)}>
              {t('ask.stop')}
            </Button>
          ) : null}
          {answer.phase === 'done' ? <AnswerFooter answer={shown} /> : null}
        </div>
        <Sources answer={answer} sources={sources} lit={lit} />
      </div>
    </article>
  );
}

/** Says above an answer that it is made of the claims of an external librarian. */
const Reported = ({ by: librarian }: { by: string | undefined }) =>
  librarian === undefined ? null : (
    <p class="doubt">
      <Icon name="unknown" /> {t('answer.reported_by', { librarian })}
    </p>
  );

interface Lighting {
  open: Signal<number | undefined>;
  lit: Signal<{ source?: number; statement?: number }>;
}

const Body = ({ onAsk, ...props }: StatementsProps & { onAsk: (query: string) => void }) => {
  const { answer } = props;
  if (isDeclined(answer)) return <Declined answer={answer} onAsk={onAsk} />;
  // The blocks hold the text, too.
  if (answer.display !== undefined) return <Blocks display={answer.display} />;
  if (!isDoubtful(answer)) return <Statements {...props} />;
  return (
    <>
      <Doubt />
      <Statements {...props} />
      <InDoubt answer={answer} />
    </>
  );
};

interface StatementsProps extends Lighting {
  answer: Answer;
  sources: readonly CitedSource[];
}

const Statements = ({ answer, sources, open, lit }: StatementsProps) => {
  const { statements, response } = answer;
  const sourcesOf = useSourcesOf(statements, sources);
  if (statements.every((statement) => statement === null))
    return response?.answer === undefined ? null : <Markdown text={response.answer} />;
  return (
    <ol class="statements">
      {statements.map((statement, index) =>
        statement === null ? null : (
          <ShownStatement
            key={`${index}-${statement.text.length}`}
            index={index}
            statement={statement}
            open={open}
            lit={lit}
            id={`evidence-${answer.id}-${index}`}
            sources={sourcesOf[index] ?? NO_SOURCES}
            query={answer.query}
          />
        ),
      )}
    </ol>
  );
};

const NO_SOURCES: readonly CitedSource[] = [];

/** The sources of each statement: the same list as before where they are the same, so that the statement is not drawn again. */
const useSourcesOf = (
  statements: Answer['statements'],
  sources: readonly CitedSource[],
): readonly (readonly CitedSource[])[] => {
  const before = useRef<readonly (readonly CitedSource[])[]>([]);
  const lists = statements.map((): CitedSource[] => []);
  for (const source of sources) for (const index of source.citedBy) lists[index]?.push(source);
  before.current = lists.map((list, index) => {
    const earlier = before.current[index];
    return earlier?.length === list.length &&
      earlier.every((source, at) => isSame(source, list[at]))
      ? earlier
      : list;
  });
  return before.current;
};

const isSame = (one: CitedSource, other: CitedSource | undefined): boolean =>
  one.number === other?.number &&
  one.name === other.name &&
  one.url === other.url &&
  one.file === other.file &&
  one.reportedBy === other.reportedBy;

interface StatementProps extends Lighting {
  /** That of its evidence. */
  id: string;
  index: number;
  statement: Statement;
  sources: readonly CitedSource[];
  query: string;
}

/** Drawn again only when one of its properties is another one: an answer of 400 statements has as many events. */
const ShownStatement = ({ id, index, statement, sources, query, ...props }: StatementProps) => {
  const { open, lit } = props;
  const isOpen = useComputed(() => open.value === index).value;
  const isLit = useComputed(() => sources.some(({ number }) => number === lit.value.source)).value;
  const support = supportOf(statement);
  const light = (isOn: boolean): void => {
    lit.value = isOn ? { statement: index } : {};
  };
  return (
    <li
      class={isLit ? 'statement lit' : 'statement'}
      tabIndex={-1}
      onMouseEnter={() => light(true)}
      onMouseLeave={() => light(false)}
    >
      <Markdown text={statement.text} />
      <button
        type="button"
        class={`chip ${support}`}
        aria-expanded={isOpen}
        aria-controls={id}
        onFocus={() => light(true)}
        onBlur={() => light(false)}
        onClick={() => {
          open.value = isOpen ? undefined : index;
        }}
      >
        {sources.map(({ number }) => (
          <span key={number} class="number">
            {number}
          </span>
        ))}
        <span>{t(`support.${support}`)}</span>
        <span class="visually-hidden">
          {t('evidence.label', {
            number: index + 1,
            articles: sources.map(({ name }) => name).join(', '),
          })}
        </span>
        <Icon name="down" />
      </button>
      <div hidden={!isOpen}>
        {isOpen ? (
          <Evidence id={id} index={index} statement={statement} sources={sources} query={query} />
        ) : (
          <div id={id} />
        )}
      </div>
    </li>
  );
};

const Sources = ({
  answer,
  sources,
  lit,
}: Pick<Lighting, 'lit'> & { answer: Answer; sources: readonly CitedSource[] }) => {
  const others = alsoRead(answer);
  if (sources.length === 0 && others.length === 0) return null;
  return (
    <aside class="sources" aria-label={t('sources.title')}>
      <h3>{count('sources.count', sources.length || others.length)}</h3>
      <ol>
        {sources.map((source) => (
          <SourceLine
            key={source.number}
            source={source}
            isLit={
              lit.value.source === source.number ||
              source.citedBy.includes(lit.value.statement ?? -1)
            }
            onLight={(isOn) => {
              lit.value = isOn ? { source: source.number } : {};
            }}
          />
        ))}
      </ol>
      {others.length === 0 ? null : sources.length === 0 ? (
        <OtherSources sources={others} />
      ) : (
        <details>
          <summary>{t('sources.also_read')}</summary>
          <OtherSources sources={others} />
        </details>
      )}
    </aside>
  );
};

const OtherSources = ({ sources }: { sources: readonly Source[] }) => (
  <ul class="other-sources">
    {sources.map(({ name, url, reported_by: reporter }) => (
      <li key={`${name}${url}${reporter}`}>
        <SourceLink url={url}>{name}</SourceLink>
        <ReportedBy id={reporter} />
      </li>
    ))}
  </ul>
);

/** What a reader who does not see the page hears, in few words. */
const progressOf = ({ phase, statements, response }: Answer): string => {
  const written = statements.filter((statement) => statement !== null).length;
  if (phase === 'asking') return t('progress.asking');
  if (phase === 'answering')
    return written === 0 ? t('progress.searching') : count('progress.written', written);
  if (phase === 'stopped') return t('progress.stopped');
  if (phase === 'failed') return t('progress.failed');
  return count('progress.done', response?.sources?.length ?? 0);
};

const errorOf = ({
  code,
  message,
  suggestion,
  requestId,
  missing,
}: ShownError): ConstellationError =>
  new ConstellationError(code as ErrorCode, message, {
    suggestion,
    requestId,
    ...(missing === undefined
      ? {}
      : { info: { code: 'UNAUTHORIZED', message, details: { missing } } }),
  });

/** What can be done with a finished answer. */
const AnswerFooter = ({ answer: shown }: { answer: Signal<Answer> }) => {
  const answer = shown.value;
  const failure = useSignal<unknown>(undefined);
  const display = (): void => {
    failure.value = undefined;
    loadDisplay(shown).catch((error: unknown) => {
      failure.value = error;
    });
  };
  const storedId = storedIdOf(answer.response);
  // An id of the deployment opens the answer for others, too.
  const id = storedId ?? answer.id;
  const { confidence } = answer.response ?? {};
  return (
    <footer class="answer-footer">
      <div class="row">
        {confidence === undefined ? null : (
          <span class="quiet small">{confidenceText(confidence, reporterOf(answer.response))}</span>
        )}
        {agentIn(answer.response) === undefined || answer.display !== undefined ? null : (
          <Button kind="quiet" icon="charts" onClick={display}>
            {t('answer.display')}
          </Button>
        )}
        <Button
          kind="quiet"
          icon="trace"
          class="button quiet to-trace"
          onClick={() => navigate(`/trace/${id}`)}
        >
          {t('view.trace')}
        </Button>
        <Button kind="quiet" icon="why" onClick={() => navigate(`/why/${id}`)}>
          {t('view.why')}
        </Button>
        <CopyButton text={() => asMarkdown(answer)}>{t('answer.copy')}</CopyButton>
        {storedId === undefined ? null : <Feedback give={giveFeedbackOn(storedId)} />}
      </div>
      {failure.value === undefined ? null : <Failure error={failure.value} retry={display} />}
    </footer>
  );
};

/** The navigator says when it asks back, and what the question is not about. */
const titleOf = ({ response }: Answer): TextKey => {
  if (response?.metadata?.clarifying === true) return 'declined.asks_back';
  return navigatorOf(response)?.outOfDomain === true ? 'declined.off_topic' : 'declined.unknown';
};

/** A heading stands alone here: `2. What colour has the LED?` is the second of no list. */
const withoutNumber = (heading: string): string => heading.replace(/^\d+\.\s+/, '');

/** A finished "no": what is lacking and why, and the articles that come closest. */
const Declined = ({ answer, onAsk }: { answer: Answer; onAsk: (query: string) => void }) => {
  const reply = navigatorOf(answer.response);
  const closest = closestOf(answer.response);
  const [says = ''] = (answer.response?.answer ?? '').split('\n\n');
  return (
    <section class="declined">
      <h3>
        <Icon name="unknown" /> {t(titleOf(answer))}
      </h3>
      <Markdown text={says} />
      {reply === undefined ? null : <p class="quiet small">{reply.confidenceReason}</p>}
      <ClosestArticles closest={closest} />
      {(reply?.relatedTopics ?? []).length === 0 ? null : (
        <>
          <h4>{t('declined.topics')}</h4>
          <p class="row">
            {reply?.relatedTopics
              ?.slice(0, 5)
              .map(withoutNumber)
              .map((topic) => (
                <button
                  key={topic}
                  type="button"
                  class="button suggestion"
                  onClick={() => onAsk(topic)}
                >
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

/** Articles that come close to a question. */
const ClosestArticles = ({ closest }: { closest: readonly Closest[] }) =>
  closest.length === 0 ? null : (
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
  );

/** An answer that may be none says so above its statements. */
const Doubt = () => (
  <p class="doubt">
    <Icon name="unknown" /> {t('answer.doubt')}
  </p>
);

/** What helps where an answer may be none. */
const InDoubt = ({ answer }: { answer: Answer }) => (
  <section class="in-doubt">
    <ClosestArticles closest={closestOf(answer.response)} />
    <ReportGap query={answer.query} />
  </section>
);

/** Reports the question as one that the knowledge base should answer, and says what became of the report. */
const ReportGap = ({ query }: { query: string }) => {
  const reported = useSignal<KnowledgeGapReported | undefined>(undefined);
  const { start, failure, isLoading } = useRunning();
  const report = (): void =>
    start(
      (signal) => client.gaps.report({ question: query }, { signal }),
      (reply) => {
        reported.value = reply;
      },
    );
  if (failure !== undefined) return <Failure error={failure} retry={report} />;
  if (reported.value === undefined)
    return (
      <Button icon="gaps" disabled={isLoading} onClick={report}>
        {t('declined.report')}
      </Button>
    );
  const { gap, outcome } = reported.value;
  return (
    <p class="row" role="status">
      {gap === null ? t(`declined.report_${outcome}`) : t('declined.noted', { gap: gap.gap })}
      {gap === null ? null : <a href="/gaps">{count('gaps.times', gap.count)}</a>}
      {outcome === 'unavailable' ? (
        <Button icon="retry" onClick={report}>
          {t('try_again')}
        </Button>
      ) : null}
    </p>
  );
};
