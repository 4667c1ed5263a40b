import { type Product, products } from '../products/index.ts'
import { inJson, type ModifierType, partsOf } from './modifier-types.ts'

/** What a child is made of: the values of its parent, as the modifiers of its options change them. */

export interface Modifier {
  readonly type: ModifierType
  readonly value?: string | null | undefined
  readonly seek?: string | null | undefined
  readonly set?: string | null | undefined
}

export interface BuildOption {
  readonly id: string
  readonly name: string
  readonly modifiers: readonly Modifier[]
}

export type ChildValues = Partial<Product>

/**
 * What a child does not have from its parent: what only the server knows, what would make it a parent or a bundle, and
 * an id in another system, which is of one product.
 */
const isOwn = (name: string) => ['external_ref', 'build_rules', 'components'].includes(name) || isHidden(name)

/** Whether only the server knows it. */
export const isHidden = (name: string): boolean =>
  products.fields[name as keyof Product]?.options.hidden === true

/** Of one option, what is done first. */
const turns = ['equals', 'builder', 'prepend', 'append'] as const

/** The values of the child that is of these options, one of each variation in their order. */
export function childValues(parent: ChildValues, options: readonly BuildOption[]): ChildValues {
  const values: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(parent)) {
    if (value !== undefined && !isOwn(name)) values[name] = value
  }
  for (const { modifiers } of options) {
    for (const turn of turns) {
      for (const modifier of modifiers) {
        const { field, operation } = partsOf(modifier.type)
        if (operation === turn) values[field] = modified(values[field], operation, field, modifier)
      }
    }
  }
  // What tells children apart where nobody says how: the names of their options, of which nothing else is in there.
  for (const field of ['sku', 'slug'] as const) {
    for (const { name, modifiers } of options) {
      const isTold = modifiers.some(({ type }) => partsOf(type).field === field)
      if (!isTold && typeof values[field] === 'string') values[field] += name
    }
  }
  return values as ChildValues
}

function modified(
  before: unknown,
  operation: string,
  field: string,
  { value, seek, set }: Modifier,
): unknown {
  const text = typeof before === 'string' ? before : ''
  switch (operation) {
    case 'equals':
      return inJson.includes(field) ? JSON.parse(value ?? 'null') : value
    case 'prepend':
      return `${value ?? ''}${text}`
    case 'append':
      return `${text}${value ?? ''}`
    default:
      return typeof before === 'string' && seek ? text.replaceAll(seek, () => set ?? '') : before
  }
}
