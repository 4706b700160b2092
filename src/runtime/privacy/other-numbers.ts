/**
 * Where a number begins that a word in front of it claims for something else than a person: "order no. 5551234567", "Serial: …",
 * "ticket #…".
 */
export const otherNumbersIn = (text: string): ReadonlySet<number> => {
  const starts = new Set<number>();
  for (const { 0: all, index } of text.matchAll(OTHER)) starts.add(index + all.length);
  return starts;
};

const NAMES =
  'order|serial|s/?n|ticket|case|invoice|tracking|rma|ref\\w*|customer|p(?:ar)?t|model|sku|firmware|version|block|height|t(?:ransaction|x(?:id)?)|nonce|error|code|u?id|imei|item|device|' +
  '(?:bestell|auftrag|serie|rechnung|kunde|sendung|vorgang|artikel|order|fa[ck]tu|commande|pedido|ordine|zamówieni)\\p{L}{0,9}|série|colis|suivi|envío';

const OTHER = new RegExp(
  `(?<![\\p{L}\\d])(?:${NAMES})(?:[ -](?:n[uú]m\\p{L}*|nr|no|id|code))?\\.?[ \\t]{0,2}(?:(?:is|was|ist|lautet|est|es|è|[:#=]|n[or°º]\\.?|№|del?)[ \\t]{0,2}){0,3}["'(#]?(?=[+(]?\\d)`,
  'giu',
);
