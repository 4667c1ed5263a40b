import { resource } from '../../kernel/declare/resource.ts'
import { isId } from '../../kernel/ids.ts'
import { flag, integer, type ShownValues, text } from '../../kernel/shape/fields.ts'
import { type FilterRule, indexed, walks } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { isUnchanged } from '../../kernel/write/drafts.ts'
import { fromRule } from '../discounts/rules/from-rule.ts'
import type { RuleDocument, RuleSet } from '../discounts/rules/rule-document.ts'
import { authorFields, completeAuthors } from '../standard/authors.ts'
import { mustBeCurrencies } from '../standard/currencies-of-store.ts'
import { limitConditions } from '../standard/limit-conditions.ts'
import { remember } from '../standard/load-promotions.ts'
import { completePeriod, periodFields, timestampOf } from '../standard/period.ts'
import { promotionEnvelope } from '../standard/promotion-envelope.ts'
import { checkRuleSet } from './check-rule-set.ts'
import { holdPriority, limitAutomatic } from './limits.ts'
import { ruleSetField } from './rule-set-field.ts'

/**
 * Filters by what the rules of a promotion are made of. No index answers them, but a store has at most a thousand rule
 * promotions, and rules are small.
 */

const inDocument = (path: string, value: string): string =>
  `jsonb_path_exists((doc->'rule_set'->'rules')::jsonb, '${path}', ${value}::jsonb)`

/** The strategies of the topmost conditions. */
const byStrategy: FilterRule = {
  ops: ['eq'],
  type: 'text',
  where: (_op, values, bind) =>
    inDocument('$.strategy ? (@ == $values[*])', bind(JSON.stringify({ values }))),
}

/** Ids are stored in small letters, and numbers as numbers. */
const formsOf = (value: string): readonly unknown[] => {
  const number = value.trim() === '' ? Number.NaN : Number(value)
  return [isId(value) ? value.toLowerCase() : value, ...(Number.isFinite(number) ? [number] : [])]
}

/** The arguments of the topmost conditions, also the SKUs and ids inside them. */
const byArgs: FilterRule = {
  ops: ['contains'],
  type: 'text',
  where: (_op, [value = ''], bind) =>
    inDocument('$.args.** ? (@ == $values[*])', bind(JSON.stringify({ values: formsOf(value) }))),
}

/** The account tags that any condition names. */
const byAccountTags: FilterRule = {
  ops: ['contains'],
  type: 'text',
  where: (_op, [value = ''], bind) =>
    inDocument(
      '$.** ? (@.strategy == "account_tags").args[*] ? (@ == $values[*])',
      bind(JSON.stringify({ values: formsOf(value) })),
    ),
}

const fields = {
  name: text({ required: true, min: 1, max: 255, about: 'Shown to shoppers.', example: 'Shoes and socks' }),
  description: text({
    about: 'What the promotion is about.',
    example: 'Buy shoes, get socks at half the price',
  }),
  priority: integer({
    nullable: true,
    min: -2_147_483_648,
    max: 2_147_483_647,
    about:
      'Promotions with a higher priority apply first; those without one come last, the newest first. Unique among ' +
      'promotions that run or are scheduled. `null` removes it.',
  }),
  enabled: flag({ default: false, about: 'Whether the promotion applies from its start to its end.' }),
  automatic: flag({
    default: false,
    about: 'Whether the promotion applies to every cart. Otherwise shoppers enter one of its codes.',
  }),
  stackable: flag({ default: true, about: 'Whether other rule promotions may apply to the same cart.' }),
  override_stacking: flag({
    default: false,
    about:
      'Whether the promotion also applies beside one that is not stackable, unless that one overrides too.',
  }),
  ...periodFields,
  rule_set: ruleSetField,
  ...authorFields,
  /** The priority, while no other promotion may have it. */
  held_priority: integer({ hidden: true, readOnly: true }),
}

type RulePromotionFields = typeof fields

/** A currency that is gone does not stand in the way of other changes. */
const mustKnowCurrencies = (work: Work, { currencies }: RuleSet, before: RuleSet | undefined) =>
  mustBeCurrencies(
    work,
    (currencies ?? []).flatMap((code, index) =>
      before?.currencies?.includes(code) ? [] : [[`data.rule_set.currencies.${index}`, code] as const],
    ),
  )

/** A discount that follows rules which the merchant composes. */
export const rulePromotions = resource({
  type: 'rule_promotion',
  noun: ['rule-promotion', 'rule-promotions'],
  about: 'A promotion with rules for the cart and actions that take something off, automatic or by code.',
  path: '/v2/rule-promotions',
  table: 'rule_promotions',
  fields,
  addedUnder: 'rule-promotions',
  filter: {
    ...walks,
    name: indexed('eq', 'like', 'ilike'),
    enabled: ['eq'],
    automatic: ['eq'],
    stackable: ['eq'],
    override_stacking: ['eq'],
    start: { ops: ['lt', 'le', 'eq', 'gt', 'ge'], type: 'time', column: 'starts_at' },
    'rule_set.rules.strategy': byStrategy,
    'rule_set.rules.args': byArgs,
    account_tags: byAccountTags,
    end: { ops: ['lt', 'le', 'eq', 'gt', 'ge'], type: 'time', column: 'ends_at' },
  },
  sort: ['created_at', 'id', 'updated_at'],
  most: { n: 1000, detail: (n) => `A store can have at most ${n} rule promotions.` },
  area: 'promotions',
  envelope: promotionEnvelope,
  also: {
    fields: { store_id: text({ format: 'uuid', about: 'The store of the promotion.' }) },
    of: (_row, { store }) => ({ store_id: store.id }),
  },
  constraints: {
    rule_promotions_priority_key: {
      code: 'unprocessable',
      title: 'Duplicate Priority',
      detail: 'Another promotion that runs or is scheduled has this priority. Send another one, or null.',
      source: 'data.priority',
    },
  },
  async beforeWrite(work, draft) {
    const { id, values, before, changes } = draft
    completePeriod(values)
    if (!changes || changes.rule_set || changes.automatic !== undefined) {
      values.rule_set = checkRuleSet(values.rule_set, values.automatic)
      // What cannot be compiled is a fault of the checks: it must not be stored, or carts would lack the promotion.
      fromRule({ ...values, id }, work.clock.now())
    }
    await mustKnowCurrencies(work, values.rule_set, before?.doc.rule_set)
    await limitAutomatic(work, id, values)
    await holdPriority(work, values)
    completeAuthors(work, values, !isUnchanged(fields, draft))
  },
  afterWrite: (work, row, before) =>
    limitConditions(
      work,
      {
        ...{ table: 'rule_promotions', member: 'rule_set', words: 'rule promotions' },
        counted: 'conditions and actions',
      },
      row,
      before,
    ),
})

/** Reads the state of the store's rule promotions: null if it never had one. */
export const rulePromotionsStateSql = '(SELECT s.state FROM rule_promotion_states s WHERE s.store_id = $1)'

type LoadedRulePromotion = RuleDocument & ShownValues<RulePromotionFields>

/** All rule promotions of the store, compiled. `state` is what `rulePromotionsStateSql` has read. */
export const loadRulePromotions = remember<LoadedRulePromotion>({
  table: 'rule_promotions',
  states: 'rule_promotion_states',
  compile(document, createdAt) {
    const { id, name, description = '', automatic, start, end } = document
    return {
      promotion: fromRule(document, createdAt),
      shown: {
        ...{ type: 'promotion', id, name, description, automatic },
        start: timestampOf(start),
        end: timestampOf(end),
        promotion_source: 'rule-promotion',
      },
    }
  },
})
