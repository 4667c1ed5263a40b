import { isDeepStrictEqual } from 'node:util'
import { Problem } from '../errors.ts'
import { type Members, pathOf } from '../shape/envelope.ts'
import type { Changes, Fields, New } from '../shape/fields.ts'
import type { Draft, Model, Row } from '../shape/model.ts'
import { complete, isSameJson, merge, ownValue } from '../shape/values.ts'

/** A new object before its rules run: missing values have their defaults. */
export const newDraft = <F extends Fields>(
  resource: Model<F>,
  scope: readonly string[],
  values: New<F>,
  id: string,
): Draft<F> => ({ id, scope, values: complete(resource.fields, values) })

/** A changed object before its rules run; refuses changes of immutable fields. */
export function changedDraft<F extends Fields>(
  resource: Model<F>,
  before: Row<F>,
  changes: Changes<F>,
): Draft<F> {
  const stored = { ...before.doc, ...before.hidden }
  const changed = merge(resource, stored, changes)
  refuseImmutable(resource, stored, changed)
  return { id: before.id, scope: before.scope, values: { ...stored, ...changed }, before, changes }
}

/**
 * Whether a draft has the values that its row already stores, including the fields that the store has added. Values
 * that are only checked do not count, because rules turn them into stored ones.
 */
export function isUnchanged<F extends Fields>(fields: Fields, { before, values }: Draft<F>): boolean {
  if (!before) return false
  const [was, is]: readonly [Members, Members] = [{ ...before.doc, ...before.hidden }, values]
  const declared = Object.entries(fields).every(
    ([name, { options }]) => options.stored === false || isSameJson(ownValue(was, name), ownValue(is, name)),
  )
  const added = before.added?.fields ?? []
  // An added field without a value may be absent or null in the row.
  return (
    declared && added.every(({ name }) => isSameJson(ownValue(was, name) ?? null, ownValue(is, name) ?? null))
  )
}

function refuseImmutable({ fields, envelope }: Model, stored: Members, changed: Members): void {
  for (const [name, { options }] of Object.entries(fields)) {
    if (!options.immutable || !Object.hasOwn(changed, name)) continue
    const was = ownValue(stored, name)
    if (isDeepStrictEqual(changed[name], was ?? null) || isDeepStrictEqual(changed[name], was)) continue
    const source = pathOf(envelope, options.inputName ?? name)
    throw new Problem('unprocessable', `${source} is immutable: it cannot be changed once it is set.`, {
      source,
    })
  }
}
