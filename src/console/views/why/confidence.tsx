import { type Answer, navigatorOf } from '../../answers/answer.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { formatShare, t } from '../../texts/texts.ts';

const EFFECTS = { sets: 'half', raises: 'up', lowers: 'down', limits: 'warning' } as const satisfies Record<
  string,
  IconName
>;

/** What the confidence of an answer is made of. */
export const Confidence = ({ answer }: { answer: Answer }) => {
  const reply = navigatorOf(answer.response);
  const { confidence } = answer.response ?? {};
  const components = Object.entries(reply?.confidenceComponents ?? {}).filter(([, share]) => share !== undefined);
  return (
    <section>
      <h2>
        {confidence === undefined ? t('why.no_confidence') : t('answer.confidence', { share: formatShare(confidence) })}
      </h2>
      {reply === undefined ? <p class="quiet">{t('why.no_details')}</p> : <p>{reply.confidenceReason}</p>}
      {reply?.quality === undefined ? null : (
        <ul class="factors">
          {reply.quality.factors.map(({ name, effect, explanation }) => (
            <li key={`${name}${effect}`}>
              <Icon name={EFFECTS[effect]} />
              <span>
                <span class="quiet small">{t(`why.effect_${effect}`)}</span> {explanation}
              </span>
            </li>
          ))}
        </ul>
      )}
      {components.length === 0 ? null : (
        <dl class="components">
          {components.map(([name, share = 0]) => (
            <div key={name}>
              <dt>{name.replaceAll('_', ' ')}</dt>
              <dd>
                <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
                  <rect class="track" width="100" height="6" />
                  <rect width={share * 100} height="6" />
                </svg>
                {formatShare(share)}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {(reply?.alternatives ?? []).map(({ kind, answer: text, reason }) => (
        <aside key={text} class="alternative">
          <h3>{t(`why.${kind}`)}</h3>
          <p class="pre">{text}</p>
          <p class="quiet small">{reason}</p>
        </aside>
      ))}
    </section>
  );
};
