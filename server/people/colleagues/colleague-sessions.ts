import { randomBytes } from 'node:crypto'
import { parseRequestRates } from '../../kernel/auth/request-rates.ts'
import type { ActiveSession } from '../../kernel/auth/tokens.ts'
import { action } from '../../kernel/declare/action.ts'
import { resource } from '../../kernel/declare/resource.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { isId } from '../../kernel/ids.ts'
import { findByName } from '../../kernel/query/find.ts'
import { list } from '../../kernel/request/operations.ts'
import { reference, text } from '../../kernel/shape/fields.ts'
import { type Row, walks } from '../../kernel/shape/model.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { Ctx, Work } from '../../kernel/work/context.ts'
import type { Chore } from '../../kernel/work/job.ts'
import { add, remove } from '../../kernel/write/by-rules.ts'
import type { SignIn } from '../identity/user-token-epoch.ts'
import { hashOf, matchesSecret } from '../keys/key-secret.ts'
import { isAdministrator, roleById } from '../permissions/role-kinds.ts'

/** A sign-in ends when it was not used for so long, and at the latest after `longestMs`. */
const idleMs = 12 * 60 * 60 * 1000
const longestMs = 7 * 24 * 60 * 60 * 1000

const time = (about: string) => text({ readOnly: true, format: 'date-time', about })

/** The sign-in of a colleague. Its tokens end with it, within a second. */
export const colleagueSessions = resource({
  type: 'colleague_session',
  noun: ['colleague-session', 'colleague-sessions'],
  about: 'A sign-in of a colleague, with the device and the address that it began at.',
  path: '/v2/colleague-sessions',
  table: 'colleague_sessions',
  personal: ['user_id'],
  fields: {
    user_id: reference('user_authentication_info', { readOnly: true, about: 'The colleague.' }),
    device: text({ readOnly: true, max: 512, about: 'What the browser or program said of itself.' }),
    address: text({ readOnly: true, max: 64, about: 'The IP address of the sign-in.' }),
    ends_at: time('When the sign-in ends at the latest.'),
    secret_hash: text({ hidden: true, readOnly: true }),
    last_used_at: text({ hidden: true, readOnly: true }),
    // How often the user's credentials had changed.
    epoch: text({ hidden: true, readOnly: true }),
  },
  filter: { ...walks, user_id: { ops: ['eq'], type: 'uuid' } },
  sort: ['created_at', 'id', 'updated_at'],
  area: 'colleague-sessions',
  envelope: { times: 'meta.timestamps', digits: 3, fields: 'top', links: 'inside', href: { after: '' } },
  // Colleagues see and end their own only, so these are actions.
  operations: [],
  meta: {
    fields: {
      last_used_at: text({ format: 'date-time', about: 'When a token was last issued for the sign-in.' }),
    },
    of: ({ hidden }) => ({ last_used_at: hidden.last_used_at }),
  },
  afterDelete: ({ instance }, { id }) => instance.tokens.revoke(id),
})

type SessionRow = Row<typeof colleagueSessions.fields>

/** The person whose sessions alone the caller sees; undefined for administrators and keys. */
const ownOnly = ({ who }: Work): string | undefined =>
  who.sessionId === undefined || isAdministrator(who.grant) ? undefined : who.keyId

export const listColleagueSessions = action({
  name: 'list-colleague-sessions',
  route: 'GET /v2/colleague-sessions',
  about:
    'Lists the sign-ins of colleagues, the newest first. Colleagues who are no administrators see their own.',
  area: 'colleague-sessions',
  status: 200,
  shows: { resource: colleagueSessions, page: true },
  run(ctx, call) {
    const own = ownOnly(ctx)
    return list(
      ctx,
      colleagueSessions,
      [],
      call,
      own === undefined ? undefined : (bind) => `user_id = ${bind(own)}::uuid`,
    )
  },
})

async function findSession(ctx: Ctx, id: string): Promise<SessionRow> {
  const session = await findByName(ctx, colleagueSessions, id)
  const own = ownOnly(ctx)
  if (own !== undefined && session.doc.user_id !== own) throw notFound('colleague session', id)
  return session
}

export const getColleagueSession = action({
  name: 'get-colleague-session',
  route: 'GET /v2/colleague-sessions/:id',
  about: 'Reads a sign-in of a colleague.',
  area: 'colleague-sessions',
  status: 200,
  shows: { resource: colleagueSessions },
  run: async (ctx, { params }) =>
    objectAnswer(200, colleagueSessions, await findSession(ctx, params.id), ctx),
})

export const deleteColleagueSession = action({
  name: 'delete-colleague-session',
  route: 'DELETE /v2/colleague-sessions/:id',
  about: 'Ends a sign-in. Its tokens are refused within a second, and its cookie is of no use any more.',
  area: 'colleague-sessions',
  status: 204,
  refuses: ['precondition_failed'],
  async run(ctx, { params, ifMatch }) {
    const { id } = await findSession(ctx, params.id)
    return remove(ctx, colleagueSessions, [], id, { ifMatch })
  },
})

interface Device {
  readonly device: string
  readonly address: string
}

/** What a request says of where it comes from. */
export const deviceOf = ({ clientAddress }: Ctx, headers: CookieHeaders): Device => ({
  device: String(headers['user-agent'] ?? '').slice(0, 512),
  address: clientAddress,
})

/** Ends all sessions of a user, also in this process at once. For the transaction of a change of their credentials. */
export async function endSessions({ store, instance }: Work, userId: string): Promise<void> {
  const ended = await store.removeAll(colleagueSessions, (bind) => `r.user_id = ${bind(userId)}::uuid`)
  for (const id of ended) instance.tokens.revoke(id)
}

