import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commands } from '../../command/commands.ts'
import { groups } from '../../command/frame/command.ts'
import { helpOf } from '../../command/frame/help.ts'
import { heapFlags } from '../../command/heap-flags.ts'
import { begin, run } from '../builders/tools/run-command.ts'
import { key, newDirectory, serve, startedDirectory, stopAfterEach } from '../support/process.ts'

stopAfterEach()

describe('the help', () => {
  test('lists every command in its group, and each shows examples of itself', async () => {
    const { code, stdout } = await run(['--help'], {})
    expect(code).toBe(0)
    for (const { name, about } of commands)
      expect(stdout).toMatch(new RegExp(`^  ${name} +${about.slice(0, 20)}`, 'm'))
    for (const group of groups.filter((one) => commands.some((command) => command.group === one)))
      expect(stdout).toMatch(new RegExp(`^${group}$`, 'm'))
    for (const command of commands) {
      expect([command.name, command.examples.length]).not.toEqual([command.name, 0])
      for (const [call] of command.examples) expect(call).toMatch(/\bsutler\b|npm run dev/)
      expect(helpOf(command)).toContain('Examples')
    }
  })

  test('of a command names its arguments and options', async () => {
    const { code, stdout } = await run(['export', '--help'], {})
    expect(code).toBe(0)
    expect(stdout).toContain('sutler export <file> [options]')
    expect(stdout).toContain('--store <id>')
    expect((await run(['help', 'export'], {})).stdout).toBe(stdout)
  })

  test('of the first word of several commands lists them', async () => {
    const { code, stdout } = await run(['key', '--help'], {})
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^ {2}key add +Creates .*\n {2}key list /)])
    expect((await run(['help', 'key'], {})).stdout).toBe(stdout)
  })
})

const wrong: [words: string[], says: RegExp][] = [
  [['strat'], /^sutler: there is no command "strat": sutler --help lists the commands\n$/],
  [['help', 'strat'], /^sutler: there is no command "strat": sutler --help lists the commands\n$/],
  [
    ['colleague', 'add', 'ada', '--role', 'support'],
    /^sutler: "ada" is not an email address: send one such as /,
  ],
  [['backup'], /^sutler: the directory is missing: sutler backup <directory>\n$/],
  [['backup', 'a', 'b'], /^sutler: "b" is one argument too many: sutler backup <directory>\n$/],
  [['export', 'a', '--stroe', 'x'], /^sutler: Unknown option '--stroe': see sutler export --help\n$/],
  [['--config', ''], /^sutler: --config needs a value: see sutler start --help\n$/],
  [['--config', '/none'], /^sutler: SUTLER_CONFIG names a file that cannot be read: ENOENT/],
  [['--port', '80a'], /^sutler: PORT is "80a": it must be a whole number from 0 to 65535\n$/],
  [['copy', '--compare', '--follow'], /^sutler: --compare and --follow exclude each other\n$/],
  [['copy'], /^sutler: --from must be the http or https URL of a server: see sutler copy --help\n$/],
]

test('a wrong call says in one line what is wrong, and exits with 2', async () => {
  const results = await Promise.all(wrong.map(([words]) => run(words, {})))
  for (const [i, { code, stdout, stderr }] of results.entries()) {
    expect([wrong[i]?.[0], code, stdout]).toEqual([wrong[i]?.[0], 2, ''])
    expect(stderr).toMatch(wrong[i]?.[1] as RegExp)
  }
})

test('--version is the command version', async () => {
  const [option, command] = await Promise.all([run(['--version'], {}), run(['version'], {})])
  expect(option).toEqual(command)
  expect(option).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Sutler \d+\.\d+\.\d+ \(Node /) })
})

