import { expect, test } from 'vitest';
import { compile } from './docs/compile.ts';
import { entries } from './docs/public-names.ts';
import { optionalInputs } from './input-positions.ts';

/**
 * What VS Code passes, what a connection passes to the handlers of `./vscode`, what a session, a connection or a panel
 * has that is passed on, and methods that an object has or has not. No user writes these objects with `undefined`.
 */
const passedByOthers =
  /src\/ui\/vscode\/api\.ts|^WorkspaceFiles\.|src\/core\/client\/(?:session\/turn|requests\/handlers)\.ts|src\/ui\/panel\/state\.ts|src\/core\/protocol\/calls\.ts|src\/records\/transcripts\/storage\.ts|permission-rules\.ts:\d+ ask/;

const inputs = entries.flatMap(optionalInputs).filter(({ place }) => !passedByOthers.test(place));

test('each optional property that users pass takes undefined', () => {
  expect(inputs.length).toBeGreaterThan(80);
  expect(inputs.filter(({ takesUndefined }) => !takesUndefined).map(({ place }) => place)).toEqual([]);
});

/** Calls with values that may be absent, as a program with `exactOptionalPropertyTypes` makes them. */
const program = `
  import { type ClientConnection, connect, type Session, type Transport } from 'acp-client-sdk';
  import { renderHtml, renderText } from 'acp-client-sdk/conversation';
  import { demoAgentCommand, spawnAgent } from 'acp-client-sdk/node';
  import { faults, scriptedAgent } from 'acp-client-sdk/testing';

  declare function maybe<T>(value: T): T | undefined;
  declare const connection: ClientConnection;
  declare const session: Session;
  declare const transport: Transport;
  const { signal } = new AbortController();

  session.prompt('Hi.', { signal: maybe(signal), timeoutMs: maybe(1), meta: maybe({}) });
  session.prompt([{ type: 'image', data: '', mimeType: 'image/png', uri: maybe(''), annotations: maybe({}) }]);
  connection.listSessions({ cwd: maybe('/a'), cursor: maybe('') });
  connection.newSession({
    cwd: '/a',
    additionalDirectories: maybe(['/b']),
    mcpServers: maybe([{ name: 'a', command: '/a', args: maybe(['b']), env: maybe([]) }]),
  });
  connect(transport, {
    clientInfo: { name: 'a', version: '1' },
    signal: maybe(signal),
    handlers: maybe({ requestPermission: maybe(() => ({ outcome: 'cancelled' as const })) }),
    reconnect: maybe({ maxAttempts: maybe(3) }),
  });
  spawnAgent({ command: 'a', args: maybe(['b']), cwd: maybe('/a'), env: maybe({}) });
  demoAgentCommand({ dialect: maybe('v1') });
  renderText(session.conversation, { width: maybe(80) });
  renderHtml(session.conversation, { title: maybe('A') });
  scriptedAgent({ validate: maybe('v1'), faults: maybe([faults.exitAfter('a', { signal: maybe('SIGKILL') })]) });
`;

test('a program that passes undefined for options compiles', async () => {
  expect(await compile({ 'maybe.ts': program })).toEqual([]);
});
