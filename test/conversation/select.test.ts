import { expect, test } from 'vitest';
import { terminalBytes, terminalText, textOf, toolCall } from '../../src/conversation/select.ts';
import { toolCall as call, conversation, message, terminal, text } from '../render/example.ts';

test('the text of a message is its text blocks, joined', () => {
  const image = { type: 'image', mimeType: 'image/png', data: '' } as const;
  expect(textOf(message('agent', text('one '), image, text('two')))).toBe('one two');
  expect(textOf(message('agent', image))).toBe('');
});

test('a tool call is found by its id, whatever every object has under that name', () => {
  const wanted = call({ toolCallId: 'call-2' });
  const { entries } = conversation({ entries: [message('user'), call({ toolCallId: 'call-1' }), wanted] });
  expect(toolCall(conversation({ entries }), 'call-2')).toBe(wanted);
  expect(toolCall(conversation({ entries }), 'constructor')).toBeUndefined();
});

test('a terminal’s bytes, and its text as UTF-8', () => {
  const printed = Buffer.from('naïve ✓ 🎉\n');
  const bytes = printed.toString('latin1');
  expect(terminalBytes(terminal({ bytes }))).toEqual(new Uint8Array(printed));
  expect(terminalText(terminal({ bytes }))).toBe('naïve ✓ 🎉\n');
  expect(terminalText(terminal({ bytes: 'a\xff\xe2\x9c' }))).toBe('a\ufffd\ufffd');
  expect(terminalText(terminal({}))).toBe('');
});
