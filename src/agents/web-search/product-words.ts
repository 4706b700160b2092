/** What makes another model of a name that it follows: "iPhone 17 Pro", "Apollo II". */
export const VARIANT_WORDS: ReadonlySet<string> = wordSet(`
  pro plus max mini ultra lite air se fe xl xs xr slim turbo standard premium essential advanced
  ii iii iv v vi vii viii ix x xi xii mk mark gen generation edition series version
`);

/** Things that are sold for a product or around it, and are not the product. */
export const ACCESSORY_WORDS: ReadonlySet<string> = wordSet(`
  case cases cover covers sleeve pouch wallet skin skins bumper holster protector protectors protection film foil
  tempered glass lens charger chargers charging cable cables cord adapter adaptor dock stand mount holder cradle strap
  band battery batteries powerbank keyboard stylus pen earbuds headphones earphones speaker magsafe grip ring sticker
  decal screen display digitizer housing back button spare part parts replacement repair kit tool tools screwdriver
  power supply psu fan fans hashboard heatsink controller board chip chips antenna shroud duct filter bracket rack
  accessory accessories bundle bundles set compatible dummy replica toy manual guide book ebook poster software license
  warranty insurance subscription service
  uag spigen otterbox casetify esr torras ringke caseology zagg belkin anker ugreen baseus mous
  hulle hullen schutzhulle schutzglas panzerglas folie displayfolie tasche etui ladegerat ladekabel kabel netzteil
  halterung akku ersatzteil ersatz zubehor reparatur lufter halter anleitung garantie versicherung
  coque coques housse verre chargeur etui funda fundas cargador custodia hoes hoesje lader
`);

/** What says that an offer is not of a new product at its full price: condition, instalments, only a part of it. */
export const CONDITION_WORDS: ReadonlySet<string> = wordSet(`
  used refurbished refurb renewed restored reconditioned remanufactured preowned preloved secondhand openbox returned
  demo display showroom broken defective faulty damaged cracked untested salvage locked
  monthly month months installment instalment installments instalments rental rent rented lease leasing deposit
  preorder auction wanted contract eip finance financed financing credit plan plans prepaid tradein affirm klarna afterpay
  private privat bastler bastlergerat rate rata ratenzahlung ratenkauf teilzahlung finanzierung finanziert kredit tarif abo
  gebraucht gebrauchte gebrauchter gebrauchtes generaluberholt aufbereitet erneuert defekt kaputt ruckläufer rucklaufer
  vorfuhrgerat ausstellungsstuck bware monatlich monat raten miete mieten vertrag anzahlung
  occasion reconditionne reconditionnee usado usada reacondicionado usato ricondizionato tweedehands begagnad
`);

export const CONDITION_PHRASES: readonly (readonly string[])[] = [
  'pre owned|pre loved|pre order|open box|second hand|like new|as new|wie neu|for parts|for repair|ex display|ex demo',
  'b ware|b stock|grade a|grade b|grade c|d occasion|per month|pro monat|a month|pick up only|carrier locked|icloud locked|trade in',
].flatMap((phrases) => phrases.split('|').map((phrase) => phrase.split(' ')));

/** What may stand beside a name without changing what is sold: sizes, colours, kinds, praise of shops. */
export const NEUTRAL_WORDS: ReadonlySet<string> = wordSet(`
  new neu neue neues neuer nuevo neuf nuovo brand original genuine official sealed boxed unlocked simfree simlockfrei
  sim esim dual nano free smartphone smartphones phone cellphone mobile handy telefon tablet device gerat
  miner miners mining bitcoin btc asic node home computer laptop model model modell
  black white blue green red pink purple yellow orange gold silver gray grey graphite titanium midnight starlight
  lavender sage mist teal ultramarine natural desert space rose schwarz weiss blau grun rot rosa lila violett gelb grau
  noir blanc bleu vert rouge in color colour farbe
  us eu uk usa de version international global
  buy shop store online price prices kaufen preis best cheap cheapest deal deals offer offers sale today now angebot
  shipping delivery fast same day next stock available lieferbar versand kostenlos
`);

/** After these comes the shop: "iPhone 17 on Amazon". */
export const SHOP_PREPOSITIONS: ReadonlySet<string> = wordSet('on at from bei chez via sur auf');

/** After these comes who made or sells it, which a product's own name does not need: "iPhone 17 by Example Cases". */
export const MAKER_PREPOSITIONS: ReadonlySet<string> = wordSet('by von par');

/** Before a name these say that something is for it: "Cable for iPhone 17". */
export const PURPOSE_WORDS: ReadonlySet<string> = wordSet(
  'for fits fit with without fur mit ohne pour avec para con per voor to vs versus',
);

/** What a number is counted in; with one of them it is a size, not a model. */
export const UNITS: ReadonlySet<string> = wordSet(
  'gb tb mb g mm cm inch inches zoll in w kw th ths mah v hz ghz mp kg',
);

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/).filter((word) => word !== ''));
}
