/** Qoder. It opens no session without a login, and the login needs a network. */
export const qoder = {
  name: 'qoder',
  package: '@qoder-ai/qodercli@1.1.52',
  listed: { id: 'qoder', name: 'Qoder', program: 'qodercli', args: ['--acp'] },
  sizeMiB: 92,
  protocolVersions: [1],

  launch({ installed, node }) {
    return {
      command: node(20),
      args: [installed('@qoder-ai/qodercli/bundle/qodercli.js'), '--acp'],
      env: {},
    };
  },
};
