import { appendFileSync } from 'node:fs'
import { afterAll, afterEach } from 'vitest'
import { takeFaults, watchServers } from './document/watch.ts'

// A test fails if an accepted request or a response does not fit the API document.
watchServers()

const advice =
  'A request or a response does not fit the API document, which is made of the declarations (of an action: ' +
  '`body`, `query`, `shows`, `refuses`)'

function mustFit(): void {
  const faults = takeFaults()
  if (!faults.length) return
  const lines = faults.map(({ operation, what, particulars }) => `${operation}: ${what}: ${particulars}`)
  // To see all of them at once, in place of the first test that has some.
  const file = process.env.DOCUMENT_FAULTS
  if (file) appendFileSync(file, `${lines.join('\n')}\n`)
  else throw new Error(`${advice}:\n  ${lines.join('\n  ')}`)
}

afterEach(mustFit)
afterAll(mustFit)
