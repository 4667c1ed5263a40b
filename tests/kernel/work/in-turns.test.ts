import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runInSteps } from '../../../server/kernel/work/in-turns.ts'

function* counting(to: number) {
  for (let n = 0; n < to; n++) yield
  return to
}

test('other work runs during a long computation', async () => {
  let [turns, done] = [0, false]
  const others = (async () => {
    for (; !done; turns++) await setImmediate()
  })()
  expect(await runInSteps(counting(10_000))).toBe(10_000)
  done = true
  await others
  expect(turns).toBeGreaterThan(100)
})

test('many long computations take turns, so that other work waits for one step only', async () => {
  let [turn, done] = [0, false]
  const stepsIn = new Map<number, number>()
  function* busy() {
    for (let n = 0; n < 5; n++) {
      stepsIn.set(turn, (stepsIn.get(turn) ?? 0) + 1)
      for (const until = performance.now() + 2; performance.now() < until; );
      yield
    }
  }
  const others = (async () => {
    for (; !done; turn++) await setImmediate()
  })()
  await Promise.all(Array.from({ length: 10 }, () => runInSteps(busy())))
  done = true
  await others
  // All of them begin at once.
  stepsIn.delete(0)
  expect(Math.max(...stepsIn.values())).toBeLessThanOrEqual(2)
})

test('a computation that fails rejects its promise', async () => {
  function* failing() {
    yield
    throw new Error('no result')
  }
  await expect(runInSteps(failing())).rejects.toThrow('no result')
})
