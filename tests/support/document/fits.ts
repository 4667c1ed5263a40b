import { Schemas } from './schemas.ts'

/** A request that was answered. */
export interface Exchange {
  readonly method: string
  /** The path that the route was declared with: `/v2/accounts/:id`. */
  readonly route: string
  readonly params: Readonly<Record<string, string>>
  readonly query: string
  readonly headers: Readonly<Record<string, unknown>>
  /** The body that was sent; undefined where the operation reads it as a stream. */
  readonly sent: string | undefined
  readonly status: number
  readonly answerHeaders: Readonly<Record<string, unknown>>
  /** The body of the answer, as far as it is text. */
  readonly answer: string | undefined
}

/** What does not fit: the operation, what of it in a few words that stay the same, and the particulars. */
export interface Fault {
  readonly operation: string
  readonly what: string
  readonly particulars: string
}

// biome-ignore lint/suspicious/noExplicitAny: documents are looked into by name.
type Node = any

const place = (path: string) => path.replace(/:\w+|\{\w+\}/g, '{}')

/** Headers of an answer that its HTTP client reads, a browser or a cache: no API document speaks of them. */
const ofHttp =
  /^(content-(type|length|encoding|disposition|security-policy)|connection|keep-alive|trailer|date|vary|transfer-encoding|cache-control|referrer-policy|x-content-type-options|x-accel-buffering|cross-origin-resource-policy|accept-ranges|server-timing|access-control-.*)$/

/**
 * Headers of a request that mean something to an operation. Whether If-Match, Range or Idempotency-Key do, the status
 * and the headers of the answer tell.
 */
const meaningful = /^(x-|ep-|prefer$)/
const ofProxies = /^x-(forwarded-|real-ip)/
/** Taken only where an operator has set `SUTLER_KEEP_IDS`: see docs/moving.md. */
const ofCopies = 'x-sutler-id'

/** Whether requests and answers fit an API document. */
export class Fits {
  readonly #schemas: Schemas
  readonly #operations = new Map<string, Node>()
  readonly #document: Node

