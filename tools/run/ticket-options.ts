import { parseArgs } from 'node:util';
import { LOCAL_DESK_IDS, type LocalDeskId } from '../stand-ins/helpdesks/desk/local-desk.ts';

export const TICKET_HELP = `Writes as a customer into a local helpdesk of a running Constellation, posts what the tool would deliver to the product's
webhook, signed, and prints the note that came back.

  npx constellation ticket [options]

  --tool <name>       ${LOCAL_DESK_IDS.join(', ')} (default chatwoot)
  --message <text>    what the customer writes
  --subject <text>    of the ticket (default Question)
  --name <text>       the customer's name (default Dana Ortiz)
  --product <text>    what the ticket says the customer has (default Apollo II; an empty text for nothing)
  --times <number>    how often the same delivery is posted, 1 to 20 (default 1): one note comes back all the same
  --bad-signature     sign with a wrong secret: the webhook has to refuse it
  --url <address>     where the gateway is reached, when another stands before it (default: that of the running Constellation)
  --state <folder>    the state folder of the running Constellation, if it was started with one
  --help              this text
`;

export interface TicketOptions {
  tool: LocalDeskId;
  message: string;
  subject: string;
  name: string;
  product: string;
  times: number;
  isForged: boolean;
  url: string | undefined;
  state: string | undefined;
}

const MAX_TIMES = 20;

/** Reads the command line. Throws an error that says what is wrong with which option. */
export function ticketOptions(args: string[]): TicketOptions {
  const { values } = parseArgs({
    args,
    options: {
      tool: { type: 'string', default: 'chatwoot' },
      message: {
        type: 'string',
        default: 'My Apollo shows 0 H/s for 3 days. Already tried restarting.',
      },
      subject: { type: 'string', default: 'Question' },
      name: { type: 'string', default: 'Dana Ortiz' },
      product: { type: 'string', default: 'Apollo II' },
      times: { type: 'string', default: '1' },
      'bad-signature': { type: 'boolean', default: false },
      url: { type: 'string' },
      state: { type: 'string' },
    },
  });
  const { 'bad-signature': isForged, url, ...rest } = values;
  const tool = LOCAL_DESK_IDS.find((id) => id === values.tool);
  if (tool === undefined)
    throw new Error(`Cannot use --tool ${values.tool}: it can be ${LOCAL_DESK_IDS.join(', ')}`);
  const times = Number(values.times);
  if (!Number.isInteger(times) || times < 1 || times > MAX_TIMES)
    throw new Error(
      `Cannot use --times ${values.times}: it is not a number from 1 to ${MAX_TIMES}`,
    );
  if (values.message.trim() === '') throw new Error('Cannot use --message: it is empty');
  if (values.name.trim() === '') throw new Error('Cannot use --name: it is empty');
  if (url !== undefined && !/^https?:\/\//i.test(url))
    throw new Error(`Cannot use --url ${url}: it is not a URL`);
  if (url !== undefined && !URL.canParse(url))
    throw new Error(`Cannot use --url ${url}: it is not a URL`);
  return { ...rest, tool, times, isForged, url, state: values.state };
}
