import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runInSteps } from '../../server/kernel/work/in-turns.ts'

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

test('a computation that fails rejects its promise', async () => {
  function* failing() {
    yield
    throw new Error('no result')
  }
  await expect(runInSteps(failing())).rejects.toThrow('no result')
})
