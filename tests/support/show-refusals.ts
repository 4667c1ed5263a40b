import { afterEach, beforeEach } from 'vitest'
import { refusals } from './client.ts'

// An assertion about a status does not say why the request was refused.
beforeEach(() => {
  refusals.length = 0
})
afterEach(({ task }) => {
  if (task.result?.state !== 'fail') return
  for (const refusal of refusals) process.stderr.write(`  refused: ${refusal}\n`)
})
