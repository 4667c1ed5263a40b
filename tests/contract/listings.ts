import { sutlerApi } from '../../server/api-document.ts'
import type { Operation } from '../../server/kernel/declare/operation.ts'
import type { Resource } from '../../server/kernel/declare/resource.ts'
import { type ListFacts, listFacts } from '../../server/kernel/openapi/parameters.ts'
import { listKey } from '../../server/kernel/query/places.ts'
import { valueTypeOf } from '../../server/kernel/query/plan.ts'
import type { Op } from '../../server/kernel/shape/list-query.ts'
import type { FilterRule, ValueType } from '../../server/kernel/shape/model.ts'
import { isCurrent } from '../../server/kernel/storage/editions.ts'
import { operations, Samples, specimens, specimensWith } from '../builders/samples.ts'
import { operationsOf } from '../support/document/examples.ts'
import type { Sample } from '../support/module-samples.ts'
import type { Specimen } from '../support/specimens.ts'
import type { World } from '../support/world.ts'
import { appAndWorkshop } from '../workshop/index.ts'
import { cloneRows, isTable } from './clone-rows.ts'
import { shownId } from './shown-ids.ts'

/** A list of the API, and its resource. */
export interface Listing {
  readonly id: string
  readonly path: string
  readonly specimen: Specimen
}

/** Objects that can only be listed. */
const specimenOf = (resource: Resource, list: Operation): Specimen => ({
  name: resource.noun[0],
  resource,
  operations: { list },
  runTime: false,
})

/** Every list that is paged: those of the resources, and actions that list a resource. */
export const listings: readonly Listing[] = [
  ...specimensWith('list').map((specimen) => {
    const operation = specimen.operations.list as { id: string; path: string }
    return { id: operation.id, path: operation.path, specimen }
  }),
  ...operations.flatMap((operation) => {
    const { id, path, of } = operation
    const { page, resource, rows } = (of.is === 'action' && of.action.shows) || {}
    if (rows) return { id, path, specimen: specimenOf(rows[0], operation) }
    const specimen = page && specimens.find((one) => one.resource === resource)
    return !specimen || specimen.operations.list === operation ? [] : [{ id, path, specimen }]
  }),
]

/** Whether the listing is its resource's own, not an action that shows the same objects. */
export const isOwn = ({ id, specimen }: Listing): boolean => id === specimen.operations.list?.id

/** The path of creates for the listing. */
export async function makeIn(samples: Samples, listing: Listing, path: string): Promise<Sample> {
  return samples.make(listing.specimen, isOwn(listing) ? path : undefined)
}

/** Makes room in the list at `path`, and says for how many: see `Samples.room`. */
export async function roomIn(samples: Samples, listing: Listing, path: string, count: number) {
  const { specimen } = listing
  return samples.room(specimen, isOwn(listing) ? path : await samples.path(specimen.resource.path), count)
}

const documented = operationsOf(sutlerApi(appAndWorkshop.modules, appAndWorkshop.access))

/** The document cannot say what a list has that is only known at run time. */
function factsOf({ id, specimen: { resource } }: Pick<Listing, 'id' | 'specimen'>): ListFacts {
  return documented.get(id)?.['x-sutler-list'] ?? listFacts(resource)
}

/** What a filter on the field compares. */
export function valueType(listing: Listing, field: string): ValueType {
  if (documented.get(listing.id)?.['x-sutler-list']) return factsOf(listing).filter[field]?.type ?? 'text'
  if (field.endsWith('.length')) return 'number'
  const type = valueTypeOf(listing.specimen.resource, field)
  if (type === 'text') return factsOf(listing).filter[field]?.type ?? type
  // The store checks whole numbers of entries itself, and takes no others.
  return type === 'integer' ? 'number' : type
}

/** The tests of lists try what the API document promises, so a promise that the API breaks fails them. */
export const opsOf = (listing: Listing): [field: string, ops: readonly Op[]][] =>
  Object.entries(factsOf(listing).filter).map(([field, { operators }]) => [field, operators])

/** One of the fields that a filter for many names: an element of a list, a key of a map, a member of one. */
export function oneOf({ specimen: { resource } }: Listing, field: string): string {
  const { part = /^/ } = (resource.filter?.[field] ?? {}) as FilterRule
  return field.replace('[]', '[0]').replace('*', part.test('a') ? 'a' : 'a.a')
}

export const mayFilter = (listing: Listing, field: string, op: Op): boolean =>
  opsOf(listing).some(([name, ops]) => name === field && ops.includes(op))

/**
 * Samples of its own for each list: no other list's records are below the same parents. What shoppers see is published
 * once for all lists of a file.
 */
