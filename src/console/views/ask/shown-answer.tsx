import { type Signal, useComputed, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { ConstellationError } from '../../../../client/constellation-error.ts';
import type { Statement } from '../../../contract/ask-events.ts';
import type { ErrorCode } from '../../../contract/error-info.ts';
import {
  type Answer,
  alsoRead,
  type CitedSource,
  citedSources,
  isDeclined,
  isDoubtful,
  type ShownError,
} from '../../answers/answer.ts';
import { askAgain, stop } from '../../answers/asked-questions.ts';
import { Evidence, SourceLine, supportOf } from '../../answers/evidence.tsx';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { SourceLink } from '../../parts/source-link.tsx';
import { Failure } from '../../parts/states.tsx';
import { count, t } from '../../texts/texts.ts';
import { AnswerFooter } from './answer-footer.tsx';
import { Blocks } from './blocks.tsx';
import { Declined } from './declined.tsx';
import { Doubt, InDoubt } from './unanswered.tsx';

/** A question with its answer: each statement with its evidence beside it, or below where there is no room. */
export const ShownAnswer = ({ answer: shown, onAsk }: { answer: Signal<Answer>; onAsk: (query: string) => void }) => {
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
          <Body answer={answer} sources={sources} open={open} lit={lit} onAsk={onAsk} />
          {answer.error === undefined ? null : <Failure error={errorOf(answer.error)} retry={() => askAgain(shown)} />}
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
};

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
            {...{ index, statement, open, lit }}
            id={`evidence-${answer.id}-${index}`}
            sources={sourcesOf[index] ?? NO_SOURCES}
            query={answer.query}
            edition={answer.edition}
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
    return earlier?.length === list.length && earlier.every((source, at) => isSame(source, list[at])) ? earlier : list;
  });
  return before.current;
};

const isSame = (one: CitedSource, other: CitedSource | undefined): boolean =>
  one.number === other?.number && one.name === other.name && one.url === other.url && one.file === other.file;

interface StatementProps extends Lighting {
  /** That of its evidence. */
  id: string;
  index: number;
  statement: Statement;
  sources: readonly CitedSource[];
  query: string;
  edition: string | undefined;
}

/** Drawn again only when one of its properties is another one: an answer of 400 statements has as many events. */
const ShownStatement = ({ id, index, statement, sources, query, edition, ...props }: StatementProps) => {
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
          {t('evidence.label', { number: index + 1, articles: sources.map(({ name }) => name).join(', ') })}
        </span>
        <Icon name="down" />
      </button>
      <div hidden={!isOpen}>
        {isOpen ? <Evidence {...{ id, index, statement, sources, query, edition }} /> : <div id={id} />}
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
            isLit={lit.value.source === source.number || source.citedBy.includes(lit.value.statement ?? -1)}
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

const OtherSources = ({ sources }: { sources: readonly { name: string; url?: string | undefined }[] }) => (
  <ul>
    {sources.map(({ name, url }) => (
      <li key={`${name}${url}`}>
        <SourceLink url={url}>{name}</SourceLink>
      </li>
    ))}
  </ul>
);

/** What a reader who does not see the page hears, in few words. */
const progressOf = ({ phase, statements, response }: Answer): string => {
  const written = statements.filter((statement) => statement !== null).length;
  if (phase === 'asking') return t('progress.asking');
  if (phase === 'answering') return written === 0 ? t('progress.searching') : count('progress.written', written);
  if (phase === 'stopped') return t('progress.stopped');
  if (phase === 'failed') return t('progress.failed');
  return count('progress.done', response?.sources?.length ?? 0);
};

const errorOf = ({ code, message, suggestion, requestId, missing }: ShownError): ConstellationError =>
  new ConstellationError(code as ErrorCode, message, {
    ...{ suggestion, requestId },
    ...(missing === undefined ? {} : { info: { code: 'UNAUTHORIZED', message, details: { missing } } }),
  });
