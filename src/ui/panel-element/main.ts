import { defineElement } from './element.tsx';

defineElement();
