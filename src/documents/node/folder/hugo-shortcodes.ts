import { attributesIn } from '../../tag-attributes.ts';

interface Shortcodes {
  /** The template of a shortcode. */
  templateOf(name: string): string | undefined;
  /** A text that the site has in several languages. */
  phraseOf(id: string): string | undefined;
  settingOf(name: string): string | undefined;
}

const MAX_TEMPLATE = 20_000;
const CALL =
  /\{\{([<%])[ \t]{0,9}([\w-]{1,60}(?:\/[\w-]{1,60}){0,3})((?:\s{1,9}(?:[\w-]{1,40}=)?(?:"[^"\n]{0,1000}"|`[^`]{0,1000}`|[^\s"`<>%={}]{1,300})){0,12})\s{0,9}\/?[>%]\}\}/g;

/**
 * Puts in what the templates of a site make of its shortcodes, where that takes no more than text, arguments and phrases. Nothing is run:
 * a template with a condition or a loop stays unread, as does one that encloses text.
 */
export function withShortcodes(text: string, shortcodes: Shortcodes): string {
  if (!/\{\{[<%]/.test(text)) return text;
  const templates = new Map<string, string | undefined>();
  return text.replace(CALL, (found, _, name: string, given: string) => {
    if (!templates.has(name)) templates.set(name, plainTemplate(shortcodes.templateOf(name)));
    const template = templates.get(name);
    return template === undefined
      ? found
      : (filled(template, argumentsIn(given), shortcodes) ?? found);
  });
}

/** Without drawings and boxes, in one line; undefined for one that encloses text or decides anything. */
function plainTemplate(template: string | undefined): string | undefined {
  if (template === undefined || template.length > MAX_TEMPLATE || template.includes('.Inner'))
    return undefined;
  const plain = template
    .replace(/<svg\b[\s\S]*?<\/svg>/gi, '')
    .replace(/\{\{-?\s*\/\*[\s\S]*?\*\/\s*-?\}\}/g, '')
    .replace(/<\/?(?:div|figure|section)\b[^<>]*>/gi, '')
    .replace(/\s+/g, ' ')
    .replace(/(<a\b[^<>]*>) | (<\/a>)/g, '$1$2')
    .trim();
  return plain === '' || /<(?:script|style|iframe)\b/i.test(plain) ? undefined : plain;
}

/** Arguments by name, or by place from 0. */
function argumentsIn(given: string): ReadonlyMap<string, string> {
  const { named, unnamed } = attributesIn(given, { hasReferences: false });
  return new Map([
    ...unnamed.map((value, place): [string, string] => [String(place), value]),
    ...named,
  ]);
}

function filled(
  template: string,
  values: ReadonlyMap<string, string>,
  shortcodes: Shortcodes,
): string | undefined {
  let isKnown = true;
  const text = template.replace(/\{\{-?\s*(.*?)\s*-?\}\}/g, (_, code: string) => {
    const value = resultOf(code, values, shortcodes);
    isKnown &&= value !== undefined;
    return value ?? '';
  });
  return isKnown ? text : undefined;
}

/** What changes no words. */
const FILTER =
  /\s*\|\s*(?:markdownify|safeHTML|safeHTMLAttr|safeURL|plainify|htmlUnescape|htmlEscape|emojify)\b/g;

function resultOf(
  code: string,
  values: ReadonlyMap<string, string>,
  shortcodes: Shortcodes,
): string | undefined {
  const plain = code.replace(FILTER, '').trim();
  const [, argument] = /^\(?\s*\.Get\s+"?([\w-]+)"?\s*\)?$/.exec(plain) ?? [];
  if (argument !== undefined) return values.get(argument) ?? '';
  const [, phrase] = /^(?:i18n|T)\s+"([^"]{1,100})"$/.exec(plain) ?? [];
  if (phrase !== undefined) return shortcodes.phraseOf(phrase);
  const [, page] = /^(?:rel)?ref\s+\.\s+\(\s*\.Get\s+"?([\w-]+)"?\s*\)$/.exec(plain) ?? [];
  if (page !== undefined) return `{{< relref "${values.get(page) ?? ''}" >}}`;
  const [, setting] = /^\.?[Ss]ite\.Params\.([\w.]+)$/.exec(plain) ?? [];
  return setting === undefined ? undefined : shortcodes.settingOf(setting);
}
