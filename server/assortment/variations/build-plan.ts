import { isDeepStrictEqual } from 'node:util'
import type { Row } from '../../kernel/shape/model.ts'
import type { Steps } from '../../kernel/work/in-turns.ts'
import {
  type ChildVariation,
  localeLengths,
  type Product,
  type ProductFields,
  type ProductVariation,
  type VariationMatrix,
} from '../product-fields/product-fields.ts'
import { products } from '../products/products.ts'
import { combinationsOf, Unbuildable } from './build-rules.ts'
import { type BuildOption, type ChildValues, childrenOf, isHidden } from './child-values.ts'

/** Plans a build: which children to add, change and remove. It does no I/O. */

/** What a child shows of an option, beside its id. */
type OptionDetails = Omit<ChildVariation['option'], 'id'>

export interface BuildVariation {
  readonly id: string
  readonly name: string
  readonly sort_order?: number
  readonly options: readonly (BuildOption & OptionDetails)[]
}

export interface Child {
  readonly id: string
  readonly values: Product
}

/** The values of a product that a build reads. Template values are stored in entries, so they are left out. */
export function childOf({ id, doc, hidden }: Row<ProductFields>): Child {
  const { extensions: _, ...values } = { ...doc, ...hidden } as Product & { readonly extensions?: unknown }
  return { id, values }
}

export interface BuildPlan {
  readonly added: readonly Child[]
  readonly changed: readonly Child[]
  readonly removedIds: readonly string[]
  readonly matrix: VariationMatrix
  readonly variations: readonly ProductVariation[]
}

/** An option of a child, and how the child shows it. */
interface ChosenOption {
  readonly option: BuildVariation['options'][number]
  readonly shown: ChildVariation
}

/**
 * A child keeps its id while its options stay the same; another variation makes it another child. A child that the
 * merchant edited stays unchanged.
 */
export function* planBuild(
  parent: Child,
  variations: readonly BuildVariation[],
  children: readonly Child[],
  newId: () => string,
): Steps<BuildPlan> {
  const childByKey = new Map<string, Child>()
  for (const child of children) {
    yield
    childByKey.set(keyOf(optionsOfChild(child)), child)
  }
  const choices = variations.map(choicesOf)
  const combinations = yield* combinationsOf(
    variations.map((variation) => variation.options.map(({ id }) => id)),
    parent.values.build_rules,
  )
  const valuesOf = childrenOf(parent.values)
  const [added, changed]: [Child[], Child[]] = [[], []]
  const matrix: MutableMatrix = {}
  const remainingIds = new Set<string>()
  const owners = { sku: new Map<string, Child>(), slug: new Map<string, Child>() }
  for (const ids of combinations) {
    yield
    const chosen = ids.map((id, i) => choices[i]?.get(id) as ChosenOption)
    const before = childByKey.get(keyOf(ids))
    const id = before?.id ?? newId()
    remainingIds.add(id)
    setInMatrix(matrix, ids, id)
    if (before?.values.edited) {
      mustDiffer(owners, before)
      continue
    }
    const values = toStoredChild(
      parent.id,
      valuesOf(chosen.map(({ option }) => option)),
      chosen,
      before?.values,
    )
    mustFit({ id, values })
    mustDiffer(owners, { id, values })
    if (!before) added.push({ id, values })
    else if (!isDeepStrictEqual(values, before.values)) changed.push({ id, values })
  }
  const removedIds = children.filter(({ id }) => !remainingIds.has(id)).map(({ id }) => id)
  const used = new Set(combinations.flat())
  return { added, changed, removedIds, matrix, variations: shownVariations(variations, used) }
}

const choicesOf = (variation: BuildVariation): ReadonlyMap<string, ChosenOption> =>
  new Map(
    variation.options.map((option) => [
      option.id,
      { option, shown: { ...nameOf(variation), options: null, option: shownOption(option) } },
    ]),
  )

const keyOf = (options: readonly string[]): string => [...options].sort().join(' ')

const optionsOfChild = ({ values }: Child) => (values.child_variations ?? []).map(({ option }) => option.id)

interface MutableMatrix {
  [optionId: string]: string | MutableMatrix
}

function setInMatrix(matrix: MutableMatrix, [first = '', ...rest]: readonly string[], id: string): void {
  if (!rest.length) {
    matrix[first] = id
    return
  }
  matrix[first] ??= {}
  setInMatrix(matrix[first] as MutableMatrix, rest, id)
}

const shownOption = ({ id, name, description }: BuildVariation['options'][number]) => ({
  id,
  name,
  ...(description !== undefined && { description }),
})

const nameOf = ({ id, name, sort_order }: BuildVariation) => ({
  id,
  name,
  ...(sort_order !== undefined && { sort_order }),
})

/** The variations as the product shows them: with all of their options, or with those in `used`. */
export const shownVariations = (
  variations: readonly BuildVariation[],
  used?: ReadonlySet<string>,
): readonly ProductVariation[] =>
  variations.map((variation) => ({
    ...nameOf(variation),
    options: variation.options.filter(({ id }) => !used || used.has(id)).map(shownOption),
  }))

/** The stored values of a child. Values beside its attributes, such as the main image, stay. */
function toStoredChild(
  parentId: string,
  values: ChildValues,
  chosen: readonly ChosenOption[],
  before: Product | undefined,
): Product {
  const hiddenValues = Object.entries(before ?? {}).filter(([name]) => isHidden(name))
  return {
    ...Object.fromEntries(hiddenValues),
    ...values,
    product_type: 'child',
    parent_id: parentId,
    child_variations: chosen.map(({ shown }) => shown),
  } as Product
}

/** Describes a child by its options: `Size: S, Colour: Red`. */
export const combinationOf = ({ values }: Child): string =>
  (values.child_variations ?? []).map(({ name, option }) => `${name}: ${option.name}`).join(', ')

/** Checks the composed values against the rules of product fields. */
function mustFit(child: Child): void {
  const { slug, locales } = child.values
  if (typeof slug === 'string' && !/^[A-Za-z0-9._-]+$/.test(slug)) {
    throw new Unbuildable(
      `slug must be URL compatible: the child of ${combinationOf(child)} would have the slug ${JSON.stringify(slug)}.`,
    )
  }
  for (const field of ['name', 'description', 'sku', 'slug'] as const) {
    const { maxLength } = products.fields[field].schema as { readonly maxLength: number }
    mustBeShort(child, `data.attributes.${field}`, child.values[field], maxLength)
  }
  for (const [tag, texts] of Object.entries(locales ?? {})) {
    for (const field of ['name', 'description'] as const) {
      mustBeShort(child, `data.attributes.locales.${tag}.${field}`, texts[field], localeLengths[field])
    }
  }
}

function mustBeShort(child: Child, path: string, value: unknown, max: number): void {
  if (typeof value !== 'string' || value.length <= max || [...value].length <= max) return
  throw new Unbuildable(
    `${path}: the value for the child of ${combinationOf(child)} would have more than ${max} characters.`,
  )
}

/** Two children cannot have the same SKU, or slug. */
function mustDiffer(owners: Readonly<Record<'sku' | 'slug', Map<string, Child>>>, child: Child): void {
  for (const field of ['sku', 'slug'] as const) {
    const value = child.values[field]
    if (value == null) continue
    const owner = owners[field].get(value)
    if (owner) {
      const both = `the children of ${combinationOf(owner)} and ${combinationOf(child)}`
      throw new Unbuildable(
        `data.attributes.${field}: Must be unique amongst products. Two children would have ${JSON.stringify(value)}: ${both}.`,
      )
    }
    owners[field].set(value, child)
  }
}
