import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commands } from '../../command/commands.ts'
import { begin, type CommandResult, run } from '../builders/tools/run-command.ts'
import { isLong } from '../support/long.ts'
import { newDirectory, stopAfterEach } from '../support/process.ts'

stopAfterEach()

const place = newDirectory()
const nowhere = 'http://127.0.0.1:1'
const [backup, archive] = [join(place, 'backup'), join(place, 'shop.tar')]

/** A call of each command beside a server of its first start, in their order, and its exit code. */
const calls: Readonly<Record<string, readonly [args: readonly string[], code: number]>> = {
  health: [[], 0],
  version: [[], 0],
  config: [[], 0],
  prepare: [[], 0],
  unit: [[], 0],
  backup: [[backup], 0],
  restore: [[backup], 3],
  export: [[archive], 0],
  import: [[archive], 3],
  seed: [['--demo'], 3],
  copy: [['--from', nowhere], 2],
  migrate: [['--plan'], 0],
  distribute: [[], 3],
  doctor: [[], 0],
  'key add': [['Storefront'], 0],
  'key list': [[], 0],
  'key rotate': [['unknown'], 3],
  'key delete': [['unknown'], 3],
  'colleague add': [['ada@example.com', '--role', 'store-admin'], 0],
  'colleague list': [[], 0],
  'colleague link': [['ada@example.com'], 0],
  'colleague end': [['ada@example.com'], 0],
  'store add': [['Outlet'], 0],
  'store list': [[], 0],
  'store rename': [['Bloom'], 3],
  'store rate': [['default'], 3],
  'secret rotate': [[], 0],
  'check totals': [[], 0],
  'check feed': [[], 0],
  'check money': [[], 0],
  'check files': [[], 0],
}

/** The usual form calls one of each kind: what a command says in JSON is printed in one place, by its frame. */
const usual = [
  'backup',
  'restore',
  'migrate',
  'distribute',
  'doctor',
  'key add',
  'key rotate',
  'colleague list',
  'check totals',
]

/** Node itself prints in the watch mode of `dev`, and `start` is the server beside the others. */
const apart = ['dev', 'start']

test('every command has a call here', () => {
  expect([...Object.keys(calls), ...apart].toSorted()).toEqual(commands.map(({ name }) => name).toSorted())
})

/** The objects on standard output: anything else fails. */
const objectsOn = (stdout: string): readonly unknown[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** What a command prints has a result, or a fault that names its exit code. */
function mustBeJson(name: string, { code, stdout, stderr }: CommandResult, expected: number): void {
  expect([name, code, stderr]).toEqual([name, expected, expect.any(String)])
  const [result, ...more] = objectsOn(stdout)
  expect([name, more]).toEqual([name, []])
  if (stderr.includes('sutler: '))
    expect([name, result]).toEqual([name, { error: expect.any(String), exit_code: code }])
}

test('with --json standard output is JSON in every command, also of a first start', async () => {
  const settings = { SUTLER_DATA_DIR: join(place, 'data'), HOST: '127.0.0.1' }
  const server = begin(['start', '--json'], { ...settings, PORT: '0', LOG_LEVEL: 'info' })
  try {
    const ready = await Promise.race([
      new Promise<string>((done) =>
        server.child.stdout?.on('data', (text) => /"ready"/.test(text) && done(String(text))),
      ),
      server.ended.then(({ stderr }) => Promise.reject(new Error(stderr))),
    ])
    const { port } = new URL((objectsOn(ready).at(-1) as { url: string }).url)
    for (const [name, [args, code]] of Object.entries(calls)) {
      if (!isLong && !usual.includes(name)) continue
      const result = await run([...name.split(' '), ...args, '--json'], { ...settings, PORT: port })
      mustBeJson(name, result, code)
    }
  } finally {
    server.child.kill('SIGTERM')
  }
  const { code, stdout, stderr } = await server.ended
  expect([code, stderr]).toEqual([0, expect.stringContaining('SUTLER_CLIENT_SECRET=')])
  expect(objectsOn(stdout)).toEqual(
    expect.arrayContaining([expect.objectContaining({ ready: true }), { stopped: true }]),
  )
}, 120_000)

test('with --json a command that does not exist is one JSON object', async () => {
  mustBeJson('strat', await run(['strat', '--json'], {}), 2)
})
