import { indexed, resource, walks } from '../kernel/declare/resource.ts'
import { unlinkFrom } from '../kernel/request/links.ts'
import { text } from '../kernel/shape/fields.ts'
import { accounts } from './accounts.ts'
import { accountEnvelope } from './envelope.ts'

/** A label for accounts, to group and find them by. Deleting it takes it off all accounts. */
export const accountTags = resource({
  type: 'account_tag',
  noun: ['account-tag', 'account-tags'],
  about: 'A label for accounts, to group and find them by.',
  path: '/v2/account-tags',
  table: 'account_tags',
  fields: {
    name: text({ required: true, min: 1, max: 255, about: 'Unique in the store.', example: 'Wholesale' }),
    description: text({ max: 4096, about: 'What it stands for.', example: 'Buys by the pallet.' }),
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
