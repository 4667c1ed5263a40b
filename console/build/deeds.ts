import type { Action, Relationship, Resource, ResourceFields, Write } from '../src/api/document.ts'
import { labelOf } from '../src/words/labels.ts'
import { bodyOf, hasBody, isNode, type Node, rightOf, withoutNames, writeOf } from './document.ts'

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
    ...(hasBody(node) && { body: bodyOf(document, node) }),
  }
}

/** What can be done with a list as a whole: what stands below its path without the id of an object, and what creates one at its id. */
export function listDeedsAt(
  document: Node,
  paths: Paths,
  { path: list, item }: Pick<Resource, 'path' | 'item'>,
): Pick<ResourceFields, 'listActions'> {
  const below = paths.filter(
    ([path]) => path.startsWith(`${list}/`) && !path.slice(list.length).includes('{'),
  )
  const nearest = below.filter(
    ([path]) => !paths.some(([other, node]) => isListBetween(other, node, list, path)),
  )
  const actions = nearest.flatMap(([path, node]) =>
    methods.flatMap((method) => {
      const one = node[method.toLowerCase()]
      const isOfCaller = isNode(one) && one['x-sutler-right'] !== undefined
      return isOfCaller && !isNode(node.get) ? [listActionOf(document, { path, method, node: one })] : []
    }),
  )
  const create = item && paths.find(([path]) => path === item)?.[1].post
  const all = [...actions, ...(item && isNode(create) ? [createAt(document, item, create)] : [])]
  return all.length ? { listActions: all } : {}
}

const isListBetween = (other: string, { get }: Node, list: string, path: string) =>
  other !== list &&
  other.startsWith(list) &&
  path.startsWith(`${other}/`) &&
  isNode(get) &&
  'x-sutler-list' in get

function listActionOf(document: Node, operation: Operation): Action {
  const { parameters } = operation.node
  const takesFilter =
    Array.isArray(parameters) && parameters.some((one) => isNode(one) && one.name === 'filter')
  return { ...actionOf(document, operation), ...(takesFilter && { takesFilter }) }
}

/** An object whose id is that of another one, which its body refers to. */
function createAt(document: Node, path: string, node: Node): Action {
  const action = actionOf(document, { path, method: 'POST', node })
  const fields = action.body?.fields ?? []
  const at = fields.find(({ kind }) => kind === 'reference')?.path
  if (!action.body || at === undefined) return action
  const body = {
    ...action.body,
    fields: fields.map((field) => (field.path === at ? { ...field, required: true } : field)),
  }
  return { ...action, body, idAt: at }
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
