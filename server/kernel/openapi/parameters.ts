import type { Fields } from '../fields.ts'
import { isRepeatable, type Operation } from '../module.ts'
import type { Op } from '../query/parse.ts'
import { listsRows } from '../relationship.ts'
import {
  type FilterRule,
  operatorsOf,
  orderInWords,
  orderOf,
  ownOrderOf,
  type Resource,
} from '../resource.ts'

type Parameter = Readonly<Record<string, unknown>>

const shared = (name: string): Parameter => ({ $ref: `#/components/parameters/${name}` })

/** The parameters of an operation in its path, its query and its headers. */
export function parametersOf(operation: Operation, path: string): Parameter[] {
  const { of, access } = operation
  const inPath = pathParameters(operation, path)
  const resource =
    of.is === 'resource' ? of.resource : of.is === 'action' ? of.action.shows?.resource : undefined
  const lists = of.is === 'action' ? of.action.shows?.page : of.is === 'resource' && of.name === 'list'
  const links = of.is === 'relationship' && of.name === 'list' && listsRows(of.relationship)
  const single = of.is === 'singleton' || (of.is === 'resource' && of.name !== 'list' && of.name !== 'create')
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
    ...(single ? [shared(access === 'read' ? 'ifNoneMatch' : 'ifMatch')] : []),
    ...(isRepeatable(operation) ? [shared('idempotencyKey')] : []),
  ]
}

function pathParameters({ path }: Operation, documented: string): Parameter[] {
  const own = [...path.matchAll(/:(\w+)/g)]
  const names = [...documented.matchAll(/\{(\w+)\}/g)]
  return own.map(([, name = ''], i) => ({
    name: names[i]?.[1] ?? name,
    in: 'path',
    required: true,
    schema: { type: 'string', ...(/(^|_)id$/.test(name) && { format: 'uuid' }) },
  }))
}

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
 * Of a list whose resource is not known before the request, sorting and filtering are not described, unless the action
 * has a filter of its own.
 */
function listParameters(resource: Resource | undefined, own: Fields): Parameter[] {
  const { sort, filter } = resource ?? {}
  return [
    ...pageParameters(resource ?? {}),
    ...(sort?.length ? [sortParameter(sort, resource ?? {})] : []),
    ...(filter ? [filterParameter(filter)] : []),
    ...(resource || own.filter ? [] : [shared('sort'), shared('filter')]),
  ]
}

const pageParameters = ({ whole, offsetMax }: Pick<Resource, 'whole' | 'offsetMax'>): Parameter[] => [
  shared(whole ? 'limitOfWhole' : 'limit'),
  offsetMax === undefined ? shared('offset') : offsetParameter(offsetMax),
  ...['after', 'before'].map(shared),
]

/** What nobody can sort by has no name. */
const withoutSort = (resource: Pick<Resource, 'order'>): string =>
  [ownOrderOf(resource) ? '' : `\`${orderOf(resource)}\`, `, orderInWords(resource)].join('')

const offsetParameter = (maximum: number): Parameter => ({
  name: 'page[offset]',
  in: 'query',
  description: 'Records to skip. Further down lead cursors, and filters along the order of the list.',
  schema: { type: 'integer', minimum: 0, maximum, default: 0 },
})

const sortParameter = (fields: readonly string[], resource: Pick<Resource, 'order'>): Parameter => ({
  name: 'sort',
  in: 'query',
  description: `The field to sort by; descending after \`-\`. Without it: ${withoutSort(resource)}.`,
  schema: { type: 'string', enum: fields.flatMap((field) => [field, `-${field}`]) },
})

function filterParameter(filter: NonNullable<Resource['filter']>): Parameter {
  const rows = Object.entries(filter).map(([field, rule]) => {
    const ops = operatorsOf(rule as readonly Op[] | FilterRule)
    return `- \`${field}\`: ${ops.map((op) => `\`${op}\``).join(', ')}`
  })
  const field = Object.keys(filter).find((name) => name !== 'id') ?? 'id'
  return {
    name: 'filter',
    in: 'query',
    description: [
      'Only records that meet it: `eq(field,value)`. Join terms by `:` (and) or `|` (or); group them in parentheses.',
      rows.join('\n'),
    ].join('\n\n'),
    schema: { type: 'string' },
    example: `eq(${field},value)`,
  }
}

function includeParameter({ include }: Resource): Parameter[] {
  const names = Object.keys(include ?? {})
  if (!names.length) return []
  return [
    {
      name: 'include',
      in: 'query',
      description: 'What to show beside the records, under `included`.',
      explode: false,
      schema: { type: 'array', items: { type: 'string', enum: names } },
    },
  ]
}
