// Names of servers cannot be looked up in this process, as on a machine without a network:
// node --import ./test/support/no-network.mjs
import https from 'node:https';

/** Lets a process reach no server by its name. Returns what undoes it. */
export function turnNetworkOff() {
  const before = https.globalAgent;
  const lookup = (host, _options, done) =>
    done(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }));
  https.globalAgent = new https.Agent({ lookup });
  return () => {
    https.globalAgent = before;
  };
}

if (process.env['ACP_TEST_NO_NETWORK'] === '1') turnNetworkOff();
