import { wordsOf } from '../../src/language/analyse-text.ts';
import { splitSentences } from '../../src/language/split-sentences.ts';
import { stem } from '../../src/language/stem.ts';

/**
 * What the support check has to beat: of each sentence the share of its word stems that the source has, halved for each of
 * three checks that fails: its numbers and its names stand in the source, and the sentence there that shares most with it
 * denies something if it does. The worst sentence counts.
 */
export function baselineScore({
  answer,
  title,
  source,
}: {
  answer: string;
  title: string;
  source: string;
}): number {
  const text = `${title}\n${source}`;
  const stems = stemsOf(text);
  const lower = text.toLowerCase();
  const sentences = sentencesOf(source).map((sentence) => ({
    stems: stemsOf(sentence),
    denies: denies(sentence),
  }));
  const scores = sentencesOf(answer).map((sentence) => {
    const own = [...stemsOf(sentence)];
    if (own.length === 0) return 1;
    const shareIn = (those: ReadonlySet<string>) =>
      own.filter((each) => those.has(each)).length / own.length;
    const nearest = sentences.toSorted((a, b) => shareIn(b.stems) - shareIn(a.stems))[0];
    const failed = [
      (sentence.match(/\d+(?:[.,]\d+)*/g) ?? []).some((number) => !lower.includes(number)),
      (sentence.slice(1).match(/\b\p{Lu}\p{L}+/gu) ?? []).some(
        (name) => !lower.includes(name.toLowerCase()),
      ),
      nearest !== undefined && nearest.denies !== denies(sentence),
    ];
    return shareIn(stems) * 0.5 ** failed.filter(Boolean).length;
  });
  return Math.min(1, ...scores);
}

const sentencesOf = (text: string): string[] =>
  splitSentences(text).map(({ start, end }) => text.slice(start, end));

const stemsOf = (text: string): Set<string> => new Set(wordsOf(text).map(stem));

const denies = (sentence: string): boolean =>
  /\b(?:not|no|never|none|neither|nor|without|cannot|nothing|nobody)\b|n ?['’]t\b/i.test(sentence);
