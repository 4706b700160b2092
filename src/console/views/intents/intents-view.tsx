import { useSignal } from '@preact/signals';
import { ConstellationError } from '../../../../client/constellation-error.ts';
import type { IntentClassification } from '../../../contract/support-response.ts';
import type { Intent, Taxonomy } from '../../../contract/taxonomy.ts';
import { Button } from '../../parts/button.tsx';
import { TextArea } from '../../parts/fields.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { call } from '../../session/deployment.ts';
import { useLoaded, useRunning } from '../../session/loaded.ts';
import { analyze, Classification } from '../../support/classification.tsx';
import { formatShare, t } from '../../texts/texts.ts';

const MAX_MESSAGE = 32_000;
const MAX_EXAMPLES = 3;

/** The intents that messages are told apart by, and what one reads in a message that is typed here. */
const IntentsView = () => {
  const { value, failure, load } = useLoaded(
    (signal) => call<{ taxonomy: Taxonomy }>('GET /v1/support/taxonomy', { taxonomy: 'object' }, { signal }),
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
      <div role="status">{reply.value === undefined ? null : <Classification of={reply.value} />}</div>
    </section>
  );
};

const Intents = ({ taxonomy: { name, intents } }: { taxonomy: Taxonomy }) => (
  <section>
    <h2>{name}</h2>
    <Table<Intent>
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
              {description === '' || description === undefined ? null : <p class="small">{description}</p>}
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
    <p class="quiet small">{t('intents.accuracy')}</p>
    <pre class="code">npm run taxonomy -- taxonomy.json</pre>
  </section>
);

const replyOf = ({ auto_send: automatic, no_reply: none }: Intent): string => {
  if (none !== undefined) return t('intents.reply_none', { share: formatShare(none.min_confidence) });
  if (automatic.allowed) return t('intents.reply_automatic', { share: formatShare(automatic.min_confidence) });
  return t('intents.reply_draft');
};

export default IntentsView;
