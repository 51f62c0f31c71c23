import { defineConfig } from '@playwright/test';

const ci = Boolean(process.env['CI']);
export const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

// `npm run e2e -- --grep @short` runs the part that belongs to `make test`. Each worker has a server of its own,
// so two workers keep two cores busy; the waits are long enough for a machine that also does other work.
export default defineConfig({
  testDir: 'e2e',
  testMatch: '*.spec.ts',
  globalSetup: './e2e/setup.ts',
  workers: Number(process.env['E2E_WORKERS'] ?? 2),
  timeout: 90_000,
  expect: { timeout: 15_000 },
  retries: ci ? 1 : 0,
  reporter: [['list']],
  forbidOnly: ci,
  use: {
    browserName: 'chromium',
    actionTimeout: 20_000,
    viewport: { width: 1400, height: 900 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-gpu'],
    },
  },
});
