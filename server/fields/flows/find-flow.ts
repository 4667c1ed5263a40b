import { notFound } from '../../kernel/errors.ts'
import { chosenIdMax } from '../../kernel/ids.ts'
import { scopeOf } from '../../kernel/query/find.ts'
import { text } from '../../kernel/shape/fields.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { entries } from './entries.ts'
import { type FlowKind, kindOf } from './kinds.ts'

export interface FlowRef {
  readonly id: string
  readonly slug: string
  readonly kind: FlowKind
}

export const flowName = text({ about: 'The slug of the flow, or its id.' })

/** The parameter of a path that names an entry. In a core flow it is the id of an object, which clients may choose. */
export const entryName = text({ max: chosenIdMax, about: 'The id of the entry.' })

export async function findFlow(ctx: Ctx, name: string): Promise<FlowRef> {
  const [id] = await scopeOf(ctx, entries, { flow_id: name })
  const [row] = await ctx.store.read('SELECT slug FROM flows WHERE store_id = $1 AND id = $2', id)
  if (!id || !row) throw notFound('flow', name)
  const slug = row[0] as string
  return { id, slug, kind: kindOf(slug) }
}
