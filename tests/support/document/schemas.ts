import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { isDay } from '../../../server/kernel/body/days.ts'
import { isId } from '../../../server/kernel/ids.ts'
import type { JsonSchema } from '../../../server/kernel/shape/fields.ts'

type Members = Readonly<Record<string, unknown>>

const isObject = (node: unknown): node is Members =>
  typeof node === 'object' && node !== null && !Array.isArray(node)

const mapped = (members: unknown, change: (schema: unknown) => unknown): Members =>
  Object.fromEntries(Object.entries((members ?? {}) as Members).map(([name, one]) => [name, change(one)]))

const branches = ['allOf', 'anyOf', 'oneOf'] as const

/**
 * A schema that also refuses members that it does not name. An object without `properties`, or with
 * `additionalProperties`, stays open. A `branch` is one of several schemas of the same object: its neighbours may name
 * other members.
 */
export function closed(schema: unknown, branch = false): unknown {
  if (!isObject(schema)) return schema
  const result: Record<string, unknown> = { ...schema }
  if (typeof schema.$ref === 'string')
    result.$ref = schema.$ref.replace('#/components/schemas/', `#/${branch ? 'branches' : 'closed'}/`)
  for (const name of ['properties', 'patternProperties'] as const)
    if (schema[name]) result[name] = mapped(schema[name], (one) => closed(one))
  for (const name of ['items', 'additionalProperties'] as const)
    if (isObject(schema[name])) result[name] = closed(schema[name])
  for (const name of branches)
    if (Array.isArray(schema[name])) result[name] = schema[name].map((one) => closed(one, true))
  for (const name of ['then', 'else'] as const) if (schema[name]) result[name] = closed(schema[name], true)
  const composed = branches.some((name) => schema[name]) || schema.$ref !== undefined
  if (!schema.properties && !composed && schema.additionalProperties === undefined)
    result.additionalProperties = true
  if (schema.additionalProperties !== undefined || branch || schema.$ref) return result
  return schema.properties || composed ? { ...result, unevaluatedProperties: false } : result
}

/** Compiles the schemas of one document, each on its first use. */
export class Schemas {
  readonly #ajv: Ajv2020
  readonly #validators = new Map<unknown, Partial<Record<'open' | 'closed', ValidateFunction>>>()
  /** By the text of the schema: many operations answer with the same one. */
  readonly #compiled = new Map<string, ValidateFunction>()

  constructor(components: Members) {
    this.#ajv = new Ajv2020({
      strict: false,
      logger: false,
      validateSchema: false,
      inlineRefs: false,
      // Optimizing a check takes longer than running it: most schemas are compiled for a few values.
      code: { optimize: false },
    })
    addFormats.default(this.#ajv, { formats: ['email', 'uri', 'uri-reference', 'date-time'], keywords: true })
    this.#ajv.addFormat('uuid', isId)
    this.#ajv.addFormat('day', isDay)
    for (const name of ['password', 'binary']) this.#ajv.addFormat(name, true)
    const { schemas } = components
    const root = {
      $id: 'document',
      components,
      closed: mapped(schemas, (one) => closed(one)),
      branches: mapped(schemas, (one) => closed(one, true)),
    }
    this.#ajv.addSchema(root)
  }

  /** What is wrong with a value, and where; undefined when it fits. */
  fault(schema: unknown, value: unknown, as: 'open' | 'closed'): string | undefined {
    const validate = this.#compile(schema as JsonSchema, as)
    if (validate(value)) return undefined
    const [first] = validate.errors ?? []
    if (!first) return 'does not fit'
    const { instancePath, message, params } = first
    const member = params.unevaluatedProperty ?? params.additionalProperty
    return member === undefined
      ? `${instancePath || '/'} ${message}${params.allowedValue === undefined ? '' : ` ${params.allowedValue}`}`
      : `${instancePath}/${member} is not documented`
  }

  #compile(schema: JsonSchema, as: 'open' | 'closed'): ValidateFunction {
    const checks = this.#validators.get(schema) ?? {}
    this.#validators.set(schema, checks)
    checks[as] ??= this.#compileText(anchored(as === 'closed' ? closed(schema) : schema))
    return checks[as]
  }

  #compileText(text: string): ValidateFunction {
    const validate = this.#compiled.get(text) ?? this.#ajv.compile(JSON.parse(text) as JsonSchema)
    this.#compiled.set(text, validate)
    return validate
  }
}

/** The text of a schema that stands alone: its references lead into the document. */
const anchored = (schema: unknown): string =>
  JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/')
