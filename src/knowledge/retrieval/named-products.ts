import { oncePer } from '../../runtime/once-per.ts';
import { devicesNamedIn } from '../../search/devices-named-in.ts';
import { wordsOf } from '../../text/analyse-text.ts';

/** The products that a ticket is about. */
export interface NamedProducts {
  /** Products that articles are labelled with, in lower case as in the edition; only the most specific ones. */
  known: string[];
  /** Other products, as spelled in the ticket. */
  unknown: string[];
}

/** Longest product name. */
const MAX_PRODUCT = 100;
const MAX_UNKNOWN = 3;

/**
 * Reads the products of a ticket from the customer's words and the helpdesk's metadata. "Apollo 2" is the Apollo II; an "Apollo IV" that no article
 * names is not the Apollo. A product that is said to work is dropped when another is named.
 *
 * @param product From the ticket's metadata.
 * @param devices Devices of the edition, in lower case.
 * @param products Further products, by name.
 */
export const namedProducts = (
  text: string,
  {
    product,
    devices,
    products = [],
  }: { product: string | undefined; devices: readonly string[]; products?: readonly string[] | undefined },
): NamedProducts => {
  const given = product?.trim().slice(0, MAX_PRODUCT) ?? '';
  const others = products.filter((each) => !devices.includes(each.toLowerCase())).slice(0, 200);
  const read = (source: string) => productsIn(source, devices, others);
  const found = [read(given), read(text)];
  const unknown = new Map(found.flatMap((each) => [...each.unknown]).slice(0, MAX_UNKNOWN));
  const known = new Set(found.flatMap((each) => [...each.known]));
  if (given !== '' && found[0]?.known.size === 0 && found[0].unknown.size === 0)
    unknown.set(given.toLowerCase(), given);
  const all = [...known, ...unknown.keys()];
  const isPart = (each: string) => all.some((other) => other !== each && ` ${other} `.includes(` ${each} `));
  const specific = all.filter((each) => !isPart(each));
  const working = workingProducts(specific, text, (clause) => {
    const { known: here, unknown: besides } = read(clause);
    return [...here, ...besides.keys()];
  });
  const isMeant = (each: string) => specific.includes(each) && !working.has(each);
  return {
    known: [...known].filter(isMeant),
    unknown: [...unknown].filter(([key]) => isMeant(key)).map(([, name]) => name),
  };
};

/** Products named in one text: devices of the edition, and further ones by name in lower case. */
const productsIn = (source: string, devices: readonly string[], others: readonly string[]) => {
  const forms = formsOf(devices);
  const plain = source.replace(MEASURE, ' ');
  const further = [...devicesNamedIn(plain, others), ...variantsIn(plain, devices)];
  const named = devicesNamedIn(plain, [...forms.keys(), ...further]);
  return {
    known: new Set(named.flatMap((form) => forms.get(form) ?? [])),
    unknown: new Map(further.map((each) => [each.toLowerCase(), each] as const)),
  };
};

/** A number with a unit is a quantity, not a model. */
const MEASURE =
  /(?<![\p{L}\p{N}.])\d{1,6}(?:[.,]\d{1,6})?(?=\s?(?:days?|weeks?|months?|years?|hours?|hrs?|h|minutes?|mins?|times?|x|%|percent|[kmgtpe]?h\/s|[kmg]?w|v|°|usb|of|or|and)(?![\p{L}\p{N}]))/giu;

const ROMAN = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x'];

/** Devices by the words that name them. "Apollo II" is also Apollo 2 and Apollo2, and the Apollo next to it Apollo 1. */
const formsOf = oncePer((devices: readonly string[]): ReadonlyMap<string, string> => {
  const forms = new Map<string, string>();
  for (const device of devices) {
    forms.set(device, device);
    const { family, number } = numbered(device);
    const isFirst = number === 0 && devices.some((other) => other !== device && numbered(other).family === device);
    for (const form of number > 0 ? spoken(family, number) : isFirst ? spoken(device, 1) : []) {
      if (!devices.includes(form)) forms.set(form, device);
    }
  }
  return forms;
});

const spoken = (family: string, number: number): string[] =>
  [String(number), ROMAN[number - 1] ?? ''].flatMap((sign) => [`${family} ${sign}`, `${family}${sign}`]);

