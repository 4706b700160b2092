import {
  acceptedContent,
  type CallToolResult,
  completable,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  McpServer,
  type McpServerFactory,
  MissingRequiredClientCapabilityError,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';

/*
 * The tools, resources and prompts that the MCP conformance suite calls by name, with the results that it specifies.
 * Only the HTTP code around them belongs to the product.
 */

type Content = CallToolResult['content'][number];

/** The smallest picture and sound. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';
const image: Content = { type: 'image', data: PNG, mimeType: 'image/png' };
const embedded = (uri: string, words: string, mimeType = 'text/plain'): Content => ({
  type: 'resource',
  resource: { uri, mimeType, text: words },
});
const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] });
const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
const Named = z.object({ name: z.string() });
const Confirmed = z.object({ ok: z.boolean() });
const askName = (message = 'What is your name?') =>
  inputRequired.elicit({ message, requestedSchema: Named });
const askModel = (question: string, maxTokens: number) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: question } }],
    maxTokens,
  });

/** Capabilities of the client, which each request of revision 2026-07-28 has. */
const capabilitiesIn = ({ mcpReq }: ServerContext): Record<string, unknown> => {
  const sent: Record<string, unknown> = { ...mcpReq.envelope, ...mcpReq._meta };
  const given = sent['io.modelcontextprotocol/clientCapabilities'];
  return typeof given === 'object' && given !== null ? { ...given } : {};
};

const CACHED =
  'tools/list prompts/list resources/list resources/templates/list resources/read server/discover'.split(
    ' ',
  );

export const fixtureServer: McpServerFactory = () => {
  const codec = createRequestStateCodec<{ step: number }>({
    key: 'only-for-the-conformance-suite-of-mcp',
  });
  const server = new McpServer(
    { name: 'fixture', version: '1.0.0' },
    {
      capabilities: {
        tools: {},
        resources: { subscribe: true },
        prompts: {},
        logging: {},
        completions: {},
      },
      requestState: { verify: codec.verify },
      cacheHints: Object.fromEntries(
        CACHED.map((method) => [method, { ttlMs: 60_000, cacheScope: 'public' as const }]),
      ),
    },
  );
  // Methods of revision 2025-11-25. Without sessions, the next request has another server.
  for (const method of ['resources/subscribe', 'resources/unsubscribe'] as const)
    server.server.setRequestHandler(method, () => ({}));
  const tool = (
    name: string,
    run: (
      given: ServerContext,
    ) => CallToolResult | InputRequiredResult | Promise<CallToolResult | InputRequiredResult>,
  ): void => void server.registerTool(name, { description: `For the check of ${name}.` }, run);
  tool('test_simple_text', () => text('This is a simple text response for testing.'));
  tool('test_image_content', () => ({ content: [image] }));
  tool('test_audio_content', () => ({
    content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  }));
  tool('test_embedded_resource', () => ({
    content: [embedded('test://embedded-resource', 'This is an embedded resource content.')],
  }));
  tool('test_multiple_content_types', () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      embedded('test://mixed-content-resource', '{"test":"data","value":123}', 'application/json'),
    ],
  }));
  tool('test_error_handling', () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  tool('test_tool_with_progress', async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        });
      await pause();
    }
    return text('Done.');
  });
  for (const name of ['test_tool_with_logging', 'test_logging_tool']) {
    tool(name, async ({ mcpReq }) => {
      for (const message of [
        'Tool execution started',
        'Tool processing data',
        'Tool execution completed',
      ]) {
        await mcpReq.log('info', message);
        await pause();
      }
      return text('Done.');
    });
  }
  tool('test_missing_capability', (context) => {
    if ('sampling' in capabilitiesIn(context)) return text('The client can sample.');
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
  });
  tool('test_streaming_elicitation', () =>
    inputRequired({ inputRequests: { user_name: askName() } }),
  );
  tool('test_input_required_result_elicitation', ({ mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, 'user_name', Named);
    return given === undefined
      ? inputRequired({ inputRequests: { user_name: askName() } })
      : text(`Hello, ${given.name}!`);
  });
  tool('test_input_required_result_sampling', ({ mcpReq }) => {
    const given = inputResponse(mcpReq.inputResponses, 'capital_question');
    if (given.kind === 'sampling') return text(JSON.stringify(given.result.content));
    return inputRequired({
      inputRequests: { capital_question: askModel('What is the capital of France?', 100) },
    });
  });
  tool('test_input_required_result_list_roots', ({ mcpReq }) => {
    const given = inputResponse(mcpReq.inputResponses, 'client_roots');
    if (given.kind === 'roots') return text(given.roots.map(({ uri }) => uri).join(' '));
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
  for (const name of [
    'test_input_required_result_request_state',
    'test_input_required_result_tampered_state',
  ]) {
    tool(name, async ({ mcpReq }) => {
      // The server has verified it.
      if (mcpReq.requestState() !== undefined) return text('state-ok');
      const confirm = inputRequired.elicit({
        message: 'Please confirm',
        requestedSchema: Confirmed,
      });
      return inputRequired({
        inputRequests: { confirm },
        requestState: await codec.mint({ step: 1 }),
      });
    });
  }
  tool('test_input_required_result_multiple_inputs', async ({ mcpReq }) => {
    const keys = ['user_name', 'greeting', 'client_roots'];
    if (keys.every((key) => mcpReq.inputResponses?.[key] !== undefined))
      return text('All inputs are here.');
    return inputRequired({
      inputRequests: {
        user_name: askName(),
        greeting: askModel('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await codec.mint({ step: 1 }),
    });
  });
  tool('test_input_required_result_multi_round', async ({ mcpReq }) => {
    const step = mcpReq.requestState<{ step: number }>()?.step ?? 0;
    if (step === 2) return text('Both steps are done.');
    const inputRequests =
      step === 0
        ? { step1: askName('Step 1: What is your name?') }
        : {
            step2: inputRequired.elicit({
              message: 'Step 2: What is your favorite color?',
              requestedSchema: z.object({ color: z.string() }),
            }),
          };
    return inputRequired({ inputRequests, requestState: await codec.mint({ step: step + 1 }) });
  });
  tool('test_input_required_result_capabilities', (context) => {
    const can = capabilitiesIn(context);
    return inputRequired({
      inputRequests: {
        ...('elicitation' in can ? { user_name: askName() } : {}),
        ...('sampling' in can ? { greeting: askModel('Generate a greeting', 50) } : {}),
      },
      requestState: 'v1',
    });
  });
  const resource = (
    name: string,
    uri: string,
    mimeType: string,
    content: { text: string } | { blob: string },
  ): void =>
    void server.registerResource(name, uri, { description: `The ${name}.`, mimeType }, () => ({
      contents: [{ uri, mimeType, ...content }],
    }));
  resource('static text', 'test://static-text', 'text/plain', {
    text: 'This is the content of the static text resource.',
  });
  resource('static picture', 'test://static-binary', 'image/png', { blob: PNG });
  resource('watched resource', 'test://watched-resource', 'text/plain', {
    text: 'It never changes.',
  });
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'Data by id.', mimeType: 'application/json' },
    ({ href: uri }, { id }) => {
      const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      return { contents: [{ uri, mimeType: 'application/json', text }] };
    },
  );
  const user = (content: Content) => ({ role: 'user' as const, content });
  const userText = (words: string) => user({ type: 'text', text: words });
  server.registerPrompt('test_simple_prompt', { description: 'Simple.' }, () => ({
    messages: [userText('This is a simple prompt for testing.')],
  }));
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'With arguments.',
      argsSchema: z.object({
        arg1: completable(z.string(), (value) =>
          ['paris', 'park', 'party'].filter((each) => each.startsWith(value)),
        ),
        arg2: z.string(),
      }),
    },
    ({ arg1, arg2 }) => ({
      messages: [userText(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
    }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'With a resource.', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) => ({
      messages: [
        user(embedded(uri, 'Embedded resource content for testing.')),
        userText('Please process the embedded resource above.'),
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'With a picture.' }, () => ({
    messages: [user(image), userText('Please analyze the image above.')],
  }));
  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'With a question.' },
    ({ mcpReq }) => {
      const Context = z.object({ context: z.string() });
      const given = acceptedContent(mcpReq.inputResponses, 'user_context', Context);
      if (given !== undefined) return { messages: [userText(`Use ${given.context}.`)] };
      const message = 'What context should the prompt use?';
      return inputRequired({
        inputRequests: {
          user_context: inputRequired.elicit({ message, requestedSchema: Context }),
        },
      });
    },
  );
  return server;
};
