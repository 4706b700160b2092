import type { KnowledgeChecksPreviewed } from '../../../contract/wire/checks.ts';
import { Icon } from '../parts/button.tsx';
import { count } from '../texts/texts.ts';
import { Expectation, Outcome } from './check-texts.tsx';

/** The checks that a text would turn red. */
export function turnedRed({
  checks,
}: KnowledgeChecksPreviewed): KnowledgeChecksPreviewed['checks'] {
  return checks.filter(({ state, was }) => state === 'red' && was === 'green');
}

/** How checks would end with the text as written. */
export function PreviewedChecks({ previewed }: { previewed: KnowledgeChecksPreviewed }) {
  const { run, omitted, checks, more } = previewed;
  const red = turnedRed(previewed);
  const repaired = checks.filter(({ state, was }) => state === 'green' && was === 'red');
  const stillRed = checks.length - red.length - repaired.length;
  return (
    <div class="previewed">
      <p class={`support ${red.length === 0 ? 'sure' : 'unsure'} state-mark`}>
        <Icon name={red.length === 0 ? 'check' : 'warning'} />{' '}
        {red.length === 0
          ? count('checks.preview_fine', run)
          : count('checks.preview_red', red.length)}
      </p>
      {red.length === 0 ? null : (
        <ul class="check-list">
          {red.map((check) => (
            <li key={check.id} class="check-item red">
              <h2>{check.question}</h2>
              <p>
                <Expectation check={check} answer={check.answer} />
              </p>
              <Outcome result={check} />
            </li>
          ))}
        </ul>
      )}
      {repaired.length === 0 ? null : <p>{count('checks.preview_mended', repaired.length)}</p>}
      {stillRed === 0 ? null : <p class="quiet">{count('checks.preview_still', stillRed)}</p>}
      {more === 0 ? null : <p class="quiet">{count('checks.preview_more', more)}</p>}
      {omitted === 0 ? null : <p class="quiet">{count('checks.preview_omitted', omitted)}</p>}
    </div>
  );
}
