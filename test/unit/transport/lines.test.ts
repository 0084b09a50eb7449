import { describe, expect, test } from 'vitest';
import { LineDecoder, tooLong } from '../../../src/transport/lines.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('a line that comes in chunks', () => {
  const push = (...chunks: string[]) => {
    const lines = new LineDecoder(10);
    for (const chunk of chunks) lines.push(bytes(chunk));
    return lines;
  };

  test('[reliability: limit-line] has the same limit as one that comes whole', () => {
    expect(push('12345', '67890', '\n').take()).toBe('1234567890');
    expect(push('12345', '678901', '\n').take()).toBe(tooLong);
    expect(push('1234', '5678', '9012').take()).toBe(tooLong);
  });

  test('[reliability: limit-line] is given up before its end arrives, and nothing is read after it', () => {
    const lines = push('1234', '5678');
    expect(lines.take()).toBe(undefined);
    lines.push(bytes('9012'));
    expect(lines.take()).toBe(tooLong);
    lines.push(bytes('\nnext\n'));
    expect([lines.take(), lines.rest(), lines.queuedBytes]).toEqual([undefined, '', 0]);
  });
});
