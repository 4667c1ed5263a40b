import { expect, test } from 'vitest'
import { connectionsOf } from '../server/kernel/storage/database.ts'
import { backgroundConnections } from '../server/kernel/work/background.ts'
import { jobConnections } from '../server/kernel/work/jobs.ts'
import { embeddedConnections } from '../server/supervisor.ts'

/** Of jobs: one for point reads, two for pages. */
const lanes = 3
/** Of the sequencer, and to finish migrations: see main.ts. */
const rest = 3

test('the embedded PostgreSQL has connections for one process more than there are, as in a restart', () => {
  const ofEach = (own: number) => connectionsOf(own) + lanes + jobConnections + backgroundConnections + rest
  for (const [processes, databaseConnections] of [
    [2, 10],
    [64, 1],
    [3, 51],
  ] as const)
    expect(embeddedConnections({ processes, databaseConnections })).toBe(
      (processes + 1) * ofEach(databaseConnections) + 10,
    )
  expect(embeddedConnections({ processes: 2, databaseConnections: 1 })).toBeGreaterThanOrEqual(100)
})
