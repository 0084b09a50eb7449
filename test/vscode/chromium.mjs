import { chromium } from 'playwright-core';
import { chromiumOptions } from '../support/chromium.mjs';

export async function launchChromium() {
  return chromium.launch({
    ...chromiumOptions(),
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}
