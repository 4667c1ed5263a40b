import type { JsonSchema } from '../fields.ts'
import type { Resource } from '../resource.ts'

// A copy of a schema with other facts about it is another schema, so names belong to the object.
const names = new WeakMap<object, string>()
const shown = Symbol('an object of a resource')

/** Names a schema that several operations share: the API document has it once, among its components. */
export function named(name: string, schema: JsonSchema): JsonSchema {
  const own = { ...schema }
  names.set(own, name)
  return own
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
      schemas[name] ??= members(schema)
      return referTo(name)
    }
    const name = names.get(node)
    if (name === undefined) return members(node)
    if (!sources.has(name)) {
      if (schemas[name]) throw new Error(`Two schemas of the API document have the name ${name}`)
      sources.set(name, node)
      schemas[name] = {}
      schemas[name] = members(node)
    }
    if (sources.get(name) !== node) throw new Error(`Two schemas of the API document have the name ${name}`)
    return referTo(name)
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
  const kept = Object.entries(components).map(([section, all]) => [
    section,
    Object.fromEntries(Object.entries(all).filter(([name]) => used.has(`${section}/${name}`))),
  ])
  return Object.fromEntries(kept) as C
}
