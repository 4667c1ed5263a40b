import { expect, test } from 'vitest'
import { addFilters, fill, hook } from '../../../server/kernel/declare/hook.ts'
import { joined, module } from '../../../server/kernel/module.ts'
import { crates } from '../../workshop/crates.ts'

const declared = (...adds: ReturnType<typeof fill>[]) => module({ name: 'n', about: '', adds })

test('a hook is called as the function that a module above fills it with', () => {
  const priceOf = hook<(name: string, n: number) => string>('priceOf')
  const [one] = joined([declared(fill(priceOf, (name, n) => `${name} ${n}`))])
  expect(one?.name).toBe('n')
  expect(priceOf('crate', 2)).toBe('crate 2')
})

test('a hook that no module fills says its name', () => {
  expect(() => hook<() => void>('onShipped')()).toThrow('No module fills the hook onShipped')
})

test('a hook has one definition; the same module may be joined twice', () => {
  const priceOf = hook<() => number>('priceOf')
  const first = declared(fill(priceOf, () => 1))
  joined([first])
  joined([first])
  expect(() => joined([declared(fill(priceOf, () => 2))])).toThrow('Two modules fill the hook priceOf')
  expect(priceOf()).toBe(1)
})

test('a module adds filters to a resource below it', () => {
  const resource = { ...crates, filter: { ...crates.filter } }
  const rule = { ops: ['eq'], type: 'text', where: () => 'true' } as const
  joined([declared(addFilters(resource, { label: rule }))])
  expect(resource.filter).toEqual({ ...crates.filter, label: rule })
})
