import type { ChildVariation, ProductVariation } from '../../assortment/index.ts'
import type { Work } from '../../kernel/work/context.ts'

/** The current variations. A product keeps the options that it was built of; names and order are the current ones. */
export type CurrentVariations = ReadonlyMap<string, CurrentVariation>

/** A variation or an option, by its current name and position. */
interface NamedObject {
  readonly id: string
  readonly name: string
  readonly sort_order?: number
}

interface CurrentVariation extends NamedObject {
  /** In the order of the variation. */
  readonly options: readonly (NamedObject & { readonly description?: string })[]
}

export async function currentVariations(
  { store }: Pick<Work, 'store'>,
  ids: readonly string[],
): Promise<CurrentVariations> {
  if (!ids.length) return new Map()
  const rows = await store.run(
    `SELECT id, json_strip_nulls(json_build_object('id', id, 'name', doc->'attributes'->'name',
       'sort_order', doc->'attributes'->'sort_order', 'options', coalesce(hidden->'options', '[]')))
     FROM product_variations WHERE store_id = $1 AND id = ANY($2::uuid[])`,
    [...new Set(ids)],
  )
  return new Map(rows.map(([id, text]) => [id as string, JSON.parse(text as string) as CurrentVariation]))
}

/** The variations of a parent, in order. A deleted option comes last, until the next build. */
export function shownVariations(
  variations: readonly ProductVariation[],
  current: CurrentVariations,
): readonly ProductVariation[] {
  const shown = variations.map((variation) => {
    const now = current.get(variation.id)
    const built = new Set(variation.options.map(({ id }) => id))
    const options = (now?.options ?? []).filter(({ id }) => built.has(id)).map(optionOf)
    const ids = new Set(options.map(({ id }) => id))
    const gone = variation.options.filter(({ id }) => !ids.has(id))
    return { ...namedAs(variation, now), options: [...options, ...gone] }
  })
  return shown.sort(inOrder)
}

/** The variations of a child, with its option of each. */
export const shownChildVariations = (
  variations: readonly ChildVariation[],
  current: CurrentVariations,
): readonly Omit<ChildVariation, 'options'>[] =>
  variations.map(({ options: _none, option, ...variation }) => {
    const now = current.get(variation.id)
    const chosen = now?.options.find(({ id }) => id === option.id)
    return { ...namedAs(variation, now), option: chosen ? optionOf(chosen) : option }
  })

function namedAs<T extends { readonly id: string; readonly name: string }>(
  variation: T,
  now: NamedObject | undefined,
) {
  if (!now) return variation
  const { id, name, sort_order } = now
  return { id, name, ...(sort_order !== undefined && { sort_order }) }
}

/** Without the times that variations have. */
const optionOf = ({ id, name, description, sort_order }: CurrentVariation['options'][number]) => ({
  id,
  name,
  ...(description !== undefined && { description }),
  ...(sort_order !== undefined && { sort_order }),
})

interface SortKeys {
  readonly id: string
  readonly name: string
  readonly sort_order?: number | undefined
}

/** Highest sort_order first; those without one last, by name. */
function inOrder(one: SortKeys, other: SortKeys): number {
  const [a, b] = [one.sort_order ?? -Infinity, other.sort_order ?? -Infinity]
  if (a !== b) return b - a
  return compare(one.name, other.name) || compare(one.id, other.id)
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other))
