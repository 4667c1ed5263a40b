import type { Resource } from '../declare/resource.ts'
import { type Envelope, haveOwnType, type Members } from '../shape/envelope.ts'
import type { Fields } from '../shape/fields.ts'
import type { Row } from '../shape/model.ts'
import type { Ctx } from '../work/context.ts'

/** Functions that write the objects of one resource. What all objects share is computed once. */
interface ObjectWriter {
  readonly name: (row: Row) => string
  /** The following texts are empty, or begin with a comma. */
  readonly fields: (row: Pick<Row, 'text' | 'createdAt' | 'updatedAt'>) => string
  readonly also: (row: Row, ctx: Ctx) => string
  readonly meta: (row: Row) => string
  readonly links: (row: Row, ctx: Ctx) => string
}

const writers = new WeakMap<Resource, ObjectWriter>()

function writerOf(resource: Resource): ObjectWriter {
  const cached = writers.get(resource)
  if (cached) return cached
  const writer: ObjectWriter = {
    name: nameWriter(resource),
    fields: fieldsWriter(resource),
    also: alsoWriter(resource),
    meta: metaWriter(resource),
    links: linksWriter(resource),
  }
  writers.set(resource, writer)
  return writer
}

/** The JSON of one object, built around the stored text of its document. Records that the caller has read it. */
export function objectText(resource: Resource, row: Row, ctx: Ctx, inList: boolean): string {
  if (!row.written) ctx.onRead(resource, row)
  const writer = writerOf(resource)
  const { name, meta, links } = writer
  const { links: at } = resource.envelope
  const isInside = at === 'inside' || at === 'own' || (inList && at === 'beside')
  const linked = isInside ? `,"links":${links(row, ctx)}` : ''
  return `{${name(row)}${membersOf(writer, resource, row, ctx)}${meta(row)}${linked}}`
}

/**
 * The stored and the computed members. A store may add links to a resource that computes its `relationships`: these are
 * in the document, and join the others.
 */
function membersOf({ fields, also }: ObjectWriter, resource: Resource, row: Row, ctx: Ctx): string {
  const { relationships: added } = hasAddedLinks(resource, row) ? (row.doc as WithLinks) : {}
  if (!added || !resource.also) return fields(row) + also(row, ctx)
  const { relationships: _, ...others } = JSON.parse(row.text) as WithLinks
  const { createdAt, updatedAt } = row
  const computed = resource.also.of(row, ctx) as WithLinks
  const relationships = { ...added, ...computed.relationships }
  const stored = fields({ text: JSON.stringify(others), createdAt, updatedAt })
  return stored + membersText({ ...computed, relationships })
}

interface WithLinks {
  readonly relationships?: object
}

const hasAddedLinks = ({ also }: Resource, { added }: Row): boolean =>
  also?.fields.relationships !== undefined && (added?.fields.some(({ holdsLinks }) => holdsLinks) ?? false)

/** The links of one object, as JSON. */
export const linksText = (resource: Resource, row: Row, ctx: Ctx): string =>
  writerOf(resource).links(row, ctx)

/** The formats of a time in the envelope; all times are stored with milliseconds. */
const stamps: Readonly<Record<Envelope['digits'], (time: string) => string>> = {
  0: (time) => `${time.slice(0, 19)}Z`,
  3: (time) => time,
  6: (time) => `${time.slice(0, -1)}000Z`,
}

/** Writes type and id, unless they are among the object's fields. */
function nameWriter({ type, fields, envelope, key }: Resource): ObjectWriter['name'] {
  const typeText = haveOwnType(fields, envelope) ? '' : `"type":"${type}"`
  if (key?.field === 'id') return () => typeText
  const start = typeText ? `${typeText},"id":"` : '"id":"'
  return ({ id }) => `${start}${id}"`
}

function timesWriter({ digits }: Envelope): (row: Pick<Row, 'createdAt' | 'updatedAt'>) => string {
  const stamp = stamps[digits]
  return ({ createdAt, updatedAt }) => `"created_at":"${stamp(createdAt)}","updated_at":"${stamp(updatedAt)}"`
}

