import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { echoCall, expectRefused, toolTarget } from '../support/tool-target.ts';
import { sharedBrowser } from './browser.ts';

const browser = sharedBrowser();

/** Serves an empty page of an attacker, and returns its port. */
async function startSite(): Promise<number> {
  const site = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<!doctype html><title>attacker</title>');
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  onTestFinished(() => {
    site.close();
    site.closeAllConnections();
  });
  // A TCP server has an address of this form.
  return (site.address() as AddressInfo).port;
}

/** What a page tries, as the body of a function of the address, the token and a call. It returns what it could read. */
const attempts = {
  'fetch without CORS': `
    const { type, status } = await fetch(url, { method: 'POST', mode: 'no-cors', body: call });
    return type + ' ' + status;`,
  'fetch with the token': `
    const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json',
      accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call', 'mcp-name': 'echo' };
    return (await fetch(url, { method: 'POST', headers, body: call })).text();`,
  'fetch of the address': 'return (await fetch(url)).text();',
  'a form': `
    const form = document.createElement('form');
    Object.assign(form, { method: 'POST', action: url, enctype: 'text/plain' });
    const input = document.createElement('input');
    Object.assign(input, { name: call.slice(0, -1) + ',"x":"', value: '"}' });
    const frame = document.createElement('iframe');
    frame.name = form.target = 'frame';
    form.append(input);
    document.body.append(frame, form);
    const loaded = new Promise((resolve) => { frame.onload = resolve; });
    form.submit();
    await loaded;
    try { return frame.contentDocument.body.textContent; } catch (error) { return String(error); }`,
  'a WebSocket': `
    const socket = new WebSocket(url.replace('http', 'ws'));
    return new Promise((resolve) => {
      socket.onopen = () => resolve('opened');
      socket.onerror = () => resolve('');
    });`,
  'an EventSource': `
    const source = new EventSource(url);
    return new Promise((resolve) => {
      source.onopen = () => resolve('opened');
      source.onerror = () => { source.close(); resolve(''); };
    });`,
  'a beacon': `
    navigator.sendBeacon(url, call);
    return '';`,
  'an image': `
    const image = new Image();
    return new Promise((resolve) => {
      image.onload = () => resolve('loaded');
      image.onerror = () => resolve('');
      image.src = url;
    });`,
} as const;

async function attempt(site: string, body: string, url: string, token: string): Promise<string> {
  const page = await browser.open();
  onTestFinished(() => page.close());
  await page.goto(site);
  return page.evaluate(
    async ([code, address, secret, call]) => {
      // The code is one of the table above.
      const run = new Function('url', 'token', 'call', `return (async () => {${code}})();`);
      return String(await run(address, secret, call).catch(() => ''));
    },
    [body, url, token, JSON.stringify(echoCall())] as const,
  );
}

/** Where the page is, and the address of the tools as it knows it. */
const places: Readonly<
  Record<string, (url: string) => Promise<{ readonly site: string; readonly url: string }>>
> = {
  // The browser's own headers keep it out.
  'another origin': async (url) => ({ site: `http://127.0.0.1:${await startSite()}/`, url }),
  // Chromium resolves each name below localhost to this machine. The page gets the refusal.
  'a name that points to this machine': async (url) => {
    const named = url.replace('127.0.0.1', 'attacker.localhost');
    return { site: named, url: named };
  },
};

describe.each(Object.entries(places))('a page in a browser of %s reaches no tool', (_, place) => {
  test.each(Object.entries(attempts))('with %s', async (_name, body) => {
    const target = await toolTarget('http');
    const { site, url } = await place(String(target.server['url']));
    // The page may have found out the token.
    const read = await attempt(site, body, url, target.token);
    expect(read).not.toMatch(/ran|opened|loaded|Returns its input/);
    await expectRefused(target);
  });
});
