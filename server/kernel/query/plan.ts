import { Problem } from '../errors.ts'
import { isId } from '../ids.ts'
import { type FilterRule, type Kind, orderOf, type Resource } from '../resource.ts'
import type { Ask, Filter, Op } from './parse.ts'

/** What a list may be filtered and sorted by: the allow-list of one resource. */
interface Shape {
  readonly filters: ReadonlyMap<string, Rule>
  readonly sorts: ReadonlyMap<string, { readonly column: string; readonly kind: Kind }>
}

type Rule = FilterRule & { readonly kind: Kind; readonly column: string }

/** A request that the allow-list has let through. Values are of their column's kind. */
export interface Plan {
  readonly filter: PlannedFilter | undefined
  readonly sort: {
    readonly field: string
    readonly column: string
    readonly kind: Kind
    readonly descending: boolean
  }
}

export type PlannedFilter =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly PlannedFilter[] }
  | { readonly kind: 'term'; readonly op: Op; readonly rule: Rule; readonly values: readonly string[] }

const standardKinds: Readonly<Record<string, Kind>> = { id: 'uuid', created_at: 'time', updated_at: 'time' }
const shapes = new WeakMap<Resource, Shape>()

function shapeOf(resource: Resource): Shape {
  const known = shapes.get(resource)
  if (known) return known
  const kindOf = (name: string): Kind => standardKinds[name] ?? kindOfSchema(resource.fields[name]?.schema)
  const filters = Object.entries(resource.filter ?? {}).map(([name, rule]): [string, Rule] => {
    const given: FilterRule = Array.isArray(rule) ? { ops: rule as readonly Op[] } : (rule as FilterRule)
    return [name, { kind: kindOf(name), column: name, ...given }]
  })
  const sorts = (resource.sort ?? []).map((name) => [name, { column: name, kind: kindOf(name) }] as const)
  const shape = { filters: new Map(filters), sorts: new Map(sorts) }
  shapes.set(resource, shape)
  return shape
}

function kindOfSchema(schema: { readonly [keyword: string]: unknown } | undefined): Kind {
  const type = [schema?.type].flat()[0]
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'boolean') return 'boolean'
  return schema?.format === 'uuid' ? 'uuid' : 'text'
}

/** The second stage: refuses (400) what the resource does not allow, and says what it does. */
export function plan(ask: Ask, resource: Resource): Plan {
  const shape = shapeOf(resource)
  return { filter: ask.filter && planFilter(ask.filter, shape), sort: planSort(ask, resource, shape) }
}

function planSort({ sort }: Ask, resource: Resource, { sorts }: Shape): Plan['sort'] {
  if (!sort) {
    const order = orderOf(resource)
    const field = order.replace('-', '')
    return { field, column: field, kind: 'time', descending: order.startsWith('-') }
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

function planFilter(filter: Filter, shape: Shape): PlannedFilter {
  if (filter.kind !== 'term')
    return { kind: filter.kind, parts: filter.parts.map((part) => planFilter(part, shape)) }
  const { field, op } = filter
  const rule = shape.filters.get(field) ?? elementRule(field, shape)
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
    kind: 'term',
    op,
    rule,
    values: filter.values.map((value) => readValue(rule.kind, field, op, value)),
  }
}

/** `sizes[3]` is filtered by the rule of `sizes[]`, which is told the index. */
function elementRule(field: string, shape: Shape): Rule | undefined {
  const match = /^(.+)\[(\d{1,3})\]$/.exec(field)
  const rule = match && shape.filters.get(`${match[1]}[]`)
  return rule ? { ...rule, element: Number(match[2]) } : undefined
}

/** A value in the form PostgreSQL reads, or the refusal. */
function readValue(kind: Kind, field: string, op: Op, value: string): string {
  if (kind === 'uuid' && !isId(value)) throw refuse(`[${field}] takes a UUID, not [${value}]`)
  if (kind === 'boolean' && value !== 'true' && value !== 'false') {
    throw refuse(`[${field}] takes true or false, not [${value}]`)
  }
  if (kind === 'number' && (value.trim() === '' || !Number.isFinite(Number(value)))) {
    throw refuse(`[${field}] takes a number, not [${value}]`)
  }
  if (kind === 'time') return timeOf(field, value)
  if (op === 'like' || op === 'ilike') return patternOf(field, value)
  return value
}

const epochMs = /^-?\d{9,14}$/
const isoDate = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/i

/** A date, a timestamp (UTC unless it says otherwise) or milliseconds since the epoch. */
function timeOf(field: string, value: string): string {
  // A raw + in a URL is a space: what stood before a UTC offset is put back.
  const text = value
    .trim()
    .replace(/ (\d\d:?\d\d)$/, (match, offset) => (value.length > 19 ? `+${offset}` : match))
    .replace(' ', 'T')
  const zoned = text.length > 10 && !/(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? `${text}Z` : text
  const time = epochMs.test(text) ? new Date(Number(text)) : isoDate.test(text) ? new Date(zoned) : undefined
  if (!time || Number.isNaN(time.getTime())) {
    throw refuse(
      `[${field}] takes a timestamp such as 2026-01-31T09:30:00.000Z or 2026-01-31, not [${value}]`,
    )
  }
  return time.toISOString()
}

/** A LIKE pattern: `*` stands for anything, at the start and at the end only. */
function patternOf(field: string, value: string): string {
  const starts = value.startsWith('*')
  const ends = value.length > 1 && value.endsWith('*')
  const inner = value.slice(starts ? 1 : 0, ends ? -1 : undefined)
  if (inner.includes('*')) throw refuse(`[${field}]: * may stand only at the start and the end of [${value}]`)
  return `${starts ? '%' : ''}${inner.replace(/[\\%_]/g, '\\$&')}${ends ? '%' : ''}`
}
