import { startProduct } from './run/product.ts';
const kb = process.argv[2] === 'sample' ? 'sample' as const : { folder: process.argv[2]! };
const product = await startProduct({ kb, port: 0 } as never);
await product.sync({ full: true });
for (const query of process.argv.slice(3)) {
  const r = await product.fetch('/v1/ask', { method: 'POST', body: JSON.stringify({ query }) });
  const text = await r.text(); const j = JSON.parse(text);
  console.log('\n=== ' + query, '| conf', j.confidence, '| bytes', text.length, '| answer', j.answer?.length, '\n' + (j.answer ?? JSON.stringify(j)).slice(0, 1500));
}
await product.stop();
