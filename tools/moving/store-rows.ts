import { claimClientId } from '../../server/people/index.ts'
import { keyTable, leftBehind, replacements } from './left-behind.ts'
import { quoteName, type StoreTable, storeTables, type TableRun } from './store-tables.ts'
import { BrokenArchive } from './tar.ts'

/**
 * A reader of the exported server's feed may have read on after the export. Positions of this server are so far away
 * that none of them is one of those, and the feed knows the gap.
 */
const positionsBetween = 1_000_000_000

/**
 * Writes the rows of a store as they are, in a transaction: without triggers, as all that triggers write is imported
 * too. Foreign keys are checked.
 */
export class StoreRows {
  readonly #run: TableRun
  readonly id: string
  readonly #tables = new Map<string, StoreTable>()
  readonly rows: Record<string, number> = {}
  #last: string | undefined

  constructor(run: TableRun, storeId: string) {
    this.#run = run
    this.id = storeId
  }

  async #do(text: string, ...values: readonly unknown[]): Promise<void> {
    await this.#run({ text, values, once: true, long: true })
  }

  /** Nobody else writes these tables until the transaction ends. */
  async open(): Promise<void> {
    await this.#do(`SET LOCAL TimeZone = 'UTC'`)
    for (const table of await storeTables(this.#run)) {
      const name = quoteName(table.name)
      await this.#do(`ALTER TABLE ${name} DISABLE TRIGGER USER`)
      // Where rows refer to others of their table, the order of the archive is as good as any.
      for (const key of table.ownKeys) {
        await this.#do(`ALTER TABLE ${name} ALTER CONSTRAINT ${quoteName(key)} DEFERRABLE INITIALLY DEFERRED`)
      }
      this.#tables.set(table.name, table)
    }
  }

  /** Adds the rows of a part: one JSON object on each line. */
  async add(name: string, lines: Buffer): Promise<number> {
    const table = this.#tables.get(name)
    if (!table || Object.hasOwn(leftBehind, name)) throw new BrokenArchive(`the table ${name} is unknown`)
    if (this.#last !== name) await this.#do('SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED')
    this.#last = name
    const content = listOf(lines)
    if (table.isPartitioned) await this.#makePartitions(content)
    const columns = table.columns.map(quoteName)
    const values = table.columns.map((column) =>
      column === 'store_id' ? '$2::uuid' : (replacements[name]?.[column] ?? `r.${quoteName(column)}`),
    )
    await this.#do(
      `INSERT INTO ${quoteName(name)} (${columns}) OVERRIDING SYSTEM VALUE
       SELECT ${values} FROM json_populate_recordset(NULL::${quoteName(name)}, $1::json) r`,
      content,
      this.id,
    )
    const n = lines.reduce((sum, byte) => sum + (byte === newline ? 1 : 0), 0)
    this.rows[name] = (this.rows[name] ?? 0) + n
    return n
  }

  /** The feed is divided by weeks; one that was before this server's first is in the division of all earlier ones. */
  async #makePartitions(content: string): Promise<void> {
    const weeks = await this.#run({
      text: `SELECT DISTINCT date_trunc('week', r.given_at, 'UTC')::text
        FROM json_to_recordset($1::json) r (given_at timestamptz)`,
      values: [content],
      once: true,
    })
    for (const [week] of weeks) {
      await this.#do(
        `DO $$ BEGIN CALL keep_partition('${week}'); EXCEPTION WHEN invalid_object_definition THEN NULL; END $$`,
      )
    }
  }

  async addJobs(lines: Buffer): Promise<number> {
    const added = await this.#run({
      text: `SELECT graphile_worker.add_job(r.name, r.payload, run_at => r.run_at, max_attempts => r.attempts,
          job_key => r.key)
        FROM json_to_recordset($1::json) r (name text, payload json, run_at timestamptz, attempts integer, key text)`,
      values: [listOf(lines)],
      once: true,
    })
    this.rows.waiting_jobs = (this.rows.waiting_jobs ?? 0) + added.length
    return added.length
  }

  /** Makes the tables as they were, and adds this server's own keys as a write of today. */
  async close(keys: string): Promise<void> {
    await this.#do('SET CONSTRAINTS ALL IMMEDIATE')
    for (const { name, ownKeys, counters } of this.#tables.values()) {
      for (const key of ownKeys) {
        await this.#do(`ALTER TABLE ${quoteName(name)} ALTER CONSTRAINT ${quoteName(key)} NOT DEFERRABLE`)
      }
      for (const counter of counters) {
        await this.#do(
          `SELECT setval(pg_get_serial_sequence($1, $2), greatest(
             (SELECT max(${quoteName(counter)}) FROM ${quoteName(name)} WHERE store_id = $3),
             nextval(pg_get_serial_sequence($1, $2))))`,
          name,
          counter,
          this.id,
        )
      }
      await this.#do(`ALTER TABLE ${quoteName(name)} ENABLE TRIGGER USER`)
    }
    await this.#do(
      `WITH moved AS (
         UPDATE feeds SET position = position + ${positionsBetween} WHERE store_id = $1 RETURNING position
       )
       INSERT INTO feed_gaps (store_id, after, until) SELECT $1, position - ${positionsBetween}, position FROM moved`,
      this.id,
    )
    await this.#addKeys(keys)
    await this.#claimClientIds()
    await this.#moveJobs()
  }

  async #claimClientIds(): Promise<void> {
    const text = `SELECT client_id FROM ${quoteName(keyTable)} WHERE store_id = $1 AND client_id IS NOT NULL`
    for (const [clientId] of await this.#run({ text, values: [this.id], once: true }))
      await claimClientId({ run: this.#run }, this.id, clientId as string)
  }

  /** Jobs that were on their way to the queue. Where this database is distributed, too, its servers move them. */
  async #moveJobs(): Promise<void> {
    const [row] = await this.#run({ text: 'SELECT is_distributed()', values: [], once: true })
    if (row?.[0] === 't') return
    const move = 'SELECT move_jobs(ARRAY[$1::uuid], 1000000000)'
    await this.#do(move, this.id)
    await this.#do('DELETE FROM job_outbox WHERE store_id = $1', this.id)
    await this.#do(move, this.id)
  }

  async #addKeys(keys: string): Promise<void> {
    const columns = this.#tables.get(keyTable)?.columns ?? []
    const values = columns.map((column) => (column === 'store_id' ? '$2::uuid' : `r.${quoteName(column)}`))
    await this.#do(
      `INSERT INTO ${quoteName(keyTable)} (${columns.map(quoteName)})
       SELECT ${values} FROM json_populate_recordset(NULL::${quoteName(keyTable)}, $1::json) r
       ON CONFLICT DO NOTHING`,
      keys,
      this.id,
    )
  }
}

const newline = 0x0a

/** Lines as a JSON array: a document has no line break. */
function listOf(lines: Buffer): string {
  return `[${lines.toString('utf8').trimEnd().replaceAll('\n', ',')}]`
}
