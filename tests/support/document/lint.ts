// biome-ignore lint/suspicious/noExplicitAny: documents are looked into by name.
type Node = any

const annotations = [
  'title',
  'description',
  'default',
  'example',
  'examples',
  'readOnly',
  'writeOnly',
  'deprecated',
]
const objectWords = [
  'properties',
  'additionalProperties',
  'patternProperties',
  'allOf',
  'anyOf',
  'oneOf',
  '$ref',
]

const isObject = (node: Node) => typeof node === 'object' && node !== null && !Array.isArray(node)

/** The schemas inside a schema, and what they are of. */
function insideOf(schema: Node): (readonly [name: string, schema: Node])[] {
  return [
    ...['properties', 'patternProperties'].flatMap((word) =>
      Object.entries(schema[word] ?? {}).map(([name, one]) => [name, one] as const),
    ),
    ...['items', 'additionalProperties'].map((word) => [word, schema[word]] as const),
    ...['allOf', 'anyOf', 'oneOf'].flatMap((word) =>
      (schema[word] ?? []).map((one: Node, i: number) => [`${word}/${i}`, one] as const),
    ),
  ]
}

/** What is wrong with a schema, and with those inside it. */
function faultsOf(schema: Node, at: string): string[] {
  if (!isObject(schema)) return []
  const words = Object.keys(schema).filter((word) => !annotations.includes(word))
  const types = [schema.type].flat()
  // What may be of any type says so in words.
  const own =
    !words.length && !schema.description
      ? ['says nothing']
      : types.includes('object') && !objectWords.some((word) => schema[word] !== undefined)
        ? ['is an object of which no member is known']
        : types.includes('array') && schema.items === undefined
          ? ['is an array of which no item is known']
          : []
  return [
    ...own.map((fault) => `${at} ${fault}`),
    ...insideOf(schema).flatMap(([name, one]) => faultsOf(one, `${at}/${name}`)),
  ]
}

/** Where a schema of an update, or one that it refers to, has a default. */
function defaultsIn(schema: Node, document: Node, at: string): string[] {
  if (!isObject(schema)) return []
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1)
    return defaultsIn(document.components.schemas[name], document, name)
  }
  const own = schema.default === undefined ? [] : [`${at} has a default, which an update does not`]
  return [...own, ...insideOf(schema).flatMap(([name, one]) => defaultsIn(one, document, `${at}/${name}`))]
}

function unusedIn(document: Node): string[] {
  const used = new Set<string>()
  const visit = (node: Node): void => {
    if (typeof node !== 'object' || node === null) return
    if (typeof node.$ref === 'string') {
      const [, , section, name] = node.$ref.split('/')
      if (used.has(`${section}/${name}`)) return
      used.add(`${section}/${name}`)
      visit(document.components[section]?.[name])
    }
    for (const member of Object.values(node)) visit(member)
  }
  visit(document.paths)
  return Object.entries<Node>(document.components)
    .filter(([section]) => section !== 'securitySchemes')
    .flatMap(([section, all]) => Object.keys(all).map((name) => `${section}/${name}`))
    .filter((name) => !used.has(name))
    .map((name) => `${name} is used by no operation`)
}

/** What is wrong with an API document beyond the syntax of OpenAPI, a line each. */
export function lint(document: Node): readonly string[] {
  const faults = unusedIn(document)
  for (const methods of Object.values<Node>(document.paths)) {
    for (const [method, operation] of Object.entries<Node>(methods)) {
      const { operationId: id, parameters, requestBody, responses } = operation
      for (const { name, schema } of parameters) faults.push(...faultsOf(schema, `${id}: ${name}`))
      for (const [type, { schema }] of Object.entries<Node>(requestBody?.content ?? {})) {
        faults.push(...faultsOf(schema, `${id}: body ${type}`))
        if (method === 'put') faults.push(...defaultsIn(schema, document, `${id}: body`))
      }
      for (const [status, { content }] of Object.entries<Node>(responses))
        for (const [type, { schema }] of Object.entries<Node>(content ?? {}))
          faults.push(...faultsOf(schema, `${id}: ${status} ${type}`))
    }
  }
  for (const [name, schema] of Object.entries(document.components.schemas))
    faults.push(...faultsOf(schema, name))
  return [...new Set(faults)]
}
