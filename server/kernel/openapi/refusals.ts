import { isList, type Operation } from '../declare/operation.ts'
import { type ProblemCode, problems } from '../errors.ts'
import { headersNamed } from './headers.ts'

// One response for each status: `code` says the rest.
const refusals: Readonly<Record<string, ProblemCode>> = {
  '400': 'bad_request',
  '401': 'unauthorized',
  '403': 'forbidden',
  '404': 'not_found',
  '405': 'method_not_allowed',
  '408': 'request_timeout',
  '409': 'conflict',
  '410': 'gone',
  '412': 'precondition_failed',
  '413': 'too_large',
  '415': 'unsupported_media_type',
  '416': 'range_not_satisfiable',
  '422': 'unprocessable',
  '426': 'upgrade_required',
  '429': 'rate_limited',
  '431': 'headers_too_large',
  '500': 'internal',
  '503': 'unavailable',
}

const ownHeaders = {
  '401': ['WWW-Authenticate'],
  '405': ['Allow'],
  '415': ['Accept-Encoding'],
  '416': ['Content-Range'],
  '426': ['Upgrade'],
  '429': ['Retry-After'],
  '503': ['Retry-After'],
} as const

/** The responses that all operations share. */
export function responses(): Readonly<Record<string, unknown>> {
  const schema = { $ref: '#/components/schemas/Problems' }
  const refusal = ([status, code]: readonly [string, ProblemCode]) => {
    const { title } = problems[code]
    const example = { errors: [{ title, status, code }] }
    const own = ownHeaders[status as keyof typeof ownHeaders] ?? []
    const headers = headersNamed('X-Request-Id', ...own)
    return [
      code,
      { description: title, headers, content: { 'application/json': { schema, example } } },
    ] as const
  }
  return {
    NotModified: {
      description: 'Not modified: you have the current version.',
      headers: headersNamed('X-Request-Id', 'ETag'),
    },
    ...Object.fromEntries(Object.entries(refusals).map(refusal)),
  }
}

/** The statuses that any request may get: it is unreadable or too slow, or the server has failed. */
const always = ['400', '408', '431', '500', '503']

/** The refusals of an operation for these kinds of callers that its declaration shows. */
export function problemResponses(operation: Operation, callers: readonly string[]): Record<string, unknown> {
  const statuses = new Set([
    ...always,
    ...accessStatuses(operation),
    ...bodyStatuses(operation),
    ...ruleStatuses(operation),
    ...declaredStatuses(operation),
    // Too many exports of the list, or over HTTP/1.0.
    ...(isList(operation) ? ['426', '429'] : []),
    ...(isCounted(operation, callers) ? ['429'] : []),
  ])
  return Object.fromEntries(
    [...statuses].sort().map((status) => [status, { $ref: `#/components/responses/${refusals[status]}` }]),
  )
}

/** Too many writes from one address: see `countWrite`. */
const isCounted = ({ access }: Operation, callers: readonly string[]): boolean =>
  access === 'write' && callers.some((kind) => kind !== 'client_credentials')

function accessStatuses({ of, access, path }: Operation): string[] {
  const { storeIn, signsIn } = of.is === 'action' ? of.action : {}
  const unknown = path.includes(':') || storeIn ? ['404'] : []
  if (access !== 'open') return ['401', '403', ...unknown]
  return signsIn ? ['401', ...unknown] : unknown
}

/** The server reads the body of every method but GET. */
const bodyStatuses = ({ method }: Operation): string[] => (method === 'GET' ? [] : ['413', '415'])

/** The statuses by which rules refuse a body, or the state that a write finds. */
function ruleStatuses({ of, access, method }: Operation): string[] {
  if (method === 'GET') return []
  const named = ['404', '422']
  if (access === 'read') return named
  const changes =
    (of.is === 'resource' || of.is === 'singleton') && (of.name === 'update' || of.name === 'delete')
  return [...named, '409', ...(changes ? ['412'] : [])]
}

/** The statuses that the declaration lists, since they do not follow from the rest of it. */
function declaredStatuses({ of }: Operation): string[] {
  const codes =
    of.is === 'action' ? of.action.refuses : of.is === 'resource' ? of.resource.refuses?.[of.name] : undefined
  return (codes ?? []).map((code) => String(problems[code].status))
}
