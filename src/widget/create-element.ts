/** Attributes; a function is a listener of the event of that name. Texts are set as text, never as HTML. */
type Attributes = Readonly<Record<string, string | number | boolean | ((event: Event) => void)>>;

/** Creates an element with its attributes and children. `false` omits an attribute. */
export const createElement = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key, value);
    else if (value !== false) element.setAttribute(key, value === true ? '' : String(value));
  }
  element.append(...children);
  return element;
};

/** The absolute URL for a link; `undefined` unless its scheme is http, https or mailto. */
export const safeUrl = (address: string | undefined): string | undefined => {
  if (address === undefined || !URL.canParse(address, location.href)) return undefined;
  const { protocol, href } = new URL(address, location.href);
  return ['https:', 'http:', 'mailto:'].includes(protocol) ? href : undefined;
};

/** A link that opens in a new tab; its text alone for an address that cannot be linked. */
export const linkTo = (address: string | undefined, ...children: readonly (Node | string)[]): Node => {
  const href = safeUrl(address);
  if (href === undefined) return createElement('span', {}, ...children);
  return createElement('a', { href, target: '_blank', rel: 'noopener noreferrer' }, ...children);
};
