import { render } from 'preact';
import { followLinks } from './navigation/router.ts';
import { listenToKeys } from './navigation/shortcuts.ts';
import { takeCredential } from './session/credential.ts';
import { watchDeployment } from './session/deployment.ts';
import { Shell } from './shell/shell.tsx';
import { loadTexts } from './texts/texts.ts';
import { VIEWS } from './views.ts';

takeCredential();
followLinks();
listenToKeys();
await loadTexts();
watchDeployment();
const root = document.getElementById('console');
if (root !== null) render(<Shell views={VIEWS} />, root);
