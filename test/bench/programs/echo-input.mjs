/** The input of the tool that the benchmark calls. */
export const echoInput = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
};
