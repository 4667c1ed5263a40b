import { isSeller } from '../../kernel/auth/principal.ts'
import { Problem } from '../../kernel/errors.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { CartValues } from './cart-fields.ts'
import type { CartLine, Contents } from './contents.ts'

/** In characters of JSON: each change writes all of it. */
const contentsMax = 2_000_000

/** What shoppers write into a cart, in bytes of JSON. */
const shopperBytesMax = 262_144

export function mustBeStorable(contents: Contents): void {
  if (JSON.stringify(contents).length <= contentsMax) return
  const detail = `All items of a cart together, with their texts and inputs, must be at most ${contentsMax} characters of JSON.`
  throw new Problem('unprocessable', detail, { source: 'data' })
}

/** Refuses to a shopper a cart that has grown too large. One that was larger before may shrink. */
export function mustFitShopper(work: Work, values: CartValues, before: CartValues | undefined): void {
  if (isSeller(work.who)) return
  const bytes = bytesWritten(values)
  if (bytes <= shopperBytesMax) return
  if (before && bytes <= bytesWritten(before)) return
  const detail = `What shoppers write into a cart, with all texts and inputs of its items, must be at most ${shopperBytesMax} bytes of JSON, not ${bytes}. Remove items, or shorten their texts.`
  throw new Problem('unprocessable', detail, { source: 'data' })
}

/** The bytes of what clients have written. The texts of products are the store's. */
const bytesWritten = ({ contents, priced: _, ...values }: CartValues): number =>
  Buffer.byteLength(JSON.stringify({ ...values, contents: writtenIn(contents) }))

const writtenIn = ({ lines, ...others }: Contents) => ({ ...others, lines: lines.map(writtenLine) })

const ofProduct = {
  name: undefined,
  description: undefined,
  sku: undefined,
  slug: undefined,
  image: undefined,
}

const writtenLine = (line: CartLine) =>
  line.kind === 'cart_item' ? { ...line, ...ofProduct, facts: undefined, components: undefined } : line
