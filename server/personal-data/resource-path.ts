import type { Register } from './register.ts'

/** Where an object is kept, and what it belongs to: enough to say where it was when neither is there any more. */
export interface Place {
  readonly source: string
  readonly scope: string | null
  /** What the innermost parent belongs to. */
  readonly parent_scope: string | null
}

/** Where an object is, or was; undefined when nobody knows any more what it belonged to. */
export function resourcePath(
  register: Register,
  type: string,
  id: string,
  { source, scope, parent_scope }: Place,
): string | undefined {
  const path = register.of(type).find(({ resource }) => resource.table === source)?.resource.path
  const parameters = path?.match(/:\w+/g) ?? []
  const values = [parent_scope, scope].slice(2 - parameters.length)
  if (path === undefined || values.length < parameters.length || values.includes(null)) return undefined
  return `${parameters.reduce((text, parameter, i) => text.replace(parameter, values[i] as string), path)}/${id}`
}
