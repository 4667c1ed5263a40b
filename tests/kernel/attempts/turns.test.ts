import { expect, test } from 'vitest'
import { Turns } from '../../../server/kernel/attempts/slow-hash.ts'
import { Problem } from '../../../server/kernel/errors.ts'

/** Work that ends when it is told to. */
function workIn(turns: Turns) {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const refused: string[] = []
  const ask = (caller: string, name: string) =>
    turns
      .take(caller, () => {
        begun.push(name)
        return new Promise<void>((end) => ends.push(end))
      })
      .catch((error) => {
        if (!(error instanceof Problem) || error.status !== 429) throw error
        refused.push(name)
      })
  const endOne = async () => {
    ends.shift()?.()
    await new Promise(setImmediate)
  }
  return { begun, refused, ask, endOne }
}

test('a limited number runs at once, and the callers take turns for the rest', async () => {
  const { begun, ask, endOne } = workIn(new Turns(2, 10))
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void ask('a', name)
  for (const name of ['b1', 'b2']) void ask('b', name)
  void ask('c', 'c1')
  await new Promise(setImmediate)
  expect(begun).toEqual(['a1', 'a2'])
  for (let i = 0; i < 8; i++) await endOne()
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5'])
  void ask('a', 'later')
  void ask('a', 'later still')
  await new Promise(setImmediate)
  expect(begun.slice(-2)).toEqual(['later', 'later still'])
})

test('when the queue is full, the caller with the most waiting is refused', async () => {
  const { begun, refused, ask, endOne } = workIn(new Turns(1, 4))
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) void ask('a', name)
  await new Promise(setImmediate)
  expect(refused).toEqual(['a6'])
  void ask('b', 'b1')
  void ask('c', 'c1')
  await new Promise(setImmediate)
  expect(refused).toEqual(['a6', 'a5', 'a4'])
  for (let i = 0; i < 5; i++) await endOne()
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3'])
})

test('the next one begins after a failure', async () => {
  const turns = new Turns(1, 10)
  const failing = turns.take('a', () => Promise.reject(new Error('it failed')))
  const next = turns.take('a', async () => 'begun')
  await expect(failing).rejects.toThrow('it failed')
  expect(await next).toBe('begun')
})
