import { converse, knock } from './page.mjs';

console.log('end_turn', await converse(), await knock());
