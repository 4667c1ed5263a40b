/** The types of modifiers: a field of a child, and an operation on it. An option has at most one of each type. */

/** The fields whose text modifiers can compose. */
const composed = ['name', 'description', 'sku', 'slug'] as const

/** The fields that modifiers can only replace, and those of them whose value is JSON. */
const replaced = ['upc_ean', 'mpn', 'external_ref', 'custom_inputs', 'build_rules', 'locales'] as const
export const inJson: readonly string[] = ['custom_inputs', 'build_rules', 'locales']

const operations = ['append', 'prepend', 'equals'] as const

export const modifierTypes = [
  ...composed.flatMap((field) => operations.map((operation) => `${field}_${operation}` as const)),
  'sku_builder',
  'slug_builder',
  'commodity_type',
  'status',
  ...replaced.map((field) => `${field}_equals` as const),
  'price',
] as const

export type ModifierType = (typeof modifierTypes)[number]

/** Splits a type into its field and its operation: `sku_append` is sku and append. */
export function partsOf(type: ModifierType): { readonly field: string; readonly operation: string } {
  if (type === 'commodity_type' || type === 'status') return { field: type, operation: 'equals' }
  if (type === 'price') return { field: 'price', operation: 'refer' }
  const at = type.lastIndexOf('_')
  return { field: type.slice(0, at), operation: type.slice(at + 1) }
}
