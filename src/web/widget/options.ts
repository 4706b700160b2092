import texts from './texts.json' with { type: 'json' };

export interface WidgetOptions {
  /** A publishable key, `ck_pub_…`. */
  key: string;
  /** Address of the gateway: the origin of the script. */
  url: string;
  /** The element that the box fills; undefined: it floats above the page. */
  target: Element | undefined;
  language: keyof typeof texts;
  title: string | undefined;
  greeting: string | undefined;
  /** An http, https or mailto address; `{conversation}` in it is replaced by what was asked and answered. */
  contact: string | undefined;
  /** Whether a visitor may ask for a person in the box itself. */
  handover: boolean;
}

const SCRIPT = '<script src="…/widget.js" data-key="ck_pub_…" async></script>';

/**
 * The `data-` attributes of the script tag.
 *
 * @throws {Error} When there is no publishable key, or no element to fill; it says what to write instead.
 */
export function readOptions(script: HTMLScriptElement): WidgetOptions {
  const { key = '', target: selector, language = '', title, greeting, contact } = script.dataset;
  if (!key.startsWith('ck_pub_'))
    throw new Error(
      `Cannot show the answer box: data-key is not a publishable key. Write ${SCRIPT}`,
    );
  const target =
    selector === undefined ? undefined : (document.querySelector(selector) ?? undefined);
  if (selector !== undefined && target === undefined)
    throw new Error(`Cannot show the answer box: no element fits data-target="${selector}"`);
  if (contact !== undefined && safeUrl(contact) === undefined)
    throw new Error(
      'Cannot show the answer box: data-contact is not an http, https or mailto address',
    );
  const { origin } = new URL(script.src);
  const handover = script.dataset.handover !== undefined;
  return {
    key,
    url: origin,
    target,
    language: languageOf(language),
    title,
    greeting,
    contact,
    handover,
  };
}

/** The language that is named, else that of the page, else that of the browser, else English. */
const languageOf = (named: string): keyof typeof texts => {
  const wanted = [named, document.documentElement.lang, navigator.language].map((tag) =>
    tag.slice(0, 2).toLowerCase(),
  );
  const known = wanted.find((language) => Object.hasOwn(texts, language));
  // Only keys of the texts are found.
  return (known as keyof typeof texts | undefined) ?? 'en';
};

/** Attributes; a function is a listener of the event of that name. Texts are set as text, never as HTML. */
type Attributes = Readonly<Record<string, string | number | boolean | ((event: Event) => void)>>;

/** Creates an element with its attributes and children. `false` omits an attribute. */
export function createElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key, value);
    else if (value !== false) element.setAttribute(key, value === true ? '' : String(value));
  }
  element.append(...children);
  return element;
}

/** The absolute URL for a link; `undefined` unless its scheme is http, https or mailto. */
const safeUrl = (address: string | undefined): string | undefined => {
  if (address === undefined || !URL.canParse(address, location.href)) return undefined;
  const { protocol, href } = new URL(address, location.href);
  return ['https:', 'http:', 'mailto:'].includes(protocol) ? href : undefined;
};

/** A link that opens in a new tab; its text alone for an address that cannot be linked. */
export function linkTo(address: string | undefined, ...children: readonly (Node | string)[]): Node {
  const href = safeUrl(address);
  if (href === undefined) return createElement('span', {}, ...children);
  return createElement('a', { href, target: '_blank', rel: 'noopener noreferrer' }, ...children);
}
