import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    globalSetup: './tests/support/template-database.ts',
    environment: 'node',
    pool: 'forks',
    // Every file starts a server and a PostgreSQL of its own: more workers than cores only makes all of them late.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ['default', './tests/support/closing-line.ts'],
  },
})
