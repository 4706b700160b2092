import { createElement, readOptions, type WidgetOptions } from './options.ts';
import { createPanel } from './panel.ts';
import texts from './texts.json' with { type: 'json' };
import styles from './widget.css';

/**
 * The answer box of a web site: `<script src="…/widget.js" data-key="ck_pub_…" async></script>`. It lives in a shadow root, stores
 * nothing, and calls the gateway alone (docs/widget.md).
 */
const show = (options: WidgetOptions): void => {
  const host = createElement('constellation-answers' as 'div', { lang: options.language });
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];
  if (options.target === undefined) root.append(...floating(options));
  else root.append(createPanel(options).element);
  (options.target ?? document.body).append(host);
};

const floating = (options: WidgetOptions): Node[] => {
  const launcher = createElement(
    'button',
    { class: 'launcher primary', 'aria-expanded': 'false', click: () => toggle(true) },
    texts[options.language].open,
  );
  const panel = createPanel(options, { onClose: () => toggle(false) });
  panel.element.hidden = true;
  panel.element.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') toggle(false);
  });
  const toggle = (isOpen: boolean): void => {
    panel.element.hidden = !isOpen;
    launcher.hidden = isOpen;
    launcher.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) panel.focus();
    else launcher.focus();
  };
  return [launcher, panel.element];
};

const script = document.currentScript as HTMLScriptElement | null; // A classic script is one of HTML, not of SVG.
const start = (): void => {
  try {
    if (script !== null) show(readOptions(script));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
};
if (document.readyState === 'loading')
  document.addEventListener('DOMContentLoaded', start, { once: true });
else start();
