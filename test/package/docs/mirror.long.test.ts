import { expect, test } from 'vitest';
import { measure, streams } from '../../support/mirror-bytes.ts';
import { expectGenerated, table } from './generated.ts';

const kib = (bytes: number) => `${(bytes / 1024).toLocaleString('en-US', { maximumFractionDigits: 0 })} KiB`;

test('a mirror takes less than 1.3 times the streamed bytes, as the table says', async () => {
  const rows: string[][] = [];
  for (const [name, updates] of streams) {
    const { streamedBytes, sentBytes, messages, original, mirrored } = await measure(updates);
    expect(messages).toBeGreaterThan(100);
    expect(mirrored).toEqual(original);
    const ratio = sentBytes / streamedBytes;
    expect(ratio, name).toBeLessThan(1.3);
    rows.push([name, messages.toLocaleString('en-US'), kib(streamedBytes), kib(sentBytes), ratio.toFixed(2)]);
  }
  const head = ['stream', 'messages', 'from the agent', 'to the mirror', 'ratio'];
  expectGenerated('docs/conversation.md', 'mirror', table(head, rows));
});
