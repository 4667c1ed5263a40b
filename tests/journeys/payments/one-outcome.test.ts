import { expect, test } from 'vitest'
import { tries } from '../../support/long.ts'
import { expectedOf, sellUnderKills } from '../../support/one-outcome/index.ts'
import { startedDirectory, stopAfterEach } from '../../support/process.ts'

stopAfterEach()

const checkouts = tries(12, 300)

test('each checkout has one order and one payment, whatever is killed meanwhile', async () => {
  const { outcome, lost } = await sellUnderKills({
    checkouts,
    shoppers: 6,
    killEvery: tries(4, 30),
    faultsOf100: 30,
    dataDir: startedDirectory(),
  })
  expect(outcome).toEqual(expectedOf(checkouts, outcome))
  expect(outcome['received by Stripe']).toBe((checkouts / 4) * 3 * 900)
  expect(outcome.starts).toBeGreaterThan(2)
  expect(lost, 'requests that were sent again').toBeGreaterThan(0)
}, 600_000)
