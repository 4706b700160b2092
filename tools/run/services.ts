/** `npx constellation services`: local stand-ins for Upstash and OpenAI. */
import { orFail, readCommandLine } from '../command-line.ts';
import { ensureInstalled } from '../stand-ins/ensure-installed.ts';
import { quotingModel } from '../stand-ins/quoting-model.ts';
import { startServices } from '../stand-ins/start-services.ts';

/** Numbers of a word vector (docs/word-vectors.md). */
const WORD_VECTOR_DIMENSIONS = 96;

const HELP = `Starts local servers that speak the protocols of Upstash Vector, Upstash Redis and OpenAI, until Ctrl-C. Prints the
variables with which npm start uses them, one a line (docs/configuration.md).

  npx constellation services [--hybrid]

  --hybrid  a hybrid index for word vectors, for a large knowledge base without an embedding model (docs/large.md)
  --help    this text
`;

const { hybrid } = readCommandLine(HELP, { options: { hybrid: { type: 'boolean' } } }).values;
orFail(() => ensureInstalled(['redis'], { reason: 'the local Upstash Redis starts it' }));
const services = await startServices({
  hybridDimensions: hybrid ? WORD_VECTOR_DIMENSIONS : undefined,
});
// Stands in for a language model: it answers with sentences of what it is given.
services.openai.answerWith(quotingModel);
const { OPENAI_BASE_URL, ...stores } = services.variables;
const variables = hybrid ? stores : { ...stores, OPENAI_BASE_URL };
for (const [name, value] of Object.entries(variables)) console.log(`${name}=${value}`);
const stop = (): void => {
  services.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
};
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
