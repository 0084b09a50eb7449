import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { SentSecrets } from '../../../../src/core/base/secrets.ts';
import { maxTimerMs } from '../../../../src/core/base/wait.ts';
import {
  describeBody,
  httpError,
  isHtml,
  readText,
  retryAfterMs,
} from '../../../../src/core/transport/http/http-answers.ts';
import { fetchCause, reasonOf } from '../../../../src/core/transport/http/reports.ts';
import { passTime, stopClock } from '../../../support/timed-acp-server.ts';

/** What the answer with a header asks for. */
const waitOf = (header?: string) =>
  retryAfterMs(new Response(null, header === undefined ? {} : { headers: { 'retry-after': header } }));

describe('the time that a server wants the client to wait', () => {
  test.each<[string | undefined, number | undefined]>([
    [undefined, undefined],
    ['', undefined],
    ['0', 0],
    ['120', 120_000],
    ['\t 7 ', 7000],
    ['7s', undefined],
    ['s7', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['2999-01-01', undefined],
    ['at Fri, 01 Jan 2100 00:00:00 GMT', undefined],
    ['9'.repeat(400), Number.POSITIVE_INFINITY],
    ['1e99', undefined],
    ['0x10', undefined],
    ['5, 5', undefined],
    ['NaN', undefined],
  ])('of the header %j is %j', (header, waitMs) => {
    expect(waitOf(header)).toBe(waitMs);
  });

  test('can be a date', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-01T00:00:00Z') });
    onTestFinished(() => void vi.useRealTimers());
    expect(waitOf('Thu, 01 Jan 2026 00:01:30 GMT')).toBe(90_000);
    expect(waitOf('Thursday, 01-Jan-26 00:00:10 GMT')).toBe(10_000);
    expect(waitOf('Wed, 31 Dec 2025 23:59:00 GMT')).toBe(0);
    expect(waitOf('Thu, 01 Foo 2026 99:99:99 GMT')).toBeUndefined();
  });
});

describe('the error for a refusal', () => {
  const refused = (status: number, body: string | null, headers: Readonly<Record<string, string>> = {}) =>
    httpError('session/prompt', 'https://x', new Response(body, { status, headers }), new SentSecrets());
  const message = 'session/prompt: https://x answered with status';

  test('names the status, what came with it, and what to do', async () => {
    expect(await refused(401, 'Expired.')).toMatchObject({
      message: `${message} 401 (Expired.). Log in again, or pass a new token in the option headers.`,
      status: 401,
      body: 'Expired.',
    });
    expect(await refused(418, null)).toMatchObject({
      message: `${message} 418. Ask the person who runs the server.`,
      body: '',
    });
  });

  test.each([
    ['59', ' It asks to wait 59 s.'],
    ['604800', ' It asks to wait 604800 s.'],
    ['604801', ''],
    ['9'.repeat(400), ''],
    ['x', ''],
  ])('with the header Retry-After: %s', async (header, said) => {
    const { message: text } = await refused(503, null, { 'retry-after': header });
    expect(text).toBe(`${message} 503.${said} The server takes no requests now. Wait, then try again.`);
  });

  test('has no secret, and not the whole of a long text', async () => {
    const secrets = new SentSecrets();
    secrets.add(['secret-of-the-user']);
    const text = `secret-of-the-user ${'x'.repeat(20_000)}`;
    const error = await httpError('m', 'w', new Response(text, { status: 400 }), secrets);
    expect(error.body).not.toContain('secret-of-the-user');
    expect(error.body.length).toBeLessThan(8300);
    expect(error.message.length).toBeLessThan(500);
  });

  test('waits one second for the rest of the text', async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (control) => control.enqueue(new TextEncoder().encode('Half')),
    });
    stopClock();
    let error: unknown;
    void httpError('m', 'w', new Response(body, { status: 400 }), new SentSecrets()).then((made) => {
      error = made;
    });
    await passTime(999);
    expect(error).toBeUndefined();
    await passTime(1);
    expect(error).toMatchObject({ body: 'Half' });
  });
});

