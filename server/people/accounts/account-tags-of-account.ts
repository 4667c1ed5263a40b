import { type Relationship, relationship } from '../../kernel/declare/relationship.ts'
import { accountTags } from './account-tags.ts'
import { accounts } from './accounts.ts'

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