function fieldsWriter({ envelope, fields, key }: Resource): ObjectWriter['fields'] {
  const before = haveOwnType(fields, envelope) && key?.field === 'id' ? '' : ','
  if (envelope.times !== 'fields') return ({ text }) => (text.length > 2 ? before + text.slice(1, -1) : '')
  const times = timesWriter(envelope)
  return (row) => {
    const { text } = row
    // Only the type precedes the attributes, and a type has no braces, so the first brace opens them.
    const opening = envelope.fields === 'attributes' ? text.indexOf('{', 1) + 1 : 1
    const comma = text[opening] === '}' ? '' : ','
    return `${before}${text.slice(1, opening)}${times(row)}${comma}${text.slice(opening, -1)}`
  }
}

const alsoWriter = ({ also }: Resource): ObjectWriter['also'] =>
  also ? (row, ctx) => membersText(also.of(row, ctx)) : () => ''

function metaWriter({ envelope, meta }: Resource): ObjectWriter['meta'] {
  const own = meta ? ownWriter(envelope, meta.fields) : undefined
  const computedMembers = (row: Row) => own?.(meta?.of(row) ?? {}) ?? ['', '']
  const times = timesWriter(envelope)
  if (envelope.times === 'meta.timestamps') {
    if (!own) return (row) => `,"meta":{"timestamps":{${times(row)}}}`
    return (row) => {
      const [ownTimes, others] = computedMembers(row)
      return `,"meta":{"timestamps":{${times(row)}${ownTimes}}${others}}`
    }
  }
  if (envelope.times === 'meta') return (row) => `,"meta":{${times(row)}${computedMembers(row).join('')}}`
  if (!own) return () => ''
  return (row) => {
    const members = computedMembers(row).join('')
    return members && `,"meta":{${members.slice(1)}}`
  }
}

/**
 * Writes the resource's own members of `meta` as JSON, each after a comma: the times, which have their own place, and
 * the others.
 */
function ownWriter(
  envelope: Envelope,
  fields: Fields,
): (members: Members) => [times: string, others: string] {
  const isTime = (name: string) => fields[name]?.schema.format === 'date-time'
  const names = Object.keys(fields)
  const times = names.filter(isTime)
  if (!times.length) return (members) => ['', membersText(members)]
  const others = names.filter((name) => !isTime(name))
  const stamp = stamps[envelope.digits]
  return (members) => {
    const stamped = times.map((name) => {
      const time = members[name]
      return [name, typeof time === 'string' ? stamp(time) : time]
    })
    const rest = others.map((name) => [name, members[name]])
    return [membersText(Object.fromEntries(stamped)), membersText(Object.fromEntries(rest))]
  }
}

function membersText(members: Members): string {
  const text = JSON.stringify(members)
  return text.length > 2 ? `,${text.slice(1, -1)}` : ''
}

function linksWriter(resource: Resource): ObjectWriter['links'] {
  const { links, envelope } = resource
  if (envelope.links === 'own') return (row, ctx) => JSON.stringify(links?.of(row, ctx) ?? {})
  const url = selfWriter(resource)
  if (!links) return (row, ctx) => `{"self":"${url(row, ctx)}"}`
  return (row, ctx) => JSON.stringify({ self: url(row, ctx), ...links.of(row, ctx) })
}

/** Writes the path of one object: the collection's path with its parameters, and the object's name. */
function selfWriter({ path, key, envelope: { href } }: Resource): ObjectWriter['links'] {
  const shown = href === 'absolute' ? path : path.slice(href.after.length)
  const [start = '', ...between] = shown.split(/:\w+/)
  return (row, { baseUrl, names }) => {
    let url = href === 'absolute' ? baseUrl + start : start
    for (let i = 0; i < between.length; i++) {
      const id = row.scope[i] ?? ''
      const name = names.get(id)
      url += (name === undefined ? id : encodeURIComponent(name)) + between[i]
    }
    const last = key ? encodeURIComponent(String(row.doc[key.field] ?? row.id)) : row.id
    return `${url}/${last}`
  }
}
