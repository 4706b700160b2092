import { deviceForms, devicesNamedIn } from '../../knowledge/search/devices-named-in.ts';
import { wordsOf } from '../../language/analyse-text.ts';
import { UNITS_OF_MEASUREMENT } from '../../language/units-of-measurement.ts';

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
 * Reads the products of a ticket from the customer's words and the helpdesk's metadata. "Apollo 2" is the Apollo II; an "Apollo IV" that no
 * article names is not the Apollo.
 *
 * @param options.product From the ticket's metadata. It is another product when a word that no article has follows the name of a known one.
 * @param options.devices Devices of the edition, in lower case.
 * @param options.products Further products, by name.
 * @param options.isWord Whether articles have a word.
 */
export function namedProducts(
  text: string,
  {
    product,
    devices,
    products = [],
    isWord = () => false,
  }: {
    product: string | undefined;
    devices: readonly string[];
    products?: readonly string[] | undefined;
    isWord?: ((word: string) => boolean) | undefined;
  },
): NamedProducts {
  const name = product?.trim().slice(0, MAX_PRODUCT) ?? '';
  const others = products.filter((each) => !devices.includes(each.toLowerCase())).slice(0, 200);
  const inText = productsIn(text, devices, others);
  const inTicket = productsIn(name, devices, others);
  const lastWord = wordsOf(name).at(-1) ?? '';
  const isOther =
    name !== '' &&
    inTicket.unknown.size === 0 &&
    (inTicket.known.size === 0 ||
      !(isWord(lastWord) || [...inTicket.forms].some((form) => wordsOf(form).at(-1) === lastWord)));
  if (isOther) inTicket.known.clear();
  const unknown = new Map([
    ...(isOther ? [[name.toLowerCase(), name] as const] : []),
    ...[...inTicket.unknown, ...inText.unknown].slice(0, MAX_UNKNOWN),
  ]);
  const devicesNamed = new Set([...inTicket.known, ...inText.known]);
  const all = [...devicesNamed, ...unknown.keys()];
  const isSpecific = (each: string) =>
    !all.some((other) => other !== each && ` ${other} `.includes(` ${each} `));
  return {
    known: [...devicesNamed].filter(isSpecific),
    unknown: [...unknown].filter(([key]) => isSpecific(key)).map(([, spelling]) => spelling),
  };
}

/** Products named in one text: devices of the edition with the words that name them, and further ones by name in lower case. */
const productsIn = (source: string, devices: readonly string[], others: readonly string[]) => {
  const forms = deviceForms(devices);
  const plain = source.replace(QUANTITY, ' ');
  const otherNames = [...devicesNamedIn(plain, others), ...numberedIn(plain, devices)];
  const nameForms = devicesNamedIn(plain, [...forms.keys(), ...otherNames]);
  return {
    forms: nameForms,
    known: new Set(nameForms.flatMap((form) => forms.get(form) ?? [])),
    unknown: new Map(otherNames.map((each) => [each.toLowerCase(), each] as const)),
  };
};

const unitsOfLength = (least: number): string =>
  [...UNITS_OF_MEASUREMENT.keys()].filter(({ length }) => length >= least).join('|');
/** A number with a unit is a quantity, not a model. */
const QUANTITY = new RegExp(
  `(?<![\\p{L}\\p{N}.])\\d{1,6}(?:[.,]\\d{1,6})?(?=(?:${unitsOfLength(1)}|\\s(?:${unitsOfLength(2)}))(?![\\p{L}\\p{N}]))`,
  'giu',
);

/** Products similar to a known one but different: its name with a number that no device has. A single small letter may be a word. */
const numberedIn = (text: string, devices: readonly string[]): string[] => {
  const forms = deviceForms(devices);
  return devices.flatMap((device) => {
    const name = wordsOf(device).join('[ -]?');
    if (name === '' || !/^[a-z0-9 [\]?-]+$/.test(name)) return [];
    // Devices have at most a hundred characters, and the pattern does not backtrack.
    const pattern = new RegExp(
      `(?<![\\p{L}\\p{N}])${name}[ -]?([IVX]{1,4}|\\d{1,2})(?![\\p{L}\\p{N}./])`,
      'iu',
    );
    const [match = '', sign = ''] = pattern.exec(text.slice(0, 1000)) ?? [];
    const key = match.toLowerCase().replace(/[ -]+/g, ' ');
    return /^[a-z]?$/.test(sign) || forms.has(key) || forms.has(key.replace(' ', '')) ? [] : match;
  });
};
