import { type Input, input } from '../../kernel/body/input.ts'
import type { Call } from '../../kernel/declare/call.ts'
import type { Resource } from '../../kernel/declare/resource.ts'
import { shownSchema } from '../../kernel/declare/shown-schema.ts'
import { notFound } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { objectText } from '../../kernel/http/object-text.ts'
import { pageAnswer } from '../../kernel/http/page-answer.ts'
import { isId } from '../../kernel/ids.ts'
import { findId } from '../../kernel/query/find.ts'
import { parse } from '../../kernel/query/parse.ts'
import { answerList, exportObjects } from '../../kernel/request/export-list.ts'
import { type Answer, noContent } from '../../kernel/shape/answer.ts'
import type { JsonSchema } from '../../kernel/shape/fields.ts'
import { type Row, shownIdOf, walks } from '../../kernel/shape/model.ts'
import { shown } from '../../kernel/shape/shown.ts'
import type { Ctx, Work } from '../../kernel/work/context.ts'
import { changeBy } from '../../kernel/write/by-rules.ts'
import { partOfRow } from '../values/part-of-row.ts'
import { fieldsOf, shownFieldsOf } from './define.ts'
import { entries } from './entries.ts'
import { extendedBy } from './find-extended-by.ts'
import type { FlowRef } from './find-flow.ts'
import type { FlowField } from './flow-fields.ts'

/**
 * Entries of a core flow: the part of an object that the flow adds, under the id of the object. An entry exists as long
 * as its object does.
 */

interface ExtendedObject {
  readonly of: Resource
  readonly row: Row
}

const missing = (id: string) => notFound('flow entry', id)

/** Finds the object that an entry is part of, in any of the resources that the flow extends. */
export async function findExtendedObject(work: Work, { slug }: FlowRef, id: string): Promise<ExtendedObject> {
  for (const of of extendedBy(slug)) {
    const [own, ...scope] = (await findAddress(work, of, id)) ?? []
    const row = own && (await work.store.find(of, own, scope))
    if (row) return { of, row }
  }
  throw missing(id)
}

/** The id of the row, and those of its parents. Clients have chosen the ids of some objects. */
async function findAddress(work: Work, of: Resource, id: string): Promise<readonly string[] | undefined> {
  if (of.key?.field === 'id') {
    const own = await findId(work, of, [], id)
    return own === undefined ? undefined : [own]
  }
  if (!isId(id)) return undefined
  const columns = of.scopeColumns.map((column) => `, ${column}`).join('')
  const text = `SELECT id${columns} FROM ${of.table} WHERE store_id = $1 AND id = $2` as const
  const [found] = await work.store.read(text, id)
  return found as readonly string[] | undefined
}

type EntryMembers = Readonly<Record<string, unknown>>

const pick = (from: EntryMembers, names: readonly string[]): EntryMembers =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(from, name)).map((name) => [name, from[name]]))

const entryOf = (flow: FlowRef, fields: readonly FlowField[], of: Resource, row: Row): Row => {
  const doc = row.doc as EntryMembers
  const { values, links } = namesIn(fields)
  const shown = new Set(shownFieldsOf(row).map(({ name }) => name))
  const relationships = pick((doc.relationships ?? {}) as EntryMembers, links)
  const part = {
    ...pick(
      doc,
      values.filter((name) => shown.has(name)),
    ),
    ...(Object.keys(relationships).length && { relationships }),
  }
  // Marked as written: the read of the object itself is recorded instead.
  const facts = { written: true, scope: [flow.id], added: row.added }
  return { ...partOfRow(row, part), ...facts, id: shownIdOf(of, row) }
}

async function answer(ctx: Ctx, flow: FlowRef, { of, row }: ExtendedObject, status: number): Promise<Answer> {
  if (!row.written) ctx.onRead(of, row)
  return objectAnswer(status, entries, entryOf(flow, await fieldsOf(ctx, flow.id), of, row), ctx)
}

export const getCoreEntry = async (ctx: Ctx, flow: FlowRef, id: string) =>
  answer(ctx, flow, await findExtendedObject(ctx, flow, id), 200)

const readers = new WeakMap<Resource, Input<Resource['fields']>>()

/** Reads only the values of added fields. */
function readerOf(own: Resource): Input<Resource['fields']> {
  const cached = readers.get(own)
  if (cached) return cached
  const names = new Set(own.added?.fields.filter(({ holdsLinks }) => !holdsLinks).map(({ name }) => name))
  const fields = Object.fromEntries(Object.entries(own.fields).filter(([name]) => names.has(name)))
  const reader = input({ type: 'entry', fields, refusedWith: 422, ...(own.added && { added: own.added }) })
  readers.set(own, reader)
  return reader
}

