import type { ComponentChildren } from 'preact';
import type { AnswerVerdict } from '../../../../contract/wire/answers.ts';
import type { HealthKind, KnowledgeGap } from '../../../../contract/wire/knowledge.ts';
import type { Overview } from '../../../../contract/wire/overview.ts';
import { answersAddress, articleAddress, navigate } from '../../navigation/router.ts';
import { Icon, type IconName } from '../../parts/button.tsx';
import { Choice } from '../../parts/fields.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Age } from '../../parts/values.tsx';
import { client } from '../../session/deployment.ts';
import { useLoaded } from '../../session/loaded.ts';
import type { ViewProps } from '../../shell/view-entry.ts';
import { count, formatChange, formatNumber, t } from '../../texts/texts.ts';

const DAYS = ['1', '7', '28'] as const;
type Days = (typeof DAYS)[number];

/** What customers asked in the last days, what was not answered and what to write next. Each number leads to its rows. */
const HomeView = ({ query }: ViewProps) => {
  const days = DAYS.find((each) => each === query.get('days')) ?? '7';
  const { value, failure, load } = useLoaded(
    (signal) => client.overview({ days: Number(days) }, { signal }),
    [days],
  );
  return (
    <div class="home">
      <div class="title">
        <h1>{t(`home.title.${days}`)}</h1>
        <Choice<Days>
          label={t('home.days')}
          value={days}
          onChoose={(chosen) =>
            navigate(chosen === '7' ? '/' : `/?days=${chosen}`, { replace: true })
          }
          options={DAYS.map((each) => ({ value: each, label: t(`home.days.${each}`) }))}
        />
      </div>
      {failure === undefined ? null : <Failure error={failure} retry={load} />}
      {value !== undefined ? (
        <Parts overview={value} days={days} />
      ) : failure === undefined ? (
        <Loading lines={12} />
      ) : null}
    </div>
  );
};

const Parts = ({ overview, days }: { overview: Overview; days: Days }) => (
  <>
    <Section of={overview} part="answers" title={t('home.questions')}>
      {overview.answers === null ? null : <Questions answers={overview.answers} time={overview} />}
    </Section>
    <div class="home-columns">
      <div>
        <Section of={overview} part="gaps" title={t('home.unanswered')}>
          {overview.gaps === null ? null : <Unanswered gaps={overview.gaps} days={days} />}
        </Section>
        {overview.answers === null ? null : <Disliked answers={overview.answers} time={overview} />}
      </div>
      <div>
        <Section of={overview} part="checks" title={t('view.checks')}>
          {overview.checks === null ? null : <Checks checks={overview.checks} />}
        </Section>
        <Section of={overview} part="tickets" title={t('view.tickets')}>
          {overview.tickets === null ? null : <Tickets tickets={overview.tickets} />}
        </Section>
        {overview.gaps === null ? null : <Closed gaps={overview.gaps} days={days} />}
        <Section of={overview} part="articles" title={t('home.articles')}>
          {overview.articles === null ? null : <Articles articles={overview.articles} />}
        </Section>
      </div>
    </div>
  </>
);

interface SectionProps {
  of: Overview;
  part: Overview['unread'][number]['part'];
  title: string;
  children: ComponentChildren;
}

/** A part of the page; why it is missing, where it could not be read. */
const Section = ({ of: { unread }, part, title, children }: SectionProps) => {
  const missing = unread.find((each) => each.part === part);
  return (
    <section>
      <h2>{title}</h2>
      {missing === undefined ? (
        children
      ) : (
        <p class="quiet">
          {missing.missing === undefined
            ? t('home.unread')
            : t('home.missing_right', { capability: missing.missing })}
        </p>
      )}
    </section>
  );
};

type Answers = NonNullable<Overview['answers']>;
type Gaps = NonNullable<Overview['gaps']>;
type Time = Pick<Overview, 'from' | 'to'>;

/** Each outcome is its own, in this order: an answer that says that it is not sure is none that answered. */
const OUTCOMES = ['answered', 'hedged', 'declined', 'clarifying', 'person', 'error'] as const;
const ALWAYS: readonly AnswerVerdict[] = ['answered', 'hedged', 'declined', 'clarifying'];
const ICONS: Readonly<Record<(typeof OUTCOMES)[number], IconName>> = {
  answered: 'check',
  hedged: 'warning',
  declined: 'unknown',
  clarifying: 'ask',
  person: 'librarians',
  error: 'cross',
};

type Counted = Pick<Answers['now'], 'total' | 'verdicts'>;

/** Thanks and greetings ask nothing. */
const questionsOf = ({ total, verdicts }: Counted): number => total - verdicts.closes;

