/** Languages that are told apart: by their commonest words, or by their script (ISO 639-1; `zh` is any text in Han alone). */
export type Language = keyof typeof WORDS | 'ru' | 'el' | 'ar' | 'he' | 'hi' | 'th' | 'ko' | 'ja' | 'zh';

/**
 * The language of a text, from the commonest words of twelve European languages, or from its script. Code is not read.
 *
 * @returns Undefined where there is too little to tell, or two languages are about as likely.
 */
export const languageOf = (text: string): Language | undefined => {
  const read = text
    .slice(0, MAX_READ)
    .replace(/(`{1,3})[^`]*\1/g, ' ')
    .replace(/https?:\/\/\S+/g, ' ')
    .toLowerCase();
  const script = scriptOf(read);
  if (script !== undefined) return script;
  const words = read.match(/[\p{L}\p{M}]+(?:['’](?=\p{L}))?/gu) ?? [];
  const counts = new Map<keyof typeof WORDS, number>();
  for (const word of words.slice(0, MAX_WORDS)) {
    for (const language of LANGUAGES_OF.get(word.replace('’', "'")) ?? []) {
      counts.set(language, (counts.get(language) ?? 0) + 1);
    }
  }
  const [best, second] = [...counts].sort((a, b) => b[1] - a[1]);
  if (best === undefined || best[1] < MIN_HITS || best[1] < LEAST_SHARE * Math.min(words.length, MAX_WORDS))
    return undefined;
  return best[1] >= LEAD * (second?.[1] ?? 0) ? best[0] : undefined;
};

const MAX_READ = 6000;
const MAX_WORDS = 600;
/** Fewer common words may stand in a text by chance: "die", "on", "es". */
const MIN_HITS = 2;
/** Of running text a third to a half are such words; of a table, fewer. */
const LEAST_SHARE = 0.08;
const LEAD = 1.4;

/** A third of the letters in a script that is not Latin decide. */
const scriptOf = (text: string): Language | undefined => {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  if (letters === 0) return undefined;
  const share = (script: RegExp) => (text.match(script)?.length ?? 0) / letters;
  if (share(/[\p{sc=Hira}\p{sc=Kana}]/gu) > 0.1) return 'ja';
  return SCRIPTS.find(([, script]) => share(script) > 0.34)?.[0];
};

const SCRIPTS: readonly (readonly [Language, RegExp])[] = [
  ['zh', /\p{sc=Han}/gu],
  ['ko', /\p{sc=Hang}/gu],
  ['ru', /\p{sc=Cyrl}/gu],
  ['el', /\p{sc=Grek}/gu],
  ['ar', /\p{sc=Arab}/gu],
  ['he', /\p{sc=Hebr}/gu],
  ['hi', /\p{sc=Deva}/gu],
  ['th', /\p{sc=Thai}/gu],
];

const WORDS = {
  en: 'the of a and to is in that it for was on are with as be at by this have from or an not you your can will if do how what which when',
  de: 'der die das und ist ein eine nicht mit den von zu im auf für sich des dem sie es wird oder einen wie kann sind werden aus bei nach wenn ich was man',
  fr: "le la les de des et est un une dans pour que qui pas sur avec au du en ce il vous ne par plus sont être ou comment c' l' d' qu' n' s'",
  es: 'el la los las de y es un una en que por con para no se del al lo como más su está son o si cómo qué debe cada hay',
  it: "il lo la gli le di e è un una che in per non con del della si da al come sono più i nel alla ogni può l' dell' un'",
  pt: 'o a os as de e é um uma em que para não com do da se no na por mais como ao dos das são está você ou deve cada',
  nl: 'de het een en van is in op te dat niet met voor zijn er aan om of bij als ook naar kan wordt u hoe wat je door moet',
  sv: 'och att det som en är på av för med den till inte ett om har de kan var eller hur när ska du vid från',
  da: 'og at det som en er på af for med den til ikke et om har de kan var eller hvordan når skal du ved fra',
  pl: 'i w na z do się nie jest że to co jak po o od dla przez ma lub są oraz być ten czy',
  tr: 've bir bu için ile da de ne çok daha gibi olan en var mı mi nasıl olarak veya değil her',
  fi: 'ja on ei se että oli hän mutta kun myös kuin tai miten ovat joka voi sen jos',
};

/** By word, which is the languages it is common in. Built at the first text. */
const LANGUAGES_OF = {
  get: (word: string): readonly (keyof typeof WORDS)[] | undefined => {
    languages ??= build();
    return languages.get(word);
  },
};
let languages: Map<string, (keyof typeof WORDS)[]> | undefined;

const build = () => {
  const map = new Map<string, (keyof typeof WORDS)[]>();
  for (const [language, words] of Object.entries(WORDS) as [keyof typeof WORDS, string][]) {
    // `Object.entries` forgets the names that it lists.
    for (const word of words.split(' ')) map.set(word, [...(map.get(word) ?? []), language]);
  }
  return map;
};
