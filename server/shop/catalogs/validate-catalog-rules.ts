import { instantOf } from '../../kernel/body/days.ts'
import { action } from '../../kernel/declare/action.ts'
import type { Call } from '../../kernel/declare/call.ts'
import { listing } from '../../kernel/declare/listing.ts'
import { pageAnswer } from '../../kernel/http/page-answer.ts'
import { fetchPage } from '../../kernel/query/page.ts'
import { parse } from '../../kernel/query/parse.ts'
import { list } from '../../kernel/request/operations.ts'
import type { Answer } from '../../kernel/shape/answer.ts'
import {
  choice,
  field,
  flag,
  group,
  integer,
  list as listOf,
  map,
  reference,
  text,
  type Values,
} from '../../kernel/shape/fields.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { catalogRules, criteriaFields, effectFields, effectOf } from './catalog-rules.ts'
import { conflict, conflictsOn, hasAll, type RuleMembers, similarity } from './compare-rules.ts'
import { criteria, isInForce, resolveRule, type ShopperContext } from './resolve-rule.ts'
import { type CachedRule, rulesFor, type StoreRules } from './rules-of-store.ts'
import { normalizeSchedules, spanOf } from './schedules.ts'

const matchTypes = ['filter', 'similarity', 'conflict', 'resolve_for_shopper'] as const

const queryFields = {
  match_type: choice(matchTypes, {
    required: true,
    about:
      '`filter`: rules that match each member of the request. `similarity`: rules that match any member, most similar first. `conflict`: rules that match the same shoppers as a rule like this, so that only their age decides. `resolve_for_shopper`: the rule that such a shopper gets.',
  }),
  name: text({ nullable: true, about: 'The name of the rule.' }),
  catalog_id: text({ nullable: true, about: 'The catalog of the rule.' }),
  ...criteriaFields,
  pricebook_ids: listOf(reference('pricebook', {}), {
    nullable: true,
    about: 'Price books of the rule.',
  }),
  match_date: field<string | null | undefined>(
    { type: 'string', format: 'day' },
    { nullable: true, about: 'The instant at which rules are checked. Default: now.' },
  ),
}

type QueryValues = Values<typeof queryFields>

/** A query about rules, and the data that it is answered from. */
interface RuleQuery {
  readonly type: (typeof matchTypes)[number]
  readonly described: RuleMembers
  readonly rules: readonly CachedRule[]
  readonly pending: StoreRules['pending']
  /** The rule that a shopper with these values would get. */
  readonly resolved: CachedRule | undefined
  readonly oldestPublished: string | undefined
  /** Present if the request has `match_date`. */
  readonly matchMs: number | undefined
  readonly atMs: number
}

const ruleMeta = {
  ...effectFields,
  similarity_score: integer({ about: 'How similar the rule is to the request.' }),
  conflicts_on: map(listOf(text({}), {}), {
    about:
      'For a `conflict`: the values that both rules match, by criterion. The older of two conflicting rules applies.',
  }),
  active: flag({ about: 'Whether the rule is in force at that instant.' }),
  resolved_for_shopper: flag({ about: 'Whether a shopper like this gets the rule.' }),
  release_id: text({ format: 'uuid', about: 'The published release of its catalog.' }),
}

/** A rule in the answer. */
const matchingRules = listing(catalogRules, {
  noun: ['matching-catalog-rule', 'matching-catalog-rules'],
  about: 'A catalog rule, and how it matches the request.',
  meta: { fields: ruleMeta, of: () => ({}) },
})

export const validateCatalogRules = action({
  name: 'validate-catalog-rules',
  route: 'POST /catalogs/rules/validate',
  about:
    'Finds the rules that match a request, are similar to it or would conflict with it, or the rule that a shopper gets. The response is a page of rules.',
  area: 'catalogs',
  status: 200,
  reads: true,
  data: group(queryFields, {}),
  shows: { resource: matchingRules, page: true },
  async run(ctx, call) {
    const query = await readQuery(ctx, call.data as QueryValues)
    if (query.type === 'resolve_for_shopper' && !query.resolved) return withoutRule(ctx, query, call)
    return pageOf(ctx, query, call)
  },
})

async function readQuery(ctx: Ctx, sent: QueryValues): Promise<RuleQuery> {
  const { match_type: type, name, catalog_id, pricebook_ids, schedules, match_date } = sent
  const { rules, oldestPublished, accountTags } = await rulesFor(ctx, sent.account_ids ?? [])
  const matchMs = match_date == null ? undefined : instantOf(match_date)
  const atMs = matchMs ?? ctx.clock.now().getTime()
  // A shopper of an account has its tags, whether or not the request names them.
  const context: ShopperContext = {
    account_ids: sent.account_ids ?? [],
    account_tag_ids: sent.account_tag_ids ?? accountTags,
    customer_ids: sent.customer_ids ?? [],
    channels: sent.channels ?? [],
    tags: sent.tags ?? [],
  }
  const valueSets = criteria.flatMap((one) => (sent[one]?.length ? [[one, new Set(sent[one])]] : []))
  return {
    type,
    described: {
      name: name ?? undefined,
      catalogId: catalog_id?.toLowerCase(),
      pricebookIds: pricebook_ids?.length ? pricebook_ids : undefined,
      ...Object.fromEntries(valueSets),
      ...(schedules?.length && { spans: normalizeSchedules(schedules).map(spanOf) }),
    },
    rules: rules.written,
    pending: rules.pending,
    resolved: resolveRule(context, rules.inEffect.about(context), atMs),
    oldestPublished,
    matchMs,
    atMs,
  }
}

