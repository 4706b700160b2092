import { useSignal } from '@preact/signals';
import { Button } from '../parts/button.tsx';
import { Age } from '../parts/time.tsx';
import { signOut } from '../session/credential.ts';
import { access, health, refreshDeployment, syncStatus } from '../session/deployment.ts';
import { type Theme, theme } from '../session/preferences.ts';
import { isReachable } from '../session/sent-requests.ts';
import { chooseWorkspace, chosenWorkspace } from '../session/workspace.ts';
import { chooseLanguage, LANGUAGES, type Language, language, t } from '../texts/texts.ts';

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const THEME_ICONS = { system: 'half', light: 'sun', dark: 'moon' } as const;

interface HeaderProps {
  onHelp: () => void;
  onRequests: () => void;
}

export const Header = ({ onHelp, onRequests }: HeaderProps) => (
  <header class="header">
    <p class="place">
      <Workspace />
      <Edition />
    </p>
    <Connection />
    <div class="tools">
      <Button kind="quiet" icon="request" label={t('requests.show')} onClick={onRequests} />
      <Button kind="quiet" icon="unknown" label={t('shortcuts.title')} onClick={onHelp} />
      <Button
        kind="quiet"
        icon={THEME_ICONS[theme.value]}
        label={t(`theme.${theme.value}`)}
        onClick={() => {
          theme.value = NEXT[theme.value];
        }}
      />
      <LanguageSwitch />
      <Button kind="quiet" icon="leave" label={t('sign_out')} onClick={signOut} />
    </div>
  </header>
);

/** The workspace that is looked at; a choice where the key has several. */
const Workspace = () => {
  const { workspaces = [] } = access.value ?? {};
  const [first = ''] = workspaces;
  if (workspaces.length < 2) return <strong>{chosenWorkspace ?? first}</strong>;
  return (
    <select
      aria-label={t('header.workspace')}
      value={chosenWorkspace ?? first}
      onChange={(event) => chooseWorkspace(event.currentTarget.value)}
    >
      {workspaces.map((workspace) => (
        <option key={workspace} value={workspace}>
          {workspace}
        </option>
      ))}
    </select>
  );
};

/** The edition that is searched, and how old it is. */
const Edition = () => {
  const status = syncStatus.value;
  if (status === undefined) return null;
  if (status.edition === null) return <span class="pill">{t('header.no_edition')}</span>;
  const publishedAt = status.last_report?.finished_at;
  return (
    <button
      type="button"
      class="pill"
      title={t('header.edition', { edition: status.edition })}
      onClick={refreshDeployment}
    >
      {status.edition.split('-')[0]}
      {publishedAt == null ? null : (
        <>
          {' '}
          · <Age of={publishedAt} />
        </>
      )}
    </button>
  );
};

const Connection = () => {
  const state = !isReachable.value ? 'offline' : (health.value?.status ?? 'checking');
  return (
    <span class={`connection ${state}`} role="status">
      {t(`connection.${state}`)}
    </span>
  );
};

const LanguageSwitch = () => {
  const isBusy = useSignal(false);
  const choose = async (chosen: Language): Promise<void> => {
    isBusy.value = true;
    await chooseLanguage(chosen).catch(() => undefined);
    isBusy.value = false;
  };
  return (
    <select
      aria-label={t('header.language')}
      value={language.value}
      disabled={isBusy.value}
      onChange={(event) => choose(event.currentTarget.value as Language)}
    >
      {Object.entries(LANGUAGES).map(([id, { name }]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
};
