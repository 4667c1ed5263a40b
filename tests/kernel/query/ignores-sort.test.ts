import { expect, test } from 'vitest'
import { type ResourceDeclaration, resource } from '../../../server/kernel/declare/resource.ts'
import { parse } from '../../../server/kernel/query/parse.ts'
import { plan } from '../../../server/kernel/query/plan.ts'

const of = (more: Partial<ResourceDeclaration<Record<never, never>>>) =>
  resource({
    type: 'pebble',
    noun: ['pebble', 'pebbles'],
    about: 'One of many.',
    path: '/v2/pebbles',
    table: 'pebbles',
    fields: {},
    area: 'settings',
    envelope: { times: 'meta', digits: 3, fields: 'top', links: 'none', href: 'absolute' },
    ...more,
  })

test('a list that ignores sort keeps its order, except for the fields that it can be sorted by', () => {
  const orderOf = (query: string, more: object) => {
    const { field, descending } = plan(parse(query), of(more)).sort
    return [field, descending]
  }
  expect(orderOf('sort=-name', { ignoresSort: true })).toEqual(['created_at', true])
  expect(orderOf('sort=name', { ignoresSort: true, order: 'updated_at' })).toEqual(['updated_at', false])
  expect(orderOf('sort=id', { ignoresSort: true, sort: ['id'] })).toEqual(['id', false])
  expect(() => orderOf('sort=name', { sort: ['id'] })).toThrow('Invalid sort')
})
