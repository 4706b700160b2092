/**
 * Whether a word for a number that leads to no person stands right before a place: "order no. 5551234567", "Serial: ", "ticket #".
 */
export const isBehindOtherNumber = (text: string, at: number): boolean =>
  OTHER.test(text.slice(Math.max(0, at - 48), at));

const WORDS =
  'order|orders|serial|s/?n|sn|ticket|case|invoice|tracking|parcel|shipment|rma|ref|reference|customer|client|article|part|model|sku|firmware|build|version|block|height|transaction|txid|tx|nonce|port|shares?|difficulty|error|code|id|uid|imei|mac|asset|batch|lot|ean|upc|gtin|job|item|product|device|invoices?|po|transaction id|' +
  'bestell\\w*|auftrags?\\w*|serien\\w*|rechnungs?\\w*|kunden\\w*|sendungs?\\w*|vorgangs?\\w*|artikel\\w*|' +
  'commande|série|facture|colis|suivi|dossier|pedido|serie|factura|envío|seguimiento|caso|ordine|seriale|fattura|spedizione|encomenda|fatura|bestelling|serienummer|factuur|zamówieni\\w*|faktur\\w*|ordernummer|ärende\\w*|ordrenummer|sag\\w*';

const OTHER = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${WORDS})(?:[ -](?:number|numbers|num|nummer|nr|no|id|code|key|numéro|número|numero))?\\.?[ \\t]{0,2}(?:(?:is|was|ist|lautet|est|es|è|:|#|=|no\\.?|nr\\.?|nº|n°|№|de|del|n[uú]m(?:ber|ero|éro)?\\.?)[ \\t]{0,2}){0,3}["'(#]?$`,
  'iu',
);
