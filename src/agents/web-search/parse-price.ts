import currencies from './currencies.json' with { type: 'json' };

/** An amount of money; without a currency it can be shown, but not compared. */
export interface Price {
  /** Hundredths of the unit, whole, 1 to 100,000,000,000. */
  cents: number;
  /** ISO 4217: `USD`. */
  currency: string | undefined;
}

/**
 * Reads a price as shops write it: `$949.99`, `949,99 €`, `EUR 949.99`, `1.299,00 €`, `CHF 1'299.–`. Digits become
 * whole cents without a float in between.
 *
 * @param country Two letters, lower case: decides which dollar, krone, yen or yuan a bare sign means. Without it such
 *   a sign is no currency.
 * @returns `undefined` for what is not one whole price: a range, "from", an instalment, several amounts, zero.
 */
export const parsePrice = (text: string, country?: string | undefined): Price | undefined => {
  const [, before = '', digits = '', after = ''] = WHOLE.exec(normalised(text)) ?? [];
  const cents = centsOf(digits);
  if (cents === undefined) return undefined;
  const second = after === '' ? undefined : currencyOf(after, country);
  const first = before === '' ? undefined : currencyOf(before, country);
  // A word that is no currency changes what the amount means: `from`, `/mo`, `each`.
  if ((before !== '' && first === undefined) || (after !== '' && second === undefined)) return undefined;
  // "$949.99 CAD": the code says which dollar it is.
  if (second !== undefined && meaningsOf(before).includes(second)) return { cents, currency: second };
  const isUnclear = first !== undefined && second !== undefined && first !== second;
  const known = isUnclear ? undefined : (first ?? second);
  return { cents, currency: known === UNKNOWN ? undefined : known };
};

/** The same for a number as JSON has it, such as 949.99: no more than two decimals count. */
export const centsOfNumber = (amount: number): number | undefined => {
  const cents = Math.round(amount * 100);
  return Number.isSafeInteger(cents) && cents > 0 && cents <= MAX_CENTS ? cents : undefined;
};

/** `949.99`, for people and without a float. */
export const writeCents = (cents: number): string => {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

const MAX_CENTS = 100_000_000_000;

const normalised = (text: string): string =>
  text
    .slice(0, 60)
    .normalize('NFKC')
    .replace(/\s+/g, ' ')
    .replace(/[’ʼ´`]/g, "'")
    .replace(/[–—−‐‑]/g, '-')
    .replace(/\*+ *$/, '')
    .trim();

const WHOLE = /^([^\d\s+-][^\d+-]{0,11}?)? ?(\d[\d.,' ]{0,20}?(?:[.,]-{1,2})?) ?([^\d\s.,'+-][^\d+-]{0,11})?$/;

/** `1'299.-`, `1 299,00`, `1,299.00`, `949.9`, `1.299`: three digits after a lone sign are thousands. */
const centsOf = (digits: string): number | undefined => {
  const plain = digits.replace(/[.,]-{1,2}$/, '').trim();
  const [, whole = '', decimals = ''] = /^(.*?)(?:[.,](\d{1,2}))?$/.exec(plain) ?? [];
  const decimalSign = plain.charAt(whole.length);
  const groups = whole.split(/[.,' ]/);
  const [sign, ...others] = new Set(whole.match(/[.,' ]/g) ?? []);
  const isGrouped = groups.length === 1 || (/^[1-9]\d{0,2}$/.test(groups[0] ?? '') && groups.slice(1).every(isThree));
  if (!isGrouped || others.length > 0 || (sign !== undefined && sign === decimalSign)) return undefined;
  const joined = groups.join('');
  if (!/^\d{1,10}$/.test(joined)) return undefined;
  const cents = Number(joined) * 100 + Number(decimals.padEnd(2, '0'));
  return cents > 0 && cents <= MAX_CENTS ? cents : undefined;
};

const isThree = (group: string): boolean => /^\d{3}$/.test(group);

/** A sign of several currencies without a country that decides which. */
const UNKNOWN = 'unknown';

const currencyOf = (sign: string, country: string | undefined): string | undefined => {
  const name = nameOf(sign);
  const shared = SHARED_SIGNS.get(name);
  if (shared !== undefined) return shared[country ?? ''] ?? UNKNOWN;
  return SIGNS.get(name) ?? (CODES.has(name) ? name : undefined);
};

const meaningsOf = (sign: string): string[] => Object.values(SHARED_SIGNS.get(nameOf(sign)) ?? {});

const nameOf = (sign: string): string => sign.trim().replace(/\.$/, '').toUpperCase();

/** Signs of several currencies, with the one that each country means by it. */
const SHARED_SIGNS: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map(
  Object.entries(currencies.sharedSigns),
);
const SIGNS: ReadonlyMap<string, string> = new Map(Object.entries(currencies.signs));
const CODES: ReadonlySet<string> = new Set(currencies.codes);
