import { isRehearsable, isRepeatable, type Operation } from '../declare/operation.ts'
import { listsRows } from '../declare/relationship.ts'
import type { Resource } from '../declare/resource.ts'
import { valueTypeOf } from '../query/plan.ts'
import type { Fields } from '../shape/fields.ts'
import type { Op } from '../shape/list-query.ts'
import {
  describeOrder,
  type FilterRule,
  operatorsOf,
  orderOf,
  ownOrderOf,
  type ValueType,
  walks,
} from '../shape/model.ts'
import { type DocumentComponents, filterSchema } from './components.ts'
import { exampleId } from './examples.ts'

type Parameter = Readonly<Record<string, unknown>>

const common = (name: string): Parameter => ({ $ref: `#/components/parameters/${name}` })

/** The parameters of an operation in its path, its query and its headers. */
export function parametersOf(operation: Operation, path: string, shared: DocumentComponents): Parameter[] {
  const { of, access } = operation
  const inPath = pathParameters(operation, path, shared)
  const resource =
    of.is === 'resource' ? of.resource : of.is === 'action' ? of.action.shows?.resource : undefined
  const lists = of.is === 'action' ? of.action.shows?.page : of.is === 'resource' && of.name === 'list'
  const links = of.is === 'relationship' && of.name === 'list' && listsRows(of.relationship)
  const single =
    of.is === 'singleton' ||
    (of.is === 'resource' && of.name !== 'list' && of.name !== 'create') ||
    (of.is === 'action' &&
      (of.action.refuses?.includes('precondition_failed') || (of.action.shows?.etag && access === 'read')))
  const own = (of.is === 'action' && of.action.query) || {}
  const rows = of.is === 'action' ? of.action.shows?.rows : undefined
  return [
    ...inPath,
    ...(lists ? listParameters(rows?.[0] ?? resource, own) : []),
    ...(links ? pageParameters({ whole: true }) : []),
    ...Object.entries(own).map((one) => ownParameter('query', one)),
    ...Object.entries((of.is === 'action' && of.action.headers) || {}).map((one) =>
      ownParameter('header', one),
    ),
    ...(resource && access === 'read' ? includeParameter(resource) : []),
    ...(operation.includesLinked && !own.include && !resource?.include ? [linkedParameter] : []),
    ...(operation.alternative ? [alternativeHeader(operation.alternative.header)] : []),
    ...(single ? [common(access === 'read' ? 'ifNoneMatch' : 'ifMatch')] : []),
    ...(isRepeatable(operation) ? [common('idempotencyKey')] : []),
    ...(isRehearsable(operation) ? [common('dryRun')] : []),
  ]
}

function pathParameters(
  { path, of }: Operation,
  documentedPath: string,
  { keyAt }: DocumentComponents,
): Parameter[] {
  const own = [...path.matchAll(/:(\w+)/g)]
  const names = [...documentedPath.matchAll(/\{(\w+)\}/g)]
  const declared = of.is === 'action' ? of.action.params : undefined
  return own.map(({ 1: name = '', index }, i) => {
    const field = declared?.[name]
    // An object with a key is named by that, and only an id has the format uuid.
    const isId = /(^|_)id$/.test(name) && !keyAt(path.slice(0, index - 1))
    return {
      name: names[i]?.[1] ?? name,
      in: 'path',
      required: true,
      ...(field?.options.about && { description: field.options.about }),
      schema: field?.schema ?? { type: 'string', ...(isId && { format: 'uuid' }) },
    }
  })
}

const alternativeHeader = (name: string): Parameter => ({
  name,
  in: 'header',
  description: 'Send `true` to use the other form of request and response bodies.',
  schema: { type: 'string' },
})

function ownParameter(
  place: 'query' | 'header',
  [name, { schema, options }]: [string, Fields[string]],
): Parameter {
  const { required, about, example } = options
  return {
    name,
    in: place,
    ...(required && { required }),
    ...(about && { description: about }),
    schema,
    ...(example !== undefined && { example }),
  }
}

/**
 * The parameters of a list. If the resource is only known at run time, sort and filter are left out, unless the action
 * declares a filter.
 */
function listParameters(resource: Resource | undefined, own: Fields): Parameter[] {
  const { sort, filter } = resource ?? {}
  return [
    ...pageParameters(resource ?? {}),
    ...(sort?.length ? [sortParameter(sort, resource ?? {})] : []),
    ...(resource?.ignoresSort && !sort?.length ? [ignoredSort(resource)] : []),
    ...(resource && filter ? [filterParameter(resource, filter)] : []),
    ...(resource || own.filter ? [] : [common('sort'), common('filter')]),
  ]
}

const pageParameters = ({ whole, offsetMax }: Pick<Resource, 'whole' | 'offsetMax'>): Parameter[] => [
  common(whole ? 'limitOfWhole' : 'limit'),
  offsetMax === undefined ? common('offset') : offsetParameter(offsetMax),
  ...['after', 'before'].map(common),
]

