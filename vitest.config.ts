import { configDefaults, defineConfig } from 'vitest/config'
import { citusUrl } from './tests/support/citus-url.ts'
import { LongFilesFirst } from './tests/support/long-files-first.ts'
import { useMemoryDirectory } from './tests/support/memory-directory.ts'
import { notOnCitus } from './tests/support/not-on-citus.ts'

useMemoryDirectory()

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    exclude: [
      ...configDefaults.exclude,
      ...(citusUrl ? notOnCitus.flatMap(({ file, test }) => (test ? [] : [file])) : []),
    ],
    globalSetup: './tests/support/template-database.ts',
    setupFiles: [
      './tests/support/show-refusals.ts',
      './tests/support/fit-document.ts',
      './tests/support/skip-on-citus.ts',
    ],
    environment: 'node',
    pool: 'forks',
    // Node runs the source as it is, as it does for users: Vite would translate each module once more.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Two for each core of a small machine: files wait almost half of their time, for jobs, time limits and processes.
    // They share one PostgreSQL, so many more only make each other late.
    maxWorkers: 4,
    sequence: { sequencer: LongFilesFirst },
    // What a worker has loaded stays loaded: else every file would read all of the server again.
    isolate: false,
    // Most of what a request allocates is garbage at once: the default of 16 MB copies more of it.
    execArgv: ['--max-semi-space-size=64'],
    // Tests that run side by side are those that mostly wait.
    maxConcurrency: 24,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: ['default', './tests/support/closing-line.ts'],
  },
})
