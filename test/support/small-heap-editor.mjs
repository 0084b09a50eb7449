// An editor over stdin and stdout that measures itself. Arguments: the folder of the built package.
import { pathToFileURL } from 'node:url';

const { connect, ndjsonTransport } = await import(pathToFileURL(`${process.argv[2]}/index.js`).href);

const rules = [];
let idleCpu = process.cpuUsage();
const measure = () => {
  const { user, system } = process.cpuUsage(idleCpu);
  const measured = {
    cpuMs: Math.round((user + system) / 1000),
    peakMiB: Math.round(process.resourceUsage().maxRSS / 1024),
    rules: rules.splice(0),
    entries: session.conversation.entries.length,
  };
  idleCpu = process.cpuUsage();
  return measured;
};
const connection = await connect(ndjsonTransport(process.stdin, process.stdout), {
  clientInfo: { name: 'small-heap-editor', version: '0' },
  onDiagnostic: ({ rule }) => rules.push(rule),
  handlers: { extensions: { _measure: measure } },
});
const session = await connection.newSession({ cwd: '/home/user/project' });
session.store.subscribe(() => session.conversation);
connection.request('_fail', {}).catch((error) => rules.push(error.code));
