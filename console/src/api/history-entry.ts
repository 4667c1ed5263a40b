import type { ChangedField } from './changes-between.ts'
import type { Item } from './objects.ts'

/** Who made a change. */
export interface Author {
  readonly id: string
  readonly name: string | undefined
  readonly email: string | undefined
  /** The kind of their token: that of a colleague, a key, a shopper. */
  readonly kind: string | undefined
}

export interface HistoryEntry {
  readonly position: number
  /** What one request has changed has the same. */
  readonly requestId: string | undefined
  readonly event: string
  /** The kind of the object: the stock of a product has the id of the product. */
  readonly type: string | undefined
  readonly at: string
  readonly author: Author
  readonly changes: readonly ChangedField[]
  /** The object after it. */
  readonly after: Item | undefined
}
