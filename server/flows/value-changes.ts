import type { Rows } from '../kernel/storage/store.ts'
import type { Work } from '../kernel/work/context.ts'
import type { ExtendedResources } from './find-extended-by.ts'
import { flowEntries } from './flow-rows.ts'
import { isCore, kindOf } from './kinds.ts'

/** Applies changes of a definition to the existing objects: each in one statement, in the same transaction. */

/** The rows of a resource that a flow extends, or its entries. */
interface ExtendedRows extends Rows {
  /** The member of the document that contains the fields. */
  readonly inside?: 'attributes'
}

type Bind = (value: unknown) => string

interface Target {
  readonly rows: ExtendedRows
  /** SQL for the rows of the flow. */
  readonly own: (bind: Bind) => string
}

/** The rows whose documents have the fields of a flow. */
export const targetsOf = (flow: Flow, extended: ExtendedResources): readonly Target[] =>
  isCore(flow.slug)
    ? (extended[flow.slug] ?? []).map(({ table, envelope }) => ({
        rows: { table, ...(envelope.fields === 'attributes' && { inside: 'attributes' }) },
        own: () => 'true',
      }))
    : [{ rows: flowEntries, own: (bind) => `r.flow_id = ${bind(flow.id)}` }]

interface Flow {
  readonly id: string
  readonly slug: string
}

/** The name of a field, and whether it holds links. */
interface FieldRef {
  readonly slug: string
  readonly isLink: boolean
}

const memberWith = ({ isLink }: FieldRef, { inside }: ExtendedRows) => (isLink ? 'relationships' : inside)

/** SQL for the part of a document that has the field's value. */
const partOf = (member: string | undefined) => (member ? `r.doc->'${member}'` : 'r.doc')

const within = (member: string | undefined, part: string) =>
  member ? `json_edited(r.doc, '${member}', '${member}', ${part})` : part

/** Renames the values, or deletes them without a new name. */
export async function renameValues(
  { store }: Work,
  targets: readonly Target[],
  field: FieldRef,
  to: string | undefined,
): Promise<void> {
  for (const { rows, own } of targets) {
    const member = memberWith(field, rows)
    const part = partOf(member)
    await store.changeAll(rows, {
      where: (bind) => `${own(bind)} AND ${part}->${bind(field.slug)}::text IS NOT NULL`,
      doc: (bind) => {
        const [name, next] = [`${bind(field.slug)}::text`, `${bind(to ?? null)}::text`]
        return within(member, `json_edited(${part}, ${name}, ${next}, ${part}->${name})`)
      },
    })
    if (field.isLink) continue
    await store.changeAll(rows, {
      where: (bind) => `${own(bind)} AND r.hidden->${bind(field.slug)}::text IS NOT NULL`,
      hidden: (bind) => {
        const [name, next] = [`${bind(field.slug)}::text`, `${bind(to ?? null)}::text`]
        return `json_edited(r.hidden, ${name}, ${next}, r.hidden->${name})`
      },
    })
  }
}

/** Hides the values, or shows them again. */
export async function hideValues(
  { store }: Work,
  targets: readonly Target[],
  { slug }: FieldRef,
  hide: boolean,
): Promise<void> {
  for (const { rows, own } of targets) {
    const part = partOf(rows.inside)
    const [from, to] = hide ? [part, `coalesce(r.hidden, '{}')`] : ['r.hidden', part]
    const without = (name: string) => `json_edited(${from}, ${name}, NULL, NULL)`
    const with_ = (name: string) => `json_with(${to}, ${name}, ${from}->${name})`
    const nameIn = (bind: Bind) => `${bind(slug)}::text`
    await store.changeAll(rows, {
      where: (bind) => `${own(bind)} AND ${from}->${nameIn(bind)} IS NOT NULL`,
      doc: (bind) => within(rows.inside, (hide ? without : with_)(nameIn(bind))),
      hidden: (bind) => (hide ? with_ : without)(nameIn(bind)),
    })
  }
}

/** Makes new versions of the products of a template, because they show its values. */
export async function touchShownWith(
  { store }: Work,
  { id, slug }: Flow,
  extended: ExtendedResources,
): Promise<void> {
  if (kindOf(slug) !== 'template') return
  const productIds = (bind: Bind) =>
    `SELECT e.product_id FROM flow_entries e WHERE e.store_id = $1 AND e.flow_id = ${bind(id)}::uuid`
  for (const rows of extended.products ?? [])
    await store.touchAll(rows, (bind) => `r.id IN (${productIds(bind)})`)
}
