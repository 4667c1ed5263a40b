import { unauthorized } from '../../kernel/auth/tokens.ts'
import { action } from '../../kernel/declare/action.ts'
import type { Call } from '../../kernel/declare/call.ts'
import { pageAnswer } from '../../kernel/http/page-answer.ts'
import { exampleId } from '../../kernel/openapi/examples.ts'
import { named } from '../../kernel/openapi/named-schemas.ts'
import { findAll } from '../../kernel/query/find.ts'
import { fetchPage, planPage } from '../../kernel/query/page.ts'
import { parse } from '../../kernel/query/parse.ts'
import { readSingleton } from '../../kernel/request/singletons.ts'
import type { Answer } from '../../kernel/shape/answer.ts'
import { choice } from '../../kernel/shape/fields.ts'
import type { ListQuery } from '../../kernel/shape/list-query.ts'
import { about, shown } from '../../kernel/shape/shown.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { accountRealmId } from '../identity/store-realms.ts'
import type { SignIn } from '../identity/user-token-epoch.ts'
import { accountAuthenticationSettings } from './account-authentication-settings.ts'
import { type Session, signAccountMemberToken } from './account-member-token.ts'
import { membershipsOfMember } from './account-memberships.ts'
import { accounts } from './accounts.ts'
import { fieldsOfAll, mechanisms, tokenType } from './sign-in-mechanisms.ts'

const names = Object.keys(mechanisms) as (keyof typeof mechanisms)[]

const memberToken = named(
  'AccountMemberToken',
  shown.group({
    type: shown.constant(tokenType),
    account_id: shown.uuid,
    account_name: shown.text,
    token: about('The token for the header EP-Account-Management-Authentication-Token.', shown.text),
    expires: shown.time,
  }),
)

/** Signs an account member in. A token is for a single account, so there is one for each of their accounts. */
export const createAccountMemberTokens = action({
  name: 'create-account-member-tokens',
  route: 'POST /v2/account-members/tokens',
  about:
    'Signs an account member in. The response is a page of their accounts, with a token for each. The required fields ' +
    'depend on authentication_mechanism.',
  area: 'account-member-tokens',
  ownTransactions: true,
  status: 201,
  signsIn: true,
  shows: { page: true, data: memberToken, meta: { account_member_id: shown.uuid } },
  refuses: ['rate_limited'],
  body: {
    type: tokenType,
    fields: {
      authentication_mechanism: choice(names, {
        required: true,
        about:
          'How to sign in. account_management_authentication_token continues with the token in the header of that name.',
      }),
      ...fieldsOfAll,
    },
    example: {
      ...{ authentication_mechanism: 'password', password_profile_id: exampleId },
      ...{ username: 'ada.marsh@example.com', password: 'eleven horses by the river' },
    },
  },

  async run(ctx, call) {
    const { signIn } = mechanisms[call.body.authentication_mechanism as keyof typeof mechanisms]
    // Refuse a bad page before someone is signed up or a code is used up for it.
    const query = parse(call.query)
    planPage(ctx, membershipsOfMember, query)
    return answerTokens(ctx, await signIn(ctx, call), query, call)
  },
})

/** Creates only the tokens of the page, because a member can belong to ten thousand accounts. */
async function answerTokens(
  ctx: Ctx,
  member: SignIn,
  query: ListQuery,
  call: Pick<Call, 'path' | 'query'>,
): Promise<Answer> {
  const page = await fetchPage(ctx, { resource: membershipsOfMember, scope: [member.userId] }, query)
  const ids = page.rows.flatMap(({ doc }) => doc.relationships?.account.data.id ?? [])
  const session = await newSession(ctx, member)
  const expires = new Date(session.expiresS * 1000).toISOString()
  const pageAccounts = await findAll(ctx, accounts, ids)
  // The member reads the names of the accounts, so the reads are recorded as the member's.
  const memberWork = ctx.actingAs(member.userId)
  for (const account of pageAccounts) memberWork.onRead(accounts, account)
  const data = pageAccounts.map(async ({ id, doc }) => {
    const ancestorIds = (doc.relationships?.ancestors ?? []).map(({ data }) => data.id)
    const token = await signAccountMemberToken(ctx.instance, session, { id, ancestorIds })
    return JSON.stringify({ type: tokenType, account_id: id, account_name: doc.name, token, expires })
  })
  const text = (await Promise.all(data)).join(',')
  return pageAnswer(201, text, page, ctx, call, { account_member_id: member.userId })
}

/**
 * How long after a sign-in a token can be exchanged for new ones. The first token is valid for its whole lifetime,
 * even if the store sets a longer one.
 */
const continueMaxS = 30 * 24 * 60 * 60

async function newSession(ctx: Ctx, member: SignIn): Promise<Session> {
  const settings = await readSingleton(ctx, accountAuthenticationSettings)
  const lifetimeS = settings.account_management_authentication_token_timeout_secs
  const issuedS = Math.floor(ctx.clock.now().getTime() / 1000)
  const { signedInS = issuedS } = member
  const continueUntilS = signedInS + Math.max(continueMaxS, lifetimeS)
  if (continueUntilS <= issuedS)
    throw unauthorized('The sign-in is too long ago for another token; sign in again.')
  return {
    storeId: ctx.store.id,
    realmId: await accountRealmId(ctx),
    member,
    selfManagement: settings.account_member_self_management,
    signedInS,
    issuedS,
    expiresS: Math.min(issuedS + lifetimeS, continueUntilS),
  }
}