const Questions = ({ answers, time: { from, to } }: { answers: Answers; time: Time }) => {
  const { now, before, interfaces } = answers;
  if (now.total === 0)
    return (
      <Empty icon="ask" title={t(answers.are_kept ? 'home.no_questions' : 'home.not_kept')}>
        <p>{t(answers.are_kept ? 'home.no_questions_text' : 'home.not_kept_text')}</p>
        <p>
          <a href="/ask">{t('not_found.back')}</a>
        </p>
      </Empty>
    );
  const outcomes = OUTCOMES.filter((each) => ALWAYS.includes(each) || now.verdicts[each] > 0);
  return (
    <>
      <ul class="tiles">
        <Tile
          label={t('home.all')}
          number={questionsOf(now)}
          note={changeText(questionsOf(now), questionsOf(before))}
          href={answersAddress({ from, to })}
        />
        {outcomes.map((verdict) => (
          <Tile
            key={verdict}
            label={t(`verdict.${verdict}`)}
            icon={ICONS[verdict]}
            tone={verdict}
            number={now.verdicts[verdict]}
            note={changeText(now.verdicts[verdict], before.verdicts[verdict])}
            href={answersAddress({ verdict, from, to })}
          />
        ))}
      </ul>
      <Channels interfaces={interfaces} outcomes={outcomes} time={{ from, to }} />
    </>
  );
};

/** Against the number of the days before. */
const changeText = (number: number, before: number): string =>
  t('home.change', { change: formatChange(number - before), before });

interface TileProps {
  label: string;
  number: number;
  /** What the number is compared with. */
  note: string;
  href: string;
  icon?: IconName;
  tone?: string;
}

const Tile = ({ label, number, note, href, icon, tone }: TileProps) => (
  <li>
    <a class={tone === undefined ? 'tile' : `tile tone-${tone}`} href={href}>
      <span class="figure">{formatNumber(number)}</span>
      <span class="row">
        {icon === undefined ? null : <Icon name={icon} />}
        {label}
      </span>
      <span class="quiet small">{note}</span>
    </a>
  </li>
);

interface ChannelsProps {
  interfaces: Answers['interfaces'];
  outcomes: readonly (typeof OUTCOMES)[number][];
  time: Time;
}

