import { describe, expect, test } from 'vitest'
import { publishedTables, tablesOfEditions, tablesOfProducts } from '../server/shop/publishing/editions.ts'
import { filesIn, read, roomOf, rooms } from './support/source-files.ts'

/**
 * Every table and every SQL routine belongs to one room of a wing. A room reads the tables of the rooms before it, and
 * writes only its own.
 */

// `tests/docs.test.ts` keeps it equal to the database.
const schema = read('docs/schema.sql')

const matchesOf = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name)
const words = (text: string) => text.trim().split(/\s+/)

const tables = matchesOf(schema, /^CREATE TABLE (\w+) /gm)
const routines = new Map(
  [...schema.matchAll(/^CREATE OR REPLACE (?:FUNCTION|PROCEDURE) (\w+)\(.*?\n;\n/gms)]
    .filter(([text]) => !/LANGUAGE c\b/.test(text))
    .map(([text, name = '']) => [name, text] as const)
    // `track` and `count_rows` write these.
    .filter(([name]) => !/_(tracked|counted)$|_fkey$/.test(name)),
)

const server = ['server', 'tools'].flatMap(filesIn).filter((file) => file.endsWith('.ts'))
/** The source without its comments: they begin a line. */
const sourceOf = (file: string) => read(file).replace(/^\s*(\/?\*|\/\/).*$/gm, '')

/** Tables that no resource declares, or that resources of another room show. */
const undeclared: Readonly<Record<string, string>> = {
  kernel: `added_fields attempts changes edition_totals errands feed_days feed_gaps feeds first_days fresh_changes idempotency_keys
    list_blocks list_deltas list_moves list_totals long_jobs migrations organisations secrets singletons stores`,
  'people/identity': 'user_token_epochs',
  'people/passwords': 'one_time_passwords',
  'people/oidc': 'sign_in_codes sign_in_requests',
  'fields/values': 'entry_values',
  'assortment/products': 'product_custom_relationships product_values touched_tags',
  'assortment/product-csv': 'product_import_rows',
  'prices/price-import': 'price_import_lines',
  'assortment/inventories': 'stock_levels',
  'shop/catalogs': 'catalog_rule_states',
  'shop/publishing': `catalog_editions published_node_products published_nodes published_numbers published_price_modifiers
    published_price_spans published_prices published_products published_relations published_texts published_values
    published_words`,
  'promotions/standard': 'promotion_states',
  'promotions/rules': 'rule_promotion_states',
  'promotions/codes': `rule_promotion_codes rule_promotion_jobs rule_promotion_usages standard_promotion_codes
    standard_promotion_jobs standard_promotion_usages`,
  'promotions/uses': 'paying_shoppers',
  'orders/order': 'order_contents',
  'payments/transactions': 'transaction_events',
  'payments/payment-calls': 'cart_payments',
  'orders/metrics': 'order_sums order_sum_changes',
  'telling/deliveries': 'feed_readers integration_failures',
  'personal-data': 'personal_data_reads',
}

/** The tables of the kernel that rooms may read: the feed, the stores, their settings, the lengths of editions. */
const publishedByKernel = words('added_fields changes edition_totals feeds organisations singletons stores')

const routinesOf: Readonly<Record<string, string>> = {
  kernel: `change_all count_moved count_rows drop_list_block drop_trimmed_partitions fence_times fence_times_of fenced give_positions
    has_fresh_changes hold_feed keep_partition lease_holds list_block_at list_points list_seek
    mark_trimmed merge_list_deltas raise_time_fence sequence_changes sequence_store session_lives split_larger_list_block split_list_block
    stores_with_fresh_changes track track_changes`,
  'fields/values': 'entry_unique_key indexed_values json_edited json_with',
  'fields/custom-apis': 'index_entry',
  'fields/flows': 'index_flow_entry nothing_said',
  'assortment/products': `components_of drop_tag forget_main_image index_product indexed_part keep_tag product_values_of settle_tags
    tag_is_used tags_of`,
  'assortment/hierarchies': 'count_moved_node forget_curated_product keep_has_children tell_nodes_of_product',
  'people/passwords': 'forget_one_time_passwords',
  'carts/cart': 'fill_cart_columns leave_carts',
  'assortment/inventories': 'stock_documents',
  'shop/catalogs': 'leave_catalogs leave_price_lists renew_catalog_rule_state rule_values without_pricebook',
  'shop/publishing': 'forget_published forget_published_of_catalog published_with_any',
  'shop/search': 'words_like',
  'promotions/standard': 'count_of record_promotion_version renew_promotion_state',
  'promotions/rules': 'renew_rule_promotion_state',
  'orders/metrics': 'sum_order',
  'telling/deliveries': `activate_deliveries claim_deliveries deliveries_lock drop_deliveries end_deliveries forget_deliveries
    integrations_due queue_deliveries record_deliveries return_deliveries without_response`,
  'personal-data': 'erase_personal_data_reads record_personal_data_reads',
}

/** Tables of the kernel that rooms write: whoever publishes an edition counts its lists. */
const writtenForKernel = words('edition_totals')

/** Reads of tables that belong to a later room, or to the kernel alone. The list only shrinks. */
const readsBelow = words(`
  server/assortment/products/product-filters.ts:node_products
  server/carts/contents/owners.ts:carts
  server/fields/flows/template-entries.ts:products
`)

/** Writes to tables of another room. The list only shrinks. */
const writesElsewhere = words(`
  index_entry:entry_values
  index_flow_entry:entry_values
  server/fields/flows/template-entries.ts:products
`)

const ownersIn = (lists: Readonly<Record<string, string>>) =>
  Object.entries(lists).flatMap(([owner, names]) => words(names).map((name) => [name, owner] as const))

const declared = rooms.toReversed().flatMap((owner) =>
  server
    .filter((file) => roomOf(file) === owner)
    .flatMap((file) => matchesOf(sourceOf(file), /^ +(?:table|storage: \{ table): '(\w+)',/gm))
    .map((name) => [name, owner] as const),
)
const tableOwner = new Map([...declared, ...ownersIn(undeclared)])
const routineOwner = new Map(ownersIn(routinesOf))

/** What is in no wing, as the first start and the programs of operators, is after all of them. */
const placeOf = (owner: string) => (owner === '' ? rooms.length : rooms.indexOf(owner))

const isOwn = (owner: string, by: string) => owner === by || (owner === 'kernel' && by === '')

const mayWrite = (name: string, by: string) => isOwn(ownerOf(name), by) || writtenForKernel.includes(name)

const mayRead = (owner: string, name: string, by: string) =>
  isOwn(owner, by) ||
  (owner === 'kernel' ? publishedByKernel.includes(name) : by !== 'kernel' && placeOf(owner) < placeOf(by))

const tableNames = new Set(tables)
const item = String.raw`\w+(?: (?:AS )?[a-z]\w*)?`
const reading = new RegExp(
  String.raw`\b(?:FROM|JOIN|INTO|UPDATE|USING|ONLY)\s+(${item}(?:,\s*${item})*)`,
  'g',
)

/** The tables that a text names in SQL. */
const tablesIn = (text: string): readonly string[] => [
  ...new Set(
    [
      ...matchesOf(text, reading).flatMap((list) => list.split(/,\s*/).map((one) => one.split(' ')[0] ?? '')),
      ...matchesOf(text, /\btable: '(\w+)'/g),
      // A name with an underscore is put into SQL from elsewhere.
      ...matchesOf(text, /'([a-z]+_\w+)'/g),
      ...matchesOf(text, /change_all\('(\w+)'/g),
    ].filter((name) => tableNames.has(name)),
  ),
]

const writtenIn = (text: string): readonly string[] => [
  ...new Set(
    [
      ...matchesOf(text, /\b(?:INTO|UPDATE|DELETE FROM) (\w+)/g),
      ...matchesOf(text, /change_all\('(\w+)'/g),
      ...matchesOf(text, /store\s*\.(?:changeAll|touchAll|removeAll)\(\s*\{ table: '(\w+)'/g),
    ].filter((name) => tableNames.has(name)),
  ),
]

const ownerOf = (name: string) => tableOwner.get(name) ?? ''

/** All texts with SQL: the files and the routines, with the rooms that they are of. */
const texts = [
  ...server.map((file) => ({ name: file, by: roomOf(file), text: sourceOf(file) })),
  ...[...routines].map(([name, text]) => ({ name, by: routineOwner.get(name) ?? '', text })),
]

describe('SQL', () => {
  test('every table and every routine has one existing owner', () => {
    expect(
      [...tableOwner.keys()].filter((name) => !tableNames.has(name) && name !== 'products_of_nodes'),
      'declared, and not in docs/schema.sql: `npm run docs` writes it',
    ).toEqual([])
    expect(
      tables.filter((name) => !tableOwner.has(name)),
      'the `table` of no resource: a row of `undeclared` above',
    ).toEqual([])
    expect([...routineOwner.keys()].sort(), 'a row of `routinesOf` above').toEqual(
      [...routines.keys()].sort(),
    )
    const owners = [...Object.keys(undeclared), ...Object.keys(routinesOf)]
    expect(owners.filter((name) => name !== 'kernel' && !rooms.includes(name))).toEqual([])
  })

  test('a room reads its own tables and those of the rooms before it', () => {
    const uses = texts.flatMap(({ name, by, text }) =>
      tablesIn(text)
        .filter((table) => !mayRead(ownerOf(table), table, by))
        .map((table) => `${name}:${table}`),
    )
    expect(uses.sort()).toEqual(readsBelow)
  })

  test('a room writes its own tables only', () => {
    const uses = texts.flatMap(({ name, by, text }) =>
      writtenIn(text)
        .filter((table) => !mayWrite(table, by))
        .map((table) => `${name}:${table}`),
    )
    expect(uses.sort()).toEqual(writesElsewhere)
  })

  test('a room calls its own routines and those of the rooms before it', () => {
    const uses = texts.flatMap(({ name, by, text }) =>
      [...routineOwner]
        .filter(
          ([routine, owner]) =>
            owner !== 'kernel' && new RegExp(`\\b${routine}\\(`).test(text) && !mayRead(owner, routine, by),
        )
        .map(([routine]) => `${name}:${routine}`),
    )
    expect(uses).toEqual([])
  })

  test('only `track_changes` and `change_all` know how a row is written', () => {
    const writers = [...routines].filter(([, text]) => /sutler\.by|\bversion \+ 1/.test(text))
    expect(writers.map(([name]) => name)).toEqual(['change_all', 'track_changes'])
  })
})

test('every published table is covered by the deletion of editions and of the whole catalog', () => {
  const tables = [...schema.matchAll(/^CREATE TABLE (published_\w+) \((.*?)^\);/gms)]
  const named = (column: string) =>
    tables.filter(([, , columns = '']) => columns.includes(`\n  ${column} `)).map(([, name]) => name)
  expect(named('since').length).toBeGreaterThan(5)
  expect([...publishedTables].sort()).toEqual(named('catalog_id').sort())
  expect([...tablesOfEditions, ...tablesOfProducts].sort()).toEqual(named('until').sort())
  const forgotten = routines.get('forget_published')?.match(/'published_\w+'/g) ?? []
  expect(forgotten.map((name) => name.slice(1, -1)).sort()).toEqual(named('catalog_id').sort())
})
