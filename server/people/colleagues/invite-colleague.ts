import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { json } from '../../kernel/shape/answer.ts'
import { choice } from '../../kernel/shape/fields.ts'
import { about, type ShownValue, shown } from '../../kernel/shape/shown.ts'
import { add } from '../../kernel/write/by-rules.ts'
import { merchantRealmId } from '../identity/store-realms.ts'
import { userAuthenticationInfos } from '../identity/user-authentication-infos.ts'
import { colleagueRoles, roleById, roleByKind } from '../permissions/role-kinds.ts'
import { findByEmail, invitationLink, invite } from './invitations.ts'
import { assignmentOf, roleAssignments, roleIdOf } from './role-assignments.ts'

const invitationShown = shown.group({
  type: shown.constant('colleague_invitation'),
  user_id: shown.uuid,
  role: about('The name of the role.', shown.text),
  link: about(
    'The link that sets the password once, within three days. Only this response has it.',
    shown.text,
  ),
})

const { name, email } = userAuthenticationInfos.fields

/** Invites a colleague. Only the response shows the link: the server stores a hash. */
export const inviteColleague = action({
  name: 'invite-colleague',
  route: 'POST /v2/colleague-invitations',
  about:
    'Invites a colleague: creates the user of the merchant realm, if there is none with the email address, gives them the role, and makes a link that sets their password once. Only this response has the link. For a colleague who has a role, it makes a new link.',
  area: 'colleagues',
  status: 201,
  shows: { data: invitationShown },
  body: {
    type: 'colleague_invitation',
    fields: {
      name,
      email,
      role: choice(
        colleagueRoles.map(({ kind }) => kind),
        { required: true, about: 'The role of a new colleague.' },
      ),
    },
  },
  async run(ctx, { body }) {
    const realmId = await merchantRealmId(ctx)
    await ctx.store.advisoryLock(`invitations of ${realmId}`)
    const userId =
      (await findByEmail(ctx.store, realmId, body.email)) ??
      (await add(ctx, userAuthenticationInfos, [realmId], { name: body.name, email: body.email })).id
    const wanted = roleByKind(body.role)?.id ?? ''
    const given = await roleIdOf(ctx.store, userId)
    if (given === undefined) await add(ctx, roleAssignments, [], assignmentOf(userId, wanted))
    else if (given !== wanted) throw hasAnotherRole(given)
    const secret = await invite(ctx, userId, ctx.clock.now())
    const data: ShownValue<typeof invitationShown> = {
      type: 'colleague_invitation',
      user_id: userId,
      role: roleByKind(body.role)?.name ?? '',
      link: invitationLink(ctx.baseUrl, ctx.store.id, secret),
    }
    return json(201, { data })
  },
})

const hasAnotherRole = (id: string) =>
  new Problem(
    'conflict',
    `The colleague has the role ${roleById(id)?.name}. Send that role, or change their role assignment first.`,
    { source: 'data.role' },
  )
