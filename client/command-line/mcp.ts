import { failUsage } from '../../tools/command-line.ts';
import { type Command, EXIT, openCommand } from './command.ts';
import { bridgeMcp } from './mcp-bridge.ts';
import { SETTINGS_HELP } from './settings.ts';

export const MCP_HELP = `Serves MCP over standard input and output to an assistant on this machine, answering from the deployment.

  constellation mcp [options]

${SETTINGS_HELP}

Examples:
  constellation mcp
  constellation mcp --url https://answers.example.com --workspace handbook

Exit code: 0 when the assistant has closed the input, 1 failed, 2 wrong command line.
`;

export const mcp: Command = async (args) => {
  const { settings } = openCommand(args, { help: MCP_HELP, options: {} });
  const { url, key, workspace } = settings;
  if (key === undefined)
    return failUsage('The key is missing: set CONSTELLATION_API_KEY, or run constellation login');
  const at = new URL(url);
  if (workspace !== undefined) at.searchParams.set('workspace_id', workspace);
  await bridgeMcp({
    url: at.href,
    key,
    input: process.stdin,
    write: (line) => void process.stdout.write(line),
  });
  return EXIT.answered;
};
