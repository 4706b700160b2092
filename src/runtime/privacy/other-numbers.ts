/**
 * Where a number begins that a word in front of it claims for something else than a person: "order no. 5551234567", "Serial: …",
 * "ticket #…".
 */
export const otherNumbersIn = (text: string): ReadonlySet<number> => {
  const starts = new Set<number>();
  for (const { 0: all, index } of text.matchAll(OTHER)) starts.add(index + all.length);
  return starts;
};

const NAMES = [
  'order|serial|s/?n|sn|ticket|case|invoice|tracking|parcel|shipment|rma|ref|reference|customer|client|article|part|model|sku|firmware|build|version|block|height|transaction|txid|tx|nonce|port|shares?|difficulty|error|code|id|uid|imei|asset|batch|lot|ean|upc|gtin|job|item|product|device|po',
  'bestell\\p{L}{0,9}|auftrag\\p{L}{0,9}|serien\\p{L}{0,9}|rechnung\\p{L}{0,9}|kunden\\p{L}{0,9}|sendung\\p{L}{0,9}|vorgang\\p{L}{0,9}|artikel\\p{L}{0,9}',
  'commande|série|facture|colis|suivi|dossier|pedido|serie|factura|envío|seguimiento|caso|ordine|seriale|fattura|spedizione|encomenda|fatura',
  'bestelling|bestelnummer|serienummer|factuur\\p{L}{0,6}|zamówieni\\p{L}{1,2}|faktur\\p{L}{1,2}|ordernummer|ärende\\p{L}{0,6}|ordrenummer',
].join('|');

const OTHER = new RegExp(
  `(?<![\\p{L}\\d])(?:${NAMES})(?:[ -](?:numbers?|num|nummer|nr|no|id|code|key|numéro|número|numero))?\\.?[ \\t]{0,2}(?:(?:is|was|ist|lautet|est|es|è|[:#=]|no\\.?|nr\\.?|nº|n°|№|de|del)[ \\t]{0,2}){0,3}["'(#]?(?=[+(]?\\d)`,
  'giu',
);
