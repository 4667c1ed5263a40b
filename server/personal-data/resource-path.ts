import type { Register } from './register.ts'

/** The table of an object, and its parents: enough to give the path of a deleted object. */
export interface ObjectPlace {
  readonly source: string
  readonly scope: string | null
  /** The parent of the innermost parent. */
  readonly parent_scope: string | null
}

/** The path of an object that exists or was deleted; undefined if its parents are not known. */
export function resourcePath(
  register: Register,
  type: string,
  id: string,
  { source, scope, parent_scope }: ObjectPlace,
): string | undefined {
  const path = register.holdersOf(type).find(({ resource }) => resource.table === source)?.resource.path
  const parameters = path?.match(/:\w+/g) ?? []
  const values = [parent_scope, scope].slice(2 - parameters.length)
  if (path === undefined || values.length < parameters.length || values.includes(null)) return undefined
  return `${parameters.reduce((text, parameter, i) => text.replace(parameter, values[i] as string), path)}/${id}`
}
