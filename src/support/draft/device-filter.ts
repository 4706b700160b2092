import { devicesNamedIn } from '../../search/devices-named-in.ts';
import type { EditionArticle } from '../../search/open-edition.ts';

/** What a section of an article is for: its headings, outermost first, and its article. */
type DeviceFilter = (section: { path: readonly string[]; source: EditionArticle }) => boolean;

/**
 * Tells whether a section may be shown to a customer. What is about certain devices goes to those alone who are known to have one of them:
 * where the device is not known, what is for one device alone is for no one.
 *
 * @param options.product The customer's; undefined where none is named.
 * @param options.isProductExact Which product it is is known.
 * @param options.devices All that articles are labelled with.
 */
export const deviceFilter =
  ({
    product,
    isProductExact,
    devices,
  }: {
    product: string | undefined;
    isProductExact: boolean;
    devices: readonly string[];
  }): DeviceFilter =>
  ({ path, source }) => {
    const own = devicesOf(path, source, devices);
    // What is for several may be for the customer's.
    if (product === undefined || !isProductExact) return own.length !== 1;
    return own.length === 0 || own.includes(product.toLowerCase());
  };

/** The devices that a section is for, in lower case: those of the innermost heading that names any, else the article's; none for all. */
const devicesOf = (path: readonly string[], source: EditionArticle, devices: readonly string[]): string[] => {
  const named = path.map((heading) => devicesNamedIn(heading, devices)).findLast((each) => each.length > 0);
  const own = named ?? (source.devices.length < devices.length ? source.devices : []);
  return own.map((device) => device.toLowerCase());
};
