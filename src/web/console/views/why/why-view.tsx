import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { KnowledgeHit, KnowledgeSearchResponse } from '../../../../contract/wire/knowledge.ts';
import { type Answer, navigatorOf, removedFrom, reporterOf } from '../../answers/answer.ts';
import { AnswerPage } from '../../answers/answer-page.tsx';
import { confidenceText } from '../../answers/evidence.tsx';
import { Icon, type IconName } from '../../parts/button.tsx';
import { SourceLink } from '../../parts/source-link.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Share } from '../../parts/values.tsx';
import { client, noteRefusal } from '../../session/deployment.ts';
import type { ViewProps } from '../../shell/view-entry.ts';
import { formatNumber, formatShare, t } from '../../texts/texts.ts';

/** Why an answer is what it is: what its confidence rests on, what the search found, and what was removed. */
const WhyView = ({ parts: [id] }: ViewProps) => (
  <AnswerPage path="why" id={id}>
    {(answer) => (
      <div class="why">
        <Confidence answer={answer} />
        <Removed answer={answer} />
        <Found answer={answer} />
      </div>
    )}
  </AnswerPage>
);

const Removed = ({ answer }: { answer: Answer }) => {
  const removed = removedFrom(answer);
  return (
    <section>
      <h2>{t('why.removed')}</h2>
      {removed.length === 0 ? <p class="quiet">{t('why.nothing_removed')}</p> : null}
      <ul>
        {removed.map(({ text, reason }) => (
          <li key={text}>
            <del>{text}</del>
            <p class="quiet small">{reason}</p>
          </li>
        ))}
      </ul>
    </section>
  );
};

const LIMIT = 20;
/** Sources of this relevance or more are given for tickets (docs/contract.md#knowledge-retrieval). */
const SURE_FROM = 0.7;

/** The passages that a search for the question finds now, with those that the answer cites. */
const Found = ({ answer }: { answer: Answer }) => {
  const reply = useSignal<KnowledgeSearchResponse | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const load = (): void => {
    failure.value = undefined;
    client.search({ query: answer.query, limit: LIMIT }).then(
      (found) => {
        reply.value = found;
      },
      (error: unknown) => {
        failure.value = error;
        void noteRefusal(error);
      },
    );
  };
  useEffect(load, [answer.id]);
  const cited = new Set(
    answer.statements.flatMap((statement) => statement?.sources.map(({ file }) => file) ?? []),
  );
  const edition = reply.value?.edition;
  const strategy = navigatorOf(answer.response)?.searchStrategy;
  return (
    <section>
      <h2>{t('why.found')}</h2>
      {strategy === undefined ? null : (
        <p class="small">
          {t('why.searched_for')}{' '}
          {strategy.terms.map((term) => (
            <code key={term} class="right-name">
              {term}
            </code>
          ))}
          {strategy.candidates === undefined ? null : (
            <span class="quiet"> · {t('why.candidates', { count: strategy.candidates })}</span>
          )}
          {(strategy.corrections ?? []).map(({ typed, read }) => (
            <span key={typed} class="quiet">
              {' '}
              · {t('why.corrected', { typed, read })}
            </span>
          ))}
        </p>
      )}
      {failure.value === undefined ? null : <Failure error={failure.value} retry={load} />}
      {reply.value === undefined ? (
        failure.value === undefined ? (
          <Loading lines={8} />
        ) : null
      ) : (
        <>
          {edition === answer.edition || answer.edition === undefined ? null : (
            <p class="banner small">
              {t('why.other_edition', { read: answer.edition, current: edition ?? '' })}
            </p>
          )}
          {reply.value.degraded === undefined ? null : (
            <p class="banner small">
              {t('why.degraded', { parts: reply.value.degraded.join(', ') })}
            </p>
          )}
          <Hits hits={reply.value.hits} cited={cited} />
          <p class="quiet small">{t('why.scores')}</p>
        </>
      )}
    </section>
  );
};

const Hits = ({
  hits,
  cited,
}: {
  hits: readonly KnowledgeHit[];
  cited: ReadonlySet<string | undefined>;
}) => (
  <Table
    caption={t('why.found')}
    rows={hits.map((hit, at) => ({ ...hit, rank: at + 1 }))}
    empty={<p class="quiet">{t('why.nothing_found')}</p>}
    columns={[
      {
        id: 'rank',
        label: '#',
        align: 'right',
        sort: ({ rank }) => rank,
        cell: ({ rank }) => rank,
      },
      {
        id: 'passage',
        label: t('why.passage'),
        sort: ({ title, heading }) => `${title} ${heading}`,
        cell: ({ title, heading, url, article_id: id }) => (
          <>
            <SourceLink url={url}>{title}</SourceLink>
            {heading === '' ? null : <span class="quiet"> › {heading}</span>}
            {cited.has(id) ? <span class="pill cited">{t('why.cited')}</span> : null}
          </>
        ),
      },
      {
        id: 'relevance',
        label: t('why.relevance'),
        sort: ({ relevance }) => relevance,
        cell: ({ relevance }) => <Share of={relevance} line={SURE_FROM} />,
      },
      {
        id: 'score',
        label: t('why.score'),
        align: 'right',
        sort: ({ score }) => score,
        cell: ({ score }) => formatNumber(score, { maximumSignificantDigits: 4 }),
      },
    ]}
  />
);

const EFFECTS = {
  sets: 'half',
  raises: 'up',
  lowers: 'down',
  limits: 'warning',
} as const satisfies Record<string, IconName>;

/** What the confidence of an answer is made of. */
export function Confidence({ answer }: { answer: Answer }) {
  const reply = navigatorOf(answer.response);
  const { confidence } = answer.response ?? {};
  const components = Object.entries(reply?.confidenceComponents ?? {}).filter(
    ([, share]) => share !== undefined,
  );
  return (
    <section>
      <h2>
        {confidence === undefined
          ? t('why.no_confidence')
          : confidenceText(confidence, reporterOf(answer.response))}
      </h2>
      {reply === undefined ? (
        <p class="quiet">{t('why.no_details')}</p>
      ) : (
        <p>{reply.confidenceReason}</p>
      )}
      {reply?.quality === undefined ? null : (
        <ul class="factors">
          {reply.quality.factors.map(({ name, effect, explanation }) => (
            <li key={`${name}${effect}`}>
              <Icon name={EFFECTS[effect]} />
              <span>
                <span class="quiet small">{t(`why.effect_${effect}`)}</span> {explanation}
              </span>
            </li>
          ))}
        </ul>
      )}
      {components.length === 0 ? null : (
        <dl class="components">
          {components.map(([name, share = 0]) => (
            <div key={name}>
              <dt>{name.replaceAll('_', ' ')}</dt>
              <dd>
                <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
                  <rect class="track" width="100" height="6" />
                  <rect width={share * 100} height="6" />
                </svg>
                {formatShare(share)}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {(reply?.alternatives ?? []).map(({ kind, answer: text, reason }) => (
        <aside key={text} class="alternative">
          <h3>{t(`why.${kind}`)}</h3>
          <p class="pre">{text}</p>
          <p class="quiet small">{reason}</p>
        </aside>
      ))}
    </section>
  );
}

export default WhyView;