/** Begins a session, and returns its cookie. */
export async function beginSession(
  work: Work,
  { userId, tokenEpoch }: SignIn,
  { device, address }: Device,
): Promise<SessionCookie> {
  const secret = randomBytes(32).toString('base64url')
  const now = work.clock.now()
  const { id } = await add(work, colleagueSessions, [], {
    ...{ user_id: userId, device, address },
    ends_at: new Date(now.getTime() + longestMs).toISOString(),
    secret_hash: hashOf(secret),
    last_used_at: now.toISOString(),
    epoch: String(tokenEpoch),
  })
  return { storeId: work.store.id, sessionId: id, secret }
}

/** SQL of a session that has not ended, with the role of its user. `$3` is the time. */
const active = `colleague_sessions c
  JOIN role_assignments r ON r.store_id = c.store_id AND r.user_id = c.user_id
  JOIN stores s ON s.id = c.store_id
  LEFT JOIN user_token_epochs e ON e.store_id = c.store_id AND e.user_id = c.user_id
  WHERE c.store_id = $1 AND c.id = $2 AND (c.doc->>'ends_at')::timestamptz > $3::timestamptz
    AND (c.hidden->>'last_used_at')::timestamptz + interval '${idleMs} milliseconds' > $3::timestamptz
    AND coalesce(e.epoch, 0) = (c.hidden->>'epoch')::integer`

/** The session if it has not ended: nobody ended it, it was used, and its user has their role and their credentials. */
export async function findActiveSession(
  database: Pick<Database, 'quick'>,
  storeId: string,
  sessionId: string,
  now: Date,
): Promise<ActiveSession | undefined> {
  const text = `SELECT r.role_id, s.request_rates FROM ${active}`
  const [row] = await database.quick({ text, values: [storeId, sessionId, now] })
  const role = roleById(row?.[0] ?? '')
  return role && { kind: role.kind, reservedRate: 0, storeRates: parseRequestRates(row?.[1] ?? '') }
}

/** Goes on with a session, and returns its user; undefined if it has ended, or the secret is another one. */
export async function continueSession(work: Work, id: string, secret: string): Promise<string | undefined> {
  const now = work.clock.now()
  const [row] = await work.store.run(`SELECT c.user_id, c.hidden->>'secret_hash' FROM ${active}`, id, now)
  if (!row || !(await matchesSecret(row[1] as string, secret))) return undefined
  // Not a change of the session, so its version stays.
  await work.store.run(
    `UPDATE colleague_sessions SET hidden = (hidden::jsonb || jsonb_build_object('last_used_at', $3::text))::json
     WHERE store_id = $1 AND id = $2`,
    id,
    now.toISOString(),
  )
  return row[0] as string
}

/** Deletes sessions that have ended by themselves. */
export const forgetColleagueSessions: Chore = {
  name: 'colleagues:forget-sessions',
  attemptsMax: 1,
  every: '*/30 * * * *',
  run: async ({ database, clock }) => {
    await database.run({
      text: `WITH ended AS MATERIALIZED (
               SELECT store_id, id FROM colleague_sessions WHERE (doc->>'ends_at')::timestamptz <= $1
                 OR (hidden->>'last_used_at')::timestamptz + interval '${idleMs} milliseconds' <= $1)
             DELETE FROM colleague_sessions s USING ended WHERE s.store_id = ended.store_id AND s.id = ended.id`,
      values: [clock.now()],
    })
  },
}

const cookieName = 'sutler_colleague'
/** The only address that browsers send the cookie to. */
const cookiePath = '/v2/colleague-tokens'

/** What the cookie of a sign-in holds. */
export interface SessionCookie {
  readonly storeId: string
  readonly sessionId: string
  readonly secret: string
}

/** The header that stores the cookie. Scripts cannot read it, and other sites cannot make a browser send it. */
export function cookieHeader({ storeId, sessionId, secret }: SessionCookie, baseUrl: string): string {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : ''
  const value = `${storeId}.${sessionId}.${secret}`
  return `${cookieName}=${value}; Path=${cookiePath}; Max-Age=${longestMs / 1000}; HttpOnly; SameSite=Strict${secure}`
}

export type CookieHeaders = Readonly<Record<string, string | string[] | undefined>>

/** The cookie of a request; undefined if there is none. */
export function cookieIn({ cookie }: CookieHeaders): SessionCookie | undefined {
  for (const part of String(cookie ?? '').split(';')) {
    const [key, value = ''] = part.trim().split('=', 2)
    if (key !== cookieName) continue
    const [storeId = '', sessionId = '', secret = ''] = value.split('.', 3)
    if (isId(storeId) && isId(sessionId) && secret) return { storeId, sessionId, secret }
  }
  return undefined
}

/** Whether a page of another site has made the browser send the request. Programs send neither header. */
export function isFromAnotherSite(
  { 'sec-fetch-site': site, origin }: CookieHeaders,
  baseUrl: string,
): boolean {
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  return origin !== undefined && origin !== baseUrl
}

/** Refuses a request that may not come from a page of this server. */
export function mustBeSameOrigin(headers: CookieHeaders, baseUrl: string): void {
  const { 'sec-fetch-site': site, origin } = headers
  if (site === 'same-origin' || (site === undefined && origin === baseUrl)) return
  throw new Problem(
    'forbidden',
    'Only a page of this server can go on with a sign-in. Send the request from there: browsers add Sec-Fetch-Site: same-origin or Origin.',
  )
}