  constructor(document: Node) {
    this.#document = document
    this.#schemas = new Schemas(document.components)
    for (const [path, methods] of Object.entries<Node>(document.paths)) {
      const { parameters = [], ...operations } = methods
      for (const [method, operation] of Object.entries<Node>(operations))
        this.#operations.set(`${method.toUpperCase()} ${place(path)}`, {
          ...operation,
          parameters: [...parameters, ...(operation.parameters ?? [])],
          names: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
        })
    }
  }

  /** The faults of an exchange; undefined where the document has no operation at its address. */
  faults(exchange: Exchange): readonly Fault[] | undefined {
    const method = exchange.method === 'HEAD' ? 'GET' : exchange.method
    const operation = this.#operation(method, place(exchange.route))
    if (!operation) return undefined
    const faults: string[][] = []
    const accepted = exchange.status >= 200 && exchange.status < 300
    if (accepted) {
      faults.push(...this.#parameterFaults(operation, exchange), ...this.#bodyFaults(operation, exchange))
    }
    faults.push(...this.#answerFaults(operation, exchange))
    return faults.map(([what = '', particulars = '']) => ({
      operation: operation.operationId,
      what,
      particulars,
    }))
  }

  /** A module may be served under a second prefix, which the document tells of in words. */
  #operation(method: string, path: string): Node {
    return (
      this.#operations.get(`${method} ${path}`) ??
      this.#operations.get(`${method} ${path.replace(/^\/\w+/, '')}`)
    )
  }

  #resolved(node: Node): Node {
    if (node?.$ref === undefined) return node
    return node.$ref
      .slice(2)
      .split('/')
      .reduce((at: Node, name: string) => at?.[name], this.#document)
  }

  #parameterFaults(operation: Node, { route, params, query, headers }: Exchange): string[][] {
    const faults: string[][] = []
    const parameters = operation.parameters.map((one: Node) => this.#resolved(one))
    const check = (where: string, name: string, value: string) => {
      const one = parameters.find((other: Node) => other.in === where && sameName(where, other.name, name))
      if (!one) return faults.push([`${where} ${name}`, 'is not documented'])
      const fault = this.#schemas.fault(one.schema, parameterValue(one, value), 'open')
      if (fault) faults.push([`${where} ${name}`, `${value.slice(0, 100)}: ${fault}`])
    }
    const own = [...route.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
    own.forEach((name, i) => {
      check('path', operation.names[i] ?? name, params[name] ?? '')
    })
    const sent = new URLSearchParams(query)
    // Clients send empty parameters for those that they leave out.
    for (const [name, value] of sent) if (value !== '') check('query', name, value)
    const isOwn = (name: string) => meaningful.test(name) && !ofProxies.test(name) && name !== ofCopies
    const names = Object.keys(headers).filter(isOwn)
    for (const name of names) if (!this.#isToken(name)) check('header', name, String(headers[name]))
    for (const one of parameters) {
      if (!one.required || one.in === 'path') continue
      const missing = one.in === 'query' ? !sent.has(one.name) : headers[one.name.toLowerCase()] === undefined
      if (missing) faults.push([`${one.in} ${one.name}`, 'is required and was not sent'])
    }
    return faults
  }

  #isToken(header: string): boolean {
    const schemes = Object.values<Node>(this.#document.components.securitySchemes ?? {})
    return schemes.some((one) => one.in === 'header' && one.name.toLowerCase() === header)
  }

  #bodyFaults({ requestBody }: Node, { method, sent, headers }: Exchange): string[][] {
    if (method === 'GET' || method === 'HEAD' || sent === undefined) return []
    if (sent === '') return requestBody?.required ? [['body', 'is required and was not sent']] : []
    // What is sent to a DELETE without one means nothing, and clients send an empty object where no body is wanted.
    if (!requestBody)
      return method === 'DELETE' || sent === '{}'
        ? []
        : [['body', `is not documented: ${sent.slice(0, 100)}`]]
    const { content } = requestBody
    const form = content[formType]
    // Clients label a form as JSON, and the reverse: where both are taken, the text tells.
    const isJson = form ? /^\s*\{/.test(sent) : isReadAsJson(String(headers['content-type'] ?? ''))
    const media = isJson ? content['application/json'] : (form ?? content['*/*'])
    if (!media) return [['body', `has the undocumented type ${headers['content-type']}`]]
    const value = isJson ? parsed(sent) : form ? Object.fromEntries(new URLSearchParams(sent)) : sent
    const fault = this.#schemas.fault(media.schema, value, 'open')
    return fault ? [[`body ${stem(fault)}`, `${fault} in ${sent.slice(0, 300)}`]] : []
  }

  #answerFaults(operation: Node, { method, status, answerHeaders, answer }: Exchange): string[][] {
    const response = this.#resolved(operation.responses[status] ?? operation.responses.default)
    if (!response) return [[`status ${status}`, `is not documented: ${(answer ?? '').slice(0, 300)}`]]
    const faults: string[][] = []
    const named = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase())
    for (const name of Object.keys(answerHeaders).map((one) => one.toLowerCase()))
      if (!ofHttp.test(name) && !named.includes(name))
        faults.push([
          `${status} header ${name}`,
          `is not documented: ${String(answerHeaders[name]).slice(0, 100)}`,
        ])
    for (const [name, one] of Object.entries<Node>(response.headers ?? {})) {
      const value = answerHeaders[name.toLowerCase()]
      const { required, schema } = this.#resolved(one)
      if (value === undefined && required) faults.push([`${status} header ${name}`, 'is missing'])
      const fault =
        value === undefined
          ? undefined
          : this.#schemas.fault(schema, parameterValue({ schema }, String(value)), 'open')
      if (fault) faults.push([`${status} header ${name}`, `${value}: ${fault}`])
    }
    if (method === 'HEAD' || answer === undefined) return faults
    if (answer === '') {
      if (response.content) faults.push([`${status} body`, 'is documented and empty'])
      return faults
    }
    const type =
      String(answerHeaders['content-type'] ?? '')
        .split(';')[0]
        ?.trim() ?? ''
    const media = response.content?.[type] ?? response.content?.['*/*']
    if (!media) return [...faults, [`${status} type ${type}`, answer.slice(0, 100)]]
    if (type !== 'application/json') return faults
    const fault = this.#schemas.fault(media.schema, parsed(answer), 'closed')
    if (fault) faults.push([`${status} ${stem(fault)}`, `${fault} in ${answer.slice(0, 600)}`])
    return faults
  }
}

const formType = 'application/x-www-form-urlencoded'

/** Each type of JSON is read as JSON is. */
/** JSON under the type that curl or a browser gives it is read as JSON. */
const isReadAsJson = (type: string): boolean =>
  isJsonType(type) || /^(application\/x-www-form-urlencoded|text\/plain)\s*(;|$)/i.test(type)

const isJsonType = (type: string): boolean => /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)

const sameName = (where: string, one: string, other: string): boolean =>
  where === 'header' ? one.toLowerCase() === other : one === other

/** The place of a fault, whatever the index or the key in it is. */
const stem = (fault: string): string =>
  fault.replace(/\/\d+(?=\/| )/g, '/0').replace(/\/[0-9a-f]{8}-[0-9a-f-]{27}/g, '/{id}')

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The value that a parameter's text stands for. */
function parameterValue({ schema, explode }: Node, text: string): unknown {
  const types = [schema?.type].flat()
  if (types.includes('array')) return explode === false ? text.split(',') : [text]
  const isNumber = types.includes('integer') || types.includes('number')
  if (isNumber && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  if (types.includes('boolean') && /^(true|false)$/.test(text)) return text === 'true'
  return text
}
