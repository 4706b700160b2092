import { signal, useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { place } from '../navigation/router.ts';
import { shortcuts, useShortcuts } from '../navigation/shortcuts.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { Empty, Loading } from '../parts/states.tsx';
import { credential, isRefused } from '../session/credential.ts';
import { refreshDeployment } from '../session/deployment.ts';
import { shortcutsAre } from '../session/preferences.ts';
import { isReachable } from '../session/sent-requests.ts';
import { loadTextsOfViews, t } from '../texts/texts.ts';
import { Header } from './header.tsx';
import { SentRequestsDrawer } from './sent-requests-drawer.tsx';
import { SignIn } from './sign-in.tsx';
import type { ViewEntry, ViewProps } from './view-entry.ts';

/** The frame around every view. */
export const Shell = ({ views }: { views: readonly ViewEntry[] }) =>
  credential.value === undefined ? <Welcome /> : <Frame views={views} />;

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

const Rail = ({ views, current }: { views: readonly ViewEntry[]; current: ViewEntry | undefined }) => {
  // In a narrow window the rail has more views than fit.
  useEffect(() => {
    document.querySelector('.rail [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
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
    if (document.activeElement !== document.body && document.activeElement?.closest('.rail') === null) return;
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
      <a href="/">{t('not_found.back')}</a>
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
