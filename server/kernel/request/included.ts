import type { Resource } from '../declare/resource.ts'
import { joined, textOf } from '../http/in-parts.ts'
import { objectText } from '../http/object-text.ts'
import { portionsOf } from '../query/portions.ts'
import type { Row } from '../shape/model.ts'
import type { Ctx } from '../work/context.ts'

/** The rows of a response, again at each call: those of a page may be too long to be in memory together. */
type IncludedPortions = () => AsyncIterable<readonly Row[]>

/** The `included` member of a response, after a comma: the objects that the request names with `include=`. */
export async function* includedParts(
  ctx: Ctx,
  { include = {} }: Resource,
  names: readonly string[],
  portions: IncludedPortions,
): AsyncGenerator<string> {
  const inclusions = Object.entries(include).flatMap(([name, one]) => (names.includes(name) ? [one] : []))
  if (!inclusions.length) return
  const only = inclusions.find(({ under }) => under === undefined)
  yield only ? ',"included":' : ',"included":{'
  for (const [i, inclusion] of (only ? [only] : inclusions).entries()) {
    const { target, under } = inclusion
    yield `${i > 0 ? ',' : ''}${under === undefined ? '' : `"${under}":`}[`
    yield* joined(textsOf(ctx, target(), (rows) => inclusion.find(ctx, rows), portions))
    yield ']'
  }
  if (!only) yield '}'
}

/** The objects that a function finds for the rows, each once. */
async function* textsOf(
  ctx: Ctx,
  target: Resource,
  find: (rows: readonly Row[]) => ReturnType<NonNullable<Resource['include']>[string]['find']>,
  portions: IncludedPortions,
): AsyncGenerator<readonly string[]> {
  const shown = new Set<string>()
  for await (const rows of portions()) {
    const objects = (await find(rows)).filter(({ id }) => !shown.has(id))
    for (const { id } of objects) shown.add(id)
    for await (const portion of portionsOf(objects))
      yield portion.map((row) => objectText(target, row, ctx, true))
  }
}

/** As `includedParts`, for a single object. */
export function includedText(
  ctx: Ctx,
  resource: Resource,
  names: readonly string[],
  row: Row,
): Promise<string> {
  async function* portions() {
    yield [row]
  }
  return textOf(includedParts(ctx, resource, names, portions))
}
