import { isDay } from '../../kernel/body/days.ts'
import { isId } from '../../kernel/ids.ts'
import { fault } from './fault.ts'

/** Refuses arguments of a condition that its strategy cannot have. Returns them as they are stored. */
export type CheckArgs = (args: readonly unknown[], operator: string, path: string) => readonly unknown[]

const textMax = 255
const valuesMax = 20

/** Up to six decimals: amounts of currencies have fewer. */
export const isExact = (value: unknown, max: number): value is number =>
  typeof value === 'number' && value >= 0 && value <= max && Number(value.toFixed(6)) === value

const numberMax = 1_000_000_000_000

function mustHave(args: readonly unknown[], min: number, max: number, path: string): void {
  if (args.length >= min && args.length <= max) return
  throw fault(path, `must have ${min === max ? min : `${min} to ${max}`} values, not ${args.length}`)
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= textMax

function textAt(value: unknown, path: string): string {
  if (isText(value)) return value
  throw fault(path, `must be a string of 1 to ${textMax} characters`)
}

function idAt(value: unknown, path: string): string {
  if (typeof value === 'string' && isId(value)) return value.toLowerCase()
  throw fault(path, 'must be a UUID')
}

const each =
  (check: (value: unknown, path: string) => unknown, max: number): CheckArgs =>
  (args, _operator, path) => {
    mustHave(args, 1, max, path)
    return args.map((value, index) => check(value, `${path}.${index}`))
  }

export const texts = each(textAt, 400)
export const ids = each(idAt, 400)
export const tags = each(idAt, 25)

/** One number; for a range, the least and the most. */
export const numbers: CheckArgs = (args, operator, path) => {
  const count = operator === 'range' ? 2 : 1
  mustHave(args, count, count, path)
  for (const [index, value] of args.entries()) {
    if (isExact(value, numberMax)) continue
    throw fault(`${path}.${index}`, `must be a number from 0 to ${numberMax} with at most 6 decimal places`)
  }
  const [first, second] = args as readonly number[]
  if (second !== undefined && (first ?? 0) > second) {
    throw fault(`${path}.1`, `must not be less than ${path}.0`)
  }
  return args
}

/** Products by SKU and by id. */
export const identifiers: CheckArgs = (args, _operator, path) => {
  mustHave(args, 1, 10, path)
  return args.map((value, index) => {
    const at = `${path}.${index}`
    if (typeof value !== 'object' || value === null) throw fault(at, 'must be an object with skus and ids')
    const { skus, ids: listed } = value as { readonly skus?: unknown; readonly ids?: unknown }
    const named = {
      ...(isListed(skus) && { skus: texts(listOf(skus, `${at}.skus`), 'in', `${at}.skus`) }),
      ...(isListed(listed) && { ids: ids(listOf(listed, `${at}.ids`), 'in', `${at}.ids`) }),
    }
    if (!Object.keys(named).length) throw fault(at, 'must list products in skus or ids')
    return named
  })
}

/** An empty list is as good as none. */
const isListed = (value: unknown): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && !value.length)

export function listOf(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw fault(path, 'must be an array')
}

const isNumber = (value: unknown) =>
  (typeof value === 'number' || isText(value)) && Number.isFinite(Number(value))

const fits: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: isText,
  boolean: (value) => ['true', 'false'].includes(String(value)),
  integer: (value) => isNumber(value) && Number.isSafeInteger(Number(value)),
  float: isNumber,
  date: (value) => isText(value) && isDay(value),
}

function typedValues(
  type: unknown,
  types: readonly string[],
  values: readonly unknown[],
  path: string,
): void {
  if (typeof type !== 'string' || !types.includes(type)) {
    throw fault(`${path}.2`, `must be one of ${types.join(', ')}`)
  }
  for (const [index, value] of values.entries()) {
    if (!fits[type]?.(value)) throw fault(`${path}.${index + 3}`, `must be a value of the type ${type}`)
  }
}

/** Template, field, type, then values. */
export const templateValues: CheckArgs = (args, _operator, path) => {
  mustHave(args, 4, 3 + valuesMax, path)
  const [template, field, type, ...values] = args
  textAt(template, `${path}.0`)
  textAt(field, `${path}.1`)
  typedValues(type, Object.keys(fits), values, path)
  return args
}

/** Which types of custom attributes an operator compares. */
const typesOf: Readonly<Record<string, readonly string[]>> = {
  in: ['string', 'boolean', 'integer', 'float'],
  nin: ['string', 'boolean', 'integer', 'float'],
  eq: ['string', 'boolean', 'integer'],
  gt: ['integer', 'float'],
  lt: ['integer', 'float'],
  gte: ['integer'],
  lte: ['integer'],
}

/** Key, type, then values; a single one for a comparison. */
export const attributeValues: CheckArgs = (args, operator, path) => {
  const isList = operator === 'in' || operator === 'nin'
  mustHave(args, 3, isList ? 2 + valuesMax : 3, path)
  const [key, type, ...values] = args
  if (typeof key !== 'string' || !/^[\w-]{1,255}$/.test(key)) {
    throw fault(
      `${path}.0`,
      'must be the key of a custom attribute: letters, digits, _ and -, up to 255 characters',
    )
  }
  const types = typesOf[operator] ?? []
  if (typeof type !== 'string' || !types.includes(type)) {
    throw fault(`${path}.1`, `must be one of ${types.join(', ')} for the operator ${operator}`)
  }
  for (const [index, value] of values.entries()) {
    // A comparison is of numbers, not of texts that look like them.
    const isComparable = isList || operator === 'eq' || typeof value === 'number'
    if (isComparable && fits[type]?.(value)) continue
    throw fault(`${path}.${index + 2}`, `must be a value of the type ${type}`)
  }
  return args
}
