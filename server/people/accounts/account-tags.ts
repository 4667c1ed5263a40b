import { type Relationship, relationship } from '../../kernel/declare/relationship.ts'
import { resource } from '../../kernel/declare/resource.ts'
import { unlinkFrom } from '../../kernel/request/links.ts'
import { text } from '../../kernel/shape/fields.ts'
import { indexed, walks } from '../../kernel/shape/model.ts'
import { accountEnvelope } from './account-envelope.ts'
import { accounts } from './accounts.ts'

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

/** The tags of an account. There are few, so the account shows all of them. */
export const accountTagsOfAccount: Relationship = relationship({
  name: 'account-tags',
  about:
    'The tags of an account. Adding a tag that it already has, or removing one that it does not have, is not an error.',
  path: '/v2/accounts/:account_id/relationships/account-tags',
  owner: () => accounts,
  target: () => accountTags,
  holds: 'many',
  storage: { member: 'account_tags' },
  most: { n: 200, detail: (n) => `An account can have at most ${n} tags.` },
  area: 'account-tags',
  operations: { list: 200, add: 200, remove: 200 },
})
