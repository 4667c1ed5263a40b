import { resource } from '../../kernel/declare/resource.ts'
import { unlinkFrom } from '../../kernel/request/links.ts'
import { text } from '../../kernel/shape/fields.ts'
import { indexed, walks } from '../../kernel/shape/model.ts'
import { accounts } from './accounts.ts'
import { accountEnvelope } from './envelope.ts'

/** A label to group and find accounts by. Deleting it removes it from all accounts. */
export const accountTags = resource({
  type: 'account_tag',
  noun: ['account-tag', 'account-tags'],
  about: 'A label to group and find accounts by.',
  path: '/v2/account-tags',
  table: 'account_tags',
  fields: {
    name: text({
      required: true,
      min: 1,
      max: 255,
      about: 'The name of the tag; unique in the store.',
      example: 'Wholesale',
    }),
    description: text({ max: 4096, about: 'The meaning of the tag.', example: 'Buys by the pallet.' }),
  },
  filter: {
    ...walks,
    name: indexed('eq', 'like'),
  },
  sort: ['created_at', 'id', 'name', 'updated_at'],
  area: 'account-tags',
  envelope: { ...accountEnvelope, links: 'inside' },
  afterDelete: unlinkFrom(() => accounts, 'account_tags'),
  constraints: {
    account_tags_name_key: {
      code: 'conflict',
      detail: 'an account tag with the given name already exists',
      source: 'data.name',
    },
  },
})
