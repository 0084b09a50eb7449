import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { root } from './entries.ts';

const page = readFileSync(join(root, 'dist/inspector.html'), 'utf8');
const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
const inline = (tag: string) => [...page.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))];
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

describe('the page of the inspector', () => {
  test('is at most 50 KiB, gzipped', () => {
    const kib = gzipSync(page, { level: 9 }).length / 1024;
    expect(kib).toBeLessThanOrEqual(50);
    // A page that is empty by mistake is no small one.
    expect(kib).toBeGreaterThan(20);
  });

  test('allows its own script and style by their hashes, and nothing else', () => {
    const [script, ...otherScripts] = inline('script');
    const [style, ...otherStyles] = inline('style');
    expect([otherScripts.length, otherStyles.length]).toEqual([0, 0]);
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `script-src ${hashOf(script?.[1] ?? '')}`,
      `style-src ${hashOf(style?.[1] ?? '')}`,
      "connect-src 'self'",
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
    ]);
  });

  test('loads nothing', () => {
    const loading = page.replaceAll(/<(script|style)>[\s\S]*?<\/\1>/g, '').match(/\b(?:src|href)="[^"]*"/g);
    expect(loading).toEqual(['href="data:,"']);
  });

  test('has the licenses of the packages whose code is in it', () => {
    const licenses = readFileSync(join(root, 'dist/third-party-licenses.txt'), 'utf8');
    for (const name of ['preact', 'diff', 'valibot'])
      expect(licenses).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });
});
