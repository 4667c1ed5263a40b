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

/** The field of a body that is a list of references and nothing else. */
export function referencesIn(document: Node, schema: unknown): FieldFacts | undefined {
  const resolved = resolve(document, schema)
  if (!isNode(resolved) || kindOf('', resolved) !== 'references') return undefined
  return factsOf('', resolved, true)
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
    const isGroup =
      isNode(inside.properties) &&
      Object.keys(inside.properties).length > 0 &&
      !typesOf(inside).includes('array')
    // An amount that is shown has its currency and its text beside it: together they are one value.
    if (!isSent && isMoney(inside)) return [{ path, kind: 'money' as const, ...aboutOf(inside) }]
    if (isGroup && path.split('.').length < depthMax) return read(inside, `${path}.`, isRequired)
    const hasCurrency = name === 'amount' && isNode(properties.currency)
    return [{ ...factsOf(path, inside, isRequired), ...(hasCurrency && { currencyAt: `${prefix}currency` }) }]
  })
}

const isText = (schema: Node): boolean => typesOf(schema).join() === 'string'

const isMoney = ({ properties }: Node): boolean =>
  isNode(properties) && isNode(properties.amount) && isNode(properties.currency)

const aboutOf = ({ description }: Node) => (typeof description === 'string' ? { about: description } : {})

const typesOf = (schema: Node): readonly unknown[] => [schema.type].flat().filter((type) => type !== 'null')

function factsOf(path: string, schema: Node, required: boolean): FieldFacts {
  const { minimum, maximum, minLength, maxLength, pattern, examples, default: fallback } = schema
  const choices = choicesOf(schema) ?? choicesOf(itemsOf(schema))
  return {
    path,
    kind: kindOf(path, schema),
    ...aboutOf(schema),
    ...(required && { required }),
    ...([schema.type].flat().includes('null') && { nullable: true }),
    ...((schema.format === 'password' || isSecretName(path)) && { secret: true }),
    ...(isBound(minimum) && { min: minimum }),
    ...(isBound(maximum) && { max: maximum }),
    ...(typeof minLength === 'number' && { minLength }),
    ...(typeof maxLength === 'number' && { maxLength }),
    ...(typeof pattern === 'string' && { pattern }),
    ...(choices && { choices }),
    ...referenceOf(schema),
    ...(Array.isArray(examples) && { example: examples[0] }),
    ...(fallback !== undefined && { default: fallback }),
  }
}

/** Old passwords and keys of other systems are texts in the document. */
const isSecretName = (path: string): boolean => /(password|secret|secret_key)$/.test(path)

/** The limit of all integers says nothing to a reader. */
const isBound = (limit: unknown): limit is number =>
  typeof limit === 'number' && Math.abs(limit) < Number.MAX_SAFE_INTEGER

function choicesOf(schema: Node): readonly string[] | undefined {
  if (typeof schema.const === 'string') return [schema.const]
  if (!Array.isArray(schema.enum)) return undefined
  const words = schema.enum.filter((one) => typeof one === 'string')
  return words.length ? words : undefined
}

const itemsOf = ({ items }: Node): Node => (isNode(items) ? items : {})

/** What ids refer to, and the type that goes with each if it stands in an object. */
function referenceOf(schema: Node): Pick<FieldFacts, 'refers' | 'linkType'> {
  const items = itemsOf(schema)
  const refers = schema['x-sutler-refers'] ?? items['x-sutler-refers']
  if (typeof refers === 'string') return { refers }
  const { id, type } = isNode(items.properties) ? items.properties : {}
  const linked = isNode(id) ? id['x-sutler-refers'] : undefined
  const [linkType] = isNode(type) ? (choicesOf(type) ?? []) : []
  const needed = Array.isArray(items.required) ? items.required : []
  if (typeof linked !== 'string' || !linkType || needed.some((name) => name !== 'id' && name !== 'type'))
    return {}
  return { refers: linked, linkType }
}

function kindOf(path: string, schema: Node): FieldKind {
  const types = typesOf(schema)
  if (schema.format === 'password') return 'text'
  if (schema.format === 'binary') return 'file'
  if (choicesOf(schema)) return 'choice'
  if (isByCurrency(schema)) return 'amounts'
  if (types.length !== 1) return 'json'
  const [type] = types
  if (referenceOf(schema).refers) return type === 'array' ? 'references' : 'reference'
  if (type === 'array') return isText(itemsOf(schema)) ? 'words' : 'json'
  if (type === 'string') return schema.format === 'date-time' ? 'time' : 'text'
  if (type === 'integer' && isAmount(path)) return 'money'
  return type === 'number' || type === 'integer' || type === 'boolean' ? type : 'json'
}

/** All amounts of the API are integers in the smallest unit of their currency, and have these names. */
const isAmount = (path: string): boolean => /(^|[._])amount$|shipping_price\.(base|tax|fees)$/.test(path)

/** An amount for each of some currencies. */
const isByCurrency = ({ propertyNames, additionalProperties }: Node): boolean =>
  isNode(propertyNames) &&
  propertyNames.pattern === '^[A-Z]{3}$' &&
  isNode(additionalProperties) &&
  isNode(additionalProperties.properties) &&
  isNode(additionalProperties.properties.amount)

/** A schema in place of the reference to it, with what the reference adds. */
export function resolve(document: Node, schema: unknown): unknown {
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
