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

/** Of one option, what is done first. Texts that it sets for other languages are as it says, so they come last. */
const turns = ['equals', 'builder', 'prepend', 'append', 'translate'] as const

/** What one option changes, the first first, and what it says nothing of. */
interface Changes {
  readonly done: readonly {
    readonly field: string
    readonly operation: string
    readonly modifier: Modifier
  }[]
  /** What tells children apart where nobody says how ends in its name. */
  readonly named: readonly ('sku' | 'slug')[]
}

function changesOf({ modifiers }: BuildOption): Changes {
  const read = modifiers.map((modifier) => {
    const { field, operation } = partsOf(modifier.type)
    return { field, operation: field === 'locales' ? 'translate' : operation, modifier }
  })
  return {
    done: turns.flatMap((turn) => read.filter(({ operation }) => operation === turn)),
    named: (['sku', 'slug'] as const).filter((field) => !read.some((one) => one.field === field)),
  }
}

/** The values of the children of a product, each by its options: one of each variation, in their order. */
export function childrenOf(parent: ChildValues): (options: readonly BuildOption[]) => ChildValues {
  const inherited = Object.fromEntries(
    Object.entries(parent).filter(([name, value]) => value !== undefined && !isOwn(name)),
  )
  const known = new Map<BuildOption, Changes>()
  const readOnce = (option: BuildOption) => {
    const changes = known.get(option) ?? changesOf(option)
    known.set(option, changes)
    return changes
  }
  return (options) => {
    const values: Record<string, unknown> = { ...inherited }
    for (const option of options) {
      for (const { field, operation, modifier } of readOnce(option).done) {
        const value = modified(values[field], operation, field, modifier)
        if (value !== undefined) values[field] = value
        if (values.locales && (field === 'name' || field === 'description')) {
          values.locales = translated(values.locales as Locales, operation, field, modifier)
        }
      }
    }
    // Names come last, of which nothing else is in there.
    for (const option of options) {
      for (const field of readOnce(option).named) {
        if (typeof values[field] === 'string') values[field] += option.name
      }
    }
    return values as ChildValues
  }
}

type Locales = NonNullable<ChildValues['locales']>

/** Texts in other languages follow the modifiers of the text. One that is not there is that of the child itself. */
function translated(
  locales: Locales,
  operation: string,
  field: 'name' | 'description',
  modifier: Modifier,
): Locales {
  const changed = Object.entries(locales).map(([tag, texts]) => [
    tag,
    texts[field] === undefined
      ? texts
      : { ...texts, [field]: modified(texts[field], operation, field, modifier) },
  ])
  return Object.fromEntries(changed) as Locales
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
