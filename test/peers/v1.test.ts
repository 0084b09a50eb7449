import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { nodeFileSystem } from '../../src/node/files/file-system.ts';
import { nodeTerminals } from '../../src/node/terminals/terminals.ts';
import { outline, toolCalls } from '../support/open-session.ts';
import { sharedFolder } from '../support/temporary-folder.ts';
import { testBothVersions } from './official.ts';

describe.each(['v1', 'v1-unstable'])('the official SDK as an agent of version 1: %s', (kind) => {
  const folder = sharedFolder();
  const terminals = nodeTerminals({ cwd: folder });
  afterAll(() => terminals.close());

  const official = testBothVersions({
    kind,
    version: 1,
    cwd: () => folder,
    handlers: () => ({ ...nodeFileSystem({ roots: [folder] }), terminals }),
    asks: { title: 'Write', toolCall: { toolCallId: 't2', toolKind: 'edit' } },
    talks: {
      content: [{ type: 'diff', changes: [{ operation: 'modify', path: '/a', oldText: 'a', newText: 'b' }] }],
    },
  });

  test('initialize: asked for 2, the agent reads the half that is meant for it', async () => {
    await official().seen();
    const [initialize] = official().received;
    const capabilities = {
      fs: { readTextFile: true, writeTextFile: true },
      terminal: true,
      session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
      auth: { terminal: true },
      elicitation: { form: {} },
    };
    expect(initialize?.params['clientCapabilities']).toMatchObject(capabilities);
    expect(initialize?.params['clientInfo']).toEqual({ name: 'my-editor', version: '1.0.0' });
    // The half for version 2 is no part of the schema of version 1: the SDK hands on what it knows.
    expect(initialize?.params['protocolVersion']).toBe(2);
  });

  test('files: read by line, written, and missing ones are -32002', async () => {
    const path = join(folder, 'notes.txt');
    await writeFile(path, 'one\ntwo\nthree\n');
    const session = await official().connection.newSession({ cwd: folder });
    await session.prompt(`files ${path}`);
    expect(outline(session.conversation).at(-1)).toBe('agent: "two\\n" error -32002');
    expect(await readFile(`${path}.copy`, 'utf8')).toBe('TWO\n');
  });

  test('terminals: created, waited for, read, released, and still to be shown', async () => {
    const session = await official().connection.newSession({ cwd: folder });
    await session.prompt('terminal');
    const { conversation } = session;
    expect(outline(conversation)).toEqual(['user: terminal', 't3: completed', 'agent: me false 2']);
    const [shown] = toolCalls(conversation)[0]?.content ?? [];
    expect(shown).toMatchObject({ type: 'terminal' });
    const { terminalId } = shown as { terminalId: string };
    expect(terminals.get(terminalId)).toMatchObject({ output: 'me' });
  });

  test('modes are set, and shown as the agent confirms them', async () => {
    const session = await official().connection.newSession({ cwd: folder });
    await official().seen();
    await session.setMode('code');
    expect(session.conversation.modes?.currentModeId).toBe('code');
    const { sessionId } = session;
    expect(await official().seen()).toEqual([
      { method: 'session/set_mode', params: { sessionId, modeId: 'code' } },
    ]);
  });
});
