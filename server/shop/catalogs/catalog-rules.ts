import { hook } from '../../kernel/declare/hook.ts'
import { type Resource, resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { field, flag, list, reference, text, type Values } from '../../kernel/shape/fields.ts'
import { type Draft, type FilterRule, indexed, type Row, walks } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { catalogEnvelope } from './catalog-envelope.ts'
import { catalogs } from './catalogs.ts'
import type { PendingPricebooks } from './pending-rules.ts'
import { lockPricebooks, prioritizedPricebooks } from './prioritized-pricebooks.ts'
import { normalizeSchedules, schedulesField, spanOf } from './schedules.ts'

const ids = (type: string, about: string) => list(reference(type, {}), { nullable: true, about })
const words = (about: string) => list(text({ min: 1, max: 255 }), { nullable: true, about })

/** The shoppers whom a rule matches, and when. */
export const criteriaFields = {
  account_ids: ids('account', 'Shoppers who are signed in for one of these accounts.'),
  account_tag_ids: ids('account_tag', 'Shoppers who are signed in for an account with one of these tags.'),
  customer_ids: ids('customer', 'These customers.'),
  channels: words('Requests with one of these in the header `EP-Channel`.'),
  tags: words('Requests with one of these in the header `EP-Context-Tag`.'),
  schedules: schedulesField('The times when the rule applies. A rule without schedules always applies.'),
}

const fields = {
  name: text({ required: true, min: 1, max: 255, about: 'Shown to merchants only.', example: 'mobile-vip' }),
  description: text({ nullable: true, about: 'Shown to merchants only.' }),
  ...criteriaFields,
  catalog_id: reference('catalog', { required: true, about: 'The catalog that matching shoppers see.' }),
  pricebook_ids: prioritizedPricebooks(
    'Price books that replace those of the catalog, if it has enable_price_segmentation. The rule takes effect once ' +
      'the current release of the catalog has all of them: see `meta`.',
  ),
}

export type RuleValues = Values<typeof fields>

const stored = {
  ...fields,
  pending: field<PendingPricebooks | undefined>({ type: 'object' }, { hidden: true, readOnly: true }),
}
type RuleFields = typeof stored

/** Whether the last change of a rule is in effect. */
export const effectFields = {
  in_effect: flag({
    about:
      'Whether the last change of the rule is in effect. Until then the rule applies as it was before; a new rule ' +
      'applies to no shopper.',
  }),
  waits_for_pricebook_ids: list(reference('pricebook', {}), {
    about:
      'The price books that the rule waits for: a job adds them to the current release of the catalog. Present while the rule is not in effect.',
  }),
}

export const effectOf = (waitsFor: readonly string[] | undefined) => ({
  in_effect: !waitsFor,
  waits_for_pricebook_ids: waitsFor,
})

/**
 * Returns the price books of a rule that the current release of its catalog lacks; a job then adds them before it
 * puts the rule into effect. Undefined where the rule can take effect at once. The catalog is locked when this is
 * called.
 */
export const pricebooksToAdd =
  hook<
    (work: Work, catalogId: string, pricebookIds: readonly string[]) => Promise<readonly string[] | undefined>
  >('pricebooksToAdd')

/** A filter by one of the many values of a criterion. */
const having = (name: string, type: 'uuid' | 'text'): FilterRule => ({
  ops: ['eq'],
  type,
  where: (_op, values, bind) => {
    const keys = values.map((value) => {
      const key = ` ${name} ${type === 'uuid' ? value.toLowerCase() : value}`
      return `$1::uuid || ${bind(key)}::text`
    })
    return `rule_values(store_id, doc) && ARRAY[${keys.join(', ')}]`
  },
})

/** Catalog rules choose the catalog of a shopper. A rule without criteria is the default. */
export const catalogRules: Resource<RuleFields> = resource({
  type: 'catalog_rule',
  noun: ['catalog-rule', 'catalog-rules'],
  about:
    'Says which shoppers see a catalog, and when. A rule without criteria is the default: it applies when no other rule ' +
    'matches.',
  path: '/catalogs/rules',
  table: 'catalog_rules',
  fields: stored,
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
  // A rule with a misspelled criterion would match everyone.
  closed: true,
  meta: { fields: effectFields, of: ({ hidden }) => effectOf(hidden.pending?.waits_for) },
  beforeWrite: async (work, draft) => {
    await completeRule(work, draft)
    draft.values.pending = await pendingOf(work, draft)
  },
  beforeDelete: (work, { doc }) => countRules(work, doc.catalog_id),
})

const lists = ['account_ids', 'account_tag_ids', 'customer_ids', 'channels', 'tags', 'pricebook_ids'] as const

async function completeRule(work: Work, { values, before }: Draft<RuleFields>): Promise<void> {
  if (values.catalog_id !== before?.doc.catalog_id) {
    // Locked first: deleting a price book also changes catalogs before rules.
    await countRules(work, values.catalog_id, ...(before ? [before.doc.catalog_id] : []))
  }
  if (!values.description) values.description = undefined
  // An empty list is not a criterion and is not shown.
  for (const name of lists) if (!values[name]?.length) values[name] = undefined
  values.schedules = values.schedules?.length ? normalizeSchedules(values.schedules) : undefined
  for (const [i, schedule] of (values.schedules ?? []).entries()) mustEndLater(schedule, i)
  if (!namesOthers(values, before)) return
  // While it is locked, its release is not replaced and no other rule takes effect.
  await work.store.lock(catalogs, values.catalog_id)
  await lockPricebooks(work, pricebooksOf(values), 'data.attributes.pricebook_ids')
}

const pricebooksOf = ({ pricebook_ids }: RuleValues): readonly string[] =>
  (pricebook_ids ?? []).map(({ id }) => id)

/** Whether the price books or the catalog of the rule changed. */
const namesOthers = (values: RuleValues, before: Row<RuleFields> | undefined): boolean =>
  values.catalog_id !== before?.doc.catalog_id ||
  pricebooksOf(values).join() !== pricebooksOf(before.doc).join()

async function pendingOf(
  work: Work,
  { values, before }: Draft<RuleFields>,
): Promise<PendingPricebooks | undefined> {
  const pricebookIds = pricebooksOf(values)
  if (!pricebookIds.length) return undefined
  if (!namesOthers(values, before)) return before?.hidden.pending
  const waits_for = await pricebooksToAdd(work, values.catalog_id, pricebookIds)
  if (!waits_for) return undefined
  return { in_effect: before ? (before.hidden.pending?.in_effect ?? inEffect(before)) : null, waits_for }
}

/** The version of the rule in effect; null where none ever was. */
const inEffect = ({ doc, hidden }: Row<RuleFields>): RuleValues | null => (hidden.pending ? null : doc)

function mustEndLater(schedule: Parameters<typeof spanOf>[0], i: number): void {
  const { fromMs, toMs } = spanOf(schedule)
  if (fromMs < toMs) return
  throw new Problem('unprocessable', `valid_to must be later than valid_from (${schedule.valid_from}).`, {
    source: `data.attributes.schedules.${i}.valid_to`,
  })
}

/** Raises the versions of catalogs whose rules change, and locks them until the rule is written. */
async function countRules({ store }: Work, id: string, ...others: readonly string[]): Promise<void> {
  const all = [id, ...others]
  await store.lock(catalogs, ...all)
  const touchedIds = await store.touchAll(catalogs, (bind) => `r.id = ANY(${bind(all)}::uuid[])`)
  if (touchedIds.includes(id)) return
  throw new Problem('unprocessable', `No catalog has the id ${id}.`, { source: 'data.attributes.catalog_id' })
}
