// An editor over stdin and stdout whose tool returns 8 MB. Argument: the way to the tool. Bundled.
import { connect, ndjsonTransport } from '../../../../src/entries/index.ts';
import { toolServer } from '../../../../src/entries/tools.ts';

const big = { description: 'Returns much.', run: () => 'x'.repeat(8_000_000) };
const connection = await connect(ndjsonTransport(process.stdin, process.stdout), {
  clientInfo: { name: 'unread-editor', version: '0' },
  onDiagnostic: ({ message }) => console.error(message),
  handlers: {
    extensions: { _peak: () => ({ mebibytes: Math.round(process.resourceUsage().maxRSS / 1024) }) },
  },
});
await connection.newSession({
  cwd: '/home/user/project',
  mcpServers: [toolServer({ name: 'editor', transports: [process.argv[2]], tools: { big } })],
});
