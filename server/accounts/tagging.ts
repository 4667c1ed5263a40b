import type { Ctx } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import { type Answer, json } from '../kernel/http/answer.ts'
import { checker } from '../kernel/input.ts'
import { change } from '../kernel/operations.ts'
import type { Row } from '../kernel/resource.ts'
import {
  type AccountRelationships,
  accounts,
  findAccount,
  linkTo,
  lockAccount,
  type TagLink,
} from './accounts.ts'

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
  await lockAccount(ctx, id)
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
export async function untagAccounts(ctx: Ctx, tag: Row): Promise<void> {
  for (;;) {
    const tagged = await ctx.store.rows(
      `SELECT id, doc FROM accounts WHERE store_id = $1 AND account_tags @> $2::jsonb
       ORDER BY id LIMIT ${accountsPerBatch} FOR NO KEY UPDATE`,
      linkTo(tag.id),
    )
    if (!tagged.length) return
    await ctx.store.write(
      `UPDATE accounts a SET version = version + 1, updated_at = greatest(updated_at, $3::timestamptz),
         doc = untagged.doc::json
       FROM set_config('sutler.by', $2, true), unnest($4::uuid[], $5::text[]) AS untagged (id, doc)
       WHERE a.store_id = $1 AND a.id = untagged.id`,
      ctx.clock.now(),
      tagged.map(([id]) => id),
      tagged.map(([, text]) => {
        const doc = JSON.parse(text as string) as Account['doc']
        const tags = tagsOf(doc).filter(({ id }) => id !== tag.id)
        return JSON.stringify({ ...doc, relationships: withTags(doc.relationships, tags) })
      }),
    )
  }
}
