import type { Product } from '../product-fields/product-fields.ts'
import { products } from '../products/products.ts'
import { inJson, type ModifierType, partsOf } from './modifier-types.ts'

/** Computes the values of a child: those of its parent, changed by the modifiers of its options. */

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
 * Whether a child does not inherit a field: the server sets it, it would make the child a parent or a bundle, or it is
 * the id of one product in another system.
 */
const isOwn = (name: string) => ['external_ref', 'build_rules', 'components'].includes(name) || isHidden(name)

/** Whether the field is internal to the server. */
export const isHidden = (name: string): boolean =>
  products.fields[name as keyof Product]?.options.hidden === true

/** The order of the operations of an option. Its texts for other languages come last, so nothing changes them. */
const operationOrder = ['equals', 'builder', 'prepend', 'append', 'translate'] as const

/** The changes of one option, in order. */
interface ModifierChanges {
  readonly done: readonly {
    readonly field: string
    readonly operation: string
    readonly modifier: Modifier
  }[]
  /** The identifying fields without a modifier: the name of the option is appended to them. */
  readonly named: readonly ('sku' | 'slug')[]
}

function changesOf({ modifiers }: BuildOption): ModifierChanges {
  const read = modifiers.map((modifier) => {
    const { field, operation } = partsOf(modifier.type)
    return { field, operation: field === 'locales' ? 'translate' : operation, modifier }
  })
  return {
    done: operationOrder.flatMap((turn) => read.filter(({ operation }) => operation === turn)),
    named: (['sku', 'slug'] as const).filter((field) => !read.some((one) => one.field === field)),
  }
}

/** Returns a function that computes a child from its options: one of each variation, in their order. */
export function childrenOf(parent: ChildValues): (options: readonly BuildOption[]) => ChildValues {
  const inherited = Object.fromEntries(
    Object.entries(parent).filter(([name, value]) => value !== undefined && !isOwn(name)),
  )
  const cache = new Map<BuildOption, ModifierChanges>()
  const readChanges = (option: BuildOption) => {
    const changes = cache.get(option) ?? changesOf(option)
    cache.set(option, changes)
    return changes
  }
  return (options) => {
    const values: Record<string, unknown> = { ...inherited }
    for (const option of options) {
      for (const { field, operation, modifier } of readChanges(option).done) {
        const value = modified(values[field], operation, field, modifier)
        if (value !== undefined) values[field] = value
        if (values.locales && (field === 'name' || field === 'description')) {
          values.locales = translated(values.locales as ChildLocales, operation, field, modifier)
        }
      }
    }
    // Append the names last, so that no modifier changes them.
    for (const option of options) {
      for (const field of readChanges(option).named) {
        if (typeof values[field] === 'string') values[field] += option.name
      }
    }
    return values as ChildValues
  }
}

type ChildLocales = NonNullable<ChildValues['locales']>

/** Applies the modifier of a text to its translations. Languages without the text use the text of the child. */
function translated(
  locales: ChildLocales,
  operation: string,
  field: 'name' | 'description',
  modifier: Modifier,
): ChildLocales {
  const changed = Object.entries(locales).map(([tag, texts]) => [
    tag,
    texts[field] === undefined
      ? texts
      : { ...texts, [field]: modified(texts[field], operation, field, modifier) },
  ])
  return Object.fromEntries(changed) as ChildLocales
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
    case 'translate':
      return inJson.includes(field) ? JSON.parse(value ?? 'null') : value
    case 'prepend':
      return `${value ?? ''}${text}`
    case 'append':
      return `${text}${value ?? ''}`
    default:
      return typeof before === 'string' && seek ? text.replaceAll(seek, () => set ?? '') : before
  }
}
