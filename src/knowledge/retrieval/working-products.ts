/**
 * Of several products those of which a text only says that they work: "The Apollo II works, but the Apollo III shows 0 H/s" is about the
 * Apollo III. None where that would leave nothing.
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

/** In UTF-16 units: no more of a text is searched for products. */
const MAX_READ = 1000;
const MAX_CLAUSES = 40;

const BOUNDARY =
  /[.,;:!?\n()]+|\s(?:but|while|whereas|however|yet|although|aber|doch|während|mais|tandis que|alors que|pero|mientras|ma|mentre|maar|terwijl)\s/iu;
const WORKS =
  /(?<!\p{L})(?:works|working|fine|well|normally|perfectly|flawlessly|no problems?|without (?:any )?problems?|okay|ok|funktioniert|läuft|einwandfrei|problemlos|in ordnung|fonctionne|marche|funciona|funziona|werkt)(?!\p{L})/iu;
/** What turns that round, or asks for it. */
const UNSURE =
  /n['’]t(?!\p{L})|(?<!\p{L})(?:not|cannot|never|no longer|stopped|stops|hardly|barely|cant|doesnt|isnt|how|what|which|whether|if|does|do|can|will|until|unless|used to|only|as well|nicht|nie|kein(?:e|en|er)?|kaum|wie|ob|wenn|ne|pas|plus|jamais|comment|si|no (?=funciona|va)|nunca|non|mai|niet|geen)(?!\p{L})/iu;
