import { resource } from '../../server/kernel/declare/resource.ts'
import { integer, text } from '../../server/kernel/shape/fields.ts'
import { indexed, walks } from '../../server/kernel/shape/model.ts'
import { gadgets } from './gadgets.ts'

/** Parts of a gadget. Their slugs and serial numbers are unique within the gadget. */
export const widgets = resource({
  type: 'widget',
  noun: ['widget', 'widgets'],
  about: 'A part of a gadget.',
  path: '/v2/gadgets/:gadget_id/widgets',
  table: 'widgets',
  parent: () => gadgets,
  fields: {
    slug: text({
      required: true,
      pattern: /^[a-z0-9_-]{1,63}$/,
      about: 'Unique in the gadget.',
      example: 'left-lever',
    }),
    serial: integer({ required: true, min: 1, max: 999_999, about: 'Unique in the gadget.', example: 7 }),
  },
  filter: { ...walks, slug: indexed('eq', 'in', 'like'), serial: ['eq', 'ge', 'le'] },
  sort: ['created_at', 'id', 'serial', 'slug', 'updated_at'],
  order: { by: '-serial', about: 'the highest serial first' },
  area: 'widgets',
  envelope: {
    times: 'meta',
    digits: 3,
    fields: 'attributes',
    links: 'inside',
    href: { after: '/v2' },
    pageLinks: 'existing',
  },
  constraints: {
    widgets_slug_key: {
      code: 'conflict',
      detail: 'a widget with the given slug already exists',
      source: 'data.attributes.slug',
    },
    widgets_serial_key: {
      code: 'conflict',
      detail: 'a widget with the given serial already exists',
      source: 'data.attributes.serial',
    },
  },
})
