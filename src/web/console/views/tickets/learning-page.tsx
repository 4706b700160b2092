import { useSignal } from '@preact/signals';
import type { KnowledgeGapReported } from '../../../../contract/wire/knowledge.ts';
import type { Lesson } from '../../../../contract/wire/tickets.ts';
import { articleAddress, navigate } from '../../navigation/router.ts';
import { Button, CopyButton } from '../../parts/button.tsx';
import { Choice } from '../../parts/fields.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Age } from '../../parts/values.tsx';
import { WordDifference } from '../../parts/word-difference.tsx';
import { client, may } from '../../session/deployment.ts';
import { PageError, useLoaded, useRunning } from '../../session/loaded.ts';
import { intentTitle, intentTitles } from '../../support/intent-titles.ts';
import { count, t } from '../../texts/texts.ts';
import { ticketAddress } from './ticket-list.tsx';

const MAX_LESSONS = 50;

/** What agents sent instead of drafts, by article and by intent, and what that says about the articles. */
export function LearningPage({ query }: { query: URLSearchParams }) {
  const intent = query.get('intent') ?? undefined;
  const { value, failure, load } = useLoaded(
    (signal) => client.tickets.lessons({ intent, limit: MAX_LESSONS }, { signal }),
    [intent],
  );
  return (
    <div class="tickets learning">
      <p class="small">
        <a href="/tickets">{t('tickets.back')}</a>
      </p>
      <div class="title">
        <h1>{t('learning.title')}</h1>
        <Choice
          label={t('tickets.intent')}
          value={intent ?? ''}
          onChoose={(chosen) =>
            navigate(
              chosen === ''
                ? '/tickets/learning'
                : `/tickets/learning?${new URLSearchParams({ intent: chosen })}`,
              {
                replace: true,
              },
            )
          }
          options={[
            { value: '', label: t('tickets.state_all') },
            ...Object.entries({
              ...(intent === undefined ? {} : { [intent]: intent }),
              ...intentTitles(),
            }).map(([id, label]) => ({ value: id, label })),
          ]}
        />
      </div>
      {failure === undefined ? null : <Failure error={failure} retry={load} />}
      {value === undefined ? (
        failure === undefined ? (
          <Loading lines={10} />
        ) : null
      ) : value.lessons.length === 0 ? (
        <Empty icon="tickets" title={t('learning.none')}>
          <p>{t('learning.none_text')}</p>
        </Empty>
      ) : (
        groupsOf(value.lessons).map((group) => <Group key={group.key} group={group} />)
      )}
    </div>
  );
}

interface LessonGroup {
  key: string;
  title: string;
  /** The article that the drafts cite; absent where they cite none. */
  article: Lesson['articles'][number] | undefined;
  lessons: Lesson[];
}

/** By the article that a draft cites first, else by its intent; most lessons first. */
const groupsOf = (lessons: readonly Lesson[]): LessonGroup[] => {
  const groups = new Map<string, LessonGroup>();
  for (const lesson of lessons) {
    const [article] = lesson.articles;
    const key = article === undefined ? `intent ${lesson.intent}` : `article ${article.url}`;
    const title = article?.title ?? intentTitle(lesson.intent);
    const group = groups.get(key) ?? { key, title, article, lessons: [] };
    groups.set(key, group);
    group.lessons.push(lesson);
  }
  return [...groups.values()].toSorted((one, other) => other.lessons.length - one.lessons.length);
};

const Group = ({ group: { title, article, lessons } }: { group: LessonGroup }) => {
  const saved = repeatedReply(lessons);
  return (
    <section class="lessons">
      <h2>{title}</h2>
      <p class="quiet small">
        {count(
          article === undefined ? 'learning.without_article' : 'learning.of_article',
          lessons.length,
        )}
      </p>
      {saved === undefined ? null : (
        <div class="banner">
          <span>{t('learning.repeated')}</span>
          <CopyButton text={() => saved}>{t('learning.copy_reply')}</CopyButton>
        </div>
      )}
      <ul class="plain">
        {lessons.map((lesson) => (
          <LessonItem key={`${lesson.helpdesk} ${lesson.ticket_id} ${lesson.at}`} lesson={lesson} />
        ))}
      </ul>
    </section>
  );
};

