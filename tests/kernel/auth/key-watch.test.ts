import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { KeyWatch } from '../../../server/kernel/auth/tokens.ts'

/** The time here is that of the timers, so a busy machine does not count. */
beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const lookupMs = 200

/** A watch of a key that another process deletes after some time. Each look at the database takes a while. */
function watchUntilDeleted(deletedAfterMs: number) {
  const begun = Date.now()
  let looks = 0
  const isKeyActive = async () => {
    looks += 1
    const isActive = Date.now() - begun < deletedAfterMs
    await new Promise((done) => setTimeout(done, lookupMs))
    return isActive
  }
  const keys = new KeyWatch()
  const watch = () => keys.watch('key', { isActive: isKeyActive, reason: () => new Error('deleted') })
  return { watch, first: watch(), looks: () => looks }
}

test.each([0, 1, 499, 500, 501, 750, 60_000])(
  'the responses of a key that another process deletes after %i ms end within a second',
  async (deletedAfterMs) => {
    const { watch, first } = watchUntilDeleted(deletedAfterMs)
    const second = watch()
    await vi.advanceTimersByTimeAsync(deletedAfterMs)
    expect(first.signal.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1000)
    expect([first.signal.aborted, second.signal.aborted]).toEqual([true, true])
  },
)

test('a key is looked up twice a second, however many responses it has, and no more when the last one ends', async () => {
  const { watch, first, looks } = watchUntilDeleted(Number.POSITIVE_INFINITY)
  const others = Array.from({ length: 20 }, () => watch())
  await vi.advanceTimersByTimeAsync(10_000)
  expect(looks()).toBe(20)
  for (const { leave } of [first, ...others]) leave()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(looks()).toBe(20)
})
