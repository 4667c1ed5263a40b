import type { FastifyInstance } from 'fastify'
import type { Database } from '../storage/database.ts'
import type { DiskSpace } from '../storage/disk-space.ts'

/** For whoever watches over the process. `/healthz`: it runs. `/readyz`: it can answer, so its database can. */
export function health(server: FastifyInstance, database: Database, disk: DiskSpace): void {
  server.get('/healthz', () => ({ status: 'ok' }))
  server.get('/readyz', async (_request, reply) => {
    if (disk.isOut) {
      return reply.code(503).send({ status: 'the database has no space left on its disk' })
    }
    try {
      await database.run({ text: 'SELECT 1', values: [] })
      return { status: 'ready' }
    } catch {
      return reply.code(503).send({ status: 'the database cannot be reached' })
    }
  })
}
