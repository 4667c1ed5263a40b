import type { FastifyInstance } from 'fastify'
import type { Database } from '../storage/database.ts'

/** For whoever watches over the process. `/healthz`: it runs. `/readyz`: it can answer, so its database can. */
export function health(server: FastifyInstance, database: Database): void {
  server.get('/healthz', () => ({ status: 'ok' }))
  server.get('/readyz', async (_request, reply) => {
    try {
      await database.run({ text: 'SELECT 1', values: [] })
      return { status: 'ready' }
    } catch {
      return reply.code(503).send({ status: 'the database cannot be reached' })
    }
  })
}
