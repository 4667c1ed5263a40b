import { Problem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { text } from '../../kernel/shape/fields.ts'
import type { Ctx } from '../../kernel/work/context.ts'

/** The field that names the store of somebody who has not signed in. */
export const storeToEnter = text({
  max: 255,
  about:
    'The id of the store, or the prefix of its merchant realm. It may be left out where the server has one store.',
})

/** The same request in the store that it names, or in the only one. Refuses (422) where it does not say which. */
export async function enterStore(ctx: Ctx, named: string | undefined, source: string): Promise<Ctx> {
  const storeId = await findStore(ctx, named)
  if (storeId !== undefined) return ctx.inStore(storeId)
  throw new Problem(
    'unprocessable',
    named === undefined
      ? `This server has several stores. Send ${source}: the id of the store, or the prefix of its merchant realm.`
      : `${source} must be the id of a store, or the prefix of its merchant realm; there is none.`,
    { source },
  )
}

async function findStore(ctx: Ctx, named: string | undefined): Promise<string | undefined> {
  const { database } = ctx.instance
  if (named === undefined) {
    const rows = await database.quick({ text: 'SELECT id FROM stores LIMIT 2', values: [] })
    return rows.length === 1 ? (rows[0]?.[0] ?? undefined) : undefined
  }
  // A prefix that is the id of another store would lead its colleagues here.
  const text = isId(named)
    ? 'SELECT store_id FROM merchant_realm_mappings WHERE store_id = $1'
    : 'SELECT store_id FROM realm_prefixes WHERE prefix = lower($1::text COLLATE "default")'
  const [row] = await database.quick({ text, values: [named] })
  return row?.[0] ?? undefined
}
