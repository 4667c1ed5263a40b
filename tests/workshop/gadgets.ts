import { resource } from '../../server/kernel/declare/resource.ts'
import { choice, text } from '../../server/kernel/shape/fields.ts'
import { indexed, walks } from '../../server/kernel/shape/model.ts'

/** A short list of the store, like its currencies; the code of an object is also its key. */
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
    name: text({ max: 255, about: 'The name of the gadget.', example: 'Gizmo' }),
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
    fields: { owner: choice(['store', 'organization'], { about: 'The owner of the gadget.' }) },
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
