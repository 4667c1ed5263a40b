import type { FastifyInstance } from 'fastify'
import type { Database } from '../storage/database.ts'
import type { DiskSpace } from '../storage/disk-space.ts'

/**
 * For monitoring. `/healthz`: the process runs. `/readyz`: it can serve requests, so the database is available. The
 * public contract has the same under `/checks`, without a body.
 */
export function health(server: FastifyInstance, database: Database, disk: DiskSpace): void {
  server.get('/healthz', () => ({ status: 'ok' }))
  server.get('/checks/healthz', (_request, reply) => reply.code(204).send())
  server.get('/readyz', async (_request, reply) => {
    const fault = await faultOf(database, disk)
    return fault ? reply.code(503).send({ status: fault }) : { status: 'ready' }
  })
  server.get('/checks/readiness', async (_request, reply) => {
    const fault = await faultOf(database, disk)
    return fault ? reply.code(503).send({ status: fault }) : reply.code(204).send()
  })
}

/** Why the server cannot serve requests; undefined if it can. */
export async function faultOf(database: Database, disk: DiskSpace): Promise<string | undefined> {
  const noSpace = 'the database has no disk space left'
  if (disk.isOut) return noSpace
  try {
    const [row] = await database.run({ text: 'SHOW transaction_read_only', values: [] })
    return row?.[0] === 'on' ? 'the database accepts no writes' : undefined
  } catch {
    // This statement may be the first that finds the disk full.
    return disk.isOut ? noSpace : 'the database is not reachable'
  }
}
