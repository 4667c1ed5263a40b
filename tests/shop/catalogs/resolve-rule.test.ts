import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  criteria,
  type ResolvedRule,
  type RuleReason,
  resolveRule,
  type ShopperContext,
  traceOf,
} from '../../../server/shop/catalogs/resolve-rule.ts'
import { RuleIndex } from '../../../server/shop/catalogs/rules-of-store.ts'
import { tries } from '../../support/long.ts'

/** A rule and a shopper as one would write them down. */
interface RuleSketch extends Partial<Record<(typeof criteria)[number], readonly string[]>> {
  readonly id: string
  readonly createdAtMs?: number
  readonly spans?: readonly (readonly [from: number, to: number])[]
}

const ruleOf = ({ id, createdAtMs = 0, spans, ...criteriaOfRule }: RuleSketch): ResolvedRule => ({
  id,
  name: id,
  createdAt: new Date(createdAtMs).toISOString(),
  ...Object.fromEntries(Object.entries(criteriaOfRule).map(([name, values]) => [name, new Set(values)])),
  ...(spans && { spans: spans.map(([fromMs, toMs]) => ({ fromMs, toMs })) }),
})

const nobody: ShopperContext = {
  account_ids: [],
  account_tag_ids: [],
  customer_ids: [],
  channels: [],
  tags: [],
}

const chosenOf = (rules: readonly RuleSketch[], shopper: Partial<ShopperContext>, atMs = 0) =>
  resolveRule({ ...nobody, ...shopper }, rules.map(ruleOf), atMs)?.id

describe('the catalog of a shopper, of four', () => {
  const rules: readonly RuleSketch[] = [
    { id: 'R1', createdAtMs: 1, channels: ['mobile'] },
    { id: 'R2', createdAtMs: 2, channels: ['mobile'], tags: ['vip'] },
    { id: 'R3', createdAtMs: 3, customer_ids: ['c1'], tags: ['vip'] },
    { id: 'R4', createdAtMs: 4 },
  ]
  test.each<[who: string, shopper: Partial<ShopperContext>, chosen: string]>([
    ['a mobile shopper who is a vip', { channels: ['mobile'], tags: ['vip'] }, 'R2'],
    ['a mobile shopper: of two equal matches, the older one applies', { channels: ['mobile'] }, 'R1'],
    [
      'a customer on the web, though the tag is not theirs',
      { channels: ['web'], customer_ids: ['c1'] },
      'R3',
    ],
    ['a stranger on the web', { channels: ['web'] }, 'R4'],
    ['a vip of several tags', { tags: ['new', 'vip'] }, 'R2'],
  ])('%s', (_who, shopper, chosen) => {
    expect(chosenOf(rules, shopper)).toBe(chosen)
    expect(chosenOf(rules.toReversed(), shopper)).toBe(chosen)
  })
})

test.each<
  [what: string, rules: readonly RuleSketch[], shopper: Partial<ShopperContext>, chosen: string | undefined]
>([
  ['no rule', [], {}, undefined],
  ['no rule for anyone like this, and none for all', [{ id: 'a', tags: ['x'] }], { tags: ['y'] }, undefined],
  ['a rule that is in force counts one', [{ id: 'all' }, { id: 'now', spans: [[-1, 1]] }], {}, 'now'],
  ['one that ends now is over', [{ id: 'all' }, { id: 'then', spans: [[-1, 0]] }], {}, 'all'],
  ['one that begins now has begun', [{ id: 'all' }, { id: 'now', spans: [[0, 1]] }], {}, 'now'],
  [
    'its time alone makes a rule nobody’s',
    [{ id: 'all' }, { id: 'b', channels: ['mobile'], spans: [[-1, 1]] }],
    { channels: ['web'] },
    'all',
  ],
  [
    'one that is in force goes before one that always is',
    [
      { id: 'a', tags: ['x'] },
      { id: 'b', createdAtMs: 9, tags: ['x'], spans: [[-1, 1]] },
    ],
    { tags: ['x'] },
    'b',
  ],
  [
    'one that is not in force is out, however much of it matches',
    [
      { id: 'a', createdAtMs: 9, channels: ['web'] },
      { id: 'b', channels: ['web'], tags: ['x'], spans: [[5, 6]] },
    ],
    { channels: ['web'], tags: ['x'] },
    'a',
  ],
  [
    'one time of several',
    [
      {
        id: 'a',
        spans: [
          [5, 6],
          [-3, 3],
        ],
      },
    ],
    {},
    'a',
  ],
  ['of rules that were made at once the lower id', [{ id: 'b' }, { id: 'a' }], {}, 'a'],
])('%s', (_what, rules, shopper, chosen) => {
  expect(chosenOf(rules, shopper)).toBe(chosen)
})

