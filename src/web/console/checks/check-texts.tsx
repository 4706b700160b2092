import { type ComponentChildren, Fragment } from 'preact';
import type {
  CheckAnswer,
  CheckBreak,
  CheckResult,
  KnowledgeCheck,
  KnowledgeCheckInput,
} from '../../../contract/wire/checks.ts';
import { articleAddress } from '../navigation/router.ts';
import { Icon } from '../parts/button.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { type TextKey, t } from '../texts/texts.ts';

interface ExpectationProps {
  check: KnowledgeCheckInput & Pick<KnowledgeCheck, 'cites_title'>;
  /** What came, which knows the title of an article that it cites. */
  answer: CheckAnswer | null;
}

/** What must come of a question, in one sentence. */
export function Expectation({ check, answer }: ExpectationProps) {
  const { contains, cites, declined } = check;
  if (declined === true) return <>{t('checks.must_decline')}</>;
  const title = check.cites_title ?? answer?.cites.find(({ id }) => id === cites)?.title;
  const article = title === undefined ? <code>{cites}</code> : <q>{title}</q>;
  if (contains === undefined) return <Sentence of="checks.must_cite" values={{ article }} />;
  const fact = <q>{contains}</q>;
  return cites === undefined ? (
    <Sentence of="checks.must_contain" values={{ fact }} />
  ) : (
    <Sentence of="checks.must_contain_and_cite" values={{ fact, article }} />
  );
}

/** A text with parts that are more than text: `{name}` in it. */
const Sentence = ({
  of,
  values,
}: {
  of: TextKey;
  values: Readonly<Record<string, ComponentChildren>>;
}) => (
  <>
    {t(of)
      .split(/\{(\w+)\}/)
      .map((part, at) => (at % 2 === 0 ? part : <Fragment key={part}>{values[part]}</Fragment>))}
  </>
);

/** What came of it: the outcome with its articles, and for a red one what it lacks and the answer itself, folded. */
export function Outcome({
  result: { answer, lacks },
}: {
  result: Pick<CheckResult, 'answer' | 'lacks'>;
}) {
  return (
    <>
      <p>
        {t(`checks.outcome_${answer.outcome}`)}
        {answer.cites.length === 0 ? null : ' '}
        {answer.cites.map(({ id, title }, at) => (
          <span key={id}>
            {at === 0 ? `${t('checks.from')} ` : ', '}
            <a href={articleAddress(id)}>{title}</a>
          </span>
        ))}
        {lacks.length === 0 ? null : (
          <b> · {lacks.map((lack) => t(`checks.lacks_${lack}`)).join(', ')}</b>
        )}
      </p>
      <details>
        <summary>{t('checks.show_answer')}</summary>
        <div class="check-answer">
          <Markdown text={answer.text} raisedBy={2} />
        </div>
      </details>
    </>
  );
}

/** The change that turned a check red: the articles, each with its difference. */
export function BreakingChange({ of: { before, after, articles } }: { of: CheckBreak }) {
  return (
    <div class="check-break">
      <Icon name="warning" />
      <div>
        <p>{t(articles.length === 0 ? 'checks.broken_elsewhere' : 'checks.broken_by')}</p>
        {articles.length === 0 ? (
          <p>
            <a href={differenceAddress({ before, after })}>{t('checks.show_changes')}</a>
          </p>
        ) : (
          <ul>
            {articles.map(({ id, title, change }) => (
              <li key={id}>
                {change === 'removed' ? title : <a href={articleAddress(id)}>{title}</a>} (
                {t(`editions.${change}`)}) ·{' '}
                <a href={differenceAddress({ before, after }, id)} title={`${before} → ${after}`}>
                  {t('checks.show_difference')}
                  <span class="visually-hidden"> {title}</span>
                </a>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

/** The view Knowledge with what changed between two editions, and in one article line by line. */
const differenceAddress = (
  { before, after }: Pick<CheckBreak, 'before' | 'after'>,
  id?: string,
): string =>
  `/knowledge?${new URLSearchParams({ edition: after, from: before, ...(id === undefined ? {} : { changed: id }) })}`;
