import { expect, test } from 'vitest'
import { begin } from '../../builders/tools/run-command.ts'
import { adminOf, key, startedDirectory, stopAfterEach } from '../../support/process.ts'

stopAfterEach()

/** Starts a demo shop as an operator does, and stops it after the work. */
async function withDemo<T>(dataDir: string, work: (url: string) => Promise<T>) {
  const settings = { ...key, SUTLER_DATA_DIR: dataDir, HOST: '127.0.0.1', LOG_LEVEL: 'error' }
  const { child, ended } = begin(['start', '--demo', '--size', 's', '--port', '0'], settings)
  try {
    const url = await Promise.race([
      new Promise<string>((ready) =>
        child.stdout?.on('data', (text) => {
          const match = /ready at (\S+)/.exec(String(text))
          if (match?.[1]) ready(match[1].replace('localhost', '127.0.0.1'))
        }),
      ),
      ended.then(({ stderr }) => Promise.reject(new Error(`stopped before it was ready: ${stderr}`))),
    ])
    const result = await work(url)
    child.kill('SIGTERM')
    return { result, ...(await ended) }
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

test('start --demo makes the shop and serves it, and the next start only serves it', async () => {
  const dataDir = startedDirectory()
  const newest = async (url: string) => {
    const { data, meta } = (await (await adminOf(url)).get('/v2/orders?page[limit]=1')).body
    return { id: data[0].id, orders: meta.results.total }
  }
  const first = await withDemo(dataDir, newest)
  expect(first.result.orders).toBe(60)
  expect(first.code).toBe(0)
  expect(first.stderr).toMatch(
    /The demo shop is ready\. sutler colleague link ada\.winter@example\.com prints a link/,
  )
  expect(first.stderr).toMatch(/NEXT_PUBLIC_PASSWORD_PROFILE_ID=[-0-9a-f]{36}\n/)
  const second = await withDemo(dataDir, newest)
  expect(second.result).toEqual(first.result)
  expect(second.stderr).not.toContain('"progress":"orders"')
}, 120_000)
