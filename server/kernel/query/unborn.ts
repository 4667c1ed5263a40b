import { type Input, input } from '../body/input.ts'
import type { Resource } from '../declare/resource.ts'
import { Problem } from '../errors.ts'
import { flatten, place } from '../shape/envelope.ts'
import type { Fields, Values } from '../shape/fields.ts'
import type { Row } from '../shape/model.ts'
import { complete } from '../shape/values.ts'
import { split } from '../storage/stored-row.ts'
import type { Work } from '../work/context.ts'
import { type cachedDefinition, currentDefinition } from './definitions.ts'

/**
 * Objects that exist from their first write on. Before it, clients read them with their defaults, under any key that
 * their resource accepts. The first write is in `first-write.ts`.
 */

/** The id of every object that does not exist yet. No row has it, so the lists below such an object are empty. */
const unbornId = '00000000-0000-0000-0000-000000000000'

export const isUnborn = ({ id }: Pick<Row, 'id'>): boolean => id === unbornId

/** The id for a key without a row; undefined if such a key does not read as unborn. */
export const unbornIdOf = (resource: Resource, name: string): string | undefined =>
  keyFrom(resource, name) && unbornId

/** The object as it reads before its first write; undefined if it does not. */
export async function unbornRow<F extends Fields>(
  work: Work,
  resource: Resource<F>,
  name: string,
  definition: typeof currentDefinition | typeof cachedDefinition = currentDefinition,
): Promise<Row<F> | undefined> {
  const key = keyFrom(resource, name)
  if (!key) return undefined
  const own = await definition(work, resource, [])
  const defaults = complete(own.fields, key)
  return new UnbornRow(own, typeof own.unborn === 'function' ? await own.unborn(work, defaults) : defaults)
}

const never = '0001-01-01T00:00:00.000Z'

class UnbornRow<F extends Fields> implements Row<F> {
  readonly id = unbornId
  readonly version = -1
  readonly createdAt = never
  readonly updatedAt = never
  readonly text: string
  readonly scope: readonly string[] = []
  /** No one is recorded as its reader, since nothing is stored. */
  readonly written = true
  readonly added: Row['added']
  readonly doc: Values<F>
  readonly hidden: Partial<Values<F>>

  constructor(own: Resource<F>, values: Values<F>) {
    const [doc, hidden] = split(own, values)
    const fromOtherRows = Object.keys(own.shownWith?.fields ?? {}).map((name) => [name, values[name]])
    const shown = { ...flatten(own.envelope, JSON.parse(doc)), ...Object.fromEntries(fromOtherRows) }
    this.doc = shown as Values<F>
    this.text = JSON.stringify(place(own.envelope, shown))
    this.hidden = hidden ? (JSON.parse(hidden) as Partial<Values<F>>) : {}
    this.added = own.added
  }
}

const keyReaders = new WeakMap<Resource, Input<Fields>>()

/** The name as the value of the key; undefined if the field refuses it, or the resource is not unborn. */
function keyFrom(resource: Resource, name: string): object | undefined {
  const { type, fields, unborn, key } = resource
  const field = key && fields[key.field]
  if (!unborn || !field) return undefined
  const reader = keyReaders.get(resource) ?? input({ type, fields: { [key.field]: field } })
  keyReaders.set(resource, reader)
  try {
    return reader.create({ data: { type, [key.field]: name } })
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}