test('with --json a result, and a fault, is one JSON object on stdout', async () => {
  const { code, stdout } = await run(['version', '--json'], {})
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    expect.objectContaining({
      sutler: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      node: process.versions.node,
    }),
  ])
  const refused = await run(['backup', join(newDirectory(), 'a'), '--json'], {
    SUTLER_DATA_DIR: newDirectory(),
  })
  expect([refused.code, JSON.parse(refused.stdout)]).toEqual([
    3,
    { error: expect.stringContaining('there is no database in'), exit_code: 3 },
  ])
})

test('--config names the file of settings, and --port comes before them', async () => {
  const file = join(newDirectory(), 'sutler.env')
  writeFileSync(file, `SUTLER_DATA_DIR=${startedDirectory()}\nPORT=80a\nHOST=127.0.0.1\n`)
  const checked = await run(['config', '--check', '--config', file], { SUTLER_CONFIG: '/none' })
  expect([checked.code, checked.stdout]).toEqual([1, expect.stringMatching(/^PORT is "80a"/)])
  const { child, ended } = begin(['start', '--port', '0', '--config', file], { PORT: '1' })
  const ready = new Promise<string>((done) => child.stdout?.on('data', (text) => done(String(text))))
  await Promise.race([ready, ended])
  child.kill('SIGTERM')
  const { code, stdout, stderr } = await ended
  // What it says of the first colleague may come too late to be read here.
  expect([code, stderr.replace(/^\nNobody has a password[\s\S]*/, '')]).toEqual([0, ''])
  expect(stdout).toMatch(/^Sutler is ready at http:\/\/localhost:\d{4}/)
})

test('a server has the flags of its heap in the same process, and health says that it is ready', async () => {
  const running = serve(startedDirectory(), key)
  const { port } = new URL(await running.ready)
  const args = execFileSync('ps', ['-o', 'args=', '-p', String(running.child.pid)], { encoding: 'utf8' })
  expect(args).toContain(heapFlags.join(' '))
  const ready = await run(['health', '--json'], { PORT: port })
  expect([ready.code, JSON.parse(ready.stdout)]).toMatchObject([0, { ready: true }])
  const { code, stdout } = await run(['health', '--url', 'http://127.0.0.1:1'], {})
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^http:\/\/127.0.0.1:1 is not ready: .+\n$/)])
})

test('Ctrl-C ends a backup, which leaves nothing and says so', async () => {
  const place = newDirectory()
  const { child, ended } = begin(['backup', join(place, 'monday')], { SUTLER_DATA_DIR: startedDirectory() })
  await expect
    .poll(() => existsSync(join(place, 'monday.unfinished.pid')), { timeout: 60_000, interval: 1 })
    .toBe(true)
  child.kill('SIGINT')
  const { code, stderr } = await ended
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/sutler: interrupted\. There is no backup\. The server is not disturbed\.\n$/),
  ])
  expect(existsSync(join(place, 'monday'))).toBe(false)
})

test('config shows where each setting comes from and no secret, and with --check fails for what is wrong', async () => {
  const env = { PORT: '9000', SUTLER_SECRET: 'short', SUTLER_BASEURL: 'x' }
  const shown = await run(['config', '--json'], env)
  expect([shown.code, JSON.parse(shown.stdout)]).toEqual([
    0,
    {
      settings: expect.arrayContaining([
        { name: 'PORT', value: '9000', from: 'the environment' },
        { name: 'SUTLER_SECRET', value: 'set', from: 'the environment' },
        { name: 'SUTLER_BASE_URL', value: null, from: 'default' },
      ]),
      faults: [expect.stringMatching(/^SUTLER_SECRET is not valid/)],
      unknown: ['SUTLER_BASEURL is not a setting: did you mean SUTLER_BASE_URL?'],
    },
  ])
  const { code, stdout } = await run(['config', '--check'], env)
  expect([code, stdout]).toEqual([
    1,
    'SUTLER_SECRET is not valid: it must be at least 32 characters\n' +
      'SUTLER_BASEURL is not a setting: did you mean SUTLER_BASE_URL?\n',
  ])
  expect(await run(['config', '--check'], {})).toMatchObject({ code: 0, stdout: 'The settings are valid.\n' })
})
