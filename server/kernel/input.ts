import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { RE2JS } from 're2js'
import { type Envelope, placedSchema, valueIn } from './envelope.ts'
import { Problem } from './errors.ts'
import type { Field, Fields, JsonSchema, Values } from './fields.ts'
import { isId } from './ids.ts'

/** The schemas of what a client may send, and the refusals in words that say what would have been accepted. */

// RE2: patterns come from users (custom fields), and no input may make one run longer than linear time.
const re2 = (pattern: string) => {
  const compiled = RE2JS.compile(pattern)
  // Ajv keeps patterns apart by their text: without it, the first one would stand for all.
  return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern }
}
const ajv = new Ajv2020({
  strictTypes: false,
  allowUnionTypes: true,
  allErrors: false,
  verbose: true,
  code: { regExp: Object.assign(re2, { code: 're2' }) as never },
})
addFormats.default(ajv, ['email', 'uri', 'date-time'])
// The library's own `uuid` lets `urn:uuid:…` through, which PostgreSQL does not read.
ajv.addFormat('uuid', isId)
// Any text: it says that the value is a secret.
ajv.addFormat('password', true)

/** Compiles a schema into a check of the value at `path` (`data`). */
export function checker(schema: JsonSchema, path: string): (value: unknown) => void {
  let validate: ValidateFunction | undefined
  return (value) => {
    // Compiled on first use: a cold start compiles none.
    if (!validate) {
      validate = ajv.compile(schema)
      // Ajv keeps every schema it has seen; those of custom APIs come and go.
      ajv.removeSchema(schema)
    }
    if (validate(value)) return
    const error = mostTelling(validate.errors ?? [])
    if (error) throw refusal(error, path)
  }
}

const mostTelling = (errors: readonly ErrorObject[]) =>
  errors.find(({ keyword }) => keyword !== 'if') ?? errors[0]

function refusal(error: ErrorObject, path: string): Problem {
  const at = path + error.instancePath.replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
  if (error.keyword === 'required') {
    const missing = `${at}.${error.params.missingProperty}`
    return new Problem('invalid_field', `The field '${nameIn(missing)}' is required (${missing}).`, {
      source: missing,
    })
  }
  // What is never shown is not repeated in a refusal either.
  const { writeOnly, format } = (error.parentSchema ?? {}) as JsonSchema
  const shown = writeOnly || format === 'password' ? '.' : given(error.data)
  const detail = `Validation failed: ${at} ${expectation(error)}${shown}`
  return new Problem('invalid_field', detail, { source: at })
}

const nameIn = (path: string) => path.slice(path.lastIndexOf('.') + 1)

/** What would have been accepted. */
function expectation({ keyword, params, message, parentSchema }: ErrorObject): string {
  const schema = (parentSchema ?? {}) as JsonSchema
  switch (keyword) {
    case 'type':
      return `must be ${[params.type].flat().map(article).join(' or ')}`
    case 'minLength':
    case 'maxLength': {
      const { minLength = 0, maxLength } = schema
      return `must be a string of ${minLength} to ${maxLength} characters`
    }
    case 'minimum':
    case 'maximum':
      return schema.minimum === undefined || schema.maximum === undefined
        ? `must be ${params.comparison} ${params.limit}`
        : `must be from ${schema.minimum} to ${schema.maximum}`
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`
    case 'format':
      return `must be ${article(params.format)}`
    case 'pattern':
      return `must match ${params.pattern}`
    default:
      return message ?? 'is not valid'
  }
}

const words: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
  email: 'an email address',
  uri: 'an absolute URI',
  uuid: 'a UUID',
  'date-time': 'a timestamp (RFC 3339)',
}
const article = (word: string) => words[word] ?? word

function given(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  return `, not ${text.length > 60 ? `${text.slice(0, 57)}…` : text}.`
}

/** What a body must look like: `{"data": {"type": …, …}}` with the fields' own schemas. */
export interface BodyShape {
  readonly type: string
  readonly alsoType?: readonly string[]
  readonly typeOptional?: boolean
  readonly fields: Fields
  /** Where the fields are; without one, at the top. */
  readonly envelope?: Pick<Envelope, 'fields'>
}

export const writable = (fields: Fields) =>
  Object.entries(fields).filter(([, { options }]) => !options.readOnly)

/** The JSON Schema of `data` in a create or an update. Unknown members are let through, and ignored. */
export function dataSchema(
  { type, alsoType = [], typeOptional, fields, envelope }: BodyShape,
  update: boolean,
  schemaOf = checked,
): JsonSchema {
  const accepted = writable(fields)
  const needed = accepted.filter(([, { options }]) => (update ? options.requiredOnUpdate : options.required))
  const types = [type, ...alsoType]
  // Where a list mixes types, `type` is one of the fields.
  const required = new Set([...(typeOptional ? [] : ['type']), ...needed.map(([name]) => name)])
  return placedSchema(envelope, [...required], {
    type: types.length === 1 ? { const: type } : { enum: types },
    ...Object.fromEntries(accepted.map(([name, field]) => [name, schemaOf(field)])),
  })
}

const checked = ({ schema, options }: Field): JsonSchema =>
  options.hidden ? { ...schema, writeOnly: true } : schema

export interface Input<F extends Fields> {
  create(body: unknown): Values<F>
  /** Only the fields that were sent. */
  update(body: unknown): Partial<Values<F>>
}

/** Reads bodies: checks them, drops what is unknown or not the client's to set, fills in defaults. */
export function input<F extends Fields>(shape: BodyShape & { readonly fields: F }): Input<F> {
  const checks = [false, true].map((update) => checker(dataSchema(shape, update), 'data'))
  const accepted = writable(shape.fields)
  const pick = (body: unknown, update: boolean): Partial<Values<F>> => {
    const data = dataOf(body)
    checks[update ? 1 : 0]?.(data)
    const values: Record<string, unknown> = {}
    for (const [name, { schema, options }] of accepted) {
      const sent = valueIn(shape.envelope, data, name)
      const value = schema.format === 'uuid' ? asStored(sent) : sent
      if (value !== undefined) values[name] = value
      else if (!update && options.default !== undefined) values[name] = options.default
    }
    return values as Partial<Values<F>>
  }
  return { create: (body) => pick(body, false) as Values<F>, update: (body) => pick(body, true) }
}

/** Ids are written in lower case, as PostgreSQL writes them: they are compared as text. */
const asStored = (id: unknown) => (typeof id === 'string' ? id.toLowerCase() : id)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function dataOf(body: unknown): Record<string, unknown> {
  if (isObject(body) && isObject(body.data)) return body.data
  throw new Problem('invalid_field', `The field 'data' is required: send a JSON object {"data": {…}}.`, {
    source: 'data',
  })
}