const someOf = (...values: readonly string[]) => fc.subarray([...values])
const anyOf = (...values: readonly string[]) =>
  fc.option(fc.subarray([...values], { minLength: 1 }), { nil: undefined })
const values = {
  account_ids: ['a1', 'a2'],
  account_tag_ids: ['t1', 't2', 't3'],
  customer_ids: ['c1', 'c2'],
  channels: ['web', 'mobile'],
  tags: ['vip', 'new'],
} as const
const anyShopper: fc.Arbitrary<ShopperContext> = fc.record({
  account_ids: someOf(...values.account_ids),
  account_tag_ids: someOf(...values.account_tag_ids),
  customer_ids: someOf(...values.customer_ids),
  channels: someOf(...values.channels),
  tags: someOf(...values.tags),
})
const span = fc.tuple(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -5, max: 5 }))
const anyRule = fc.record({
  createdAtMs: fc.integer({ min: 0, max: 3 }),
  spans: fc.option(fc.array(span, { minLength: 1, maxLength: 2 }), { nil: undefined, freq: 2 }),
  account_ids: anyOf(...values.account_ids),
  account_tag_ids: anyOf(...values.account_tag_ids),
  customer_ids: anyOf(...values.customer_ids),
  channels: anyOf(...values.channels),
  tags: anyOf(...values.tags),
})
const anyRules: fc.Arbitrary<readonly RuleSketch[]> = fc.array(anyRule, { maxLength: 8 }).map((rules) =>
  rules.map((rule, i) => ({
    id: `r${i}`,
    ...(Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== undefined)) as object),
  })),
)

/** The same by writing down how each rule does, and sorting. */
function slowly(rules: readonly RuleSketch[], shopper: ShopperContext, at: number) {
  const lines = rules.map((rule) => {
    const wants = criteria.filter((one) => rule[one] !== undefined)
    const met = wants.filter((one) => (rule[one] ?? []).some((value) => shopper[one].includes(value)))
    const times = rule.spans ?? []
    const now = times.filter(([from, to]) => from <= at && at < to)
    const isOut = times.length > 0 && now.length === 0
    const count = met.length + (now.length > 0 ? 1 : 0)
    return { rule, count, may: !isOut && (met.length > 0 || wants.length === 0) }
  })
  const may = lines.filter((line) => line.may)
  may.sort(
    (a, b) =>
      b.count - a.count ||
      (a.rule.createdAtMs ?? 0) - (b.rule.createdAtMs ?? 0) ||
      a.rule.id.localeCompare(b.rule.id),
  )
  return may[0]?.rule.id
}

test('for any rules and shopper, the chosen rule is the first of a sorted list', () => {
  const holds = fc.property(anyRules, anyShopper, fc.integer({ min: -6, max: 6 }), (rules, shopper, at) => {
    expect(chosenOf(rules, shopper, at)).toBe(slowly(rules, shopper, at))
  })
  fc.assert(holds, { numRuns: tries(125, 500) })
})

test('the index returns every rule that could be chosen, and no other', () => {
  const holds = fc.property(anyRules, anyShopper, fc.integer({ min: -6, max: 6 }), (rules, shopper, at) => {
    const index = new RuleIndex(rules.map(ruleOf))
    const about = [...index.about(shopper)]
    expect(resolveRule(shopper, about, at)?.id).toBe(slowly(rules, shopper, at))
    for (const rule of about) {
      const own = criteria.filter((one) => rule[one])
      const matches = own.some((one) => shopper[one].some((value) => rule[one]?.has(value)))
      expect(matches || own.length === 0).toBe(true)
    }
  })
  fc.assert(holds, { numRuns: tries(125, 500) })
})