/** The family of a device and its number in it; 0 for a device without one. */
const numbered = (device: string): { family: string; number: number } => {
  const [, family = '', sign = ''] = /^(.{2,}?)[ -]?([ivx]{1,4}|\d{1,2})$/.exec(device) ?? [];
  const number = /^\d/.test(sign) ? Number(sign) : ROMAN.indexOf(sign) + 1;
  // "hydrovi" ends in no number, "hydro vi" and "hydro2" do.
  const isApart = /^\d/.test(sign) || /[ -]/.test(device.charAt(family.length));
  return number > 0 && isApart ? { family, number } : { family: device, number: 0 };
};

/** Suffixes that make another product of a name. */
const VARIANT =
  '(?:[IVX]{2,4}|[IVX]|(?:Gen(?:eration)? ?)?\\d{1,2}|Pro|Max|Mini|Nano|Plus|Ultra|Lite|Air|XL|SE|Pico|Micro)';

/** Suffixes that are no word of a sentence in any spelling: "my apollo iv", but not "my apollo v" or "an apollo pro tip". */
const IN_SMALL_LETTERS = /^(?:ii|iii|iv|vi|vii|viii|ix|nano|mini|pico|gen.*)$/;

/** Products similar to a known one but different: its name with a suffix that no device has. */
const variantsIn = (text: string, devices: readonly string[]): string[] => {
  const forms = formsOf(devices);
  return devices.flatMap((device) => {
    const name = wordsOf(device).join('[ -]?');
    if (name === '' || !/^[a-z0-9 [\]?-]+$/.test(name)) return [];
    // Devices have at most a hundred characters, and the pattern does not backtrack.
    const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${name})[ -]?(${VARIANT})(?![\\p{L}\\p{N}./])`, 'iu');
    const [found = '', , sign = ''] = pattern.exec(text.slice(0, 1000)) ?? [];
    const isWritten = /^\d|[A-Z]/.test(sign) || IN_SMALL_LETTERS.test(sign);
    const key = found.toLowerCase().replace(/[ -]+/g, ' ');
    return found === '' || !isWritten || forms.has(key) || forms.has(key.replace(' ', '')) ? [] : found;
  });
};

/**
 * Drops products of which a text only says that they work: "The Apollo II works, but the Apollo III shows 0 H/s" is about the Apollo III. Drops none
 * if nothing would remain.
 *
 * @param products In lower case.
 * @param namedIn Which of them a part of the text names.
 */
export const workingProducts = (
  products: readonly string[],
  text: string,
  namedIn: (clause: string) => readonly string[],
): ReadonlySet<string> => {
  if (products.length < 2) return new Set();
  const working = new Set<string>();
  const others = new Set<string>();
  for (const clause of text.slice(0, MAX_READ).split(BOUNDARY).slice(0, MAX_CLAUSES)) {
    const isSaidToWork = WORKS.test(clause) && !UNSURE.test(clause);
    for (const product of namedIn(clause)) (isSaidToWork ? working : others).add(product);
  }
  const fine = products.filter((product) => working.has(product) && !others.has(product));
  return new Set(fine.length === products.length ? [] : fine);
};

/** Upper bound of the searched text, in UTF-16 units. */
const MAX_READ = 1000;
const MAX_CLAUSES = 40;

const BOUNDARY =
  /[.,;:!?\n()]+|\s(?:but|while|whereas|however|yet|although|aber|doch|während|mais|tandis que|alors que|pero|mientras|ma|mentre|maar|terwijl)\s/iu;
const WORKS =
  /(?<!\p{L})(?:works|working|fine|well|normally|perfectly|flawlessly|no problems?|without (?:any )?problems?|okay|ok|funktioniert|läuft|einwandfrei|problemlos|in ordnung|fonctionne|marche|funciona|funziona|werkt)(?!\p{L})/iu;
/** Negations and questions, which reverse it. */
const UNSURE =
  /n['’]t(?!\p{L})|(?<!\p{L})(?:not|cannot|never|no longer|stopped|stops|hardly|barely|cant|doesnt|isnt|how|what|which|whether|if|does|do|can|will|until|unless|used to|only|as well|nicht|nie|kein(?:e|en|er)?|kaum|wie|ob|wenn|ne|pas|plus|jamais|comment|si|no (?=funciona|va)|nunca|non|mai|niet|geen)(?!\p{L})/iu;
