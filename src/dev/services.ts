/**
 * `npm run services`: local servers that speak the protocols of Upstash Vector, Upstash Redis and OpenAI, until Ctrl-C. Prints
 * the variables that lead `npm start` to them, one a line (docs/configuration.md).
 */
import { ensureRedis } from './local-services/ensure-redis.ts';
import { quotingModel } from './local-services/quoting-model.ts';
import { startServices } from './local-services/start-services.ts';

try {
  ensureRedis();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
const services = await startServices();
// Stands in for a language model: it answers with sentences of what it is given.
services.openai.answerWith(quotingModel);
for (const [name, value] of Object.entries(services.variables)) console.log(`${name}=${value}`);
const stop = (): void => {
  services.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
};
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
