import { afterAll, beforeAll, expect, test } from 'vitest'
import { keyTable, leftBehind, replacements } from '../../../tools/moving/left-behind.ts'
import { type StoreTable, storeTables } from '../../../tools/moving/store-tables.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let tables: readonly StoreTable[]
beforeAll(async () => {
  world = await openWorld()
  tables = await storeTables((sql) => world.server.instance.database.run(sql))
})
afterAll(() => world.close())

/** What an export of a store contains. A new table belongs here, or into tools/moving/left-behind.ts with a reason. */
const copied = `account_addresses account_memberships account_tags accounts added_fields application_keys
  associated_products authentication_realms bulk_change_parts bulk_change_refusals bulk_changes cart_payments carts catalog_editions catalog_releases catalog_rule_states catalog_rules
  catalogs changes colleague_sessions currencies custom_api_role_policies custom_apis custom_fields custom_relationships customer_addresses
  customers edition_totals entries entry_values erasure_requests feed_days feed_gaps feed_readers feeds files first_days flow_entries
  flow_fields flows fresh_changes gateways integration_failures integration_jobs integration_logs integrations
  inventory_locations invitations job_outbox list_blocks list_deltas list_moves list_totals long_jobs
  merchant_realm_mappings node_products nodes oidc_profiles order_contents order_jobs order_sum_changes
  order_sums order_transactions orders
  password_profiles paying_shoppers personal_data_reads pim_job_errors pim_jobs price_import_lines price_modifiers
  pricebooks prices product_components product_custom_relationships product_files product_import_rows product_templates
  product_values product_variation_modifiers product_variation_options product_variations products promotion_states
  promotion_versions promotions published_node_products published_nodes published_numbers published_price_modifiers
  published_price_spans published_prices published_products published_relations published_texts published_values
  published_words realm_prefixes role_assignments rule_promotion_codes rule_promotion_jobs rule_promotion_states rule_promotion_usages rule_promotions
  singletons standard_promotion_codes standard_promotion_jobs standard_promotion_usages stock_levels stock_transactions
  stocks tags transaction_events user_authentication_infos user_authentication_oidc_profile_infos
  user_authentication_password_profile_infos user_token_epochs`
  .trim()
  .split(/\s+/)

test('each table with rows of stores is exported, or left behind for a reason', () => {
  const names = tables.map(({ name }) => name).sort()
  expect(names).toEqual([...copied, ...Object.keys(leftBehind)].sort())
  expect(new Set(names).size).toBe(names.length)
})

test('a table comes after those that it refers to', () => {
  const before = new Set<string>()
  for (const { name, after } of tables) {
    expect(
      after.filter((other) => other !== 'stores' && !before.has(other)),
      name,
    ).toEqual([])
    before.add(name)
  }
})

test('the columns with values of their own are columns', () => {
  const named = Object.entries(replacements).flatMap(([table, columns]) =>
    Object.keys(columns).map((column) => [table, column]),
  )
  const unknown = named.filter(
    ([table, column]) => !tables.find(({ name }) => name === table)?.columns.includes(column as string),
  )
  expect(unknown).toEqual([])
  expect(tables.find(({ name }) => name === keyTable)?.isTracked).toBe(true)
})
