import type { FieldFacts, FieldKind } from '../src/api/document.ts'
import { isNode, type Node } from './document.ts'

/** An object inside of objects is shown as fields of its own down to this depth, and as JSON beyond it. */
const depthMax = 4

/** The values of an object as its schema describes them: the members of groups stand beside the others. */
export function fieldsOf(document: Node, schema: unknown, isSent: boolean, level = 0): readonly FieldFacts[] {
  const read = (schema: Node, prefix: string, isNeeded: boolean) =>
    membersOf({ document, isSent, level, read }, schema, prefix, isNeeded)
  const resolved = resolve(document, schema)
  return isNode(resolved) ? read(joined(document, resolved), '', true) : []
}

/** Objects of several forms have the fields of all of them. */
function joined(document: Node, schema: Node): Node {
  if (!Array.isArray(schema.anyOf) || isNode(schema.properties)) return schema
  const forms = schema.anyOf.map((one) => resolve(document, one)).filter(isNode)
  return { properties: Object.assign({}, ...forms.toReversed().map(({ properties }) => properties)) }
}

/** The field of a body that is a list of references and nothing else. */
export function referencesIn(document: Node, schema: unknown): FieldFacts | undefined {
  const resolved = resolve(document, schema)
  if (!isNode(resolved) || kindOf(document, '', resolved) !== 'references') return undefined
  return factsOf(document, '', resolved, true)
}

interface Reading {
  readonly document: Node
  /** Whether a client sends the object: then it leaves out what the server writes. */
  readonly isSent: boolean
  /** How many lists and maps the object is inside of. */
  readonly level: number
  read(schema: Node, prefix: string, isNeeded: boolean): readonly FieldFacts[]
}

function membersOf(
  { document, isSent, level, read }: Reading,
  schema: Node,
  prefix: string,
  isNeeded: boolean,
): readonly FieldFacts[] {
  const { properties, required } = schema
  if (!isNode(properties)) return []
  const needed = Array.isArray(required) ? required : []
  const linkType = prefix === '' ? undefined : linkTypeOf(document, properties)
  return Object.entries(properties).flatMap(([name, one]) => {
    const path = prefix + name
    const inside = resolve(document, one)
    if (!isNode(inside) || (isSent && inside.readOnly === true)) return []
    // The type of a reference says nothing that its id does not.
    if (linkType !== undefined && name === 'type') return []
    const isRequired = isNeeded && needed.includes(name)
    const isGroup =
      isNode(inside.properties) &&
      Object.keys(inside.properties).length > 0 &&
      !typesOf(inside).includes('array')
    // An amount that is shown has its currency and its text beside it: together they are one value.
    if (!isSent && isMoney(inside)) return [{ path, kind: 'money' as const, ...aboutOf(inside) }]
    if (isGroup && path.split('.').length < depthMax) return read(inside, `${path}.`, isRequired)
    const hasCurrency = name === 'amount' && isNode(properties.currency)
    const facts = factsOf(document, path, inside, isRequired)
    return [
      {
        ...(isSent ? withInside(document, facts, inside, level) : withTarget(document, facts, inside)),
        ...(hasCurrency && { currencyAt: `${prefix}currency` }),
        ...(linkType !== undefined && name === 'id' && asLink(document, facts, linkType)),
      },
    ]
  })
}

/** The only type of the object that these members refer to. */
function linkTypeOf(document: Node, { id, type }: Node): string | undefined {
  const choices = isNode(id) ? choicesOf(resolve(document, type)) : undefined
  return choices?.length === 1 ? choices[0] : undefined
}

function asLink(document: Node, { refers }: FieldFacts, linkType: string): Partial<FieldFacts> {
  const known = typesIn(document).has(linkType) ? linkType : refers
  return { linkType, ...(known !== undefined && { kind: 'reference', refers: known }) }
}

const typesOfDocuments = new WeakMap<Node, ReadonlySet<string>>()

/** The types of all objects that have a list. */
function typesIn(document: Node): ReadonlySet<string> {
  const known = typesOfDocuments.get(document)
  if (known) return known
  const lists = Object.values(document.paths as Readonly<Record<string, Node>>).flatMap(({ get }) =>
    isNode(get) && isNode(get['x-sutler-list']) ? [String(get['x-sutler-list'].type)] : [],
  )
  const types = new Set(lists)
  typesOfDocuments.set(document, types)
  return types
}

/** What a field refers to by its name where the document does not say it: `pricebook_id`, `customer.id`. */
function namedReference(document: Node, path: string, schema: Node): Partial<FieldFacts> {
  const [, name, many] = /(?:^|[._])?(\w+?)(?:\.data)?[._]id(s)?$/.exec(path) ?? []
  const isMany = many !== undefined
  const fits = isMany ? itemsOf(schema).type === 'string' : typesOf(schema)[0] === 'string'
  if (name === undefined || !fits || !typesIn(document).has(name)) return {}
  return { refers: name, kind: isMany ? 'references' : 'reference' }
}

const isMoney = ({ properties }: Node): boolean =>
  isNode(properties) && isNode(properties.amount) && isNode(properties.currency)

const aboutOf = ({ description }: Node) => (typeof description === 'string' ? { about: description } : {})

/** The name that people have given to a field of their own, if that is not its name in the API. */
const labelOf = (path: string, { title }: Node) =>
  typeof title === 'string' && title !== path.split('.').at(-1) ? { label: title } : {}

const typesOf = (schema: Node): readonly unknown[] => [schema.type].flat().filter((type) => type !== 'null')

