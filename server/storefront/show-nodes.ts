import type { Row } from '../kernel/resource.ts'
import { type Locales, languageOf, textsIn } from './languages.ts'
import type { View } from './view.ts'

type Bag = Readonly<Record<string, unknown>>

interface Link {
  readonly data: { readonly type: string; readonly id: string }
}

interface Doc {
  readonly attributes: Bag
  readonly meta: Bag
  readonly relationships: { readonly parent?: Link; readonly hierarchy?: Link }
}

interface Facts {
  readonly locales?: Locales
  readonly published_at: string
}

/** Shows a published node, or a hierarchy. */
export function showNode({ id, text, hidden }: Row, view: View) {
  const { attributes, meta, relationships } = JSON.parse(text) as Doc
  const { locales, published_at } = hidden as unknown as Facts
  const language = languageOf(view.languages, locales)
  return {
    type: relationships.hierarchy ? 'node' : 'hierarchy',
    id,
    attributes: { ...attributes, ...textsIn(language, locales), published_at },
    meta: { ...meta, ...(language !== undefined && { language }) },
    relationships: relationships.hierarchy
      ? relationshipsOfNode(id, relationships, view)
      : relationshipsOfHierarchy(id, view),
  }
}

const related = (path: string) => ({ links: { related: path } })

function relationshipsOfNode(id: string, { parent, hierarchy }: Doc['relationships'], { prefix }: View) {
  const at = `${prefix}/nodes/${id}/relationships`
  const above = (link: Link, path: string) => ({ ...link, ...related(`${prefix}/${path}/${link.data.id}`) })
  return {
    ...(hierarchy && { hierarchy: above(hierarchy, 'hierarchies') }),
    ...(parent && { parent: above(parent, 'nodes') }),
    children: related(`${at}/children`),
    products: related(`${at}/products`),
  }
}

function relationshipsOfHierarchy(id: string, { prefix }: View) {
  const at = `${prefix}/hierarchies/${id}`
  return {
    children: related(`${at}/children`),
    nodes: related(`${at}/nodes`),
    products: related(`${at}/products`),
  }
}