/** The rules of the answer, sorted by similarity, or newest first. */
function answersTo({ type, described, rules, resolved, matchMs }: RuleQuery): readonly CachedRule[] {
  const isAnswer = {
    filter: (rule: CachedRule) => hasAll(rule, described, matchMs),
    similarity: (rule: CachedRule) => similarity(rule, described) > 0,
    conflict: (rule: CachedRule) => conflict(rule, described),
    resolve_for_shopper: (rule: CachedRule) => rule.id === resolved?.id,
  }[type]
  const score = (rule: CachedRule) => (type === 'similarity' ? similarity(rule, described) : 0)
  return rules
    .filter(isAnswer)
    .toSorted(
      (one, other) =>
        score(other) - score(one) || compare(other.createdAt, one.createdAt) || compare(other.id, one.id),
    )
}

const compare = (one: string, other: string) => Number(one > other) - Number(one < other)

async function pageOf(ctx: Ctx, query: RuleQuery, call: Call): Promise<Answer> {
  const answers = answersTo(query)
  const releases = await releasesOf(
    ctx,
    answers.map(({ catalogId }) => catalogId),
  )
  const byId = new Map(answers.map((rule) => [rule.id, rule]))
  const metaOf = (rule: CachedRule) => ({
    ...(query.type === 'similarity' && { similarity_score: similarity(rule, query.described) }),
    ...(query.type === 'conflict' && { conflicts_on: conflictsOn(rule, query.described) }),
    active: isInForce(rule, query.atMs),
    resolved_for_shopper: rule.id === query.resolved?.id,
    ...effectOf(query.pending.get(rule.id)),
    release_id: releases.get(rule.catalogId),
  })
  const shown = listing(matchingRules, {
    table: inOrderOf(answers.map(({ id }) => id)),
    order: { by: 'place', about: 'in the order of the match' },
    meta: {
      fields: ruleMeta,
      of: ({ id }) => metaOf(byId.get(id) as CachedRule),
    },
  })
  // The page counts these rows only.
  return list(ctx, shown, [], call, () => 'true')
}

/** The rules with these ids, with their place in the answer. The ids come from the database. */
function inOrderOf(ids: readonly string[]): string {
  const answers = `unnest('{${ids.join()}}'::uuid[]) WITH ORDINALITY answer (id, place)`
  return `(SELECT r.*, answer.place FROM catalog_rules r JOIN ${answers}
    ON answer.id = r.id AND r.store_id = $1::uuid) catalog_rules`
}

/** The latest published release of each of these catalogs. */
async function releasesOf(
  { store }: Ctx,
  catalogIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await store.read(
    `SELECT DISTINCT ON (catalog_id) catalog_id, id FROM catalog_releases
     WHERE store_id = $1 AND catalog_id = ANY($2::uuid[]) AND status = 'PUBLISHED'
     ORDER BY catalog_id, created_at DESC, id DESC`,
    [...new Set(catalogIds)],
  )
  return new Map(rows as [string, string][])
}

/** If no rule matches, the shopper sees the default catalog, if there is one. */
async function withoutRule(ctx: Ctx, { oldestPublished }: RuleQuery, call: Call): Promise<Answer> {
  const page = await fetchPage(
    ctx,
    { resource: catalogRules, scope: [], where: () => 'false' },
    parse(call.query),
  )
  if (!oldestPublished) return pageAnswer(200, '', page, ctx, call)
  const [catalog] = await ctx.store.read(
    `SELECT created_at AT TIME ZONE 'UTC', updated_at AT TIME ZONE 'UTC' FROM catalogs WHERE store_id = $1 AND id = $2`,
    oldestPublished,
  )
  const [created_at, updated_at] = (catalog ?? []).map((time) => new Date(`${time}Z`).toISOString())
  const release_id = (await releasesOf(ctx, [oldestPublished])).get(oldestPublished)
  const rule = {
    type: catalogRules.type,
    id: noRule,
    attributes: { name: 'Default Catalog Resolution', catalog_id: oldestPublished, created_at, updated_at },
    meta: { active: true, resolved_for_shopper: true, ...effectOf(undefined), release_id },
  }
  const data = page.offset === 0 && page.limit > 0 ? JSON.stringify(rule) : ''
  return pageAnswer(200, data, { ...page, total: 1 }, ctx, call)
}

/** The id of the default catalog, which is shown like a rule. */
const noRule = '00000000-0000-0000-0000-000000000000'
