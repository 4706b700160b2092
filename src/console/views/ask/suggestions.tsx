import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { background, syncStatus } from '../../session/deployment.ts';
import { t } from '../../texts/texts.ts';

const WANTED = 3;
/** Candidates that are searched for, once for an edition. */
const MAX_CANDIDATES = 8;
/** Relevance of a passage from which on it probably answers. */
const ANSWERING = 0.6;
const MAX_ARTICLES = 60;

interface Checked {
  edition: string;
  questions: string[];
}

const STORED = 'constellation.suggestions';
const checked = signal<Checked | undefined>(undefined);

/** Three questions of the knowledge base itself that it answers: headings that ask something, else titles of articles. Without articles, how to get some. */
export const Suggestions = ({ onAsk }: { onAsk: (query: string) => void }) => {
  const edition = syncStatus.value?.edition;
  useEffect(() => {
    if (edition == null || checked.value?.edition === edition) return;
    void readSuggestions(edition);
  }, [edition]);
  if (syncStatus.value?.state === 'idle' && syncStatus.value.articles === 0)
    return (
      <p class="suggestions quiet">
        {t('ask.no_articles')} <a href="/sync">{t('view.sync')}</a> · <a href="/knowledge">{t('view.knowledge')}</a>
      </p>
    );
  const questions = checked.value?.edition === edition ? (checked.value?.questions ?? []) : [];
  if (questions.length === 0) return <div class="suggestions" />;
  return (
    <section class="suggestions" aria-label={t('ask.try')}>
      <h2>{t('ask.try')}</h2>
      {questions.map((question) => (
        <button key={question} type="button" class="button suggestion" onClick={() => onAsk(question)}>
          {question}
        </button>
      ))}
    </section>
  );
};

const readSuggestions = async (edition: string): Promise<void> => {
  const stored = storedFor(edition);
  if (stored !== undefined) {
    checked.value = stored;
    return;
  }
  checked.value = { edition, questions: [] };
  const page = await background.articles.list({ limit: MAX_ARTICLES }).catch(() => undefined);
  const candidates = (page?.articles ?? []).flatMap(({ title, content }) => [questionIn(content) ?? title]);
  // Articles come in the order of their names: what is far apart is about different things.
  const spread = candidates.filter((_, at) => at % Math.max(1, Math.floor(candidates.length / MAX_CANDIDATES)) === 0);
  for (const candidate of spread.slice(0, MAX_CANDIDATES)) {
    // Not asked: the answer would be kept, and counted among those of people.
    const found = await background.search({ query: candidate, limit: 1 }).catch(() => undefined);
    if ((found?.hits[0]?.relevance ?? 0) < ANSWERING) continue;
    const questions: string[] = [...checked.value.questions, candidate];
    checked.value = { edition, questions };
    if (questions.length === WANTED) break;
  }
  localStorage.setItem(STORED, JSON.stringify(checked.value));
};

const storedFor = (edition: string): Checked | undefined => {
  try {
    const stored = JSON.parse(localStorage.getItem(STORED) ?? 'null') as Checked | null; // written below alone
    return stored?.edition === edition && Array.isArray(stored.questions) ? stored : undefined;
  } catch {
    return undefined;
  }
};

/** A heading that is a question: `## How long is the warranty?`. */
const questionIn = (content: string): string | undefined => /^#{1,4} +(?:\d+\. +)?(.{8,80}\?) *$/m.exec(content)?.[1];
