import { test } from 'vitest';
import { hasASubagent } from '../dialects.ts';

test('[76] v2 a subagent has a conversation, and its permission requests reach the user', () =>
  hasASubagent('v2-baseline'));
