import { type Resource, resource } from '../../kernel/declare/resource.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { linkTo, listOf, object, relationshipTo } from '../../kernel/openapi/shapes.ts'
import { longText } from '../../kernel/query/long-text.ts'
import { readOnlyObject, reference, text } from '../../kernel/shape/fields.ts'
import { type Draft, indexed, type Row, walks } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { accountEnvelope } from './account-envelope.ts'

/** Members see only what belongs to the account of their token, not to its ancestors or descendants. */
export const ownAccount =
  (condition: (account: string) => string): NonNullable<Resource['visible']> =>
  ({ shopper }, bind) =>
    shopper && condition(`${bind(shopper.claims.account_id)}::uuid`)

interface TypedLink<Type extends string> {
  readonly id: string
  readonly type: Type
}

interface AccountRelationships {
  readonly parent?: { readonly data: TypedLink<'account'> }
  readonly ancestors?: readonly { readonly data: TypedLink<'account'> }[]
  readonly account_tags?: { readonly data: readonly TypedLink<'account_tag'>[] }
}

/** Each account shows all of its ancestors, so the depth of trees is limited. */
const ancestorsMax = 100

const fields = {
  name: text({ required: true, min: 1, max: 512, about: 'The name in lists.', example: 'Riverside Bakery' }),
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
    about: 'The registration number; unique in the store.',
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
    about: 'The parent account.',
  }),
  // The member whom the account was created for. It is personal data of that member while nobody else belongs to it.
  made_for: text({ hidden: true, readOnly: true }),
  relationships: readOnlyObject<AccountRelationships>(
    object(
      {
        parent: relationshipTo(linkTo('account')),
        ancestors: listOf(relationshipTo(linkTo('account'))),
        account_tags: relationshipTo(listOf(linkTo('account_tag'))),
      },
      [],
    ),
    { about: 'The parent, the ancestors from the root down, and the tags.' },
  ),
}

/** A company or person that buys. Accounts form trees: a child names its parent when it is created. */
export const accounts = resource({
  type: 'account',
  noun: ['account', 'accounts'],
  about: 'A company or person that buys.',
  path: '/v2/accounts',
  table: 'accounts',
  addedUnder: 'accounts',
  personal: ['id'],
  fields,
  filter: {
    ...walks,
    name: indexed('eq', 'like'),
    legal_name: indexed('eq', 'like'),
    registration_id: indexed('eq', 'like'),
    external_ref: longText('external_ref'),
    account_tags: {
      ops: ['contains'],
      type: 'uuid',
      where: (_op, [tag = ''], bind) => `account_tags @> ${bind(tagLink(tag))}::jsonb`,
    },
  },
  sort: ['created_at', 'id', 'name', 'updated_at'],
  area: 'accounts',
  visible: ownAccount((account) => `id = ${account}`),
  envelope: accountEnvelope,
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

/** The value that the column `account_tags` of an account with this tag contains. */
const tagLink = (tag: string): string => JSON.stringify([{ id: tag.toLowerCase() }])

/** Stores the ancestors at creation: a parent must exist and never changes, so there is no cycle. */
async function showAncestors(work: Work, { values, before }: Draft<typeof fields>): Promise<void> {
  if (before || !values.parent_id) return
  const parent = await findParent(work, values.parent_id)
  if (!parent) throw notFound('parent account', values.parent_id, { source: 'data.parent_id' })
  const data: TypedLink<'account'> = { id: parent.id, type: 'account' }
  const ancestors = [...(parent.doc.relationships?.ancestors ?? []), { data }]
  if (ancestors.length > ancestorsMax) {
    throw new Problem('unprocessable', `An account can have at most ${ancestorsMax} ancestors.`, {
      source: 'data.parent_id',
    })
  }
  values.parent_id = parent.id
  values.relationships = { parent: { data }, ancestors }
}

async function findParent(work: Work, id: string): Promise<Row<typeof fields> | undefined> {
  // The lock keeps the parent from being deleted before the child is stored.
  await work.store.lockShared(accounts, id)
  return work.store.find(accounts, id)
}
