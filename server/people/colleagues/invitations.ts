import { resource } from '../../kernel/declare/resource.ts'
import { newId } from '../../kernel/ids.ts'
import { reference, text } from '../../kernel/shape/fields.ts'
import { type Row, walks } from '../../kernel/shape/model.ts'
import { caseless } from '../../kernel/storage/expressions.ts'
import type { Store } from '../../kernel/storage/store.ts'
import type { Chore } from '../../kernel/work/job.ts'
import { newDraft } from '../../kernel/write/drafts.ts'
import { hashOf, newSecret } from '../oidc/sign-in-request.ts'

const validMs = 3 * 24 * 60 * 60 * 1000

/** A link that sets the password of a colleague once. A newer one replaces it, and without the role it goes. */
export const invitations = resource({
  type: 'colleague_invitation',
  noun: ['colleague-invitation', 'colleague-invitations'],
  about:
    'A link that sets the password of a colleague once, and that nobody has used yet. To delete it revokes it.',
  path: '/v2/colleague-invitations',
  table: 'invitations',
  personal: ['user_id'],
  fields: {
    user_id: reference('user_authentication_info', { readOnly: true, about: 'The colleague.' }),
    email: text({ readOnly: true, about: 'The email address of the colleague when they were invited.' }),
    expires_at: text({ readOnly: true, format: 'date-time', about: 'When the link expires.' }),
    secret_hash: text({ hidden: true, readOnly: true }),
  },
  filter: { ...walks, user_id: { ops: ['eq'], type: 'uuid' } },
  sort: ['created_at', 'id', 'updated_at'],
  area: 'colleagues',
  envelope: { times: 'meta.timestamps', digits: 3, fields: 'top', links: 'inside', href: { after: '' } },
  // The create is an action because its response shows the link.
  operations: ['list', 'get', 'delete'],
})

interface NewInvitation {
  readonly row: Row<typeof invitations.fields>
  readonly secret: string
}

/** Makes a link for a user who has a role. It replaces an earlier one. */
export async function invite(
  store: Store,
  { userId, email }: { readonly userId: string; readonly email: string },
  now: Date,
): Promise<NewInvitation> {
  const secret = newSecret()
  await store.advisoryLock(`invitation of ${userId}`)
  await store.removeAll(invitations, (bind) => `r.user_id = ${bind(userId)}::uuid`)
  const values = {
    ...{ user_id: userId, email, secret_hash: hashOf(secret) },
    expires_at: new Date(now.getTime() + validMs).toISOString(),
  }
  const row = await store.insert(invitations, newDraft(invitations, [], values, newId()))
  if (!row) throw new Error('an invitation has no added fields')
  return { row, secret }
}

/** The page that a link leads to. Browsers keep what is behind the # to themselves. */
export const invitationLink = (baseUrl: string, storeId: string, secret: string): string =>
  `${baseUrl}/console/welcome#${storeId}.${secret}`

/**
 * The user of the realm with this email address, if there is one. Of several, the oldest. A user who only claims the
 * address may be anyone: whoever gives them a role would give it to a stranger.
 */
export async function findByEmail(store: Store, realmId: string, email: string): Promise<string | undefined> {
  const [row] = await store.run(
    `SELECT id FROM user_authentication_infos WHERE store_id = $1 AND realm_id = $2
     AND ${caseless('email')} = ${caseless('$3::text')} AND hidden->>'email_claimed' IS DISTINCT FROM 'true'
     ORDER BY created_at, id LIMIT 1`,
    realmId,
    email,
  )
  return row?.[0] ?? undefined
}

/** Deletes links that have expired. */
export const forgetInvitations: Chore = {
  name: 'colleagues:forget-invitations',
  attemptsMax: 1,
  every: '*/30 * * * *',
  run: async ({ database, clock }) => {
    await database.run({
      text: `WITH ended AS MATERIALIZED (
               SELECT store_id, id FROM invitations WHERE (doc->>'expires_at')::timestamptz <= $1)
             DELETE FROM invitations i USING ended WHERE i.store_id = ended.store_id AND i.id = ended.id`,
      values: [clock.now()],
    })
  },
}
