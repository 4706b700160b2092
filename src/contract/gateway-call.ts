/** Sends a request to a route of the gateway with the caller's credentials, which the called function never sees. */
export type GatewayCall = (request: Request) => Promise<Response>;
