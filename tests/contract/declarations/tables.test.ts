import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Resource } from '../../../server/kernel/declare/resource.ts'
import { resourcesOf } from '../../../server/kernel/module.ts'
import { indexedOf } from '../../../server/kernel/query/condition.ts'
import { listKey } from '../../../server/kernel/query/places.ts'
import { type FilterRule, orderOf, walks } from '../../../server/kernel/shape/model.ts'
import { Register } from '../../../server/personal-data/index.ts'
import { operations, specimens } from '../../builders/samples.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'

/** The laws of tables, checked in the catalog of a migrated database. */

let world: World
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
})
afterAll(() => world.close())

/** Tables that belong to no store. */
const ofNoStore = [
  'backfills',
  'database_figures',
  'migrations',
  'organisations',
  'processes',
  'secrets',
  'stores',
]

/** Keys and indexes that do not lead with the store, and why. */
const exemptIndexes: Readonly<Record<string, string>> = {
  accounts_by_account_tags: 'inverted: what leads there is the tag',
  application_keys_client_id_key: 'the client id is what says which store',
  attempts_by_ends_at: 'housekeeping: what has expired, of all stores',
  carts_by_accounts: 'inverted: the account comes first, and its id belongs to one store',
  carts_by_customers: 'inverted: as the accounts',
  carts_by_expires_at: 'housekeeping: rows of all stores that have expired',
  catalog_rules_by_values: 'inverted: its values begin with the store',
  idempotency_keys_created_at: 'housekeeping: what has expired, of all stores',
  nodes_by_breadcrumbs: 'inverted: what leads there is what the breadcrumbs contain',
  nodes_by_locales: 'inverted: what leads there is what the texts are',
  one_time_passwords_by_expires_at: 'housekeeping: what has expired, of all stores',
  orders_by_product_ids: 'inverted: the product comes first, and its id belongs to one store',
  orders_by_product_skus: 'inverted: as the products',
  orders_by_promotion_ids: 'inverted: as the products',
  products_by_variations: 'inverted: what leads there is the variation',
  published_texts_by_words_and_values: 'inverted: the catalog, and the words and values',
  published_words_by_likeness: 'inverted: the catalog, and parts of the word',
  client_ids_pkey: 'the client id is what says which store',
  realm_prefixes_pkey: 'the prefix is what says which store',
  sign_in_codes_by_expires_at: 'housekeeping: what has expired, of all stores',
  sign_in_requests_by_expires_at: 'housekeeping: what has expired, of all stores',
}

test('every key and index of a table begins with the store', async () => {
  const { rows } = await world.sql(
    `SELECT i.indexrelid::regclass::text AS index, i.indrelid::regclass::text AS table, a.attname AS first
     FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
     LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')`,
  )
  const owned = rows.filter(({ table }) => !ofNoStore.includes(table))
  expect(owned.map(({ table }) => table)).toContain('gadgets')
  const others = owned.filter(({ first }) => first !== 'store_id').map(({ index }) => index)
  const advice = 'lead with store_id, or a row of `exemptIndexes` above with the reason'
  expect(others.sort(), advice).toEqual(Object.keys(exemptIndexes).sort())
})

test('every table of a store has the store in its key', async () => {
  const { rows } = await world.sql(
    `SELECT c.relname AS table FROM pg_class c
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT EXISTS (
       SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'store_id' AND a.attnotnull)`,
  )
  expect(rows.map(({ table }) => table).sort()).toEqual(ofNoStore)
})

