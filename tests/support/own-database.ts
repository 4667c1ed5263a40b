import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

/** An empty database on the run's PostgreSQL. */
export interface OwnDatabase {
  readonly name: string
  readonly url: string
  sql(text: string, values?: unknown[]): Promise<pg.QueryResult>
  drop(): Promise<void>
}

export async function ownDatabase(): Promise<OwnDatabase> {
  const postgres = inject('postgres')
  const name = `own_${randomUUID().replaceAll('-', '')}`
  const root = new pg.Client(postgres)
  await root.connect()
  await root.query(`CREATE DATABASE ${name}`)
  const url = postgres.replace(/@\/[^?]*/, `@/${name}`)
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  pool.on('error', () => {})
  return {
    name,
    url,
    sql: (text, values) => pool.query(text, values),
    async drop() {
      await pool.end()
      await root.query(`DROP DATABASE ${name} WITH (FORCE)`)
      await root.end()
    },
  }
}
