import { isId } from '../../kernel/ids.ts'
import { beginningOf } from '../../kernel/query/like-patterns.ts'
import type { FilterRule } from '../../kernel/shape/model.ts'

const least = '00000000-0000-0000-0000-000000000000'
const greatest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The least and the greatest id that begin with this text; undefined if none does. */
function idsWith(beginning: string): readonly [string, string] | undefined {
  const ends = [least, greatest].map((id) => beginning + id.slice(beginning.length)) as [string, string]
  return ends.every((id) => id.length === least.length && isId(id)) ? ends : undefined
}

/** A filter by an id, or by a part of one: the index finds ids with a fixed beginning. */
export const idIn = (column: string): FilterRule => ({
  ops: ['eq', 'like'],
  type: 'text',
  where: (op, values, bind) => {
    if (op !== 'like') return `${column} = ANY(${bind(values.filter(isId))}::uuid[])`
    const pattern = (values[0] ?? '').toLowerCase()
    const ends = idsWith(beginningOf(pattern)?.text ?? '')
    if (!ends) return 'false'
    const [from, to] = ends.map(bind)
    return `(${column} BETWEEN ${from}::uuid AND ${to}::uuid AND ${column}::text LIKE ${bind(pattern)})`
  },
})
