import type { Resource } from '../declare/resource.ts'
import type { Field, JsonSchema } from '../shape/fields.ts'
import { shown } from '../shape/shown.ts'

interface NamedSchema {
  readonly name: string
  readonly schema: object
}

/** A symbol, because copies of a schema keep it and JSON ignores it. */
const mark = Symbol('named')
type SchemaNode = Readonly<Record<string, unknown>> & { readonly [mark]?: NamedSchema }

/** The keywords that a copy may add to its named schema. */
const facts = ['description', 'default', 'examples', 'readOnly', 'writeOnly', 'refersTo']

const placeholder = Symbol('an object of a resource')

/**
 * Names the schema of a field that several operations share. The API document contains it once, among its components;
 * each use refers to it, with the facts that a field adds.
 */
export const named = <F extends Field>(name: string, field: F): F => ({
  ...field,
  schema: namedSchema(name, field.schema),
})

export function namedSchema(name: string, schema: JsonSchema): JsonSchema {
  const own: Record<string | symbol, unknown> = { ...schema }
  own[mark] = { name, schema: own }
  return own
}

/** The name of a schema and the facts it adds; undefined if it has no name, or differs in other ways. */
function nameIn(node: SchemaNode): { readonly named: NamedSchema; readonly added: object } | undefined {
  const named = node[mark]
  if (!named) return undefined
  const source = named.schema as SchemaNode
  const keys = Object.keys({ ...source, ...node })
  const added = keys.filter((key) => node[key] !== source[key])
  if (added.some((key) => !facts.includes(key))) return undefined
  return { named, added: Object.fromEntries(added.map((key) => [key, node[key]])) }
}

/** An object of a resource, as responses show it. Its schema is a placeholder. */
export const objectOf = (resource: () => Resource): Field =>
  shown.as({ [placeholder]: resource } as JsonSchema)

type Schemas = Record<string, unknown>

/**
 * A part of the document in which references replace named schemas and placeholders of resources. The named schemas are
 * added to `schemas`. `componentOf` returns the name and the schema of a resource.
 */
export function withReferences<T>(
  part: T,
  schemas: Schemas,
  componentOf: (resource: Resource) => readonly [name: string, schema: JsonSchema],
): T {
  const sources = new Map<string, object>()
  const referTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const copy = (node: unknown): unknown => {
    if (typeof node !== 'object' || node === null) return node
    if (Array.isArray(node)) return node.map(copy)
    const resource = (node as { readonly [placeholder]?: () => Resource })[placeholder]
    if (resource) {
      const [name, schema] = componentOf(resource())
      if (schemas[name] === undefined) {
        // Set first, because an object may contain objects of its own type.
        schemas[name] = {}
        schemas[name] = members(schema)
      }
      return referTo(name)
    }
    const match = nameIn(node as SchemaNode)
    if (!match) return members(node)
    const { name, schema } = match.named
    if (!sources.has(name)) {
      if (schemas[name]) throw new Error(`Two schemas of the API document have the name ${name}`)
      sources.set(name, schema)
      schemas[name] = {}
      schemas[name] = members(schema)
    }
    if (sources.get(name) !== schema) throw new Error(`Two schemas of the API document have the name ${name}`)
    return { ...referTo(name), ...match.added }
  }
  const members = (node: object) =>
    Object.fromEntries(Object.entries(node).map(([name, member]) => [name, copy(member)]))
  return copy(part) as T
}

/** The components that the paths use, directly or indirectly. */
export function usedComponents<C extends Readonly<Record<string, Readonly<Record<string, unknown>>>>>(
  paths: unknown,
  components: C,
): C {
  const used = new Set<string>()
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { $ref } = node as { readonly $ref?: unknown }
    if (typeof $ref === 'string') {
      const [, section = '', name = ''] = /^#\/components\/(\w+)\/([^/]+)/.exec($ref) ?? []
      if (used.has(`${section}/${name}`)) return
      used.add(`${section}/${name}`)
      visit(components[section]?.[name])
    }
    for (const member of Object.values(node)) visit(member)
  }
  visit(paths)
  const sections = Object.entries(components).map(([section, all]) => [
    section,
    Object.fromEntries(Object.entries(all).filter(([name]) => used.has(`${section}/${name}`))),
  ])
  return Object.fromEntries(sections) as C
}