export async function updateCoreEntry(
  ctx: Ctx,
  flow: FlowRef,
  id: string,
  { body, ifMatch }: Pick<Call, 'body' | 'ifMatch'>,
  status: number,
): Promise<Answer> {
  const { of, row } = await findExtendedObject(ctx, flow, id)
  const updatedRow = await changeBy(ctx, of, row.scope, row.id, (own) => readerOf(own).update(body), ifMatch)
  return answer(ctx, flow, { of, row: updatedRow }, status)
}

/** Clears the values and links of the fields of the flow; the object stays. */
export async function emptyCoreEntry(
  ctx: Ctx,
  flow: FlowRef,
  id: string,
  ifMatch: string | undefined,
): Promise<Answer> {
  const { of, row } = await findExtendedObject(ctx, flow, id)
  const { values, links } = namesIn(await fieldsOf(ctx, flow.id))
  // Locked, so that links that another request adds are not lost.
  await ctx.store.lock(of, row.id)
  const current = links.length ? await ctx.store.find(of, row.id, row.scope) : undefined
  const linked = (current?.doc as { readonly relationships?: object } | undefined)?.relationships
  const others = Object.entries(linked ?? {}).filter(([name]) => !links.includes(name))
  const clearFields = (own: Resource) =>
    Object.fromEntries([
      ...shownFieldsOf(own).flatMap(({ name }) => (values.includes(name) ? [[name, null]] : [])),
      ...(linked ? [['relationships', others.length ? Object.fromEntries(others) : undefined]] : []),
    ])
  await changeBy(ctx, of, row.scope, row.id, clearFields, ifMatch)
  return noContent
}

/** The names of a flow's fields: those that hold a value, and those that hold links. */
function namesIn(fields: readonly FlowField[]) {
  const namesOf = (isLink: boolean) =>
    fields.filter(({ field_type }) => (field_type === 'relationship') === isLink).map(({ slug }) => slug)
  return { values: namesOf(false), links: namesOf(true) }
}

/**
 * SQL for objects with a value or a link in these fields. Objects without any also have an entry, but lists leave them
 * out: otherwise a client that deletes every entry it finds would never finish.
 */
function hasValue({ envelope }: Resource, fields: readonly FlowField[]) {
  const { values, links } = namesIn(fields)
  const part = envelope.fields === 'attributes' ? "doc->'attributes'" : 'doc'
  return (bind: (value: unknown) => string) => {
    const isAmong = (from: string, names: readonly string[]) =>
      `EXISTS (SELECT FROM json_each_text(${from}) m WHERE m.key = ANY(${bind(names)}::text[]) AND m.value IS NOT NULL)`
    return `(${isAmong(part, values)} OR ${isAmong("doc->'relationships'", links)})`
  }
}

const columns = 'store_id, id, version, created_at, updated_at, doc, hidden'

export async function listCoreEntries(ctx: Ctx, flow: FlowRef, call: Call): Promise<Answer> {
  const all = extendedBy(flow.slug)
  const [of] = all
  if (!of) return emptyPage(ctx, call)
  const tables = all.map(({ table }) => `SELECT ${columns} FROM ${table} WHERE store_id = $1`)
  const { parent: _parent, meta: _meta, links: _links, declared: _declared, ...facts } = of
  const objects: Resource = {
    ...facts,
    scopeColumns: [],
    counted: false,
    filter: { ...walks, ...(of.key?.field === 'id' && { id: of.filter?.id }) },
    sort: ['created_at', 'id', 'updated_at'],
    table: all.length === 1 ? of.table : `(${tables.join(' UNION ALL ')}) extended`,
  }
  const fields = await fieldsOf(ctx, flow.id)
  return answerList(ctx, call, {
    source: { resource: objects, scope: [], where: hasValue(of, fields) },
    show: (ctx, rows) =>
      rows.map((row) => {
        ctx.onRead(of, row)
        return objectText(entries, entryOf(flow, fields, of, row), ctx, true)
      }),
    shown: shown.as(entrySchemaOf(fields)),
  })
}

/** The part of the schema of a core flow's entries that says which values they have. */
function entrySchemaOf(fields: readonly FlowField[]): JsonSchema {
  const { properties, ...schema } = shownSchema(entries as Resource)
  const { values, links } = namesIn(fields)
  const added = Object.fromEntries(
    [...values, ...(links.length ? ['relationships'] : [])].map((name) => [name, {}]),
  )
  return { ...schema, properties: { ...(properties as object), ...added } }
}

const emptyPage = (ctx: Ctx, call: Call): Answer | Promise<Answer> => {
  const query = parse(call.query)
  if (ctx.lines) return exportObjects(ctx, query, [], shown.as(shownSchema(entries as Resource)))
  const { limit = 25, offset } = query
  return pageAnswer(200, '', { rows: [], total: 0, limit, offset, unmerged: 0 }, ctx, call)
}
