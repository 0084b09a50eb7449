import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectTo, everything } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd } from '../../support/open-session.ts';
import { openIn, said } from '../../support/recorded-stores.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const contentOf = (directory: string) =>
  readdirSync(directory)
    .map((name) => readFileSync(join(directory, name), 'latin1'))
    .join('\n');

describe('what was sent as a secret', () => {
  const secret = 'sk-live-0123456789abcdef';
  const env = [{ name: 'TOKEN', value: secret }];
  const mcpServers = [{ name: 'files', command: '/usr/bin/files', args: [], env }];

  test.each([
    ['a short conversation, whose record is written again for its length', 'Hello.'],
    ['a long conversation, whose record only grows', 'Some words of a long answer. '.repeat(300)],
  ])(
    'is in no file when it arrives in several batches of %s, and what follows is recorded',
    async (_, first) => {
      const directory = temporaryFolder();
      const transcripts = await openIn(directory);
      const { connection, agent } = await connectTo(everything.v1, {
        answers: { 'session/new': { sessionId: 's1' } },
      });
      const session = await connection.newSession({ cwd, mcpServers });
      agent.update('s1', said('user', first));
      await eventually(() => session.conversation.entries.length).toBe(1);
      const stop = transcripts.record(session);
      for (const [text, written] of [
        ['It is sk-live-01234', 'sk-live-01234'],
        ['56789abcdef, you know', '[redacted], you know'],
        [', and so on', '[redacted], you know, and so on'],
      ] as const) {
        agent.update('s1', said('agent', text));
        await eventually(async () => JSON.stringify(await transcripts.read('s1').catch(() => ''))).toContain(
          written,
        );
        // Also while the recording goes on.
        expect(contentOf(directory)).not.toContain('56789abcdef');
        // The beginning of a secret is one when the rest is known.
        expect(contentOf(directory).includes('sk-live-01234')).toBe(written === 'sk-live-01234');
      }
      await stop();
      expect(contentOf(directory)).toContain('It is [redacted], you know, and so on');
      expect(contentOf(directory)).not.toContain('sk-live-01234');
    },
  );
});
