import { Problem } from '../kernel/errors.ts'
import type { Envelope } from '../kernel/shape/envelope.ts'
import { type Field, type Fields, isShown } from '../kernel/shape/fields.ts'
import { isSameJson, ownValue } from '../kernel/shape/values.ts'
import type { Adjustment } from './bulk-changes.ts'

/** What the update of one object is sent. Pure functions. */

type JsonObject = Readonly<Record<string, unknown>>

const isBag = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

interface PatchShape {
  readonly type: string
  readonly fields: Fields
  readonly envelope: Pick<Envelope, 'fields' | 'type'>
}

/** Refuses members whose values no answer shows: nobody could look at them before, or put them back. */
export function mustBeShown({ fields, envelope }: PatchShape, patch: JsonObject): void {
  const sent = envelope.fields === 'attributes' ? [patch, patch.attributes].filter(isBag) : [patch]
  for (const [name, { options }] of Object.entries(fields)) {
    const member = options.inputName ?? name
    if (isShown(options) || options.readOnly || !sent.some((one) => Object.hasOwn(one, member))) continue
    const detail = `${member} cannot be changed in bulk, because its value is not shown: change it one at a time.`
    throw new Problem('unprocessable', detail, { source: 'data.patch' })
  }
}

/** The patch, with the numbers of this object that change in proportion. `shown` is `data` as answers show it. */
export function adjusted(
  patch: JsonObject,
  shown: JsonObject,
  adjustments: readonly Adjustment[],
): JsonObject {
  let data: unknown = patch
  for (const one of adjustments) data = adjust(data, shown, one.field.split('.'), one)
  return data as JsonObject
}

/** The whole of a field is sent, because not every field keeps the members that an update leaves out. */
function adjust(patch: unknown, shown: unknown, [name = '', ...rest]: string[], by: Adjustment): unknown {
  const was = isBag(patch) ? ownValue(patch, name) : undefined
  const is = isBag(shown) ? ownValue(shown, name) : undefined
  if (name === 'attributes' && rest.length)
    return { ...(isBag(patch) ? patch : {}), attributes: adjust(was, is, rest, by) }
  return { ...(isBag(patch) ? patch : {}), [name]: scaleIn(was ?? is, rest, by) }
}

function scaleIn(value: unknown, [name, ...rest]: string[], by: Adjustment): unknown {
  if (name === undefined) return scale(value, by)
  if (!isBag(value)) throw lacksNumber(by)
  return { ...value, [name]: scaleIn(ownValue(value, name), rest, by) }
}

const lacksNumber = ({ field }: Adjustment) =>
  new Problem('unprocessable', `It has no whole number at ${field}.`, { source: 'data.adjust' })

/** How many decimals of a factor count. */
const decimals = 1_000_000

function scale(value: unknown, by: Adjustment): number {
  if (!Number.isSafeInteger(value)) throw lacksNumber(by)
  const factor = BigInt(Math.round(by.times * decimals))
  const product = BigInt(value as number) * factor
  const step = BigInt(by.round_to) * BigInt(decimals)
  const away = product < 0n ? -1n : 1n
  return Number(((2n * product * away + step) / (2n * step)) * away * BigInt(by.round_to))
}

/** The changes that give an object its values from before again; undefined takes one away. */
export function restoring(
  { fields }: Pick<PatchShape, 'fields'>,
  before: JsonObject,
  now: JsonObject,
): JsonObject {
  const changes: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) {
    const { readOnly, immutable } = field.options
    const [was, is] = [ownValue(before, name), ownValue(now, name)]
    if (readOnly || immutable || !isShown(field.options) || isSameJson(is, was)) continue
    changes[name] = back(field, was, is)
  }
  return changes
}

/** Groups and maps keep what an update leaves out, so what was not there is taken away. */
function back({ members, each }: Field, was: unknown, is: unknown): unknown {
  if (!isBag(was) || !isBag(is) || !(members || each)) return was
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])]
  const values = names.map((name) => {
    const inner = each ?? members?.[name]
    const earlier = ownValue(was, name)
    if (earlier === undefined) return [name, each ? null : undefined]
    return [name, inner ? back(inner, earlier, ownValue(is, name)) : earlier]
  })
  return Object.fromEntries(values)
}
