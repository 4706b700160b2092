import { signal, useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { place } from '../navigation/router.ts';
import { shortcuts, useShortcuts } from '../navigation/shortcuts.ts';
import { Button, CopyButton, Icon } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Empty, Loading } from '../parts/states.tsx';
import { Age } from '../parts/values.tsx';
import { credential, isRefused, signOut } from '../session/credential.ts';
import {
  access,
  chooseWorkspace,
  chosenWorkspace,
  health,
  refreshDeployment,
  syncStatus,
} from '../session/deployment.ts';
import { shortcutsAre, type Theme, theme } from '../session/preferences.ts';
import { asCurl, asMcp, asTypeScript } from '../session/request-forms.ts';
import { isReachable, isSame, type SentRequest, sentRequests } from '../session/sent-requests.ts';
import {
  chooseLanguage,
  LANGUAGES,
  type Language,
  language,
  loadTextsOfViews,
  t,
} from '../texts/texts.ts';
import { OfferedKey } from './offered-key.tsx';
import { SignIn } from './sign-in.tsx';
import type { ViewEntry, ViewProps } from './view-entry.ts';

/** The frame around every view. */
export function Shell({ views }: { views: readonly ViewEntry[] }) {
  return (
    <>
      {credential.value === undefined ? <Welcome /> : <Frame views={views} />}
      <OfferedKey />
    </>
  );
}

const Welcome = () => {
  useEffect(() => {
    document.title = 'Constellation';
  }, []);
  return (
    <main class="welcome">
      <h1>
        <Mark /> Constellation
      </h1>
      <SignIn />
    </main>
  );
};

const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <path d="M8 22 14 10l10 5-4 9z" />
    <circle cx="8" cy="22" r="2.500" />
    <circle cx="14" cy="10" r="3" />
    <circle cx="24" cy="15" r="2.500" />
    <circle cx="20" cy="24" r="2" />
  </svg>
);

const Frame = ({ views }: { views: readonly ViewEntry[] }) => {
  const open = useSignal<'help' | 'requests' | undefined>(undefined);
  const { parts, query } = place.value;
  const entry = parts.length === 0 ? views[0] : views.find(({ path }) => path === parts[0]);
  const openHelp = (): void => {
    open.value = 'help';
  };
  const close = (): void => {
    open.value = undefined;
  };
  useShortcuts([{ key: '?', label: 'shortcuts.help', run: openHelp }]);
  return (
    <div class="frame">
      <a class="skip" href="#main">
        {t('skip')}
      </a>
      <Rail views={views} current={entry} />
      <Header onHelp={openHelp} onRequests={() => (open.value = 'requests')} />
      <main id="main" tabIndex={-1}>
        {isReachable.value ? null : <Offline />}
        {entry === undefined ? (
          <NotFound />
        ) : (
          <View key={entry.path} entry={entry} parts={parts.slice(1)} query={query} />
        )}
      </main>
      {open.value === 'help' ? <Help onClose={close} /> : null}
      {open.value === 'requests' ? <SentRequestsDrawer onClose={close} /> : null}
      {isRefused.value ? (
        <Dialog title={t('sign_in.title')} isRequired onClose={() => undefined}>
          <SignIn />
        </Dialog>
      ) : null}
    </div>
  );
};