test('the order in which rules are read does not matter', () => {
  const shuffled = anyRules.chain((rules) =>
    fc.tuple(fc.constant(rules), fc.shuffledSubarray([...rules], { minLength: rules.length })),
  )
  fc.assert(
    fc.property(shuffled, anyShopper, ([rules, others], shopper) => {
      expect(chosenOf(others, shopper)).toBe(chosenOf(rules, shopper))
    }),
  )
})

describe('the trace', () => {
  const reasonsOf = (rules: readonly RuleSketch[], shopper: Partial<ShopperContext>) =>
    Object.fromEntries(
      traceOf({ ...nobody, ...shopper }, rules.map(ruleOf), 0).map((one) => [one.rule_id, one.reason]),
    )

  test('has one reason for each rule', () => {
    const rules: readonly RuleSketch[] = [
      { id: 'best', createdAtMs: 1, channels: ['web'], tags: ['vip'] },
      { id: 'as good', createdAtMs: 2, channels: ['web'], tags: ['vip'] },
      { id: 'less', channels: ['web'], tags: ['new'] },
      { id: 'none', channels: ['mobile'] },
      { id: 'over', channels: ['web'], tags: ['vip'], spans: [[-2, -1]] },
      { id: 'for all' },
    ]
    expect(reasonsOf(rules, { channels: ['web'], tags: ['vip'] })).toEqual({
      best: 'most_criteria_match',
      'as good': 'created_later',
      less: 'fewer_criteria_match',
      none: 'no_criterion_matches',
      over: 'not_in_force',
      'for all': 'another_rule_matches',
    } satisfies Record<string, RuleReason>)
    expect(
      reasonsOf(
        [
          { id: 'for all', createdAtMs: 1 },
          { id: 'later', createdAtMs: 2 },
          { id: 'x', tags: ['y'] },
        ],
        {},
      ),
    ).toEqual({
      'for all': 'default',
      later: 'created_later',
      x: 'no_criterion_matches',
    } satisfies Record<string, RuleReason>)
  })

  test('says which criteria match, and which do not', () => {
    const rule: RuleSketch = { id: 'a', customer_ids: ['c1'], tags: ['vip'], spans: [[-1, 1]] }
    expect(traceOf({ ...nobody, customer_ids: ['c1'] }, [ruleOf(rule)], 0)).toEqual([
      {
        rule_id: 'a',
        name: 'a',
        chosen: true,
        reason: 'most_criteria_match',
        matched: ['customer_ids', 'schedules'],
        unmatched: ['tags'],
      },
    ])
  })

  test('marks only the chosen rule as chosen, and its reasons are true', () => {
    const holds = fc.property(anyRules, anyShopper, fc.integer({ min: -6, max: 6 }), (rules, shopper, at) => {
      const trace = traceOf(shopper, rules.map(ruleOf), at)
      const chosen = trace.filter((one) => one.chosen)
      expect(chosen.map((one) => one.rule_id)).toEqual([slowly(rules, shopper, at) ?? []].flat())
      const most = chosen[0]?.matched.length ?? 0
      for (const { reason, matched, unmatched, ...one } of trace) {
        const expected = {
          most_criteria_match: one.chosen && most > 0,
          default: one.chosen && most === 0,
          not_in_force: unmatched.includes('schedules'),
          no_criterion_matches: unmatched.length > 0 && matched.every((name) => name === 'schedules'),
          fewer_criteria_match: matched.length > 0 && matched.length < most,
          created_later: chosen.length > 0 && !one.chosen && matched.length === most,
          another_rule_matches: matched.length === 0 && unmatched.length === 0 && most > 0,
        }
        expect([reason, expected[reason]]).toEqual([reason, true])
      }
    })
    fc.assert(holds, { numRuns: tries(125, 500) })
  })
})
