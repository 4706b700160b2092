import { type Answer, closestOf, navigatorOf } from '../../answers/answer.ts';
import { Icon } from '../../parts/icon.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { type TextKey, t } from '../../texts/texts.ts';
import { ClosestArticles, ReportGap } from './unanswered.tsx';

/** The navigator says when it asks back, and what the question is not about. */
const titleOf = ({ response }: Answer): TextKey => {
  if (response?.metadata?.clarifying === true) return 'declined.asks_back';
  return navigatorOf(response)?.outOfDomain === true ? 'declined.off_topic' : 'declined.unknown';
};

/** A heading stands alone here: `2. What colour has the LED?` is the second of no list. */
const withoutNumber = (heading: string): string => heading.replace(/^\d+\.\s+/, '');

/** A finished "no": what is lacking and why, and the articles that come closest. */
export const Declined = ({ answer, onAsk }: { answer: Answer; onAsk: (query: string) => void }) => {
  const reply = navigatorOf(answer.response);
  const closest = closestOf(answer.response);
  const [says = ''] = (answer.response?.answer ?? '').split('\n\n');
  return (
    <section class="declined">
      <h3>
        <Icon name="unknown" /> {t(titleOf(answer))}
      </h3>
      <Markdown text={says} />
      {reply === undefined ? null : <p class="quiet small">{reply.confidenceReason}</p>}
      <ClosestArticles closest={closest} />
      {(reply?.relatedTopics ?? []).length === 0 ? null : (
        <>
          <h4>{t('declined.topics')}</h4>
          <p class="row">
            {reply?.relatedTopics
              ?.slice(0, 5)
              .map(withoutNumber)
              .map((topic) => (
                <button key={topic} type="button" class="button suggestion" onClick={() => onAsk(topic)}>
                  {topic}
                </button>
              ))}
          </p>
        </>
      )}
      <ReportGap query={answer.query} />
    </section>
  );
};
