import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { buildPackage } from '../../support/build.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { run } from './command-line.ts';

beforeAll(buildPackage);

/** Writes each address that a program connects to, or looks up, into a file. */
function recorder(folder: string) {
  const log = join(folder, 'connections');
  const hook = join(folder, 'record.mjs');
  writeFileSync(log, '');
  writeFileSync(
    hook,
    `import { appendFileSync } from 'node:fs';
     import dns from 'node:dns';
     import net from 'node:net';
     const note = (what) => appendFileSync(${JSON.stringify(log)}, what + '\\n');
     const { connect } = net.Socket.prototype;
     net.Socket.prototype.connect = function (...args) {
       note('connect ' + JSON.stringify(args[0]));
       return connect.apply(this, args);
     };
     const { lookup } = dns;
     dns.lookup = (name, ...rest) => { note('lookup ' + name); return lookup(name, ...rest); };`,
  );
  const env = { NODE_OPTIONS: `--import ${pathToFileURL(hook)}` };
  return { env, connections: () => readFileSync(log, 'utf8').split('\n').filter(Boolean) };
}

test('[security: no-telemetry] a turn with an agent opens no connection, and neither does the agent', async () => {
  const { env, connections } = recorder(temporaryFolder());
  const agent = join(await buildPackage(), 'demo-agent.js');
  const { code, stdout } = await run(['prompt', 'hello', '--', process.execPath, agent], { env });
  expect({ code, hasText: stdout.trim() !== '' }).toEqual({ code: 0, hasText: true });
  expect(connections()).toEqual([]);
});

test('[security: no-telemetry] the record sees the connections that a program asks for', async () => {
  const { env, connections } = recorder(temporaryFolder());
  const registry = { ACP_REGISTRY: 'http://127.0.0.1:9/registry.json' };
  const { code } = await run(['agents'], { env: { ...env, ...registry } });
  expect(code).not.toBe(0);
  expect(connections().join('\n')).toContain('127.0.0.1');
});
