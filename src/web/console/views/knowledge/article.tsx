import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { HostArticle } from '../../../../contract/wire/host-article.ts';
import { articleAddress, navigate } from '../../navigation/router.ts';
import { Button, Icon } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { SourceLink } from '../../parts/source-link.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Age } from '../../parts/values.tsx';
import { client, may } from '../../session/deployment.ts';
import { useLoaded, useRunning } from '../../session/loaded.ts';
import { formatNumber, languageName, t } from '../../texts/texts.ts';
import { readText } from './article-draft.ts';
import { Labels } from './article-list.tsx';
import { ArticleHealth } from './health-list.tsx';
import { type PassagePlace, Reading } from './reading.tsx';

/** An article as answers see it: its text, its passages with their places, and what writers should look at. */
export function ArticlePage({ id, passage }: { id: string; passage?: PassagePlace | undefined }) {
  const {
    value: article,
    failure,
    load,
  } = useLoaded((signal) => client.articles.get(id, { signal }), [id]);
  return (
    <div class="knowledge article">
      <div class="title">
        <div>
          <h1>{article?.title ?? t('view.knowledge')}</h1>
          <p class="quiet small id">{id}</p>
        </div>
        <span class="row">
          <a href="/knowledge">{t('knowledge.back')}</a>
          {article !== undefined && may('kb:write') === true ? <Actions id={id} /> : null}
        </span>
      </div>
      {failure === undefined ? null : <Failure error={failure} retry={load} />}
      {article !== undefined ? (
        <Article article={article} passage={passage} />
      ) : failure === undefined ? (
        <Loading lines={12} />
      ) : null}
    </div>
  );
}

const Actions = ({ id }: { id: string }) => {
  const isAsked = useSignal(false);
  const { start, failure, isLoading } = useRunning();
  const remove = (): void =>
    start(
      (signal) => client.articles.delete(id, { signal }),
      () => navigate('/knowledge'),
    );
  return (
    <>
      <Button onClick={() => navigate(articleAddress(id, { isEdited: true }))}>
        {t('knowledge.edit')}
      </Button>
      <Button kind="danger" disabled={isLoading} onClick={() => (isAsked.value = true)}>
        {t('knowledge.delete')}
      </Button>
      {isAsked.value ? (
        <Confirm
          title={t('knowledge.delete_title')}
          action={t('knowledge.delete')}
          onConfirm={remove}
          onClose={() => (isAsked.value = false)}
        >
          <p>{t('knowledge.delete_text')}</p>
        </Confirm>
      ) : null}
      {failure === undefined ? null : <Failure error={failure} retry={remove} />}
    </>
  );
};

const Article = ({
  article,
  passage,
}: {
  article: HostArticle;
  passage: PassagePlace | undefined;
}) => {
  const { id, url, title, content, metadata } = article;
  const read = useLoaded((signal) => readText(id, signal), [id]);
  const { text } = read.value ?? {};
  return (
    <>
      <dl class="facts">
        <Fact label={t('knowledge.changed')}>
          <Age of={metadata.last_updated} />
        </Fact>
        {metadata.author === undefined ? null : (
          <Fact label={t('knowledge.author')}>{metadata.author}</Fact>
        )}
        <Fact label={t('knowledge.address')}>
          <SourceLink url={url}>
            {url} <Icon name="open" />
          </SourceLink>
        </Fact>
        {read.value === undefined ? null : (
          <Fact label={t('knowledge.owner')}>{t(`knowledge.owner_${read.value.owner}`)}</Fact>
        )}
        {read.value === undefined ? null : (
          <Fact label={t('knowledge.language')}>
            {read.value.language === undefined
              ? t('knowledge.language_unknown')
              : languageName(read.value.language)}
          </Fact>
        )}
        {metadata.intent.length === 0 ? null : (
          <Fact label={t('knowledge.intents')}>
            <Labels labels={metadata.intent} name="intent" />
          </Fact>
        )}
        {metadata.audience === undefined ? null : (
          <Fact label={t('knowledge.field_audiences')}>{metadata.audience.join(', ')}</Fact>
        )}
        {metadata.device.length === 0 ? null : (
          <Fact label={t('knowledge.devices')}>
            <Labels labels={metadata.device} name="device" />
          </Fact>
        )}
      </dl>
      <ArticleHealth id={id} />
      {read.failure === undefined ? null : <Failure error={read.failure} retry={read.load} />}
      {read.value !== undefined ? (
        <Reading title={title} content={content} read={read.value} passage={passage} />
      ) : read.isLoading ? (
        <Loading lines={10} />
      ) : null}
      <Passages id={id} title={title} text={text} />
    </>
  );
};

const Fact = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

const LIMIT = 50;

/** The passages of the article that a search for its title finds, in the order of its text. */
const Passages = ({ id, title, text }: { id: string; title: string; text: string | undefined }) => {
  const { value, failure, load } = useLoaded(
    (signal) => client.search({ query: title, limit: LIMIT }, { signal }),
    [id],
  );
  const own = (value?.hits ?? []).filter(({ article_id: each }) => each === id);
  const placed = own
    .map((hit) => ({ ...hit, start: text?.indexOf(hit.text) ?? -1 }))
    .toSorted((one, other) => one.start - other.start);
  return (
    <section>
      <h2>{t('knowledge.passages')}</h2>
      <p class="quiet small">{t('knowledge.passages_text')}</p>
      {failure === undefined ? null : <Failure error={failure} retry={load} />}
      {value === undefined ? (
        failure === undefined ? (
          <Loading lines={4} />
        ) : null
      ) : (
        <Table
          caption={t('knowledge.passages')}
          rows={placed}
          empty={<p class="quiet">{t('knowledge.no_passages')}</p>}
          columns={[
            {
              id: 'place',
              label: t('knowledge.place'),
              align: 'right',
              sort: ({ start }) => start,
              cell: ({ start, text: passage }) =>
                start < 0 ? '–' : `${formatNumber(start)}–${formatNumber(start + passage.length)}`,
            },
            {
              id: 'passage',
              label: t('knowledge.passage'),
              cell: ({ heading, text: passage }) => (
                <>
                  {heading === '' ? null : <b>{heading}</b>}
                  <p class="excerpt small">{passage}</p>
                </>
              ),
            },
          ]}
        />
      )}
    </section>
  );
};