const Channels = ({ interfaces, outcomes, time: { from, to } }: ChannelsProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
  <section class="table scrolls" tabIndex={0} aria-label={t('home.by_channel')}>
    <table>
      <caption class="visually-hidden">{t('home.by_channel')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('home.channel')}</th>
          <th scope="col" class="right">
            {t('home.all')}
          </th>
          {outcomes.map((verdict) => (
            <th key={verdict} scope="col" class="right">
              {t(`verdict.${verdict}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {interfaces.map((each) => (
          <tr key={each.interface}>
            <th scope="row">
              <a href={answersAddress({ interface: each.interface, from, to })}>
                {t(`interface.${each.interface}`)}
              </a>
            </th>
            <td class="right">{formatNumber(questionsOf(each))}</td>
            {outcomes.map((verdict) => (
              <td key={verdict} class="right">
                {each.verdicts[verdict] === 0 ? (
                  <span class="quiet">0</span>
                ) : (
                  <a
                    href={answersAddress({ interface: each.interface, verdict, from, to })}
                    aria-label={`${t(`interface.${each.interface}`)}, ${t(`verdict.${verdict}`)}: ${each.verdicts[verdict]}`}
                  >
                    {formatNumber(each.verdicts[verdict])}
                  </a>
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

const gapsAddress = (days: Days, state?: 'closed'): string =>
  `/gaps?${new URLSearchParams({ ...(state === undefined ? {} : { state }), days })}`;

/** The questions that were most often not answered, in customers' words. */
const Unanswered = ({ gaps, days }: { gaps: Gaps; days: Days }) => {
  if (gaps.most_asked.length === 0)
    return (
      <p class="quiet">
        {t('home.all_answered')}{' '}
        {gaps.open === 0 ? null : <a href="/gaps">{count('home.open_gaps', gaps.open)}</a>}
      </p>
    );
  return (
    <>
      <ol class="asked">
        {gaps.most_asked.map((gap) => (
          <li key={gap.id}>
            <a href={`/gaps/${gap.id}`}>{gap.gap}</a>
            <span class="quiet small">{timesOf(gap, days)}</span>
          </li>
        ))}
      </ol>
      <p class="row small">
        <a href={gapsAddress(days)}>{count('home.asked_gaps', gaps.asked)}</a>
        <a href="/gaps">{count('home.open_gaps', gaps.open)}</a>
      </p>
    </>
  );
};

/** How often it was asked this week and the week before; ever, for other times. */
const timesOf = ({ weeks, count: ever }: KnowledgeGap, days: Days): string => {
  const [before = 0, now = 0] = weeks.slice(-2);
  return days === '7' ? count('home.times', now, { before }) : count('home.times_ever', ever);
};

const Disliked = ({
  answers: { now, disliked },
  time: { from, to },
}: {
  answers: Answers;
  time: Time;
}) =>
  now.disliked === 0 ? null : (
    <section>
      <h2>{t('home.disliked')}</h2>
      <ul class="asked">
        {disliked.map(({ id, question, feedback }) => (
          <li key={id}>
            <a href={`/answers/${id}`}>{question}</a>
            {feedback?.comment === undefined ? null : (
              <span class="quiet small">
                <q>{feedback.comment}</q>
              </span>
            )}
          </li>
        ))}
      </ul>
      <p class="small">
        <a href={answersAddress({ feedback: 'down', from, to })}>
          {count('home.disliked_all', now.disliked)}
        </a>
      </p>
    </section>
  );

const CHECKS_BELOW = ['not_run', 'green'] as const;

/** The red ones as they are now, whatever days are shown. */
const Checks = ({ checks }: { checks: NonNullable<Overview['checks']> }) => {
  if (checks.red + checks.not_run + checks.green === 0)
    return (
      <p class="quiet">
        <a href="/checks">{t('checks.none')}</a>
      </p>
    );
  const isRed = checks.red > 0;
  const states = CHECKS_BELOW.filter((state) => checks[state] > 0);
  return (
    <ul class="tiles">
      <Tile
        label={t('checks.state_red')}
        icon={isRed ? 'cross' : 'check'}
        tone={isRed ? 'declined' : 'answered'}
        number={checks.red}
        note={states.map((state) => count(`checks.count_${state}`, checks[state])).join(', ')}
        href={isRed ? '/checks?state=red' : '/checks'}
      />
    </ul>
  );
};

const Tickets = ({ tickets }: { tickets: NonNullable<Overview['tickets']> }) => {
  const rows = [
    { label: t('home.tickets_waiting'), number: tickets.waiting, href: '/tickets?outcome=waiting' },
    { label: t('home.tickets_open'), number: tickets.open, href: '/tickets?state=open' },
    { label: t('home.tickets_failed'), number: tickets.failed, href: '/operations?state=dead' },
  ];
  return (
    <ul class="counts">
      {rows.map(({ label, number, href }) => (
        <li key={href}>
          {number === 0 ? <span>{label}</span> : <a href={href}>{label}</a>}
          <b>{formatNumber(number)}</b>
        </li>
      ))}
    </ul>
  );
};

const Closed = ({ gaps: { closed, last_closed: gaps }, days }: { gaps: Gaps; days: Days }) =>
  closed === 0 ? null : (
    <section>
      <h2>{t('home.closed')}</h2>
      <ul class="asked">
        {gaps.map(({ id, gap, closed_at: at }) => (
          <li key={id}>
            <a href={`/gaps/${id}`}>{gap}</a>
            {at === null ? null : (
              <span class="quiet small">
                <Age of={at} />
              </span>
            )}
          </li>
        ))}
      </ul>
      <p class="small">
        <a href={gapsAddress(days, 'closed')}>{count('home.closed_all', closed)}</a>
      </p>
    </section>
  );

const Articles = ({
  articles: { counts, findings, articles },
}: {
  articles: NonNullable<Overview['articles']>;
}) => {
  const kinds = (Object.entries(counts) as [HealthKind, number][]).filter(
    ([, number]) => number > 0,
  ); // a record by kind
  if (kinds.length === 0) return <p class="quiet">{count('home.no_findings', articles)}</p>;
  return (
    <>
      <ul class="counts">
        {kinds.map(([kind, number]) => (
          <li key={kind}>
            <a href={`/knowledge?health=${kind}`}>{t(`health.${kind}`)}</a>
            <b>{formatNumber(number)}</b>
          </li>
        ))}
      </ul>
      <ul class="asked">
        {findings.slice(0, LISTED_FINDINGS).map(({ kind, place, detail }) => (
          <li key={`${kind} ${place.article_id} ${detail}`}>
            <a href={articleAddress(place.article_id)}>{place.title}</a>
            {kinds.length === 1 ? null : <span class="quiet small">{t(`health.${kind}`)}</span>}
          </li>
        ))}
      </ul>
    </>
  );
};

const LISTED_FINDINGS = 5;

export default HomeView;
