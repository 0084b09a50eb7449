import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { maxCalls } from '../../../src/tools/calls.ts';
import { bundleProgram } from '../../support/build.ts';
import { transports } from '../../support/open-tools.ts';
import { spawn } from '../../support/spawn.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { isDropped, unreadAgent } from '../../support/unread-agent.ts';

const source = fileURLToPath(new URL('programs/unread-editor.mjs', import.meta.url));

/** The heap of the editor, in MiB. */
const heapMiB = 512;

// Named pipes of Windows take another amount before they count as full.
test.skipIf(process.platform === 'win32').each(transports)(
  '[security: tools-slow] an editor with a heap of 512 MB lives through 64 answers of 8 MB over %s that are not read',
  async (transport) => {
    const program = join(temporaryFolder(), 'editor.mjs');
    await bundleProgram({
      entryPoints: [source],
      outfile: program,
    });
    const editor = spawn(process.execPath, [`--max-old-space-size=${heapMiB}`, program, transport], {
      stdio: 'pipe',
    });
    onTestFinished(() => void editor.kill('SIGKILL'));
    editor.stdin.on('error', () => {});
    const dropped = new Promise<void>((resolve) => {
      editor.stderr.on('data', (text) => {
        if (String(text).includes('was dropped')) resolve();
      });
    });
    const ended = new Promise<never>((_, reject) => {
      editor.once('exit', (code, signal) => reject(new Error(`The editor ended: ${code ?? signal}.`)));
    });
    const agent = await Promise.race([unreadAgent(editor.stdout, editor.stdin), ended]);
    for (let count = 0; count < maxCalls; count++) agent.call('big');
    await Promise.race([dropped, ended]);
    const answers = await Promise.race([agent.read(), ended]);
    expect(answers).toHaveLength(maxCalls);
    expect(answers.filter(isDropped)).not.toEqual([]);
    const { result } = await Promise.race([agent.ask('_peak'), ended]);
    // All results together have 488 MiB, and the editor alone about 100.
    expect(result).toEqual({ mebibytes: expect.any(Number) });
    expect((result as { mebibytes: number }).mebibytes).toBeLessThan(heapMiB);
  },
);
