import { type Product, type ProductOptions, startProduct } from '../../src/dev/run/product.ts';
import { quotingModel } from '../../src/dev/stand-ins/quoting-model.ts';
import { type LocalServices, startServices } from '../../src/dev/stand-ins/start-services.ts';

/** What the functions store in and ask: what comes with them, or the services of a production deployment. */
export interface BackEnd {
  name: 'embedded' | 'production';
  start(options?: Partial<ProductOptions>): Promise<RunningBackEnd>;
}

export interface RunningBackEnd {
  product: Product;
  /** Undefined where there are none. */
  services: LocalServices | undefined;
  stop(): Promise<void>;
}

const embedded: BackEnd = {
  name: 'embedded',
  start: async (options) => {
    const product = await startProduct({ kb: 'sample', port: 0, ...options });
    return { product, services: undefined, stop: product.stop };
  },
};

/** Upstash Vector, Upstash Redis and an OpenAI-compatible model, by three variables; the model answers by quoting. */
const production: BackEnd = {
  name: 'production',
  start: async (options) => {
    const services = await startServices();
    services.openai.answerWith(quotingModel);
    try {
      const product = await startProduct({ kb: 'sample', port: 0, adapters: services.variables, ...options });
      const stop = async () => {
        await product.stop();
        await services.stop();
      };
      return { product, services, stop };
    } catch (error) {
      await services.stop();
      throw error;
    }
  },
};

/** For `describe.each`: `describe.each(BACK_ENDS)('on the $name back end', ({ start }) => …)`. */
export const BACK_ENDS: readonly BackEnd[] = [embedded, production];

/** What only a test for the production back end asks for. */
export const servicesOf = ({ services }: RunningBackEnd): LocalServices => {
  if (services === undefined) throw new Error('There are no services on this back end');
  return services;
};
