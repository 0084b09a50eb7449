import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

/** A certificate for 127.0.0.1 that signs itself. */
export interface Certificate {
  /** The paths of the files. */
  readonly key: string;
  readonly cert: string;
  /** A file with both, as HAProxy wants it. */
  readonly both: string;
  /** The content of `cert`: a client that trusts it trusts the server. */
  readonly ca: string;
}

/** Why a test cannot make a certificate, or `undefined`. */
export const whyNoCertificate = spawnSync('openssl', ['version']).error && 'openssl is not installed';

/** Makes a certificate in a temporary folder, with openssl. The end of the test removes it. */
export function makeCertificate(): Certificate {
  const folder = temporaryFolder();
  const [key, cert, both] = ['key.pem', 'cert.pem', 'both.pem'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', cert, ...subject], {
    stdio: 'ignore',
  });
  execFileSync('sh', ['-c', 'cat "$0" "$1" > "$2"', cert, key, both]);
  return { key, cert, both, ca: readFileSync(cert, 'utf8') };
}
