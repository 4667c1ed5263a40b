import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../builders/tools/run-command.ts'
import { clientOf } from '../support/client.ts'
import { adminOf, key, serve, startedDirectory, stop, stopAfterEach } from '../support/process.ts'

stopAfterEach()

test('secret rotate makes a new secret, and what the previous one has signed stays valid', async () => {
  const directory = startedDirectory()
  const settings = { SUTLER_DATA_DIR: directory }
  const file = join(directory, 'secret')
  const running = serve(directory, key)
  const { token } = await adminOf(await running.ready)
  const old = readFileSync(file, 'utf8')
  expect(await run(['secret', 'rotate'], settings)).toMatchObject({ code: 0 })
  expect(readFileSync(file, 'utf8')).not.toBe(old)
  expect(readFileSync(`${file}.previous`, 'utf8')).toBe(old)
  await stop(running.child)

  const again = serve(directory, key)
  expect((await clientOf(await again.ready, token).get('/v2/settings')).status).toBe(200)
  const refused = await run(['secret', 'rotate'], settings)
  expect([refused.code, refused.stderr]).toEqual([
    3,
    expect.stringMatching(/^sutler: the previous secret is still set: remove .*secret\.previous/),
  ])
  await stop(again.child)

  // It is needed for longer than this test takes.
  rmSync(`${file}.previous`)
  const without = serve(directory, key)
  expect(await without.exit).toBe(2)
  expect(without.output()).toMatch(/^sutler: the database still needs the secret that was used before/)
  expect(await run(['secret', 'rotate'], { ...settings, SUTLER_SECRET: 'x'.repeat(32) })).toMatchObject({
    code: 3,
  })
}, 120_000)
