import { type Answer, json } from '../../kernel/shape/answer.ts'
import { about, type ShownValue, shown } from '../../kernel/shape/shown.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { type ColleagueRole, roleById } from '../permissions/role-kinds.ts'
import {
  type CookieHeaders,
  cookieHeader,
  isFromAnotherSite,
  type SessionCookie,
} from './colleague-sessions.ts'
import { roleIdOf } from './role-assignments.ts'

/** The `type` of a sign-in and of its token. */
export const tokenType = 'colleague_token'

/** What a sign-in responds with. */
export const colleagueToken = shown.group({
  type: shown.constant(tokenType),
  token: about('The access token of the colleague, for the header Authorization.', shown.text),
  expires: about('When the token expires. Go on with the mechanism `session`.', shown.time),
  store_id: shown.uuid,
  session_id: shown.uuid,
  user_id: shown.uuid,
  role: about('The name of the role.', shown.text),
})

/**
 * Responds with a new token of a session, and with its cookie. A page of another site gets no cookie: it could sign the
 * browser in as somebody else, who would read what is typed then.
 */
export async function answerWithToken(
  ctx: Ctx,
  headers: CookieHeaders,
  cookie: SessionCookie,
  userId: string,
  role: ColleagueRole,
): Promise<Answer> {
  const { storeId, sessionId } = cookie
  const { token, expires } = await ctx.instance.tokens.issueToPerson(storeId, userId, sessionId)
  const data: ShownValue<typeof colleagueToken> = {
    type: tokenType,
    token,
    expires: new Date(expires * 1000).toISOString(),
    ...{ store_id: storeId, session_id: sessionId, user_id: userId, role: role.name },
  }
  const answer = json(201, { data })
  if (isFromAnotherSite(headers, ctx.baseUrl)) return answer
  return { ...answer, headers: { ...answer.headers, 'set-cookie': cookieHeader(cookie, ctx.baseUrl) } }
}

/** The role of a user; undefined for one who is no colleague. */
export const roleOf = async ({ store }: Ctx, userId: string): Promise<ColleagueRole | undefined> =>
  roleById((await roleIdOf(store, userId)) ?? '')