/** Fields that are compared for equality, and whose index is none for lists, and why. */
const notIndexed: Readonly<Record<string, string>> = {
  'account_member.given_name':
    'lists are scanned for a name: few requests need it, and an index would cost every write',
  'account_member.middle_name': 'as the given name',
  'account_member.family_name': 'as the given name',
  'colleague_invitation.user_id': 'as the user of a role',
  'role_assignment.user_id': 'a user has one role: the unique key finds it',
  'hierarchy.name': 'a store has few hierarchies',
  'hierarchy.slug': 'as the name',
  'hierarchy.description': 'as the name',
  'hierarchy.has_children': 'as the name',
  'hierarchy.hierarchy_id': 'its own id: the key finds it',
  'hierarchy.parent_id': 'none has a parent',
  'node.name': 'one index per store serves all lists of nodes: few have the same name',
  'node.slug': 'as the name',
  'node.description': 'as the name',
  'node.has_children': 'the list of all nodes has one; others are scanned',
  'node.hierarchy_id': 'one index serves all lists',
  'node.parent_id': 'as the hierarchy',
  'promotion.promo_id': 'its own id: the key finds it',
  'promotion.promo_start_date': 'a store has at most 1000',
  'promotion.promo_end_date': 'as the start',
  'rule_promotion.enabled': 'a store has at most 1000',
  'rule_promotion.automatic': 'as enabled',
  'rule_promotion.stackable': 'as enabled',
  'rule_promotion.override_stacking': 'as enabled',
  'rule_promotion.start': 'as enabled',
  'rule_promotion.end': 'as enabled',
  'user_authentication_info.given_name': 'as a member’s',
  'user_authentication_info.middle_name': 'as a member’s',
  'user_authentication_info.family_name': 'as a member’s',
  'custom_api.description': 'there are few custom APIs',
  'custom_api_role_policy.custom_api_id': 'one for each role: the key finds them',
  'custom_field.description': 'there are few fields in a custom API',
  'widget.serial': 'the compared value may have a fraction',
}