describe('what a body is shown as', () => {
  test.each([
    ['', ''],
    ['  \n ', ''],
    [' one\n\n  two ', ' (one two)'],
    ['a <html> tag', ' (a <html> tag)'],
    ['x'.repeat(300), ` (${'x'.repeat(300)})`],
    ['x'.repeat(301), ` (${'x'.repeat(300)}…)`],
    ['<html><title> Log in </title>', ' and a page of HTML, which probably a proxy wrote (Log in)'],
    ['<HTML><TITLE lang="en">A</TITLE>', ' and a page of HTML, which probably a proxy wrote (A)'],
    ['<html><title></title>', ' and a page of HTML, which probably a proxy wrote'],
    ['<html>', ' and a page of HTML, which probably a proxy wrote'],
  ])('of %j', (body, shown) => {
    expect(describeBody(body)).toBe(shown);
  });

  test.each([
    ['<!DOCTYPE html>', true],
    [' \n\t<head>', true],
    ['<body class="x">', true],
    ['<html5>', false],
    ['x<html>', false],
    ['<p>', false],
  ])('%j is a page: %j', (text, isPage) => {
    expect(isHtml(text)).toBe(isPage);
  });
});

describe('the text of a body', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);

  /** A body in parts, and how it was given up. */
  function inParts(parts: readonly Uint8Array[], end: 'ends' | 'breaks' | 'waits' = 'ends') {
    const given: unknown[] = [];
    const body = new ReadableStream<Uint8Array>({
      start(control) {
        for (const part of parts) control.enqueue(part);
        if (end === 'ends') control.close();
      },
      pull(control) {
        if (end === 'breaks') control.error(new Error('terminated'));
      },
      cancel: (reason) => void given.push(reason),
    });
    return { response: new Response(body), given };
  }

  const limits = { limitBytes: 4, timeoutMs: 60_000 };

  test('is empty without a body', async () => {
    expect(await readText(new Response(null), limits)).toEqual({ text: '', isCut: false });
  });

  test('is read up to its limit, also if a character is in two parts', async () => {
    const euro = bytes('€');
    const { response } = inParts([euro.subarray(0, 1), euro.subarray(1), bytes('!')]);
    expect(await readText(response, limits)).toEqual({ text: '€!', isCut: false });
  });

  test('that ends in the middle of a character has its replacement', async () => {
    const { response } = inParts([bytes('€').subarray(0, 2)]);
    expect(await readText(response, limits)).toEqual({ text: '�', isCut: false });
  });

  test('is cut over its limit, and the rest is given up', async () => {
    const { response, given } = inParts([bytes('abc'), bytes('de')], 'waits');
    expect(await readText(response, limits)).toEqual({ text: 'abcde', isCut: true });
    expect(given).toHaveLength(1);
  });

  test('that breaks off is cut', async () => {
    const { response } = inParts([bytes('ab')], 'breaks');
    expect(await readText(response, limits)).toEqual({ text: 'ab', isCut: true });
  });

  test('that does not end is cut after its time, without a time limit never', async () => {
    stopClock();
    const read: unknown[] = [];
    const waiting = [500, maxTimerMs, Number.POSITIVE_INFINITY].map((timeoutMs) => {
      const { response, given } = inParts([bytes('ab')], 'waits');
      void readText(response, { limitBytes: 4, timeoutMs }).then((text) => read.push(text));
      return given;
    });
    await passTime(499);
    expect(read).toEqual([]);
    await passTime(1);
    expect(read).toEqual([{ text: 'ab', isCut: true }]);
    expect(waiting.map(({ length }) => length)).toEqual([1, 0, 0]);
    // That of the longest limit a timer can have.
    expect(vi.getTimerCount()).toBe(1);
  });
});

describe('what a failed fetch threw', () => {
  const coded = (text: string, code: unknown) => Object.assign(new Error(text), { code });

  test.each<[string, unknown]>([
    ['fetch failed', new TypeError('fetch failed')],
    ['refused (ECONNREFUSED)', new TypeError('fetch failed', { cause: coded('refused', 'ECONNREFUSED') })],
    ['is ECONNRESET', new TypeError('fetch failed', { cause: coded('is ECONNRESET', 'ECONNRESET') })],
    ['fetch failed (EX)', new TypeError('fetch failed', { cause: coded('', 'EX') })],
    ['(EX)', new TypeError('', { cause: coded('', 'EX') })],
    ['why', new TypeError('fetch failed', { cause: coded('why', 7) })],
    ['text', 'text'],
  ])('has the reason %j', (reason, error) => {
    expect(reasonOf(error)).toBe(reason);
  });

  test('is copied without the secrets and without other fields', () => {
    const cause = Object.assign(coded('secret below', 'ECONNRESET'), { headers: 'secret' });
    const copy = fetchCause(new TypeError('a secret', { cause }), (text) => text.replace('secret', '…'));
    expect(copy).toMatchObject({ message: 'a …', cause: { message: '… below', code: 'ECONNRESET' } });
    expect(copy).not.toHaveProperty('code');
    expect(copy.cause).not.toHaveProperty('headers');
    expect(copy.cause).not.toHaveProperty('cause');
  });
});
