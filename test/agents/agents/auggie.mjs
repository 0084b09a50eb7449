/** Augment's Auggie. It opens no session without a login, and the login needs a network. */
export const auggie = {
  name: 'auggie',
  package: '@augmentcode/auggie@0.36.0',
  listed: { id: 'auggie', name: 'Auggie', program: 'auggie', args: ['--acp'] },
  sizeMiB: 39,
  protocolVersions: [1],

  launch({ installed, node }) {
    return {
      command: node(20),
      args: [installed('@augmentcode/auggie/augment.mjs'), '--acp'],
      env: { AUGMENT_DISABLE_AUTO_UPDATE: '1' },
    };
  },
};
