import { expect, test } from 'vitest'
import { app } from '../../../server/app.ts'
import { findExtendedBy } from '../../../server/fields/flows/find-extended-by.ts'
import { rowsOfFlow } from '../../../server/fields/flows/flow-rows.ts'
import { coreSlugs } from '../../../server/fields/flows/kinds.ts'
import { resource } from '../../../server/kernel/declare/resource.ts'
import { module } from '../../../server/kernel/module.ts'

const extendedTables: Readonly<Record<string, readonly object[]>> = {
  'account-members': [{ table: 'user_authentication_infos' }],
  'account-memberships': [{ table: 'account_memberships' }],
  accounts: [{ table: 'accounts' }],
  addresses: [{ table: 'account_addresses' }, { table: 'customer_addresses' }],
  'authentication-realms': [{ table: 'authentication_realms' }],
  carts: [{ table: 'carts' }],
  orders: [{ table: 'orders' }],
  customers: [{ table: 'customers' }],
  'oidc-profiles': [{ table: 'oidc_profiles' }],
  'password-profiles': [{ table: 'password_profiles' }],
  products: [{ table: 'products', inside: 'attributes' }],
  promotions: [{ table: 'promotion_versions' }, { table: 'promotions' }],
  'rule-promotions': [{ table: 'rule_promotions' }],
  'user-authentication-info': [{ table: 'user_authentication_infos' }],
  'user-authentication-oidc-profile-info': [{ table: 'user_authentication_oidc_profile_infos' }],
  'user-authentication-password-profile-info': [{ table: 'user_authentication_password_profile_infos' }],
}

test('a changed definition applies to the objects of every resource that declares the extension, and to no others', () => {
  expect(app.length).toBeGreaterThan(0)
  for (const slug of coreSlugs) {
    const tables = rowsOfFlow({ id: '', slug }).map(({ hides: _, where: __, ...table }) => table)
    const byTable = (one: { table: string }, other: { table: string }) => one.table.localeCompare(other.table)
    expect([slug, tables.toSorted(byTable)]).toEqual([slug, extendedTables[slug] ?? []])
  }
})

test('a resource that only actions read and write is extended too', () => {
  const lines = resource({
    type: 'line',
    noun: ['line', 'lines'],
    about: 'A line.',
    path: '/v2/lines',
    table: 'lines',
    fields: {},
    area: 'lines',
    envelope: { times: 'meta', digits: 3, fields: 'top', links: 'none', href: 'absolute' },
    addedUnder: 'cart_items',
    operations: [],
  })
  const chapter = module({ name: 'lines', about: 'Lines.', resources: [lines] })
  expect(findExtendedBy(() => [chapter])('cart_items')).toEqual([lines])
})
