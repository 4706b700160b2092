import type { Statement, StatementSource } from '../../../contract/core/ask.ts';
import { articleAddress } from '../navigation/router.ts';
import { Icon } from '../parts/button.tsx';
import { Quote } from '../parts/quote.tsx';
import { SourceLink, safeUrl } from '../parts/source-link.tsx';
import { may } from '../session/deployment.ts';
import { count, formatShare, t } from '../texts/texts.ts';
import type { CitedSource } from './answer.ts';
import { reporterName } from './reporters.ts';

/** From these supports on, the words change. */
const FULL = 0.8;
const PARTLY = 0.5;

/** How far the sources support a statement, in a word and as a meaning of colours. */
export function supportOf(statement: Statement): 'sure' | 'weak' | 'unsure' | 'none' | 'reported' {
  const { support, sources, reported_by: reporter } = statement;
  // What an external librarian states is its claim, whatever it says about its sources.
  if (reporter !== undefined) return 'reported';
  if (sources.length === 0) return 'none';
  if (support >= FULL) return 'sure';
  return support >= PARTLY ? 'weak' : 'unsure';
}

/** Which words the quote is searched for: those of the statement; for a statement that is the quote itself, those of the question. */
const wordsToMark = (statement: Statement, query: string): string[] =>
  statement.check === 'quoted' ? [query] : [statement.text];

/** One place in an article: under which heading, the quote, and a link that opens the article there. */
const Passage = ({
  place,
  statement,
  query,
}: {
  place: StatementSource;
  statement: Statement;
  query: string;
}) => {
  const inArticle = placeInArticle(place);
  return (
    <li class="passage">
      <p class="where">
        {place.section ?? place.name}
        {safeUrl(place.url) === undefined ? null : (
          <SourceLink url={place.url} quote={place.quote}>
            <Icon name="open" /> {t('evidence.open')}
          </SourceLink>
        )}
        {inArticle === undefined ? null : (
          <a href={inArticle}>
            <Icon name="knowledge" /> {t('evidence.in_article')}
          </a>
        )}
      </p>
      {place.quote === undefined ? null : (
        <Quote text={place.quote} marked={wordsToMark(statement, query)} />
      )}
    </li>
  );
};

/** The page of the article in the console, for those who may open it: sources of others have none. */
const placeInArticle = ({
  file,
  start,
  end,
  reported_by: reporter,
}: StatementSource): string | undefined =>
  file === undefined ||
  start === undefined ||
  end === undefined ||
  reporter !== undefined ||
  may('kb:read') !== true
    ? undefined
    : articleAddress(file, { passage: { start, end } });

/** What was done to check a statement: a quote needs no word on how far it is supported. */
const howChecked = (statement: Statement): string => {
  const { check, sources, reported_by: reporter } = statement;
  if (reporter === undefined && check === 'quoted' && sources.length > 0) return t('check.quoted');
  const how =
    reporter === undefined
      ? t(`check.${check}`)
      : t('evidence.reported_by', { librarian: reporterName(reporter) });
  return `${t(`support.${supportOf(statement)}`)} · ${how}`;
};

interface EvidenceProps {
  id: string;
  index: number;
  statement: Statement;
  sources: readonly CitedSource[];
  query: string;
}

/** What supports one statement: by article, each place with its quote. */
export function Evidence({ id, index, statement, sources, query }: EvidenceProps) {
  return (
    <section class="evidence" id={id} aria-label={t('evidence.of', { number: index + 1 })}>
      <p class={`support ${supportOf(statement)}`}>{howChecked(statement)}</p>
      {statement.sources.length > 0 || statement.reported_by !== undefined ? null : (
        <p class="quiet">{t('evidence.none')}</p>
      )}
      {sources.map((source) => (
        <article key={source.number}>
          <h3>
            <span class="number">{source.number}</span> {source.name}
          </h3>
          <ul>
            {statement.sources
              .filter((place) =>
                source.places.some(
                  ({ name, url, file, reported_by }) =>
                    name === place.name &&
                    url === place.url &&
                    file === place.file &&
                    reported_by === place.reported_by,
                ),
              )
              .map((place) => (
                <Passage
                  key={`${place.start}-${place.section}`}
                  place={place}
                  statement={statement}
                  query={query}
                />
              ))}
          </ul>
        </article>
      ))}
    </section>
  );
}

/** Who names a source that is not ours. */
export function ReportedBy({ id }: { id: string | undefined }) {
  return id === undefined ? null : (
    <span class="quiet small"> {t('evidence.reported_by', { librarian: reporterName(id) })}</span>
  );
}

/** A source of the whole answer: hovering it lights its statements. */
export function SourceLine({
  source,
  isLit,
  onLight,
}: {
  source: CitedSource;
  isLit: boolean;
  onLight: (isOn: boolean) => void;
}) {
  return (
    <li
      class={isLit ? 'source lit' : 'source'}
      onMouseEnter={() => onLight(true)}
      onMouseLeave={() => onLight(false)}
    >
      <span class="number">{source.number}</span>
      <span>
        <SourceLink url={source.url} onFocus={() => onLight(true)} onBlur={() => onLight(false)}>
          {source.name}
        </SourceLink>
        <ReportedBy id={source.reportedBy} />
        <span class="quiet small"> {count('evidence.cited_by', source.citedBy.length)}</span>
      </span>
    </li>
  );
}

/** How sure an answer is, and whose figure that is. */
export function confidenceText(confidence: number, librarian: string | undefined): string {
  const share = formatShare(confidence);
  return librarian === undefined
    ? t('answer.confidence', { share })
    : t('answer.confidence_reported', { share, librarian });
}
