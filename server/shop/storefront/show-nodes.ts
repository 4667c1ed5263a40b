import type { Row } from '../../kernel/shape/model.ts'
import { type Locales, languageOf, textsIn } from '../view/languages.ts'
import type { View } from '../view/view.ts'
import type { ShownHierarchy, ShownNode } from './published-nodes.ts'

type Doc = Pick<ShownNode, 'attributes' | 'meta'>

interface NodeFacts {
  /** The members of a node. */
  readonly hierarchy_id?: string
  readonly parent_id?: string
  readonly locales?: Locales
  readonly published_at: string
}

/** Shows a published node, or a hierarchy. */
export const showNode = (row: Row, view: View) => (isNode(row) ? asNode(row, view) : asHierarchy(row, view))

/** Shows a node. Clients read the hierarchy of a top node as its parent node. */
export function asNode(row: Row, view: View): ShownNode {
  const { hierarchy_id = row.id, parent_id } = factsOf(row)
  const at = `${view.prefix}/nodes`
  const own = `${at}/${row.id}/relationships`
  const { id, attributes, meta } = common(row, view)
  return {
    type: 'node',
    id,
    attributes: { ...attributes, status: 'live' },
    meta: { bread_crumb: [id], ...meta },
    relationships: {
      hierarchy: {
        data: { type: 'hierarchy', id: hierarchy_id },
        ...related(`${view.prefix}/hierarchies/${hierarchy_id}`),
      },
      ...(parent_id !== undefined && {
        parent: { data: { type: 'node', id: parent_id }, ...related(`${at}/${parent_id}`) },
      }),
      children: related(`${own}/children`),
      products: related(`${own}/products`),
    },
  }
}

function asHierarchy(row: Row, view: View): ShownHierarchy {
  const at = `${view.prefix}/hierarchies/${row.id}`
  return {
    type: 'hierarchy',
    ...common(row, view),
    relationships: {
      children: related(`${at}/children`),
      nodes: related(`${at}/nodes`),
      products: related(`${at}/products`),
    },
  }
}

const factsOf = ({ hidden }: Row): NodeFacts => hidden as unknown as NodeFacts

/** Whether it is a node: a hierarchy has no parent. */
export const isNode = (row: Row): boolean => factsOf(row).parent_id !== undefined

function common(row: Row, view: View) {
  const { attributes, meta } = JSON.parse(row.text) as Doc
  const { locales, published_at } = factsOf(row)
  const language = languageOf(view.languages, locales)
  return {
    id: row.id,
    attributes: { ...attributes, ...textsIn(language, locales), published_at },
    meta: { ...meta, ...(language !== undefined && { language }) },
  }
}

const related = (path: string) => ({ links: { related: path } })
