import type {
  HealthFinding,
  HealthKind,
  HealthPlace,
  KnowledgeHealth,
} from '../../../../contract/wire/knowledge.ts';
import { articleAddress, navigate } from '../../navigation/router.ts';
import { Icon } from '../../parts/button.tsx';
import { Choice } from '../../parts/fields.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Age } from '../../parts/values.tsx';
import { client } from '../../session/deployment.ts';
import { useLoaded } from '../../session/loaded.ts';
import { count, formatNumber, t } from '../../texts/texts.ts';

const readHealth = (signal: AbortSignal): Promise<KnowledgeHealth> =>
  client.articles.health({ signal });

/** Any kind of finding. */
const ALL = 'all';

const kindsOf = ({ counts }: KnowledgeHealth): [HealthKind, number][] =>
  (Object.entries(counts) as [HealthKind, number][]).filter(([, number]) => number > 0); // keys of a record by kind

const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);

/** One line that says how many findings there are, and leads to them. It is left out where they cannot be read. */
export function HealthSummary() {
  const { value } = useLoaded(readHealth, []);
  const kinds = value === undefined ? [] : kindsOf(value);
  return (
    <p class="row health-summary">
      {kinds.length === 0 ? null : <span class="small">{t('health.look_at')}</span>}
      {kinds.map(([kind, number]) => (
        <a key={kind} class="pill" href={`/knowledge?health=${kind}`}>
          {t(`health.${kind}`)} <b>{formatNumber(number)}</b>
        </a>
      ))}
    </p>
  );
}

/** What writers should look at: all of it, or one kind. */
export function HealthList({ kind }: { kind: string }) {
  const { value, failure, load } = useLoaded(readHealth, []);
  return (
    <div class="knowledge">
      <div class="title">
        <h1>{t('health.title')}</h1>
        <a href="/knowledge">{t('knowledge.back')}</a>
      </div>
      {failure === undefined ? null : <Failure error={failure} retry={load} />}
      {value !== undefined ? (
        <Findings health={value} kind={kind} />
      ) : failure === undefined ? (
        <Loading lines={8} />
      ) : null}
    </div>
  );
}

const Findings = ({ health, kind }: { health: KnowledgeHealth; kind: string }) => {
  const kinds = kindsOf(health);
  const total = sum(kinds.map(([, number]) => number));
  const shown = health.findings.filter((finding) => kind === ALL || finding.kind === kind);
  const found = kind === ALL ? total : (kinds.find(([each]) => each === kind)?.[1] ?? 0);
  return (
    <>
      <div class="row between">
        <Choice
          label={t('health.kind')}
          value={kinds.some(([each]) => each === kind) ? kind : ALL}
          onChoose={(chosen) => navigate(`/knowledge?health=${chosen}`, { replace: true })}
          options={[
            { value: ALL, label: `${t('health.all')} (${formatNumber(total)})` },
            ...kinds.map(([each, number]) => ({
              value: each as string,
              label: `${t(`health.${each}`)} (${formatNumber(number)})`,
            })),
          ]}
        />
        <span class="quiet small">
          {t('health.of_edition', { articles: health.articles, edition: health.edition })} ·{' '}
          <Age of={health.created_at} />
        </span>
      </div>
      {health.unchecked === undefined ? null : <p class="banner small">{t('health.unchecked')}</p>}
      {shown.length === 0 ? (
        <Empty icon="check" title={t('health.none')}>
          <p>{t('health.none_text')}</p>
        </Empty>
      ) : (
        <FindingList findings={shown} />
      )}
      {found > shown.length && shown.length > 0 ? (
        <p class="quiet small">{t('health.more', { shown: shown.length, of: found })}</p>
      ) : null}
    </>
  );
};

const FindingList = ({ findings }: { findings: readonly HealthFinding[] }) => (
  <ul class="findings">
    {findings.map((finding, at) => (
      <li key={`${finding.kind}${finding.place.article_id}${at}`}>
        <p class="row">
          <span class="support weak">
            <Icon name="warning" /> {t(`health.${finding.kind}`)}
          </span>
          <span>{finding.detail}</span>
        </p>
        <div class="places">
          <Place place={finding.place} />
          {finding.other === undefined ? null : <Place place={finding.other} />}
        </div>
      </li>
    ))}
  </ul>
);

const Place = ({
  place: { article_id: id, title, heading = '', text },
}: {
  place: HealthPlace;
}) => (
  <div class="finding-place">
    <p>
      <a href={articleAddress(id)}>{title}</a>
      {heading === '' ? null : <span class="quiet"> › {heading}</span>}
    </p>
    {text === undefined ? null : <blockquote class="quote">{text}</blockquote>}
  </div>
);

/** What was found about one article; nothing where that cannot be read. */
export function ArticleHealth({ id }: { id: string }) {
  const { value } = useLoaded(readHealth, []);
  const own = value?.findings.filter(
    ({ place, other }) => place.article_id === id || other?.article_id === id,
  );
  if (own === undefined) return null;
  return (
    <section>
      <h2>{t('health.title')}</h2>
      {own.length === 0 ? (
        <p class="support sure">
          <Icon name="check" /> {t('health.good')}
        </p>
      ) : (
        <>
          <p class="quiet small">{count('health.findings', own.length)}</p>
          <FindingList findings={own} />
        </>
      )}
    </section>
  );
}
