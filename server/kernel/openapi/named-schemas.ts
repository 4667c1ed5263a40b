import type { Resource } from '../declare/resource.ts'
import type { JsonSchema } from '../shape/fields.ts'

interface Named {
  readonly name: string
  readonly schema: object
}

/** A symbol, so that copies of a named schema, as fields make them, keep it, and nobody else sees it. */
const mark = Symbol('named')
type Marked = Readonly<Record<string, unknown>> & { readonly [mark]?: Named }

/** What a copy may say of itself beside the name. */
const facts = ['description', 'default', 'examples', 'readOnly', 'writeOnly']

const shown = Symbol('an object of a resource')

/**
 * Names a schema that several operations share: the API document has it once, among its components, and where it is
 * used only the facts that a field adds to it.
 */
export function named(name: string, schema: JsonSchema): JsonSchema {
  const own: Record<string | symbol, unknown> = { ...schema }
  own[mark] = { name, schema: own }
  return own
}

/** The name of a schema, and what it adds to that; undefined where it has none, or was changed in other ways. */
function nameIn(node: Marked): { readonly named: Named; readonly added: object } | undefined {
  const named = node[mark]
  if (!named) return undefined
  const source = named.schema as Marked
  const keys = Object.keys({ ...source, ...node })
  const added = keys.filter((key) => node[key] !== source[key])
  if (added.some((key) => !facts.includes(key))) return undefined
  return { named, added: Object.fromEntries(added.map((key) => [key, node[key]])) }
}

/** Stands for an object of a resource, as answers show it, inside another schema. */
export const objectOf = (resource: () => Resource): JsonSchema => ({ [shown]: resource }) as JsonSchema

type Schemas = Record<string, unknown>

/**
 * A part of the document with references in place of its named schemas, which are added to `schemas`; and in place of
 * what stands for an object of a resource. `componentOf` tells its name, and its schema where that is no component yet.
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
    const resource = (node as { readonly [shown]?: () => Resource })[shown]
    if (resource) {
      const [name, schema] = componentOf(resource())
      if (schemas[name] === undefined) {
        // An object may be inside another of its kind.
        schemas[name] = {}
        schemas[name] = members(schema)
      }
      return referTo(name)
    }
    const match = nameIn(node as Marked)
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

/** The components that the paths lead to, directly or by way of others. */
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
