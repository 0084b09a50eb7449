// An editor over stdin and stdout whose tool returns 8 MB as soon as as many calls run as can. Argument: the way to the
// tool. Bundled.
import { connect, ndjsonTransport } from '../../../../src/entries/index.ts';
import { toolServer } from '../../../../src/entries/tools.ts';
import { maxCalls } from '../../../../src/tools/calls.ts';

const returning = [];
const big = {
  description: 'Returns much.',
  run: () =>
    new Promise((resolve) => {
      returning.push(() => resolve('x'.repeat(8_000_000)));
      // Over stdio, a call is not read while the answers to earlier ones are not read.
      if (returning.length === maxCalls) for (const end of returning.splice(0)) end();
    }),
};
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
