/**
 * The language that a script stands for, where a third of a text's letters are in it; within Cyrillic, Arabic and Han the letters
 * that only one language has decide.
 */
export const languageOfScript = (text: string): string | undefined => {
  if (!/[\u0370-\uffff]/.test(text)) return undefined;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const count = (script: RegExp) => text.match(script)?.length ?? 0;
  const kana = count(/[\p{sc=Hira}\p{sc=Kana}]/gu);
  const found = SCRIPTS.map(([language, script, weight]) => [language, count(script) * weight] as const).find(
    ([language, found]) => found > SHARE * letters + (language === 'zh' ? 0 : 0),
  )?.[0];
  if (kana > 0 && (kana + count(/\p{sc=Han}/gu)) * 3 > SHARE * letters && kana * 12 > count(/\p{sc=Han}/gu))
    return 'ja';
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
    ['uk', /[іїєґ]/],
    ['sr', /[јљњћђџ]/],
    ['bg', /ъ(?![еёюя])/],
  ],
  ar: [
    ['ur', /[ٹڈڑے]/],
    ['fa', /[پچژگ]/],
  ],
};
