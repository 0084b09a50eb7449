import { protocolSchema } from '../../core/protocol/published-schema.ts';

const { package: name, v1, v2 } = protocolSchema;

/** The published schemas that this version was checked against, in one line. */
export const checkedSchemas = `Checked against the schemas in ${name}: version 1 of ${v1}, version 2 of ${v2}.`;
