import { expectedOf, sellUnderKills } from '../tests/support/one-outcome/index.ts'

/**
 * `node bench/one-outcome.ts [checkouts shoppers killEvery]`: so many checkouts, each sent by a blind retry and a
 * second tab, and paid by two requests at once, by hand and with a double of Stripe that has faults. Every few
 * checkouts, kill -9 ends the server, its PostgreSQL, or both. Fails unless each cart has one order that is paid once,
 * with one piece of stock and one use of the code, and nothing is open a minute later.
 */
const [checkouts = 10_000, shoppers = 16, killEvery = 250] = process.argv.slice(2).map(Number)

const began = performance.now()
const { outcome, lost } = await sellUnderKills({
  ...{ checkouts, shoppers, killEvery, faultsOf100: 20 },
  onProgress(bought) {
    if (bought % 500 === 0) process.stdout.write(`${bought} after ${seconds()} s\n`)
  },
})
const expected = expectedOf(checkouts, outcome)
for (const [what, value] of Object.entries(outcome)) {
  const isRight = value === expected[what]
  process.stdout.write(`${what}: ${value}${isRight ? '' : `, not ${expected[what]}`}\n`)
  if (!isRight) process.exitCode = 1
}
process.stdout.write(`${lost} requests were sent again; ${seconds()} s\n`)

function seconds(): string {
  return ((performance.now() - began) / 1000).toFixed(0)
}
