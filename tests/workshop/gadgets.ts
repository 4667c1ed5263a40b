import { resource } from '../../server/kernel/declare/resource.ts'
import { choice, text } from '../../server/kernel/shape/fields.ts'
import { indexed, walks } from '../../server/kernel/shape/model.ts'

/** A few of a store's own, each under a code of three letters: as the currencies of a store are, but called by it. */
export const gadgets = resource({
  type: 'gadget',
  noun: ['gadget', 'gadgets'],
  about: 'One of the few gadgets of a store.',
  path: '/v2/gadgets',
  table: 'gadgets',
  fields: {
    code: text({
      required: true,
      pattern: /^[A-Z]{3}$/,
      about: 'Unique in the store.',
      example: 'GZM',
    }),
    name: text({ max: 255, about: 'What people call it.', example: 'Gizmo' }),
  },
  filter: { ...walks, code: indexed('eq', 'in', 'like') },
  sort: ['code', 'created_at', 'id', 'updated_at'],
  area: 'gadgets',
  visible: 'all',
  envelope: {
    times: 'meta.timestamps',
    digits: 3,
    fields: 'top',
    links: 'inside',
    href: { after: '/v2' },
  },
  key: { field: 'code' },
  order: 'created_at',
  meta: {
    fields: { owner: choice(['store', 'organization'], { about: 'Whose it is.' }) },
    of: () => ({ owner: 'store' as const }),
  },
  most: { n: 10, detail: (n) => `A store has at most ${n} gadgets.` },
  constraints: {
    gadgets_code_key: {
      code: 'conflict',
      detail: 'a gadget with the given code already exists',
      source: 'data.code',
    },
  },
})
