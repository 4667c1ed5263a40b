import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodeProducts } from '../../../server/assortment/hierarchies/node-products.ts'
import { specimens } from '../../builders/samples.ts'
import { openWorld, type World } from '../../support/world.ts'

/** A broken constraint without words for clients is a 500. */

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

/** Constraints without words, and why no request breaks them. */
const unreachable: Readonly<Record<string, string>> = {
  application_keys_client_id_key: 'client ids are random',
  associated_products_id_fkey: 'the products are locked',
  associated_products_product_fkey: 'the product and the custom relationship are locked',
  authentication_realms_origin_key: 'the first day of a store creates its realms',
  bulk_change_parts_bulk_change_id_fkey: 'the request has just created the bulk change',
  cart_payments_order_fkey: 'the checkout has just created the order',
  catalog_editions_catalog_fkey: 'a release locks its catalog',
  colleague_sessions_user_id_fkey: 'the sign-in has just found the user',
  currencies_default_key: 'currencies become the default one after the other: see `becomeDefault`',
  database_figures_is_only_check: 'no request writes it',
  errands_open_key: 'a second errand does nothing: ON CONFLICT',
  flow_fields_flow_fkey: 'the flow is locked: see `mustBeDefinable`',
  gateways_slug_key: 'the first day of a store creates its gateways',
  invitations_user_id_fkey: 'the same transaction has found the role, or given it',
  invitations_user_key: 'a newer link replaces an earlier one: invitations take turns',
  integration_jobs_active: 'no request writes it: deliveries take turns',
  integration_jobs_state_check: 'no request writes it, and the type of the state has the same words',
  job_outbox_by_key: 'a later job takes the place of an earlier one',
  long_jobs_one_at_a_time: 'the job that breaks it waits: see `long-jobs.ts`',
  merchant_realm_mappings_realm_id_fkey: 'the first day of a store creates both',
  nodes_root_check: 'no request chooses the columns: hierarchies and nodes are declared with them',
  order_contents_order_fkey: 'the same transaction has created the order',
  order_sums_grain_check: 'no request writes it',
  order_transactions_refund_check: 'the fold stops refunds at the amount: see `afterReport`',
  product_custom_relationships_product_fkey: 'the products are locked',
  product_files_id_fkey: 'the files are locked',
  product_templates_id_fkey: 'the import locks the fields of the template before, with its entries',
  products_child_check: 'the type follows from the parent: see `findProductType`',
  products_parent_id_fkey: 'the build of children locks the parent',
  products_product_type_check: 'the type is one of those: see `findProductType`',
  realm_prefixes_by_store: 'an update of a mapping holds its row, and takes the old prefix away',
  rule_promotion_codes_check: 'uses are taken by a condition: see `takeUses`',
  rule_promotion_usages_order_key: 'an order spends its codes once',
  rule_promotion_usages_slot_key: 'a slot that is taken inserts nothing: ON CONFLICT',
  standard_promotion_codes_check: 'as those of rule promotions',
  standard_promotion_usages_order_key: 'as those of rule promotions',
  standard_promotion_usages_slot_key: 'as those of rule promotions',
  stock_levels_check: 'levels change by a condition: see `move-stock.ts`',
  stock_levels_key: 'the stock is locked',
  stock_levels_location_fkey: 'the location is locked: see `lockPlaces`',
  stock_levels_stock_fkey: 'the stock is locked',
  transaction_events_answer_check: 'both columns are written together',
  transaction_events_place_key: 'the order is locked',
  transaction_events_transaction_fkey: 'the order is locked',
}

/** Checks, unique keys and foreign keys. A key that contains the primary one is broken only with it. */
const sql = `
  SELECT conname AS name FROM pg_constraint k
  WHERE connamespace = 'public'::regnamespace AND contype IN ('c', 'f', 'u', 'x') AND conrelid <> 0 AND conislocal
    AND NOT EXISTS (SELECT FROM pg_constraint p WHERE k.contype = 'u' AND p.conrelid = k.conrelid AND p.contype = 'p'
      AND k.conkey @> p.conkey)
    -- Only an operator deletes a store.
    AND NOT coalesce(confrelid::regclass::text IN ('stores', 'organisations'), false)
  UNION ALL
  SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
  WHERE c.relnamespace = 'public'::regnamespace AND i.indisunique AND NOT EXISTS (
    SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))`

test('every constraint has words for clients, or a reason why no request breaks it', async () => {
  const { rows } = await world.sql(sql)
  const resources = [...specimens.map(({ resource }) => resource), nodeProducts]
  const withWords = new Set(resources.flatMap(({ constraints = {} }) => Object.keys(constraints)))
  // The kernel has the words for a parent that is missing.
  const others = rows
    .map(({ name }) => name as string)
    .filter((name) => !withWords.has(name) && !name.endsWith('_parent_fkey'))
  const advice =
    'words in `constraints` of the resource, or a row of `unreachable` above with what stops requests before'
  expect(others.sort(), advice).toEqual(Object.keys(unreachable).sort())
})