const LessonItem = ({ lesson }: { lesson: Lesson }) => {
  const { helpdesk, ticket_id: id, title, intent, outcome, added, draft, sent, at } = lesson;
  return (
    <li class="lesson">
      <p class="row">
        <a href={ticketAddress(helpdesk, id)}>{title ?? t('tickets.untitled', { ticket: id })}</a>
        <span class="quiet small">
          {intentTitle(intent)} ·{' '}
          {t(outcome === 'rewritten' ? 'desk.sent_back' : `desk.${outcome}`)} · <Age of={at} />
        </span>
      </p>
      {added.length === 0 ? (
        <p class="quiet small">{t('learning.nothing_added')}</p>
      ) : (
        <ul>
          {added.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
      <Difference before={draft} after={sent} />
      <Proposals lesson={lesson} />
    </li>
  );
};

/** Compared once it is opened: a comparison of long texts takes time. */
const Difference = ({ before, after }: { before: string; after: string }) => {
  const isOpen = useSignal(false);
  return (
    <details
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary class="small">{t('learning.difference')}</summary>
      {isOpen.value ? <WordDifference before={before} after={after} /> : null}
    </details>
  );
};

/** What can be done with what an agent wrote: change the article, write one, or note what is missing. */
const Proposals = ({ lesson }: { lesson: Lesson }) => {
  const { helpdesk, ticket_id: id, title, articles, added } = lesson;
  const [article] = articles;
  const reported = useSignal<KnowledgeGapReported | undefined>(undefined);
  const { start, failure, isLoading } = useRunning();
  const about = new URLSearchParams({ lesson: `${helpdesk}/${id}` });
  const change = (): void =>
    start(
      (signal) => articleIdOf(article, signal),
      (articleId) => navigate(`${articleAddress(articleId, { isEdited: true })}&${about}`),
    );
  const report = (): void =>
    start(
      (signal) => client.gaps.report({ question: title ?? '' }, { signal }),
      (reply) => {
        reported.value = reply;
      },
    );
  return (
    <>
      <div class="row">
        {article !== undefined && added.length > 0 && may('kb:write') === true ? (
          <Button disabled={isLoading} onClick={change}>
            {t('learning.change')}
          </Button>
        ) : null}
        {article === undefined && added.length > 0 && may('kb:write') === true ? (
          <a class="button" href={`/knowledge?edit&${about}`}>
            {t('gaps.write')}
          </a>
        ) : null}
        {title === null || may('support:analyze') !== true ? null : (
          <Button
            kind="quiet"
            icon="gaps"
            disabled={isLoading || reported.value !== undefined}
            onClick={report}
          >
            {t('declined.report')}
          </Button>
        )}
        <span role="status" class="small">
          {reported.value === undefined ? '' : t(`declined.report_${reported.value.outcome}`)}
        </span>
      </div>
      {failure === undefined ? null : <Failure error={failure} />}
    </>
  );
};

const MAX_HITS = 10;

/** The id of the article that a draft cites by its address. */
const articleIdOf = async (
  article: Lesson['articles'][number] | undefined,
  signal: AbortSignal,
): Promise<string> => {
  const { hits } = await client.search(
    { query: article?.title ?? '', limit: MAX_HITS },
    { signal },
  );
  const hit = hits.find(({ url }) => url === article?.url);
  if (hit === undefined) throw new PageError(t('learning.article_gone'));
  return hit.article_id;
};

/** Share of common words from which two replies say the same. */
const ALIKE = 0.5;

/** The newest of two or more replies for which drafts were put aside, and that say the same. */
const repeatedReply = (lessons: readonly Lesson[]): string | undefined => {
  const replies = lessons.filter(({ outcome }) => outcome === 'discarded').map(({ sent }) => sent);
  return replies.find((reply, at) =>
    replies.slice(at + 1).some((other) => likeness(reply, other) >= ALIKE),
  );
};

const likeness = (one: string, other: string): number => {
  const [left, right] = [one, other].map(
    (text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []),
  );
  const common = [...(left ?? [])].filter((word) => right?.has(word) === true).length;
  const all = (left?.size ?? 0) + (right?.size ?? 0) - common;
  return all === 0 ? 0 : common / all;
};
