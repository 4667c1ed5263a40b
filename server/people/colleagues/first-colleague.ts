import { isSigned, signatureOf } from '../../kernel/auth/signatures.ts'
import { missingField } from '../../kernel/errors.ts'
import type { Instance, Work } from '../../kernel/work/context.ts'
import { add } from '../../kernel/write/by-rules.ts'
import { userAuthenticationInfos } from '../identity/user-authentication-infos.ts'
import type { SignIn } from '../identity/user-token-epoch.ts'
import { roleByKind } from '../permissions/role-kinds.ts'
import { linkEnded } from './accept-invitation.ts'
import { findByEmail, invitationLink } from './invitations.ts'
import { givePassword } from './password-of-colleague.ts'
import { assignmentOf, roleAssignments } from './role-assignments.ts'

const validMs = 3 * 24 * 60 * 60 * 1000
const mark = 'first'

const textToSign = (storeId: string, until: string) => JSON.stringify(['first colleague', storeId, until])

/**
 * The link by which the first colleague of a store makes themselves its Store Admin. Nothing is stored: it is signed,
 * so each process and each start may print one, and all of them end when the store has a colleague.
 */
export function firstLink({ linkKeys, clock }: Instance, storeId: string, baseUrl: string): string {
  const until = String(Math.floor((clock.now().getTime() + validMs) / 1000))
  return invitationLink(
    baseUrl,
    storeId,
    `${mark}.${until}.${signatureOf(linkKeys, textToSign(storeId, until))}`,
  )
}

/** People copy the link as it is, with the store before it. */
const partsOf = (invitation: string) => invitation.split('.').slice(-3)

export const isFirstLink = (invitation: string): boolean => partsOf(invitation)[0] === mark

interface FirstColleague {
  readonly invitation: string
  readonly password: string
  readonly name?: string | undefined
  readonly email?: string | undefined
}

/** Makes the first colleague, a Store Admin. Of two who use a link at once, one succeeds. */
export async function acceptFirstLink(
  work: Work,
  realmId: string,
  { invitation, password, name, email }: FirstColleague,
): Promise<SignIn> {
  const [, until = '', signature = ''] = partsOf(invitation)
  const { store, instance, clock } = work
  if (!isSigned(instance.linkKeys, textToSign(store.id, until), signature)) throw linkEnded()
  if (Number(until) * 1000 <= clock.now().getTime() || (await hasColleagues(work))) throw linkEnded()
  if (name === undefined) throw missingField('data.name')
  if (email === undefined) throw missingField('data.email')
  return work.transaction(async (inside) => {
    await inside.store.advisoryLock(`invitations of ${realmId}`)
    if (await hasColleagues(inside)) throw linkEnded()
    const userId =
      (await findByEmail(inside.store, realmId, email)) ??
      (await add(inside, userAuthenticationInfos, [realmId], { name, email })).id
    const self = inside.actingAs(userId)
    await self.store.lock(userAuthenticationInfos, userId)
    const signIn = await givePassword(self, realmId, userId, password)
    await add(self, roleAssignments, [], assignmentOf(userId, roleByKind('store-admin')?.id ?? ''))
    return signIn
  })
}

/** Whether the store has a colleague, also one who was invited and has not signed in. */
async function hasColleagues({ store }: Pick<Work, 'store'>): Promise<boolean> {
  return (await store.run('SELECT 1 FROM role_assignments WHERE store_id = $1 LIMIT 1')).length > 0
}
