import type { Call } from '../declare/call.ts'
import type { Singleton } from '../declare/singleton.ts'
import { type Answer, entityTag, json, noContent } from '../shape/answer.ts'
import type { Fields, Values } from '../shape/fields.ts'
import { complete, isSameJson, merge } from '../shape/values.ts'
import { recordedBy } from '../storage/row-statements.ts'
import { split } from '../storage/stored-row.ts'
import { untilWritten } from '../storage/until-written.ts'
import type { Ctx, Work } from '../work/context.ts'
import { mustMatch } from '../write/must-match.ts'

/** The stored values, with the defaults for the rest. */
export async function readSingleton<F extends Fields>(work: Work, of: Singleton<F>): Promise<Values<F>> {
  return (await find(work, of)).values
}

/** The stored state of a singleton. Before the first write there is none. */
interface SingletonState<F extends Fields> {
  readonly values: Values<F>
  readonly etag: string
  /** Undefined when nothing is stored. */
  readonly version: number | undefined
}

async function find<F extends Fields>({ store }: Work, of: Singleton<F>): Promise<SingletonState<F>> {
  const [row] = await store.read(
    'SELECT doc, version, created_at FROM singletons WHERE store_id = $1 AND name = $2',
    of.name,
  )
  const [doc, version, createdAt] = row ?? []
  return {
    values: complete(of.fields, doc ? (JSON.parse(doc) as object) : {}),
    etag: entityTag(store.id, of.name, createdAt, version),
    version: version == null ? undefined : Number(version),
  }
}

async function show<F extends Fields>(
  ctx: Ctx,
  of: Singleton<F>,
  { values, etag }: SingletonState<F>,
): Promise<Answer> {
  return { ...json(200, await of.show(ctx, values)), headers: { etag } }
}

export async function getSingleton<F extends Fields>(ctx: Ctx, of: Singleton<F>): Promise<Answer> {
  return show(ctx, of, await find(ctx, of))
}

/** Stores the fields of the request; the rest keep their values. If none of them changes, it writes nothing. */
export async function updateSingleton<F extends Fields>(
  ctx: Ctx,
  of: Singleton<F>,
  call: Call,
): Promise<Answer> {
  const changes = of.input.update(call.body)
  return untilWritten(async () => {
    const before = await find(ctx, of)
    mustMatch(before.etag, call.ifMatch)
    const values = { ...before.values, ...merge(of, before.values, changes) }
    of.check?.(values)
    if (isSameJson(before.values, values)) return show(ctx, of, before)
    const stored = await write(ctx, of, values, before)
    return stored && show(ctx, of, await find(ctx, of))
  })
}

/** False if another write came first. */
async function write<F extends Fields>(
  { store, clock }: Ctx,
  { name, type, fields }: Singleton<F>,
  values: Values<F>,
  { version = -1 }: SingletonState<F>,
): Promise<boolean> {
  const stored = await store.run(
    `INSERT INTO singletons (store_id, name, id, type, created_at, updated_at, doc)
     VALUES ($1, $3, $1, $4, $5::timestamptz, $5::timestamptz, $6::json)
     ON CONFLICT (store_id, name) DO UPDATE
     SET doc = excluded.doc, version = singletons.version + 1, updated_at = excluded.updated_at
     WHERE singletons.version = $7 RETURNING ${recordedBy(2)}`,
    store.stamp,
    name,
    type,
    clock.now(),
    split({ fields }, values)[0],
    version,
  )
  return stored.length > 0
}

/** Deletes the stored values, so that the defaults apply again. */
export async function deleteSingleton(ctx: Ctx, of: Singleton, { ifMatch }: Call): Promise<Answer> {
  return untilWritten(async () => {
    const { etag, version } = await find(ctx, of)
    mustMatch(etag, ifMatch)
    if (version === undefined) return noContent
    const removed = await ctx.store.run(
      `DELETE FROM singletons WHERE store_id = $1 AND name = $3 AND version = $4 AND ${recordedBy(2)} RETURNING 1`,
      ctx.store.stamp,
      of.name,
      version,
    )
    return removed.length > 0 && noContent
  })
}
