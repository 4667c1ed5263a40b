import { expect } from 'vitest'
import type { Client, Reply, World } from '../../support/world.ts'

let count = 0

/** A name that no sibling has. */
export const fresh = (word: string) => `${word} ${++count}`

export const attributesOf = (name: string) => ({ name, slug: name.toLowerCase().replaceAll(' ', '-') })

export async function makeHierarchy(client: Client, attributes: object = attributesOf(fresh('Tree'))) {
  const { status, body } = await client.post('/pcm/hierarchies', { data: { type: 'hierarchy', attributes } })
  expect([status, body.errors]).toEqual([201, undefined])
  return body.data
}

export const postNode = (
  client: Client,
  hierarchy: string,
  attributes: object,
  { parent, meta }: { readonly parent?: string; readonly meta?: object } = {},
): Promise<Reply> =>
  client.post(`/pcm/hierarchies/${hierarchy}/nodes`, {
    data: {
      type: 'node',
      attributes,
      ...(meta && { meta }),
      ...(parent && { relationships: { parent: { data: { type: 'node', id: parent } } } }),
    },
  })

export async function makeNode(
  client: Client,
  hierarchy: string,
  name = fresh('Node'),
  above: { readonly parent?: string; readonly meta?: object } = {},
) {
  const { status, body } = await postNode(client, hierarchy, attributesOf(name), above)
  expect([status, body.errors]).toEqual([201, undefined])
  return body.data
}

export const nodePath = (hierarchy: string, node: string) => `/pcm/hierarchies/${hierarchy}/nodes/${node}`

export const moveTo = (client: Client, hierarchy: string, node: string, parent: string): Promise<Reply> =>
  client.put(`${nodePath(hierarchy, node)}/relationships/parent`, { data: { type: 'node', id: parent } })

export const namesIn = ({ body }: Reply): string[] =>
  body.data.map(({ attributes }: { attributes: { name: string } }) => attributes.name)

interface StoredNode {
  readonly id: string
  readonly parent_id: string | null
  readonly hierarchy_id: string
  readonly name: string
  readonly slug: string | null
  readonly locales: Readonly<Record<string, { readonly name?: string }>> | null
  readonly has_children: boolean
  readonly breadcrumbs: readonly object[]
  readonly shown_parent: object | null
}

const stepOf = ({ id, name, slug, locales }: StoredNode) => ({
  id,
  name,
  ...(slug && { slug }),
  ...(locales && {
    locales: Object.fromEntries(Object.entries(locales).map(([code, { name }]) => [code, { name }])),
  }),
})

/**
 * Checks that the nodes below a hierarchy are a tree, and that their derived values are right, by walking up from each
 * node. Returns the number of nodes.
 */
export async function expectTree(world: World, hierarchy: string): Promise<number> {
  const { rows } = await world.sql(
    `SELECT id, parent_id, hierarchy_id, name, slug, has_children, hidden->'breadcrumbs' AS breadcrumbs,
       doc->'attributes'->'locales' AS locales, doc->'relationships'->'parent' AS shown_parent
     FROM nodes WHERE id = $1 OR hierarchy_id = $1`,
    [hierarchy],
  )
  const nodes = new Map((rows as StoredNode[]).map((row) => [row.id, row]))
  for (const node of nodes.values()) {
    const path: StoredNode[] = []
    for (let at: StoredNode | undefined = node; at; at = at.parent_id ? nodes.get(at.parent_id) : undefined) {
      expect(path, `the path up from ${node.name} returns to ${at.name}`).not.toContain(at)
      path.unshift(at)
    }
    expect(path[0]?.id, `the root of ${node.name}`).toBe(hierarchy)
    const crumbs = path.map(stepOf)
    expect(node.breadcrumbs, `the breadcrumbs of ${node.name}`).toEqual(crumbs)
    expect(node.shown_parent, `the parent that ${node.name} shows`).toEqual(
      path.length > 2 ? { data: { type: 'node', id: node.parent_id } } : null,
    )
    const children = [...nodes.values()].filter(({ parent_id }) => parent_id === node.id)
    expect(node.has_children, `${node.name} has ${children.length} children`).toBe(children.length > 0)
    expect(
      children.map(({ name }) => name),
      `names below ${node.name}`,
    ).toEqual([...new Set(children.map(({ name }) => name))])
    expect(children.map(({ name }) => name)).not.toContain(node.name)
  }
  return nodes.size - 1
}
