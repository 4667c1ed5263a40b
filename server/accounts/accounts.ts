import type { Ctx } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import { reference, text } from '../kernel/fields.ts'
import { longText } from '../kernel/query/long-text.ts'
import { type Draft, dialects, type Row, resource, shown } from '../kernel/resource.ts'

interface Link {
  readonly id: string
  readonly type: 'account'
}

interface Relationships {
  readonly parent?: { readonly data: Link }
  readonly ancestors?: readonly Link[]
}

/** A company or person that buys. Accounts form trees: a child names its parent when it is created. */
export const accounts = resource({
  type: 'account',
  noun: ['account', 'accounts'],
  about: 'A company or person that buys.',
  path: '/v2/accounts',
  table: 'accounts',
  fields: {
    name: text({ required: true, min: 1, max: 512, about: 'Shown in lists.', example: 'Riverside Bakery' }),
    legal_name: text({
      nullable: true,
      max: 512,
      about: 'The registered name.',
      example: 'Riverside Bakery Ltd',
    }),
    registration_id: text({
      nullable: true,
      min: 1,
      max: 63,
      about: 'The number it is registered under; unique in the store.',
    }),
    external_ref: text({
      nullable: true,
      default: null,
      max: 2048,
      about: 'The id of this account in another system.',
    }),
    parent_id: reference('account', {
      nullable: true,
      immutable: true,
      hidden: true,
      about: 'The account above this one. Shown as a relationship.',
    }),
    relationships: shown<Relationships>({}, { about: 'Its parent, and its ancestors from the root down.' }),
  },
  filter: {
    id: ['eq', 'ge', 'gt', 'le', 'lt', 'in'],
    name: ['eq', 'like'],
    legal_name: ['eq', 'like'],
    registration_id: ['eq', 'like'],
    external_ref: longText('external_ref'),
    created_at: ['eq', 'ge', 'gt', 'le', 'lt'],
    updated_at: ['eq', 'ge', 'gt', 'le', 'lt'],
  },
  sort: ['created_at', 'id', 'name', 'updated_at'],
  area: 'accounts',
  dialect: dialects.accounts,
  beforeWrite: showAncestors,
  constraints: {
    accounts_registration_id_key: {
      code: 'conflict',
      detail: 'an account with the given registration_id already exists',
      source: 'data.registration_id',
    },
    accounts_parent_id_fkey: {
      code: 'conflict',
      detail: 'the account has child accounts: delete them first',
    },
  },
})

/** A parent never changes and must exist, so an account's ancestors are known, and without a cycle, from its start. */
async function showAncestors(ctx: Ctx, { values, before }: Draft): Promise<void> {
  if (before || !values.parent_id) return
  const parent = await ctx.store.find(accounts, values.parent_id as string)
  if (!parent) throw new Problem('not_found', 'parent account not found', { source: 'data.parent_id' })
  values.relationships = relationshipsUnder(parent)
}

function relationshipsUnder(parent: Row<typeof accounts.fields>): Relationships {
  const link: Link = { id: parent.id, type: 'account' }
  return { parent: { data: link }, ancestors: [...(parent.doc.relationships?.ancestors ?? []), link] }
}
