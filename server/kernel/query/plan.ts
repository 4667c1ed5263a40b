import { isDay, isInCalendar } from '../body/days.ts'
import { Problem } from '../errors.ts'
import { isId } from '../ids.ts'
import type { Field, Fields } from '../shape/fields.ts'
import type { Filter, ListQuery, Op } from '../shape/list-query.ts'
import {
  type FilterRule,
  type Model,
  operatorsOf,
  orderOf,
  ownOrderOf,
  type ValueType,
} from '../shape/model.ts'
import { normalize, ownValue } from '../shape/values.ts'

/** The filters and sorts that a resource allows. */
interface QueryShape {
  readonly filters: ReadonlyMap<string, PlannedRule>
  /** The filters for many names: the text before and after the part. */
  readonly patterns: readonly {
    readonly before: string
    readonly after: string
    readonly rule: PlannedRule
  }[]
  readonly sorts: ReadonlyMap<string, { readonly column: string; readonly type: ValueType }>
}

type PlannedRule = FilterRule & {
  readonly type: ValueType
  readonly column: string
  readonly field: Field | undefined
}

/** A request that the resource allows. The values have the types of their columns. */
export interface Plan {
  readonly filter: PlannedFilter | undefined
  readonly sort: {
    readonly field: string
    readonly column: string
    readonly type: ValueType
    readonly descending: boolean
  }
}

export type PlannedFilter =
  | { readonly is: 'and' | 'or'; readonly parts: readonly PlannedFilter[] }
  | {
      readonly is: 'term'
      readonly op: Op
      readonly rule: PlannedRule
      /** The text in place of the `*` of the rule's name; empty if the name has none. */
      readonly part: string
      readonly values: readonly string[]
    }

const standardTypes: Readonly<Record<string, ValueType>> = {
  id: 'uuid',
  created_at: 'time',
  updated_at: 'time',
}
const shapes = new WeakMap<Queryable, QueryShape>()

/** What a request may filter and sort by. */
type Queryable = Pick<Model, 'fields' | 'filter' | 'sort' | 'ignoresSort' | 'order' | 'offsetMax' | 'key'>

function shapeOf(resource: Queryable): QueryShape {
  const cached = shapes.get(resource)
  if (cached) return cached
  const fieldOf = (name: string) => fieldAt(resource.fields, name.split('.'))
  const typeOf = (name: string) => valueTypeOf(resource, name)
  const filters = Object.entries(resource.filter ?? {}).map(([name, rule]): [string, PlannedRule] => {
    const ops = operatorsOf(rule as readonly Op[] | FilterRule)
    const declared: FilterRule = Array.isArray(rule) ? { ops } : { ...(rule as FilterRule), ops }
    mustHaveSql(name, declared)
    const byKey = name === 'id' && !resource.fields.id
    return [
      name,
      {
        type: typeOf(name),
        column: name,
        field: fieldOf(name),
        ...(byKey && { indexed: true }),
        ...declared,
      },
    ]
  })
  const patterns = filters.flatMap(([name, rule]) => (rule.part ? [{ ...around(name), rule }] : []))
  const byName = new Map(filters)
  const sorts = (resource.sort ?? []).map((name) => {
    // A key that is an id of the client's own is compared and sorted by the column that has it.
    const key = resource.key?.field === name ? byName.get(name) : undefined
    return [name, { column: key?.column ?? name, type: key?.type ?? typeOf(name) }] as const
  })
  const shape = { filters: byName, patterns, sorts: new Map(sorts) }
  shapes.set(resource, shape)
  return shape
}

/** The type that a filter on a name compares, if its rule does not say. */
export const valueTypeOf = ({ fields }: Pick<Model, 'fields'>, name: string): ValueType =>
  ownValue(standardTypes, name) ?? typeOfField(fieldAt(fields, name.split('.')))

/** A member has no column, and a column cannot know the text in place of a `*`. */
function mustHaveSql(name: string, { column, part, where }: FilterRule): void {
  if (where || (!part && (column || /^\w+$/.test(name)))) return
  throw new Error(`the filter ${name} needs a ${part ? 'where' : 'column or a where'} of its own`)
}

