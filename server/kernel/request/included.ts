import type { Resource } from '../declare/resource.ts'
import { objectText } from '../http/object-text.ts'
import type { Row } from '../shape/model.ts'
import type { Ctx } from '../work/context.ts'

/** The `included` member of a response: the objects that the request names with `include=`. */
export async function included(ctx: Ctx, resource: Resource, names: readonly string[], rows: readonly Row[]) {
  const finders = Object.entries(resource.include ?? {}).filter(([name]) => names.includes(name))
  if (!finders.length) return ''
  const parts = await Promise.all(
    finders.map(async ([, find]) => {
      const [key, of, objects] = await find(ctx, rows)
      return [key, objects.map((row) => objectText(of, row, ctx, true)).join(',')] as const
    }),
  )
  if (resource.includedAs === 'list')
    return `,"included":[${parts.flatMap(([, text]) => text || []).join(',')}]`
  return `,"included":{${parts.map(([key, text]) => `"${key}":[${text}]`).join(',')}}`
}
