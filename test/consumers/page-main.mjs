import { converse } from './page.mjs';

console.log('end_turn', await converse());
