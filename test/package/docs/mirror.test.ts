import { expect, test } from 'vitest';
import { measure, streams } from '../../support/mirror-bytes.ts';
import { expectGenerated, table } from './generated.ts';

const kib = (bytes: number) => `${(bytes / 1024).toLocaleString('en-US', { maximumFractionDigits: 0 })} KiB`;

test('the table of the bytes that a mirror takes is up to date', async () => {
  const rows: string[][] = [];
  for (const [name, updates] of streams) {
    const { streamedBytes, sentBytes, messages } = await measure(updates);
    expect(messages).toBeGreaterThan(100);
    const ratio = (sentBytes / streamedBytes).toFixed(2);
    rows.push([name, messages.toLocaleString('en-US'), kib(streamedBytes), kib(sentBytes), ratio]);
  }
  const head = ['stream', 'messages', 'from the agent', 'to the mirror', 'ratio'];
  expectGenerated('docs/conversation.md', 'mirror', table(head, rows));
});
