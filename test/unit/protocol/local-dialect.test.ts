import { parse } from 'valibot';
import { describe, expect, test } from 'vitest';
import type { CallName, Calls } from '../../../src/protocol/calls.ts';
import { inEditorPaths } from '../../../src/protocol/path-map.ts';
import { pathMap } from '../../../src/protocol/shared-directories.ts';
import { v1 } from '../../../src/protocol/v1/index.ts';
import { v2Baseline, v2Markers } from '../../../src/protocol/v2/index.ts';

const map = pathMap([{ editor: 'C:\\work', agent: '/mnt/c/work' }]);
const link = { type: 'resource_link', name: 'a', uri: 'file:///C:/work/a' } as const;
const directories = { cwd: 'C:\\work', additionalDirectories: ['C:\\work\\lib'] };
const open = { ...directories, sessionId: 's1', systemPrompt: { mode: 'append', content: [link] } } as const;
const message = { sessionId: 's1', prompt: [link] };
const session = { sessionId: 's1' };

/** An input of each call, with a path wherever it can have one. */
const inputs: { readonly [K in CallName]: Calls[K][0] } = {
  newSession: open,
  loadSession: open,
  resumeSession: open,
  forkSession: open,
  listSessions: { cwd: 'C:\\work' },
  closeSession: session,
  deleteSession: session,
  prompt: message,
  steer: message,
  inject: message,
  revoke: { ...session, messageId: 'm1' },
  cancel: session,
  setMode: { ...session, modeId: 'm' },
  setModel: { ...session, modelId: 'm' },
  setConfigOption: { ...session, configId: 'c', value: 'v' },
  cancelToolCall: { ...session, toolCallId: 'c1' },
  cancelTerminal: { ...session, terminalId: 't1' },
  login: { methodId: 'm' },
  logout: {},
};

describe.each([v1, v2Markers, v2Baseline])('the calls of $name', (dialect) => {
  const calls = inEditorPaths(map, dialect).calls;
  // Object.keys does not keep the type of the keys.
  const names = (Object.keys(calls) as CallName[]).filter((name) => calls[name] !== undefined);

  test.each(names)('%s is written with the paths of the agent', (name) => {
    const call = calls[name];
    // The table has the input of this very call.
    const written = call && parse(call.descriptor.params, call.encode(inputs[name] as never));
    const text = JSON.stringify(written);
    expect(text).not.toContain('C:');
    expect(text.includes('/mnt/c/work')).toBe(JSON.stringify(inputs[name]).includes('C:'));
  });
});
