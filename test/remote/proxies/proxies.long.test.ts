import { testProxy } from './proxy-tests.ts';

testProxy('haproxy');
testProxy('nghttpx');
testProxy('nginx');
