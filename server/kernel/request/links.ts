import type { Link } from '../declare/relationship.ts'
import { type Resource, resource } from '../declare/resource.ts'
import type { Row } from '../shape/model.ts'
import { isSameJson } from '../shape/values.ts'
import type { Work } from '../work/context.ts'
import { change } from '../write/by-rules.ts'

/** Reads and writes the links of a relationship. */
export interface LinkStorage {
  read(work: Work, owner: Row): Promise<readonly Link[]>
  /** Whether these are the same links: rows have no order of their own. */
  areSame(some: readonly Link[], others: readonly Link[]): boolean
  /** Also makes a new version of the owner. */
  write(work: Work, owner: Row, before: readonly Link[], after: readonly Link[]): Promise<void>
  /** The links as a paged list, if they are rows. */
  readonly rows?: Resource
}

interface LinkedDoc {
  readonly relationships?: Readonly<Record<string, { readonly data: Link | readonly Link[] | null }>>
}

/**
 * Stores links in the owner's document, in a member of `relationships` that clients cannot write directly. The field
 * may be hidden, if responses compute what they show.
 */
export const documentStorage = (
  owner: Resource,
  { member }: { readonly member: string },
  holds: 'one' | 'many',
): LinkStorage => ({
  read: async (_work, row) => [relationshipsIn(row)?.[member]?.data ?? []].flat(),
  areSame: isSameJson,
  write: async (work, row, _before, after) => {
    await change(work, owner, row.scope, row.id, {
      relationships: withLinkData(relationshipsIn(row), member, holds === 'one' ? after[0] : after),
    })
  },
})

type Relationships = LinkedDoc['relationships']

const relationshipsIn = ({ doc, hidden }: Row) => (({ ...doc, ...hidden }) as LinkedDoc).relationships

/** `relationships` with this `data` in one member; undefined when nothing is left. The other members stay. */
export function withLinkData(
  relationships: Relationships,
  member: string,
  data: Link | readonly Link[] | undefined,
): Relationships {
  const { [member]: _, ...others } = relationships ?? {}
  if (data && [data].flat().length) return { ...others, [member]: { data } }
  return Object.keys(others).length ? others : undefined
}

const ownersPerBatch = 1000

/**
 * Removes a deleted target from its owners; for `afterDelete` of the target. The row of the target is deleted or locked
 * by this transaction: a concurrent request to link it has either committed, or will not find it.
 */
export const unlinkFrom =
  (owner: () => Resource, member: string) =>
  async ({ store }: Work, { id }: Row): Promise<void> => {
    const { table } = owner()
    for (;;) {
      const linked = await store.run(
        `SELECT id FROM ${table} WHERE store_id = $1 AND (${member} @> $2::jsonb OR ${member} @> $3::jsonb)
         ORDER BY id LIMIT ${ownersPerBatch}`,
        JSON.stringify([{ id }]),
        JSON.stringify({ id }),
      )
      if (!linked.length) return
      const owners = [...(await store.lock(owner(), ...linked.map(([one]) => one as string)))]
      const rows = await store.run(
        `SELECT id, doc FROM ${table} WHERE store_id = $1 AND id = ANY($2::uuid[])`,
        owners,
      )
      await store.changeAll(owner(), {
        where: () => 'r.id = unlinked.id',
        from: (bind) => {
          const ids = bind(rows.map(([one]) => one))
          const docs = bind(rows.map(([, text]) => without(text as string, member, id)))
          return `unnest(${ids}::uuid[], ${docs}::text[]) AS unlinked (id, doc)`
        },
        doc: () => 'unlinked.doc::json',
      })
    }
  }

function without(text: string, member: string, id: string): string {
  const doc = JSON.parse(text) as LinkedDoc
  const data = doc.relationships?.[member]?.data ?? []
  const left = [data].flat().filter((link) => link.id !== id)
  const relationships = withLinkData(doc.relationships, member, Array.isArray(data) ? left : left[0])
  return JSON.stringify({ ...doc, relationships })
}

/**
 * Stores links in rows of their own table: `store_id`, the owner's column, `id` (the target's), `created_at`,
 * `updated_at`, `version`, `doc` (with the link's `meta`, if any). Foreign keys to both delete the row.
 */
export function rowStorage(
  owner: Resource,
  target: Resource,
  { table, ownerColumn }: { readonly table: string; readonly ownerColumn: string },
): LinkStorage {
  const rows = resource({
    type: target.type,
    noun: target.noun,
    about: target.about,
    path: '',
    table,
    scope: { columns: [ownerColumn] },
    counted: false,
    whole: true,
    fields: {},
    filter: {},
    area: owner.area,
    envelope: { ...owner.envelope, times: 'none', digits: 3, fields: 'top', links: 'none' },
    operations: [],
  })
  return {
    rows,
    read: async ({ store }, { id }) => {
      const links = await store.run(
        `SELECT id, doc->'meta' FROM ${table} WHERE store_id = $1 AND ${ownerColumn} = $2 ORDER BY created_at, id`,
        id,
      )
      return links.map(([to, meta]) => ({
        type: target.type,
        id: to as string,
        ...(meta && { meta: JSON.parse(meta) as Record<string, unknown> }),
      }))
    },
    areSame: (some, others) => some.length === others.length && !newIn(some, others).length,
    write: async ({ store, clock }, { id, scope }, before, after) => {
      const fresh = newIn(before, after)
      await store.runLong(
        `DELETE FROM ${table} WHERE store_id = $1 AND ${ownerColumn} = $2 AND NOT id = ANY($3::uuid[])`,
        id,
        after.map((link) => link.id),
      )
      await store.runLong(
        `INSERT INTO ${table} (store_id, ${ownerColumn}, id, created_at, updated_at, doc)
         SELECT $1, $2, link.id, $3, $3, link.doc::json FROM unnest($4::uuid[], $5::text[]) AS link (id, doc)
         ON CONFLICT (store_id, ${ownerColumn}, id) DO UPDATE SET doc = excluded.doc, updated_at = excluded.updated_at`,
        id,
        clock.now(),
        fresh.map((link) => link.id),
        fresh.map(({ meta }) => JSON.stringify(meta ? { meta } : {})),
      )
      await store.touch(owner, id, scope)
    },
  }
}

/** The links of `after` that `before` does not have. */
function newIn(before: readonly Link[], after: readonly Link[]): readonly Link[] {
  const byId = new Map(before.map((link) => [link.id, link]))
  return after.filter((link) => !isSameJson(byId.get(link.id), link))
}
