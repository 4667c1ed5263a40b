/**
 * Every way the server refuses a request: one row each, append only. The key is the `code` a client sees; `status`
 * and `title` follow the public contract. `docs/errors.md` is generated from this table.
 */
export const problems = {
  bad_request: { status: 400, title: 'Bad Request' },
  bad_filter: { status: 400, title: 'Bad Request' },
  bad_page: { status: 400, title: 'Bad Request' },
  malformed_json: { status: 400, title: 'Bad Request' },
  invalid_field: { status: 400, title: 'Bad Request' },
  unauthorized: { status: 401, title: 'Unauthorized' },
  forbidden: { status: 403, title: 'Forbidden' },
  not_found: { status: 404, title: 'Not Found' },
  method_not_allowed: { status: 405, title: 'Method Not Allowed' },
  request_timeout: { status: 408, title: 'Request Timeout' },
  conflict: { status: 409, title: 'Conflict' },
  precondition_failed: { status: 412, title: 'Precondition Failed' },
  too_large: { status: 413, title: 'Request Entity Too Large' },
  unsupported_media_type: { status: 415, title: 'Unsupported Media Type' },
  range_not_satisfiable: { status: 416, title: 'Range Not Satisfiable' },
  unprocessable: { status: 422, title: 'Unprocessable Entity' },
  timed_out: { status: 422, title: 'Unprocessable Content' },
  rate_limited: { status: 429, title: 'Too Many Requests' },
  headers_too_large: { status: 431, title: 'Request Header Fields Too Large' },
  internal: { status: 500, title: 'Internal Server Error' },
  not_implemented: { status: 501, title: 'Not Implemented' },
  unavailable: { status: 503, title: 'Service Unavailable' },
} as const satisfies Record<string, { status: number; title: string }>

export type ProblemCode = keyof typeof problems

/** What a problem says beside its code. `detail` is shown to the client, `cause` only to the log. */
export interface ProblemExtras {
  /** Where in the request the fault is, as a dotted path: `data.name`, `page[limit]`. */
  readonly source?: string
  /** Response headers the refusal owes, such as `Allow` on a 405. */
  readonly headers?: Readonly<Record<string, string>>
  /** A status and a title in place of the table's, where the public contract of one endpoint has others. */
  readonly status?: number
  readonly title?: string
  /** What else the public contract of one endpoint tells of the fault: which item it is of, which code. */
  readonly meta?: Readonly<Record<string, unknown>>
  /** Further faults of the same request, see `together`. */
  readonly others?: readonly Problem[]
  readonly cause?: unknown
}

/** An expected refusal. Anything else that is thrown is a bug: a 500, logged, never shown. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly status: number
  readonly title: string
  readonly detail: string | undefined
  readonly source: string | undefined
  readonly meta: ProblemExtras['meta']
  readonly headers: Readonly<Record<string, string>>
  readonly #others: readonly Problem[]

  constructor(code: ProblemCode, detail?: string, extras: ProblemExtras = {}) {
    super(detail ?? problems[code].title, { cause: extras.cause })
    this.name = 'Problem'
    this.code = code
    this.status = extras.status ?? problems[code].status
    this.title = extras.title ?? problems[code].title
    this.detail = detail
    this.source = extras.source
    this.meta = extras.meta
    this.headers = extras.headers ?? {}
    this.#others = extras.others ?? []
  }

  /** Every fault of the request that is known, this one first. */
  get all(): readonly Problem[] {
    return [this, ...this.#others]
  }
}

/** One refusal of several faults, in their order. The first one gives the status of the response. */
export function together([first, ...others]: readonly Problem[]): Problem {
  if (!first) throw new Error('there is no fault to refuse')
  if (!others.length) return first
  const { code, detail, source, headers, status, title, meta, cause } = first
  return new Problem(code, detail, {
    ...{ headers, status, title, cause, others },
    ...(source !== undefined && { source }),
    ...(meta && { meta }),
  })
}

/** Others wrote the same rows first, time after time. The same request may succeed later. */
export class LostRace extends Problem {
  constructor(cause?: unknown) {
    super('conflict', 'Write conflict detected; send the request again.', { cause })
  }
}

/** The refusal of a body that lacks the value at `path` (`data.name`). */
export const missingField = (path: string): Problem =>
  new Problem(
    'invalid_field',
    `The field '${path.slice(path.lastIndexOf('.') + 1)}' is required (${path}).`,
    {
      source: path,
    },
  )

/** Names in refusals are clipped: an address may hold a long text in place of an id. */
const nameMax = 255

/** The refusal of a request that names an object which is not there: what it is, and the name that was asked for. */
export function notFound(what: string, name?: string, extras: ProblemExtras = {}): Problem {
  if (!name) return new Problem('not_found', `${what} not found`, extras)
  const clipped = name.length > nameMax ? `${name.slice(0, nameMax)}…` : name
  return new Problem('not_found', `${what} not found: ${clipped.toWellFormed()}`, extras)
}
