import type { JsonSchema } from './fields.ts'

/**
 * Where a part of the public contract puts what every object has. Each fact is told apart from the others; the facts
 * that several resources share have a name in their module.
 */
export interface Envelope {
  /**
   * Where `created_at` and `updated_at` are: in `meta`, in `meta.timestamps`, among the fields wherever those are, or
   * nowhere.
   */
  readonly times: 'meta' | 'meta.timestamps' | 'fields' | 'none'
  /**
   * Digits after the second in these times. 0: whole seconds are stored too, so that what is shown is what is compared.
   * 6: the last three are zeros, as milliseconds are stored.
   */
  readonly digits: 0 | 3 | 6
  /**
   * Where the fields are, in answers, in bodies and in the stored document: beside `type` and `id` (`top`), or under
   * `attributes`. The fields `type`, `id` and `relationships`, and what is sent as `meta`, are at the top in both.
   */
  readonly fields: 'top' | 'attributes'
  /**
   * Where a field named `type` is: at the top, unless it is told, where it is the object's own type; or among the
   * attributes, where it is one of them, beside the type that all objects of the resource have.
   */
  readonly type?: 'top' | 'attributes'
  /**
   * `links` of a single object: a sibling of `data`, inside it, or left out. In lists those that are beside (`beside`)
   * are inside, or (`single`) left out. `own`: inside, without `self`: those that the resource declares in its `links`,
   * `{}` where it declares none.
   */
  readonly links: 'beside' | 'single' | 'inside' | 'own' | 'none'
  /** Links begin with the address that the client used, or (relative) with what follows this prefix of the path. */
  readonly href: 'absolute' | { readonly after: string }
  /**
   * Links of a page to where there is no page: null, unless only those of existing pages are shown. `last` is then left
   * out of the last page, as clients go on for as long as they see it.
   */
  readonly pageLinks?: 'all' | 'existing'
}

/** Where fields are; at the top, where nothing is said. */
type Placing = Pick<Envelope, 'fields' | 'type'> | undefined
type Members = Readonly<Record<string, unknown>>

const atTop = ['id', 'relationships', 'meta']

/** Whether a field is under `attributes`. */
export function isAttribute(placing: Placing, name: string): boolean {
  if (placing?.fields !== 'attributes') return false
  return name === 'type' ? placing.type === 'attributes' : !atTop.includes(name)
}

/** Whether objects have a type of their own, in a field of that name. */
export const haveOwnType = (fields: Members, placing: Placing): boolean =>
  fields.type !== undefined && !isAttribute(placing, 'type')

/** Whether a single object's links are a sibling of `data`. */
export const linksBeside = ({ links }: Pick<Envelope, 'links'>): boolean =>
  links === 'beside' || links === 'single'

/** The path of a field in a request, for the `source` of a refusal: `data.name`, `data.attributes.name`. */
export const pathOf = (placing: Placing, name: string): string =>
  isAttribute(placing, name) ? `data.attributes.${name}` : `data.${name}`

/** Values by field, as the envelope places them. */
export function place(placing: Placing, values: Members): Members {
  if (placing?.fields !== 'attributes') return values
  const attributes: Record<string, unknown> = {}
  const others: Record<string, unknown> = {}
  for (const name of Object.keys(values))
    (isAttribute(placing, name) ? attributes : others)[name] = values[name]
  // The type first and the attributes next: where they open in the text is then known.
  const { type, ...rest } = others
  return { ...(type !== undefined && { type }), attributes, ...rest }
}

/** The reverse of `placed`. */
export function flatten(placing: Placing, members: Members): Members {
  if (placing?.fields !== 'attributes') return members
  const { attributes, ...others } = members
  return { ...others, ...(attributes as Members) }
}

/** The value of a field in what a client has sent. */
export function valueIn(placing: Placing, members: Members, name: string): unknown {
  const from = isAttribute(placing, name) ? members.attributes : members
  return isMembers(from) && Object.hasOwn(from, name) ? from[name] : undefined
}

/** What a client has sent, with other values of these fields. */
export function withValues(placing: Placing, members: Members, values: Members): Members {
  if (placing?.fields !== 'attributes') return { ...members, ...values }
  const { attributes = {} } = members
  return isMembers(attributes) ? { ...members, attributes: { ...attributes, ...values } } : members
}

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null

/** The schema of an object of a type, whose fields are where the envelope has them. */
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
