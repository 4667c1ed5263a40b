/**
 * Every way in which the server refuses a request, one row each; rows are only added. The key is the `code` that
 * clients see; `status` and `title` follow the public contract. `docs/errors.md` is generated from this table.
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
  gone: { status: 410, title: 'Gone' },
  precondition_failed: { status: 412, title: 'Precondition Failed' },
  too_large: { status: 413, title: 'Request Entity Too Large' },
  unsupported_media_type: { status: 415, title: 'Unsupported Media Type' },
  range_not_satisfiable: { status: 416, title: 'Range Not Satisfiable' },
  unprocessable: { status: 422, title: 'Unprocessable Entity' },
  timed_out: { status: 422, title: 'Unprocessable Content' },
  upgrade_required: { status: 426, title: 'Upgrade Required' },
  rate_limited: { status: 429, title: 'Too Many Requests' },
  headers_too_large: { status: 431, title: 'Request Header Fields Too Large' },
  internal: { status: 500, title: 'Internal Server Error' },
  not_implemented: { status: 501, title: 'Not Implemented' },
  unavailable: { status: 503, title: 'Service Unavailable' },
} as const satisfies Record<string, { status: number; title: string }>

export type ProblemCode = keyof typeof problems

/** Details of a problem. Clients see `detail`; `cause` is only for the log. */
export interface ProblemExtras {
  /** The position of the fault in the request, as a dotted path: `data.name`, `page[limit]`. */
  readonly source?: string
  /** Response headers that the refusal needs, such as `Allow` on a 405. */
  readonly headers?: Readonly<Record<string, string>>
  /** Another status and title than the table's, if the public contract of one endpoint has them. */
  readonly status?: number
  readonly title?: string
  /** Further facts that the public contract of one endpoint requires, such as the faulty item. */
  readonly meta?: Readonly<Record<string, unknown>>
  /** Further faults of the same request: see `together`. */
  readonly others?: readonly Problem[]
  readonly cause?: unknown
  /** What metrics count the refusal by. Default: the code. */
  readonly reason?: string
}

/**
 * An expected refusal. Any other thrown error is a bug: the client gets a 500 without details, and the log gets the
 * error.
 */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly status: number
  readonly title: string
  readonly detail: string | undefined
  readonly source: string | undefined
  readonly meta: ProblemExtras['meta']
  readonly headers: Readonly<Record<string, string>>
  readonly reason: string
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
    this.reason = extras.reason ?? code
    this.#others = extras.others ?? []
  }

  /** All reported faults of the request, this one first. */
  get all(): readonly Problem[] {
    return [this, ...this.#others]
  }
}

/** Combines several faults into one refusal. The first gives the status of the response. */
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

/** Runs a function, and names the member of the body that made it refuse. */
export async function blame<T>(source: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new Problem(error.code, error.detail, { source, cause: error })
  }
}

/** Other writes of the same rows came first, again and again. The same request may succeed later. */
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

/** The refusal of the value at `path`. `detail` says what is accepted: `must be a UUID`. */
export const invalidField = (
  path: string,
  detail: string,
  code: 'invalid_field' | 'unprocessable' = 'invalid_field',
): Problem => new Problem(code, `Validation failed: ${path} ${detail}.`, { source: path })

/** The longest name that a message repeats: a path may contain a long text in place of an id. */
const nameMax = 255

/** The refusal for a missing object: the noun, and the name from the request. */
export function notFound(what: string, name?: string, extras: ProblemExtras = {}): Problem {
  if (!name) return new Problem('not_found', `${what} not found`, extras)
  const clipped = name.length > nameMax ? `${name.slice(0, nameMax)}…` : name
  return new Problem('not_found', `${what} not found: ${clipped.toWellFormed()}`, extras)
}
