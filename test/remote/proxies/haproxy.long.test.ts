import { testProxy } from './proxy-tests.ts';

testProxy('haproxy');
