import type { JsonSchema } from './fields.ts'

/**
 * Where a part of the public contract puts the members that every object has. Each option stands for itself; modules
 * name the combinations that several of their resources share.
 */
export interface Envelope {
  /** Where `created_at` and `updated_at` are: in `meta`, in `meta.timestamps`, among the fields, or nowhere. */
  readonly times: 'meta' | 'meta.timestamps' | 'fields' | 'none'
  /**
   * Digits after the second in these times. With 0 the server also stores whole seconds, so that filters compare what
   * responses show. With 6 the last three are zeros, since the server stores milliseconds.
   */
  readonly digits: 0 | 3 | 6
  /**
   * Where the fields are in responses, bodies and the stored document: beside `type` and `id` (`top`), or under
   * `attributes`. The fields `type`, `id`, `relationships` and `meta` are at the top in both.
   */
  readonly fields: 'top' | 'attributes'
  /**
   * Where a field named `type` is. At the top (default) it is the object's own type. Among the attributes it is an
   * ordinary field, beside the type that all objects of the resource have.
   */
  readonly type?: 'top' | 'attributes'
  /**
   * Where `links` of an object are: beside `data`, inside it, or nowhere. In lists, `beside` puts them inside each
   * object and `single` leaves them out. `own` puts only the links that the resource declares inside, without `self`,
   * and `{}` if it declares none.
   */
  readonly links: 'beside' | 'single' | 'inside' | 'own' | 'none'
  /** Links begin with the URL that the client used. With `after` they are relative: the path after this prefix. */
  readonly href: 'absolute' | { readonly after: string }
  /**
   * Links to pages that do not exist are null (`all`) or left out (`existing`). The last page then has no `last`
   * either, since clients continue as long as they see it.
   */
  readonly pageLinks?: 'all' | 'existing'
}

/** Where the fields are; at the top by default. */
type Placing = Pick<Envelope, 'fields' | 'type'> | undefined
/** The members of an object. */
export type Members = Readonly<Record<string, unknown>>

const atTop = ['id', 'relationships', 'meta']

/** Whether a field is under `attributes`. */
export function isAttribute(placing: Placing, name: string): boolean {
  if (placing?.fields !== 'attributes') return false
  return name === 'type' ? placing.type === 'attributes' : !atTop.includes(name)
}

/** Whether each object has a type of its own, in a field named `type`. */
export const haveOwnType = (fields: Members, placing: Placing): boolean =>
  fields.type !== undefined && !isAttribute(placing, 'type')

/** Whether a single object's links are a sibling of `data`. */
export const linksBeside = ({ links }: Pick<Envelope, 'links'>): boolean =>
  links === 'beside' || links === 'single'

/** The path of a field in a request, for the `source` of a refusal: `data.name`, `data.attributes.name`. */
export const pathOf = (placing: Placing, name: string): string =>
  isAttribute(placing, name) ? `data.attributes.${name}` : `data.${name}`

/** Arranges values by field as the envelope does. */
export function place(placing: Placing, values: Members): Members {
  if (placing?.fields !== 'attributes') return values
  const attributes: Record<string, unknown> = {}
  const others: Record<string, unknown> = {}
  for (const name of Object.keys(values))
    (isAttribute(placing, name) ? attributes : others)[name] = values[name]
  // The type comes first and the attributes next, so that their position in the text is known.
  const { type, ...rest } = others
  return { ...(type !== undefined && { type }), attributes, ...rest }
}

/** The reverse of `place`. */
export function flatten(placing: Placing, members: Members): Members {
  if (placing?.fields !== 'attributes') return members
  const { attributes, ...others } = members
  return { ...others, ...(attributes as Members) }
}

/** The value of a field in the members that a client sends. */
export function valueIn(placing: Placing, members: Members, name: string): unknown {
  const from = isAttribute(placing, name) ? members.attributes : members
  return isMembers(from) && Object.hasOwn(from, name) ? from[name] : undefined
}

/** The members that a client sends, with new values for these fields. */
export function withValues(placing: Placing, members: Members, values: Members): Members {
  if (placing?.fields !== 'attributes') return { ...members, ...values }
  const { attributes = {} } = members
  return isMembers(attributes) ? { ...members, attributes: { ...attributes, ...values } } : members
}

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null

/** The schema of an object, with the fields where the envelope puts them. */
export function schemaAt(
  placing: Placing,
  type: JsonSchema,
  fields: Readonly<Record<string, JsonSchema>>,
  { typeRequired = false, required = [] as readonly string[], closed = false } = {},
): JsonSchema {
  const [inside, outside] = [true, false].map((is) =>
    required.filter((name) => isAttribute(placing, name) === is),
  ) as [string[], string[]]
  const above = new Set([
    ...(typeRequired ? ['type'] : []),
    ...outside,
    ...(inside.length ? ['attributes'] : []),
  ])
  const members = place(placing, fields)
  const attributes = {
    ...{ type: 'object', required: inside, properties: members.attributes },
    ...(closed && { additionalProperties: false }),
  }
  return {
    type: 'object',
    required: [...above],
    properties: { type, ...members, ...(placing?.fields === 'attributes' && { attributes }) },
  }
}

/** A time in whole seconds, if responses show no more: filters compare the stored value. */
export const timeAsShown = (time: Date, envelope: Pick<Envelope, 'digits'> | undefined): Date =>
  envelope?.digits === 0 ? new Date(Math.floor(time.getTime() / 1000) * 1000) : time
