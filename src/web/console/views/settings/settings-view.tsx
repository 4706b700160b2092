import type { ComponentChildren } from 'preact';
import type { Healthz } from '../../../../contract/core/librarian.ts';
import type { CallerAccess } from '../../../../contract/wire/access.ts';
import { Icon } from '../../parts/button.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { call, client, may } from '../../session/deployment.ts';
import { type Loaded, useLoaded } from '../../session/loaded.ts';
import { formatMoment, t } from '../../texts/texts.ts';
import { DraftSettings, SetElsewhere } from './draft-settings.tsx';

/** How drafts are written, what the deployment runs on, what is wrong with it, and what the key may do. */
const SettingsView = () => {
  const health = useLoaded((signal) => client.health({ signal }), []);
  const access = useLoaded(
    (signal) => call<CallerAccess>('GET /v1/access', { rate: 'string' }, { signal }),
    [],
  );
  return (
    <div class="settings">
      <h1>{t('view.settings')}</h1>
      {may('support:analyze') === true ? <DraftSettings /> : null}
      <SetElsewhere />
      <Part title={t('settings.deployment')} from={health}>
        {(value) => <Deployment health={value} />}
      </Part>
      <Part title={t('settings.key')} from={access}>
        {(value) => <Rights access={value} />}
      </Part>
      <section>
        <h2>{t('settings.more')}</h2>
        <ul>
          {may('audit:read') === true ? (
            <li>
              <a href="/audit">{t('view.audit')}</a>
            </li>
          ) : null}
          <li>
            <a href="/docs" data-page="other">
              {t('settings.api')}
            </a>
          </li>
          <li>
            <a href="/openapi.json" data-page="other">
              {t('settings.openapi')}
            </a>
          </li>
          <li>
            <a href="/search" data-page="other">
              {t('settings.search')}
            </a>
          </li>
        </ul>
      </section>
    </div>
  );
};

interface PartProps<Value> {
  title: string;
  from: Loaded<Value>;
  children: (value: Value) => ComponentChildren;
}

const Part = <Value,>({ title, from: { value, failure, load }, children }: PartProps<Value>) => (
  <section>
    <h2>{title}</h2>
    {failure === undefined ? null : <Failure error={failure} retry={load} />}
    {value === undefined ? failure === undefined ? <Loading lines={5} /> : null : children(value)}
  </section>
);

const Deployment = ({
  health: { status, version, adapters, directory, helpdesks, storage },
}: {
  health: Healthz;
}) => (
  <>
    <p class={`health ${status}`}>
      <Icon name={status === 'ok' ? 'check' : 'warning'} /> {t(`settings.status_${status}`)}
    </p>
    {storage === undefined ? null : <p class="banner">{t('settings.storage_full')}</p>}
    {(helpdesks?.misconfigured ?? []).length === 0 ? null : (
      <p class="banner">
        <span>
          {t('settings.misconfigured', { helpdesks: helpdesks?.misconfigured.join(', ') ?? '' })}
        </span>
        <a href="/tickets">{t('view.tickets')}</a>
      </p>
    )}
    <dl class="facts-list">
      {version === undefined ? null : <Fact name={t('settings.version')}>{version}</Fact>}
      {Object.entries(adapters).map(([role, adapter]) => (
        <Fact key={role} name={role.replaceAll('_', ' ')}>
          <code>{adapter}</code>
        </Fact>
      ))}
      {directory === undefined ? null : (
        <Fact name={t('settings.directory')}>
          {t('settings.directory_value', {
            sequence: directory.sequence,
            moment: formatMoment(new Date(directory.expires_at)),
          })}
        </Fact>
      )}
      {helpdesks === undefined ? null : (
        <Fact name={t('settings.helpdesks')}>{helpdesks.connections}</Fact>
      )}
    </dl>
  </>
);

const Rights = ({ access }: { access: CallerAccess }) => (
  <dl class="facts-list">
    <Fact name={t('settings.rights')}>
      <span class="row">
        {access.capabilities.length === 0
          ? t('settings.no_rights')
          : access.capabilities.map((capability) => (
              <code key={capability} class="right-name">
                {capability}
              </code>
            ))}
      </span>
    </Fact>
    <Fact name={t('settings.workspaces')}>{access.workspaces.join(', ')}</Fact>
    <Fact name={t('settings.rate')}>{t(`settings.rate_${access.rate}`)}</Fact>
    <Fact name={t('settings.signed_in')}>{t(`settings.by_${access.authentication}`)}</Fact>
    {access.expires_at === undefined ? null : (
      <Fact name={t('settings.expires')}>{formatMoment(new Date(access.expires_at))}</Fact>
    )}
  </dl>
);

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

export default SettingsView;