export function samplesOfEach(world: World): (listing: Listing) => Samples {
  const published = new Samples(world.admin, world.work)
  return ({ specimen }) => (specimen.resource.editions ? published : new Samples(world.admin, world.work))
}

/**
 * Puts about `count` objects in the list at `path`, or as many as there may be. Most tables take copies of one row,
 * with ties in their times; where uniqueness forbids copies, a dozen are made one by one.
 */
export async function fill(
  world: World,
  samples: Samples,
  listing: Listing,
  path: string,
  count: number,
): Promise<void> {
  const { resource, operations: own } = listing.specimen
  const room = await roomIn(samples, listing, path, count)
  const objects = await makeIn(samples, listing, path)
  if (await cloneRows(world, resource, objects.id, room - 1)) {
    if (resource.editions) await countAnew(world, resource.table)
    return
  }
  // Not everything can be made: a store has the realms it has, and a dozen of all that is published.
  if (resource.editions || (!own.create && !resource.scope)) return
  for (let i = 1; i < Math.min(room, 12); i++) await makeIn(samples, listing, path)
}

/** The publishing transaction counts published rows. */
async function countAnew(world: World, table: string): Promise<void> {
  const lists = listings.map(({ specimen }) => specimen.resource).filter((one) => one.table === table)
  for (const { scopeColumns, ...list } of lists) {
    await world.sql(
      `UPDATE edition_totals t SET n = c.n FROM (
         SELECT store_id, ARRAY[${scopeColumns}] AS scope, count(*) AS n FROM ${table}
         WHERE ${isCurrent()} GROUP BY store_id, ${scopeColumns}) c
       WHERE t.list = $1 AND t.store_id = c.store_id AND t.scope = c.scope AND ${isCurrent('t')}`,
      [listKey({ scopeColumns, ...list })],
    )
  }
}

/** What the list at `path` holds, by SQL: ids in the order of `sort`. */
export async function expected(
  world: World,
  listing: Listing,
  anId: string,
  sort: string,
): Promise<string[]> {
  const { resource } = listing.specimen
  const { table, scopeColumns, editions } = resource
  const from = isTable(resource) ? table : `(SELECT * FROM ${table})`
  const column = sort.replace('-', '')
  const by = column === 'id' ? `${shownId(resource, 't')} COLLATE "C"` : `t.${column}`
  const way = sort.startsWith('-') ? 'DESC' : 'ASC'
  const same = scopeColumns.map((name) => `AND t.${name} = one.${name}`)
  const current = editions
    ? [...isCurrentRow('t', table), ...isCurrentRow('one', table), ...inRight(listing)]
    : []
  const within = [...same, ...current].join(' ')
  const { rows } = await world.sql(
    `SELECT ${shownId(resource, 't')} AS id
     FROM ${from} t JOIN ${from} one ON ${shownId(resource, 'one')} = $1 AND one.store_id = t.store_id ${within}
     WHERE t.store_id = $2 ORDER BY ${by} ${way}, t.id ${way}`,
    [anId, world.storeId],
  )
  return rows.map(({ id }) => id as string)
}

/** A published product is in its node and in the hierarchy above. */
const inRight = ({ id, specimen }: Listing): readonly string[] =>
  specimen.resource.table === 'products_of_nodes'
    ? [
        `AND ${id.includes('hierarchy') ? '' : 'NOT '}EXISTS (SELECT FROM published_nodes n WHERE n.store_id = one.store_id
           AND n.catalog_id = one.catalog_id AND n.id = one.node_id AND n.hierarchies_of IS NOT NULL)`,
      ]
    : []

/** A published row, and the rows that lead to it, are in the current edition. */
const isCurrentRow = (row: string, table: string): readonly string[] => [
  `AND ${isCurrent(row)}`,
  ...(table.includes('leads_since')
    ? [
        `AND ${row}.leads_since = (SELECT max(p.since) FROM published_products p
           WHERE p.store_id = ${row}.store_id AND p.catalog_id = ${row}.catalog_id AND p.id = ${row}.leads_from)`,
      ]
    : []),
]

/** The times of a shown object, at the place of its envelope. */
// biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what a test is about.
export function timesIn({ envelope: { times, fields } }: Resource, data: any): Record<string, string> {
  if (times === 'meta') return data.meta
  if (times === 'meta.timestamps') return data.meta.timestamps
  return fields === 'attributes' ? data.attributes : data
}

export const sortsOf = (listing: Listing): string[] =>
  factsOf(listing).sort.flatMap((field) => [field, `-${field}`])

/** The links of its pages where no such page exists. */
export const nowhereOf = ({ specimen: { resource } }: Listing): null | undefined =>
  resource.envelope.pageLinks === 'existing' ? undefined : null

export const idsOf = ({ body }: { body: { data: { id: string }[] } }): string[] =>
  body.data.map(({ id }) => id)