/** What an index holds, as the catalog and as the query engine write it. */
const bare = (sql: string) => sql.replace(/["() ]/g, '')

interface Index {
  readonly table: string
  readonly is_unique: boolean
  /** How many of its columns are its key. */
  readonly keys: number
  readonly columns: readonly string[]
  /** Of an index of the rows that have a value in a column: that column. A filter by it needs no others. */
  readonly with_value: string | null
}

/** Indexes of all rows of their tables, and of all rows that have a value. */
async function findIndexes(): Promise<readonly Index[]> {
  const { rows } = await world.sql(
    `SELECT i.indrelid::regclass::text AS table, i.indisunique AS is_unique, i.indnkeyatts AS keys, value[1] AS with_value,
       array(SELECT pg_get_indexdef(i.indexrelid, n, true) FROM generate_series(1, i.indnatts) n) AS columns
     FROM pg_index i
       CROSS JOIN regexp_match(pg_get_expr(i.indpred, i.indrelid), '^\\((\\w+) IS NOT NULL\\)$') value
     WHERE i.indpred IS NULL OR value IS NOT NULL`,
  )
  return rows.map((row) => ({ ...row, columns: (row.columns as string[]).map(bare) }))
}

const leadsWith = (names: readonly string[], { columns }: Index) =>
  names.every((name, i) => columns[i] === name)

test('an indexed filter has an index in the order of its list; every other filter has a reason', async () => {
  const indexes = await findIndexes()
  const without: string[] = []
  for (const { resource } of specimens) {
    for (const [field, declaration] of Object.entries(resource.filter ?? {})) {
      const rule: FilterRule = Array.isArray(declaration) ? { ops: declaration } : (declaration as FilterRule)
      const column = rule.column ?? field
      if (rule.where || field in walks || !rule.ops.includes('eq')) continue
      if (!rule.indexed) {
        if (/^\w+$/.test(column)) without.push(`${resource.type}.${field}`)
        continue
      }
      for (const op of rule.ops.filter((op) => ['eq', 'in', 'like'].includes(op))) {
        const prefix = ['store_id', ...resource.scopeColumns, bare(indexedOf(rule, op)(column))]
        const serves = indexes.some((index) => {
          if (index.table !== resource.table || !leadsWith(prefix, index)) return false
          if (index.with_value !== null && index.with_value !== column) return false
          const exact = index.is_unique && index.keys === prefix.length
          return exact || resource.most || ['created_at', 'id'].every((name) => index.columns.includes(name))
        })
        expect(serves, `an index of ${resource.table} (${prefix}, created_at, id) for ${op}(${field})`).toBe(
          true,
        )
      }
    }
  }
  const advice = '`indexed(…)` and an index in the migration, or a row of `notIndexed` above with the reason'
  expect([...new Set(without)].sort(), advice).toEqual(Object.keys(notIndexed).sort())
})

/** Orders that no index gives, in lists that have no `most`, and why. */
const notSorted: Readonly<Record<string, string>> = {
  'account-memberships-of-member by id': 'a member belongs to few accounts',
  'account-memberships-of-member by updated_at': 'as by id',
}

test('each order of a list has an index', async () => {
  const indexes = await findIndexes()
  const isSorted = ({ table, scopeColumns }: Resource, field: string) => {
    const prefix = ['store_id', ...scopeColumns, field]
    return indexes.some((index) => {
      if (index.table !== table || index.with_value !== null || !leadsWith(prefix, index)) return false
      const exact = index.is_unique && index.keys === prefix.length
      return exact || field === 'id' || index.columns[prefix.length] === 'id'
    })
  }
  const without = specimens.flatMap(({ resource, operations }) => {
    if (!operations.list) return []
    const { sort = [], most, noun } = resource
    const fields = new Set([orderOf(resource).replace('-', ''), ...(most ? [] : sort)])
    return [...fields].filter((field) => !isSorted(resource, field)).map((field) => `${noun[1]} by ${field}`)
  })
  const advice =
    'CREATE INDEX … (store_id, the parents in the path, the field, id), or a row of `notSorted` above with the reason'
  expect(without.sort(), advice).toEqual(Object.keys(notSorted).sort())
})

test('each table is tracked, and its lists are counted', async () => {
  const { rows } = await world.sql(
    `SELECT t.tgrelid::regclass::text AS table, p.prosrc AS source
     FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid WHERE t.tgname = 'track'`,
  )
  const counted = new Map(
    rows.map(({ table, source }) => [
      table as string,
      [...new Set([...source.matchAll(/INTO list_deltas VALUES \('([\w.]+)'/g)].map(([, list]) => list))],
    ]),
  )
  const paged = operations.flatMap(({ of }) => (of.is === 'action' && of.action.shows?.rows) || [])
  const all = [...specimens.map(({ resource }) => resource), ...paged]
  const resources = all.filter(({ editions, table }) => !editions && counted.has(table))
  for (const [table, declared] of Map.groupBy(resources, (resource) => resource.table)) {
    const lists = new Set(declared.filter((resource) => resource.counted !== false).map(listKey))
    const scopes = [...lists].map((list) => list.slice(table.length + 1)).filter(Boolean)
    const more = lists.size ? '' : ', counted => false'
    const advice = `CALL track('${table}', …${scopes.length ? `, '{${scopes}}'` : ''}${more}) in its migration`
    expect(counted.get(table)?.sort(), advice).toEqual([...lists].sort())
    const isBounded = lists.size || declared.some(({ most }) => most)
    expect(isBounded, `\`most\` of ${table}: how long its lists without counters may be`).toBeTruthy()
  }
  const untracked = all.filter((resource) => !counted.has(resource.table) && resource.counted !== false)
  expect(
    untracked.filter(({ editions }) => !editions).map(({ table }) => table),
    'tables that are not tracked',
  ).toEqual([])
})

test('lists of the same rows agree on what these are, and on who may see them', () => {
  // A query ends with the name of its table.
  const nameOf = ({ table, type }: Resource) => `${type} of ${table.match(/\w+$/)}`
  const groups = Map.groupBy(resourcesOf(appAndWorkshop.modules), nameOf)
  const several = [...groups].filter(([, lists]) => lists.length > 1)
  expect(several.length).toBeGreaterThan(8)
  for (const [name, [first, ...others]] of several) {
    const factsOf = ({ area, personal, addedUnder, visible }: Resource = {} as Resource) => ({
      ...{ area, personal, addedUnder, visible },
    })
    for (const other of others) expect(factsOf(other), `${other.noun[1]}: ${name}`).toEqual(factsOf(first))
  }
})

test('logs and erasure know each table that is tracked as personal data', async () => {
  const { rows } = await world.sql(
    `SELECT t.tgrelid::regclass::text AS table FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
     WHERE t.tgname = 'track' AND p.prosrc LIKE '%, true, split_part(author%'`,
  )
  const tables = rows.map(({ table }) => table as string)
  const { holders } = new Register(appAndWorkshop.modules)
  const declared = new Set(holders.map(({ resource }) => resource.table))
  expect(tables.sort(), '`personal` of a resource that its module declares, or an action shows').toEqual(
    [...declared].sort(),
  )
})

test('deleting a parent deletes what is below it', async () => {
  const { rows } = await world.sql(
    `SELECT c.conname AS name, c.conrelid::regclass::text AS table, c.confrelid::regclass::text AS parent,
       c.confdeltype = 'c' AS cascades FROM pg_constraint c WHERE c.contype = 'f'`,
  )
  const keys = rows as { name: string; table: string; parent: string; cascades: boolean }[]
  for (const { resource, operations } of specimens) {
    const to = resource.parent?.().table
    if (!to) continue
    const { table } = resource
    // The name of the key tells a create that its parent is missing.
    const name = operations.create && `${table}_parent_fkey`
    const own = keys.filter(
      (key) => key.table === table && key.parent === to && key.name === (name ?? key.name),
    )
    expect(own.length, `how many keys ${name ?? ''} ${table} has to ${to}`).toBe(1)
    expect(own[0]?.cascades, `ON DELETE CASCADE of ${own[0]?.name}`).toBe(true)
  }
})

/** Statement triggers with transition tables do not run on distributed engines. */
test('no trigger reads all rows of a statement at once', async () => {
  const { rows } = await world.sql(
    `SELECT DISTINCT t.tgname AS name FROM pg_trigger t
     WHERE NOT t.tgisinternal AND (t.tgoldtable IS NOT NULL OR t.tgnewtable IS NOT NULL)`,
  )
  expect(rows).toEqual([])
})

/** Constraints that no request can break, and why. */
const unbreakable: Readonly<Record<string, string>> = {
  invitations_user_key: 'a newer link replaces an earlier one: invitations take turns',
  application_keys_client_id_key: 'the client id is made up by the server',
  authentication_realms_origin_key: 'realms are made with their store',
  gateways_slug_key: 'only the first day of a store adds gateways',
  currencies_default_key: 'whoever becomes the default takes it from the other',
  rule_promotion_usages_order_key: 'an order spends each code once',
  rule_promotion_usages_slot_key: 'an order that loses a slot takes the next one',
  standard_promotion_usages_order_key: 'as those of rule promotions',
  standard_promotion_usages_slot_key: 'as those of rule promotions',
}

test('each unique constraint has a refusal for clients, and each refusal a constraint', async () => {
  const { rows } = await world.sql(
    `SELECT i.indexrelid::regclass::text AS name, i.indrelid::regclass::text AS table,
       coalesce(bool_or(a.attname = 'id'), false) AS by_id
     FROM pg_index i
     LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY((i.indkey::int2[])[:i.indnkeyatts - 1])
     WHERE i.indisunique GROUP BY i.indexrelid, i.indrelid`,
  )
  const { rows: constraints } = await world.sql('SELECT DISTINCT conname AS name FROM pg_constraint')
  const declared = new Set(specimens.flatMap(({ resource }) => Object.keys(resource.constraints ?? {})))
  const tables = new Set(specimens.map(({ resource }) => resource.table))
  const uniques = rows.filter(({ table, by_id }) => tables.has(table) && !by_id).map(({ name }) => name)
  const mute = uniques.filter((name) => !declared.has(name))
  const advice =
    'unique, and not declared: a row of `constraints` where a client can break it, or of `unbreakable` above where a rule keeps it'
  expect(mute.sort(), advice).toEqual(Object.keys(unbreakable).sort())
  const names = new Set([...rows, ...constraints].map(({ name }) => name))
  expect(
    [...declared].filter((name) => !names.has(name)),
    'in `constraints` of a resource, and in no table',
  ).toEqual([])
})