/** The text before and after the part of a name such as `labels.*` or `sizes[]`. */
function around(name: string): { before: string; after: string } {
  if (name.endsWith('[]')) return { before: name.slice(0, -1), after: ']' }
  const at = name.lastIndexOf('*')
  if (at < 0) throw new Error(`the filter ${name} has no * for its part`)
  return { before: name.slice(0, at), after: name.slice(at + 1) }
}

/** The field of a name such as `contact.email` or `labels.*`. */
function fieldAt(fields: Fields, [first = '', ...rest]: readonly string[]): Field | undefined {
  return rest.reduce<Field | undefined>(
    (field, name) => (name === '*' ? field?.each : ownValue(field?.members, name)),
    ownValue(fields, first),
  )
}

function typeOfField(field: Field | undefined): ValueType {
  const { schema } = field ?? {}
  const type = [schema?.type].flat()[0]
  if (type === 'integer' || type === 'number') return type
  if (type === 'boolean') return 'boolean'
  return schema?.format === 'uuid' ? 'uuid' : 'text'
}

/** The second stage: turns a request into a plan, or refuses (400) what the resource does not allow. */
export function plan(query: ListQuery, resource: Queryable): Plan {
  const shape = shapeOf(resource)
  refuseOffset(query, resource)
  return { filter: query.filter && planFilter(query.filter, shape), sort: planSort(query, resource, shape) }
}

function refuseOffset({ offset }: ListQuery, { offsetMax = Number.POSITIVE_INFINITY }: Queryable): void {
  if (offset <= offsetMax) return
  const detail =
    `page[offset] must be a whole number from 0 to ${offsetMax}, not ${offset}: ` +
    'to go further, use page[after], or a filter and a sort.'
  throw new Problem('bad_page', detail, { source: 'page[offset]' })
}

function planSort({ sort }: ListQuery, resource: Queryable, { sorts }: QueryShape): Plan['sort'] {
  if (!sort || (resource.ignoresSort && !sorts.has(sort.field))) {
    const order = orderOf(resource)
    const field = order.replace('-', '')
    // Text suits a column of any type: PostgreSQL reads the value as the type of the column.
    const type = ownOrderOf(resource) ? 'text' : 'time'
    return { field, column: field, type, descending: order.startsWith('-') }
  }
  const allowed = sorts.get(sort.field)
  if (allowed) return { ...sort, ...allowed }
  const names = [...sorts.keys()].sort().join(' ')
  const detail = names ? `allowed fields are [${names}]` : 'this list cannot be sorted'
  throw new Problem('bad_request', `Invalid sort: unknown field [${sort.field}], ${detail}`, {
    source: 'sort',
  })
}

const refuse = (detail: string) =>
  new Problem('bad_filter', `Invalid filter: ${detail}`, { source: 'filter' })

function planFilter(filter: Filter, shape: QueryShape): PlannedFilter {
  if (filter.is !== 'term')
    return { is: filter.is, parts: filter.parts.map((part) => planFilter(part, shape)) }
  const { field, op } = filter
  const { rule, part } = ruleFor(field, shape)
  if (!rule) {
    const names = [...shape.filters.keys()].sort().join(' ')
    const allowed = names ? `allowed fields are [${names}]` : 'this list cannot be filtered'
    throw refuse(`unknown field [${field}] specified in search filter, ${allowed}`)
  }
  if (!rule.ops.includes(op)) {
    const allowed = `allowed operators are [${rule.ops.join(' ')}]`
    throw refuse(`unknown operator [${op}] specified in search filter for field [${field}], ${allowed}`)
  }
  return {
    is: 'term',
    op,
    rule,
    part,
    values: filter.values.flatMap((value) => asStored(rule, readValue(rule.type, field, op, value))),
  }
}

