import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeFlow } from '../../builders/fields/flows.ts'
import { isLong } from '../../support/long.ts'
import { openWorld, type World } from '../../support/world.ts'

/**
 * Clients that others generate from the API document. The generators are 330 packages, so they are no development
 * packages: the long run installs them beside the repository. The short run looks for what they cannot read:
 * tests/support/document/generators.ts.
 */

const packages: Readonly<Record<string, string>> = {
  '@hey-api/openapi-ts': '0.99.0',
  '@kubb/cli': '4.39.3',
  '@kubb/core': '4.39.3',
  '@kubb/plugin-oas': '4.39.3',
  '@kubb/plugin-ts': '4.39.3',
  oazapfts: '7.5.0',
  'openapi-typescript': '7.13.0',
  orval: '8.38.0',
  'swagger-typescript-api': '13.13.0',
}

/** The arguments with which each generator writes a client into the folder `out`. */
const generators: Readonly<Record<string, readonly string[]>> = {
  'openapi-typescript': ['openapi.json', '--output', 'out/api.d.ts'],
  '@hey-api/openapi-ts': ['--input', 'openapi.json', '--output', 'out'],
  orval: ['--input', 'openapi.json', '--output', 'out/api.ts', '--client', 'fetch'],
  '@kubb/cli': ['generate', '--config', 'kubb.config.ts'],
  oazapfts: ['openapi.json', 'out/api.ts'],
  'swagger-typescript-api': ['generate', '--path', 'openapi.json', '--output', 'out', '--name', 'api.ts'],
}

const kubbConfig = `
import { defineConfig } from '@kubb/core'
import { pluginOas } from '@kubb/plugin-oas'
import { pluginTs } from '@kubb/plugin-ts'
export default defineConfig({
  input: { path: 'openapi.json' },
  output: { path: 'out', format: false, lint: false },
  plugins: [pluginOas(), pluginTs()],
})`

const compilerOptions = {
  ...{ strict: true, noEmit: true, skipLibCheck: true, types: [], allowImportingTsExtensions: true },
  ...{
    target: 'es2024',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2024', 'dom', 'dom.iterable'],
  },
}

const repository = join(import.meta.dirname, '../../..')
const minutes = 60_000

interface Outcome {
  readonly succeeded: boolean
  readonly output: string
}

/** Runs a program; what it says is for whoever reads the failed test. */
async function run(folder: string, program: string, args: readonly string[]): Promise<Outcome> {
  const options = { cwd: folder, timeout: 5 * minutes, maxBuffer: 64 * 1024 * 1024 }
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, options)
    return { succeeded: true, output: stdout + stderr }
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    return { succeeded: false, output: `${error}\n${stdout}${stderr}`.slice(0, 4000) }
  }
}

const runScript = (folder: string, script: string, args: readonly string[]) =>
  run(folder, process.execPath, [script, ...args])

/** The path of the one program of a package. */
function programOf(folder: string, name: string): string {
  const { bin } = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'))
  return join(
    folder,
    'node_modules',
    name,
    typeof bin === 'string' ? bin : (Object.values<string>(bin)[0] ?? ''),
  )
}

describe.skipIf(!isLong)('a client', () => {
  let world: World
  let isReachable: boolean
  let installed: Outcome
  const folder = mkdtempSync(join(tmpdir(), 'sutler-generators-'))
  beforeAll(async () => {
    world = await openWorld()
    for (const slug of ['products(shelf.wall)', 'customers', 'shelf-notes'])
      await makeFlow(world.admin, slug, { size: { field_type: 'string' }, since: { field_type: 'date' } })
    const { body } = await world.admin.get('/v2/settings/specifications/openapi')
    const files = {
      'package.json': { private: true, type: 'module', dependencies: packages },
      'tsconfig.json': { compilerOptions, include: ['out/**/*.ts'] },
      'openapi.json': body,
    }
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(folder, name), JSON.stringify(content))
    writeFileSync(join(folder, 'kubb.config.ts'), kubbConfig)
    isReachable = (await run(folder, 'npm', ['ping'])).succeeded
    installed = await run(folder, 'npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'])
  }, 6 * minutes)
  afterAll(async () => {
    await world.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test.for(Object.entries(generators))(
    'of %s compiles',
    { timeout: 6 * minutes },
    async ([name, args], { skip }) => {
      skip(!isReachable, 'npm does not reach its registry')
      expect(installed.succeeded, installed.output).toBe(true)
      const out = join(folder, 'out')
      rmSync(out, { recursive: true, force: true })
      mkdirSync(out)
      const generated = await runScript(folder, programOf(folder, name), args)
      expect(generated.succeeded, generated.output).toBe(true)
      const compiler = join(repository, 'node_modules/typescript/bin/tsc')
      const compiled = await runScript(folder, compiler, ['--project', 'tsconfig.json'])
      expect(compiled.output).toBe('')
    },
  )
})
