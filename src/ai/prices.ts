/** US dollars for a million tokens, as the provider's price list has them. */
export interface ModelPrice {
  inputPerMillion: number;
  /** Price of input that the provider had in its cache; that of other input when absent. */
  cachedInputPerMillion?: number | undefined;
  outputPerMillion: number;
}

/** By the model's name: `gpt-4.1-mini`. A name with its date finds the entry without one. */
export type Prices = Readonly<Record<string, ModelPrice>>;

/** Tokens as the API counted them; `cached` is part of `input`. */
export interface TokenUsage {
  input: number;
  cached: number;
  output: number;
}

/** The price of a model, under its whole name or without what its host or its date add: `openai/gpt-4.1-mini-2025-04-14`. */
export function priceOf(model: string, prices: Prices): ModelPrice | undefined {
  const name = model.split('/').at(-1) ?? model;
  const names = [model, withoutDate(model), name, withoutDate(name)];
  // A model may be called as a member that every object has.
  const found = names.find((key) => Object.hasOwn(prices, key));
  return found === undefined ? undefined : prices[found];
}

const withoutDate = (name: string): string => name.replace(/-\d{4}-\d{2}-\d{2}$/, '');

/** US dollars. */
export function costOf({ input, cached, output }: TokenUsage, price: ModelPrice): number {
  const { inputPerMillion, cachedInputPerMillion = inputPerMillion, outputPerMillion } = price;
  const fromCache = Math.min(cached, input);
  const sum =
    (input - fromCache) * inputPerMillion +
    fromCache * cachedInputPerMillion +
    output * outputPerMillion;
  return sum / 1_000_000;
}
