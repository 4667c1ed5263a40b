import type { Action, Relationship, ResourceFields, Write } from '../src/api/document.ts'
import { labelOf } from '../src/words/labels.ts'
import { bodyOf, isNode, jsonIn, type Node, rightOf, withoutNames, writeOf } from './document.ts'

type Paths = readonly (readonly [path: string, methods: Node])[]

const methods = ['POST', 'PUT', 'DELETE'] as const

interface Operation {
  readonly path: string
  readonly method: Write['method']
  readonly node: Node
}

/** What can be done with the objects of a path: actions, and the objects that can be added to them. */
export function deedsAt(
  document: Node,
  paths: Paths,
  item: string,
): Pick<ResourceFields, 'actions' | 'relationships'> {
  const below = paths.filter(([path]) => isRightBelow(path, item))
  const related = below.flatMap(([path, node]) => relationshipAt(document, path, node) ?? [])
  const actions = below
    .filter(([path]) => !related.some((one) => one.path === path))
    .flatMap(([path, node]) =>
      methods.flatMap((method) => {
        const one = node[method.toLowerCase()]
        return isNode(one) && isAction(one, node) ? [{ path, method, node: one }] : []
      }),
    )
    .map((one) => actionOf(document, one))
  return { ...(actions.length && { actions }), ...(related.length && { relationships: related }) }
}

const isRightBelow = (path: string, item: string) => {
  const rest = withoutNames(path).slice(withoutNames(item).length)
  return withoutNames(path).startsWith(`${withoutNames(item)}/`) && !rest.includes('{')
}

/** What a list creates has its form at the list. */
const isAction = ({ operationId }: Node, { get }: Node) =>
  !(isNode(get) && 'x-sutler-list' in get && /^create-/.test(String(operationId)))

const actionOf = (document: Node, { path, method, node }: Operation): Action => {
  const [about = ''] = String(node.description ?? '').split(/\n*Allowed for:/)
  return {
    title: labelOf(String(node.summary)),
    ...(about && { about }),
    write: writeOf(method, path, node),
    ...(isNode(jsonIn(node.requestBody)) && { body: bodyOf(document, node) }),
  }
}

/** The relationship at a path that can be read, and whose writes take references. */
function relationshipAt(document: Node, path: string, node: Node): Relationship | undefined {
  const { get, post, put, delete: gone } = node
  const [first] = [post, put].filter(isNode)
  if (!isNode(get) || !first) return undefined
  const { type, fields } = bodyOf(document, first)
  const [field, ...others] = fields
  if (!field?.refers || others.length || !(field.path === '' || field.path === 'id')) return undefined
  return {
    title: labelOf(path.slice(path.lastIndexOf('/') + 1)),
    ...{ path, right: rightOf(get) },
    field: { ...field, path: '', ...(type && { linkType: type }) },
    ...(isNode(post) && { add: writeOf('POST', path, post) }),
    ...(isNode(put) && { replace: writeOf('PUT', path, put) }),
    ...(isNode(gone) && { remove: writeOf('DELETE', path, gone) }),
  }
}
