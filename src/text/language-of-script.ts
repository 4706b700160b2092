/**
 * The language that a script stands for, where a third of a text's letters are in it; within Cyrillic, Arabic and Han the letters
 * that only one language has decide.
 */
export const languageOfScript = (text: string): string | undefined => {
  if (!/[\u0370-\uffff]/.test(text)) return undefined;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const count = (script: RegExp) => text.match(script)?.length ?? 0;
  const kana = count(/[\p{sc=Hira}\p{sc=Kana}]/gu);
  const han = count(/\p{sc=Han}/gu);
  // Japanese has some of its own signs in every sentence.
  if (kana * 12 > han && (kana + han) * 3 > SHARE * letters) return 'ja';
  const found = SCRIPTS.find(([, script, weight]) => count(script) * weight > SHARE * letters)?.[0];
  return found === undefined ? undefined : (OWN_LETTERS[found]?.find(([, own]) => own.test(text))?.[0] ?? found);
};

const SHARE = 0.34;

/** A sign of Han or Hangul says as much as three letters. */
const SCRIPTS: readonly (readonly [string, RegExp, number])[] = [
  ['zh', /\p{sc=Han}/gu, 3],
  ['ko', /\p{sc=Hang}/gu, 3],
  ['ru', /\p{sc=Cyrl}/gu, 1],
  ['el', /\p{sc=Grek}/gu, 1],
  ['ar', /\p{sc=Arab}/gu, 1],
  ['he', /\p{sc=Hebr}/gu, 1],
  ['hi', /\p{sc=Deva}/gu, 1],
  ['th', /\p{sc=Thai}/gu, 1],
];

const OWN_LETTERS: Record<string, readonly (readonly [string, RegExp])[]> = {
  ru: [
    ['uk', /[іїєґ]|(?<!\p{L})(?:як|що|та|від|ласка|дякую|чому|коли|мене)(?!\p{L})/u],
    ['sr', /[јљњћђџ]/],
    ['bg', /ъ(?![еёюя])/],
  ],
  ar: [
    ['ur', /[ٹڈڑے]/],
    ['fa', /[پچژگکی]/],
  ],
};
