import { invalidField, missingField } from '../errors.ts'
import { type Envelope, pathOf } from './envelope.ts'
import type { Changes, Field, FieldOptions, Fields, Values } from './fields.ts'

/**
 * How values become a row: `normalize` reads them, `complete` adds the defaults of a new object, `merge` applies an
 * update.
 */

type Bag<T = unknown> = Readonly<Record<string, T>>

const isBag = (value: unknown): value is Bag =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Maps the values of a bag, and drops those that become undefined. */
function mapBag<T>(bag: Bag<T>, edit: (value: T, name: string) => unknown): Bag {
  // A plain loop, because it runs for every member of every object that is written.
  const edited: Record<string, unknown> = {}
  for (const name of Object.keys(bag)) {
    const value = edit(bag[name] as T, name)
    if (value !== undefined) put(edited, name, value)
  }
  return edited
}

/** Assigns under any key that a client chose. A plain assignment to `__proto__` would set the prototype. */
function put(bag: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(bag, name, { value, enumerable: true, configurable: true, writable: true })
  else bag[name] = value
}

/** The value under a key that a client may have chosen: `toString` and `constructor` exist in every object. */
export const ownValue = <T>(bag: Bag<T> | null | undefined, name: string): T | undefined =>
  bag && Object.hasOwn(bag, name) ? bag[name] : undefined

/** An accepted value in its stored form: without unknown members, with ids in lower case as PostgreSQL writes them. */
export function normalize({ members, element, each, schema, upperCase }: Field, value: unknown): unknown {
  if (isBag(value)) {
    if (members) return mapBag(members, (member, name) => normalize(member, ownValue(value, name)))
    return each ? mapBag(value, (one) => normalize(each, one)) : value
  }
  if (element && Array.isArray(value)) return value.map((one) => normalize(element, one))
  if (typeof value !== 'string') return value
  if (schema.format === 'uuid') return value.toLowerCase()
  // Only ASCII letters: others may become longer in capitals than the field allows.
  return upperCase ? value.replace(/[a-z]+/g, (letters) => letters.toUpperCase()) : value
}

/** The values of a new object: the input, and the defaults of the rest. */
export function complete<F extends Fields>(fields: F, input: object): Values<F> {
  const values: Bag = { ...input }
  return mapBag(fields, (field, name) => completeValue(field, ownValue(values, name))) as Values<F>
}

/** A value with the defaults of its members. */
export function completeValue({ members, element, each, options }: Field, input: unknown): unknown {
  const value = input === undefined ? ownDefault(options) : input
  if (isBag(value)) {
    if (members) return complete(members, value)
    return each ? mapBag(value, (one) => completeValue(each, one)) : value
  }
  return element && Array.isArray(value) ? value.map((one) => completeValue(element, one)) : value
}

/** A copy, because a rule may change the value that it gets. */
const ownDefault = ({ default: value }: FieldOptions): unknown =>
  typeof value === 'object' ? structuredClone(value) : value

/** The values that an update stores: groups and maps keep the members that it does not contain. */
export function merge<F extends Fields>(
  { fields, envelope }: { readonly fields: F; readonly envelope?: Pick<Envelope, 'fields' | 'type'> },
  before: Bag,
  changes: Changes<F>,
): Partial<Values<F>> {
  const edited = Object.entries(changes).map(([name, change]) => {
    const field = fields[name]
    return [
      name,
      field
        ? changeValue(
            field,
            ownValue(before, name),
            change,
            pathOf(envelope, field.options.inputName ?? name),
          )
        : change,
    ]
  })
  return Object.fromEntries(edited) as Partial<Values<F>>
}

function changeValue(field: Field, before: unknown, change: unknown, path: string): unknown {
  if (!isBag(change)) return change
  const had = isBag(before) ? before : {}
  if (field.members) return changeMembers(field.members, had, change, path)
  return field.each ? changeKeys(field, field.each, had, change, path) : change
}

function changeMembers(members: Fields, before: Bag, change: Bag, path: string): Bag {
  const values = mapBag(members, (member, name) => {
    const was = ownValue(before, name)
    return Object.hasOwn(change, name) ? changeValue(member, was, change[name], `${path}.${name}`) : was
  })
  const whole: Bag = complete(members, values)
  const missing = Object.entries(members).find(
    ([name, { options }]) => options.required && ownValue(whole, name) === undefined,
  )
  if (missing) throw missingField(`${path}.${missing[0]}`)
  return whole
}

/** Null removes a key. */
function changeKeys({ schema }: Field, each: Field, before: Bag, change: Bag, path: string): Bag {
  const values = mapBag({ ...before, ...change }, (value, key) => {
    if (!Object.hasOwn(change, key)) return value
    return value === null ? undefined : changeValue(each, ownValue(before, key), value, `${path}.${key}`)
  })
  const [count, max] = [Object.keys(values).length, Number(schema.maxProperties)]
  if (count <= max) return values
  throw invalidField(path, `must have at most ${max} members, not ${count}`)
}

/**
 * Whether a value is stored as this JSON: the text of an object leaves out members without a value. Looks no further
 * than the first difference, because a value may be large.
 */
export function isSameJson(stored: unknown, value: unknown): boolean {
  if (stored === value) return true
  if (Array.isArray(stored) && Array.isArray(value))
    return stored.length === value.length && stored.every((one, i) => isSameJson(one, value[i]))
  if (!isBag(stored) || !isBag(value)) return false
  return (
    Object.keys(value).every((name) => isSameJson(ownValue(stored, name), value[name])) &&
    Object.keys(stored).every((name) => Object.hasOwn(value, name) || stored[name] === undefined)
  )
}
