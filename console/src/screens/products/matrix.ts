import { type Item, isItem, valueAt } from '../../api/objects.ts'

interface Option {
  readonly id: string
  readonly name: string
}

interface Variation {
  readonly name: string
  readonly options: readonly Option[]
}

/** The child of a combination of options; undefined if it is not built. Each level of the matrix has the options of one variation. */
export function childAt(product: Item, optionIds: readonly string[]): string | undefined {
  let at: unknown = valueAt(product, 'meta.variation_matrix')
  const rest = new Set(optionIds)
  while (isItem(at)) {
    const id = Object.keys(at).find((one) => rest.has(one))
    if (id === undefined) return undefined
    rest.delete(id)
    at = at[id]
  }
  return typeof at === 'string' && rest.size === 0 ? at : undefined
}

/** The combinations of one option of each variation, up to a number of them. */
export function combinationsOf(
  variations: readonly Variation[],
  max: number,
): readonly (readonly Option[])[] {
  let all: readonly (readonly Option[])[] = [[]]
  for (const { options } of variations)
    all = all.flatMap((some) => options.map((option) => [...some, option])).slice(0, max)
  return all
}

/** How many combinations there are. */
export const countOf = (variations: readonly Variation[]): number =>
  variations.reduce((product, { options }) => product * options.length, 1)
