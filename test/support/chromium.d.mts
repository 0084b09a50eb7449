import type { LaunchOptions } from 'playwright-core';

export function chromiumOptions(): LaunchOptions;
