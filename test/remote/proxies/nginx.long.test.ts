import { testProxy } from './proxy-tests.ts';

testProxy('nginx');
