import type { Bind } from '../../kernel/storage/binds.ts'
import type { SearchedShop } from '../matching/field-values.ts'
import type { EditionIndex } from './edition-index.ts'

/** A shop, with the index of its edition. */
export interface IndexedShop {
  readonly shop: SearchedShop
  readonly index: EditionIndex
}

/** What is known of the first `size` positions: of those that this edition has. */
export interface Piece {
  readonly edition: number
  readonly size: number
}

export const pieceOf = ({ edition, times }: EditionIndex): Piece => ({ edition, size: times.length })

/** Positions that one statement can name, at most. */
const namedMax = 10_000

/** Whether a piece of an earlier edition can be completed: otherwise all of it is read. */
export const canGrow = ({ edition, size }: Piece, index: EditionIndex): boolean =>
  edition < index.edition && index.times.length - size <= namedMax

/** Limits rows `p` to those that a piece lacks. */
export function newRowsSql({ times, ids }: EditionIndex, before: Piece | undefined, bind: Bind): string {
  if (!before) return ''
  const newIds = Array.from({ length: times.length - before.size }, (_, i) => ids.idAt(before.size + i))
  return ` AND p.id = ANY(${bind(newIds)}::uuid[])`
}

/** In groups by one of the bytes of their ids, the rows of a result stay short. */
export const groupSql = (id: string): string => `get_byte(uuid_send(${id}), 15)`