function factsOf(document: Node, path: string, schema: Node, required: boolean): FieldFacts {
  const { minimum, maximum, minLength, maxLength, pattern, examples, default: fallback } = schema
  const choices = choicesOf(schema) ?? choicesOf(itemsOf(schema))
  const kind = kindOf(document, path, schema)
  return {
    path,
    kind,
    ...aboutOf(schema),
    ...labelOf(path, schema),
    ...(required && { required }),
    ...([schema.type].flat().includes('null') && { nullable: true }),
    ...((schema.format === 'password' || isSecretName(path)) && { secret: true }),
    ...(isBound(minimum) && { min: minimum }),
    ...(isBound(maximum) && { max: maximum }),
    ...(typeof minLength === 'number' && { minLength }),
    ...(typeof maxLength === 'number' && { maxLength }),
    ...(typeof pattern === 'string' && { pattern }),
    ...(choices && { choices }),
    ...((kind === 'text' || kind === 'words') && namedReference(document, path, schema)),
    ...referenceOf(document, schema),
    ...(Array.isArray(examples) && { example: examples[0] }),
    ...(fallback !== undefined && { default: fallback }),
  }
}

/** What the objects of a list refer to by their ids. */
function withTarget(document: Node, facts: FieldFacts, schema: Node): FieldFacts {
  const { properties } = partOf(document, 'objects', schema)
  const id = isNode(properties) ? resolve(document, properties.id) : undefined
  const refers = isNode(id) ? id['x-sutler-refers'] : undefined
  return facts.kind === 'objects' && typeof refers === 'string' ? { ...facts, refers } : facts
}

/** Lists and maps inside of others are shown field by field down to this level, and as JSON beyond it. */
const levelMax = 2

/** A list or a map with the fields of each of its values. A value that is no object is a field without a path. */
function withInside(document: Node, facts: FieldFacts, schema: Node, level: number): FieldFacts {
  const { kind } = facts
  if (kind !== 'objects' && kind !== 'map') return facts
  if (level === levelMax) return { ...facts, kind: 'json' }
  const part = partOf(document, kind, schema)
  return {
    ...facts,
    inside: isNode(part.properties)
      ? fieldsOf(document, part, true, level + 1)
      : [{ ...factsOf(document, '', part, false), path: '' }],
  }
}

const partOf = (document: Node, kind: 'objects' | 'map', { items, additionalProperties }: Node): Node => {
  const part = resolve(document, kind === 'map' ? additionalProperties : items)
  return isNode(part) ? part : {}
}

/** Old passwords and keys of other systems are texts in the document. */
const isSecretName = (path: string): boolean => /(password|secret|secret_key)$/.test(path)

/** The limit of all integers says nothing to a reader. */
const isBound = (limit: unknown): limit is number =>
  typeof limit === 'number' && Math.abs(limit) < Number.MAX_SAFE_INTEGER

function choicesOf(schema: unknown): readonly string[] | undefined {
  if (!isNode(schema)) return undefined
  if (typeof schema.const === 'string') return [schema.const]
  if (!Array.isArray(schema.enum)) return undefined
  const words = schema.enum.filter((one) => typeof one === 'string')
  return words.length ? words : undefined
}

const itemsOf = ({ items }: Node): Node => (isNode(items) ? items : {})

/** What ids refer to, and the type that goes with each if it stands in an object. */
function referenceOf(document: Node, schema: Node): Pick<FieldFacts, 'refers' | 'linkType'> {
  const items = partOf(document, 'objects', schema)
  const refers = schema['x-sutler-refers'] ?? items['x-sutler-refers']
  if (typeof refers === 'string') return { refers }
  const { id, type } = isNode(items.properties) ? items.properties : {}
  const [linkType] = choicesOf(type) ?? []
  const declared = isNode(id) ? id['x-sutler-refers'] : undefined
  const linked =
    declared ?? (isNode(id) && linkType && typesIn(document).has(linkType) ? linkType : undefined)
  const needed = Array.isArray(items.required) ? items.required : []
  if (typeof linked !== 'string' || !linkType || needed.some((name) => name !== 'id' && name !== 'type'))
    return {}
  return { refers: linked, linkType }
}

function kindOf(document: Node, path: string, schema: Node): FieldKind {
  const types = typesOf(schema)
  if (schema.format === 'password') return 'text'
  if (schema.format === 'binary') return 'file'
  if (choicesOf(schema)) return 'choice'
  if (isByCurrency(schema)) return 'amounts'
  if (types.length !== 1) return 'json'
  const [type] = types
  if (referenceOf(document, schema).refers) return type === 'array' ? 'references' : 'reference'
  if (type === 'array') return kindOfList(document, schema)
  if (type === 'object') return isMap(document, schema) ? 'map' : 'json'
  if (type === 'string') return schema.format === 'date-time' ? 'time' : 'text'
  if (type === 'integer' && isAmount(path)) return 'money'
  return type === 'number' || type === 'integer' || type === 'boolean' ? type : 'json'
}

function kindOfList(document: Node, schema: Node): FieldKind {
  const part = partOf(document, 'objects', schema)
  if (typesOf(part).join() === 'string' || isText(part)) return 'words'
  const isTold = isNode(part.properties) && Object.keys(part.properties).length > 0
  return isTold ? 'objects' : 'json'
}

/** A text that may be one of some words, or another. */
const isText = ({ anyOf }: Node): boolean =>
  Array.isArray(anyOf) && anyOf.every((one) => isNode(one) && one.type === 'string')

/** An object whose names are free, and whose values the document describes. */
function isMap(document: Node, schema: Node): boolean {
  const part = partOf(document, 'map', schema)
  if (isNode(schema.properties) && Object.keys(schema.properties).length > 0) return false
  return isNode(part.properties) || (typesOf(part).length === 1 && typesOf(part)[0] !== 'object')
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
