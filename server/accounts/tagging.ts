import type { Ctx, Work } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import { type Answer, json } from '../kernel/http/answer.ts'
import { checker } from '../kernel/input.ts'
import { change } from '../kernel/operations.ts'
import type { Row } from '../kernel/resource.ts'
import { type AccountRelationships, accounts, findAccount, linkTo, type TagLink } from './accounts.ts'

type Account = Row<typeof accounts.fields>

/** All of an account's tags are shown with it. */
const tagsMax = 200

const checkLinks = checker(
  {
    type: 'array',
    maxItems: tagsMax,
    items: {
      type: 'object',
      required: ['id', 'type'],
      properties: { id: { type: 'string', format: 'uuid' }, type: { const: 'account_tag' } },
    },
  },
  'data',
)

/** The tags' ids in a body `{"data": [{"type": "account_tag", "id": …}]}`, each once. */
export function tagIdsIn(body: unknown): readonly string[] {
  const data = (body as { data?: unknown } | null | undefined)?.data
  checkLinks(data)
  return [...new Set((data as TagLink[]).map(({ id }) => id.toLowerCase()))]
}

/** Gives the account other tags; nothing is written when they are the same. Needs a transaction. */
export async function retag(
  ctx: Ctx,
  id: string,
  edit: (tags: readonly TagLink[]) => readonly TagLink[],
): Promise<Account> {
  // Two requests for the same account take turns: neither loses what the other did.
  await ctx.store.hold(accounts, id)
  const account = await findAccount(ctx, id)
  const before = tagsOf(account.doc)
  const after = edit(before)
  if (after.length === before.length) return account
  if (after.length > tagsMax) {
    throw new Problem('unprocessable', `An account may have at most ${tagsMax} tags.`, { source: 'data' })
  }
  return change(ctx, accounts, [], id, { relationships: withTags(account.doc.relationships, after) })
}

/** The relationship as its three operations answer it. */
export const relationshipAnswer = (ctx: Ctx, account: Account): Answer =>
  json(200, {
    data: tagsOf(account.doc),
    links: { self: `${ctx.baseUrl}/v2/accounts/${account.id}/relationships/account-tags` },
  })

const tagsOf = ({ relationships }: Account['doc']) => relationships?.account_tags?.data ?? []

function withTags(
  { account_tags: _, ...others }: AccountRelationships = {},
  tags: readonly TagLink[],
): AccountRelationships | undefined {
  if (tags.length) return { ...others, account_tags: { data: tags } }
  return others.parent ? others : undefined
}

const accountsPerBatch = 1000

/**
 * Takes a deleted tag off its accounts. The tag's row is gone, or locked by us: whoever was about to add it has
 * committed by now, or will not find it.
 */
export async function untagAccounts(work: Work, tag: Row): Promise<void> {
  for (;;) {
    const tagged = await work.store.rows(
      `SELECT id FROM accounts WHERE store_id = $1 AND account_tags @> $2::jsonb ORDER BY id LIMIT ${accountsPerBatch}`,
      linkTo(tag.id),
    )
    if (!tagged.length) return
    const ids = tagged.map(([id]) => id as string)
    await work.store.hold(accounts, ...ids)
    const held = await work.store.rows(
      'SELECT id, doc FROM accounts WHERE store_id = $1 AND id = ANY($2::uuid[])',
      ids,
    )
    await work.store.changeAll(accounts, {
      where: () => 'r.id = untagged.id',
      from: (bind) =>
        `unnest(${bind(held.map(([id]) => id))}::uuid[], ${bind(held.map(([, text]) => without(text as string, tag.id)))}::text[])
         AS untagged (id, doc)`,
      doc: () => 'untagged.doc::json',
    })
  }
}

function without(text: string, tagId: string): string {
  const doc = JSON.parse(text) as Account['doc']
  const tags = tagsOf(doc).filter(({ id }) => id !== tagId)
  return JSON.stringify({ ...doc, relationships: withTags(doc.relationships, tags) })
}