/** A filter value in the stored form: capitals for a field that stores capitals. */
function asStored({ field, type }: PlannedRule, value: string | undefined): string | readonly [] {
  if (value === undefined) return []
  return field && type !== 'integer' ? (normalize(field, value) as string) : value
}

/** Names come before patterns: `sizes[3]` may be a field's own name. */
function ruleFor(
  field: string,
  { filters, patterns }: QueryShape,
): { rule: PlannedRule | undefined; part: string } {
  const own = filters.get(field)
  if (own && !own.part) return { rule: own, part: '' }
  for (const { before, after, rule } of patterns) {
    if (!field.startsWith(before) || !field.endsWith(after)) continue
    const part = field.slice(before.length, field.length - after.length)
    if (part !== '' && part.length <= partMax && rule.part?.test(part)) return { rule, part }
  }
  return { rule: undefined, part: '' }
}

const partMax = 255

/** A value in the form that PostgreSQL reads, or a refusal. Undefined if no column can have the value. */
function readValue(type: ValueType, field: string, op: Op, value: string): string | undefined {
  if (type === 'uuid' && !isId(value)) throw refuse(`[${field}] must be a UUID, not [${value}]`)
  if (type === 'boolean' && value !== 'true' && value !== 'false') {
    throw refuse(`[${field}] must be true or false, not [${value}]`)
  }
  if (type === 'number' || type === 'integer') {
    if (value.trim() === '' || !Number.isFinite(Number(value)))
      throw refuse(`[${field}] must be a number, not [${value}]`)
    return type === 'number' ? value : integerOf(op, Number(value))
  }
  if (type === 'time') return timeOf(field, value)
  // A raw + in a URL becomes a space, which no address has.
  if (isAddress.test(field)) return readText(field, op, value.trim().replaceAll(' ', '+'))
  return readText(field, op, value)
}

/** The names of fields that hold an email address. */
const isAddress = /(?:^|[._])email$/

function readText(field: string, op: Op, value: string): string {
  if (op === 'like' || op === 'ilike') return patternOf(field, value)
  return value
}

/** The whole number that a comparison with any number finds the same rows by. No column has a larger one. */
function integerOf(op: Op, value: number): string | undefined {
  if (op === 'eq' || op === 'in') return Number.isSafeInteger(value) ? String(value) : undefined
  const whole = op === 'gt' || op === 'le' ? Math.floor(value) : Math.ceil(value)
  return String(Math.min(Math.max(whole, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER))
}

const epochMs = /^-?\d{9,14}$/
const isoDate = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/i

/** A date, a timestamp (UTC without an offset) or milliseconds since the epoch. */
function timeOf(field: string, value: string): string {
  // A raw + in a URL becomes a space: restore the one before a UTC offset.
  const text = value
    .trim()
    .replace(/ (\d\d:?\d\d)$/, (match, offset) => (value.length > 19 ? `+${offset}` : match))
    .replace(' ', 'T')
  const zoned = text.length > 10 && !/(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? `${text}Z` : text
  // `Date` turns 31 February into a day of March.
  const isIso = isoDate.test(text) && isDay(text.slice(0, 10))
  const time = epochMs.test(text) ? new Date(Number(text)) : isIso ? new Date(zoned) : undefined
  // Not a number is in no calendar.
  if (!time || !isInCalendar(time.getTime())) {
    throw refuse(
      `[${field}] must be a timestamp such as 2026-01-31T09:30:00.000Z or 2026-01-31, not [${value}]`,
    )
  }
  return time.toISOString()
}

/** A LIKE pattern. `*` matches anything, and is allowed at the start and at the end only. */
function patternOf(field: string, value: string): string {
  const starts = value.startsWith('*')
  const ends = value.length > 1 && value.endsWith('*')
  const inner = value.slice(starts ? 1 : 0, ends ? -1 : undefined)
  if (inner.includes('*'))
    throw refuse(`[${field}]: * is accepted only at the start and at the end of [${value}]`)
  return `${starts ? '%' : ''}${inner.replace(/[\\%_]/g, '\\$&')}${ends ? '%' : ''}`
}
