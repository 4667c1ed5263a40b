import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { LimitedUse } from '../../../server/kernel/storage/connections/slow-reads.ts'

const staying = new AbortController().signal

/** Something that goes on until it is told to end. */
function begin(share: LimitedUse, log: string[], name: string, asker = staying) {
  const { promise, resolve: end, reject: fail } = Promise.withResolvers<void>()
  const ended = share.use(asker, async () => {
    log.push(name)
    await promise
  })
  return { end, fail, ended }
}

test('a limited number runs at a time, and the others wait in order of arrival', async () => {
  const share = new LimitedUse(2)
  const log: string[] = []
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => begin(share, log, name))
  await turn()
  expect(log).toEqual(['a', 'b'])
  b?.fail(new Error('failed'))
  await expect(b?.ended).rejects.toThrow('failed')
  await turn()
  expect(log).toEqual(['a', 'b', 'c'])
  for (const one of [a, c, d]) one?.end()
  await Promise.all([a, c, d].map((one) => one?.ended))
  expect(log).toEqual(['a', 'b', 'c', 'd'])
})

test('a caller who leaves loses its place, and nobody else does', async () => {
  const share = new LimitedUse(1)
  const log: string[] = []
  const asker = new AbortController()
  const a = begin(share, log, 'a')
  const b = begin(share, log, 'b', asker.signal)
  const c = begin(share, log, 'c')
  asker.abort(new Error('gone'))
  await expect(b.ended).rejects.toThrow('gone')
  await expect(begin(share, log, 'd', asker.signal).ended).rejects.toThrow('gone')
  a.end()
  c.end()
  await Promise.all([a.ended, c.ended])
  expect(log).toEqual(['a', 'c'])
})

test('a turn given to a caller who is leaving is not lost', async () => {
  const share = new LimitedUse(1)
  const log: string[] = []
  const asker = new AbortController()
  const a = begin(share, log, 'a')
  const b = begin(share, log, 'b', asker.signal)
  a.end()
  await a.ended
  asker.abort(new Error('gone'))
  b.end()
  await b.ended
  const c = begin(share, log, 'c')
  c.end()
  await c.ended
  expect(log).toEqual(['a', 'b', 'c'])
})
