import { render } from 'preact';
import { followLinks } from './navigation/router.ts';
import { listenToKeys } from './navigation/shortcuts.ts';
import { SIGN_IN_PATH, takeCredential } from './session/credential.ts';
import { watchDeployment } from './session/deployment.ts';
import { Shell } from './shell/shell.tsx';
import { loadTexts } from './texts/texts.ts';
import { VIEWS } from './views.ts';

takeCredential();
if (location.pathname === SIGN_IN_PATH)
  await (await import('./shell/identity-provider.ts')).returnFromProvider();
followLinks();
listenToKeys();
await loadTexts();
watchDeployment();
const root = document.getElementById('console');
if (root !== null) render(<Shell views={VIEWS} />, root);
