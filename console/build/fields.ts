import type { FieldFacts, FieldKind } from '../src/api/document.ts'
import { isNode, type Node } from './document.ts'

/** An object inside of objects is shown as fields of its own down to this depth, and as JSON beyond it. */
const depthMax = 4

/** The values of an object as its schema describes them: the members of groups stand beside the others. */
export function fieldsOf(document: Node, schema: unknown, isSent: boolean): readonly FieldFacts[] {
  const read = (schema: Node, prefix: string, isNeeded: boolean) =>
    membersOf({ document, isSent, read }, schema, prefix, isNeeded)
  const resolved = resolve(document, schema)
  return isNode(resolved) ? read(resolved, '', true) : []
}

interface Reading {
  readonly document: Node
  /** Whether a client sends the object: then it leaves out what the server writes. */
  readonly isSent: boolean
  read(schema: Node, prefix: string, isNeeded: boolean): readonly FieldFacts[]
}

function membersOf(
  { document, isSent, read }: Reading,
  schema: Node,
  prefix: string,
  isNeeded: boolean,
): readonly FieldFacts[] {
  const { properties, required } = schema
  if (!isNode(properties)) return []
  const needed = Array.isArray(required) ? required : []
  return Object.entries(properties).flatMap(([name, one]) => {
    const path = prefix + name
    const inside = resolve(document, one)
    if (!isNode(inside) || (isSent && inside.readOnly === true)) return []
    const isRequired = isNeeded && needed.includes(name)
    const isGroup = isNode(inside.properties) && Object.keys(inside.properties).length > 0
    if (isGroup && path.split('.').length < depthMax) return read(inside, `${path}.`, isRequired)
    return [factsOf(path, inside, isRequired)]
  })
}

function factsOf(path: string, schema: Node, required: boolean): FieldFacts {
  const { description, minimum, maximum, minLength, maxLength, pattern, examples, default: fallback } = schema
  const types = [schema.type].flat()
  const refers = schema['x-sutler-refers']
  const choices = choicesOf(schema)
  return {
    path,
    kind: kindOf(schema, choices),
    ...(typeof description === 'string' && { about: description }),
    ...(required && { required }),
    ...(types.includes('null') && { nullable: true }),
    ...(schema.format === 'password' && { secret: true }),
    ...(isBound(minimum) && { min: minimum }),
    ...(isBound(maximum) && { max: maximum }),
    ...(typeof minLength === 'number' && { minLength }),
    ...(typeof maxLength === 'number' && { maxLength }),
    ...(typeof pattern === 'string' && { pattern }),
    ...(choices && { choices }),
    ...(typeof refers === 'string' && { refers }),
    ...(Array.isArray(examples) && { example: examples[0] }),
    ...(fallback !== undefined && { default: fallback }),
  }
}

/** The limit of all integers says nothing to a reader. */
const isBound = (limit: unknown): limit is number =>
  typeof limit === 'number' && Math.abs(limit) < Number.MAX_SAFE_INTEGER

function choicesOf(schema: Node): readonly string[] | undefined {
  if (typeof schema.const === 'string') return [schema.const]
  if (!Array.isArray(schema.enum)) return undefined
  const words = schema.enum.filter((one) => typeof one === 'string')
  return words.length ? words : undefined
}

function kindOf(schema: Node, choices: readonly string[] | undefined): FieldKind {
  if (choices) return 'choice'
  if (typeof schema['x-sutler-refers'] === 'string') return 'reference'
  const types = [schema.type].flat().filter((type) => type !== 'null')
  if (types.length !== 1) return 'json'
  const [type] = types
  if (type === 'string') return schema.format === 'date-time' ? 'time' : 'text'
  return type === 'number' || type === 'integer' || type === 'boolean' ? type : 'json'
}

/** A schema in place of the reference to it, with what the reference adds. */
function resolve(document: Node, schema: unknown): unknown {
  if (!isNode(schema)) return schema
  const { $ref, ...added } = schema
  if (typeof $ref !== 'string') return schema
  const target = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, name) => (isNode(at) ? at[name] : undefined), document)
  const inside = resolve(document, target)
  return isNode(inside) ? { ...inside, ...added } : inside
}
