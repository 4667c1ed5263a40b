import type { Ctx } from './context.ts'
import { Problem } from './errors.ts'
import type { Fields, Values } from './fields.ts'
import { type Answer, json, noContent } from './http/answer.ts'
import { type Input, input } from './input.ts'
import type { Call } from './operations.ts'

/** An object that each store has exactly one of: its settings of one kind. Unset fields have their defaults. */
export interface Singleton<F extends Fields = Fields> {
  /** The name its row is stored under, and the operation id's noun. */
  readonly name: string
  readonly type: string
  readonly about: string
  readonly path: string
  readonly fields: F
  readonly area: string
  readonly operations: readonly ('get' | 'update' | 'delete')[]
  /** Refuses what the fields alone cannot. */
  readonly check?: (values: Values<F>) => void
  /** The whole body of the answer. */
  readonly show: (ctx: Ctx, values: Values<F>) => Promise<object> | object
  readonly input: Input<F>
}

export const singleton = <const F extends Fields>(declared: Omit<Singleton<F>, 'input'>): Singleton<F> => ({
  ...declared,
  input: input(declared),
})

const defaultsOf = (fields: Fields) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { options }]) =>
      options.default === undefined ? [] : [[name, options.default]],
    ),
  )

/** The stored values over the defaults. */
export async function readSingleton<F extends Fields>(ctx: Ctx, of: Singleton<F>): Promise<Values<F>> {
  return (await readWithVersion(ctx, of))[0]
}

async function readWithVersion<F extends Fields>(ctx: Ctx, of: Singleton<F>): Promise<[Values<F>, string]> {
  const [row] = await ctx.store.rows(
    'SELECT doc, version FROM singletons WHERE store_id = $1 AND name = $2',
    of.name,
  )
  const stored = row?.[0] ? (JSON.parse(row[0]) as object) : {}
  return [{ ...defaultsOf(of.fields), ...stored } as Values<F>, row?.[1] ?? '-1']
}

export async function getSingleton<F extends Fields>(ctx: Ctx, of: Singleton<F>): Promise<Answer> {
  return json(200, await of.show(ctx, await readSingleton(ctx, of)))
}

const writeAttemptsMax = 50

/** Stores the fields that were sent; the rest keep their values. */
export async function updateSingleton<F extends Fields>(
  ctx: Ctx,
  of: Singleton<F>,
  call: Call,
): Promise<Answer> {
  const changes = of.input.update(call.body)
  for (let attempt = 1; attempt <= writeAttemptsMax; attempt++) {
    const [before, version] = await readWithVersion(ctx, of)
    const values = merged(of, before, changes)
    of.check?.(values)
    const stored = await ctx.store.write(
      `INSERT INTO singletons (store_id, name, id, type, created_at, updated_at, doc)
       SELECT $1, $3, $1, $4, $5::timestamptz, $5::timestamptz, $6::json FROM set_config('sutler.by', $2, true)
       ON CONFLICT (store_id, name) DO UPDATE
       SET doc = excluded.doc, version = singletons.version + 1, updated_at = excluded.updated_at
       WHERE singletons.version = $7 RETURNING 1`,
      of.name,
      of.type,
      ctx.clock.now(),
      JSON.stringify(values),
      version,
    )
    if (stored.length) return json(200, await of.show(ctx, values))
  }
  throw new Problem('conflict', 'Write conflict detected; send the request again.')
}

/** A member of an object is a setting too: it keeps its value unless it is sent. What is not declared is dropped. */
function merged<F extends Fields>(
  { fields }: Singleton<F>,
  before: Values<F>,
  changes: Partial<Values<F>>,
): Values<F> {
  const values: Record<string, unknown> = { ...before }
  for (const [name, change] of Object.entries(changes)) {
    const members = fields[name]?.schema.properties as object | undefined
    const sent = { ...(values[name] as object), ...(change as object) } as Record<string, unknown>
    values[name] = members
      ? Object.fromEntries(Object.keys(members).map((member) => [member, sent[member]]))
      : change
  }
  return values as Values<F>
}

/** Back to the defaults. */
export async function deleteSingleton(ctx: Ctx, of: Singleton): Promise<Answer> {
  await ctx.store.write(
    `DELETE FROM singletons USING set_config('sutler.by', $2, true) WHERE store_id = $1 AND name = $3`,
    of.name,
  )
  return noContent
}
