import type { FastifyInstance } from 'fastify'
import type { Database } from '../storage/database.ts'
import type { DiskSpace } from '../storage/disk-space.ts'

/**
 * For whoever watches over the process. `/healthz`: it runs. `/readyz`: it can answer, so its database can. Under
 * `/checks` the public contract has the same without a body.
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

/** Why it cannot answer; undefined when it can. */
async function faultOf(database: Database, disk: DiskSpace): Promise<string | undefined> {
  if (disk.isOut) return 'the database has no disk space left'
  try {
    await database.run({ text: 'SELECT 1', values: [] })
    return undefined
  } catch {
    return 'the database is not reachable'
  }
}
