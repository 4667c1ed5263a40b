import { flatten } from '../shape/envelope.ts'
import type { Fields, Values } from '../shape/fields.ts'
import type { Model, Row } from '../shape/model.ts'
import { completeText } from '../storage/complete-text.ts'
import type { Change } from './changes.ts'

/**
 * What the feed knows of an object after a change: the hidden values are those that its table stores
 * there. A response that shows it is no read of the object.
 */
export function rowOfChange<F extends Fields>(model: Model<F>, change: Change): Row<F> {
  const { id, scope, doc = '{}', hidden = '{}', version = 0, at, createdAt = at } = change
  const text = completeText(model, doc)
  return {
    ...{ id, version, createdAt, updatedAt: at, text, written: true, added: model.added },
    scope: scope === undefined ? [] : [scope],
    get doc() {
      return flatten(model.envelope, JSON.parse(text)) as Values<F>
    },
    get hidden() {
      return JSON.parse(hidden) as Partial<Values<F>>
    },
  }
}
