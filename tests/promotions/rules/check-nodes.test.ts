import { expect, test } from 'vitest'
import { treeLimits } from '../../../server/promotions/discounts/rules/rule-document.ts'
import { checkNodes, treeKinds } from '../../../server/promotions/rules/check-nodes.ts'

/** How many conditions are looked at before a tree is refused. */
function readsUntilRefused(make: (list: (conditions: unknown[]) => unknown[]) => unknown): number {
  let reads = 0
  const list = (conditions: unknown[]) =>
    new Proxy(conditions, {
      get(target, key, receiver) {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1
        return Reflect.get(target, key, receiver)
      },
    })
  const tree = make(list)
  expect(() => checkNodes(tree, 'rules', treeKinds.rules, { nodes: treeLimits.nodesMax })).toThrow(
    /at most 500/,
  )
  return reads
}

const total = { strategy: 'cart_total', operator: 'gte', args: [1] }
const some = (count: number) => Array.from({ length: count }, () => total)

test.each([501, 400_000])('none of %i conditions in one list is looked at', (count) => {
  expect(readsUntilRefused((list) => ({ strategy: 'or', children: list(some(count)) }))).toBe(0)
  expect(readsUntilRefused((list) => list(some(count)))).toBe(0)
})

test.each([21, 400])('of %i lists, no more conditions are looked at than a promotion may have', (count) => {
  const reads = readsUntilRefused((list) => ({
    strategy: 'and',
    children: list(
      Array.from({ length: count }, () => ({ strategy: 'or', children: list(some(400_000 / count)) })),
    ),
  }))
  expect(reads).toBeLessThanOrEqual(treeLimits.nodesMax)
})
