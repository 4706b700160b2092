import { useSignal } from '@preact/signals';
import { ConstellationError } from '../../../../../client/constellation-error.ts';
import type { IntentClassification } from '../../../../contract/wire/support-response.ts';
import type {
  Intent,
  Taxonomy,
  TaxonomyAccuracy,
  TaxonomyStored,
} from '../../../../contract/wire/taxonomy.ts';
import { Button } from '../../parts/button.tsx';
import { TextArea } from '../../parts/fields.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Share } from '../../parts/values.tsx';
import { call } from '../../session/deployment.ts';
import { useLoaded, useRunning } from '../../session/loaded.ts';
import { analyze, Classification } from '../../support/classification.tsx';
import { formatShare, t } from '../../texts/texts.ts';

const MAX_MESSAGE = 32_000;
const MAX_EXAMPLES = 3;

/** The intents of messages, and the one recognised in a message that is typed here. */
const IntentsView = () => {
  const { value, failure, load } = useLoaded(
    (signal) =>
      call<TaxonomyStored>('GET /v1/support/taxonomy', { taxonomy: 'object' }, { signal }),
    [],
  );
  const isMissing = failure instanceof ConstellationError && failure.code === 'NOT_FOUND';
  return (
    <div class="intents">
      <h1>{t('view.intents')}</h1>
      {isMissing ? (
        <Empty icon="intents" title={t('intents.none')}>
          <p>{t('intents.none_text')}</p>
          <pre class="code">npm start -- --taxonomy taxonomy.json</pre>
        </Empty>
      ) : failure !== undefined ? (
        <Failure error={failure} retry={load} />
      ) : value === undefined ? (
        <Loading lines={10} />
      ) : (
        <>
          {value.in_use ? null : <p class="problem">{t('intents.not_in_use')}</p>}
          <TestMessage />
          <Intents taxonomy={value.taxonomy} />
        </>
      )}
    </div>
  );
};

const TestMessage = () => {
  const message = useSignal('');
  const isEmpty = useSignal(false);
  const reply = useSignal<IntentClassification | undefined>(undefined);
  const { start, failure, isLoading } = useRunning();
  const test = (): void => {
    isEmpty.value = message.value.trim() === '';
    if (isEmpty.value) return;
    start(
      (signal) => analyze({ message: message.value }, signal),
      ({ intent_classification: read }) => {
        reply.value = read;
      },
    );
  };
  return (
    <section>
      <h2>{t('intents.test')}</h2>
      <form
        class="message"
        onSubmit={(event) => {
          event.preventDefault();
          test();
        }}
      >
        <TextArea
          label={t('analysis.message')}
          rows={3}
          maxLength={MAX_MESSAGE}
          value={message.value}
          problem={isEmpty.value ? t('analysis.missing_message') : undefined}
          hint={t('analysis.hint')}
          onInput={(event) => {
            message.value = event.currentTarget.value;
            isEmpty.value = false;
          }}
        />
        <Button kind="primary" type="submit" icon="intents" disabled={isLoading}>
          {t('intents.test_action')}
        </Button>
      </form>
      {failure === undefined ? null : <Failure error={failure} retry={test} />}
      <div role="status">
        {reply.value === undefined ? null : <Classification of={reply.value} />}
      </div>
    </section>
  );
};

const SHAPE = { intents: 'objects', examples: 'number', right: 'number' } as const;

const Intents = ({ taxonomy: { name, intents } }: { taxonomy: Taxonomy }) => {
  const accuracy = useSignal<TaxonomyAccuracy | undefined>(undefined);
  const { start, failure, isLoading } = useRunning();
  const measure = (): void =>
    start(
      (signal) => call<TaxonomyAccuracy>('GET /v1/support/taxonomy/accuracy', SHAPE, { signal }),
      (measured) => {
        accuracy.value = measured;
      },
    );
  return (
    <section>
      <div class="row between">
        <h2>{name}</h2>
        <Button icon="charts" disabled={isLoading} onClick={measure}>
          {t(isLoading ? 'intents.measuring' : 'intents.measure')}
        </Button>
      </div>
      <p class="quiet small" role="status">
        {accuracy.value === undefined
          ? t('intents.accuracy')
          : t('intents.measured', {
              share: formatShare(accuracy.value.right / Math.max(1, accuracy.value.examples)),
              examples: accuracy.value.examples,
            })}
      </p>
      {failure === undefined ? null : <Failure error={failure} retry={measure} />}
      <IntentTable name={name} intents={intents} accuracy={accuracy.value} />
    </section>
  );
};

interface IntentTableProps {
  name: string;
  intents: readonly Intent[];
  accuracy: TaxonomyAccuracy | undefined;
}

const IntentTable = ({ name, intents, accuracy }: IntentTableProps) => {
  const measured = new Map(accuracy?.intents.map((each) => [each.intent, each]));
  return (
    <Table<Intent>
      // The worst intents first, once they are known.
      key={String(accuracy === undefined)}
      {...(accuracy === undefined ? {} : { sortedBy: { column: 'accuracy' } })}
      caption={t('intents.of', { name })}
      rows={intents}
      rowKey={({ id }) => id}
      columns={[
        {
          id: 'intent',
          label: t('analysis.intent'),
          sort: ({ title }) => title,
          cell: ({ id, title, description }) => (
            <>
              <strong>{title}</strong> <code class="quiet">{id}</code>
              {description === '' || description === undefined ? null : (
                <p class="small">{description}</p>
              )}
            </>
          ),
        },
        {
          id: 'examples',
          label: t('intents.examples'),
          align: 'right',
          sort: ({ examples }) => examples.length,
          cell: ({ examples }) => examples.length,
        },
        ...(accuracy === undefined
          ? []
          : [
              {
                id: 'accuracy',
                label: t('intents.recognised'),
                sort: ({ id }: Intent) => shareOf(measured.get(id)),
                cell: ({ id }: Intent) => <Recognised measured={measured.get(id)} />,
              },
            ]),
        {
          id: 'messages',
          label: t('intents.messages'),
          cell: ({ examples }) => (
            <ul class="small quiet">
              {examples.slice(0, MAX_EXAMPLES).map((example) => (
                <li key={example}>{example}</li>
              ))}
            </ul>
          ),
        },
        {
          id: 'reply',
          label: t('intents.reply'),
          sort: (intent) => replyOf(intent),
          cell: (intent) => replyOf(intent),
        },
      ]}
    />
  );
};

type Measured = TaxonomyAccuracy['intents'][number];

const shareOf = (measured: Measured | undefined): number =>
  measured === undefined ? 2 : measured.right / measured.examples;

/** The share of its examples that is recognised, and what the others are taken for. */
const Recognised = ({ measured }: { measured: Measured | undefined }) =>
  measured === undefined ? (
    <>–</>
  ) : (
    <>
      <Share of={shareOf(measured)} />
      {measured.taken_for.length === 0 ? null : (
        <p class="quiet small">
          {t('intents.taken_for', {
            intents: measured.taken_for
              .map(({ intent, examples }) => `${intent} (${examples})`)
              .join(', '),
          })}
        </p>
      )}
    </>
  );

const replyOf = ({ auto_send: automatic, no_reply: none }: Intent): string => {
  if (none !== undefined)
    return t('intents.reply_none', { share: formatShare(none.min_confidence) });
  if (automatic.allowed)
    return t('intents.reply_automatic', { share: formatShare(automatic.min_confidence) });
  return t('intents.reply_draft');
};

export default IntentsView;
