import { group, text } from '../../kernel/shape/fields.ts'
import type { Contents } from '../contents/contents.ts'
import { lineOf } from './line-of.ts'

/** The item that a tax item or a custom discount of a list is for. */
export interface ItemLink {
  readonly id: string
  readonly type?: string | undefined
}

/** In requests: `{ "item": { "data": { "id": … } } }`. */
export const itemLinkFields = {
  item: group(
    {
      data: group(
        {
          id: text({ required: true, max: 36, about: 'The id of the item.' }),
          type: text({ max: 64, about: 'The type of the item.' }),
        },
        { required: true },
      ),
    },
    { required: true },
  ),
}

/** Shows which item a tax item or a custom discount belongs to. */
export function showItemLink(contents: Contents, itemId: string) {
  const { kind, id } = lineOf(contents, itemId)
  return { item: { data: { type: kind, id } } }
}
