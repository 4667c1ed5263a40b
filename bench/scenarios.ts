import { extensionEnvelope } from '../server/fields/custom-apis/extension-envelope.ts'
import { resource } from '../server/kernel/declare/resource.ts'
import type { Window } from '../server/kernel/query/page-text.ts'
import { parse } from '../server/kernel/query/parse.ts'
import { plan } from '../server/kernel/query/plan.ts'
import { pageSql } from '../server/kernel/query/sql.ts'
import type { Sql } from '../server/kernel/storage/database.ts'
import { rowColumns } from '../server/kernel/storage/stored-row.ts'
import { accounts as accountResource } from '../server/people/accounts/accounts.ts'
import { type Bare, oneOf } from './bare.ts'
import type { SeededObjects } from './seed.ts'

/** One kind of request, and the statement it comes down to. */
export interface Scenario {
  readonly name: string
  readonly path: string
  /** Each request uses the next of these paths. */
  readonly paths?: readonly string[]
  readonly bare?: Bare
  /** The scenario to compare the time with. `compareBare` compares the bare statements of both. */
  readonly compareWith?: string
  readonly compareBare?: boolean
  /** Only the bare statement is measured, because Sutler has no such request. */
  readonly bareOnly?: boolean
}

const first: Window = { limit: 25, offset: 0, column: 'created_at', descending: true }

export function accountScenarios({
  storeId,
  accountId,
  accountAt,
  accountIds,
  manyAccountIds,
}: SeededObjects): Scenario[] {
  const source = { resource: accountResource, scope: [] }
  const page = (window: Window): Bare => ({ sql: pageSql(source, undefined, window, storeId), quick: false })
  const filtered = (query: string): Bare => {
    const { filter } = plan(parse(query), accountResource)
    return { sql: pageSql(source, filter, first, storeId), quick: false }
  }
  const columns = rowColumns(accountResource)
  const one: Sql = {
    text: `SELECT ${columns} FROM accounts WHERE store_id = $1 AND id = $2`,
    values: [storeId, accountId],
  }
  const withoutTotal: Sql = {
    text: `SELECT ${columns} FROM accounts WHERE store_id = $1 ORDER BY created_at DESC, id DESC LIMIT 25`,
    values: [storeId],
  }
  const any: Sql = { ...one, values: [storeId, oneOf(manyAccountIds)] }
  // No two pages share an account. Deep pages cost more on both sides, so these are not deep.
  const starts = Array.from(
    { length: Math.floor(manyAccountIds.length / first.limit) },
    (_, i) => i * first.limit,
  )
  const anyPage = page({ ...first, offset: first.limit })
  const rare = 'filter=eq(external_ref,ext-500000)'
  const common = 'filter=eq(legal_name,Company%20500%20Ltd)'
  const someIds = `filter=in(id,${accountIds.slice(0, 25)})`
  const oldest = 'filter=like(name,Account%2012*)'
  const hundred = 'page%5Blimit%5D=100'
  // The step in the middle of each walk (requirement §4.3).
  const walks = [
    ['id', 'id', `gt(id,${accountId})`],
    ['created-at', 'created_at', `ge(created_at,${accountAt})`],
    ['updated-at', 'updated_at', `ge(updated_at,${accountAt})`],
  ] as const
  return [
    {
      name: 'get-account-unread',
      path: '',
      paths: manyAccountIds.map((id) => `/v2/accounts/${id}`),
      bare: { sql: any, quick: true },
    },
    { name: 'list-without-total', path: '', bareOnly: true, bare: { sql: withoutTotal, quick: false } },
    {
      name: 'list-accounts',
      path: '/v2/accounts',
      bare: page(first),
      compareWith: 'list-without-total',
      compareBare: true,
    },
    {
      name: 'list-accounts-unread',
      path: '',
      paths: starts.map((start) => `/v2/accounts?page%5Boffset%5D=${start}`),
      bare: {
        sql: { ...anyPage.sql, values: [...anyPage.sql.values.slice(0, -1), oneOf(starts)] },
        quick: false,
      },
    },
    {
      name: 'list-accounts-at-10000',
      path: '/v2/accounts?page%5Boffset%5D=10000',
      bare: page({ ...first, offset: 10_000 }),
      compareWith: 'list-accounts',
    },
    {
      name: 'list-accounts-at-500000',
      path: '/v2/accounts?page%5Boffset%5D=500000',
      bare: page({ ...first, offset: 500_000 }),
      compareWith: 'list-accounts',
    },
    { name: 'walk-first', path: `/v2/accounts?sort=id&${hundred}` },
    ...walks.map(([name, column, filter]) => ({
      name: `walk-by-${name}`,
      path: `/v2/accounts?sort=${column}&${hundred}&filter=${filter}`,
      compareWith: 'walk-first',
    })),
    { name: 'filter-one-of-all', path: `/v2/accounts?${rare}`, bare: filtered(rare) },
    { name: 'filter-1000-of-all', path: `/v2/accounts?${common}`, bare: filtered(common) },
    { name: 'filter-by-ids', path: `/v2/accounts?${someIds}`, bare: filtered(someIds) },
    { name: 'filter-11111-of-the-oldest', path: `/v2/accounts?${oldest}`, bare: filtered(oldest) },
  ]
}

export function entryScenarios({ storeId, customApiId, entryId }: SeededObjects): Scenario[] {
  const path = '/v2/extensions/wishes'
  // The server's resource without its fields, which the bare statements do not use.
  const entries = resource({
    type: 'wish_ext',
    noun: ['entry', 'entries'],
    about: '',
    path: '/v2/extensions/:custom_api_slug',
    table: 'entries',
    scope: { columns: ['custom_api_id'] },
    fields: {},
    area: 'custom-entries',
    envelope: extensionEnvelope,
    meta: { fields: {}, of: () => ({}) },
  })
  const source = { resource: entries, scope: [customApiId] }
  const page = (window: Window): Bare => ({ sql: pageSql(source, undefined, window, storeId), quick: false })
  const one: Sql = {
    text: `SELECT ${rowColumns(entries)} FROM entries WHERE store_id = $1 AND custom_api_id = $2 AND id = $3`,
    values: [storeId, customApiId, entryId],
  }
  return [
    { name: 'get-entry', path: `${path}/${entryId}`, bare: { sql: one, quick: true } },
    { name: 'list-entries', path, bare: page(first) },
    {
      name: 'list-entries-at-10000',
      path: `${path}?page%5Boffset%5D=10000`,
      bare: page({ ...first, offset: 10_000 }),
      compareWith: 'list-entries',
    },
    { name: 'filter-entries-one-of-all', path: `${path}?filter=eq(title,Wish%2050000)` },
    { name: 'filter-entries-100-of-all', path: `${path}?filter=eq(amount,77)` },
  ]
}
