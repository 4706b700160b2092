import type { Health, LibrarianEntry } from '../../../../contract/core/librarian.ts';
import { Button, Icon, type IconName } from '../../parts/button.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { client } from '../../session/deployment.ts';
import { useLoaded } from '../../session/loaded.ts';
import { t } from '../../texts/texts.ts';

const ICONS: Readonly<Record<Health, IconName>> = {
  ok: 'check',
  degraded: 'warning',
  down: 'cross',
  unknown: 'unknown',
};
const MAX_EXAMPLES = 3;

/** Who answers questions: what each knows, its health and the rights that it needs. */
const LibrariansView = () => {
  const { value, failure, isLoading, load } = useLoaded(
    (signal) => client.librarians({ signal }),
    [],
  );
  return (
    <div class="librarians">
      <div class="title">
        <h1>{t('view.librarians')}</h1>
        <Button icon="retry" disabled={isLoading} onClick={load}>
          {t('librarians.check')}
        </Button>
      </div>
      {failure === undefined ? null : <Failure error={failure} retry={load} />}
      {value === undefined ? (
        failure === undefined ? (
          <Loading lines={8} />
        ) : null
      ) : value.librarians.length === 0 ? (
        <Empty icon="librarians" title={t('librarians.none')} />
      ) : (
        <ul class="cards">
          {value.librarians.map((librarian) => (
            <li key={librarian.id} class="card">
              <Librarian librarian={librarian} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};

const Librarian = ({ librarian }: { librarian: LibrarianEntry }) => {
  const {
    id,
    name,
    description,
    health,
    unavailable,
    capabilities = [],
    examples = [],
    combines = [],
  } = librarian;
  const shown = unavailable === undefined ? health : 'down';
  return (
    <>
      <h2>{name}</h2>
      <p class="row small">
        <span class={`health ${shown}`}>
          <Icon name={ICONS[shown]} /> {t(`librarians.health_${shown}`)}
        </span>
        <code class="quiet">{id}</code>
      </p>
      {unavailable === undefined ? null : <p class="small">{unavailable}</p>}
      {description === undefined ? null : <p>{description}</p>}
      <dl class="small">
        <dt>{t('librarians.needs')}</dt>
        <dd class="row">
          {capabilities.length === 0
            ? t('librarians.needs_none')
            : capabilities.map((capability) => (
                <code key={capability} class="right-name">
                  {capability}
                </code>
              ))}
        </dd>
        {combines.length === 0 ? null : (
          <>
            <dt>{t('librarians.combines')}</dt>
            <dd>{combines.join(', ')}</dd>
          </>
        )}
        {examples.length === 0 ? null : (
          <>
            <dt>{t('librarians.examples')}</dt>
            {examples.slice(0, MAX_EXAMPLES).map((example) => (
              <dd key={example}>{example}</dd>
            ))}
          </>
        )}
      </dl>
      {unavailable === undefined ? (
        <a
          class="button"
          href={id === 'concierge' ? '/ask' : `/ask?librarian=${encodeURIComponent(id)}`}
          aria-label={t('librarians.ask_named', { name })}
        >
          <Icon name="ask" />
          {t('librarians.ask')}
        </a>
      ) : null}
    </>
  );
};

export default LibrariansView;