/** The default order. An order of the table has no name that a client could send. */
const withoutSort = (resource: Pick<Resource, 'order'>): string =>
  [ownOrderOf(resource) ? '' : `\`${orderOf(resource)}\`, `, describeOrder(resource)].join('')

const offsetParameter = (maximum: number): Parameter => ({
  name: 'page[offset]',
  in: 'query',
  description:
    'The number of records to skip. To go further, use cursors, or filter by the field that the list is sorted by.',
  schema: { type: 'integer', minimum: 0, maximum, default: 0 },
})

const ignoredSort = (resource: Resource): Parameter => ({
  name: 'sort',
  in: 'query',
  description: `Ignored. The records always come in this order: ${withoutSort(resource)}.`,
  schema: { type: 'string' },
})

const sortParameter = (fields: readonly string[], resource: Pick<Resource, 'order'>): Parameter => ({
  name: 'sort',
  in: 'query',
  description: `The field to sort by; prefix it with \`-\` for descending order. The default is ${withoutSort(resource)}.`,
  schema: { type: 'string', enum: fields.flatMap((field) => [field, `-${field}`]) },
})

function filterParameter(resource: Resource, filter: NonNullable<Resource['filter']>): Parameter {
  const rows = Object.entries(filter).map(([field, rule]) => {
    const ops = operatorsOf(rule as FilterRule)
    return `- \`${field}\`: ${ops.map((op) => `\`${op}\``).join(', ')}`
  })
  return {
    name: 'filter',
    in: 'query',
    description: [
      'Returns only the records that match, as in `eq(field,value)`. Join terms by `:` (and) or `|` (or); group them in parentheses.',
      rows.join('\n'),
    ].join('\n\n'),
    schema: filterSchema,
    example: filterExample(resource, filter),
  }
}

const values: Readonly<Record<ValueType, string>> = {
  text: 'value',
  uuid: exampleId,
  time: '2026-01-31T00:00:00.000Z',
  number: '1',
  integer: '1',
  boolean: 'true',
}

/** An example of a filter that the list accepts, by one of its own fields if possible. */
function filterExample(resource: Resource, filter: NonNullable<Resource['filter']>): string {
  const rules = Object.entries(filter).map(([field, rule]) => ({ field, rule: rule as FilterRule }))
  const plain = rules.filter(({ field }) => /^\w+$/.test(field))
  const { field, rule } =
    plain.find(({ field }) => !Object.hasOwn(walks, field)) ??
    plain[0] ??
    (rules[0] as (typeof rules)[number])
  const [op = 'eq'] = operatorsOf(rule)
  return `${op}(${field},${values[rule.type ?? valueTypeOf(resource, field)]})`
}

/** For links that only the store knows: see `includesLinked`. */
const linkedParameter: Parameter = {
  name: 'include',
  in: 'query',
  description:
    'The links whose objects to include, under `included`, by the names of their fields. Other names are ignored.',
  explode: false,
  schema: { type: 'array', items: { type: 'string' } },
}

function includeParameter({ include }: Resource): Parameter[] {
  const names = Object.keys(include ?? {})
  if (!names.length) return []
  return [
    {
      name: 'include',
      in: 'query',
      description: `The related objects to include, under \`included\`: ${names.map((name) => `\`${name}\``).join(', ')}. Other names are ignored.`,
      explode: false,
      schema: { type: 'array', items: { type: 'string' } },
      example: names,
    },
  ]
}

/** The resource that the operation lists; undefined if it lists none, or one that is only known at run time. */
export function listedBy({ of }: Operation): Resource | undefined {
  if (of.is === 'resource') return of.name === 'list' ? of.resource : undefined
  if (of.is !== 'action' || !of.action.shows?.page) return undefined
  return of.action.shows.rows?.[0] ?? of.action.shows.resource
}

/**
 * `x-sutler-list`: what a program needs to build the query of a list. In the name of a field `*` stands for one name,
 * and `[]` for one index.
 */
export interface ListFacts {
  /** The type of its objects. */
  readonly type: string
  /** The fields that a filter may name, with what they compare. */
  readonly filter: Readonly<Record<string, { readonly type: ValueType; readonly operators: readonly Op[] }>>
  readonly sort: readonly string[]
  /** The order without `sort`, if `sort` can name it. */
  readonly order?: string
  readonly offsetMax?: number
}

export function listFacts(resource: Resource): ListFacts {
  const filter = Object.entries(resource.filter ?? {}).map(([field, rule]) => {
    const { type = valueTypeOf(resource, field) } = rule as FilterRule
    return [field, { type, operators: operatorsOf(rule as FilterRule) }] as const
  })
  return {
    type: resource.type,
    filter: Object.fromEntries(filter),
    sort: resource.sort ?? [],
    ...(!ownOrderOf(resource) && { order: orderOf(resource) }),
    ...(resource.offsetMax !== undefined && { offsetMax: resource.offsetMax }),
  }
}
