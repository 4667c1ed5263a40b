import { isObject } from '../../kernel/body/input.ts'
import type { CartLine } from './contents.ts'

/**
 * The lines with one more. A line for the same thing takes its quantity: the same product with the same inputs, options
 * and shipping group, or a custom item with the same SKU. The location of a product is the one that was sent last.
 */
export function mergeLine(lines: readonly CartLine[], added: CartLine): readonly CartLine[] {
  const i = lines.findIndex((line) => isSame(line, added))
  const line = lines[i]
  if (!line) return lines.concat(added)
  const merged = {
    ...line,
    quantity: line.quantity + added.quantity,
    updatedAt: added.updatedAt,
    ...(added.kind === 'cart_item' && added.location !== undefined && { location: added.location }),
    ...(added.taxes.length && { taxes: added.taxes }),
    ...(added.kind === 'cart_item' && added.autoAdded && { autoAdded: autoAddedIn(line) + added.autoAdded }),
    ...(added.customAttributes && { customAttributes: added.customAttributes }),
  } as CartLine
  return lines.with(i, merged)
}

function isSame(line: CartLine, added: CartLine): boolean {
  if (line.shippingGroupId !== added.shippingGroupId) return false
  if (line.kind === 'custom_item')
    return added.kind === 'custom_item' && added.sku !== '' && line.sku === added.sku
  return (
    added.kind === 'cart_item' &&
    line.productId === added.productId &&
    textOf(line.customInputs ?? {}) === textOf(added.customInputs ?? {}) &&
    textOf(line.selection ?? {}) === textOf(added.selection ?? {})
  )
}

/** Each line is compared with many others, and its inputs may have thousands of members. */
const texts = new WeakMap<object, string>()

/** The text of an object, which is the same for all orders of its members. */
function textOf(value: object): string {
  const known = texts.get(value)
  if (known !== undefined) return known
  const text = JSON.stringify(value, (_name, member) => (isObject(member) ? sorted(member) : member))
  texts.set(value, text)
  return text
}

const sorted = (object: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1)))

const autoAddedIn = (line: CartLine): number => (line.kind === 'cart_item' ? (line.autoAdded ?? 0) : 0)
