import type { Fields } from '../shape/fields.ts'
import type { Relationship } from './relationship.ts'
import type { ResourceDeclaration } from './resource.ts'

/** Throws when the server starts if a declaration contradicts itself. */
export function mustBeConsistent(
  definition: ResourceDeclaration<Fields>,
  parameters: readonly string[],
): void {
  const { noun, parent, scope, closed, addedUnder, counted, most, operations = ['create'] } = definition
  const refuse = (reason: string) => {
    throw new Error(`${noun[0]}: ${reason}`)
  }
  if (parameters.length && !parent && !scope) {
    refuse(`its path has :${parameters.at(-1)}, so it needs a parent or a scope`)
  }
  if (closed && addedUnder) refuse('a closed resource must declare all of its fields')
  if (counted === false && !most && operations.includes('create')) {
    refuse('its lists have no counters, so `most` must limit their length')
  }
  const { unborn, key, fields, filter = {} } = definition
  if (!unborn) return
  if (key?.field !== 'id')
    refuse("`unborn` needs `key: { field: 'id' }`, because clients have no other id for it")
  if (parameters.length || scope) refuse('`unborn` needs a path without parameters, and no `scope`')
  if (!fields.id || fields.id.options.readOnly) {
    refuse('`unborn` needs a field `id` that clients can write, as they choose the id')
  }
  const byId = filter.id
  if (byId && !('column' in byId || 'where' in byId)) {
    refuse(
      '`unborn` needs a `column` or a `where` in its filter `id`: that of `walks` is the UUID of the row',
    )
  }
  const required = Object.keys(fields).find((name) => {
    const { required = false, default: fallback } = fields[name]?.options ?? {}
    return name !== key?.field && required && fallback === undefined
  })
  if (required) refuse(`\`unborn\` needs a default for its required field \`${required}\``)
}

/** Refuses a relationship whose links no field of its owner would store. */
export function mustHavePlaceForLinks({ name, owner, storage }: Relationship): void {
  if ('table' in storage || owner().fields.relationships) return
  const [one] = owner().noun
  throw new Error(
    `${name}: its links are a member of \`relationships\`, so ${one} needs a read-only field of that name`,
  )
}
