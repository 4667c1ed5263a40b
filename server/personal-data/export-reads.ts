import { stringify } from 'uuid'
import type { Model, Row } from '../kernel/shape/model.ts'
import type { Ctx, Reads } from '../kernel/work/context.ts'
import type { Job } from '../kernel/work/job.ts'
import { workOf } from '../kernel/work/work-of.ts'
import type { Register } from './register.ts'

/** So many reads are stored together, or those of a second: a crash loses no more. */
const batchMax = 5000
const delayMaxMs = 1000

/** How many reads one statement records. */
const perStatement = 1000
/** A large export ends before its reads are recorded, which takes longer than the export itself. */
const restMs = 10_000

/** Reads of objects of one table. */
interface ReadsOfTable {
  readonly source: string
  readonly at: string
  /** The bytes of the UUIDs, in base64: the database stores them in half the time. Earlier releases wrote the texts. */
  readonly ids: string | readonly string[]
  /** The ids of the parents and of their parents: of all objects, or of each. */
  readonly scopes: readonly (ReadScope | undefined)[]
}

type ReadScope = readonly [scope?: string | undefined, parentScope?: string | undefined]

/** Records what an export has shown, some time after it. If it runs twice, a read is recorded twice. */
export const recordExportReads: Job<ReadsOfTable> = {
  name: 'personal-data:record-export-reads',
  attemptsMax: 25,
  async run({ store, who: { actor } }, { source, at, ids: stored, scopes }) {
    const ids = typeof stored === 'string' ? unpack(stored) : stored
    for (let from = 0; from < ids.length; from += perStatement) {
      const reads = ids.slice(from, from + perStatement).map((id, i) => {
        const [scope, parent_scope] = scopes[scopes.length === 1 ? 0 : from + i] ?? []
        return { at, source, id, actor, scope, parent_scope }
      })
      await store.runLong('SELECT record_personal_data_reads($1, $2)', JSON.stringify(reads))
    }
  },
}

const uuidBytes = 16

const pack = (ids: readonly string[]): string =>
  Buffer.from(ids.join('').replaceAll('-', ''), 'hex').toString('base64')

function unpack(text: string): string[] {
  const bytes = Buffer.from(text, 'base64')
  return Array.from({ length: bytes.length / uuidBytes }, (_, i) =>
    stringify(bytes.subarray(i * uuidBytes, (i + 1) * uuidBytes)),
  )
}

/**
 * Collects the reads of an export. They are many at once, so they wait in the queue of jobs and not in memory, and
 * every object counts as read, even if the same caller has read it within the hour.
 */
export class ExportReads implements Reads {
  readonly #register: Register
  readonly #ctx: Ctx
  #batches = new Map<
    string,
    Omit<ReadsOfTable, 'ids'> & { readonly ids: string[]; readonly scopes: ReadScope[] }
  >()
  #count = 0
  #sinceMs = 0
  #storing: Promise<unknown> = Promise.resolve()

  constructor(register: Register, ctx: Ctx) {
    this.#register = register
    this.#ctx = ctx
  }

  add(model: Model, row: Row): void {
    if (!model.personal) return
    const [scope, parentScope] = this.#register.scopeOf(model, row)
    const { ids, scopes } = this.#batchFor(model.table, model.table)
    ids.push(row.id)
    scopes.push([scope, parentScope])
    this.#added(1)
  }

  takesIds(model: Model): boolean {
    return !model.personal || !this.#register.needsDocument(model)
  }

  addIds(model: Model, some: readonly string[], scope: readonly string[]): void {
    if (!model.personal) return
    const of = this.#register.scopeOf(model, { scope } as Row) as ReadScope
    const { ids, scopes } = this.#batchFor(`${model.table} ${of.join()}`, model.table)
    for (const id of some) ids.push(id)
    scopes[0] = of
    this.#added(some.length)
  }

  #batchFor(name: string, source: string) {
    const batch = this.#batches.get(name) ?? {
      source,
      at: this.#ctx.clock.now().toISOString(),
      ids: [],
      scopes: [],
    }
    this.#batches.set(name, batch)
    return batch
  }

  #added(count: number): void {
    if (this.#count === 0) this.#sinceMs = performance.now()
    this.#count += count
  }

  async flush(all = false): Promise<void> {
    const isDue = all || this.#count >= batchMax || performance.now() - this.#sinceMs >= delayMaxMs
    if (!isDue) return
    // The last ones are being stored while the export reads on, but no more than those.
    await this.#storing
    this.#storing = this.#store()
    this.#storing.catch(() => {})
    if (all) await this.#storing
  }

  async #store(): Promise<void> {
    const { store, instance, clock } = this.#ctx
    const batches = [...this.#batches.values()]
    this.#batches = new Map()
    this.#count = 0
    // On a connection of its own, because the export only reads.
    const work = workOf(instance, { store: store.id, by: store.author })
    for (const batch of batches) {
      const isLarge = batch.ids.length >= batchMax
      const at = new Date(clock.now().getTime() + (isLarge ? restMs : 0))
      await work.later(recordExportReads, { ...batch, ids: pack(batch.ids) }, { at })
    }
  }
}
