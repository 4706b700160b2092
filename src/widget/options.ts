import { safeUrl } from './create-element.ts';
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
export const readOptions = (script: HTMLScriptElement): WidgetOptions => {
  const { key = '', target: selector, language = '', title, greeting, contact } = script.dataset;
  if (!key.startsWith('ck_pub_'))
    throw new Error(`Cannot show the answer box: data-key is not a publishable key. Write ${SCRIPT}`);
  const target = selector === undefined ? undefined : (document.querySelector(selector) ?? undefined);
  if (selector !== undefined && target === undefined)
    throw new Error(`Cannot show the answer box: no element fits data-target="${selector}"`);
  if (contact !== undefined && safeUrl(contact) === undefined)
    throw new Error('Cannot show the answer box: data-contact is not an http, https or mailto address');
  const { origin } = new URL(script.src);
  const handover = script.dataset.handover !== undefined;
  return { key, url: origin, target, language: languageOf(language), title, greeting, contact, handover };
};

/** The language that is named, else that of the page, else that of the browser, else English. */
const languageOf = (named: string): keyof typeof texts => {
  const wanted = [named, document.documentElement.lang, navigator.language].map((tag) => tag.slice(0, 2).toLowerCase());
  const known = wanted.find((language) => Object.hasOwn(texts, language));
  // Only keys of the texts are found.
  return (known as keyof typeof texts | undefined) ?? 'en';
};
