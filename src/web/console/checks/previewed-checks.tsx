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
  const { run, left_out: leftOut, checks, more } = previewed;
  const red = turnedRed(previewed);
  const mended = checks.filter(({ state, was }) => state === 'green' && was === 'red');
  const still = checks.length - red.length - mended.length;
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
      {mended.length === 0 ? null : <p>{count('checks.preview_mended', mended.length)}</p>}
      {still === 0 ? null : <p class="quiet">{count('checks.preview_still', still)}</p>}
      {more === 0 ? null : <p class="quiet">{count('checks.preview_more', more)}</p>}
      {leftOut === 0 ? null : <p class="quiet">{count('checks.preview_left_out', leftOut)}</p>}
    </div>
  );
}