const Rail = ({
  views,
  current,
}: {
  views: readonly ViewEntry[];
  current: ViewEntry | undefined;
}) => {
  // In a narrow window the rail has more views than fit.
  useEffect(() => {
    document
      .querySelector('.rail [aria-current]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [current]);
  return (
    <nav class="rail" aria-label={t('rail')}>
      <a class="brand" href="/">
        <Mark /> <span>Constellation</span>
      </a>
      <ul>
        {views
          .filter(({ isUnlisted }) => isUnlisted !== true)
          .map((view) => (
            <li key={view.path}>
              <a href={`/${view.path}`} aria-current={view === current ? 'page' : undefined}>
                <Icon name={view.icon} />
                <span>{t(view.title)}</span>
              </a>
            </li>
          ))}
        <li>
          <a href="/docs" data-page="other">
            <Icon name="api" />
            <span>{t('view.api')}</span>
          </a>
        </li>
      </ul>
    </nav>
  );
};

const loaded = signal<Readonly<Record<string, ComponentType<ViewProps>>>>({});

const View = ({ entry, ...props }: ViewProps & { entry: ViewEntry }) => {
  const hasFailed = useSignal(false);
  const load = (): void => {
    hasFailed.value = false;
    Promise.all([entry.load(), entry.isFirst === true ? undefined : loadTextsOfViews()]).then(
      ([{ default: view }]) => {
        loaded.value = { ...loaded.value, [entry.path]: view };
      },
      () => {
        hasFailed.value = true;
      },
    );
  };
  useEffect(load, []);
  // Chromium does not fetch a module again that it could not fetch once.
  useSignalEffect(() => {
    if (isReachable.value && hasFailed.peek()) location.reload();
  });
  // A reader who does not see the page learns that it is another one; the first page keeps the focus where it is.
  useEffect(() => {
    if (
      document.activeElement !== document.body &&
      document.activeElement?.closest('.rail') === null
    )
      return;
    document.getElementById('main')?.focus({ preventScroll: true });
  }, [loaded.value[entry.path]]);
  useSignalEffect(() => {
    document.title = `${t(entry.title)} · Constellation`;
  });
  const Loaded = loaded.value[entry.path];
  if (Loaded !== undefined) return <Loaded {...props} />;
  if (hasFailed.value && !isReachable.value) {
    // A reload would leave the page for one of the browser.
    return (
      <Empty icon="warning" title={t('view.failed')}>
        <p>{t('view.failed_offline')}</p>
      </Empty>
    );
  }
  // The files of an older deployment are gone once a newer one is there.
  if (hasFailed.value) {
    return (
      <Empty icon="warning" title={t('view.failed')}>
        <p>{t('view.failed_text')}</p>
        <Button icon="retry" onClick={() => location.reload()}>
          {t('view.reload')}
        </Button>
      </Empty>
    );
  }
  return <Loading lines={6} />;
};

const NotFound = () => (
  <>
    <h1>{t('not_found.title')}</h1>
    <p>{t('not_found.text')}</p>
    <p>
      <a href="/ask">{t('not_found.back')}</a>
    </p>
  </>
);

const Offline = () => (
  <div class="banner" role="alert">
    <Icon name="warning" />
    <span>{t('offline.text')}</span>
    <Button icon="retry" onClick={refreshDeployment}>
      {t('try_again')}
    </Button>
  </div>
);

const Help = ({ onClose }: { onClose: () => void }) => (
  <Dialog title={t('shortcuts.title')} onClose={onClose}>
    <dl class="keys">
      {shortcuts.value.map(({ key, label }) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{t(label)}</dd>
        </div>
      ))}
    </dl>
    <label class="check">
      <input
        type="checkbox"
        checked={shortcutsAre.value === 'on'}
        onChange={(event) => {
          shortcutsAre.value = event.currentTarget.checked ? 'on' : 'off';
        }}
      />
      {t('shortcuts.switch')}
    </label>
  </Dialog>
);

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const THEME_ICONS = { system: 'half', light: 'sun', dark: 'moon' } as const;

interface HeaderProps {
  onHelp: () => void;
  onRequests: () => void;
}

const Header = ({ onHelp, onRequests }: HeaderProps) => (
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
  return (
    <button
      type="button"
      class="pill"
      title={t('header.edition', { edition: status.edition })}
      onClick={refreshDeployment}
    >
      {t('header.articles')}{' '}
      {status.published_at === undefined ? null : <Age of={status.published_at} />}
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

const FORMS = ['curl', 'typescript', 'mcp'] as const;

/** What the view has asked the public API, to be repeated from a terminal, a program or an assistant. */
const SentRequestsDrawer = ({ onClose }: { onClose: () => void }) => {
  const requests = sentRequests.value;
  const chosen = useSignal<SentRequest | undefined>(requests[0]);
  const request = requests.find((each) => isSame(each, chosen.value));
  return (
    <Dialog title={t('requests.title')} isDrawer onClose={onClose}>
      <p class="quiet">{t('requests.text')}</p>
      {requests.length === 0 ? <p>{t('requests.none')}</p> : null}
      <ul class="requests">
        {requests.map((each) => (
          <li key={`${each.sentAt}${each.path}`}>
            <button
              type="button"
              aria-pressed={each === request}
              onClick={() => {
                chosen.value = each;
              }}
            >
              <code>{each.route}</code>
              <span class="quiet small">
                {each.status === 0
                  ? t('requests.unanswered')
                  : (each.status ?? t('requests.pending'))}{' '}
                · <Age of={each.sentAt} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      {request === undefined ? null : <Forms request={request} />}
    </Dialog>
  );
};

const Forms = ({ request }: { request: SentRequest }) => {
  const form = useSignal<(typeof FORMS)[number]>('curl');
  const { origin } = location;
  const text = {
    curl: () => asCurl(request, origin),
    typescript: () => asTypeScript(request, origin),
    mcp: () => asMcp(request, origin),
  }[form.value]();
  return (
    <section class="forms">
      <div class="row between">
        <div class="row" role="tablist" aria-label={t('requests.form')}>
          {FORMS.map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              id={`form-${each}`}
              aria-selected={each === form.value}
              aria-controls="form"
              class="tab"
              onClick={() => {
                form.value = each;
              }}
            >
              {t(`requests.${each}`)}
            </button>
          ))}
        </div>
        {text === undefined ? null : <CopyButton text={() => text}>{t('copy')}</CopyButton>}
      </div>
      <div id="form" role="tabpanel" aria-labelledby={`form-${form.value}`}>
        {text === undefined ? (
          <p class="quiet">{t('requests.no_tool')}</p>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
          <pre tabIndex={0}>{text}</pre>
        )}
      </div>
      {request.requestId === undefined ? null : (
        <p class="request-id">
          {t('failure.request')} <code>{request.requestId}</code>
          <CopyButton text={() => request.requestId ?? ''} label={t('failure.copy_request')} />
        </p>
      )}
    </section>
  );
};
