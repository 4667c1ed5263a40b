import { isDeepStrictEqual } from 'node:util'
import { Problem } from '../errors.ts'
import { type Members, pathOf } from '../shape/envelope.ts'
import type { Changes, Fields, New, Values } from '../shape/fields.ts'
import type { Draft, Model, Row, Whole } from '../shape/model.ts'
import { complete, isSameJson, merge, ownValue } from '../shape/values.ts'

/** A new object before its rules run: missing values have their defaults. */
export const newDraft = <F extends Fields, C>(
  resource: Model<F, C>,
  scope: readonly string[],
  values: New<F>,
  id: string,
  inside?: C,
): Draft<F, C> => ({ id, scope, values: complete(resource.fields, values), inside })

/** A changed object before its rules run. */
export const changedDraft = <F extends Fields, C>(
  resource: Model<F, C>,
  before: Whole<F, C>,
  changes: Changes<F>,
  inside?: C,
): Draft<F, C> => ({
  ...{ id: before.id, scope: before.scope, before, changes, inside },
  values: changedValues(resource, before, changes),
})

/** As `changedDraft`, for the first write of an object that is `unborn`. */
export const firstValues = <F extends Fields>(resource: Model<F>, unborn: Row<F>, changes: Changes<F>) =>
  changedValues(resource, unborn, changes) as New<F>

/** The values of an object with some of them changed; refuses changes of immutable fields. */
function changedValues<F extends Fields>(resource: Model<F>, before: Row<F>, changes: Changes<F>): Values<F> {
  const stored = { ...before.doc, ...before.hidden }
  const changed = merge(resource, stored, changes)
  refuseImmutable(resource, stored, changed)
  return { ...stored, ...changed }
}

/**
 * Whether a draft has the values that its row already stores, including the fields that the store has added. Values
 * that are only checked do not count, because rules turn them into stored ones.
 */
export function isUnchanged<F extends Fields, C>(
  fields: Fields,
  { before, values, inside }: Draft<F, C>,
): boolean {
  if (!before || (inside !== undefined && !isSameJson(before.inside, inside))) return false
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
