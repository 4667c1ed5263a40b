import type { Resource } from '../declare/resource.ts'
import { objectText } from '../http/object-text.ts'
import type { Row } from '../shape/model.ts'
import type { Ctx } from '../work/context.ts'

/** The `included` member of a response: the objects that the request names with `include=`. */
export async function includedText(
  ctx: Ctx,
  { include = {} }: Resource,
  names: readonly string[],
  rows: readonly Row[],
) {
  const inclusions = Object.entries(include).flatMap(([name, one]) => (names.includes(name) ? [one] : []))
  if (!inclusions.length) return ''
  const lists = await Promise.all(
    inclusions.map(async (inclusion) => {
      const target = inclusion.target()
      const objects = await inclusion.find(ctx, rows)
      return { ...inclusion, text: `[${objects.map((row) => objectText(target, row, ctx, true)).join(',')}]` }
    }),
  )
  const list = lists.find(({ under }) => under === undefined)
  if (list) return `,"included":${list.text}`
  return `,"included":{${lists.map(({ under, text }) => `"${under}":${text}`).join(',')}}`
}
