import { type Answer, closestOf, navigatorOf } from '../../answers/answer.ts';
import { Icon } from '../../parts/icon.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { safeUrl } from '../../parts/safe-url.ts';
import { t } from '../../texts/texts.ts';

/** A finished "no": what is lacking and why, and the articles that come closest. */
export const Declined = ({ answer, onAsk }: { answer: Answer; onAsk: (query: string) => void }) => {
  const reply = navigatorOf(answer.response);
  const closest = closestOf(answer.response);
  const [says = ''] = (answer.response?.answer ?? '').split('\n\n');
  return (
    <section class="declined">
      <h3>
        <Icon name="unknown" /> {t(reply?.outOfDomain === true ? 'declined.off_topic' : 'declined.unknown')}
      </h3>
      <Markdown text={says} />
      {reply === undefined ? null : <p class="quiet small">{reply.confidenceReason}</p>}
      {closest.length === 0 ? null : (
        <>
          <h4>{t('declined.closest')}</h4>
          <ul>
            {closest.map(({ title, url, heading }) => {
              const safe = safeUrl(url);
              return (
                <li key={`${title}${heading}`}>
                  {safe === undefined ? (
                    title
                  ) : (
                    <a href={safe} target="_blank" rel="noreferrer noopener">
                      {title}
                    </a>
                  )}
                  {heading === undefined ? null : <span class="quiet"> › {heading}</span>}
                </li>
              );
            })}
          </ul>
        </>
      )}
      {(reply?.relatedTopics ?? []).length === 0 ? null : (
        <>
          <h4>{t('declined.topics')}</h4>
          <p class="row">
            {reply?.relatedTopics?.slice(0, 5).map((topic) => (
              <button key={topic} type="button" class="button suggestion" onClick={() => onAsk(topic)}>
                {topic}
              </button>
            ))}
          </p>
        </>
      )}
    </section>
  );
};
