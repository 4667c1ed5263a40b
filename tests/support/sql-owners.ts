import { filesIn, read, roomOf, rooms } from './source-files.ts'

/** Which room owns each table and each SQL routine. */

export const matchesOf = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, name = '']) => name)
export const words = (text: string) => text.trim().split(/\s+/)

export const server = ['server', 'tools'].flatMap(filesIn).filter((file) => file.endsWith('.ts'))
/** The source without its comments: they begin a line. */
export const sourceOf = (file: string) => read(file).replace(/^\s*(\/?\*|\/\/).*$/gm, '')

/** Tables that no resource declares, or that resources of another room show. */
export const undeclared: Readonly<Record<string, string>> = {
  kernel: `added_fields attempts backfills changes database_figures edition_totals errands feed_days feed_gaps feeds first_days fresh_changes idempotency_keys
    job_outbox list_blocks list_deltas list_moves list_points list_totals long_jobs migrations moved_jobs organisations processes secrets
    singletons stores`,
  'people/keys': 'client_ids',
  'people/identity': 'realm_prefixes user_token_epochs',
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
  'bulk-changes': 'bulk_change_parts',
  'personal-data': 'personal_data_reads',
}

export const routinesOf: Readonly<Record<string, string>> = {
  kernel: `added_fields_kept ask_nodes change_all clock_at count_moved count_rows drop_list_block
    drop_trimmed_partitions fence_times fence_times_of fenced forget_moved give_positions has_fresh_changes hold_feed is_distributed is_here keep_added_fields keep_partition keep_partitions last_change_here
    lease_holds list_block_at list_seek lose_race mark_trimmed merge_lists move_jobs next_change nodes_of_stores
    raise_time_fence recorded sequence_store sequence_stores session_lives split_larger_list_block
    split_list_block stores_with_fresh_changes stores_with_jobs stores_with_jobs_here track track_changes`,
  'fields/values': 'entry_unique_key indexed_values json_edited json_with',
  'fields/custom-apis': 'definition_kept entry_kind index_entry keep_definition',
  'fields/flows': 'index_flow_entry nothing_said',
  'assortment/products': `components_of drop_tag fill_product_columns forget_main_image index_product indexed_part keep_tag product_values_of settle_tags
    tag_is_used tags_of`,
  'assortment/hierarchies': 'count_moved_node forget_curated_product keep_has_children tell_nodes_of_product',
  'people/passwords': 'forget_one_time_passwords',
  'people/colleagues': 'keep_a_store_admin keep_an_able_store_admin must_keep_a_store_admin',
  'people/accounts': 'fill_account_columns',
  'carts/cart': 'fill_cart_columns leave_carts',
  'assortment/inventories': 'refuse_movements stock_documents',
  'shop/catalogs': 'leave_catalogs leave_price_lists renew_catalog_rule_state rule_values without_pricebook',
  'shop/publishing': 'forget_published forget_published_of_catalog published_with_any',
  'shop/search': 'words_like',
  'promotions/standard': 'count_of record_promotion_version renew_promotion_state',
  'promotions/rules': 'renew_rule_promotion_state',
  'orders/order': 'fed_of_order fill_order_columns',
  'orders/metrics': 'sum_order',
  'telling/deliveries': `activate_deliveries claim_deliveries deliveries_lock drop_deliveries end_deliveries forget_deliveries
    integrations_due queue_deliveries record_deliveries return_deliveries without_response`,
  'personal-data': 'erase_personal_data_reads record_personal_data_reads',
}

const ownersIn = (lists: Readonly<Record<string, string>>) =>
  Object.entries(lists).flatMap(([owner, names]) => words(names).map((name) => [name, owner] as const))

const declared = rooms.toReversed().flatMap((owner) =>
  server
    .filter((file) => roomOf(file) === owner)
    .flatMap((file) => matchesOf(sourceOf(file), /^ +(?:table|storage: \{ table): '(\w+)',/gm))
    .map((name) => [name, owner] as const),
)
export const tableOwner = new Map([...declared, ...ownersIn(undeclared)])
export const routineOwner = new Map(ownersIn(routinesOf))
