import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../builders/tools/run-command.ts'
import { clientOf } from '../support/client.ts'
import { key, serve, startedDirectory, stopAfterEach } from '../support/process.ts'
import { body } from '../support/requests.ts'

stopAfterEach()

test('an operator adds the first colleague, who sets a password once, and ends their sign-ins', async () => {
  const directory = startedDirectory()
  const settings = { SUTLER_DATA_DIR: directory }
  const url = await serve(directory, key).ready
  const json = async (...words: string[]) => {
    const { code, stdout, stderr } = await run([...words, '--json'], settings)
    expect([words, code, stderr]).toEqual([words, 0, ''])
    return JSON.parse(stdout)
  }
  const { link } = await json('colleague', 'add', 'ada@example.com', '--role', 'store-admin')
  expect(link).toMatch(/^http:\/\/localhost:\d+\/console\/welcome#[\w-]+\.[\w-]+$/)
  const signIn = (fields: object) =>
    clientOf(url, undefined).post('/v2/colleague-tokens', body('colleague_token', fields))
  const password = 'eleven horses by the river'
  const accept = () =>
    signIn({ authentication_mechanism: 'invitation', invitation: link.split('#')[1], password })
  const welcome = await accept()
  expect(welcome.body.data).toMatchObject({ role: 'Store Admin' })
  expect((await accept()).status).toBe(401)
  const { body: again } = await signIn({
    authentication_mechanism: 'password',
    username: 'ADA@example.com',
    password,
  })
  const ada = clientOf(url, again.data.token)
  expect((await ada.get('/v2/application-keys')).status).toBe(200)
  expect((await json('colleague', 'list')).colleagues).toEqual([
    {
      email: 'ada@example.com',
      name: 'ada@example.com',
      role: 'store-admin',
      signed_in_at: expect.any(String),
    },
  ])
  expect((await json('colleague', 'end', 'ada@example.com')).ended).toBe(2)
  await expect.poll(async () => (await ada.get('/v2/accounts')).status, { timeout: 10_000 }).toBe(401)
  // Where the first start has stored it, unless a setting says it.
  writeFileSync(join(directory, 'first-key.env'), 'SUTLER_URL=http://localhost:9123\n')
  const addressFor = async (more: Record<string, string>) => {
    const words = ['colleague', 'link', 'ada@example.com', '--json']
    const { stdout } = await run(words, { ...settings, ...more })
    return new URL(JSON.parse(stdout).link).origin
  }
  expect(await addressFor({})).toBe('http://localhost:9123')
  expect(await addressFor({ PORT: '9200' })).toBe('http://localhost:9200')
  expect(await addressFor({ SUTLER_BASE_URL: 'https://shop.example.com' })).toBe('https://shop.example.com')
  expect(await run(['colleague', 'link', 'bob@example.com'], settings)).toMatchObject({ code: 3 })
  expect(await run(['colleague', 'add', 'bob@example.com', '--role', 'boss'], settings)).toMatchObject({
    code: 2,
  })
}, 120_000)

test('each start prints the link of the first colleague, until there is one', async () => {
  const directory = startedDirectory()
  const first = serve(directory, key)
  const url = await first.ready
  const linkIn = (text: string) => /http\S+\/console\/welcome#\S+/.exec(text)?.[0]
  await expect.poll(() => linkIn(first.output())).toMatch(/#[\w-]+\.first\.\d+\.[\w-]+$/)
  const link = linkIn(first.output()) ?? ''
  expect(new URL(link).port).toBe(new URL(url).port)
  const fields = {
    ...{ authentication_mechanism: 'invitation', invitation: link.split('#')[1] },
    ...{ name: 'Ada Marsh', email: 'ada@example.com', password: 'eleven horses by the river' },
  }
  const { body: welcome } = await clientOf(url, undefined).post(
    '/v2/colleague-tokens',
    body('colleague_token', fields),
  )
  expect(welcome.data.role).toBe('Store Admin')
  first.child.kill('SIGTERM')
  await first.exit
  const second = serve(directory, key)
  await second.ready
  second.child.kill('SIGTERM')
  await second.exit
  expect(linkIn(second.output())).toBeUndefined()
})
