import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entries, root } from './entries.ts';
import { type Consumer, installPackage } from './installed.ts';

let consumer: Consumer;
beforeAll(async () => {
  consumer = await installPackage();
  await consumer.install('markdown-it');
});
afterAll(() => consumer?.remove());

interface Findings {
  /** The name under which each class is exported, and the name that it has. */
  readonly classes: readonly (readonly [exported: string, own: string])[];
  readonly connection: string;
  readonly session: string;
  /** An error of a call on a connection to an agent of `./testing`, by its class. */
  readonly refused: string;
  readonly isNotFound: boolean;
  /** Whether an error of `./node` is an instance of the class of `.`. */
  readonly isSpawnError: boolean;
}

const program = (load: string) => `(async () => {
  const classes = [];
  for (const entry of ${JSON.stringify(Object.keys(entries))}) {
    for (const [name, value] of Object.entries(await ${load}(entry))) {
      if (typeof value === 'function' && /^class\\b/.test(String(value))) classes.push([name, value.name]);
    }
  }
  const { connect, NotFoundError, RequestError, SpawnError } = await ${load}('acp-client-sdk');
  const { scriptedAgent } = await ${load}('acp-client-sdk/testing');
  const { spawnAgent } = await ${load}('acp-client-sdk/node');
  const clientInfo = { name: 'test', version: '1' };
  const agent = scriptedAgent()
    .on('initialize', { protocolVersion: 1, agentCapabilities: { loadSession: true } })
    .on('session/new', { sessionId: 's1' })
    .on('session/load', () => { throw new RequestError(-32002, 'Unknown session'); });
  const connection = await connect(agent.transport, { clientInfo });
  const session = await connection.newSession({ cwd: '/project' });
  const error = await connection.loadSession({ sessionId: 's2', cwd: '/project' }).catch((reason) => reason);
  const spawned = await connect(spawnAgent({ command: '/no/such/agent' }), { clientInfo }).catch((reason) => reason);
  console.log(JSON.stringify({
    classes,
    connection: connection.constructor.name,
    session: session.constructor.name,
    refused: error.constructor.name,
    isNotFound: error instanceof NotFoundError,
    isSpawnError: spawned instanceof SpawnError,
  }));
  await connection.close();
})();`;

describe.each([
  ['mjs', 'import'],
  ['cjs', 'require'],
])('classes of the package (.%s)', (extension, load) => {
  let findings: Findings;
  beforeAll(async () => {
    await consumer.write({ [`classes.${extension}`]: program(load) });
    findings = JSON.parse(await consumer.node(`classes.${extension}`));
  });

  test('have the names under which they are exported', () => {
    expect(findings.classes.length).toBeGreaterThan(15);
    expect(findings.classes.filter(([exported, own]) => exported !== own)).toEqual([]);
  });

  test('of a connection and a session have readable names', () => {
    expect(findings).toMatchObject({
      connection: 'OpenConnection',
      session: 'OpenSession',
      refused: 'NotFoundError',
    });
  });

  test('are the same for all entries', () => {
    expect(findings).toMatchObject({ isNotFound: true, isSpawnError: true });
  });
});

test('no file of the build renames a class', async () => {
  const names = (await readdir(`${root}/dist`)).filter((name) => /\.c?js$/.test(name));
  const classes = await Promise.all(
    names.map(async (name) => {
      const code = await readFile(`${root}/dist/${name}`, 'utf8');
      return [
        ...code.matchAll(/^(?:var|let|const) (\w+) = class(?: (?!extends\b)(\w+))?[ {]|^class (\w+)/gm),
      ];
    }),
  );
  const all = classes
    .flat()
    .map(([, variable, own, declared]) => [variable ?? declared, own ?? variable ?? declared]);
  expect(all.length).toBeGreaterThan(60);
  // The bundler renames a class that refers to itself (_Name) and a second one with the same name (Name2).
  expect(all.filter(([variable, own]) => own !== variable || /^_|\d$/.test(own ?? ''))).toEqual([]);
});
