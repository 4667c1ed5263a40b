import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  conflict,
  hasAll,
  type RuleMembers,
  similarity,
} from '../../../server/shop/catalogs/compare-rules.ts'
import { overlap, type ScheduleSpan } from '../../../server/shop/catalogs/schedules.ts'

const set = (...values: string[]) => new Set(values)
const from = (fromMs: number, toMs = Number.POSITIVE_INFINITY): ScheduleSpan => ({ fromMs, toMs })

describe('a rule matches every member of the query', () => {
  const rule: RuleMembers = {
    name: 'Spring',
    catalogId: 'k1',
    channels: set('web', 'mobile'),
    tags: set('vip'),
    spans: [from(10, 20)],
    pricebookIds: ['p1', 'p2'],
  }
  test.each<[what: string, query: RuleMembers, atMs: number | undefined, is: boolean]>([
    ['the query is empty', {}, undefined, true],
    ['one of its channels', { channels: set('web', 'kiosk') }, undefined, true],
    ['another channel', { channels: set('kiosk') }, undefined, false],
    ['a criterion that the rule does not have', { customer_ids: set('c1') }, undefined, false],
    ['two values, of which the rule has one', { channels: set('web'), tags: set('new') }, undefined, false],
    ['its name', { name: 'Spring' }, undefined, true],
    ['another name', { name: 'spring' }, undefined, false],
    ['its catalog', { catalogId: 'k1' }, undefined, true],
    ['another catalog', { catalogId: 'k2' }, undefined, false],
    ['one of its price books', { pricebookIds: ['p2'] }, undefined, true],
    ['another price book', { pricebookIds: ['p3'] }, undefined, false],
    ['an instant within its schedule', {}, 15, true],
    ['an instant after its schedule', {}, 20, false],
    ['schedules that overlap', { spans: [from(0, 11)] }, undefined, true],
    ['schedules that do not overlap', { spans: [from(0, 10)] }, undefined, false],
  ])('%s', (_what, query, atMs, is) => expect(hasAll(rule, query, atMs)).toBe(is))

  test('a rule without a schedule is in force at any instant', () => {
    expect(hasAll({}, { spans: [from(0, 10)] }, 5)).toBe(true)
  })
})

test.each<[what: string, query: RuleMembers, score: number]>([
  ['nothing', { name: 'x', channels: set('y') }, 0],
  ['the name', { name: 'Spring' }, 100],
  ['two of three channels', { channels: set('web', 'mobile', 'kiosk') }, 10],
  [
    'an account, a customer, a tag of accounts and a tag',
    { account_ids: set('a'), customer_ids: set('c'), account_tag_ids: set('t'), tags: set('vip') },
    20,
  ],
  ['the catalog', { catalogId: 'k1' }, 3],
  ['a price book of two', { pricebookIds: ['p1', 'p9'] }, 2],
  ['two times of three', { spans: [from(0, 11), from(19), from(30)] }, 4],
  [
    'all of these',
    { name: 'Spring', catalogId: 'k1', channels: set('web'), pricebookIds: ['p2', 'p1'] },
    112,
  ],
])('likeness in %s has its score', (_what, query, score) => {
  const rule: RuleMembers = {
    name: 'Spring',
    catalogId: 'k1',
    account_ids: set('a', 'b'),
    account_tag_ids: set('t'),
    customer_ids: set('c'),
    channels: set('web', 'mobile'),
    tags: set('vip'),
    spans: [from(10, 20)],
    pricebookIds: ['p1', 'p2'],
  }
  expect(similarity(rule, query)).toBe(score)
})

test.each<[what: string, rule: RuleMembers, query: RuleMembers, is: boolean]>([
  ['both without criteria', {}, {}, true],
  ['one without criteria', {}, { tags: set('x') }, false],
  ['a channel in common', { channels: set('web', 'kiosk') }, { channels: set('web') }, true],
  ['no channel in common', { channels: set('kiosk') }, { channels: set('web') }, false],
  ['one with more criteria', { channels: set('web'), tags: set('vip') }, { channels: set('web') }, false],
  ['schedules that overlap', { spans: [from(0, 10)] }, { spans: [from(9)] }, true],
  ['schedules that meet', { spans: [from(0, 10)] }, { spans: [from(10)] }, false],
  ['one is always in force', { tags: set('x') }, { tags: set('x'), spans: [from(0)] }, false],
  ['other catalogs and names', { name: 'a', catalogId: 'k1' }, { name: 'b', catalogId: 'k2' }, true],
])('whether two rules conflict: %s', (_what, rule, query, is) => {
  expect(conflict(rule, query)).toBe(is)
  expect(conflict(query, rule)).toBe(is)
})

test('schedules overlap if they have an instant in common', () => {
  const instant = fc.integer({ min: 0, max: 6 })
  const span = fc.record({ fromMs: instant, toMs: instant })
  fc.assert(
    fc.property(span, span, (one, other) => {
      const inBoth = [0, 1, 2, 3, 4, 5, 6].some((at) =>
        [one, other].every(({ fromMs, toMs }) => fromMs <= at && at < toMs),
      )
      expect(overlap(one, other)).toBe(inBoth)
    }),
  )
})
