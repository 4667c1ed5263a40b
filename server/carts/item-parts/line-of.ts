import { notFound, Problem } from '../../kernel/errors.ts'
import type { CartLine, CartShippingGroup, Contents } from '../contents/contents.ts'

/** A line of the contents, by its id; a Problem (404) if there is none. */
export function lineOf({ lines }: Contents, id: string, source?: string): CartLine {
  const line = lines.find((one) => one.id === id)
  if (!line) throw itemNotFound(id, source)
  return line
}

/** The contents with some members of a line changed. */
export const withLine = (contents: Contents, id: string, changes: Partial<CartLine>): Contents => ({
  ...contents,
  lines: contents.lines.map((line) => (line.id === id ? ({ ...line, ...changes } as CartLine) : line)),
})

/** Whether a line, or a component of it, has tax items. */
export const hasTaxes = (line: CartLine): boolean =>
  line.taxes.length > 0 ||
  (line.kind === 'cart_item' && Object.values(line.componentTaxes ?? {}).some((taxes) => taxes.length > 0))

/** A line without its tax items, and without those of its components. */
export const withoutTaxes = (line: CartLine): CartLine =>
  line.kind === 'cart_item' ? { ...line, taxes: [], componentTaxes: undefined } : { ...line, taxes: [] }

export const itemNotFound = (id: string, source?: string) =>
  notFound('item', id, { ...(source && { source }), meta: { id: id.slice(0, 255) } })

/** Refuses an item for a shipping group that the cart does not have. */
export function mustHaveGroup(groups: readonly CartShippingGroup[], id: string, source: string): void {
  if (groups.some((group) => group.id === id)) return
  throw new Problem('not_found', `The cart has no shipping group ${id.slice(0, 255)}. Create it first.`, {
    title: 'Cart shipping group not found',
    source: `${source}.shipping_group_id`,
  })
}
