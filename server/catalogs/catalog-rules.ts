import type { Work } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import { list, reference, text, type Values } from '../kernel/fields.ts'
import { type Draft, type FilterRule, indexed, type Resource, resource, walks } from '../kernel/resource.ts'
import { catalogs } from './catalogs.ts'
import { catalogEnvelope } from './envelope.ts'
import { keepPricebooks, prioritizedPricebooks } from './prioritized-pricebooks.ts'
import { schedulesField, spanOf, tidied } from './schedules.ts'

const ids = (type: string, about: string) => list(reference(type, {}), { nullable: true, about })
const words = (about: string) => list(text({ min: 1, max: 255 }), { nullable: true, about })

/** What a rule may ask of a shopper, and when it holds. */
export const criteriaFields = {
  account_ids: ids('account', 'For whoever calls for one of these accounts.'),
  account_tag_ids: ids('account_tag', 'For whoever calls for an account with one of these tags.'),
  customer_ids: ids('customer', 'For these customers.'),
  channels: words('For whoever calls with one of these as `EP-Channel`.'),
  tags: words('For whoever calls with one of these in `EP-Context-Tag`.'),
  schedules: schedulesField('When it is in force: at any time, unless some are given.'),
}

const fields = {
  name: text({ required: true, min: 1, max: 255, about: 'For the merchant.', example: 'mobile-vip' }),
  description: text({ nullable: true, about: 'What it is for.' }),
  ...criteriaFields,
  catalog_id: reference('catalog', { required: true, about: 'The catalog that it leads to.' }),
  pricebook_ids: prioritizedPricebooks(
    'Price books in place of the catalog’s, where that has enable_price_segmentation.',
  ),
}

type RuleFields = typeof fields
export type RuleValues = Values<RuleFields>

/** A filter by a value that a rule has many of. */
const having = (name: string, type: 'uuid' | 'text'): FilterRule => ({
  ops: ['eq'],
  type,
  where: (_op, values, bind) => {
    const wanted = values.map((value) => {
      const told = ` ${name} ${type === 'uuid' ? value.toLowerCase() : value}`
      return `$1::uuid || ${bind(told)}::text`
    })
    return `rule_values(store_id, doc) && ARRAY[${wanted.join(', ')}]`
  },
})

/** Says which shoppers see a catalog, and when. One without criteria is for all that no other is for. */
export const catalogRules: Resource<RuleFields> = resource({
  type: 'catalog_rule',
  noun: ['catalog-rule', 'catalog-rules'],
  about: 'Says which shoppers see a catalog, and when. One without criteria is for all that no other is for.',
  path: '/catalogs/rules',
  table: 'catalog_rules',
  fields,
  filter: {
    ...walks,
    catalog_id: indexed('eq'),
    account_ids: having('account_ids', 'uuid'),
    account_tag_ids: having('account_tag_ids', 'uuid'),
    customer_ids: having('customer_ids', 'uuid'),
    channels: having('channels', 'text'),
    tags: having('tags', 'text'),
    pricebook_ids: having('pricebook_ids', 'uuid'),
  },
  sort: ['created_at', 'id', 'updated_at'],
  area: 'catalogs',
  envelope: catalogEnvelope,
  refusedWith: 422,
  beforeWrite: completeRule,
  beforeDelete: (work, { doc }) => countRules(work, doc.catalog_id),
})

const lists = ['account_ids', 'account_tag_ids', 'customer_ids', 'channels', 'tags', 'pricebook_ids'] as const

async function completeRule(work: Work, { values, before }: Draft<RuleFields>): Promise<void> {
  if (values.catalog_id !== before?.doc.catalog_id) {
    // First, as whoever deletes a price book takes it off catalogs before it takes it off rules.
    await countRules(work, values.catalog_id, ...(before ? [before.doc.catalog_id] : []))
  }
  if (!values.description) values.description = undefined
  // What is empty is no criterion, and is not shown.
  for (const name of lists) if (!values[name]?.length) values[name] = undefined
  values.schedules = values.schedules?.length ? tidied(values.schedules) : undefined
  for (const [i, schedule] of (values.schedules ?? []).entries()) mustEndLater(schedule, i)
  const pricebooks = (values.pricebook_ids ?? []).map(({ id }) => id)
  const known = (before?.doc.pricebook_ids ?? []).map(({ id }) => id)
  if (pricebooks.join() !== known.join()) {
    await keepPricebooks(work, pricebooks, 'data.attributes.pricebook_ids')
  }
}

function mustEndLater(schedule: Parameters<typeof spanOf>[0], i: number): void {
  const { fromMs, toMs } = spanOf(schedule)
  if (fromMs < toMs) return
  throw new Problem('unprocessable', 'valid_to must be later than valid_from.', {
    source: `data.attributes.schedules.${i}.valid_to`,
  })
}

/** New versions of catalogs whose rules are others now. They stay until the rule is written. */
async function countRules({ store }: Work, id: string, ...others: readonly string[]): Promise<void> {
  const all = [id, ...others]
  await store.hold(catalogs, ...all)
  const found = await store.touchAll(catalogs, (bind) => `r.id = ANY(${bind(all)}::uuid[])`)
  if (found.includes(id)) return
  throw new Problem('unprocessable', `There is no catalog ${id}.`, { source: 'data.attributes.catalog_id' })
}
