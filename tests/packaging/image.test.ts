import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { commands } from '../../command/commands.ts'
import { heapFlags } from '../../command/heap-flags.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { read } from '../support/source-files.ts'

const root = join(import.meta.dirname, '../..')
/** Instructions, each on one line. */
const instructions = read('packaging/Containerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter(Boolean)
const of = (name: string) =>
  instructions.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))

test('the image runs as a user without rights, and keeps its data in a volume', () => {
  const last = instructions.slice(instructions.findIndex((line) => line.endsWith(' AS base')))
  expect(last.filter((line) => line.startsWith('USER '))).toEqual(['USER 10001'])
  expect(last.slice(last.indexOf('USER 10001')).filter((line) => line.startsWith('RUN '))).toEqual([])
  expect(of('VOLUME')).toEqual(['/data'])
  expect(of('ENV')).toEqual(['NODE_ENV=production HOME=/data SUTLER_DATA_DIR=/data'])
  expect(of('COPY').slice(1)).toEqual([
    '--from=build-slim --chown=0:0 /opt/sutler /opt/sutler',
    '--from=build --chown=0:0 /opt/sutler /opt/sutler',
  ])
})

test('the image starts the server and asks for its health by commands that exist', () => {
  const [health = ''] = of('HEALTHCHECK').map((line) => line.slice(line.indexOf('CMD ') + 4))
  const calls = [
    JSON.parse(health),
    [...JSON.parse(of('ENTRYPOINT')[0] ?? ''), ...JSON.parse(of('CMD')[0] ?? '')],
  ]
  expect(calls).toEqual([
    ['sutler', 'health'],
    ['sutler', 'start'],
  ])
  const names = commands.map(({ name }) => name)
  for (const [, name] of calls) expect(names).toContain(name)
  expect(of('STOPSIGNAL')).toEqual(['SIGTERM'])
})

test('the image has the version of the package, and what the build reads is in its context', () => {
  expect(of('LABEL').join()).toContain(`image.version="${packageJson.version}"`)
  const context = read('packaging/Containerfile.dockerignore').match(/(?<=^!).*/gm) ?? []
  expect(context.filter((path) => !existsSync(join(root, path)))).toEqual([])
  expect(context).toEqual(
    expect.arrayContaining([
      ...['command', 'console', 'docs/openapi.json', 'scripts', 'server', 'tools', 'package-lock.json'],
    ]),
  )
})

const cache = mkdtempSync(join(tmpdir(), 'sutler-compiled-'))
afterAll(() => rmSync(cache, { recursive: true, force: true }))

test('sutler prepare keeps the compiled code where a start looks for it', () => {
  const run = (...args: string[]) =>
    execFileSync(process.execPath, args, {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, NODE_COMPILE_CACHE: cache },
    })
  const { compiled_code: kept } = JSON.parse(run('command/sutler.ts', 'prepare', '--json'))
  const place = "process.stdout.write(require('node:module').getCompileCacheDir())"
  expect(kept).toBe(run(...heapFlags, '--eval', place))
})
