import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { objectAnswer, withData } from '../../kernel/http/object-answer.ts'
import { objectOf } from '../../kernel/openapi/named-schemas.ts'
import { choice } from '../../kernel/shape/fields.ts'
import { about, orNull, shown } from '../../kernel/shape/shown.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { add } from '../../kernel/write/by-rules.ts'
import { merchantRealmId } from '../identity/store-realms.ts'
import { userAuthenticationInfos } from '../identity/user-authentication-infos.ts'
import { colleagueRoles, roleById, roleByKind } from '../permissions/role-kinds.ts'
import { findByEmail, invitationLink, invitations, invite } from './invitations.ts'
import { sendInvitation } from './mail-invitation.ts'
import { assignmentOf, roleAssignments, roleIdOf } from './role-assignments.ts'

const roles = colleagueRoles.map(({ kind }) => kind)

const moreShown = shown.group({
  role: about('The role of the colleague.', shown.constant(...roles)),
  delivery: about('How the colleague gets the link.', shown.constant('link', 'mail')),
  link: about(
    'The link that sets the password once, within three days. Only this response has it; null if it was mailed.',
    orNull(shown.text),
  ),
})

const { name, email } = userAuthenticationInfos.fields

/** Invites a colleague. The link is in their mail, or else in the response only: the server stores a hash. */
export const inviteColleague = action({
  name: 'invite-colleague',
  route: 'POST /v2/colleague-invitations',
  about:
    'Invites a colleague: creates the user of the merchant realm, if there is none with the email address, gives them the role, and makes a link that sets their password once. The link is mailed to them or, if the server sends no mail, in this response only. For a colleague who has a role, it makes a new link.',
  area: 'colleagues',
  status: 201,
  shows: { data: shown.as({ allOf: [objectOf(() => invitations).schema, moreShown.schema] }), etag: true },
  body: {
    type: 'colleague_invitation',
    fields: {
      name,
      email,
      role: choice(roles, { required: true, about: 'The role of a new colleague.' }),
      delivery: choice(['link', 'mail'], {
        about:
          'Whether the link is mailed, or in the response, to be copied. By default it is mailed if the server sends mail.',
      }),
    },
  },
  async run(ctx, { body }) {
    const delivery = deliveryOf(ctx, body.delivery)
    const realmId = await merchantRealmId(ctx)
    await ctx.store.advisoryLock(`invitations of ${realmId}`)
    const userId =
      (await findByEmail(ctx.store, realmId, body.email)) ??
      (await add(ctx, userAuthenticationInfos, [realmId], { name: body.name, email: body.email })).id
    const wanted = roleByKind(body.role)?.id ?? ''
    const given = await roleIdOf(ctx.store, userId)
    if (given === undefined) await add(ctx, roleAssignments, [], assignmentOf(userId, wanted))
    else if (given !== wanted) throw hasAnotherRole(given)
    const { row, secret } = await invite(ctx.store, { userId, email: body.email }, ctx.clock.now())
    const link = invitationLink(ctx.baseUrl, ctx.store.id, secret)
    if (delivery === 'mail') await sendInvitation(ctx, row.id, link)
    return withData(objectAnswer(201, invitations, row, ctx), {
      ...{ role: body.role, delivery, link: delivery === 'mail' ? null : link },
    })
  },
})

function deliveryOf({ instance: { mail } }: Ctx, wanted: string | undefined): 'mail' | 'link' {
  if (wanted === 'mail' && !mail) {
    const source = 'data.delivery'
    throw new Problem('unprocessable', `${source} cannot be mail: this server sends none. Use link.`, {
      source,
    })
  }
  return wanted === 'link' || !mail ? 'link' : 'mail'
}

const hasAnotherRole = (id: string) =>
  new Problem(
    'conflict',
    `The colleague has the role ${roleById(id)?.name}. Send that role, or change their role assignment first.`,
    { source: 'data.role' },
  )
