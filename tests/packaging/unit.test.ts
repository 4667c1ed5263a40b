import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

const folder = mkdtempSync(join(tmpdir(), 'sutler-unit-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const unit = execFileSync(process.execPath, ['command/sutler.ts', 'unit'], { cwd: root, encoding: 'utf8' })

test('the unit starts this install, and not again where a restart would not help', () => {
  expect(unit).toContain(`ExecStart="${process.execPath}" "${join(root, 'command/sutler.ts')}" start\n`)
  expect(unit).toContain('\nRestartPreventExitStatus=2 3\n')
  // It would end Node.
  expect(unit).not.toMatch(/^MemoryDenyWriteExecute=yes/m)
})

const { error } = spawnSync('systemd-analyze', ['--version'])
const whyNot = error && ' (not here: there is no systemd-analyze)'

test.skipIf(whyNot)(`systemd accepts the unit, and finds an exposure of at most 2.0${whyNot ?? ''}`, () => {
  const file = join(folder, 'sutler.service')
  writeFileSync(file, unit)
  const analyze = (...args: string[]) => spawnSync('systemd-analyze', [...args, file], { encoding: 'utf8' })
  const { status, stderr } = analyze('verify')
  expect([status, stderr]).toEqual([0, ''])
  const { status: safe, stdout } = analyze('security', '--offline=true', '--threshold=20')
  expect([safe, stdout.split('\n').filter((line) => line.includes('Overall'))]).toEqual([
    0,
    [expect.any(String)],
  ])
})
