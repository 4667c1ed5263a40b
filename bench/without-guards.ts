import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Cut, type Guard, guards } from './guards/index.ts'

/**
 * `node bench/without-guards.ts [the number of the first one, and of the last]`: takes out one guard after the other,
 * in a copy of the source, and runs the races that it decides. Says in how many of their runs each test failed: held
 * up, and free. Fails if a test passes in all runs, because it then says nothing about the guard.
 */
const [first = 0, last = guards.length - 1] = process.argv.slice(2).map(Number)
const root = join(import.meta.dirname, '..')
const copied = ['server', 'tests', 'scripts', 'docs', 'package.json', 'tsconfig.json', 'vitest.config.ts']

for (const guard of guards.slice(first, last + 1)) {
  const results = runWithout(guard)
  process.stdout.write(`${guard.name}\n`)
  for (const title of Object.values(guard.tests).flat()) {
    const runs = results.filter((one) => one.title.includes(title))
    const failed = (some: readonly Result[]) => `${some.filter(({ ok }) => !ok).length} of ${some.length}`
    const [free, held] = [runs.filter((one) => isFree(one)), runs.filter((one) => !isFree(one))]
    process.stdout.write(`  ${title}: ${failed(held)}${free.length ? `, free ${failed(free)}` : ''}\n`)
    if (runs.every(({ ok }) => ok)) process.exitCode = 1
  }
}

interface Result {
  readonly title: string
  readonly ok: boolean
}

function isFree({ title }: Result): boolean {
  return title.includes('(free, ')
}

function runWithout({ cuts, tests }: Guard): readonly Result[] {
  const copy = mkdtempSync(join(tmpdir(), 'sutler-without-guard-'))
  try {
    for (const name of copied) cpSync(join(root, name), join(copy, name), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    for (const cut of cuts) take(cut, copy)
    const report = join(copy, 'report.json')
    const titles = Object.values(tests)
      .flat()
      .map((title) => RegExp.escape(title))
      .join('|')
    const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...Object.keys(tests), '-t', titles]
    spawnSync(process.execPath, [...vitest, '--reporter=json', `--outputFile=${report}`], {
      cwd: copy,
      env: { ...process.env, SUTLER_TESTS: 'long' },
      stdio: 'ignore',
    })
    return resultsIn(JSON.parse(readFileSync(report, 'utf8')))
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

function take(cut: Cut, copy: string): void {
  if ('sql' in cut) {
    const migrations = join(copy, 'server/migrations')
    mkdirSync(migrations, { recursive: true })
    const number = 9999 - guards.flatMap(({ cuts }) => cuts).indexOf(cut)
    writeFileSync(join(migrations, `${number}-without-a-guard.sql`), `${cut.sql};\n`)
    return
  }
  const file = join(copy, cut.file)
  const before = readFileSync(file, 'utf8')
  if (before.split(cut.text).length !== 2) throw new Error(`${cut.file} does not have once: ${cut.text}`)
  writeFileSync(
    file,
    before.replace(cut.text, () => cut.without),
  )
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

function resultsIn({ testResults }: Report): readonly Result[] {
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed' || status === 'failed')
    .map(({ fullName: title, status }) => ({ title, ok: status === 'passed' }))
}
