/** The bytes of the table, as a bundler hands them over: wrangler by its default rules, the local runner by `tools/run/local-cloud.ts`. */
declare const table: ArrayBuffer;
export default table;
