/** The variable with the address of the socket. */
export const addressVariable = 'ACP_TOOLS_ADDRESS';

/** The variable with the token. The environment of a process can be read by its user only, its command line by all. */
export const tokenVariable = 'ACP_TOOLS_TOKEN';

/**
 * The program that an agent starts as an MCP server. It connects its input and output with the editor, and ends with
 * either. It is a text, because an editor that is one bundled file has no other file that an agent could start.
 */
export const bridgeProgram = `'use strict';
const socket = require('node:net').connect(process.env.${addressVariable});
const fail = (error) => {
  process.stderr.write('The editor that provides these tools cannot be reached: ' + error.message + '\\n');
  process.exit(1);
};
socket.on('error', fail);
process.stdout.on('error', () => process.exit(0));
socket.write(process.env.${tokenVariable} + '\\n');
process.stdin.pipe(socket);
socket.pipe(process.stdout);
socket.on('close', () => process.exit(0));
`;
